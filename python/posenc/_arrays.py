"""Rows in NumPy arrays: their addresses, and calls that write them in parts, with one thread or several."""

from __future__ import annotations

import math
import os
import threading
from time import perf_counter_ns
from typing import Any, Callable, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._library import MEMORY, library
from ._plan import DTYPES, Plan, fail, index, refuse_mask
from ._positions import Rows, address_of, rows_at

#: The least work, in nanoseconds, for which a thread is started. Starting one takes 0.06 to 0.2 ms, and more when all
#: processors are busy.
WORTH_A_THREAD = 500_000
_SAMPLE = 64  # 1 / 64 of the rows is timed, to estimate the time of the others

#: The time of one call of the library, in nanoseconds. Python handles signals, such as Ctrl-C, only between calls, so
#: a large table is written by several calls. Shorter calls would be slower.
PIECE = 50_000_000
#: Values written by the first call, whose time determines the size of the next. The slowest implementations take
#: about 50 ns for a float32 value, 0.4 s for all; exact may take a microsecond for a value of another dtype. A table of
#: one call is the fastest.
_FIRST_PIECE = {"float32": 1 << 23, "bfloat16": 1 << 16, "float16": 1 << 16, "float64": 1 << 13}

_HUGE_PAGE = 1 << 21
_LARGE = 8 << 20  # bytes from which C writes a table around the caches, if its parts know the size of the whole table

_FLOATS = {dtype: name for name, dtype in DTYPES.items() if dtype.kind == "f"}
Write = Callable[[int, int], int]  # takes (first, rows), returns a status


