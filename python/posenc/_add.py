"""Embeddings and their positions' rows, in one pass over NumPy arrays."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._arrays import check_writable, elements, fresh, run
from ._library import Strides
from ._plan import MAX_POSITION, Plan, index, plan, real

Array = npt.NDArray[Any]


def sequence_axis(shape: tuple[int, ...], batch_first: bool | None) -> int:
    """Which axis of x has the positions. Never guessed: a wrong one gives wrong sums without a word."""
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


def _batches(array: Array, axis: int) -> Array:
    """Its view as (batch, sequence, d_model)."""
    return array[None] if array.ndim == 2 else np.moveaxis(array, axis, 1)


def _strides(view: Array) -> tuple[int, int] | None:
    """Batch and row stride in elements, None where its rows are not such as the library takes."""
    size, columns = view.itemsize, view.shape[2]
    if columns > 1 and view.strides[2] != size and view.size:
        return None
    strides = []
    for n, stride in zip(view.shape[:2], view.strides[:2]):
        if n < 2 or view.size == 0:  # it is not walked
            stride = size * columns
        if stride < size * columns or stride % size:
            return None
        strides.append(stride // size)
    return strides[0], strides[1]


def _inputs(x: Array, axis: int, out: Array, out_strides: tuple[int, int]) -> tuple[Array, tuple[int, int]]:
    """x as (batch, sequence, d_model) for the library: a copy, where its strides or its place do not allow what they are."""
    view = _batches(x, axis)
    strides = _strides(view) if view.flags.aligned else None
    in_place = view.ctypes.data == out.ctypes.data and strides == out_strides
    if strides is None or not in_place and np.may_share_memory(view, out):
        view = _batches(np.array(x, order="C"), axis)
        strides = _strides(view)
        assert strides is not None
    return view, strides


def _outputs(out: Any, x: Array, axis: int, dtype: str) -> tuple[Array, tuple[int, int]]:
    out = elements("out", out, dtype)
    if out.shape != x.shape:
        raise ValueError(f"out has shape {out.shape}; allowed: that of x, {x.shape}")
    check_writable("out", out)
    view = _batches(out, axis)
    strides = _strides(view)
    if strides is None:
        size, columns = out.itemsize, out.shape[-1]
        raise ValueError(
            f"out has strides {out.strides} bytes; the columns of a row must follow each other, {size} bytes apart, and rows be "
            f"a multiple of {size} bytes apart, at least {size * columns}"
        )
    return view, strides


def _run(
    p: Plan,
    x: Array,
    x_strides: tuple[int, int],
    scale: float,
    out: Array,
    out_strides: tuple[int, int],
    first: int,
    threads: Any,
) -> None:
    batch, count, _ = x.shape
    x_row, out_row = x_strides[1], out_strides[1]
    x_start, out_start = x.ctypes.data, out.ctypes.data

    def arguments(i: int, rows: int) -> tuple[Any, ...]:
        source, target = x_start + i * x_row * x.itemsize, out_start + i * out_row * out.itemsize
        if batch == 1:
            return first + i, rows, source, x_row, scale, target, out_row
        return first + i, rows, batch, source, Strides(*x_strides), scale, target, Strides(*out_strides)

    run(p, "posenc_add" if batch == 1 else "posenc_add_batch", threads, count, arguments, batch)


def add(
    x: Array,
    scale: float = 1.0,
    first: SupportsIndex = 0,
    *,
    batch_first: bool | None = None,
    out: Array | None = None,
    threads: SupportsIndex | None = None,
    **spec: Any,
) -> Array:
    """``scale * x`` and the positions' rows of `table`, in one pass: the bits of ``np.float32(scale) * x + table``.

    Parameters
    ----------
    x
        float32 of shape (sequence, d_model), or (batch, sequence, d_model), or (sequence, batch, d_model); or
        bfloat16: ml_dtypes.bfloat16, or uint16 with dtype="bfloat16". The product and the sum are then each computed
        in float32 and rounded to bfloat16.
    scale
        What x is multiplied by, rounded to float32; the Transformer has ``math.sqrt(d_model)`` here.
    first
        Position of the first row.
    batch_first
        Where x has three axes: True for (batch, sequence, d_model), False for (sequence, batch, d_model).
    out
        Where to write: of x's shape and dtype; x itself, for its sum in place. None: a new array.
    threads
        How many threads share the positions at most; None: one. The values do not depend on it.
    **spec
        What the table is: `preset`, `base`, `layout` and so on, as in `table`. d_model is the last axis of x.

    Raises
    ------
    ValueError, TypeError
        What was wrong, and what is allowed; nothing was written.
    KeyboardInterrupt
        Ctrl-C ends a long call early; some rows of `out` are written then. In place, they are sums and the others are not.
    """
    if not isinstance(x, np.ndarray):
        raise TypeError(f"x is of type {type(x).__name__}; allowed: a NumPy array")
    axis = sequence_axis(x.shape, batch_first)
    if spec.get("dtype") is None and x.itemsize == 2 and x.dtype.name == "bfloat16":  # of ml_dtypes, for example
        spec["dtype"] = x.dtype
    p = plan(x.shape[-1], **spec)
    values = elements("x", x, p.dtype)
    start = index("first", first, -MAX_POSITION, MAX_POSITION)
    factor = real("scale", scale)
    if out is None:
        out = fresh(x.shape, x.dtype)
    outputs, out_strides = _outputs(out, x, axis, p.dtype)
    inputs, x_strides = _inputs(values, axis, outputs, out_strides)
    _run(p, inputs, x_strides, factor, outputs, out_strides, start, threads)
    return out
