"""Adds the rows of a table to embeddings, in one pass over NumPy arrays."""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._arrays import check_writable, elements, fresh, run
from ._library import Strides, library
from ._plan import MAX_POSITION, DtypeName, Layout, Odd, Order, Plan, PresetName, index, plan, real

Array = npt.NDArray[Any]


def sequence_axis(shape: tuple[int, ...], batch_first: bool | None) -> int:
    """Returns the axis of x that has the positions. It is never guessed: a wrong axis silently gives wrong sums."""
    if len(shape) == 2:
        return 0
    if len(shape) != 3:
        raise ValueError(
            f"x has shape {shape}; allowed: (sequence, d_model), (batch, sequence, d_model) with batch_first=True, or "
            f"(sequence, batch, d_model) with batch_first=False"
        )
    if not isinstance(batch_first, (bool, np.bool_)):
        raise TypeError(
            f"batch_first is {batch_first!r}; with three axes it must be True, for (batch, sequence, d_model), or False, "
            f"for (sequence, batch, d_model)"
        )
    return 1 if batch_first else 0


class _Batches(NamedTuple):
    """An array as the library takes it: a view of shape (batch, sequence, d_model), and strides in elements."""

    view: Array
    batch: int
    row: int

    def at(self, i: int) -> int:
        """The address of row i in the first element of the batch."""
        return self.view.ctypes.data + i * self.row * self.view.itemsize

    def strides(self) -> Strides:
        return Strides(self.batch, self.row)


def _batches(array: Array, axis: int) -> _Batches | None:
    """Returns the array as the library takes it, or None if its strides do not allow that."""
    view = array[None] if array.ndim == 2 else np.moveaxis(array, axis, 1)
    size, columns = view.itemsize, view.shape[2]
    if columns > 1 and view.strides[2] != size and view.size:
        return None
    strides = []
    for n, stride in zip(view.shape[:2], view.strides[:2]):
        if n < 2 or view.size == 0:  # the stride is not used
            stride = size * columns
        if stride < size * columns or stride % size:
            return None
        strides.append(stride // size)
    return _Batches(view, *strides)


def _inputs(x: Array, axis: int, out: _Batches) -> _Batches:
    """Returns x for the library, copied if its strides, alignment or overlap with `out` require it."""
    found = _batches(x, axis) if x.flags.aligned else None
    if found and (found.at(0) == out.at(0) and found[1:] == out[1:] or not np.may_share_memory(x, out.view)):
        return found
    copied = _batches(np.array(x, order="C"), axis)
    assert copied is not None
    return copied


def _outputs(out: Any, x: Array, axis: int, dtype: str) -> _Batches:
    out = elements("out", out, dtype)
    if out.shape != x.shape:
        raise ValueError(f"out has shape {out.shape}; allowed: that of x, {x.shape}")
    check_writable("out", out)
    found = _batches(out, axis)
    if found is None:
        size, columns = out.itemsize, out.shape[-1]
        raise ValueError(
            f"out has strides {out.strides} bytes; the columns of a row must follow each other, {size} bytes apart, and rows be "
            f"a multiple of {size} bytes apart, at least {size * columns}"
        )
    batch, count, columns = found.view.shape
    rows_inside = batch == 1 or (count - 1) * found.row + columns <= found.batch
    batch_inside = count == 1 or (batch - 1) * found.batch + columns <= found.row
    if out.size and not rows_inside and not batch_inside:
        raise ValueError(f"out has strides {out.strides} bytes; allowed: rows that do not overlap")
    return found


def _run(p: Plan, x: _Batches, scale: float, out: _Batches, first: int, threads: Any) -> None:
    batch, count, _ = x.view.shape

    def arguments(i: int, rows: int) -> tuple[Any, ...]:
        if batch == 1:
            return first + i, rows, x.at(i), x.row, scale, out.at(i), out.row
        return first + i, rows, batch, x.at(i), x.strides(), scale, out.at(i), out.strides()

    run(
        p,
        library.posenc_add if batch == 1 else library.posenc_add_batch,
        threads,
        count,
        (first, None, None),
        arguments,
        batch,
    )


def add(
    x: Array,
    scale: float = 1.0,
    first: SupportsIndex = 0,
    *,
    batch_first: bool | None = None,
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
    """Computes ``scale * x + table`` in one pass, where each position's row of `table` is added to its embedding.

    The result has the bits of ``np.float32(scale) * x + table``.

    Parameters
    ----------
    x
        Embeddings of shape (sequence, d_model), (batch, sequence, d_model) or (sequence, batch, d_model), in float32 or
        bfloat16. For bfloat16, x is an array of ml_dtypes.bfloat16, or of uint16 with dtype="bfloat16"; the product and
        the sum are then each computed in float32 and rounded to bfloat16.
    scale
        The factor of x, rounded to float32. The Transformer uses ``math.sqrt(d_model)``.
    first
        The position of the first row.
    batch_first
        Required if x has three axes: True for (batch, sequence, d_model), False for (sequence, batch, d_model).
    out
        An array to write into, with the shape and dtype of x. It may be x itself. None means a new array.
    threads
        The largest number of threads that share the positions. None means one. The values do not depend on it.
    preset, dtype, base, denominator, freqs, freqs_low, position_scale, layout, order, odd, impl
        The table, as in `table`. d_model is the last axis of x.

    Returns
    -------
    An array with the shape and dtype of x, or `out` if it was given.

    Raises
    ------
    ValueError, TypeError
        An argument is wrong. The message says what is allowed, and nothing was written.
    KeyboardInterrupt
        Ctrl-C ended a long call early. Some rows of `out` have been written. If `out` is x, these rows are sums, and
        the others are still embeddings.
    """
    if not isinstance(x, np.ndarray):
        raise TypeError(f"x is of type {type(x).__name__}; allowed: a NumPy array")
    axis = sequence_axis(x.shape, batch_first)
    if dtype is None and x.itemsize == 2 and x.dtype.name == "bfloat16":  # ml_dtypes.bfloat16, for example
        dtype = x.dtype
    p = plan(
        x.shape[-1], preset=preset, dtype=dtype, base=base, denominator=denominator, freqs=freqs,
        freqs_low=freqs_low, position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl,
    )  # fmt: skip
    values = elements("x", x, p.dtype)
    start = index("first", first, -MAX_POSITION, MAX_POSITION)
    factor = real("scale", scale)
    if out is None:
        out, _ = fresh(x.shape, x.dtype)
    outputs = _outputs(out, x, axis, p.dtype)
    _run(p, _inputs(values, axis, outputs), factor, outputs, start, threads)
    return out
