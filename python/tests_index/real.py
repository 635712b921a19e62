"""Cosines and sines as real numbers, from the formulas and without posenc.

They are long double, or mpmath where long double does not decide a rounding. Frequencies are lists of mpmath numbers,
from the formulas with the given parameters."""

import mpmath
import numpy as np
from mpmath import mpf

mpmath.mp.prec = 200
_EPSILON = 8 * np.finfo(np.longdouble).eps  # relative error of an angle, and of a function


def _long(x):
    high = float(x)
    return np.longdouble(high) + np.longdouble(float(x - high))


def cis(positions, w):
    """cos + i sin of positions * w, of shape (*positions.shape, len(w)). It rounds to the correct float32."""
    positions, back = np.unique(np.asarray(positions, float), return_inverse=True)
    angles = positions.astype(np.longdouble)[:, None] * np.array([_long(x) for x in w])
    both = np.empty(angles.shape, np.clongdouble)
    for part, function, exact in (both.real, np.cos, mpmath.cos), (both.imag, np.sin, mpmath.sin):
        part[...] = value = function(angles)
        slack = _EPSILON * (np.abs(angles) + np.abs(value))
        for i, k in np.argwhere((value - slack).astype("f4") != (value + slack).astype("f4")):
            part[i, k] = nearest(exact(mpf(positions[i]) * w[k]))
    return both[back]


def nearest(x):
    """The nearest float32. Here it is never subnormal."""
    with mpmath.workprec(24):
        return float(+x)


def ladder(n, denominator=None, base=10000.0, factor=1):
    """w_k = base^(-k / denominator) / factor. The default denominator is n."""
    return [mpf(base) ** (-mpf(k) / (denominator or n)) / mpf(factor) for k in range(n)]


# ---- Arrangements of values


def pair(z):
    """Cosines and sines in two arrays."""
    return np.stack([z.real, z.imag])


def halves(z):
    return pair(np.concatenate([z, z], -1))


def pairs(z):
    return pair(np.repeat(z, 2, -1))
