"""Finds the classes that compute sines and cosines, by the names in their code. No code of a class runs."""

from __future__ import annotations

import functools
import types
from typing import Any, Dict, Iterator

from torch import nn

#: Methods of transformers' models that fill parameters and buffers, perhaps with the values of a table.
_FILL = ("_init_weights", "initialize_weights")
_OUTSIDE = ("builtins", "torch", "numpy", "posenc")
_CACHED = type(functools.lru_cache(lambda: None))
Searched = Dict[types.FunctionType, bool]  #: functions that were searched, and whether they compute sines and cosines


def computing_method(kind: type[Any], searched: Searched) -> str:
    """Returns the first method of the class that uses the names `sin` and `cos`, or `polar`; else "".

    A function that the method names counts as a part of it. Functions and classes of PyTorch, NumPy and posenc are not
    searched. Code that only reads fields of these names is found too. Code with other names for them is not."""
    for each in type.mro(kind):
        fields = type.__getattribute__(each, "__dict__")
        if each is not nn.Module and not _is_outside(fields.get("__module__")):
            for name, value in fields.items():
                if name not in _FILL and _computes(_function(value), searched):
                    return name
    return ""


def _is_outside(module: Any) -> bool:
    return not isinstance(module, str) or module.partition(".")[0] in _OUTSIDE


def _function(value: Any) -> types.FunctionType | None:
    """Returns the Python function in a class's or a module's variable. It looks at types only, as other objects may run
    code when they are asked for an attribute."""
    kind = type(value)
    if kind is property:
        value = value.fget
    elif kind in (staticmethod, classmethod):
        value = value.__func__
    elif kind is functools.cached_property:
        value = value.func
    elif kind is _CACHED:
        value = value.__wrapped__
    return value if type(value) is types.FunctionType else None


def _computes(function: types.FunctionType | None, searched: Searched) -> bool:
    if function is None or _is_outside(function.__module__):
        return False
    if function not in searched:
        searched[function] = False  # functions may name each other
        names = {*_names(function.__code__)}
        others = [function.__globals__.get(name) for name in names] + [vars(function).get("__wrapped__")]
        searched[function] = (
            "polar" in names
            or names >= {"sin", "cos"}
            or any(_computes(_function(other), searched) for other in others)
        )
    return searched[function]


def _names(code: types.CodeType) -> Iterator[str]:
    """Yields the global names and the attributes in the code of a function, and of those defined in it."""
    yield from (name.rstrip("_") for name in code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
