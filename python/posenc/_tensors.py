"""Tables, pairs and sums as PyTorch tensors; posenc.torch shows them."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
import torch
from torch.autograd import forward_ad

from . import _add, _pair, _table
from ._plan import DTYPES, dtype_name

TORCH_DTYPES = {name: getattr(torch, name) for name in DTYPES}
_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def torch_dtype_name(dtype: Any) -> str:
    """ "float32", "float64", "bfloat16" or "float16", from any name or dtype that posenc.table takes; None is float32."""
    return "float32" if dtype is None else dtype_name(dtype)


def as_tensor(array: np.ndarray, dtype: str) -> torch.Tensor:
    """The array's memory as a tensor."""
    if dtype == "bfloat16":  # torch.uint16 is younger than some PyTorch we work with
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _as_array(tensor: torch.Tensor) -> np.ndarray:
    """The memory of a tensor on the CPU as an array; bfloat16 as uint16."""
    tensor = tensor.detach()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(np.uint16)
    return tensor.numpy()


def _has_gradient(tensor: torch.Tensor) -> bool:
    return torch.is_grad_enabled() and tensor.requires_grad or forward_ad.unpack_dual(tensor).tangent is not None


def _refuse_gradients(name: str, tensor: torch.Tensor, what: str, instead: str) -> None:
    if _has_gradient(tensor):
        raise RuntimeError(f"{name} requires a gradient, and {what} has none; {instead}")


def _numbers(name: str, values: Any) -> Any:
    """Positions or frequencies for NumPy, without a rounding."""
    if not isinstance(values, torch.Tensor):
        return values
    _refuse_gradients(name, values, "a table", "call .detach() where that is meant")
    if values.is_floating_point():
        return values.detach().to("cpu", torch.float64).numpy()
    if values.dtype not in _INTEGERS:
        raise TypeError(f"{name} have dtype {values.dtype}; allowed: integers and floating-point types")
    return values.to("cpu", torch.int64).numpy()


def _device(device: torch.device | str | None, positions: Any) -> torch.device:
    if device is not None:
        return torch.device(device)
    return positions.device if isinstance(positions, torch.Tensor) else torch.empty(0).device


def table(
    count: SupportsIndex | None = None,
    d_model: SupportsIndex = 512,
    *,
    positions: Any = None,
    first: SupportsIndex = 0,
    preset: str | None = None,
    dtype: torch.dtype | str | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: Any = None,
    freqs_low: Any = None,
    position_scale: float | None = None,
    layout: str | None = None,
    order: str | None = None,
    odd: str | None = None,
    impl: str | None = None,
    device: torch.device | str | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """`posenc.table` as a tensor.

    `positions` may be a tensor of any shape but (), of integers or floats, as diffusion has its timesteps; `freqs`
    may be one too. `dtype` is torch.float32 (None), float64, bfloat16 or float16, of values that are rounded once.
    `device` is where the table is put; None: where `positions` are if they are a tensor, else PyTorch's default. On the
    CPU it is not copied. The other arguments and the errors are those of `posenc.table`.
    """
    name, where = torch_dtype_name(dtype), _device(device, positions)
    array = _table.table(
        count, d_model, positions=_numbers("positions", positions), first=first, preset=preset, dtype=name, base=base,
        denominator=denominator, freqs=_numbers("freqs", freqs), freqs_low=_numbers("freqs_low", freqs_low),
        position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl, threads=threads,
    )  # fmt: skip
    return as_tensor(array, name).to(where)


def pair(
    count: SupportsIndex | None = None,
    d_model: SupportsIndex = 512,
    *,
    positions: Any = None,
    first: SupportsIndex = 0,
    duplicated: str | None = None,
    preset: str | None = None,
    dtype: torch.dtype | str | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: Any = None,
    freqs_low: Any = None,
    position_scale: float | None = None,
    impl: str | None = None,
    device: torch.device | str | None = None,
    threads: SupportsIndex | None = None,
) -> _pair.Pair[torch.Tensor]:
    """`posenc.pair` as tensors: ``.cos`` and ``.sin``, as caches of rotary embeddings have them. Arguments as in `table`."""
    name, where = torch_dtype_name(dtype), _device(device, positions)
    arrays = _pair.pair(
        count, d_model, positions=_numbers("positions", positions), first=first, duplicated=duplicated, preset=preset,
        dtype=name, base=base, denominator=denominator, freqs=_numbers("freqs", freqs),
        freqs_low=_numbers("freqs_low", freqs_low), position_scale=position_scale, impl=impl, threads=threads,
    )  # fmt: skip
    return _pair.Pair(as_tensor(arrays.cos, name).to(where), as_tensor(arrays.sin, name).to(where))


def _check_sum(name: str, tensor: Any) -> None:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):  # subclasses may stand for what is not there
        raise TypeError(f"{name} is of type {type(tensor).__name__}; allowed: torch.Tensor")
    if tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise ValueError(f"{name} is on {tensor.device} with layout {tensor.layout}; allowed: cpu, torch.strided")
    if tensor.dtype not in (torch.float32, torch.bfloat16):
        raise TypeError(f"{name} has dtype {tensor.dtype}; allowed: torch.float32 and torch.bfloat16")
    _refuse_gradients(
        name,
        tensor,
        "posenc.torch.add",
        "for training use SinusoidalPositionalEncoding, or x * scale + posenc.torch.table(...)",
    )


def add(
    x: torch.Tensor,
    scale: float = 1.0,
    first: SupportsIndex = 0,
    *,
    batch_first: bool | None = None,
    preset: str | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: Any = None,
    freqs_low: Any = None,
    position_scale: float | None = None,
    layout: str | None = None,
    order: str | None = None,
    odd: str | None = None,
    impl: str | None = None,
    out: torch.Tensor | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """`posenc.add` for tensors on the CPU: in float32 the bits of ``x * scale + posenc.torch.table(...)``, in one pass.

    `x` is float32 or bfloat16, and so is the table. There is no gradient: a tensor that requires one is refused, unless within
    ``torch.no_grad()``. `out` may be x itself, for its sum in place. The other arguments and the errors are those of
    `posenc.add`; without `threads`, one thread.
    """
    _check_sum("x", x)
    name = torch_dtype_name(x.dtype)
    target = None
    if out is not None:
        _check_sum("out", out)
        if out.dtype != x.dtype:
            raise TypeError(f"out has dtype {out.dtype}; allowed: that of x, {x.dtype}")
        if out.is_neg():
            raise ValueError("out is a lazily negated view; allowed: a tensor that has its values")
        target = _as_array(out)
        with torch.no_grad():
            out[
                :0
            ].zero_()  # writes nothing, but tells autograd, which may have saved it, and is refused where writing is
    sums = _add.add(
        _as_array(x.resolve_neg()), scale, first, batch_first=batch_first, preset=preset, dtype=name, base=base,
        denominator=denominator, freqs=_numbers("freqs", freqs), freqs_low=_numbers("freqs_low", freqs_low),
        position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl, out=target, threads=threads,
    )  # fmt: skip
    return as_tensor(sums, name) if out is None else out
