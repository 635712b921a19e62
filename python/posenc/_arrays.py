"""Rows in NumPy arrays: where they are, and threads that share them."""

from __future__ import annotations

import ctypes
import os
import threading
from time import perf_counter_ns
from typing import Any, Callable, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._library import MEMORY, library
from ._plan import DTYPES, Plan, fail, index

#: The work, in nanoseconds, that is worth a thread: to start one takes 0.06 to 0.2 ms, more where all processors are busy.
WORTH_A_THREAD = 500_000
_SAMPLE = 64  # one row in so many shows how long the others will take

_FLOATS = {dtype: name for name, dtype in DTYPES.items() if dtype.kind == "f"}
_BYTE = ctypes.c_char


def named(dtype: str) -> str:
    """A dtype as messages have it."""
    return "uint16, which holds bfloat16" if dtype == "bfloat16" else dtype


def inferred(dtype: npt.DTypeLike | None, out: Any) -> npt.DTypeLike | None:
    """The dtype that was asked for, or that of an array which was given; uint16 is bfloat16 to those only who say so."""
    if dtype is None and isinstance(out, np.ndarray):
        return _FLOATS.get(out.dtype)
    return dtype


def check_array(name: str, array: Any, dtype: str) -> None:
    """Raises unless it is an array of these elements."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} is of type {type(array).__name__}; allowed: a NumPy array")
    if array.dtype is not DTYPES[dtype] and (array.dtype != DTYPES[dtype] or not array.dtype.isnative):
        hint = ", or uint16 with dtype='bfloat16'" if array.dtype == np.uint16 else ""
        raise TypeError(f"{name} has dtype {array.dtype}; allowed: {named(dtype)}{hint}")


def check_writable(name: str, array: npt.NDArray[Any]) -> None:
    flags = array.flags
    if not flags.writeable:
        raise ValueError(f"{name} is read-only")
    if not flags.aligned:
        raise ValueError(f"{name} is not aligned to {array.itemsize} bytes")


def rows_of(name: str, out: Any, shape: tuple[int, ...], dtype: str) -> tuple[int, int]:
    """Address and row stride, in elements, of an output array for rows of this shape."""
    check_array(name, out, dtype)
    if out.shape != shape:
        raise ValueError(f"{name} has shape {out.shape}; allowed: {shape}")
    check_writable(name, out)
    columns, size = shape[-1], out.itemsize
    if out.size == 0:
        return out.ctypes.data, columns
    if out.flags.c_contiguous:
        return ctypes.addressof(_BYTE.from_buffer(out)), columns  # a third of the time that out.ctypes.data takes
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


def in_threads(parts: list[tuple[int, int]], write: Callable[[int, int], int]) -> int:
    """write(first, rows) for all parts, one of them by the calling thread and each of the others by a new one; a status."""
    statuses = [MEMORY] * len(parts)  # what is left where a thread could not even call

    def work(i: int) -> None:
        statuses[i] = write(*parts[i])

    others: list[threading.Thread] = []
    try:
        for i in range(1, len(parts)):
            thread = threading.Thread(target=work, args=(i,), name="posenc")
            try:
                thread.start()
            except RuntimeError:  # the system gives no more of them
                break
            others.append(thread)
        for i in 0, *range(1 + len(others), len(parts)):
            work(i)
    finally:  # the memory is theirs until they are done, whatever happened here
        for thread in others:
            thread.join()
    return max(statuses)


def in_parts(threads: SupportsIndex, count: int, write: Callable[[int, int], int]) -> int:
    """write(first, rows) for all rows, shared by so many threads at most; a status.

    The calling thread writes the first rows and takes the time. The others are shared where they are worth starting threads,
    which their size does not tell: of equal sizes, one kind of table takes ten thousand times as long as another. The library
    is called without the interpreter's lock.
    """
    n = index("threads", threads, 1, 1 << 20)
    if n < 2 or count < 2:
        return write(0, count)
    head = max(1, count // _SAMPLE)
    rest = count - head
    begin = perf_counter_ns()
    status = write(0, head)
    expected = (perf_counter_ns() - begin) * rest // head
    if status:
        return status
    n = min(n, rest, expected // WORTH_A_THREAD)
    if n < 2:
        return write(head, rest)
    n = min(n, 4 * (os.cpu_count() or 1))  # more would only wait
    share = -(-rest // n)
    return in_threads([(i, min(share, count - i)) for i in range(head, count, share)], write)


def run(p: Plan, name: str, threads: SupportsIndex | None, count: int, arguments: Callable[[int, int], tuple[Any, ...]]) -> None:
    """Calls the library's function of this name for all rows; `arguments` are those for rows first .. first + rows - 1.

    All of them are checked before the first is written: by the function itself, where it is called for all rows at once.
    """
    function, whole = getattr(library, name), arguments(0, count)
    if threads is None:
        status = function(p.handle, *whole)
    else:
        status = getattr(library, f"{name}_check")(p.handle, *whole, None, 0)
        if status == 0:
            status = in_parts(threads, count, lambda first, rows: function(p.handle, *arguments(first, rows)))
    if status:
        fail(status, getattr(library, f"{name}_check"), p.handle, *whole)
