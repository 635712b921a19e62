"""Tables as NumPy arrays."""

from __future__ import annotations

import concurrent.futures
import ctypes
import os
from typing import Any, Callable, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._library import library
from ._plan import Plan, fail, index, plan

FLOAT = 4  # bytes
MAX_POSITION = 1 << 32

Array = npt.NDArray[np.float32]


class Implementation(NamedTuple):
    """One algorithm for one instruction set, as the library describes it."""

    name: str  #: what `impl=` takes
    isa: str  #: "any", "fma", "avx2", "avx512" or "neon"
    arithmetic: str  #: where angle and sine are formed
    summary: str  #: what it computes, in a line
    bound: str  #: of |output - real value|, in symbols
    evidence: str  #: what the bound rests on: "proved", "upstream" or "measured"
    supported: bool  #: whether this machine runs it


def implementations() -> list[Implementation]:
    """All implementations of the library that is loaded, in its order."""
    rows = []
    for i in range(library.posenc_impl_count()):
        row = library.posenc_impl_at(i)
        texts = [getattr(row.contents, name).decode() for name, _ in row.contents._fields_]
        rows.append(Implementation._make([*texts, bool(library.posenc_impl_supported(row))]))
    return rows


class _Table:
    """Memory of posenc_table_create. Arrays made of it keep it alive."""

    __slots__ = ("__array_interface__", "_handle", "_destroy")

    def __init__(self, p: Plan, first: int, count: int) -> None:
        handle = ctypes.c_void_p()
        self._handle: int | None = None
        self._destroy = library.posenc_table_destroy  # modules may be gone when the interpreter ends
        status = library.posenc_table_create(ctypes.byref(handle), p.handle, first, count, 0)
        if status:
            fail(status, library.posenc_table_check, p.handle, first, count, 0)
        self._handle = handle.value
        self.__array_interface__ = {
            "version": 3, "typestr": "<f4", "shape": (count, p.d_model), "data": (handle.value, False),
        }  # fmt: skip

    def __del__(self) -> None:
        if self._handle:
            self._destroy(self._handle)


def _rows_of(out: npt.NDArray[Any], shape: tuple[int, ...]) -> tuple[int, int]:
    """Address and row stride, in elements, of an output array for rows of this shape."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is of type {type(out).__name__}; allowed: a NumPy array")
    if out.dtype != np.float32 or not out.dtype.isnative:
        raise TypeError(f"out has dtype {out.dtype}; allowed: float32")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}; allowed: {shape}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if not out.flags.aligned:
        raise ValueError("out is not aligned to 4 bytes")
    columns = shape[-1]
    if out.flags.c_contiguous or out.size == 0:
        return out.ctypes.data, columns
    if columns > 1 and out.strides[-1] != FLOAT:
        raise ValueError(f"out has strides {out.strides} bytes; the columns of a row must follow each other, 4 bytes apart")
    step = FLOAT * columns  # leading axes must be one walk over rows
    sizes = [(size, stride) for size, stride in zip(shape[:-1], out.strides[:-1]) if size > 1]
    if sizes:
        step = sizes[-1][1]
    rows = 1
    for size, stride in reversed(sizes):
        if stride != step * rows:
            raise ValueError(f"out has strides {out.strides} bytes; its rows must lie at one distance from each other")
        rows *= size
    if step < FLOAT * columns or step % FLOAT:
        raise ValueError(f"out has rows {step} bytes apart; allowed: a multiple of 4, at least {FLOAT * columns}")
    return out.ctypes.data, step // FLOAT


def _in_parts(threads: SupportsIndex | None, count: int, write: Callable[[int, int], int]) -> int:
    """write(first, rows) for all rows, split over threads; a status. The library is called without the interpreter's lock."""
    n = 1 if threads is None else index("threads", threads, 1, 1 << 20)
    n = min(n, count, 4 * (os.cpu_count() or 1))  # more would only wait
    if n < 2:
        return write(0, count)
    share = -(-count // n)
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        parts = [pool.submit(write, i, min(share, count - i)) for i in range(0, count, share)]
    return max(part.result() for part in parts)


def _fill(p: Plan, first: int, count: int, out: npt.NDArray[Any], threads: SupportsIndex | None) -> None:
    address, stride = _rows_of(out, (count, p.d_model))
    arguments = p.handle, first, count, address, stride
    status = library.posenc_fill_check(*arguments, None, 0)  # all of it, before any is written
    if status == 0:
        status = _in_parts(
            threads, count,
            lambda i, rows: library.posenc_fill(p.handle, first + i, rows, address + i * stride * FLOAT, stride),
        )  # fmt: skip
    if status:
        fail(status, library.posenc_fill_check, *arguments)


def _fill_at(p: Plan, positions: npt.NDArray[np.int64], out: npt.NDArray[Any], threads: SupportsIndex | None) -> None:
    address, stride = _rows_of(out, (*positions.shape, p.d_model))
    if np.may_share_memory(positions, out):  # they would change while they are read
        positions = positions.copy()
    at, count = positions.ctypes.data, positions.size
    arguments = p.handle, at, count, address, stride
    status = library.posenc_fill_at_check(*arguments, None, 0)
    if status == 0:
        status = _in_parts(
            threads, count,
            lambda i, rows: library.posenc_fill_at(p.handle, at + 8 * i, rows, address + i * stride * FLOAT, stride),
        )  # fmt: skip
    if status:
        fail(status, library.posenc_fill_at_check, *arguments)


def _positions(positions: Any) -> npt.NDArray[np.int64]:
    array = np.asarray(positions)
    if array.size == 0 and array.dtype == np.float64:  # what NumPy makes of []
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"positions have dtype {array.dtype}; allowed: integers")
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"positions up to {array.max()}; allowed: -2^32 to 2^32")
    return np.ascontiguousarray(array, dtype=np.int64).reshape(array.shape)


