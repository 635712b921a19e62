"""Rows: their positions, their arrays, and calls that write them in parts, with one thread or several."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import sys
import threading
import warnings
from time import perf_counter_ns
from typing import Any, Callable, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._library import MEMORY, library
from ._plan import DTYPES, MAX_POSITION, Plan, check, exact_type, index, refuse_mask

#: The least work, in nanoseconds, for which a thread is started. Starting one takes 0.06 to 0.2 ms, and more when all
#: processors are busy.
WORTH_A_THREAD = 500_000
_SAMPLE = 64  # 1 / 64 of the rows is timed, to estimate the time of the others

#: The time of one call of the library, in nanoseconds. Python handles signals, such as Ctrl-C, only between calls, so
#: a large table is written by several calls. Shorter calls would be slower.
PIECE = 50_000_000
#: Values written by the first call, whose time determines the size of the next. The slowest implementations take
#: about 50 ns for a float32 value, so 0.4 s for this call. `exact` may take a microsecond for a value of another dtype.
#: Writing a table by a single call is fastest.
_FIRST_PIECE = {"float32": 1 << 23, "bfloat16": 1 << 16, "float16": 1 << 16, "float64": 1 << 13}

_HUGE_PAGE = 1 << 21
_LARGE = 8 << 20  # from this many bytes on, C writes around the caches if each part knows the size of the whole table

_FLOATS = {dtype: name for name, dtype in DTYPES.items() if dtype.kind == "f"}
Array = npt.NDArray[Any]
Write = Callable[[int, int], int]  # takes (first row, number of rows), returns a status


# ---- positions


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


def address_of(array: Array) -> int:
    """Returns the address of the array's first element."""
    try:
        return ctypes.addressof(_BYTE.from_buffer(array))  # takes a third of the time of array.ctypes.data
    except (TypeError, ValueError, BufferError):  # it is read-only, empty, not contiguous, or of a dtype of ml_dtypes
        return array.ctypes.data


def rows_at(array: Array) -> Rows:
    """Returns the rows of these positions, int64 or float64."""
    fill = library.posenc_fill_at_real if array.dtype.kind == "f" else library.posenc_fill_at
    return Rows(array.shape, address_of(array), array, fill)


def at(positions: npt.ArrayLike) -> Array:
    """Returns positions as int64 or float64, without rounding."""
    refuse_mask("positions", positions)
    array = np.asarray(positions)
    if array.ndim == 0:
        advice = "positions=[...] for one row, or count=... for many"
        raise TypeError(f"positions is {positions!r}, a single value; write {advice}")
    exact = exact_type("positions", array.dtype)
    if array.dtype is not exact:
        if array.dtype.itemsize == 2:
            warn_if_short("positions", array.dtype.name)
        if array.dtype.kind == "u" and array.size and int(array.max()) > MAX_POSITION:  # int64 cannot hold them
            raise ValueError(f"positions go up to {array.max()}; allowed: -2^32 to 2^32")
    array = np.asarray(array, dtype=exact, order="C")
    return array if array.flags.aligned else array.copy()


def check_one(count: Any, positions: Any, first: Any) -> None:
    """Raises an error unless one of `count` and `positions` is given, and `first` only with `count`."""
    if count is not None:
        if positions is not None:
            raise TypeError("count and positions are both given; allowed: one of them")
    elif positions is None:
        advice = "count=... for rows first, first + 1, ..., or positions=..."
        raise TypeError(f"count and positions are None; write {advice}")
    elif first != 0:
        raise ValueError(f"first is {first}; allowed: 0, since positions are given")


