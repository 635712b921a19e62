"""Tells from its code whether a class computes sines and cosines."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Iterator

from torch import nn

#: Methods of transformers' models that fill parameters and buffers, perhaps with the values of a table.
_FILL = ("_init_weights", "initialize_weights")


@functools.lru_cache(maxsize=1024)
def method_of_sines(kind: type[Any]) -> str:
    """Returns the first method of the class that computes both sines and cosines, or torch.polar; else "".

    A method also counts if a function that it names does so. Functions of PyTorch and of posenc are not searched."""
    seen: set[Any] = set()
    for each in kind.__mro__:
        if each is nn.Module or _is_outside(each.__module__):
            break
        for name, value in vars(each).items():
            if name not in _FILL and _computes(value, seen):
                return name
    return ""


def _is_outside(module: str | None) -> bool:
    return (module or "builtins").partition(".")[0] in ("builtins", "torch", "numpy", "posenc")


def _computes(value: Any, seen: set[Any]) -> bool:
    value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    function = inspect.unwrap(value) if callable(value) else None
    if not isinstance(function, types.FunctionType) or function in seen or _is_outside(function.__module__):
        return False
    seen.add(function)
    names = {*_names(function.__code__)}
    if names >= {"sin", "cos"} or "polar" in names:
        return True
    return any(_computes(function.__globals__.get(name), seen) for name in names)


def _names(code: types.CodeType) -> Iterator[str]:
    """Yields the global names and the attributes in a function's code, and in functions that it defines."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
