"""Tables, grids and timestep embeddings as NumPy arrays."""

from __future__ import annotations

import math
from typing import Any, Sequence, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._arrays import Array, Rows, address_of, elements, fresh, inferred, rows, rows_at, rows_of, run
from ._plan import DTYPES, DtypeName, Layout, Odd, Order, Plan, PresetName, index, numpy_dtype, plan, real


def filled(p: Plan, rows: Rows, dtype: np.dtype[Any], out: Array | None, threads: SupportsIndex | None) -> Array:
    """Writes the rows into `out`, or into a new array of this dtype, and returns it."""
    shape = *rows.shape, p.d_model
    if out is None:
        out = fresh(shape, dtype)
        address, stride = address_of(out), p.d_model
    else:
        address, stride = rows_of("out", out, shape, p.dtype)
        if rows.at is not None and np.may_share_memory(rows.at, out):  # writing would change positions not yet read
            rows = rows_at(rows.at.copy())
    run(p, rows, (out,), (address,), stride, threads)
    return out


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
    """Computes a sinusoidal position table: sines and cosines of ``p * position_scale * w_k`` for each position p.

    By default ``w_k = base**(-2 k / d_model)``, with sines in columns 2k and cosines in columns 2k + 1 (Vaswani et al.,
    2017, section 3.5). With the default `impl`, every value is the nearest one to the real number in the dtype, and has
    the same bits on every machine.

    Parameters
    ----------
    count
        The number of rows, 0 or more, for positions ``first``, ``first + 1``, ... Give either `count` or `positions`.
    d_model
        The number of columns, 1 to 2**20. `out` does not determine it.
    positions
        An array with a position for each row, of any shape except (), in any order. Positions are integers or real
        numbers in [-2**32, 2**32]. A float means exactly the number that it represents. bfloat16 rounds integers above
        256, and float16 those above 2048, so posenc warns of positions with these dtypes: pass integers or float32.
    first
        The position of row 0. Only with `count`.
    preset
        The name of a table that a real system computes; `presets` lists the names. None means "paper". The arguments
        from `base` to `odd` replace fields of the preset if they are not None. Presets never shift positions: `first`
        is the position of row 0 with every preset.
    base, denominator
        Determine the frequencies, ``w_k = base**(-k / denominator)``. Both are above 0, and each w_k is from 2**-1022
        to 2**64. In the paper they are 10000 and d_model / 2.
    freqs
        Frequencies in radians per position, which replace those of base and denominator. ``(d_model + 1) // 2``
        numbers, or ``d_model // 2`` with odd="zero". Each is 0, or from 2**-1022 to 2**64 in magnitude. An integer that
        float64 would round is refused.
    freqs_low
        As many numbers as `freqs`, for frequencies that need more than a float64. Each frequency is the exact sum of
        the two. Each number is at most half a unit in the last place of its element of `freqs`.
    position_scale
        A factor for all positions, from 2**-32 to 2**32 in magnitude. The products must lie in [-2**32, 2**32] too.
    layout
        "interleaved": sine and cosine of the first frequency, then of the second, ... "split": all sines, then all
        cosines.
    order
        "sin_first" or "cos_first".
    odd
        The last column of an odd d_model. "half_pair": one more frequency, with only the first of its two functions.
        "zero": zeros.
    dtype
        "float32", "float64", "float16", "bfloat16", or one of these dtypes of NumPy, ml_dtypes or PyTorch. None means
        the dtype of `out`, or float32 without `out`. NumPy has no bfloat16: the array is then uint16, and holds the
        upper halves of float32 values. With ml_dtypes.bfloat16 it has that dtype.
    impl
        A name from `implementations`. A name without its instruction set, such as "exact" or "anchored", selects the
        version with the widest vectors that this machine can run. None means "exact".

        "anchored" does not guarantee the nearest values in float32 and float64 at integer positions. With d_model 512
        and positions 0 to 2**20 - 1, 0 of 536,870,912 float32 values of the paper's table differ from "exact". With the
        frequencies ``2 pi k / 24``, 8 % of them differ, by at most 8.9e-16. About half of the paper's float64 values
        differ, by at most 3.9e-16. docs/choose.md in the source tree compares the speeds.
    out
        An array to write into, with the shape and dtype of the result. Its rows may be further apart than ``d_model``
        elements, at equal distances.
    threads
        The largest number of threads that share the rows: None means one, and ``os.cpu_count()`` all processors. The
        values do not depend on it. The calling thread writes the first rows and measures their time. It starts other
        threads only if each would have at least half a millisecond of work, several times the cost of a thread.

    Returns
    -------
    An array of shape ``(count, d_model)`` or ``positions.shape + (d_model,)``, or `out` if it was given.

    Raises
    ------
    ValueError, TypeError
        An argument is wrong. The message says what is allowed, and nothing was written.
    MemoryError
        There is not enough memory for the table.
    KeyboardInterrupt
        Ctrl-C ended a long call early. Some rows of `out` have been written.
    """
    dtype = inferred(dtype, out)
    p = plan(
        d_model, preset=preset, dtype=dtype, base=base, denominator=denominator, freqs=freqs,
        freqs_low=freqs_low, position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl,
    )  # fmt: skip
    return filled(p, rows(count, positions, first), numpy_dtype(dtype), out, threads)


