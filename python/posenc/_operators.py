"""Functions as operators of PyTorch, for torch.compile, torch.export, torch.jit.script and torch.jit.trace.

An operator ``torch.ops.posenc.NAME`` has the parameters of the function of that name, but for an `out` that may be None, and
returns its tensors. Operators came with PyTorch 2.4; before, the functions are what they are.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, TypeVar

import torch

from ._pair import Pair
from ._plan import SHORT_NAMES, DTYPES

F = TypeVar("F", bound=Callable[..., Any])
_HAS_OPERATORS = hasattr(torch.library, "custom_op")
_TAGS = (
    [torch.Tag.cudagraph_unsafe] if hasattr(getattr(torch, "Tag", None), "cudagraph_unsafe") else []
)  # the CPU works
if _HAS_OPERATORS:
    _library = torch.library.Library("posenc", "FRAGMENT")  # while it is there, so are its operators

#: What an operator's schema has for an annotation. "Any" are numbers: a tensor, or what becomes one.
_TYPES = {
    "torch.Tensor": "Tensor",
    "Any": "Tensor?",
    "int": "SymInt",
    "SupportsIndex": "SymInt",
    "SupportsIndex | None": "SymInt?",
    "SupportsIndex | Sequence[SupportsIndex]": "SymInt",
    "Sequence[SupportsIndex] | None": "SymInt[]?",
    "Sequence[Any] | None": "Tensor[]?",
    "float": "float",
    "float | None": "float?",
    "bool": "bool",
    "bool | None": "bool?",
    "str": "str",
    "str | None": "str?",
    "torch.dtype | str | None": "ScalarType?",
    "torch.device | str | None": "Device?",
}


_DTYPES = {
    name: getattr(torch, SHORT_NAMES.get(name, name)) for name in (*DTYPES, *SHORT_NAMES, "complex64", "complex128")
}


def is_traced() -> bool:
    """Whether this call is being compiled, exported or traced: values of tensors are not at hand then."""
    compiler = getattr(torch, "compiler", None)
    return getattr(compiler, "is_compiling", bool)() or torch.jit.is_tracing()


def _tensor(value: Any) -> torch.Tensor:
    """float64 has the integers up to 2^32, too."""
    return value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=torch.float64)


def _parameters(function: Callable[..., Any], mutates: tuple[str, ...]) -> dict[str, str]:
    """By name: type, name and default as a schema has them."""
    schema = {}
    for p in inspect.signature(function).parameters.values():
        if p.name == "out" and p.name not in mutates:
            continue
        kind = _TYPES[p.annotation]
        if p.name in mutates:
            kind = f"{kind}(a!)"
        default = "" if p.default is p.empty else f"={p.default}"
        schema[p.name] = f"{kind if default else kind.rstrip('?')} {p.name}{default}"
    return schema


def operator(fake: Callable[..., Any], mutates: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Makes a function's calls those of an operator where they are traced.

    `fake` takes the same arguments and returns tensors without values, of the result's shape, dtype and device. `mutates`
    names the arguments that are written; the operator then returns nothing, and the function its first argument.
    """

    def decorate(function: F) -> F:
        if not _HAS_OPERATORS:
            return function
        parameters = _parameters(function, mutates)
        names = [*parameters]
        ordered = inspect.signature(function).parameters.values()
        by_place = [p.name for p in ordered if p.kind is p.POSITIONAL_OR_KEYWORD]
        pairs = "Pair" in function.__annotations__["return"]
        results = "()" if mutates else "(Tensor cos, Tensor sin)" if pairs else "Tensor"

        def named(call: Callable[..., Any]) -> Callable[..., Any]:
            def kernel(*args: Any, **kwargs: Any) -> Any:
                result = call(**dict(zip(names, args)), **kwargs)
                return None if mutates else (result.cos, result.sin) if isinstance(result, Pair) else result

            return kernel

        name = f"posenc::{function.__name__}"
        schema = f"({', '.join(parameters.values())}) -> {results}"
        if mutates:  # a custom_op tells autograd what is written
            torch.library.custom_op(name, named(function), mutates_args=mutates, schema=schema)
        else:  # takes a third of its time
            _library.define(function.__name__ + schema, tags=_TAGS)
            _library.impl(function.__name__, named(function), "CompositeExplicitAutograd")
        torch.library.register_fake(name, named(fake))
        made = getattr(torch.ops.posenc, function.__name__)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not is_traced():
                return function(*args, **kwargs)
            if len(args) > len(by_place) or any(key in kwargs for key in by_place[: len(args)]):
                raise TypeError(
                    f"{function.__name__} takes {', '.join(by_place)} by place, and others by name, each once"
                )
            given = {**dict(zip(by_place, args)), **kwargs}
            out = None if mutates else given.pop("out", None)
            if out is not None and "dtype" in parameters and given.get("dtype") is None:
                given["dtype"] = (out.cos if pairs else out).dtype
            for key, value in given.items():
                kind = parameters.get(key, "")
                if isinstance(value, torch.Tensor) and value.requires_grad and torch.is_grad_enabled():
                    raise RuntimeError(
                        f"{key} requires a gradient, and {name} has none; call .detach() where that is meant"
                    )
                if key == "dtype":
                    given[key] = _DTYPES.get(value, value)
                elif kind.startswith("Tensor[]") and value is not None:
                    given[key] = [_tensor(each) for each in value]
                elif kind.startswith("Tensor") and value is not None:
                    given[key] = _tensor(value)
            result = made(**given)
            if mutates:
                return args[0] if args else given[mutates[0]]
            if out is None:
                return Pair(*result) if pairs else result
            for there, here in zip((out.cos, out.sin) if pairs else (out,), result if pairs else (result,)):
                if there.shape != here.shape or there.dtype != here.dtype:
                    said = f"shape {tuple(there.shape)} and dtype {there.dtype}"
                    raise ValueError(f"out has {said}; allowed: {tuple(here.shape)} and {here.dtype}")
                there.copy_(here)
            return out

        register = getattr(getattr(torch.jit, "_builtins", None), "_register_builtin", None)  # for torch.jit.script
        if register:
            register(call, name)
        return call  # type: ignore[return-value]

    return decorate
