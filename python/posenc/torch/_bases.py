"""Finds the base of frequencies that were rounded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from ._calls import SHORT


class Base(NamedTuple):
    value: float
    is_about: bool  #: whether the frequencies do not determine the base, and no round number explains them

    def __str__(self) -> str:
        return f"{'about ' * self.is_about}{self.value!r}"


def base_of_frequencies(frequencies: torch.Tensor) -> Base | None:
    """Returns the base such that frequency k is base^(-k / n), for k below n, as far as rounding tells; else None.

    Each frequency was rounded to the narrowest dtype that holds all of them, and allows an interval of bases. The result
    is the number with the fewest digits in all of these intervals. It counts as the base itself if a number with so few
    digits is unlikely to lie there by chance."""
    if frequencies.dim() != 1 or len(frequencies) < 2 or not frequencies.is_floating_point():
        return None
    w, n = frequencies.detach().cpu().double().numpy(), len(frequencies)
    if not (np.isfinite(w).all() and (w > 0).all() and w[-1] < 1):
        return None
    short = (dtype for dtype in SHORT if torch.equal(frequencies, frequencies.to(dtype).to(frequencies.dtype)))
    kind, exponents = torch.finfo(next(short, frequencies.dtype)), -n / np.arange(1, n)
    half = kind.eps / 2 * np.maximum(np.ldexp(1.0, np.frexp(w)[1] - 1), kind.tiny) + w * 2.0**-21
    least, most = ((w + half)[1:] ** exponents).max(), (np.maximum(w - half, 1e-99)[1:] ** exponents).min()
    for digits in range(1, 17) if abs(w[0] - 1) <= half[0] else ():
        value = float(f"{(least + most) / 2:.{digits}g}")
        if least <= value <= most:
            return Base(value, bool((most / least - 1) * 10.0**digits > 0.2))
    value = float(f"{w[-1] ** (-n / (n - 1)):.3g}")  # perhaps they were computed in 16 bits
    return Base(value, True) if np.allclose(w, value ** (-np.arange(n) / n), rtol=0.01) else None