def rows(count: SupportsIndex | None, positions: npt.ArrayLike | None, first: SupportsIndex) -> Rows:
    """Returns the positions of the rows. Exactly one of `count` and `positions` must be given."""
    check_one(count, positions, first)
    if count is None:
        return rows_at(at(positions))
    if not isinstance(count, (int, np.generic)) and (hasattr(count, "ndim") or isinstance(count, (list, tuple, range))):
        advice = "positions=... for the rows of these positions, or count=int(...) for the number of rows"
        raise TypeError(f"count is of type {type(count).__name__}; write {advice}")
    n_rows, start = index("count", count, 0, 2 * MAX_POSITION + 1), index("first", first, -MAX_POSITION, MAX_POSITION)
    if start + n_rows - 1 > MAX_POSITION:  # C refuses it too, but only after memory for the rows was allocated
        problem = f"first is {start} and count is {n_rows}, so the last position is beyond 2^32"
        raise ValueError(f"{problem}; allowed: -2^32 to 2^32")
    return Rows((n_rows,), start)


# ---- arrays


def fresh(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Returns a new array with undefined values.

    The library writes new results only into such memory. Memory of PyTorch's functions would not do, because DeepSpeed
    and accelerate replace them and change the dtype or the device.

    NumPy requests huge pages for large arrays. A large array starts 64 bytes after the start of a huge page, or at its
    start if the 64 bytes would need one more page. It owns its last huge page entirely: a partial one would cost a page
    fault for each small page. The 64 bytes match PyTorch, whose large tensors start at that offset. A loop that reads
    one array and writes another is slower if the next load and the last store have the same offset in their pages."""
    size = math.prod(shape) * dtype.itemsize
    if size < _HUGE_PAGE:
        return np.empty(shape, dtype)
    memory = np.empty((size // _HUGE_PAGE + 2) * _HUGE_PAGE, np.uint8)
    start = -memory.ctypes.data % _HUGE_PAGE + min(64, -size % _HUGE_PAGE // 64 * 64)
    return memory[start : start + size].view(dtype).reshape(shape)


def inferred(dtype: npt.DTypeLike | None, array: Any) -> npt.DTypeLike | None:
    """Returns the requested dtype, else the dtype of `array`. A uint16 array means bfloat16 only on request."""
    if dtype is None and isinstance(array, np.ndarray):
        return _FLOATS.get(array.dtype) or (array.dtype if array.dtype.name == "bfloat16" else None)
    return dtype


def elements(name: str, array: Any, dtype: str) -> Array:
    """Returns the array as the library takes it: bfloat16 as uint16. Raises a TypeError if it has another dtype."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} is of type {type(array).__name__}; allowed: a NumPy array")
    refuse_mask(name, array)
    if array.dtype == DTYPES[dtype]:
        return array
    if dtype == array.dtype.name == "bfloat16":  # ml_dtypes.bfloat16, for example
        return array.view(DTYPES[dtype])
    allowed = "uint16, which holds bfloat16" if dtype == "bfloat16" else dtype
    hint = ", or uint16 with dtype='bfloat16'" if array.dtype == np.uint16 else ""
    raise TypeError(f"{name} has dtype {array.dtype}; allowed: {allowed}{hint}")


def rows_of(name: str, out: Any, shape: tuple[int, ...], dtype: str) -> tuple[int, int]:
    """Returns the address of an output array of this shape, and the distance between its rows in elements."""
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
    stride = flat.strides[0]  # in bytes; there are two rows or more, since one row would be contiguous
    least = size * columns
    if stride < least or stride % size:
        raise ValueError(f"{name} has rows {stride} bytes apart; allowed: a multiple of {size}, at least {least}")
    return out.ctypes.data, stride // size


# ---- calls


