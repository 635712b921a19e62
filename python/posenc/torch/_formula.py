"""Cosines and sines by operations of PyTorch, on any device, without a table, a custom operator or a value read back.

C gives each frequency in turns, as whole turns, a fraction of a turn in units of 2^-64, and a rest.

Integer positions. position * fraction wraps around in int64, which removes whole turns exactly. The remaining phase, at
most half a turn, becomes a float64. A quarter of a turn, 2^62, is added to the phase of each cosine, which is then a
sine.

Real positions. A frequency in turns is the sum of two numbers of 24 bits and a float64. A position is a float32 or the
sum of two. The products of such parts are exact in float64, so removing their whole turns is exact too. Gradients pass
through.

Largest errors for positions up to 2^32 in magnitude (beyond, the result is NaN), times position_scale too:
  float64    2^-50
  float32    2^-50 plus half a unit in the last place; at integer positions, at most one value in 10^7 is not correctly
             rounded
  16 bits    2^-50 plus half a unit in the last place: rounded once
Real positions give NaN if a frequency times position_scale is above 2^20, which three parts do not represent.
Devices that have no float64: 3e-7 at integer positions, and 7e-7 at real ones, times the largest frequency if that is
above 1.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Tuple

import numpy as np
import torch

from .._plan import Plan
from ._calls import is_compiled, is_transformed
from ._tensors import constant

_UNIT = 2 * math.pi / 2**64  # the last bit of a phase, in radians
_QUARTER = 1 << 62
_LARGEST = 2.0**20  # frequency at real positions
INTEGER_TERMS, REAL_TERMS = "fraction, rest, quarters, unit", "parts, fraction, radians"
FAR_TERMS = {INTEGER_TERMS: "far fraction, far rest", REAL_TERMS: "far parts, far fraction, far radians"}
Terms = Tuple[Any, ...]  #: tensors of these names; None replaces those that a device does not support


def frequency_arrays(p: Plan) -> dict[str, tuple[Any, str]]:
    """Returns the terms of the formula for the frequencies of a plan: the values and the dtype of each."""
    whole, unsigned, rest = p.phases()
    fraction = unsigned.view(np.int64)  # from -1/2 to 1/2 of a turn
    whole = whole + (fraction < 0)
    upper, lower = (fraction >> 32).astype(float) * 2.0**-32, (fraction & 0xFFFFFFFF).astype(float) * 2.0**-64
    first = (whole + (upper + lower)).astype("f4").astype(float)
    left = (whole - first) + upper  # exact, as the next difference is
    second = (left + lower).astype("f4").astype(float)
    third = ((left - second) + lower) + rest
    radians = 2 * math.pi * (((whole + upper) + lower) + rest)
    two_pi = np.where(np.abs(radians) > _LARGEST, math.nan, 2 * math.pi)
    return {
        "fraction": (fraction, "int64"),
        "rest": (2 * math.pi * rest, "float64"),
        "quarters": ([_QUARTER, 0], "int64"),
        "unit": ([_UNIT], "float64"),  # a tensor, since torch.onnx rounds Python's numbers to float32
        "parts": ([first, second, third, two_pi], "float64"),
        "radians": (radians, "float32"),
    }


#: The tensors, for each plan's text and device. A CUDA graph may use a tensor as long as the process lives, so none is
#: dropped, except those that no graph can have. A frequency takes 64 bytes.
_kept: dict[tuple[str, str, torch.device], torch.Tensor] = {}


def kept(text: str, name: str, device: torch.device, made_of: tuple[Any, str]) -> torch.Tensor | None:
    """Returns the tensor with this name of the plan with this text. Makes it if it is not kept."""
    key = text, name, device
    tensor = _kept.get(key)
    if tensor is None or is_transformed():
        values, dtype = made_of
        if dtype == "float64" and not _has_float64(device):
            return None
        with torch.inference_mode(False):
            tensor = constant(values, dtype, device)
        # torch.compile takes the sizes as constants.
        tensor._dynamo_static_indices = {*range(tensor.dim())}  # type: ignore[attr-defined]
        if not is_transformed() and not torch.jit.is_tracing() and device.type != "meta":
            tensor = _kept.setdefault(key, tensor)
    return tensor


def forget(text: str) -> None:
    """Drops the tensors of the plan with this text."""
    for key in [key for key in _kept if key[0] == text]:
        del _kept[key]


@functools.lru_cache(maxsize=None)
def _has_float64(device: torch.device) -> bool:
    """Whether the device has float64. MPS has not, and some XPU and NPU have not."""
    if device.type in ("cpu", "cuda", "meta"):
        return True
    try:
        constant([1.0], "float64", device).sin()
    except torch.cuda.OutOfMemoryError:
        raise
    except (RuntimeError, TypeError):
        return False
    return True


def of_integers(positions: torch.Tensor, terms: Terms, most: int) -> torch.Tensor:
    """Returns cosines and sines, in this order along a new first axis, in float64.

    `positions` are int64, and their last axis has length 1. `terms` are the INTEGER_TERMS. Positions beyond `most` give
    NaN."""
    fraction, rest, quarters, unit = terms
    phase = positions * fraction + quarters.reshape(2, *[1] * positions.dim())
    inside = positions == positions.clamp(-most, most)  # elsewhere 0: the quotient is infinite, and its sine is NaN
    if rest is None:
        return (phase.to(torch.float32) * _UNIT / inside).sin()
    return (positions * rest / inside).addcmul(phase, unit).sin()


def of_reals(positions: torch.Tensor, terms: Terms, most: float) -> torch.Tensor:
    """Returns cosines and sines as `of_integers`, for floating-point positions.

    `terms` are the REAL_TERMS."""
    parts, fraction, radians = terms
    inside = positions.abs() <= most
    if parts is None:
        positions = positions.to(torch.float32)
        floor = positions.floor()
        angle = (floor.to(torch.int64) * fraction).to(torch.float32) * _UNIT + (positions - floor) * radians
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


def rounded(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Returns the values in the dtype, rounded once.

    PyTorch converts float64 to 16 bits by way of float32, which would round twice. So a float64 is first rounded to the
    p bits of the dtype by Veltkamp's splitting: with c = (2^(53-p) + 1) x, these are the bits of c - (c - x). Here c is
    a sum, since a compiler may join a product and a difference in one rounding. Below 2^-14, float16 has equally spaced
    numbers, and a sum with 1.5 * 2^28 rounds to them.

    Compiled code computes a value again for each of its uses, unless it stores the value. as_strided makes it store the
    values, which are half of each row.
    """
    if torch.finfo(dtype).bits == 16 and values.dtype == torch.float64:
        c = torch.add(values, values, alpha=2.0 ** (45 if dtype == torch.bfloat16 else 42))
        short = c - (c - values)
        if dtype == torch.float16:
            spaced = 1.5 * 2.0**28
            short = torch.where(values.abs() < 2.0**-14, (values + spaced) - spaced, short)
        values = short
    if is_compiled():
        values = values.to(torch.promote_types(dtype, torch.float32))
        values = values.as_strided(values.shape, values.stride())
    return values.to(dtype)
