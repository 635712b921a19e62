"""Tables and grids as PyTorch tensors."""

from __future__ import annotations

import math
from typing import Any, Sequence, SupportsIndex

import numpy as np
import torch

from .. import _grid, _table
from .._plan import DTYPES, DtypeName, Layout, Odd, Order, PresetName, dtype_name, name_of
from .._positions import warn_if_short
from ._calls import SHORT, has_gradient, is_traced, is_transformed
from ._operators import operator

TORCH_DTYPES = {name: getattr(torch, name) for name in DTYPES}
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
_modules_that_warned: list[str] = []  # one at most


def as_tensor(array: np.ndarray, dtype: str) -> torch.Tensor:
    """Returns a tensor that shares the array's memory."""
    if dtype == "bfloat16":  # older PyTorch, which we support, has no torch.uint16
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def constant(values: Any, dtype: str, device: torch.device | str = "cpu") -> torch.Tensor:
    """Returns numbers as a tensor.

    NumPy makes it. DeepSpeed's zero.Init replaces torch.tensor and the like by functions that return another dtype, and
    accelerate by functions for another device."""
    made = torch.from_numpy(np.array(values, dtype))
    if is_transformed():  # FakeTensorMode, for example, needs to see a new tensor
        made = torch.ops.aten.lift_fresh(made)
    made = made.to(device)
    if made.dtype != getattr(torch, dtype) or made.device.type != torch.device(device).type:
        raise RuntimeError(f"a constant is {made.dtype} on {made.device}; expected {dtype} on {device}")
    return made


def _refuse_gradients(name: str, tensor: torch.Tensor, instead: str) -> None:
    if has_gradient(tensor):
        raise RuntimeError(f"{name} requires a gradient, and a table has none; {instead}")


def warn_of_16_bits(name: str, positions: torch.Tensor) -> None:
    """Warns of 16-bit positions if the call is eager."""
    if not (is_traced() or is_transformed()):
        warn_if_short(name, name_of(positions.dtype))


def of_module(name: str, positions: torch.Tensor) -> torch.Tensor:
    """Returns the positions of a module's call: 16-bit ones as float32, after one warning in a process."""
    if positions.dtype not in SHORT:
        return positions
    if not (is_traced() or is_transformed() or _modules_that_warned):
        _modules_that_warned.append(name)
        warn_of_16_bits(name, positions)
    return positions.float()


def numbers(name: str, values: Any) -> Any:
    """Returns positions or frequencies for NumPy, without rounding."""
    if not isinstance(values, torch.Tensor):
        return values
    _refuse_gradients(name, values, "call .detach() if that is intended")
    if name == "positions":
        warn_of_16_bits(name, values)
    if values.is_floating_point():
        return values.detach().to("cpu", torch.float64).numpy()
    if values.dtype not in INTEGERS:
        raise TypeError(f"{name} have dtype {values.dtype}; allowed: integers and floating-point types")
    return values.to("cpu", torch.int64).numpy()


def target(name: str, out: torch.Tensor) -> np.ndarray:
    """Returns the memory of an output tensor as an array. bfloat16 becomes uint16."""
    if type(out) not in (torch.Tensor, torch.nn.Parameter):  # subclasses may have no memory
        raise TypeError(f"{name} is of type {type(out).__name__}; allowed: torch.Tensor")
    if out.device.type != "cpu" or out.layout != torch.strided:
        raise ValueError(f"{name} is on {out.device} with layout {out.layout}; allowed: cpu, torch.strided")
    _refuse_gradients(name, out, "call .detach() first")
    if out.is_neg() or out.is_conj():
        raise ValueError(f"{name} is a lazy view, negated or conjugated; allowed: a tensor that stores its values")
    with torch.no_grad():
        # Writes nothing. It tells autograd, which may have saved the tensor, and fails if writing is not allowed.
        out[:0].zero_()
    out = out.detach()
    if out.dtype == torch.bfloat16:
        return out.view(torch.int16).numpy().view(np.uint16)
    return out.numpy()


def device_of(device: torch.device | str | None, positions: Any) -> torch.device:
    if device is not None:
        return torch.device(device)
    return positions.device if isinstance(positions, torch.Tensor) else torch.empty(0).device


def fake_table(
    count: Any = None, d_model: Any = 512, *, positions: Any = None, dtype: Any = None, device: Any = None, **_: Any
) -> torch.Tensor:
    """Returns a tensor without values, for traced calls."""
    kind = dtype or torch.float32
    if positions is not None:
        return positions.new_empty((*positions.shape, d_model), dtype=kind, device=device or positions.device)
    return torch.empty((count, d_model), device=device).to(kind)


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
    """Computes a sinusoidal position table as a tensor: `posenc.table` with PyTorch.

    Arguments and errors are those of `posenc.table`, except for:

    Parameters
    ----------
    positions
        May be a tensor of integers or floats, of any shape except (), such as the timesteps of diffusion.
    freqs, freqs_low
        May be tensors.
    dtype
        torch.float32, float64, bfloat16 or float16. Each value is rounded once. None means the dtype of `out`, or
        float32 without `out`.
    device
        The device of the table. None means the device of `positions` if it is a tensor, else PyTorch's default. A table
        on the CPU is not copied.
    out
        A tensor on the CPU to write into.

    Notes
    -----
    With PyTorch 2.4 or later, `table`, `grid`, `pair` and `cis` may be called in code that is compiled (also
    with fullgraph=True), exported or traced, without `out`. There they are operators, such as
    ``torch.ops.posenc.table``, which Python computes. So a saved program needs ``import posenc.torch`` before it is
    loaded. Arguments are then checked when the program runs.
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
    """Computes a table for the points of a grid as a tensor: `posenc.grid` with PyTorch.

    Returns a tensor of shape ``(class_tokens + points, d_model)``. `dtype`, `device` and `out` are as in `table`. The
    other arguments and the errors are those of `posenc.grid`. In code that is compiled, exported or traced, d_model is
    one number.
    """
    dtype = out.dtype if dtype is None and isinstance(out, torch.Tensor) else dtype
    name, where = dtype_name(dtype or "float32"), device_of(device, positions and positions[0])
    array = _grid.grid(
        shape, d_model, positions=positions and [numbers("positions", at) for at in positions], first=first, axes=axes,
        class_tokens=class_tokens, preset=preset, dtype=name, base=base, denominator=denominator,
        freqs=numbers("freqs", freqs), freqs_low=numbers("freqs_low", freqs_low), position_scale=position_scale,
        layout=layout, order=order, impl=impl, out=None if out is None else target("out", out),
    )  # fmt: skip
    return as_tensor(array, name).to(where) if out is None else out