def table(
    positions: SupportsIndex | npt.ArrayLike = 5000,
    d_model: SupportsIndex = 512,
    base: float = 10000.0,
    freqs: npt.ArrayLike | None = None,
    first: SupportsIndex = 0,
    impl: str | None = None,
    out: Array | None = None,
    threads: SupportsIndex | None = None,
) -> Array:
    """The sinusoidal position table: ``sin(p w_k)`` in column 2k, ``cos(p w_k)`` in column 2k + 1.

    ``w_k = base**(-2 k / d_model)`` (Vaswani et al., 2017, section 3.5). By default every value is the float32
    nearest to the real number, with the same bits on every machine.

    Parameters
    ----------
    positions
        A count: rows for positions ``first``, ``first + 1``, ...; or an array of integers of any shape and order,
        a row for each. Positions lie in [-2**32, 2**32].
    d_model
        Columns of a row, 1 to 2**20. An odd one ends in a sine.
    base
        Above 1.
    freqs
        ``(d_model + 1) // 2`` frequencies in radians per position, instead of those of `base`.
    first
        Position of row 0, where `positions` is a count.
    impl
        A name from `implementations()`, or one without its instruction set ("exact", "anchored", "sleef"). None: exact.
    out
        Where to write: float32, of the result's shape; its rows may be further apart than ``d_model``, at one distance.
    threads
        How many threads share the rows; None: one. The values do not depend on it. A fresh table for one thread is made by
        `posenc_table_create`, in huge pages where the system gives them; other memory is NumPy's.

    Returns
    -------
    float32, shape ``(count, d_model)`` or ``positions.shape + (d_model,)``; `out` where it was given.

    Raises
    ------
    ValueError, TypeError
        What was wrong, and what is allowed; nothing was written.
    MemoryError
        No memory for the table.
    """
    p = plan(d_model, base, freqs, impl)
    if getattr(positions, "ndim", 0) == 0 and not isinstance(positions, (list, tuple, range)):
        count = _count(positions)
        start = index("first", first, -MAX_POSITION, MAX_POSITION)
        if out is None and threads in (None, 1):
            return np.asarray(_Table(p, start, count))
        if out is None:
            status = library.posenc_table_check(p.handle, start, count, 0, None, 0)
            if status:
                fail(status, library.posenc_table_check, p.handle, start, count, 0)
            out = np.empty((count, p.d_model), np.float32)
        _fill(p, start, count, out, threads)
        return out
    if first != 0:
        raise ValueError(f"first is {first}; allowed: 0, where positions is an array")
    at = _positions(positions)
    if out is None:
        out = np.empty((*at.shape, p.d_model), np.float32)
    _fill_at(p, at, out, threads)
    return out


def _count(positions: Any) -> int:
    try:
        return index("positions", positions, 0, 2 * MAX_POSITION + 1)
    except TypeError:
        raise TypeError(f"positions is {positions!r}; allowed: a count, or an array of integers") from None


def fill_at(
    out: Array,
    positions: npt.ArrayLike,
    base: float = 10000.0,
    freqs: npt.ArrayLike | None = None,
    impl: str | None = None,
    threads: SupportsIndex | None = None,
) -> Array:
    """Writes a row of `table` for each position into `out`, float32 of shape ``positions.shape + (d_model,)``.

    Arguments, errors and result as in `table`; d_model is the last axis of `out`.
    """
    if not isinstance(out, np.ndarray) or out.ndim == 0:
        raise TypeError("out must be a float32 array, a row for each position")
    _fill_at(plan(out.shape[-1], base, freqs, impl), _positions(positions), out, threads)
    return out
