"""Tables, pairs and sums as PyTorch tensors; posenc.torch shows them."""

from __future__ import annotations

import math
from typing import Any, Sequence, SupportsIndex

import numpy as np
import torch

from .. import _add, _grid, _table
from .._plan import DTYPES, DtypeName, Layout, Odd, Order, PresetName, dtype_name
from ._calls import has_gradient
from ._operators import operator

TORCH_DTYPES = {name: getattr(torch, name) for name in DTYPES}
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


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


def _refuse_gradients(name: str, tensor: torch.Tensor, what: str, instead: str) -> None:
    if has_gradient(tensor):
        raise RuntimeError(f"{name} requires a gradient, and {what} has none; {instead}")


def numbers(name: str, values: Any) -> Any:
    """Positions or frequencies for NumPy, without a rounding."""
    if not isinstance(values, torch.Tensor):
        return values
    _refuse_gradients(name, values, "a table", "call .detach() where that is meant")
    if values.is_floating_point():
        return values.detach().to("cpu", torch.float64).numpy()
    if values.dtype not in INTEGERS:
        raise TypeError(f"{name} have dtype {values.dtype}; allowed: integers and floating-point types")
    return values.to("cpu", torch.int64).numpy()


def _check(name: str, tensor: Any, what: str, instead: str) -> None:
    """Whether its memory can be handed to the library."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):  # subclasses may stand for what is not there
        raise TypeError(f"{name} is of type {type(tensor).__name__}; allowed: torch.Tensor")
    if tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise ValueError(f"{name} is on {tensor.device} with layout {tensor.layout}; allowed: cpu, torch.strided")
    _refuse_gradients(name, tensor, what, instead)


def target(name: str, out: torch.Tensor, what: str = "a table", instead: str = "call .detach() first") -> np.ndarray:
    """The memory of an output."""
    _check(name, out, what, instead)
    if out.is_neg() or out.is_conj():
        raise ValueError(f"{name} is a lazy view, negated or conjugated; allowed: a tensor that has its values")
    with torch.no_grad():
        # Writes nothing, but tells autograd, which may have saved it, and is refused where writing is.
        out[:0].zero_()
    return _as_array(out)


def device_of(device: torch.device | str | None, positions: Any) -> torch.device:
    if device is not None:
        return torch.device(device)
    return positions.device if isinstance(positions, torch.Tensor) else torch.empty(0).device


def fake_table(
    count: Any = None, d_model: Any = 512, *, positions: Any = None, dtype: Any = None, device: Any = None, **_: Any
) -> torch.Tensor:
    """A tensor without values, for what is traced."""
    if positions is None:
        return torch.empty((count, d_model), dtype=dtype or torch.float32, device=device)
    shape = (*positions.shape, d_model)
    return torch.empty(shape, dtype=dtype or torch.float32, device=device or positions.device)


@operator(fake_table)
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
    """`posenc.table` as a tensor.

    `positions` may be a tensor of any shape but (), of integers or floats, as diffusion has its timesteps; `freqs` may
    be one too. `dtype` is torch.float32, float64, bfloat16 or float16, of values that are rounded once; None: that of
    `out`, else float32. `device` is where the table is put; None: where `positions` are if they are a tensor, else
    PyTorch's default. On the CPU it is not copied. `out` is on the CPU. The other arguments and the errors are those of
    `posenc.table`.

    With PyTorch 2.4 or later, `table`, `grid`, `add`, `pair` and `cis` may be called in code that is compiled (with
    fullgraph=True, too), exported or traced, without `out`. They are operators there, ``torch.ops.posenc.table`` and so
    on, which Python computes: a program that was saved needs ``import posenc.torch`` before it is loaded. Arguments are
    then judged when it runs.
    """
    dtype = out.dtype if dtype is None and isinstance(out, torch.Tensor) else dtype
    name, where = dtype_name(dtype or "float32"), device_of(device, positions)
    array = _table.table(
        count, d_model, positions=numbers("positions", positions), first=first, preset=preset, dtype=name, base=base,
        denominator=denominator, freqs=numbers("freqs", freqs), freqs_low=numbers("freqs_low", freqs_low),
        position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl,
        out=None if out is None else target("out", out), threads=threads,
    )  # fmt: skip
    return as_tensor(array, name).to(where) if out is None else out


def fill_at(
    out: torch.Tensor,
    positions: Any,
    *,
    preset: PresetName | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: Any = None,
    freqs_low: Any = None,
    position_scale: float | None = None,
    layout: Layout | None = None,
    order: Order | None = None,
    odd: Odd | None = None,
    impl: str | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """Writes a row of `table` for each position into `out`, on the CPU, of shape ``positions.shape + (d_model,)`` and
    the table's dtype. Eager code only."""
    array = target("out", out)
    _table.fill_at(
        array, numbers("positions", positions), preset=preset, dtype=dtype_name(out.dtype), base=base,
        denominator=denominator, freqs=numbers("freqs", freqs), freqs_low=numbers("freqs_low", freqs_low),
        position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl, threads=threads,
    )  # fmt: skip
    return out


