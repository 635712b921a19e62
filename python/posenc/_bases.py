"""Finds the base of frequencies that were rounded."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._identify import rounded
from ._judge import BITS, LEAST


class Base(NamedTuple):
    value: float
    is_about: bool  #: whether other bases have the same frequencies, and this one is not round

    def __str__(self) -> str:
        return f"{'about ' * self.is_about}{self.value!r}"


def base_of_frequencies(w: npt.NDArray[Any], stored: str) -> Base | None:
    """Returns the base such that frequency k is base^(-k / n), for k below n, but for rounding; else None.

    Rounding leaves an interval of possible bases for each frequency. The result is the shortest decimal number in all of
    them. It counts as the base itself if a number with so few digits is unlikely to lie there by chance. Frequencies
    count as rounded to the narrowest dtype that holds all of them, `stored` at most, and perhaps to float32 before."""
    w, n = w.astype("f8"), w.size
    if stored not in BITS or w.ndim != 1 or n < 2 or not ((w > 1e-30) & (w < 2)).all() or w[-1] >= 1:
        return None
    kind = next(dtype for dtype in ("bfloat16", "float16", stored) if (rounded(w, dtype) == w).all() or dtype == stored)
    unit = np.ldexp(1.0, np.maximum(np.frexp(w)[1] - BITS[kind], LEAST[kind]))
    half = unit / 2 + w * 2.0**-21
    share = n / np.arange(1, n)  # log(base) / -log(frequency k)
    least = (-np.log(w + half)[1:] * share).max()
    most = (-np.log(np.maximum(w - half, 1e-31))[1:] * share).min()
    if most > 300:
        return None
    for digits in range(1, 17) if abs(w[0] - 1) <= half[0] and least <= most else ():
        value = float(f"{math.exp((least + most) / 2):.{digits}g}")
        if least <= math.log(value) <= most:
            return Base(value, bool((most - least) * 10.0**digits > 0.2))
    value = float(f"{math.exp(-math.log(w[-1]) * share[-1]):.3g}")  # perhaps they were computed in 16 bits
    is_near = np.allclose(np.log(w), np.arange(n) / n * -math.log(value), rtol=0, atol=0.01)
    return Base(value, True) if is_near else None
