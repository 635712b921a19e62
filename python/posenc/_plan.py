"""Turns arguments into plans, and keeps plans for later calls with the same arguments."""

from __future__ import annotations

import ctypes
import difflib
import functools
import math
import numbers
import operator
from typing import Any, Iterable, Literal, SupportsIndex, get_args

import numpy as np
import numpy.typing as npt

from ._library import MEMORY, Spec, implementations, library, presets

MAX_POSITION = 1 << 32
_MESSAGE_SIZE = 512

#: The name of each element type and its NumPy dtype, in the order of posenc_dtype. NumPy has no bfloat16.
DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype("uint16" if name == "bfloat16" else name)
    for name in library.posenc_impl_find(b"exact").contents.dtypes.decode().split()
}
#: The names that arguments accept, for type checkers and editors.
PresetName = Literal[
    "paper", "marian", "t2t", "ddpm", "fairseq", "whisper", "musicgen", "guided_diffusion", "diffusers", "rope", "rothman"
]  # fmt: skip
Layout = Literal["interleaved", "split"]
Order = Literal["sin_first", "cos_first"]
Odd = Literal["half_pair", "zero"]
Duplicated = Literal["halves", "pairs"]
DtypeName = Literal["float32", "float64", "bfloat16", "float16"]
#: The fields of a spec whose values are C enumerators, and the names of the enumerators, in their order.
_ENUMERATORS = {"layout": get_args(Layout), "order": get_args(Order), "odd": get_args(Odd), "dtype": tuple(DTYPES)}


def check(status: int) -> None:
    """Raises an error unless the status is 0. Its message is this thread's last error, if that has the same status."""
    if status:
        message = ctypes.create_string_buffer(_MESSAGE_SIZE)
        is_last = library.posenc_last_error(message, _MESSAGE_SIZE) == status
        text = (message.value if is_last else library.posenc_status_string(status)).decode(errors="replace")
        raise MemoryError(text) if status == MEMORY else ValueError(text)


def n_freqs(spec: Spec) -> int:
    """Returns the number of frequencies."""
    return (spec.d_model + (_ENUMERATORS["odd"][spec.odd] == "half_pair")) // 2


