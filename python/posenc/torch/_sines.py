"""Finds the classes that compute sines and cosines, by the names in their code. No code of a class runs."""

from __future__ import annotations

import functools
import types
from typing import Any, Iterator

from torch import nn

#: Methods of transformers' models that fill parameters and buffers, perhaps with the values of a table.
_FILL = ("_init_weights", "initialize_weights")
_OUTSIDE = ("builtins", "torch", "numpy", "posenc")
_CACHED = type(functools.lru_cache(lambda: None))


@functools.lru_cache(maxsize=1024)
def computing_method(cls: type[Any]) -> str:
    """Returns the first method of the class that uses the names `sin` and `cos`, or `polar`; else "".

    A function that the method names counts as a part of it. Functions and classes of PyTorch, NumPy and posenc are not
    searched. Code that only reads fields of these names is found too. Code with other names for them is not."""
    for base in type.mro(cls):
        fields = type.__getattribute__(base, "__dict__")
        if base is not nn.Module and not _is_outside(fields.get("__module__")):
            for name, value in fields.items():
                if name not in _FILL and _computes(_function(value)):
                    return name
    return ""


def _is_outside(module: Any) -> bool:
    return not isinstance(module, str) or module.partition(".")[0] in _OUTSIDE


def _function(value: Any) -> types.FunctionType | None:
    """Returns the Python function in a variable of a class or module, or None.

    It reads attributes of known types only: other objects may run code when an attribute is read."""
    cls = type(value)
    if cls is property:
        value = value.fget
    elif cls in (staticmethod, classmethod):
        value = value.__func__
    elif cls is functools.cached_property:
        value = value.func
    elif cls is _CACHED:
        value = value.__wrapped__
    return value if type(value) is types.FunctionType else None


def _computes(function: types.FunctionType | None) -> bool:
    """Whether a function, or a function that it names or wraps, uses these names in its code."""
    searched, pending = set(), [function]
    while pending:
        function = pending.pop()
        if function is None or function in searched or _is_outside(function.__module__):
            continue
        searched.add(function)
        names = {*_names(function.__code__)}
        if "polar" in names or names >= {"sin", "cos"}:
            return True
        pending += [_function(function.__globals__.get(name)) for name in names]
        pending.append(_function(vars(function).get("__wrapped__")))
    return False


def _names(code: types.CodeType) -> Iterator[str]:
    """Yields the global names and the attributes in the code of a function, and of those defined in it."""
    yield from (name.rstrip("_") for name in code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
