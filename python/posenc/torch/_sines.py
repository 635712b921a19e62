"""Tells from the code of a class whether it computes sines and cosines."""

from __future__ import annotations

import dis
import functools
import types
from typing import Any, Iterator

from torch import nn

#: Methods of transformers' models that fill parameters and buffers, perhaps with the values of a table.
_FILL = ("_init_weights", "initialize_weights")
_OUTSIDE = ("builtins", "torch", "numpy", "posenc")
_CACHED = type(functools.lru_cache(lambda: None))
_LOADS = ("LOAD_ATTR", "LOAD_METHOD")
_HAS_LOAD_METHOD = "LOAD_METHOD" in dis.opmap  # until Python 3.11; then the last bit of LOAD_ATTR means a method


def computing_method(kind: type[Any]) -> str:
    """Returns the first method of the class that calls both `sin` and `cos`, or `polar`; else "".

    A function of the same module, or one imported from another module, counts as part of the method that names it.
    Functions and classes of PyTorch, NumPy and posenc are not searched. No code of the class runs."""
    seen: set[types.FunctionType] = set()
    for each in type.mro(kind):
        module = type.__getattribute__(each, "__dict__").get("__module__")
        if each is nn.Module or _is_outside(module):
            continue
        for name, value in type.__getattribute__(each, "__dict__").items():
            if name not in _FILL and _computes(value, seen):
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
    while type(value) in (types.FunctionType, _CACHED) and "__wrapped__" in vars(value):
        value = vars(value)["__wrapped__"]
    return value if type(value) is types.FunctionType else None


def _computes(value: Any, seen: set[types.FunctionType]) -> bool:
    found = [value]
    while found:
        function = _function(found.pop())
        if function is None or function in seen or _is_outside(function.__module__):
            continue
        seen.add(function)
        called = {*_called(function.__code__)}
        names = {name.rstrip("_") for name in called}
        if names >= {"sin", "cos"} or "polar" in names:
            return True
        found += [value for name, value in function.__globals__.items() if name in called]
    return False


def _called(code: types.CodeType) -> Iterator[str]:
    """Yields global names, attributes of globals, and methods that a function or one defined in it calls.

    An attribute of anything else, such as the field `cos` of a result, is no call."""
    before = ""
    for step in dis.get_instructions(code):
        is_method = step.opname == "LOAD_METHOD" or not _HAS_LOAD_METHOD and (step.arg or 0) & 1
        if step.opname == "LOAD_GLOBAL" or step.opname in _LOADS and (is_method or before == "LOAD_GLOBAL"):
            yield str(step.argval)
        before = step.opname
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _called(constant)
