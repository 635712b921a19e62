"""Tables as NumPy arrays."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._arrays import fresh, inferred, rows_of, run
from ._library import library
from ._plan import DTYPES, MAX_POSITION, Plan, fail, index, numpy_dtype, plan

Array = npt.NDArray[Any]


def _fresh(p: Plan, first: int, shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
    """A new array for rows first, first + 1, ...; a MemoryError only if they are in range."""
    try:
        return fresh(shape, dtype)
    except MemoryError:
        status = library.posenc_positions_check(p.handle, first, shape[0], None, None)
        if status:
            fail(status)
        raise


def _fill(p: Plan, first: int, count: int, out: Any, threads: SupportsIndex | None) -> None:
    address, stride = rows_of("out", out, (count, p.d_model), p.dtype)
    run(
        p, "posenc_fill", threads, count, (first, None, None),
        lambda i, rows: (first + i, rows, address + i * stride * out.itemsize, stride),
    )  # fmt: skip


def _fill_at(p: Plan, positions: Array, out: Any, threads: SupportsIndex | None) -> None:
    address, stride = rows_of("out", out, (*positions.shape, p.d_model), p.dtype)
    if np.may_share_memory(positions, out):  # they would change while they are read
        positions = positions.copy()
    at = positions.ctypes.data
    real = positions.dtype.kind == "f"
    run(
        p, "posenc_fill_at_real" if real else "posenc_fill_at", threads, positions.size,
        (0, None, at) if real else (0, at, None),
        lambda i, rows: (at + i * positions.itemsize, rows, address + i * stride * out.itemsize, stride),
    )  # fmt: skip


def _positions(positions: Any) -> Array:
    """Positions as int64 or float64, without a rounding."""
    array = np.asarray(positions)
    if array.dtype.kind not in "iuf" or array.dtype.kind == "f" and array.dtype.itemsize > 8:
        raise TypeError(f"positions have dtype {array.dtype}; allowed: integers, float16, float32 and float64")
    if array.dtype == np.uint64 and array.size and int(array.max()) > MAX_POSITION:  # int64 has no room for them
        raise ValueError(f"positions go up to {array.max()}; allowed: -2^32 to 2^32")
    kind = np.float64 if array.dtype.kind == "f" else np.int64
    return np.ascontiguousarray(array, dtype=kind).reshape(array.shape)


def is_count(positions: Any) -> bool:
    return getattr(positions, "ndim", 0) == 0 and not isinstance(positions, (list, tuple, range))


def count_and_first(
    positions: Any, first: SupportsIndex, allowed: str = "a count, or an array of numbers"
) -> tuple[int, int]:
    if getattr(positions, "ndim", None) == 0 and not isinstance(positions, np.generic):  # a count, or a position?
        what = "int() for a count, or .reshape(1) for one position"
        raise TypeError(f"positions is {positions}, without axes; write {what}")
    try:
        count = index("positions", positions, 0, 2 * MAX_POSITION + 1)
    except TypeError:
        raise TypeError(f"positions is {positions!r}; allowed: {allowed}") from None
    return count, index("first", first, -MAX_POSITION, MAX_POSITION)


def table(
    positions: SupportsIndex | npt.ArrayLike = 5000,
    d_model: SupportsIndex = 512,
    base: float | None = None,
    freqs: npt.ArrayLike | None = None,
    first: SupportsIndex = 0,
    impl: str | None = None,
    out: Array | None = None,
    threads: SupportsIndex | None = None,
    *,
    preset: str | None = None,
    dtype: npt.DTypeLike | None = None,
    layout: str | None = None,
    order: str | None = None,
    odd: str | None = None,
    position_scale: float | None = None,
    denominator: float | None = None,
) -> Array:
    """A sinusoidal position table: sines and cosines of ``p * position_scale * w_k`` for each position p.

    By default ``w_k = base**(-2 k / d_model)``, sines in column 2k and cosines in column 2k + 1 (Vaswani et al., 2017,
    section 3.5). Every value is the float32 nearest to the real number, with the same bits on every machine.

    Parameters
    ----------
    positions
        A count: rows for positions ``first``, ``first + 1``, ...; or an array of any shape and order, a row for each of
        its integers or real numbers (what the float stands for, exactly). Positions lie in [-2**32, 2**32]. An array of
        shape () is refused: it could be meant as either.
    d_model
        Columns of a row, 1 to 2**20.
    preset
        The name of what a real system computes; `presets` lists them. None: "paper". All of the following but `dtype` and
        `impl` change a field of it where they are not None. Positions are never shifted: `first` says where to begin.
    base, denominator
        ``w_k = base**(-k / denominator)``. The paper's are 10000 and d_model / 2.
    freqs
        Frequencies in radians per position, instead of those: ``(d_model + 1) // 2``, or ``d_model // 2`` with odd="zero".
    position_scale
        What positions are multiplied by.
    layout
        "interleaved", or "split": all sines, then all cosines.
    order
        "sin_first" or "cos_first".
    odd
        What an odd d_model has in its last column: "half_pair", one frequency more but only its first function, or "zero".
    dtype
        "float32", "float64", "float16" or "bfloat16", or a NumPy dtype; None: that of `out`, else float32. NumPy has no
        bfloat16: "bfloat16" gives uint16, the upper half of a float32, and ml_dtypes.bfloat16 an array of that dtype.
    first
        Position of row 0, where `positions` is a count.
    impl
        A name from `implementations`, or one without its instruction set ("exact", "anchored", "sleef"). None: exact,
        or float64 for frequencies that exact does not offer.
    out
        Where to write: of the result's shape and dtype; its rows may be further apart than ``d_model``, at one distance.
    threads
        How many threads share the rows at most; None: one. The values do not depend on it. The calling thread writes the first
        rows, and starts others only if each has half a millisecond of work or more by what those took, which is several times
        what a thread costs: by default, tables below some ten MB are written by it alone.

    Returns
    -------
    An array of shape ``(count, d_model)`` or ``positions.shape + (d_model,)``; `out` where it was given.

    Raises
    ------
    ValueError, TypeError
        What was wrong, and what is allowed; nothing was written.
    MemoryError
        No memory for the table.
    KeyboardInterrupt
        Ctrl-C ends a long call early; some rows of `out` are written then.
    """
    dtype = inferred(dtype, out)
    p = plan(
        d_model, base, freqs, impl, preset=preset, dtype=dtype, layout=layout, order=order, odd=odd,
        position_scale=position_scale, denominator=denominator,
    )  # fmt: skip
    if is_count(positions):
        count, start = count_and_first(positions, first)
        if out is None:
            out = _fresh(p, start, (count, p.d_model), numpy_dtype(dtype))
        _fill(p, start, count, out, threads)
        return out
    if first != 0:
        raise ValueError(f"first is {first}; allowed: 0, where positions is an array")
    at = _positions(positions)
    if out is None:
        out = fresh((*at.shape, p.d_model), numpy_dtype(dtype))
    _fill_at(p, at, out, threads)
    return out


def fill_at(
    out: Array,
    positions: npt.ArrayLike,
    base: float | None = None,
    freqs: npt.ArrayLike | None = None,
    impl: str | None = None,
    threads: SupportsIndex | None = None,
    **spec: Any,
) -> Array:
    """Writes a row of `table` for each position into `out`, of shape ``positions.shape + (d_model,)``.

    Arguments, errors and result as in `table`; d_model is the last axis of `out`, whose dtype is the table's: for
    bfloat16, ml_dtypes.bfloat16, or uint16 with dtype="bfloat16".
    """
    if not isinstance(out, np.ndarray) or out.ndim == 0:
        raise TypeError("out must be an array, a row for each position")
    spec["dtype"] = inferred(spec.get("dtype"), out)
    _fill_at(plan(out.shape[-1], base, freqs, impl, **spec), _positions(positions), out, threads)
    return out


def pair(
    positions: SupportsIndex = 5000,
    d_model: SupportsIndex = 512,
    base: float | None = None,
    freqs: npt.ArrayLike | None = None,
    first: SupportsIndex = 0,
    impl: str | None = None,
    out: tuple[Array, Array] | None = None,
    threads: SupportsIndex | None = None,
    **spec: Any,
) -> tuple[Array, Array]:
    """Sines and cosines in two arrays, as caches of rotary embeddings have them.

    ``sines[i, k]`` and ``cosines[i, k]`` are those of ``(first + i) * position_scale * w_k``, of shape ``(positions, n)``, n being
    half of d_model, rounded up unless odd="zero". `positions` is a count; the other arguments and the errors are those of
    `table`, whose layout and order do not matter here. `out` is a pair of arrays, whose rows lie at the same distance.
    """
    if out is not None and not (isinstance(out, (tuple, list)) and len(out) == 2):
        raise TypeError(f"out is of type {type(out).__name__}; allowed: a pair of arrays, for sines and cosines")
    spec["dtype"] = dtype = inferred(spec.get("dtype"), out and out[0])
    p = plan(d_model, base, freqs, impl, **spec)
    count, start = count_and_first(positions, first, "a count")
    shape = count, p.pairs
    if out is None:
        out = _fresh(p, start, shape, numpy_dtype(dtype)), _fresh(p, start, shape, numpy_dtype(dtype))
    sines, stride = rows_of("out[0]", out[0], shape, p.dtype)
    cosines, other = rows_of("out[1]", out[1], shape, p.dtype)
    if stride != other and count > 1:
        distances = f"rows of sines {stride} elements apart, and of cosines {other}"
        raise ValueError(f"out has {distances}; allowed: the same distance")
    if np.shares_memory(*out):
        raise ValueError(
            "out is two arrays with elements in common; allowed: arrays apart, or the halves of one's rows"
        )

    def arguments(i: int, rows: int) -> tuple[int, ...]:
        offset = i * stride * out[0].itemsize
        return start + i, rows, sines + offset, cosines + offset, stride

    run(p, "posenc_fill_pair", threads, count, (start, None, None), arguments)
    return out[0], out[1]
