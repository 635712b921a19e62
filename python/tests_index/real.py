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


# ---- Rotary scaling, as in modeling_rope_utils.py of Hugging Face's transformers


def dynamic(n, base, factor, length, trained):
    grown = mpf(factor) * length / trained - (mpf(factor) - 1)
    return ladder(n, base=mpf(base) * grown ** (mpf(n) / (n - 1)))


def yarn(n, base, factor, trained, fast=32, slow=1, truncate=True):
    low, high = (n * mpmath.log(trained / (turns * 2 * mpmath.pi)) / mpmath.log(base) for turns in (fast, slow))
    low, high = (mpmath.floor(low), mpmath.ceil(high)) if truncate else (low, high)
    low, high = max(low, 0), min(high, 2 * n - 1)
    ramp = [min(max((k - low) / (high - low), 0), 1) for k in range(n)]
    return [w * (1 - r) + w / mpf(factor) * r for w, r in zip(ladder(n, base=base), ramp)]


def longrope(base, factors):
    return [w / mpf(float(np.float32(f))) for w, f in zip(ladder(len(factors), base=base), factors)]


def llama3(n, base, factor, low, high, trained):
    def scaled(w):
        smooth = (trained * w / (2 * mpmath.pi) - low) / (mpf(high) - low)
        return w / factor + min(max(smooth, 0), 1) * (w - w / factor)

    return [scaled(w) for w in ladder(n, base=base)]


# ---- Arrangements of values


def pair(z):
    """Cosines and sines in two arrays."""
    return np.stack([z.real, z.imag])


def halves(z):
    return pair(np.concatenate([z, z], -1))


def pairs(z):
    return pair(np.repeat(z, 2, -1))
