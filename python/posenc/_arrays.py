"""Rows in NumPy arrays: where they are, and threads that share them."""

from __future__ import annotations

import concurrent.futures
import os
from typing import Any, Callable, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._library import library
from ._plan import DTYPES, Plan, fail, index


def named(dtype: str) -> str:
    """A dtype as messages have it."""
    return "uint16, which holds bfloat16" if dtype == "bfloat16" else dtype


def inferred(dtype: npt.DTypeLike | None, out: Any) -> npt.DTypeLike | None:
    """The dtype that was asked for, or that of an array which was given; uint16 is bfloat16 to those only who say so."""
    if dtype is None and isinstance(out, np.ndarray) and out.dtype.kind == "f" and out.dtype in DTYPES.values():
        return out.dtype.name
    return dtype


def check_array(name: str, array: Any, dtype: str) -> None:
    """Raises unless it is an array of these elements."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} is of type {type(array).__name__}; allowed: a NumPy array")
    if array.dtype != DTYPES[dtype] or not array.dtype.isnative:
        hint = ", or uint16 with dtype='bfloat16'" if array.dtype == np.uint16 else ""
        raise TypeError(f"{name} has dtype {array.dtype}; allowed: {named(dtype)}{hint}")


def check_writable(name: str, array: npt.NDArray[Any]) -> None:
    if not array.flags.writeable:
        raise ValueError(f"{name} is read-only")
    if not array.flags.aligned:
        raise ValueError(f"{name} is not aligned to {array.itemsize} bytes")


def rows_of(name: str, out: Any, shape: tuple[int, ...], dtype: str) -> tuple[int, int]:
    """Address and row stride, in elements, of an output array for rows of this shape."""
    check_array(name, out, dtype)
    if out.shape != shape:
        raise ValueError(f"{name} has shape {out.shape}; allowed: {shape}")
    check_writable(name, out)
    columns, size = shape[-1], out.itemsize
    if out.flags.c_contiguous or out.size == 0:
        return out.ctypes.data, columns
    if columns > 1 and out.strides[-1] != size:
        raise ValueError(
            f"{name} has strides {out.strides} bytes; the columns of a row must follow each other, {size} bytes apart"
        )
    step = size * columns  # leading axes must be one walk over rows
    sizes = [(n, stride) for n, stride in zip(shape[:-1], out.strides[:-1]) if n > 1]
    if sizes:
        step = sizes[-1][1]
    rows = 1
    for n, stride in reversed(sizes):
        if stride != step * rows:
            raise ValueError(f"{name} has strides {out.strides} bytes; its rows must lie at one distance from each other")
        rows *= n
    if step < size * columns or step % size:
        raise ValueError(f"{name} has rows {step} bytes apart; allowed: a multiple of {size}, at least {size * columns}")
    return out.ctypes.data, step // size


def in_parts(threads: SupportsIndex | None, count: int, write: Callable[[int, int], int]) -> int:
    """write(first, rows) for all rows, split over threads; a status. The library is called without the interpreter's lock."""
    n = 1 if threads is None else index("threads", threads, 1, 1 << 20)
    n = min(n, count, 4 * (os.cpu_count() or 1))  # more would only wait
    if n < 2:
        return write(0, count)
    share = -(-count // n)
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        parts = [pool.submit(write, i, min(share, count - i)) for i in range(0, count, share)]
    return max(part.result() for part in parts)


def run(p: Plan, name: str, threads: SupportsIndex | None, count: int, arguments: Callable[[int, int], tuple[Any, ...]]) -> None:
    """Calls the library's function of this name for all rows; `arguments` are those for rows first .. first + rows - 1.

    All of them are checked before the first is written.
    """
    check, whole = getattr(library, f"{name}_check"), arguments(0, count)
    status = check(p.handle, *whole, None, 0)
    if status == 0:
        function = getattr(library, name)
        status = in_parts(threads, count, lambda first, rows: function(p.handle, *arguments(first, rows)))
    if status:
        fail(status, check, p.handle, *whole)
