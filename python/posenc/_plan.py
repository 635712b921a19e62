"""What to compute: arguments to plans, which are kept for the next call with the same."""

from __future__ import annotations

import ctypes
import functools
import numbers
import operator
from typing import Any, NoReturn, SupportsIndex, Tuple

import numpy as np
import numpy.typing as npt

from ._library import MEMORY, Spec, library

MAX_POSITION = 1 << 32
_MESSAGE_SIZE = 512

#: What an element is, and as what NumPy has it; in the order of posenc_dtype.
DTYPES = {"float32": np.dtype("f4"), "float64": np.dtype("f8"), "bfloat16": np.dtype("u2"), "float16": np.dtype("f2")}
_DTYPE_NAMES = list(DTYPES)
#: As in C.
_NAMES = {"layout": ["interleaved", "split"], "order": ["sin_first", "cos_first"], "odd": ["half_pair", "zero"]}
Field = Tuple[str, float]  #: of a spec, and its value
_FIELDS = {*_NAMES, "denominator", "position_scale"}  # None means what the preset says


def fail(status: int) -> NoReturn:
    """Raises what the library refused, in its own words if this thread was."""
    message = ctypes.create_string_buffer(_MESSAGE_SIZE)
    here = library.posenc_last_error(message, _MESSAGE_SIZE) == status
    text = (message.value if here else library.posenc_status_string(status)).decode(errors="replace")
    raise MemoryError(text) if status == MEMORY else ValueError(text)


class Plan:
    """A posenc_plan: immutable, so threads may share it. It is destroyed with the object."""

    __slots__ = ("handle", "d_model", "pairs", "dtype", "_destroy")

    def __init__(
        self, d_model: int, impl: str | None, preset: str | None, freqs: bytes | None, fields: tuple[Field, ...]
    ) -> None:
        self.handle: int | None = None
        self._destroy = library.posenc_plan_destroy  # modules may be gone when the interpreter ends
        spec = Spec()
        status = library.posenc_spec_init(ctypes.byref(spec), d_model, None if preset is None else preset.encode())
        if status:
            fail(status)
        for field, value in fields:
            setattr(spec, field, value)
        if freqs is not None:
            values = np.frombuffer(freqs)
            spec.freqs = values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            spec.n_freqs = len(values)
        chosen = None if impl is None else impl.encode()
        handle = ctypes.c_void_p()
        status = library.posenc_plan_create(ctypes.byref(handle), ctypes.byref(spec), chosen)
        if status:
            fail(status)
        self.handle = handle.value
        self.d_model = d_model
        self.pairs = d_model // 2 if spec.odd == _NAMES["odd"].index("zero") else (d_model + 1) // 2  #: frequencies
        self.dtype = _DTYPE_NAMES[spec.dtype]

    def __del__(self) -> None:
        if self.handle:
            self._destroy(self.handle)

    def spec(self) -> Spec:
        """A copy of the plan's spec, whose frequencies live as long as the plan."""
        return Spec.from_buffer_copy(library.posenc_plan_spec(self.handle).contents)

    def for_parts(self, rows: int) -> Plan:
        """The same for calls that each write a part of a table of so many rows."""
        spec, handle = self.spec(), ctypes.c_void_p()
        spec.rows = rows
        plan = object.__new__(Plan)
        plan.handle, plan._destroy = None, self._destroy
        plan.d_model, plan.pairs, plan.dtype = self.d_model, self.pairs, self.dtype
        impl = library.posenc_plan_impl(self.handle)
        status = library.posenc_plan_create(ctypes.byref(handle), ctypes.byref(spec), impl)
        if status:
            fail(status)
        plan.handle = handle.value
        return plan


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


def real(name: str, value: Any, allowed: str = "a number") -> float:
    """A number as float64, or an error that names it; its range is the library's to judge."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; allowed: {allowed}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for float64; allowed: {allowed}") from None


def dtype_name(dtype: Any) -> str:
    """ "float32", "float64", "bfloat16" or "float16", from such a name or a NumPy dtype, of ml_dtypes too."""
    if isinstance(dtype, str) and dtype in DTYPES:
        return dtype
    try:
        known = np.dtype(dtype)
    except TypeError:
        known = None
    if dtype is None or known is None or known.name not in DTYPES or not known.isnative:
        raise TypeError(f"dtype is {dtype!r}; allowed: {', '.join(DTYPES)}")
    return known.name


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of new arrays: float32 for None, uint16 for "bfloat16", and for a NumPy dtype itself."""
    if dtype is None or isinstance(dtype, str):
        return DTYPES[dtype_name(dtype or "float32")]
    return np.dtype(dtype)


def _choice(name: str, value: Any) -> int:
    names = _NAMES[name]
    if not isinstance(value, str) or value not in names:
        error = ValueError if isinstance(value, str) else TypeError
        raise error(f"{name} is {value!r}; allowed: {' or '.join(map(repr, names))}")
    return names.index(value)


def _text(name: str, value: Any, where: str) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise TypeError(f"{name} is {value!r}; allowed: a name ({where} lists them) or None")
    return value


def _freqs(freqs: npt.ArrayLike) -> bytes:
    array = np.asarray(freqs)
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise ValueError(
            f"freqs has shape {array.shape} and dtype {array.dtype}; allowed: one axis of numbers, "
            f"a frequency for each pair of columns"
        )
    return array.astype(np.float64).tobytes()


def plan(
    d_model: SupportsIndex,
    base: float | None = None,
    freqs: npt.ArrayLike | None = None,
    impl: str | None = None,
    *,
    preset: str | None = None,
    dtype: npt.DTypeLike | None = None,
    **more: Any,
) -> Plan:
    """A plan; the arguments are those of posenc.table, None meaning what the preset says, and float32."""
    fields: list[Field] = []
    if base is not None:
        fields.append(("base", real("base", base, "a number above 0")))
    for name, value in more.items():
        if name not in _FIELDS:
            raise TypeError(f"there is no argument {name!r}; those that say what to compute are {', '.join(SPEC)}")
        if value is None:
            continue
        if name in _NAMES:
            fields.append((name, _choice(name, value)))
            continue
        number = real(name, value)
        if number == 0:  # which in C means that the field was not set
            raise ValueError(f"{name} is 0; allowed: a number that is not 0, or None")
        fields.append((name, number))
    # Always said, so that those who name float32 and those who do not have one plan.
    fields.append(("dtype", 0 if dtype is None else _DTYPE_NAMES.index(dtype_name(dtype))))
    return _cached(
        index("d_model", d_model, 1, 1 << 20),
        None if impl is None else _text("impl", impl, "posenc.implementations()"),
        None if preset is None else _text("preset", preset, "posenc.presets()"),
        None if freqs is None else _freqs(freqs),
        tuple(fields),
    )


#: The arguments that say what to compute, beside d_model.
SPEC = ("preset", "dtype", "base", "denominator", "freqs", "position_scale", "layout", "order", "odd", "impl")