def in_pieces(first: int, count: int, piece: int, write: Write, stop: threading.Event | None = None) -> int:
    """Calls write(first, rows) until all rows are written, a call fails, or `stop` is set; returns the last status.

    The first call writes `piece` rows. Each later call writes as many as take PIECE nanoseconds at the last call's
    speed.
    """
    end, status = first + count, 0
    while first < end and not status and not (stop and stop.is_set()):
        n_rows = min(piece, end - first)
        begin = perf_counter_ns()
        status = write(first, n_rows)
        piece = max(1, n_rows * PIECE // max(1, perf_counter_ns() - begin))
        first += n_rows
    return status


def in_threads(parts: list[tuple[int, int]], piece: int, write: Write) -> int:
    """Calls `in_pieces` for each part, the first in this thread, the others in new threads; returns a status."""
    statuses = [MEMORY] * len(parts)  # a thread that ends before its first call leaves this status
    stop = threading.Event()

    def work(i: int) -> None:
        statuses[i] = in_pieces(*parts[i], piece, write, stop)

    def wait() -> None:
        for thread in others:
            if thread.is_alive():
                thread.join()

    others = [threading.Thread(target=work, args=(i,), name="posenc") for i in range(1, len(parts))]
    try:
        with contextlib.suppress(RuntimeError):  # the system refuses more threads
            for thread in others:
                thread.start()  # Ctrl-C may arrive here, when the thread runs already
        work(0)
        for i, thread in enumerate(others, 1):
            if thread.ident is None:  # it has not begun
                work(i)
        wait()
    finally:  # after an error threads may still write; a thread that begins now sees `stop` and writes nothing
        stop.set()
        wait()
    return max(statuses)


def in_parts(n: int, count: int, piece: int, write: Write) -> int:
    """Writes all rows by `in_pieces`, with at most n threads; returns a status.

    The calling thread writes the first rows and measures their time, which decides about other threads. The size alone
    could not: one kind of table takes ten thousand times as long as another of the same size. The library is called
    without the interpreter's lock.
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
    n = min(n, rest, expected // WORTH_A_THREAD, 4 * (os.cpu_count() or 1))  # more threads would only wait
    if n < 2:
        return in_pieces(head, rest, piece, write)
    share = -(-rest // n)
    return in_threads([(i, min(share, count - i)) for i in range(head, count, share)], piece, write)


def are_allowed(p: Plan, rows: Rows) -> bool:
    """Whether C allows all positions: it fills a scratch array with the rows of the least and the greatest position."""
    count = math.prod(rows.shape)
    if count == 0:
        return True
    if rows.at is None:
        ends = rows_at(np.array([rows.source, rows.source + count - 1], np.int64))
    else:
        ends = rows_at(np.array([rows.at.min().item(), rows.at.max().item()]))  # NaN if a position is NaN
    unused = np.empty((2, p.d_model), DTYPES[p.dtype])
    return not ends.fill(p.handle, ends.source, 2, address_of(unused), p.d_model)


def run(p: Plan, rows: Rows, arrays: tuple[Array, ...], addresses: tuple[int, ...], stride: int, threads: Any) -> None:
    """Writes all rows to one array, or to an array of cosines and one of sines.

    All positions are checked before the first row is written.
    """
    count, fill = math.prod(rows.shape), rows.fill if len(arrays) == 1 else library.posenc_fill_pair
    if threads is None and count * p.d_model <= _FIRST_PIECE[p.dtype] or not are_allowed(p, rows):
        # C names a wrong position. If another process has changed it in the meantime, C writes the rows.
        check(fill(p.handle, rows.source, count, *addresses, stride))
        return
    n = 1 if threads is None else index("threads", threads, 1, 1 << 20, "; os.cpu_count() is all")
    if count * p.d_model * DTYPES[p.dtype].itemsize >= _LARGE:
        p = p.for_parts(count)
    step = 1 if rows.at is None else 8  # to the next position, or to its address

    def write(first: int, n_rows: int) -> int:
        # It refers to `arrays` and `rows`, and keeps them alive: after a second Ctrl-C, a thread may still write its
        # last rows when `run` has ended.
        offset = first * stride * arrays[0].itemsize
        return fill(p.handle, rows.source + first * step, n_rows, *(to + offset for to in addresses), stride)

    check(in_parts(n, count, max(1, _FIRST_PIECE[p.dtype] // p.d_model), write))
