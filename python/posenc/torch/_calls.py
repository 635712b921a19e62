"""Tells how PyTorch makes a call: eagerly, traced or transformed.

PyTorch has no public functions for some of this, so private ones are used. `bool`, which returns False, replaces those
that earlier releases lack. Other private names are in _formula.py (_dynamo_static_indices), _rows.py (_disable_dynamo)
and _rotary_embedding.py (_torchdynamo_disable)."""

from __future__ import annotations

from typing import Any, Callable, Sequence, TypeVar

import torch
from torch.autograd import forward_ad

_compiler = getattr(torch, "compiler", None)  # since PyTorch 2.1
is_compiling = getattr(_compiler, "is_compiling", bool)
is_compiled = getattr(_compiler, "is_dynamo_compiling", bool)  #: False if torch.export traces without dynamo
_has_operator = torch.__version__ >= (2, 8)  # earlier releases were not tried; `is_exporting` came with 2.7
_has_autocast = getattr(torch.amp, "is_autocast_available", None)  # since PyTorch 2.4
_mode_count = getattr(torch._C, "_len_torch_dispatch_stack", bool)  #: counts modes such as FakeTensorMode
_early_modes = getattr(torch._C.DispatchKey, "PreDispatch", None)  #: the key of the modes of make_fx(pre_dispatch=True)
_transform_level = getattr(getattr(torch._C, "_functorch", None), "maybe_current_level", lambda: None)  #: of torch.func

HALF_PRECISION = (torch.bfloat16, torch.float16)
#: Compiled code computes so many values, or fewer, by the formula: a call of the operator would take longer.
FEW_VALUES = 8192

F = TypeVar("F", bound=Callable[..., Any])


def constant_in_graphs(function: F) -> F:
    """Marks a function that torch.compile calls when it traces. The arguments and the result are constants of the graph.

    torch.compiler's decorator sets the same attribute, but imports torch._dynamo."""
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


def is_traced() -> bool:
    """Whether the call is being compiled, exported or traced, so that it may run later with other values."""
    return bool(is_compiling() or torch.jit.is_tracing())


def is_transformed() -> bool:
    """Whether a mode, such as FakeTensorMode, or a transform of torch.func sees the call's operations."""
    if _mode_count() > 0 or _transform_level() is not None:
        return True
    return _early_modes is not None and torch._C._dispatch_tls_is_dispatch_key_included(_early_modes)


@constant_in_graphs
def _is_in_transform() -> bool:
    return _transform_level() is not None or forward_ad._current_level >= 0


def may_call_operator(positions: torch.Tensor, values_per_row: int) -> bool:
    """Whether torch.compile is tracing for the CPU, no derivative is wanted, and there are more than FEW_VALUES for some
    sizes of the compiled code's inputs.

    If an operator has no derivative, torch.func.grad and jvp around it give zeros in compiled code, without an error.
    """
    if not (_has_operator and is_compiled()) or torch.compiler.is_exporting() or positions.device.type != "cpu":
        return False
    if positions.requires_grad and torch.is_grad_enabled() or _is_in_transform():
        return False
    from torch.fx.experimental.symbolic_shapes import statically_known_true  # here, since the import takes a second

    return not statically_known_true(positions.numel() * values_per_row <= FEW_VALUES)


def has_gradient(tensor: torch.Tensor) -> bool:
    is_dual = forward_ad._current_level >= 0 and forward_ad.unpack_dual(tensor).tangent is not None
    return is_dual or torch.is_grad_enabled() and tensor.requires_grad


def _is_autocast(device_type: str) -> bool:
    if _has_autocast is None:
        return device_type in ("cpu", "cuda")
    return bool(_has_autocast(device_type) and torch.is_autocast_enabled(device_type))


def joined(join: Callable[..., torch.Tensor], parts: Sequence[torch.Tensor], axis: int) -> torch.Tensor:
    """Returns join(parts, axis), for torch.cat and torch.stack.

    Under autocast to bfloat16, PyTorch refuses to join float16 tensors, and the reverse. So autocast is off."""
    device_type = parts[0].device.type
    if parts[0].dtype in HALF_PRECISION and _is_autocast(device_type):
        with torch.autocast(device_type, enabled=False):
            return join(parts, axis)
    return join(parts, axis)


def check_dense(name: str, tensor: torch.Tensor) -> None:
    """Refuses nested, sparse and quantized tensors. Each sequence of a jagged tensor would get rows of wrong positions.

    Compiled code does not read `is_nested`: earlier releases of torch.compile lack it, and no release compiles nested
    tensors whose layout is strided."""
    if tensor.layout is torch.strided and not tensor.is_quantized and (is_compiled() or not tensor.is_nested):
        return
    layout = str(tensor.layout).removeprefix("torch.")
    layout = "nested" if tensor.is_nested else "quantized" if tensor.is_quantized else layout
    raise TypeError(f"{name} is a {layout} tensor; allowed: a dense tensor")


def check_type(name: str, value: Any, allowed: type[Any]) -> None:
    if not isinstance(value, allowed):
        raise TypeError(f"{name} is of type {type(value).__name__}; allowed: a PyTorch {allowed.__name__}")
    if isinstance(value, torch.Tensor):
        check_dense(name, value)


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether C can compute the call: it is eager, and the tensor is on the CPU, stores its values and needs no
    gradient."""
    if is_traced() or is_transformed() or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return False
    return tensor.is_cpu and not (tensor.is_floating_point() and has_gradient(tensor)) and not tensor.is_neg()
