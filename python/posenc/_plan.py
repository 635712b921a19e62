"""Plans: created once per spec and implementation, and kept for the next call with the same."""

import ctypes
import functools
import operator

import numpy as np

from ._library import MEMORY, library

_MESSAGE_SIZE = 512


def fail(status, check, *arguments):
    """Raises what a status means, in the library's own words: `check` is the function that gives them."""
    message = ctypes.create_string_buffer(_MESSAGE_SIZE)
    check(*arguments, message, _MESSAGE_SIZE)
    text = (message.value or library.posenc_status_string(status)).decode()
    raise MemoryError(text) if status == MEMORY else ValueError(text)


class Plan:
    """A posenc_plan: immutable, so threads may share it. It is destroyed with the object."""

    __slots__ = ("handle", "d_model", "_destroy")

    def __init__(self, d_model, base, freqs, impl):
        self.handle = None
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

    def __del__(self):
        if self.handle:
            self._destroy(self.handle)


_cached = functools.lru_cache(maxsize=8)(Plan)  # some 500 KiB each at d_model 512


def plan(d_model, base, freqs, impl):
    """A plan; the arguments are those of posenc.table."""
    if freqs is not None:
        freqs = np.ascontiguousarray(freqs, dtype=np.float64)
        if freqs.ndim != 1:
            raise ValueError(f"freqs has shape {freqs.shape}; allowed: one axis, a frequency for each pair of columns")
        freqs = freqs.tobytes()
    if impl is not None and not isinstance(impl, str):
        raise TypeError(f"impl is {impl!r}; allowed: a name (posenc.implementations() lists them) or None")
    return _cached(operator.index(d_model), float(base), freqs, impl)
