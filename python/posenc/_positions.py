"""The positions of the rows: consecutive ones from a first position, or any."""

from __future__ import annotations

import ctypes
import sys
import warnings
from typing import Any, Callable, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._library import library
from ._plan import MAX_POSITION, exact_type, index, refuse_mask


class Rows(NamedTuple):
    """The positions of the rows: the elements of `at`, or `source`, `source` + 1, ... if `at` is None."""

    shape: tuple[int, ...]
    source: int  #: the first position, or the address of `at`
    at: Any = None  #: an array or tensor of int64 or float64, contiguous and aligned
    fill: Callable[..., int] = library.posenc_fill  #: the function of the library that reads these positions


_BYTE = ctypes.c_char

#: The number up to which a 16-bit dtype has all integers.
_ALL_INTEGERS = {"bfloat16": 256, "float16": 2048}


def warn(text: str) -> None:
    """Warns at the line that called posenc."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in ("posenc", "torch"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def warn_if_short(name: str, dtype: str) -> None:
    """Warns of positions of a 16-bit dtype, whatever their values are."""
    if most := _ALL_INTEGERS.get(dtype):
        instead = f"pass integers, or float32 that was never {dtype}"
        warn(f"{name} have dtype {dtype}, which rounds integers above {most}; {instead}")


def _has_no_axes(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 0 and not isinstance(value, (list, tuple, range))


def address_of(array: npt.NDArray[Any]) -> int:
    """The address of the array's first element."""
    try:
        return ctypes.addressof(_BYTE.from_buffer(array))  # takes a third of the time of array.ctypes.data
    except (TypeError, ValueError, BufferError):  # it is read-only, empty, not contiguous, or of a dtype of ml_dtypes
        return array.ctypes.data


def rows_at(array: npt.NDArray[Any]) -> Rows:
    """Returns the rows of these positions, int64 or float64."""
    fill = library.posenc_fill_at_real if array.dtype.kind == "f" else library.posenc_fill_at
    return Rows(array.shape, address_of(array), array, fill)


def at(positions: npt.ArrayLike) -> npt.NDArray[Any]:
    """Returns positions as int64 or float64, without rounding."""
    refuse_mask("positions", positions)
    if _has_no_axes(positions):
        what = "positions=[...] for one row, or count=... for many"
        raise TypeError(f"positions is {positions!r}, a single value; write {what}")
    array = np.asarray(positions)
    exact = exact_type("positions", array.dtype)
    if array.dtype is not exact:
        if array.dtype.itemsize == 2:
            warn_if_short("positions", array.dtype.name)
        if array.dtype.kind == "u" and array.size and int(array.max()) > MAX_POSITION:  # int64 cannot hold them
            raise ValueError(f"positions go up to {array.max()}; allowed: -2^32 to 2^32")
    made = np.asarray(array, dtype=exact, order="C")
    return made if made.flags.aligned else made.copy()


def rows(count: SupportsIndex | None, positions: npt.ArrayLike | None, first: SupportsIndex) -> Rows:
    """Returns the positions of the rows. Exactly one of `count` and `positions` must be given."""
    if count is None:
        if positions is None:
            raise TypeError(
                "count and positions are None; write count=... for rows first, first + 1, ..., or positions=..."
            )
        if first != 0:
            raise ValueError(f"first is {first}; allowed: 0, since positions are given")
        return rows_at(at(positions))
    if positions is not None:
        raise TypeError("count and positions are both given; allowed: one of them")
    if not isinstance(count, (int, np.generic)) and (not _has_no_axes(count) or hasattr(count, "ndim")):
        what = "positions=... for the rows of these positions, or count=int(...) for the number of rows"
        raise TypeError(f"count is of type {type(count).__name__}; write {what}")
    number, start = index("count", count, 0, 2 * MAX_POSITION + 1), index("first", first, -MAX_POSITION, MAX_POSITION)
    if start + number - 1 > MAX_POSITION:  # C would say so, but memory for the rows comes first
        last = f"first is {start} and count is {number}, so the last position is beyond 2^32"
        raise ValueError(f"{last}; allowed: -2^32 to 2^32")
    return Rows((number,), start)
