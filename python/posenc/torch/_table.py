"""The functions of posenc with PyTorch tensors: table, grid, timestep_embedding, pair and cis."""

from __future__ import annotations

from typing import Any, Sequence, SupportsIndex

import torch
from torch.nn import functional

from .. import _arrays, _pair, _table
from .._plan import DTYPES, DtypeName, Duplicated, Layout, Odd, Order, PresetName, index, name_of, plan
from .._table import table_arguments
from ._calls import joined
from ._rows import constant_number, cos_sin, device_of, is_by_c, positions_of, refuse, rows, spec_of
from ._tensors import TORCH_DTYPES, as_array, as_tensor, check_positions, dtype_of, target


def table(
    count: SupportsIndex | None = None,
    d_model: SupportsIndex = 512,
    *,
    positions: Any = None,
    first: SupportsIndex = 0,
    preset: PresetName | None = None,
    dtype: torch.dtype | DtypeName | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: Any = None,
    freqs_low: Any = None,
    position_scale: float | None = None,
    layout: Layout | None = None,
    order: Order | None = None,
    odd: Odd | None = None,
    impl: str | None = None,
    device: torch.device | str | None = None,
    out: torch.Tensor | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """Computes a sinusoidal position table as a tensor: `posenc.table` with PyTorch.

    Arguments and errors are those of `posenc.table`, except for:

    Parameters
    ----------
    positions
        May be a dense tensor of integers or floats, of any shape except (), such as the timesteps of diffusion. A real
        tensor may require a gradient.
    freqs, freqs_low
        May be tensors in eager calls; they get no gradient.
    dtype
        torch.float32, float64, bfloat16 or float16. None means the dtype of `out`, or float32 without `out`.
    device
        The device of the table. None means the device of `positions` if it is a tensor, else PyTorch's default. A table
        on the CPU is not copied.
    out
        A tensor on the CPU to write into.
    impl, out, threads
        Only for calls that C computes.

    Notes
    -----
    All functions of posenc.torch may be called in code that is compiled, exported, traced or transformed, with tensors
    on any device. C computes eager calls on the CPU without gradients, and large calls that are compiled for the CPU. It
    rounds each value once from the real number. Operations of PyTorch compute all other calls, on the device of
    `positions`. Their largest errors are:

    - float32: 2^-50 plus half a unit in the last place. At integer positions, at most one value in 10^7 is not
      correctly rounded.
    - float64: 2^-50.
    - float16 and bfloat16: rounded once, from a value within 2^-50.
    - On devices that have no float64: 3e-7 at integer positions. At real positions 7e-7 times the largest frequency, or
      7e-7 if that is below 1.

    Operations of PyTorch give NaN for positions that C refuses, such as those beyond 2^32. At real positions, they also
    give NaN if a frequency times position_scale is above 2^20. In compiled code, `freqs` must be a list of numbers.
    """
    name, where = dtype_of(dtype, out), device_of(device, positions)
    arguments: dict[str, Any] = dict(
        preset=preset, base=base, denominator=denominator, freqs=as_array("freqs", freqs),
        freqs_low=as_array("freqs_low", freqs_low), position_scale=position_scale, layout=layout, order=order, odd=odd,
    )  # fmt: skip
    if not is_by_c(count, positions, first):
        refuse(impl=impl, out=out, threads=threads)
        at = positions_of(count, positions, first, where)
        return rows(at, spec_of(d_model, **arguments), TORCH_DTYPES[name]).to(where)
    p = plan(d_model, dtype=name, impl=impl, **arguments)
    which = _arrays.rows(count, as_array("positions", positions), first)
    array = _table.filled(p, which, DTYPES[name], None if out is None else target("out", out), threads)
    return as_tensor(array, name, where) if out is None else out


def grid(
    shape: Sequence[SupportsIndex] | None = None,
    d_model: SupportsIndex | Sequence[SupportsIndex] = 512,
    *,
    positions: Sequence[Any] | None = None,
    first: SupportsIndex = 0,
    axes: Sequence[SupportsIndex] | None = None,
    class_tokens: SupportsIndex = 0,
    preset: PresetName | None = None,
    dtype: torch.dtype | DtypeName | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: Any = None,
    freqs_low: Any = None,
    position_scale: float | None = None,
    layout: Layout | None = None,
    order: Order | None = None,
    device: torch.device | str | None = None,
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes a table for the points of a grid as a tensor: `posenc.grid` with PyTorch.

    Returns a tensor of shape ``(class_tokens + points, d_model)``. `dtype`, `device` and `out` are as in `table`. The
    other arguments and the errors are those of `posenc.grid`.
    """
    name, where = dtype_of(dtype, out), device_of(device, positions and positions[0])
    counts = [None] * len(positions) if positions else shape or ()
    places = positions or [None] * len(counts)
    arguments: dict[str, Any] = dict(
        preset=preset, base=base, denominator=denominator, freqs=as_array("freqs", freqs),
        freqs_low=as_array("freqs_low", freqs_low), position_scale=position_scale, layout=layout, order=order,
    )  # fmt: skip
    if not all(is_by_c(count, at, first) for count, at in zip(counts, places)):
        refuse(out=out)
        if shape is not None and positions is not None:
            raise TypeError("exactly one of shape and positions must be given")
        blank = index("class_tokens", class_tokens, 0, 1 << 32)
        each = [positions_of(count, at, first, where) for count, at in zip(counts, places)]
        widths = _table.widths_of(d_model, len(each))
        lengths = [at.shape[0] for at in each]
        parts = []
        for axis in _table.turns_of(axes, len(each)):
            part = rows(each[axis], spec_of(widths[axis], **arguments), TORCH_DTYPES[name])
            along = [length if i == axis else 1 for i, length in enumerate(lengths)]
            parts.append(part.reshape(*along, widths[axis]).expand(*lengths, widths[axis]))
        points = joined(torch.cat, parts, -1).flatten(0, -2)
        return functional.pad(points, (0, 0, blank, 0)).to(where)
    array = _table.grid(
        shape, d_model, positions=positions and [as_array("positions", at) for at in positions], first=first, axes=axes,
        class_tokens=class_tokens, dtype=name, **arguments, out=None if out is None else target("out", out),
    )  # fmt: skip
    return as_tensor(array, name, where) if out is None else out


def timestep_embedding(
    timesteps: torch.Tensor,
    embedding_dim: SupportsIndex,
    flip_sin_to_cos: bool = False,
    downscale_freq_shift: float = 1,
    scale: float = 1,
    max_period: float = 10000,
    *,
    dtype: torch.dtype | DtypeName | None = None,
    out: torch.Tensor | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """Computes what diffusers' get_timestep_embedding computes: `posenc.timestep_embedding` with PyTorch.

    The result is on the device of `timesteps`. `dtype`, `out` and `threads` are as in `table`. The other arguments and
    the errors are those of `posenc.timestep_embedding`.
    """
    if isinstance(timesteps, torch.Tensor):
        check_positions("timesteps", timesteps)
    numbers = [constant_number(number) for number in (downscale_freq_shift, scale, max_period)]
    arguments = table_arguments(embedding_dim, flip_sin_to_cos, *numbers)
    return table(positions=timesteps, **arguments, dtype=dtype, out=out, threads=threads)


def pair(
    count: SupportsIndex | None = None,
    d_model: SupportsIndex = 512,
    *,
    positions: Any = None,
    first: SupportsIndex = 0,
    duplicated: Duplicated | None = None,
    preset: PresetName | None = None,
    dtype: torch.dtype | DtypeName | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: Any = None,
    freqs_low: Any = None,
    position_scale: float | None = None,
    device: torch.device | str | None = None,
    out: _pair.Pair[torch.Tensor] | None = None,
    threads: SupportsIndex | None = None,
) -> _pair.Pair[torch.Tensor]:
    """Computes cosines and sines of rotary embeddings as tensors: `posenc.pair` with PyTorch.

    Returns a `Pair` of tensors, ``.cos`` and ``.sin``. Arguments and errors are those of `posenc.pair`; tensors as
    arguments, `dtype`, `device` and `out`, here a `Pair` of tensors, are as in `table`.
    """
    targets: Any = out  # posenc.pair refuses it if it is not a Pair
    if isinstance(out, _pair.Pair):
        targets = _pair.Pair(target("out.cos", out.cos), target("out.sin", out.sin))
    name, where = dtype_of(dtype, getattr(out, "cos", None)), device_of(device, positions)
    arguments: dict[str, Any] = dict(
        preset=preset, base=base, denominator=denominator, freqs=as_array("freqs", freqs),
        freqs_low=as_array("freqs_low", freqs_low), position_scale=position_scale,
    )  # fmt: skip
    if not is_by_c(count, positions, first):
        refuse(out=out, threads=threads)
        _pair.check_duplicated(duplicated)
        spec = spec_of(2 * _pair.half_of(d_model), **arguments, layout="split", order="cos_first")
        cos, sin = cos_sin(positions_of(count, positions, first, where), spec, TORCH_DTYPES[name], duplicated)
        return _pair.Pair(cos.to(where), sin.to(where))
    arrays = _pair.pair(
        count, d_model, positions=as_array("positions", positions), first=first, duplicated=duplicated, dtype=name,
        **arguments, out=targets, threads=threads,
    )  # fmt: skip
    return out or _pair.Pair(as_tensor(arrays.cos, name, where), as_tensor(arrays.sin, name, where))


def cis(
    count: SupportsIndex | None = None,
    d_model: SupportsIndex = 512,
    *,
    positions: Any = None,
    first: SupportsIndex = 0,
    preset: PresetName | None = None,
    dtype: torch.dtype | DtypeName | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: Any = None,
    freqs_low: Any = None,
    position_scale: float | None = None,
    device: torch.device | str | None = None,
    out: torch.Tensor | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """Computes ``cos + 1j * sin`` as a tensor of torch.complex64 or complex128: `posenc.cis` with PyTorch.

    Arguments and errors are those of `posenc.cis`; tensors as arguments, `device` and `out` are as in `table`. `dtype`
    is torch.complex64 or complex128, or the float dtype of both parts.
    """
    arguments: dict[str, Any] = dict(
        preset=preset, base=base, denominator=denominator, freqs=as_array("freqs", freqs),
        freqs_low=as_array("freqs_low", freqs_low), position_scale=position_scale,
    )  # fmt: skip
    if not is_by_c(count, positions, first):
        refuse(out=out, threads=threads)
        part: Any = _pair.part_of(name_of(dtype or "complex64") or repr(dtype))
        parts = pair(count, d_model, positions=positions, first=first, dtype=part, device=device, **arguments)
        return torch.complex(parts.cos, parts.sin)
    array = _pair.cis(
        count, d_model, positions=as_array("positions", positions), first=first, dtype=dtype, **arguments,
        out=None if out is None else target("out", out), threads=threads,
    )  # fmt: skip
    return as_tensor(array, "complex", device_of(device, positions)) if out is None else out
