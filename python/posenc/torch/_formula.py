"""Cosines and sines by operations of PyTorch, on any device, without a table, a custom operator or a value read back.

The C library computes eager calls on the CPU. All other calls, which are traced, transformed or on other devices, use
this formula:

Integer positions. A frequency in turns is F / 2^64 and a rest, where F is an integer. position * F wraps around in
int64, which removes whole turns exactly. The remaining phase, at most half a turn, becomes a float64. A quarter of a
turn, 2^62, is added to the phase of each cosine, which is then a sine.

Real positions. A frequency in turns is the sum of two numbers of 24 bits and a float64. A position is a float32 or the
sum of two. The products of such parts are exact in float64, so removing their whole turns is exact too. Gradients pass
through.

Largest errors for positions up to 2^32 (beyond, the result is NaN):
  float64    2^-50
  float32    2^-50 plus half a unit in the last place; fewer than one value in 10^7 is not correctly rounded
  16 bits    2^-50 plus half a unit in the last place: rounded once
Devices that have no float64: 3e-7 at integer positions, and 7e-7 at real ones, times the largest frequency if that is
above 1.
"""

from __future__ import annotations

import functools
import hashlib
import math
from fractions import Fraction
from typing import Any, Iterable, Tuple

import numpy as np
import torch

from ._calls import is_compiled, is_transformed
from ._tensors import constant

_UNIT = 2 * math.pi / 2**64  # the last bit of a phase, in radians
_QUARTER = 1 << 62
_LOW = (1 << 29) - 1  # the bits by which a float64 is longer than a float32
INTEGER_TERMS, REAL_TERMS = "whole rest quarters unit", "parts whole radians"
Terms = Tuple[Any, ...]  #: tensors of a ladder; None replaces those that a device does not support


def _arctan_of_inverse(n: int, one: int) -> int:
    total, term, k = 0, one // n, 0
    while term:
        total += (-1) ** k * (term // (2 * k + 1))
        term //= n * n
        k += 1
    return total


@functools.lru_cache(maxsize=None)
def _two_pi() -> Fraction:
    """Returns 2 pi to 2^-250, by Machin's formula: pi / 4 = 4 arctan(1/5) - arctan(1/239)."""
    one = 1 << 260
    return Fraction(8 * (4 * _arctan_of_inverse(5, one) - _arctan_of_inverse(239, one)), one)


class Ladder:
    """Frequencies for the formula, as Python numbers. The tensors are a cache for each device."""

    def __init__(self, frequencies: Iterable[Fraction], axes: Iterable[int] | None = None, factor: float = 1) -> None:
        """`frequencies` are in radians per position. `axes` has the index of each one's position, if tokens have
        several positions. `factor` multiplies all values."""
        turns = [w / _two_pi() for w in frequencies]
        whole = [round(t * 2**64) for t in turns]
        first = [float(np.float32(t)) for t in turns]
        second = [float(np.float32(t - Fraction(a))) for t, a in zip(turns, first)]
        third = [float(t - Fraction(a) - Fraction(b)) for t, a, b in zip(turns, first, second)]
        self.numbers: dict[str, tuple[list[Any], str]] = {
            "whole": ([(f + (1 << 63)) % (1 << 64) - (1 << 63) for f in whole], "int64"),
            "rest": ([float((t - Fraction(f, 1 << 64)) * _two_pi()) for t, f in zip(turns, whole)], "float64"),
            "quarters": ([_QUARTER, 0], "int64"),
            "unit": ([_UNIT], "float64"),  # a tensor, since torch.onnx rounds Python's numbers to float32
            "parts": ([first, second, third, [2 * math.pi] * len(turns)], "float64"),
            "radians": ([float(t * _two_pi()) for t in turns], "float32"),
            "axes": ([*(axes or ())], "int64"),
            "factor": ([factor], "float64"),
        }
        self._key = hashlib.sha256(repr(self.numbers).encode()).hexdigest()
        self._kept: dict[tuple[str, torch.device], torch.Tensor] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}

    def tensors(self, names: str, device: torch.device) -> Terms:
        """Returns the tensors of these names on the device, with None for those that it does not support."""
        return self._constants(self._key, names, device)

    def _constants(self, key: str, names: str, device: torch.device) -> Terms:
        """torch.compile calls this when it traces, and the tensors become constants of its graph.

        It guards on the arguments but not on `self`. The key makes it compile again for a module with other numbers. (A
        float would not do: it may become an input of the graph.)"""
        return tuple(self._tensor(name, device) for name in names.split())

    # torch.compiler's decorator sets the same attribute, but imports torch._dynamo.
    _constants._dynamo_marked_constant = True  # type: ignore[attr-defined]

    def _tensor(self, name: str, device: torch.device) -> torch.Tensor | None:
        kept = self._kept.get((name, device))
        if kept is None or is_transformed():
            values, dtype = self.numbers[name]
            if dtype == "float64" and not _has_float64(device):
                return None
            with torch.inference_mode(False):
                kept = constant(values, dtype, device)
            if not is_transformed() and not torch.jit.is_tracing() and device.type != "meta":
                self._kept[name, device] = kept
        return kept


