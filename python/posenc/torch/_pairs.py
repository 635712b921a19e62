"""Cosines and sines of rotary embeddings as PyTorch tensors."""

from __future__ import annotations

from typing import Any, SupportsIndex

import torch

from .. import _pair
from .._plan import DtypeName, Duplicated, PresetName, dtype_name, name_of
from ._rows import cos_sin, device_of, is_by_c, positions_of, refuse, spec_of
from ._tensors import TORCH_DTYPES, as_array, as_tensor, target


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
    target_pair: Any = out  # posenc.pair refuses it if it is not a Pair
    if isinstance(out, _pair.Pair):
        target_pair = _pair.Pair(target("out.cos", out.cos), target("out.sin", out.sin))
        dtype = out.cos.dtype if dtype is None else dtype
    name, where = dtype_name(dtype or "float32"), device_of(device, positions)
    arguments: dict[str, Any] = dict(
        preset=preset, base=base, denominator=denominator, freqs=as_array("freqs", freqs),
        freqs_low=as_array("freqs_low", freqs_low), position_scale=position_scale,
    )  # fmt: skip
    if not is_by_c(count, positions, first):
        refuse(out=out, threads=threads)
        _pair.check_duplicated(duplicated)
        spec = spec_of(2 * _pair.half_of(d_model), **arguments, layout="split", order="cos_first")
        cos, sin = cos_sin(positions_of(count, positions, first, device), spec, TORCH_DTYPES[name], duplicated)
        return _pair.Pair(cos.to(where), sin.to(where))
    arrays = _pair.pair(
        count, d_model, positions=as_array("positions", positions), first=first, duplicated=duplicated, dtype=name,
        **arguments, out=target_pair, threads=threads,
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
        kind: Any = _pair.part_of(name_of(dtype or "complex64") or repr(dtype))
        parts = pair(count, d_model, positions=positions, first=first, dtype=kind, device=device, **arguments)
        return torch.complex(parts.cos, parts.sin)
    array = _pair.cis(
        count, d_model, positions=as_array("positions", positions), first=first, dtype=dtype, **arguments,
        out=None if out is None else target("out", out), threads=threads,
    )  # fmt: skip
    return as_tensor(array, "complex", device_of(device, positions)) if out is None else out
