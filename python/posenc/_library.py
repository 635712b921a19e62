"""The shared library, its functions as declared in include/posenc.h, and its lists of implementations and presets."""

from __future__ import annotations

import ctypes
import pathlib
import sys
from typing import NamedTuple

VERSION = "1.0.0"  # the version in include/posenc.h; a test compares the two
_MAJOR = VERSION.split(".")[0]
_NAMES = {"win32": f"posenc-{_MAJOR}.dll", "darwin": f"libposenc.{_MAJOR}.dylib"}
NAME = _NAMES.get(sys.platform, f"libposenc.so.{_MAJOR}")
MEMORY = 8  # POSENC_ERROR_MEMORY


class Implementation(NamedTuple):
    """One algorithm for one instruction set. `implementations` describes the fields."""

    name: str
    family: str
    isa: str
    arithmetic: str
    summary: str
    bound: str
    evidence: str
    dtypes: tuple[str, ...]
    correctly_rounded: bool
    supported: bool
    default: bool


class Preset(NamedTuple):
    """The table of a real system. `presets` describes the fields."""

    name: str
    formula: str
    users: str
    starts: str


_TEXTS = Implementation._fields[:8]  # from name to dtypes, in the order of posenc_impl


class Spec(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("d_model", ctypes.c_int64),
        ("base", ctypes.c_double),
        ("denominator", ctypes.c_double),
        ("freqs", ctypes.POINTER(ctypes.c_double)),
        ("freqs_low", ctypes.POINTER(ctypes.c_double)),
        ("n_freqs", ctypes.c_int64),
        ("position_scale", ctypes.c_double),
        *((name, ctypes.c_int32) for name in ("layout", "order", "odd", "dtype")),
        ("table_rows", ctypes.c_int64),
        ("reserved", ctypes.c_uint64 * 4),
    ]


class ImplStruct(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_char_p) for name in _TEXTS), ("correctly_rounded", ctypes.c_int)]


class PresetStruct(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in Preset._fields]


class Rotary(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("d_model", ctypes.c_int64),
        ("base", ctypes.c_double),
        ("scaling", ctypes.c_int32),
        ("truncate", ctypes.c_int32),
        ("factor", ctypes.c_double),
        ("attention_factor", ctypes.c_double),
        ("length", ctypes.c_int64),
        ("max_position_embeddings", ctypes.c_int64),
        ("original_max_position_embeddings", ctypes.c_int64),
        *((name, ctypes.c_double) for name in ("beta_fast", "beta_slow", "mscale", "mscale_all_dim")),
        *((name, ctypes.c_double) for name in ("low_freq_factor", "high_freq_factor")),
        ("short_factor", ctypes.POINTER(ctypes.c_float)),
        ("long_factor", ctypes.POINTER(ctypes.c_float)),
        ("reserved", ctypes.c_uint64 * 6),
    ]


_PLAN, _POINTER, _INT, _TEXT, _REAL = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p, ctypes.c_double
_SPEC, _IMPL = ctypes.POINTER(Spec), ctypes.POINTER(ImplStruct)

_FUNCTIONS = {  # name: (result, arguments)
    "posenc_status_string": (_TEXT, [ctypes.c_int]),
    "posenc_last_error": (ctypes.c_int, [_TEXT, ctypes.c_size_t]),
    "posenc_preset_count": (ctypes.c_size_t, []),
    "posenc_preset_by_index": (ctypes.POINTER(PresetStruct), [ctypes.c_size_t]),
    "posenc_spec_init": (ctypes.c_int, [_SPEC, _INT, _TEXT]),
    "posenc_rotary_init": (ctypes.c_int, [ctypes.POINTER(Rotary), _INT, ctypes.c_int]),
    "posenc_rotary_freqs": (ctypes.c_int, [ctypes.POINTER(Rotary), _POINTER, _POINTER, ctypes.POINTER(_REAL)]),
    "posenc_impl_count": (ctypes.c_size_t, []),
    "posenc_impl_by_index": (_IMPL, [ctypes.c_size_t]),
    "posenc_impl_find": (_IMPL, [_TEXT]),
    "posenc_impl_supported": (ctypes.c_int, [_IMPL]),
    "posenc_plan_create": (ctypes.c_int, [ctypes.POINTER(_PLAN), _SPEC, _TEXT]),
    "posenc_plan_destroy": (None, [_PLAN]),
    "posenc_plan_impl": (_TEXT, [_PLAN]),
    "posenc_plan_spec": (_SPEC, [_PLAN]),
    "posenc_plan_phases": (ctypes.c_int, [_PLAN, _POINTER, _POINTER, _POINTER]),
    "posenc_fill": (ctypes.c_int, [_PLAN, _INT, _INT, _POINTER, _INT]),
    "posenc_fill_at": (ctypes.c_int, [_PLAN, _POINTER, _INT, _POINTER, _INT]),
    "posenc_fill_at_real": (ctypes.c_int, [_PLAN, _POINTER, _INT, _POINTER, _INT]),
    "posenc_fill_pair": (ctypes.c_int, [_PLAN, _INT, _INT, _POINTER, _POINTER, _INT]),
}