def _fake_grid(
    shape: Any = None,
    d_model: Any = 512,
    *,
    positions: Any = None,
    class_tokens: Any = 0,
    dtype: Any = None,
    device: Any = None,
    **_: Any,
) -> torch.Tensor:
    if positions is not None:
        shape, device = [at.shape[0] for at in positions], device or positions[0].device
    return fake_table(class_tokens + math.prod(shape), d_model, dtype=dtype, device=device)


@operator(_fake_grid)
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
    impl: str | None = None,
    device: torch.device | str | None = None,
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """`posenc.grid` as a tensor, of shape ``(class_tokens + points, d_model)``. `dtype`, `device` and `out` are as in
    `table`, the other arguments and the errors those of `posenc.grid`; compiled code gives one number as d_model."""
    dtype = out.dtype if dtype is None and isinstance(out, torch.Tensor) else dtype
    name, where = dtype_name(dtype or "float32"), device_of(device, positions and positions[0])
    array = _grid.grid(
        shape, d_model, positions=positions and [numbers("positions", at) for at in positions], first=first, axes=axes,
        class_tokens=class_tokens, preset=preset, dtype=name, base=base, denominator=denominator,
        freqs=numbers("freqs", freqs), freqs_low=numbers("freqs_low", freqs_low), position_scale=position_scale,
        layout=layout, order=order, impl=impl, out=None if out is None else target("out", out),
    )  # fmt: skip
    return as_tensor(array, name).to(where) if out is None else out


_SUMS = "posenc.torch.add", "for training use SinusoidalPositionalEncoding, or x * scale + posenc.torch.table(...)"


@operator(lambda x, *_, **__: torch.empty(x.shape, dtype=x.dtype, device=x.device))
def add(
    x: torch.Tensor,
    scale: float = 1.0,
    first: SupportsIndex = 0,
    *,
    batch_first: bool | None = None,
    preset: PresetName | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: Any = None,
    freqs_low: Any = None,
    position_scale: float | None = None,
    layout: Layout | None = None,
    order: Order | None = None,
    odd: Odd | None = None,
    impl: str | None = None,
    out: torch.Tensor | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """`posenc.add` for tensors on the CPU: in float32 the bits of ``x * scale + posenc.torch.table(...)``, in one pass.

    `x` is float32 or bfloat16, and so is the table. There is no gradient: a tensor that requires one is refused, unless
    within ``torch.no_grad()``. `out` may be x itself, for its sum in place. The other arguments and the errors are
    those of `posenc.add`; without `threads`, one thread.
    """
    _check("x", x, *_SUMS)
    if x.dtype not in (torch.float32, torch.bfloat16):
        raise TypeError(f"x has dtype {x.dtype}; allowed: torch.float32 and torch.bfloat16")
    values = None
    if out is not None:
        values = target("out", out, *_SUMS)
        if out.dtype != x.dtype:
            raise TypeError(f"out has dtype {out.dtype}; allowed: that of x, {x.dtype}")
    name = dtype_name(x.dtype)
    sums = _add.add(
        _as_array(x.resolve_neg()), scale, first, batch_first=batch_first, preset=preset, dtype=name, base=base,
        denominator=denominator, freqs=numbers("freqs", freqs), freqs_low=numbers("freqs_low", freqs_low),
        position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl, out=values, threads=threads,
    )  # fmt: skip
    return as_tensor(sums, name) if out is None else out
