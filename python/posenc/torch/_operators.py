"""Makes table, grid and pair operators of PyTorch, for torch.compile, torch.export and torch.jit.trace.

The operator ``torch.ops.posenc.NAME`` has the parameters of the function NAME, except `out`, and returns the same
tensors. PyTorch before 2.4 has no such operators; there the functions run in eager code only.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, TypeVar

import torch

from .._pair import Pair
from .._plan import DTYPES
from ._calls import SHORT, is_traced, is_transformed

F = TypeVar("F", bound=Callable[..., Any])
_HAS_OPERATORS = hasattr(torch.library, "custom_op")
_TAGS = (
    [torch.Tag.cudagraph_unsafe] if hasattr(getattr(torch, "Tag", None), "cudagraph_unsafe") else []
)  # the CPU works
if _HAS_OPERATORS:
    _library = torch.library.Library("posenc", "FRAGMENT")  # the operators exist as long as this object

#: The schema type for each annotation. "Any" means numbers: a tensor, or values that become one.
_TYPES = {
    "Any": "Tensor?",
    "SupportsIndex": "SymInt",
    "SupportsIndex | None": "SymInt?",
    "SupportsIndex | Sequence[SupportsIndex]": "SymInt",
    "Sequence[SupportsIndex] | None": "SymInt[]?",
    "Sequence[Any] | None": "Tensor[]?",
    "float | None": "float?",
    **{f"{name} | None": "str?" for name in ("str", "PresetName", "Layout", "Order", "Odd", "Duplicated")},
    "torch.dtype | DtypeName | None": "ScalarType?",
    "torch.device | str | None": "Device?",
}


_DTYPES = {name: getattr(torch, name) for name in DTYPES}


def _tensor(value: Any) -> torch.Tensor:
    """Returns numbers as a tensor. float64 holds all integers up to 2^32. The operator would warn of 16 bits.

    The call is traced, so NumPy cannot make the tensor. DeepSpeed replaces torch.tensor, but not torch.as_tensor."""
    if not isinstance(value, torch.Tensor):
        return torch.as_tensor(value, dtype=torch.float64)
    return value.float() if value.dtype in SHORT else value


def _parameters(function: Callable[..., Any]) -> dict[str, str]:
    """Returns for each parameter its type, name and default, as in a schema."""
    schema = {}
    for p in inspect.signature(function).parameters.values():
        if p.name != "out":
            kind = _TYPES[p.annotation]
            schema[p.name] = f"{kind.rstrip('?')} {p.name}" if p.default is p.empty else f"{kind} {p.name}={p.default}"
    return schema


def operator(fake: Callable[..., Any]) -> Callable[[F], F]:
    """Decorates a function: calls that are traced call its operator instead.

    `fake` takes the same arguments, and returns tensors without values with the result's shape, dtype and device.
    """

    def decorate(function: F) -> F:
        if not _HAS_OPERATORS:
            return function
        parameters = _parameters(function)
        names = [*parameters]
        ordered = inspect.signature(function).parameters.values()
        by_place = [p.name for p in ordered if p.kind is p.POSITIONAL_OR_KEYWORD]
        pairs = "Pair" in function.__annotations__["return"]

        def named(call: Callable[..., Any]) -> Callable[..., Any]:
            def kernel(*args: Any, **kwargs: Any) -> Any:
                result = call(**dict(zip(names, args)), **kwargs)
                return (result.cos, result.sin) if pairs else result

            return kernel

        name = function.__name__
        schema = f"({', '.join(parameters.values())}) -> {'(Tensor cos, Tensor sin)' if pairs else 'Tensor'}"
        _library.define(name + schema, tags=_TAGS)
        _library.impl(name, named(function), "CompositeExplicitAutograd")
        torch.library.register_fake(f"posenc::{name}", named(fake))
        made = getattr(torch.ops.posenc, name)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not (is_traced() or is_transformed()):
                return function(*args, **kwargs)
            if len(args) > len(by_place) or any(key in kwargs for key in by_place[: len(args)]):
                raise TypeError(f"{name} takes {', '.join(by_place)} by position, and all others by name, each once")
            given = {**dict(zip(by_place, args)), **kwargs}
            if given.pop("out", None) is not None:
                raise TypeError(f"out is given; allowed: None if {name} is compiled, exported or traced")
            for key, value in given.items():
                kind = parameters.get(key, "")
                if isinstance(value, torch.Tensor) and value.requires_grad and torch.is_grad_enabled():
                    raise RuntimeError(
                        f"{key} requires a gradient, and posenc::{name} has none; call .detach() if that is intended"
                    )
                if key == "dtype":
                    given[key] = _DTYPES.get(value, value)
                elif kind.startswith("Tensor[]") and value is not None:
                    given[key] = [_tensor(each) for each in value]
                elif kind.startswith("Tensor?") and value is not None:
                    given[key] = _tensor(value)
            result = made(**given)
            return Pair(*result) if pairs else result

        return call  # type: ignore[return-value]

    return decorate