def fresh(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], int]:
    """Returns a new array with undefined values, and its address.

    The library writes new results only into such memory. Memory of PyTorch's functions would not do, because DeepSpeed
    and accelerate replace them and change the dtype or the device.

    NumPy requests huge pages for large arrays. A large array starts 64 bytes after the start of a huge page, or at its
    start if the 64 bytes would need one more page. It owns its last huge page entirely: a partial one would cost a page
    fault for each small page. The 64 bytes match PyTorch, whose large tensors start at that offset. A loop that reads
    one array and writes another is slower if the next load and the last store have the same offset in their pages."""
    size = math.prod(shape) * dtype.itemsize
    if size < _HUGE_PAGE:
        array = np.empty(shape, dtype)
        return array, address_of(array)
    memory = np.empty((size // _HUGE_PAGE + 2) * _HUGE_PAGE, np.uint8)
    start = -memory.ctypes.data % _HUGE_PAGE + min(64, -size % _HUGE_PAGE // 64 * 64)
    array = memory[start : start + size].view(dtype).reshape(shape)
    return array, address_of(array)


def inferred(dtype: npt.DTypeLike | None, array: Any) -> npt.DTypeLike | None:
    """Returns the requested dtype, else the dtype of `array`. A uint16 array means bfloat16 only on request."""
    if dtype is None and isinstance(array, np.ndarray):
        return _FLOATS.get(array.dtype) or (array.dtype if array.dtype.name == "bfloat16" else None)
    return dtype


def elements(name: str, array: Any, dtype: str) -> npt.NDArray[Any]:
    """Returns the array as the library takes it: bfloat16 as uint16. Raises a TypeError if it has another dtype."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} is of type {type(array).__name__}; allowed: a NumPy array")
    refuse_mask(name, array)
    if array.dtype is DTYPES[dtype] or array.dtype == DTYPES[dtype] and array.dtype.isnative:
        return array
    if dtype == array.dtype.name == "bfloat16":  # ml_dtypes.bfloat16, for example
        return array.view(DTYPES[dtype])
    allowed = "uint16, which holds bfloat16" if dtype == "bfloat16" else dtype
    hint = ", or uint16 with dtype='bfloat16'" if array.dtype == np.uint16 else ""
    raise TypeError(f"{name} has dtype {array.dtype}; allowed: {allowed}{hint}")


def rows_of(name: str, out: Any, shape: tuple[int, ...], dtype: str) -> tuple[int, int]:
    """Returns the address and the row stride, in elements, of an output array for rows of this shape."""
    out = elements(name, out, dtype)
    if out.shape != shape:
        hint = "; d_model determines the last axis" if out.shape[:-1] == shape[:-1] else ""
        raise ValueError(f"{name} has shape {out.shape}; allowed: {shape}{hint}")
    if not out.flags.writeable:
        raise ValueError(f"{name} is read-only")
    if not out.flags.aligned:
        raise ValueError(f"{name} is not aligned to {out.itemsize} bytes")
    columns, size = shape[-1], out.itemsize
    if out.size == 0 or out.flags.c_contiguous:
        return address_of(out), columns
    if columns > 1 and out.strides[-1] != size:
        raise ValueError(
            f"{name} has strides {out.strides} bytes; the columns of a row must follow each other, {size} bytes apart"
        )
    flat = out.reshape(-1, columns)
    if not np.may_share_memory(flat, out):  # NumPy had to copy
        raise ValueError(f"{name} has strides {out.strides} bytes; its rows must be at equal distances")
    step = flat.strides[0] if len(flat) > 1 else size * columns
    if step < size * columns or step % size:
        raise ValueError(
            f"{name} has rows {step} bytes apart; allowed: a multiple of {size}, at least {size * columns}"
        )
    return out.ctypes.data, step // size


def in_pieces(first: int, count: int, piece: int, write: Write, stop: threading.Event | None = None) -> int:
    """Calls write(first, rows) until all rows are written, a call fails, or `stop` is set; returns the last status.

    The first call writes `piece` rows. Each later call writes as many as take PIECE nanoseconds at the last call's
    speed.
    """
    end, status = first + count, 0
    while first < end and not status and not (stop and stop.is_set()):
        rows = min(piece, end - first)
        begin = perf_counter_ns()
        status = write(first, rows)
        piece = max(1, rows * PIECE // max(1, perf_counter_ns() - begin))
        first += rows
    return status


def in_threads(parts: list[tuple[int, int]], piece: int, write: Write) -> int:
    """Calls `in_pieces` for each part, the first in this thread, the others in new threads; returns a status."""
    statuses = [MEMORY] * len(parts)  # stays if a thread cannot even make its call
    stop = threading.Event()

    def work(i: int) -> None:
        statuses[i] = in_pieces(*parts[i], piece, write, stop)

    others: list[threading.Thread] = []
    try:
        for i in range(1, len(parts)):
            others.append(threading.Thread(target=work, args=(i,), name="posenc"))
            try:
                others[-1].start()  # Ctrl-C may arrive after the thread has begun
            except RuntimeError:  # the system refuses more threads
                others.pop()
                break
        for i in 0, *range(1 + len(others), len(parts)):
            work(i)
        for thread in others:
            thread.join()
    finally:  # after any error the threads may still write; one that has not begun sees `stop` and writes nothing
        stop.set()
        for thread in others:
            if thread.is_alive():
                thread.join()
    return max(statuses)


def in_parts(n: int, count: int, piece: int, write: Write) -> int:
    """Writes all rows by `in_pieces`, with at most n threads; returns a status.

    The calling thread writes the first rows and measures the time. The size does not tell whether the rest is worth
    starting threads: at the same size, one kind of table takes ten thousand times as long as another. The library is
    called without the interpreter's lock.
    """
    if n < 2 or count < 2:
        return in_pieces(0, count, piece, write)
    head = max(1, count // _SAMPLE)
    rest = count - head
    begin = perf_counter_ns()
    status = in_pieces(0, head, piece, write)
    expected = (perf_counter_ns() - begin) * rest // head
    if status:
        return status
    n = min(n, rest, expected // WORTH_A_THREAD)
    if n < 2:
        return in_pieces(head, rest, piece, write)
    n = min(n, 4 * (os.cpu_count() or 1))  # more threads would only wait
    share = -(-rest // n)
    return in_threads([(i, min(share, count - i)) for i in range(head, count, share)], piece, write)


def are_allowed(p: Plan, which: Rows) -> bool:
    """Whether C allows the least and the greatest position, and with them all others. It writes their rows elsewhere."""
    count, at = math.prod(which.shape), which.at
    if count == 0:
        return True
    if at is None:
        ends = rows_at(np.array([which.source, which.source + count - 1], np.int64))
    else:
        ends = rows_at(np.array([at.min().item(), at.max().item()]))  # NaN if a position is NaN
    rows = np.empty((2, p.d_model), DTYPES[p.dtype])
    return not ends.fill(p.handle, ends.source, 2, address_of(rows), p.d_model)


def run(
    p: Plan,
    which: Rows,
    arrays: tuple[npt.NDArray[Any], ...],
    addresses: tuple[int, ...],
    stride: int,
    threads: SupportsIndex | None,
) -> None:
    """Writes all rows to one array, or to an array of cosines and one of sines.

    All positions are checked before the first row is written.
    """
    count, fill = math.prod(which.shape), which.fill if len(arrays) == 1 else library.posenc_fill_pair
    if threads is None and count * p.d_model <= _FIRST_PIECE[p.dtype]:
        status = fill(p.handle, which.source, count, *addresses, stride)
    else:
        # A call for no row checks everything that does not depend on the rows.
        status = fill(p.handle, which.source, 0, *addresses, stride)
        if status == 0 and not are_allowed(p, which):
            # C names the first wrong position. If another process has changed it in the meantime, C writes the rows.
            status = fill(p.handle, which.source, count, *addresses, stride)
        elif status == 0:
            n = 1 if threads is None else index("threads", threads, 1, 1 << 20, "; os.cpu_count() is all")
            if count * p.d_model * DTYPES[p.dtype].itemsize >= _LARGE:
                p = p.for_parts(count)
            step = 1 if which.at is None else 8

            def write(i: int, rows: int) -> int:
                # It refers to `arrays` and `which`, and keeps them alive: after a second Ctrl-C, a thread may still
                # write its last rows when `run` has ended.
                offset = i * stride * arrays[0].itemsize
                return fill(p.handle, which.source + i * step, rows, *(to + offset for to in addresses), stride)

            status = in_parts(n, count, max(1, _FIRST_PIECE[p.dtype] // p.d_model), write)
    if status:
        fail(status)
