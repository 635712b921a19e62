"""Tables in two, three or more dimensions, where each axis has its own columns."""

from __future__ import annotations

import math
from typing import Sequence, SupportsIndex

import numpy.typing as npt

from ._arrays import elements, fresh, inferred, rows_of
from ._plan import DTYPES, DtypeName, Layout, Order, PresetName, index, numpy_dtype, plan
from ._positions import Rows, rows
from ._table import Array, filled


def widths_of(d_model: SupportsIndex | Sequence[SupportsIndex], axes: int) -> list[int]:
    """Returns the number of columns of each axis."""
    if isinstance(d_model, Sequence):
        if len(d_model) != axes:
            raise ValueError(f"d_model has {len(d_model)} numbers; allowed: one, or one for each of the {axes} axes")
        widths = [index("d_model", width, 2, 1 << 20) for width in d_model]
        if any(width % 2 for width in widths):
            raise ValueError(f"d_model is {d_model}; allowed: even numbers")
        return widths
    width, rest = divmod(index("d_model", d_model, 1, 1 << 20), 2 * axes)
    if rest:
        raise ValueError(
            f"d_model is {d_model}; allowed: multiples of {2 * axes}, or the columns of each of the {axes} axes"
        )
    return [2 * width] * axes


def turns_of(axes: Sequence[SupportsIndex] | None, count: int) -> list[int]:
    """Returns the order of the axes in the columns."""
    turns = [*range(count)] if axes is None else [index("axes", axis, 0, count - 1) for axis in axes]
    if sorted(turns) != [*range(count)]:
        raise ValueError(f"axes is {axes}; allowed: each of 0 to {count - 1} once")
    return turns


def _each(
    shape: Sequence[SupportsIndex] | None, positions: Sequence[npt.ArrayLike] | None, first: SupportsIndex
) -> list[Rows]:
    """Returns the positions of each axis."""
    if (shape is None) == (positions is None):
        raise TypeError("exactly one of shape and positions must be given")
    if positions is None:
        if not isinstance(shape, Sequence) or not shape:
            raise TypeError(f"shape is {shape!r}; allowed: a tuple with the number of positions on each axis")
        return [rows(count, None, first) for count in shape]
    each = [rows(None, at, first) for at in positions]
    if not each or any(len(which.shape) != 1 for which in each):
        raise ValueError("positions must be an array of one axis for each axis of the grid")
    return each


def grid(
    shape: Sequence[SupportsIndex] | None = None,
    d_model: SupportsIndex | Sequence[SupportsIndex] = 512,
    *,
    positions: Sequence[npt.ArrayLike] | None = None,
    first: SupportsIndex = 0,
    axes: Sequence[SupportsIndex] | None = None,
    class_tokens: SupportsIndex = 0,
    preset: PresetName | None = None,
    dtype: DtypeName | npt.DTypeLike | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: npt.ArrayLike | None = None,
    freqs_low: npt.ArrayLike | None = None,
    position_scale: float | None = None,
    layout: Layout | None = None,
    order: Order | None = None,
    impl: str | None = None,
    out: Array | None = None,
) -> Array:
    """Computes a table for the points of a grid, such as the patches of a picture.

    A point's row consists of the rows of its coordinates, side by side. The errors are those of `table`.

    Parameters
    ----------
    shape
        The number of positions on each axis: ``(height, width)``, or ``(frames, height, width)``. The positions are
        ``first``, ``first + 1``, ... Give either `shape` or `positions`.
    d_model
        The number of columns, of which each axis gets an equal and even share. Or a sequence with the number of columns
        of each axis, in the order of `shape`.
    positions
        For each axis of the grid an array of integers or real numbers with one axis, for example scaled coordinates.
        16-bit floats give a warning, as in `table`.
    first
        The first position on each axis. Only with `shape`.
    axes
        The order of the axes in the columns. None means the order of `shape`. ``(1, 0)`` puts the columns of the width
        first.
    class_tokens
        The number of rows of zeros before the points.
    preset, dtype, base, denominator, freqs, freqs_low, position_scale, layout, order, impl
        As in `table`, applied to the columns of each axis.
    out
        An array to write into, with the shape and dtype of the result. Its rows may be further apart, at equal
        distances.

    Returns
    -------
    An array of shape ``(class_tokens + points, d_model)``, or `out` if it was given. The last axis of the grid runs
    fastest.

    >>> posenc.grid((14, 14), 768, axes=(1, 0), layout="split", class_tokens=1)    # MAE, diffusers
    >>> posenc.grid((14, 14), 768, axes=(1, 0), preset="t2t")                      # simple ViT
    >>> posenc.grid((25, 34), 256, first=1)                                        # DETR, not normalized, as (H * W, d)
    >>> posenc.grid((13, 60, 90), (480, 720, 720), axes=(0, 2, 1), layout="split") # diffusers' videos
    """
    each = _each(shape, positions, first)
    widths, turns = widths_of(d_model, len(each)), turns_of(axes, len(each))
    blank = index("class_tokens", class_tokens, 0, 1 << 32)
    dtype = inferred(dtype, out)
    parts = []
    for which, width in zip(each, widths):
        p = plan(
            width, preset=preset, dtype=dtype, base=base, denominator=denominator, freqs=freqs, freqs_low=freqs_low,
            position_scale=position_scale, layout=layout, order=order, impl=impl,
        )  # fmt: skip
        parts.append(filled(p, which, DTYPES[p.dtype], None, None))
    lengths, columns = [len(part) for part in parts], sum(widths)
    size = blank + math.prod(lengths), columns
    if out is None:
        out, _ = fresh(size, numpy_dtype(dtype))
    rows_of("out", out, size, p.dtype)
    values = elements("out", out, p.dtype)
    values[:blank] = 0
    points, end = values[blank:].reshape(*lengths, columns), 0
    for axis in turns:
        start, end = end, end + widths[axis]
        along = [length if i == axis else 1 for i, length in enumerate(lengths)]
        points[..., start:end] = parts[axis].reshape(*along, widths[axis])
    return out