def timestep_embedding(
    timesteps: npt.ArrayLike,
    embedding_dim: SupportsIndex,
    flip_sin_to_cos: bool = False,
    downscale_freq_shift: float = 1,
    scale: float = 1,
    max_period: float = 10000,
    *,
    dtype: npt.DTypeLike | None = None,
    impl: str | None = None,
    out: Array | None = None,
    threads: SupportsIndex | None = None,
) -> Array:
    """Computes what ``get_timestep_embedding`` of diffusers computes, with each value rounded once.

    The positional arguments are those of diffusers, in its order. For timestep t, the angles are
    ``t * scale * max_period**(-k / (half - downscale_freq_shift))``, with ``half = embedding_dim // 2`` and
    k = 0 .. half - 1. A row has all sines, then all cosines. If embedding_dim is odd, its last column is zeros.

    The ``timestep_embedding`` of guided-diffusion, GLIDE and DiT is
    ``table(positions=timesteps, d_model=dim, preset="guided_diffusion", base=max_period)``.

    Parameters
    ----------
    timesteps
        An array of integers or real numbers, of any shape except (). 16-bit floats give a warning, as in `table`.
    embedding_dim
        The number of columns, 1 to 2**20. With 2 or 3, the only frequency is 1.
    flip_sin_to_cos
        True puts the cosines before the sines.
    downscale_freq_shift
        A number below ``embedding_dim // 2``.
    scale
        A number that is not 0.
    max_period
        A number above 0. The frequencies rise if it is below 1.
    dtype, impl, out, threads
        As in `table`, and so are the errors.

    Returns
    -------
    An array of shape ``timesteps.shape + (embedding_dim,)``, or `out` if it was given.
    """
    if np.ndim(timesteps) == 0:
        raise TypeError(f"timesteps is a single number; write [{timesteps}]")
    arguments = table_arguments(embedding_dim, flip_sin_to_cos, downscale_freq_shift, scale, max_period)
    return table(positions=timesteps, **arguments, dtype=dtype, impl=impl, out=out, threads=threads)


def table_arguments(embedding_dim: Any, cos_first: bool, shift: Any, scale: Any, max_period: Any) -> dict[str, Any]:
    """Returns the arguments of `table` for those of `timestep_embedding`."""
    half = index("embedding_dim", embedding_dim, 1, 1 << 20) // 2
    denominator = half - real("downscale_freq_shift", shift)
    if half > 1 and not denominator > 0:
        raise ValueError(f"downscale_freq_shift is {shift}; allowed: below embedding_dim // 2, {half}")
    if real("scale", scale) == 0:
        raise ValueError("scale is 0; allowed: a number that is not 0")
    return dict(
        d_model=embedding_dim, preset="diffusers", base=real("max_period", max_period),
        denominator=denominator if half > 1 else None, position_scale=scale,
        order="cos_first" if cos_first else "sin_first",
    )  # fmt: skip


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
        allowed = f"multiples of {2 * axes}, or the columns of each of the {axes} axes"
        raise ValueError(f"d_model is {d_model}; allowed: {allowed}")
    return [2 * width] * axes


def turns_of(axes: Sequence[SupportsIndex] | None, count: int) -> list[int]:
    """Returns the order of the axes in the columns."""
    turns = [*range(count)] if axes is None else [index("axes", axis, 0, count - 1) for axis in axes]
    if sorted(turns) != [*range(count)]:
        raise ValueError(f"axes is {axes}; allowed: each of 0 to {count - 1} once")
    return turns


def _rows_of_axes(shape: Any, positions: Any, first: Any) -> list[Rows]:
    """Returns the rows of each axis."""
    if (shape is None) == (positions is None):
        raise TypeError("exactly one of shape and positions must be given")
    if positions is None:
        if not isinstance(shape, Sequence) or not shape:
            raise TypeError(f"shape is {shape!r}; allowed: a tuple with the number of positions on each axis")
        return [rows(count, None, first) for count in shape]
    of_axes = [rows(None, of_axis, first) for of_axis in positions]
    if not of_axes or any(len(of_axis.shape) != 1 for of_axis in of_axes):
        raise ValueError("positions must be an array of one axis for each axis of the grid")
    return of_axes


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
    rows_of_axes = _rows_of_axes(shape, positions, first)
    widths, turns = widths_of(d_model, len(rows_of_axes)), turns_of(axes, len(rows_of_axes))
    n_tokens = index("class_tokens", class_tokens, 0, 1 << 32)
    dtype = inferred(dtype, out)
    tables = []
    for rows_of_axis, width in zip(rows_of_axes, widths):
        p = plan(
            width, preset=preset, dtype=dtype, base=base, denominator=denominator, freqs=freqs, freqs_low=freqs_low,
            position_scale=position_scale, layout=layout, order=order, impl=impl,
        )  # fmt: skip
        tables.append(filled(p, rows_of_axis, DTYPES[p.dtype], None, None))
    lengths, columns = [len(table) for table in tables], sum(widths)
    size = n_tokens + math.prod(lengths), columns
    if out is None:
        out = fresh(size, numpy_dtype(dtype))
    rows_of("out", out, size, p.dtype)
    values = elements("out", out, p.dtype)
    values[:n_tokens] = 0
    points, end = values[n_tokens:].reshape(*lengths, columns), 0
    for axis in turns:
        start, end = end, end + widths[axis]
        shape_along = [length if i == axis else 1 for i, length in enumerate(lengths)]  # it broadcasts to the others
        points[..., start:end] = tables[axis].reshape(*shape_along, widths[axis])
    return out
