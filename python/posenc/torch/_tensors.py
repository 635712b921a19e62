"""Converts between PyTorch tensors and NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .._arrays import warn_if_short
from .._plan import DTYPES, dtype_name, name_of
from ._calls import HALF_PRECISION, check_dense, check_type, has_gradient, is_traced, is_transformed

TORCH_DTYPES = {name: getattr(torch, name) for name in DTYPES}
_UNSIGNED = tuple(getattr(torch, name) for name in ("uint16", "uint32", "uint64") if hasattr(torch, name))  # since 2.3
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, *_UNSIGNED)
_modules_that_warned: list[str] = []  # one at most


def as_tensor(array: np.ndarray, dtype: str, device: torch.device | str = "cpu") -> torch.Tensor:
    """Returns a tensor with an array's values on a device. On the CPU it shares the memory."""
    if dtype == "bfloat16":  # older PyTorch, which we support, has no torch.uint16
        tensor = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        tensor = torch.from_numpy(array)
    if is_transformed():  # FakeTensorMode, for example, needs to see a new tensor
        tensor = torch.ops.aten.lift_fresh(tensor)
    return tensor.to(device)


def constant(values: Any, dtype: str, device: torch.device | str = "cpu") -> torch.Tensor:
    """Returns numbers as a tensor.

    NumPy makes it. DeepSpeed's zero.Init replaces torch.tensor and the like by functions that return another dtype, and
    accelerate by functions for another device."""
    tensor = as_tensor(np.array(values, dtype), dtype, device)
    if tensor.dtype != getattr(torch, dtype) or tensor.device.type != torch.device(device).type:
        raise RuntimeError(f"a constant is {tensor.dtype} on {tensor.device}; expected {dtype} on {device}")
    return tensor


def _refuse_gradients(name: str, tensor: torch.Tensor, advice: str) -> None:
    if has_gradient(tensor):
        raise RuntimeError(f"{name} requires a gradient, and would get none; {advice}")


def _check_dtype(name: str, tensor: torch.Tensor) -> None:
    if tensor.dtype not in INTEGERS and not tensor.is_floating_point():
        raise TypeError(f"{name} have dtype {tensor.dtype}; allowed: integers and floating-point types")


def check_positions(name: str, positions: torch.Tensor) -> None:
    check_dense(name, positions)
    if positions.dim() == 0:
        raise TypeError(f"{name} is a single number; write {name}[None]")
    _check_dtype(name, positions)


def warn_of_16_bits(name: str, positions: torch.Tensor) -> None:
    """Warns of 16-bit positions if the call is eager."""
    if positions.dtype in HALF_PRECISION and not (is_traced() or is_transformed()):
        warn_if_short(name, name_of(positions.dtype))


def as_int64(positions: torch.Tensor) -> torch.Tensor:
    """Returns integers as int64. Integers above its range become 2^62, which is refused too."""
    wide = positions.long()
    return wide.masked_fill(wide < 0, 1 << 62) if positions.dtype in _UNSIGNED else wide


def exact_positions(positions: torch.Tensor) -> torch.Tensor:
    """Returns positions as int64, float32 or float64."""
    if not positions.is_floating_point():
        return as_int64(positions)
    warn_of_16_bits("positions", positions)
    return positions if positions.dtype in (torch.float32, torch.float64) else positions.float()


def of_module(name: str, positions: torch.Tensor) -> torch.Tensor:
    """Returns the positions of a module's call in a dtype with all operations.

    16-bit positions become float32, after one warning in a process. Truth values and unsigned integers become int64."""
    if positions.dtype == torch.bool or positions.dtype in _UNSIGNED:
        return as_int64(positions)
    if positions.dtype not in HALF_PRECISION:
        return positions
    if not (is_traced() or is_transformed() or _modules_that_warned):
        _modules_that_warned.append(name)
        warn_of_16_bits(name, positions)
    return positions.float()


def as_array(name: str, values: Any) -> Any:
    """Returns positions or frequencies for NumPy, without rounding."""
    if not isinstance(values, torch.Tensor):
        return values
    if name == "positions":  # which `is_by_c` has checked
        warn_of_16_bits(name, values)
    else:
        check_dense(name, values)
        if is_traced():
            what = f"{name} are a tensor or array, and the call is traced"
            raise TypeError(f"{what}; allowed: a list, as {name}.tolist()")
        _refuse_gradients(name, values, "call .detach() if that is intended")
    _check_dtype(name, values)
    if values.is_floating_point() and values.dtype not in (torch.float32, torch.float64):  # NumPy may lack it
        values = values.double()
    return values.numpy(force=True)


def dtype_of(dtype: Any, out: Any) -> str:
    """Returns the name of a dtype. None means that of `out` if it is a tensor, else float32."""
    if dtype is None and isinstance(out, torch.Tensor):
        check_dense("out", out)
        dtype = out.dtype
    return dtype_name(dtype or "float32")


def target(name: str, out: torch.Tensor) -> np.ndarray:
    """Returns the memory of an output tensor as an array. bfloat16 becomes uint16."""
    check_type(name, out, torch.Tensor)
    if type(out) not in (torch.Tensor, torch.nn.Parameter):  # other subclasses may have no memory
        raise TypeError(f"{name} is of type {type(out).__name__}; allowed: torch.Tensor")
    if out.device.type != "cpu":
        raise ValueError(f"{name} is on {out.device}; allowed: cpu")
    _refuse_gradients(name, out, "call .detach() first")
    if out.is_neg() or out.is_conj():
        raise ValueError(f"{name} is a lazy view, negated or conjugated; allowed: a tensor that stores its values")
    with torch.no_grad():
        # Writes nothing. It tells autograd, which may have saved the tensor, and fails if writing is not allowed.
        out[None][:0].zero_()
    out = out.detach()
    if out.dtype == torch.bfloat16:
        return out.view(torch.int16).numpy().view(np.uint16)
    return out.numpy()
