"""The shared library and its functions, as include/posenc.h declares them."""

import ctypes
import pathlib

VERSION = "0.1.0"  # of include/posenc.h; a test compares them

SONAME = "libposenc.so.0"
MEMORY = 8  # POSENC_ERROR_MEMORY


class Spec(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("d_model", ctypes.c_int64),
        ("base", ctypes.c_double),
        ("denominator", ctypes.c_double),
        ("freqs", ctypes.POINTER(ctypes.c_double)),
        ("n_freqs", ctypes.c_int64),
    ]


class Impl(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("name", "isa", "arithmetic", "summary", "bound", "evidence")]


_PLAN, _POINTER, _INT, _TEXT = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p
_MESSAGE = [ctypes.c_char_p, ctypes.c_size_t]
_FUNCTIONS = {  # name: (result, arguments)
    "posenc_status_string": (_TEXT, [ctypes.c_int]),
    "posenc_spec_default": (Spec, [_INT]),
    "posenc_impl_count": (ctypes.c_size_t, []),
    "posenc_impl_at": (ctypes.POINTER(Impl), [ctypes.c_size_t]),
    "posenc_impl_supported": (ctypes.c_int, [ctypes.POINTER(Impl)]),
    "posenc_plan_check": (ctypes.c_int, [ctypes.POINTER(Spec), _TEXT, *_MESSAGE]),
    "posenc_plan_create": (ctypes.c_int, [ctypes.POINTER(_PLAN), ctypes.POINTER(Spec), _TEXT]),
    "posenc_plan_destroy": (None, [_PLAN]),
    "posenc_fill": (ctypes.c_int, [_PLAN, _INT, _INT, _POINTER, _INT]),
    "posenc_fill_check": (ctypes.c_int, [_PLAN, _INT, _INT, _POINTER, _INT, *_MESSAGE]),
    "posenc_fill_at": (ctypes.c_int, [_PLAN, _POINTER, _INT, _POINTER, _INT]),
    "posenc_fill_at_check": (ctypes.c_int, [_PLAN, _POINTER, _INT, _POINTER, _INT, *_MESSAGE]),
    "posenc_table_create": (ctypes.c_int, [ctypes.POINTER(_POINTER), _PLAN, _INT, _INT, _INT]),
    "posenc_table_check": (ctypes.c_int, [_PLAN, _INT, _INT, _INT, *_MESSAGE]),
    "posenc_table_destroy": (None, [_POINTER]),
}


def find() -> str:
    """The library inside the package if it has one, else the system's, which the dynamic linker finds."""
    bundled = pathlib.Path(__file__).with_name(SONAME)
    return str(bundled) if bundled.exists() else SONAME


def load(name: str) -> ctypes.CDLL:
    """Loads the library and declares its functions. ImportError says what is wrong and what to do."""
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        todo = "install it and run ldconfig, or set LD_LIBRARY_PATH to the directory that holds it"
        if name != SONAME:
            todo = "it came with the package, so install the package again, for this kind of machine"
        raise ImportError(f"posenc needs the library {SONAME}, which cannot be loaded ({error}): {todo}") from error
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
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


library = load(find())
