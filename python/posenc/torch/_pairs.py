"""Cosines and sines of rotary embeddings as PyTorch tensors."""

from __future__ import annotations

from typing import Any, SupportsIndex

import torch

from .. import _pair
from .._plan import DtypeName, Duplicated, PresetName, dtype_name, name_of
from ._calls import is_traced
from ._operators import operator
from ._tensors import as_tensor, device_of, fake_table, numbers, target


def _fake_pair(
    count: Any = None, d_model: Any = 512, *, duplicated: Duplicated | None = None, **more: Any
) -> _pair.Pair[torch.Tensor]:
    columns = d_model if duplicated else d_model // 2
    return _pair.Pair(fake_table(count, columns, **more), fake_table(count, columns, **more))


@operator(_fake_pair)
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
    impl: str | None = None,
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
    arrays = _pair.pair(
        count, d_model, positions=numbers("positions", positions), first=first, duplicated=duplicated, preset=preset,
        dtype=name, base=base, denominator=denominator, freqs=numbers("freqs", freqs),
        freqs_low=numbers("freqs_low", freqs_low), position_scale=position_scale, impl=impl,
        out=target_pair, threads=threads,
    )  # fmt: skip
    return out or _pair.Pair(as_tensor(arrays.cos, name).to(where), as_tensor(arrays.sin, name).to(where))


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
    impl: str | None = None,
    device: torch.device | str | None = None,
    out: torch.Tensor | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """Computes ``cos + 1j * sin`` as a tensor of torch.complex64 or complex128: `posenc.cis` with PyTorch.

    Arguments and errors are those of `posenc.cis`; tensors as arguments, `device` and `out` are as in `table`. `dtype`
    is torch.complex64 or complex128, or the float dtype of both parts.
    """
    if is_traced():
        parts = pair(
            count, d_model, positions=positions, first=first, preset=preset, base=base, denominator=denominator,
            dtype=_pair._PARTS.get(name_of(dtype), dtype), freqs=freqs, freqs_low=freqs_low, position_scale=position_scale,
            impl=impl, device=device, out=out, threads=threads,
        )  # fmt: skip
        return torch.complex(parts.cos, parts.sin)
    where = device_of(device, positions)
    kind: Any = dtype
    array = _pair.cis(
        count, d_model, positions=numbers("positions", positions), first=first, preset=preset, dtype=kind, base=base,
        denominator=denominator, freqs=numbers("freqs", freqs), freqs_low=numbers("freqs_low", freqs_low),
        position_scale=position_scale, impl=impl, out=None if out is None else target("out", out), threads=threads,
    )  # fmt: skip
    return torch.from_numpy(array).to(where) if out is None else out
