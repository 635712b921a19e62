"""Tables as NumPy arrays."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._arrays import address_of, fresh, inferred, rows_of, run
from ._library import library
from ._plan import DtypeName, Layout, Odd, Order, Plan, PresetName, fail, numpy_dtype, plan
from ._positions import Rows, rows

Array = npt.NDArray[Any]


def write(p: Plan, which: Rows, out: Array, threads: SupportsIndex | None, is_new: bool = False) -> None:
    """Those rows into an array, which is checked unless it is a new one."""
    address, stride = (
        (address_of(out), p.d_model) if is_new else rows_of("out", out, (*which.shape, p.d_model), p.dtype)
    )
    at = which.at
    if at is None:
        first, count = which.first, which.shape[0]
        run(
            p, library.posenc_fill, threads, count, (first, None, None),
            lambda i, n: (first + i, n, address + i * stride * out.itemsize, stride),
        )  # fmt: skip
        return
    if not is_new and np.may_share_memory(at, out):  # positions would change while they are read
        at = at.copy()
    begin, real = address_of(at), at.dtype.kind == "f"
    run(
        p, library.posenc_fill_at_real if real else library.posenc_fill_at, threads, at.size,
        (0, None, begin) if real else (0, begin, None),
        lambda i, n: (begin + i * at.itemsize, n, address + i * stride * out.itemsize, stride),
    )  # fmt: skip


def new(p: Plan, which: Rows, columns: int, dtype: np.dtype[Any]) -> Array:
    """A new array for those rows; a MemoryError only if they are in range."""
    try:
        return fresh((*which.shape, columns), dtype)
    except MemoryError:
        at = None if which.at is None else address_of(which.at)
        integers = which.at is not None and which.at.dtype.kind == "i"
        status = library.posenc_positions_check(
            p.handle, which.first, math.prod(which.shape), at if integers else None, None if integers else at
        )
        if status:
            fail(status)
        raise


def table(
    count: SupportsIndex | None = None,
    d_model: SupportsIndex = 512,
    *,
    positions: npt.ArrayLike | None = None,
    first: SupportsIndex = 0,
    preset: PresetName | None = None,
    dtype: DtypeName | npt.DTypeLike | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: npt.ArrayLike | None = None,
    freqs_low: npt.ArrayLike | None = None,
    position_scale: float | None = None,
    layout: Layout | None = None,
    order: Order | None = None,
    odd: Odd | None = None,
    impl: str | None = None,
    out: Array | None = None,
    threads: SupportsIndex | None = None,
) -> Array:
    """A sinusoidal position table: sines and cosines of ``p * position_scale * w_k`` for each position p.

    By default ``w_k = base**(-2 k / d_model)``, sines in column 2k and cosines in column 2k + 1 (Vaswani et al., 2017,
    section 3.5). Every value is the float32 nearest to the real number, with the same bits on every machine; but see
    `impl`.

    Parameters
    ----------
    count
        How many rows: those of positions ``first``, ``first + 1``, ...; 0 or more. Either this or `positions` is given.
    d_model
        Columns of a row, 1 to 2**20.
    positions
        An array of any shape but () and in any order: a row for each of its integers or real numbers (what the float
        stands for, exactly), which lie in [-2**32, 2**32].
    first
        Position of row 0, where there is a `count`.
    preset
        The name of what a real system computes; `presets` lists them. None: "paper". All of the following but `dtype`
        and `impl` change a field of it where they are not None. Positions are never shifted: `first` says where to
        begin.
    base, denominator
        ``w_k = base**(-k / denominator)``, both above 0, and each w_k from 2**-1022 to 2**64. The paper's are 10000 and
        d_model / 2.
    freqs
        Frequencies in radians per position, instead of those: ``(d_model + 1) // 2`` numbers, or ``d_model // 2`` with
        odd="zero", each 0 or of a size from 2**-1022 to 2**64.
    freqs_low
        As many numbers that are added to those, exactly, where float64 is not enough: |freqs_low| is at most half a
        unit in the last place of freqs.
    position_scale
        What positions are multiplied by: of a size from 2**-32 to 2**32. The products lie in [-2**32, 2**32] too.
    layout
        "interleaved", or "split": all sines, then all cosines.
    order
        "sin_first" or "cos_first".
    odd
        What an odd d_model has in its last column: "half_pair", one frequency more but only its first function, or
        "zero".
    dtype
        "float32", "float64", "float16" or "bfloat16", or such a dtype of NumPy, ml_dtypes or PyTorch; None: that of `out`, else float32. NumPy has no bfloat16: an array of uint16 then has the
        upper halves of float32, except that ml_dtypes.bfloat16 gives an array of that dtype.
    impl
        A name from `implementations`, or one without its instruction set ("exact", "anchored", "sleef"). None: "exact".
        `implementation` tells the full name.
    out
        Where to write: of the result's shape and dtype; its rows may be further apart than ``d_model``, at one
        distance.
    threads
        How many threads share the rows at most; None: one. The values do not depend on it. The calling thread writes
        the first rows, and starts others only if each has half a millisecond of work or more by what those took, which
        is several times what a thread costs.

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
        d_model, preset=preset, dtype=dtype, base=base, denominator=denominator, freqs=freqs,
        freqs_low=freqs_low, position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl,
    )  # fmt: skip
    which = rows(count, positions, first)
    if is_new := out is None:
        out = new(p, which, p.d_model, numpy_dtype(dtype))
    write(p, which, out, threads, is_new)
    return out


def fill_at(
    out: Array,
    positions: npt.ArrayLike,
    *,
    preset: PresetName | None = None,
    dtype: DtypeName | npt.DTypeLike | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: npt.ArrayLike | None = None,
    freqs_low: npt.ArrayLike | None = None,
    position_scale: float | None = None,
    layout: Layout | None = None,
    order: Order | None = None,
    odd: Odd | None = None,
    impl: str | None = None,
    threads: SupportsIndex | None = None,
) -> Array:
    """Writes a row of `table` for each position into `out`, of shape ``positions.shape + (d_model,)``.

    Arguments, errors and result as in `table`; d_model is the last axis of `out`, whose dtype is the table's: for
    bfloat16, ml_dtypes.bfloat16, or uint16 with dtype="bfloat16".
    """
    if not isinstance(out, np.ndarray) or out.ndim == 0:
        raise TypeError("out must be an array, a row for each position")
    p = plan(
        out.shape[-1], preset=preset, dtype=inferred(dtype, out), base=base, denominator=denominator, freqs=freqs,
        freqs_low=freqs_low, position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl,
    )  # fmt: skip
    write(p, rows(None, positions, 0), out, threads)
    return out