@functools.lru_cache(maxsize=None)
def _has_float64(device: torch.device) -> bool:
    """Whether the device has float64. MPS has not, and some XPU and NPU have not."""
    if device.type in ("cpu", "cuda", "meta"):
        return True
    try:
        constant([1.0], "float64", device).sin()
    except (RuntimeError, TypeError):
        return False
    return True


def of_integers(
    positions: torch.Tensor, terms: Terms, second: tuple[torch.Tensor, Terms] | None, most: int
) -> torch.Tensor:
    """Returns cosines and sines, in this order along a new first axis, in float64.

    `positions` are int64. Their last axis has length 1, or a position for each frequency. `terms` are the ladder's
    INTEGER_TERMS. `second` is a scalar tensor that tells whether to use another ladder, and the terms of that ladder.
    Positions beyond `most` give NaN.
    """
    whole, rest, quarters, unit = terms
    if second is not None:
        is_second, (other_whole, other_rest, *_) = second
        whole = torch.where(is_second, other_whole, whole)
        rest = None if rest is None else torch.where(is_second, other_rest, rest)
    phase = positions * whole + quarters.reshape(2, *[1] * positions.dim())
    inside = positions == positions.clamp(-most, most)  # elsewhere 0: the quotient is infinite, and its sine is NaN
    if rest is None:
        return (phase.to(torch.float32) * _UNIT / inside).sin()
    return (positions * rest / inside).addcmul(phase, unit).sin()


def of_reals(positions: torch.Tensor, terms: Terms, most: float) -> torch.Tensor:
    """Returns cosines and sines as `of_integers`, for floating-point positions, whose last axis has length 1.

    `terms` are the ladder's REAL_TERMS."""
    parts, whole, radians = terms
    inside = positions.abs() <= most
    if parts is None:
        positions = positions.to(torch.float32)
        floor = positions.floor()
        angle = (floor.to(torch.int64) * whole).to(torch.float32) * _UNIT + (positions - floor) * radians
    else:
        first, second, third, unit = parts.unbind()
        # Without clamp, compilers before PyTorch 2.13 skip the rounding to float32.
        head = positions.to(torch.float32).clamp(-most, most).to(torch.float64)
        x, y = _fraction(head * first), _fraction(head * second)
        tail = head * third
        if positions.dtype == torch.float64:
            low = positions - head
            y, tail = _fraction(y + _fraction(low * first)), tail + low * (second + third)
        y = y + tail
        angle = ((x - (x + y).round()) + y) * unit
    angle = angle / inside
    return torch.stack((angle.cos(), angle.sin()))


def _fraction(turns: torch.Tensor) -> torch.Tensor:
    return turns - turns.round()


def rounded(values: torch.Tensor, dtype: torch.dtype, has_gradient: bool) -> torch.Tensor:
    """Returns the values in the dtype, rounded once.

    PyTorch converts float64 to 16 bits by way of float32. The first rounding must not give a tie between two numbers of
    16 bits. So a float64 is cut to the length of a float32, and its last bit is set if the cut removed any bits, which
    keeps it on its side of every tie.

    Compiled code computes a value again for each of its uses, unless it stores the value. as_strided makes it store the
    values, which are half of each row.
    """
    if torch.finfo(dtype).bits == 16 and values.dtype == torch.float64:
        bits = values.detach().view(torch.int64)
        odd = ((bits | ((bits & _LOW) + _LOW)) & ~_LOW).view(torch.float64)
        if has_gradient:  # integers have no gradient; both sums are exact, since the two differ by at most a unit
            near = values.to(torch.float32)
            return (near + (odd.to(torch.float32) - near.detach())).to(dtype)
        if not is_compiled():
            return odd.to(dtype)
        values = odd.to(torch.float32)
    else:
        values = values.to(dtype)
    return values.as_strided(values.shape, values.stride()).to(dtype) if is_compiled() else values
