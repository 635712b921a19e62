"""Plans: created once per spec and implementation, and kept for the next call with the same."""

from __future__ import annotations

import ctypes
import functools
import numbers
import operator
from typing import Any, Callable, NoReturn, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._library import MEMORY, library

_MESSAGE_SIZE = 512


def fail(status: int, check: Callable[..., int], *arguments: Any) -> NoReturn:
    """Raises what a status means, in the library's own words: `check` is the function that gives them."""
    message = ctypes.create_string_buffer(_MESSAGE_SIZE)
    check(*arguments, message, _MESSAGE_SIZE)
    text = (message.value or library.posenc_status_string(status)).decode(errors="replace")
    raise MemoryError(text) if status == MEMORY else ValueError(text)


class Plan:
    """A posenc_plan: immutable, so threads may share it. It is destroyed with the object."""

    __slots__ = ("handle", "d_model", "_destroy")

    def __init__(self, d_model: int, base: float, freqs: bytes | None, impl: str | None) -> None:
        self.handle: int | None = None
        self._destroy = library.posenc_plan_destroy  # modules may be gone when the interpreter ends
        self.d_model = d_model
        spec = library.posenc_spec_default(d_model)
        spec.base = base
        if freqs is not None:
            values = np.frombuffer(freqs)
            spec.freqs = values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            spec.n_freqs = len(values)
        name = None if impl is None else impl.encode()
        handle = ctypes.c_void_p()
        status = library.posenc_plan_create(ctypes.byref(handle), ctypes.byref(spec), name)
        if status:
            fail(status, library.posenc_plan_check, ctypes.byref(spec), name)
        self.handle = handle.value

    def __del__(self) -> None:
        if self.handle:
            self._destroy(self.handle)


_cached = functools.lru_cache(maxsize=8)(Plan)  # some 500 KiB each at d_model 512, 17 MB at most


def index(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """An integer argument, or an error that names it."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; allowed: an integer") from None
    if isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; allowed: an integer")
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; allowed: {least} to {most}")
    return number


def plan(d_model: SupportsIndex, base: float, freqs: npt.ArrayLike | None, impl: str | None) -> Plan:
    """A plan; the arguments are those of posenc.table."""
    data = None
    if freqs is not None:
        array = np.asarray(freqs)
        if array.ndim != 1 or array.dtype.kind not in "iuf":
            raise ValueError(
                f"freqs has shape {array.shape} and dtype {array.dtype}; allowed: one axis of numbers, "
                f"a frequency for each pair of columns"
            )
        data = array.astype(np.float64).tobytes()
    if not isinstance(base, numbers.Real):
        raise TypeError(f"base is {base!r}; allowed: a number above 1")
    if impl is not None and (not isinstance(impl, str) or "\0" in impl):
        raise TypeError(f"impl is {impl!r}; allowed: a name (posenc.implementations() lists them) or None")
    return _cached(index("d_model", d_model, 1, 1 << 20), float(base), data, impl)
