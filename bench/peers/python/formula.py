"""The formula of a table in float64 NumPy. Rows of every table that is timed are compared with it."""
import numpy

ROWS = 18  # the first, the last, and evenly spaced rows between them
BASE = 10000.0


def frequencies(preset, d):
    """Returns (frequencies, whether sines and cosines are in separate halves)."""
    k = numpy.arange(d // 2)
    if preset == "diffusers":  # Ho et al. (2020): the last frequency is 1 / BASE itself
        return BASE ** (-k / max(d // 2 - 1, 1)), True
    return BASE ** (-2 * k / d), preset == "marian"  # Vaswani et al. (2017), section 3.5


def expected(preset, positions, d):
    """Returns (the rows at these positions, the error that float32 arithmetic may have in each value).

    The allowed error is the sum of:
    - 2^-22 of the angle p w, for its rounding in float32: 1 ULP of exp, at most 2^-23, and half an ULP of the product,
      2^-24; a quarter is left over.
    - 3 * 2^-24 |log w| of the angle, for the rounding of x in w = exp(x): x is rounded at most three times (constant,
      product, quotient), each time by 2^-24 of itself, and w changes by |x| = |log w| times the relative error of x.
    - 10^-6, for sine and cosine, and for small angles.
    """
    w, apart = frequencies(preset, d)
    angles = positions[:, None] * w
    allowed = 1e-6 + (2.0**-22 + 3 * 2.0**-24 * numpy.abs(numpy.log(w))) * numpy.abs(angles)
    if apart:
        return numpy.hstack([numpy.sin(angles), numpy.cos(angles)]), numpy.hstack([allowed, allowed])
    rows = numpy.empty((len(positions), d))
    rows[:, 0::2], rows[:, 1::2] = numpy.sin(angles), numpy.cos(angles)
    return rows, numpy.repeat(allowed, 2, axis=1)


def compare(preset, table):
    """Compares some rows of a table that starts at position 0 with the formula. Raises ValueError if they differ."""
    n, d = table.shape
    positions = numpy.unique(numpy.linspace(0, n - 1, ROWS).astype(numpy.int64))
    rows, allowed = expected(preset, positions, d)
    difference = numpy.abs(table[positions] - rows)
    over = ~(difference <= allowed)  # written with <= and ~ so that NaN counts as over
    if over.any():
        i, j = numpy.unravel_index(numpy.argmax(numpy.where(over, difference, -1)), over.shape)
        raise ValueError(
            f"the table is not the formula's: off by {difference[i, j]:.2g} at most, at position {positions[i]} in "
            f"column {j}; allowed there: {allowed[i, j]:.2g}"
        )
