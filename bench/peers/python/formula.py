"""What a table has to be, in float64 NumPy: rows of every table whose time is taken are held against it."""
import numpy

ROWS = 18  # the first, the last, and what lies evenly between
BASE = 10000.0


def frequencies(preset, d):
    """(frequencies, whether sines and cosines are apart)"""
    k = numpy.arange(d // 2)
    if preset == "diffusers":  # Ho et al. (2020): the last frequency is 1 / BASE itself
        return BASE ** (-k / max(d // 2 - 1, 1)), True
    return BASE ** (-2 * k / d), preset == "marian"  # Vaswani et al. (2017), section 3.5


def expected(preset, positions, d):
    """(these rows, how far float32 may be from each of their values).

    A float32 angle p w costs 2^-22 of itself: 1 ULP of exp, 2^-23 at most, and half a one of the product, 2^-24, with a
    quarter left over. But w = exp(x), and an x that was rounded, at most three times by 2^-24 of itself (constant,
    product, quotient), changes w by as many times |x| = |log w| of itself. 10^-6 is for sine and cosine, and for where
    the angle is small.
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
    """Raises ValueError where some rows of a table from position 0 are not the formula's."""
    n, d = table.shape
    positions = numpy.unique(numpy.linspace(0, n - 1, ROWS).astype(numpy.int64))
    rows, allowed = expected(preset, positions, d)
    difference = numpy.abs(table[positions] - rows)
    over = ~(difference <= allowed)  # so that what is not a number is over it, too
    if over.any():
        i, j = numpy.unravel_index(numpy.argmax(numpy.where(over, difference, -1)), over.shape)
        raise ValueError(
            f"the table is not the formula's: off by {difference[i, j]:.2g} at most, at position {positions[i]} in column {j}; "
            f"allowed there: {allowed[i, j]:.2g}"
        )