def column_freqs(spec: Spec) -> npt.NDArray[Any]:
    """Returns the index of each column's frequency. For a column of zeros it is n_freqs(spec)."""
    n, column = n_freqs(spec), np.arange(spec.d_model)
    return np.where(column < 2 * n, column % n if _ENUMERATORS["layout"][spec.layout] == "split" else column // 2, n)


class Plan:
    """A posenc_plan. It is immutable, so threads may share it, and is destroyed with this object."""

    __slots__ = ("handle", "d_model", "dtype", "_destroy", "_parts")

    def __init__(self, spec: Spec, impl: bytes | None) -> None:
        self.handle: int | None = None
        self._destroy = library.posenc_plan_destroy  # at interpreter exit, this module may be gone before the plan
        self._parts: tuple[int, Plan] | None = None  # the last result of for_parts
        self.d_model, self.dtype = int(spec.d_model), _ENUMERATORS["dtype"][spec.dtype]
        handle = ctypes.c_void_p()
        check(library.posenc_plan_create(ctypes.byref(handle), ctypes.byref(spec), impl))
        self.handle = handle.value

    def __del__(self) -> None:
        if self.handle:
            self._destroy(self.handle)

    def spec(self) -> Spec:
        """Returns a copy of the plan's spec. Its frequencies live as long as the plan."""
        return Spec.from_buffer_copy(library.posenc_plan_spec(self.handle).contents)

    def phases(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """Returns whole, fraction and rest, as posenc_plan_phases does.

        The frequencies times position_scale are whole + fraction / 2^64 + rest turns."""
        n = n_freqs(self.spec())
        whole, fraction, rest = np.empty(n), np.empty(n, np.uint64), np.empty(n)
        check(library.posenc_plan_phases(self.handle, *(array.ctypes.data for array in (whole, fraction, rest))))
        return whole, fraction, rest

    def for_parts(self, rows: int) -> Plan:
        """Returns the same plan for calls that each write a part of a table of `rows` rows."""
        if self._parts is not None and self._parts[0] == rows:
            return self._parts[1]
        spec = self.spec()
        spec.table_rows = rows
        plan = Plan(spec, library.posenc_plan_impl(self.handle))
        self._parts = rows, plan
        return plan


def _create(d_model: Any, freqs: Any, freqs_low: Any, preset: Any = None, impl: Any = None, **fields: Any) -> Plan:
    """Returns a new plan. Frequencies are bytes of float64. `fields` are other fields of the spec, or None."""
    columns = index("d_model", d_model, 1, 1 << 20)
    impl_name = _encoded("impl", impl, "posenc.implementations()")
    preset_name = _encoded("preset", preset, "posenc.presets()")
    if impl is not None and not library.posenc_impl_find(impl_name):
        names = _impl_names()
        needs_sleef = impl.startswith("sleef") and not any(name.startswith("sleef") for name in names)
        raise ValueError(unknown("this build has no SLEEF: impl is" if needs_sleef else "impl is", impl, names))
    spec = Spec()
    status = library.posenc_spec_init(ctypes.byref(spec), columns, preset_name)
    if status and preset is not None and preset not in (names := [row.name for row in presets()]):
        raise ValueError(unknown("preset is", preset, names))
    check(status)
    for name, value in fields.items():
        if value is not None:
            setattr(spec, name, _enumerator(name, value) if name in _ENUMERATORS else _number(name, value))
    if freqs is not None:
        n, needed = len(freqs) // 8, n_freqs(spec)
        if n != needed:
            raise ValueError(f"freqs has {n} number{'s' * (n != 1)}; needed: {needed}, one per pair of columns")
        spec.n_freqs, spec.freqs = n, (ctypes.c_double * n).from_buffer_copy(freqs)
    if freqs_low is not None:
        n = len(freqs_low) // 8
        if n != spec.n_freqs:
            raise ValueError(f"freqs_low has {n} numbers; allowed: as many as freqs, {spec.n_freqs}, or None")
        spec.freqs_low = (ctypes.c_double * n).from_buffer_copy(freqs_low)
    return Plan(spec, impl_name)


#: A plan takes about 160 KiB at d_model 512, and 21 MB at most. The key includes the types: True is not 1.
_cached = functools.lru_cache(maxsize=8, typed=True)(_create)


def index(name: str, value: SupportsIndex, least: int, most: int, hint: str = "") -> int:
    """Returns an integer argument as an int, or raises an error that names it."""
    if type(value) is int and least <= value <= most:
        return value
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; allowed: an integer")
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; allowed: {least} to {most}{hint}")
    return number


def real(name: str, value: Any, allowed: str = "a finite number") -> float:
    """Returns a finite number as a float, or raises an error that names it. The library checks the range."""
    # isinstance is slow with an abstract class, so it is the last.
    if isinstance(value, bool) or not isinstance(value, (int, float, numbers.Real)):
        raise TypeError(f"{name} is {value!r}; allowed: {allowed}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for float64; allowed: {allowed}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} is {number}; allowed: {allowed}")
    return number


def unknown(what: str, value: Any, allowed: Iterable[str]) -> str:
    """Returns the message for a value that is not an allowed name. It suggests the most similar name, and lists all."""
    names = [*allowed]
    near = difflib.get_close_matches(value.lower(), names, 1) if isinstance(value, str) else []
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"{what} {value!r}{hint}; allowed: {', '.join(map(repr, names))}"


def _impl_names() -> list[str]:
    """Returns the names that `impl` accepts: exact and anchored, then each implementation after its family."""
    names = [name for row in implementations() for name in (row.family, row.name)]
    return [*dict.fromkeys(["exact", "anchored", *names])]


def refuse_mask(name: str, array: Any) -> None:
    """Raises a TypeError for a masked array, whose mask would be ignored."""
    # The first two conditions are quick, and NumPy 2 imports numpy.ma when it is named.
    if type(array) is not np.ndarray and isinstance(array, np.ndarray) and isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} is a numpy.ma.MaskedArray; allowed: arrays without a mask")


@functools.lru_cache(maxsize=32)
def exact_type(name: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns int64 or float64, whichever holds every number of this dtype exactly, or raises a TypeError."""
    # The dtypes of ml_dtypes, which jax.numpy uses too, have the kind "V". NumPy knows which casts keep their values.
    for exact in np.dtype("int64"), np.dtype("float64"):
        if dtype.kind == "u" or dtype.kind != "b" and np.can_cast(dtype, exact):
            return exact
    raise TypeError(f"{name} have dtype {dtype}; allowed: integers, float16, float32, float64 and those of ml_dtypes")


def name_of(dtype: Any) -> str:
    """Returns the name of a dtype of NumPy, ml_dtypes or PyTorch, or of an argument of numpy.dtype(); else ""."""
    if isinstance(dtype, str) and dtype in DTYPES:
        return dtype
    if type(dtype).__module__ == "torch":
        return str(dtype).replace("torch.", "")
    try:
        known = np.dtype(dtype)
    except TypeError:
        return ""
    return known.name if dtype is not None and known.isnative else ""


def dtype_name(dtype: Any) -> str:
    """Returns the name of an element type of the library, or raises a TypeError."""
    name = name_of(dtype)
    if name not in DTYPES:
        raise TypeError(unknown("dtype is", dtype, DTYPES) + ", and these dtypes of NumPy, ml_dtypes and PyTorch")
    return name


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """Returns the dtype of new arrays: float32 for None, uint16 for "bfloat16", and a NumPy dtype unchanged."""
    if dtype is None:
        return DTYPES["float32"]
    is_named = isinstance(dtype, str) or type(dtype).__module__ == "torch"
    return DTYPES[dtype_name(dtype)] if is_named else np.dtype(dtype)


def _enumerator(name: str, value: Any) -> int:
    """Returns the value of the C enumerator with this name, or raises an error that names the argument."""
    names = _ENUMERATORS[name]
    if not isinstance(value, str) or value not in names:
        raise (ValueError if isinstance(value, str) else TypeError)(unknown(f"{name} is", value, names))
    return names.index(value)


def _number(name: str, value: Any) -> float:
    """Returns a field of the spec as a float, or raises an error that names the argument."""
    if name == "base":
        return real(name, value, "a finite number above 0")
    number = real(name, value)
    if number == 0:  # in C, 0 means that the field is not set
        raise ValueError(f"{name} is 0; allowed: a number that is not 0, or None")
    return number


def _encoded(name: str, value: Any, where: str) -> bytes | None:
    """Returns the name of an implementation or a preset for C, or raises an error that names the argument."""
    if value is None:
        return None
    if not isinstance(value, str) or "\0" in value:
        raise TypeError(f"{name} is {value!r}; allowed: a name ({where} lists them) or None")
    return value.encode()


def as_numbers(name: str, freqs: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Returns frequencies as float64, without rounding."""
    refuse_mask(name, freqs)
    array = np.asarray(freqs)
    exact_type(name, array.dtype)
    if array.ndim != 1:
        allowed = "one axis of numbers, a frequency for each pair of columns"
        raise ValueError(f"{name} has shape {array.shape} and dtype {array.dtype}; allowed: {allowed}")
    exact = array.astype(np.float64)
    elements: Any = freqs if isinstance(freqs, (list, tuple)) else array  # a list may mix integers and floats
    for i in np.flatnonzero(abs(exact) >= 2.0**53):
        if isinstance(elements[i], numbers.Integral) and int(elements[i]) != (near := int(exact[i])):
            raise ValueError(f"{name}[{i}] is {elements[i]}; allowed: integers that float64 has, such as {near}")
    return exact


def plan(d_model: Any, dtype: Any = None, *, freqs: Any = None, freqs_low: Any = None, **others: Any) -> Plan:
    """Returns a plan for these arguments of `posenc.table`, from the cache if it has one."""
    others["dtype"] = "float32" if dtype is None else dtype_name(dtype)
    w = None if freqs is None else as_numbers("freqs", freqs).tobytes()
    low = None if freqs_low is None else as_numbers("freqs_low", freqs_low).tobytes()
    try:
        return _cached(d_model, w, low, **others)
    except TypeError:  # perhaps an argument cannot be hashed; the errors of _create name it
        pass
    return _create(d_model, w, low, **others)