def find() -> str:
    """Returns the path of the library inside the package, or else the name by which the dynamic linker finds it.

    An editable installation has two directories: one with the sources, and one with the library."""
    candidates = [pathlib.Path(directory) / NAME for directory in sys.modules[__package__].__path__]
    return next((str(path) for path in candidates if path.exists()), NAME)


def load(name: str) -> ctypes.CDLL:
    """Loads the library and declares its functions. An ImportError says what is wrong and how to fix it."""
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        todo = "a wheel of posenc contains it; on Linux, ldconfig or LD_LIBRARY_PATH can name the folder of another one"
        if name != NAME:
            todo = "it came with the package, so install the package again, for this kind of machine"
        raise ImportError(f"posenc needs the library {NAME}, which cannot be loaded ({error}): {todo}") from error
    try:
        library.posenc_version.restype = ctypes.c_char_p
        version = library.posenc_version().decode()
    except AttributeError as error:
        raise ImportError(f"{name} is no posenc library: {error}") from error
    if version.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(
            f"the Python package posenc is version {VERSION}, but the library {name} is version {version}; "
            f"install both from the same release"
        )
    for function, (result, arguments) in _FUNCTIONS.items():
        try:
            declared = getattr(library, function)
        except AttributeError as error:
            raise ImportError(f"the library {name} is too old for this Python package posenc: {error}") from error
        declared.restype = result
        declared.argtypes = arguments
    return library


library = load(find())


def implementations() -> list[Implementation]:
    """Returns the implementations in the loaded library: each is one algorithm for one instruction set.

    The members of a family follow each other, those with the widest vectors first. The name of a family means its first
    supported member. Each implementation is a named tuple:

    - name: the name that `impl=` takes
    - family: its name without the instruction set, which `impl=` takes too
    - isa: the instruction set, "avx2", for example, or "any"
    - arithmetic: the arithmetic of angle and sine, such as "float32 libm"
    - summary: what it computes, in one line
    - bound: an upper bound of the distance between output and real value, as a formula
    - evidence: the basis of the bound: "proved", "upstream" (claims of libm or SLEEF) or "measured"
    - dtypes: the dtypes that it computes
    - correctly_rounded: whether every output is the number of the dtype that is nearest to the real value
    - supported: whether this machine can run it
    - default: whether this machine runs it with ``impl=None``
    """
    default = library.posenc_impl_find(None).contents.name.decode()
    rows = []
    for i in range(library.posenc_impl_count()):
        row = library.posenc_impl_by_index(i)
        *texts, dtypes = [getattr(row.contents, name).decode() for name in _TEXTS]
        flags = row.contents.correctly_rounded, library.posenc_impl_supported(row), texts[0] == default
        rows.append(Implementation(*texts, tuple(dtypes.split()), *map(bool, flags)))
    return rows


def presets() -> list[Preset]:
    """Returns the presets: the tables of real systems that `preset=` names.

    Each preset is a named tuple with the fields name, formula, users and starts; ``python3 -m posenc presets`` prints
    them. In formulas, d is d_model and n is ``d // 2``. `starts` is the position at which the users start. Presets
    never shift positions: give that position as ``first=``.
    """
    rows = [library.posenc_preset_by_index(i).contents for i in range(library.posenc_preset_count())]
    return [Preset(*(getattr(row, name).decode() for name in Preset._fields)) for row in rows]
