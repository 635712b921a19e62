"""Refused arguments: the errors, their messages, and that nothing is written; and libraries of other versions."""

import copy
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import posenc
from posenc import _arrays, _library, _plan

OTHER = {"win32": "msvcrt.dll", "darwin": "libSystem.dylib"}.get(sys.platform, "libc.so.6")  # a library, not posenc's
UNKNOWN = np.longdouble if np.finfo(np.longdouble).eps < 1e-16 else np.complex128  # a dtype that positions cannot have
ONE = np.zeros((10, 8), np.float32)
WIDE = np.zeros((10, 9), np.float32)
MASKED = np.ma.array([1.0, 0.5, 0.25, 0.125], mask=[False, True, False, False])
BEYOND_INT64, BEYOND_FLOAT64 = np.array([2**63], ">u8"), [2**53 + 1] * 4
MASKED_ROWS = np.ma.zeros((10, 8), np.float32)
ROWS_APART = np.zeros((2, 3, 5, 8), np.float32)[:, :2]  # at unequal distances
CALLS = {  # with valid arguments, some of which a test changes
    "table": lambda **new: posenc.table(**{"count": None if "positions" in new else 10, "d_model": 8, **new}),
    "pair": lambda **new: posenc.pair(**{"count": 10, "d_model": 16, **new}),
    "cis": lambda **new: posenc.cis(**{"count": 10, "d_model": 16, **new}),
    "grid": lambda **new: posenc.grid(**{"shape": (2, 3), "d_model": 8, **new}),
    "steps": lambda **new: posenc.timestep_embedding(**{"timesteps": [0.5], "embedding_dim": 8, **new}),
}


def unaligned():
    return np.frombuffer(bytearray(4 * 10 * 8 + 1), np.uint8)[1:].view(np.float32).reshape(10, 8)


def read_only(*shape):
    return np.frombuffer(bytes(4 * np.prod(shape)), np.float32).reshape(shape)


NUMBERS = "; allowed: integers, float16, float32, float64"
NO_MASK = "a numpy.ma.MaskedArray; allowed: arrays without a mask"
#: A row for each rule of the package. What C refuses is tested in C.
REFUSED = [
    # numbers
    ("table", dict(count=-1), ValueError, "count is -1; allowed: 0 to 8589934593"),
    ("table", dict(count=5.0), TypeError, "count is 5.0; allowed: an integer"),
    ("table", dict(threads=0), ValueError, "threads is 0; allowed: 1 to 1048576; os.cpu_count() is all"),
    ("table", dict(count=2**33), ValueError, "first is 0 and count is 8589934592, so the last position is beyond"),
    ("table", dict(first=2**33), ValueError, "first is 8589934592"),
    ("table", dict(count=None), TypeError, "count and positions are None; write count=... for rows first, first + 1,"),
    ("pair", dict(positions=[3]), TypeError, "count and positions are both given; allowed: one of them"),
    ("table", dict(count=[1, 2]), TypeError, "count is of type list; write positions=... for the rows of these"),
    ("table", dict(count=np.array(5)), TypeError, "count is of type ndarray; write positions=..."),
    ("table", dict(positions=5), TypeError, "positions is 5, a single value; write positions=[...] for one row, or"),
    ("table", dict(positions=[1], first=3), ValueError, "first is 3; allowed: 0, since positions are given"),
    ("table", dict(d_model=0), ValueError, "d_model is 0; allowed: 1 to 1048576"),
    ("table", dict(base="10000"), TypeError, "base is '10000'; allowed: a finite number above 0"),
    ("table", dict(base=0), ValueError, "base is 0"),  # C's message
    ("table", dict(position_scale=0), ValueError, "position_scale is 0; allowed: a number that is not 0, or None"),
    ("steps", dict(scale=10**400), ValueError, "scale is too large"),
    ("table", dict(denominator=np.nan), ValueError, "denominator is nan; allowed: a finite number"),
    # names
    ("table", dict(impl="Anchord"), ValueError, "impl is 'Anchord' (did you mean 'anchored'?); allowed: 'exact', "),
    ("table", dict(impl="\u00e9"), ValueError, "impl is '\u00e9'; allowed: 'exact', 'anchored', 'naive', 'explog', "),
    ("table", dict(impl=3), TypeError, "impl is 3; allowed: a name (posenc.implementations() lists them) or None"),
    ("table", dict(impl="exact\0"), TypeError, "impl is 'exact"),
    ("table", dict(preset="wisper"), ValueError, "preset is 'wisper' (did you mean 'whisper'?); allowed: 'paper', "),
    ("table", dict(layout="blocks"), ValueError, "layout is 'blocks'; allowed: 'interleaved', 'split'"),
    ("table", dict(layout=1), TypeError, "layout is 1; allowed: 'interleaved', 'split'"),
    # dtypes
    ("table", dict(dtype="bf16"), TypeError, "dtype is 'bf16' (did you mean 'bfloat16'?); allowed: 'float32', "),
    ("table", dict(dtype=">f4"), TypeError, "dtype is '>f4'; allowed"),
    ("table", dict(dtype=[]), TypeError, "dtype is []"),
    ("cis", dict(dtype="float16"), TypeError, "dtype is 'float16' (did you mean 'float64'?); allowed: 'complex64', "),
    ("table", dict(dtype="float64", impl="naive"), ValueError, "float32"),
    ("table", dict(out=ONE.astype(np.uint16)), TypeError, "out has dtype uint16; allowed: float32, or uint16"),
    ("table", dict(out=ONE.astype(">f4")), TypeError, "out has dtype >f4"),
    ("table", dict(out=ONE, dtype="bfloat16"), TypeError, "float32; allowed: uint16, which holds bfloat16"),
    # arrays of numbers
    *(
        ("table", dict(positions=np.zeros(4, dtype)), TypeError, f"positions have dtype {np.dtype(dtype)}{NUMBERS}")
        for dtype in ("?", "c8", "O", "M8[s]", UNKNOWN)
    ),
    ("table", dict(freqs=["0.5"]), TypeError, f"freqs have dtype <U3{NUMBERS}"),
    ("table", dict(positions=BEYOND_INT64), ValueError, "positions go up to 9223372036854775808; allowed"),
    ("table", dict(freqs=[[1.0]]), ValueError, "freqs has shape (1, 1) and dtype float64; allowed"),
    ("table", dict(freqs=[1.0, 2.0]), ValueError, "freqs has 2 numbers; needed: 4, one per pair of columns"),
    ("table", dict(freqs=[1, 2, 3, 4], freqs_low=[0, 0]), ValueError, "freqs_low has 2 numbers; allowed: as many as"),
    ("table", dict(freqs_low=[0.0]), ValueError, "freqs_low has 1 numbers; allowed: as many as freqs, 0, or None"),
    ("table", dict(freqs=BEYOND_FLOAT64), ValueError, "freqs[0] is 9007199254740993; allowed: integers that"),
    ("table", dict(positions=MASKED), TypeError, f"positions is {NO_MASK}"),
    ("table", dict(freqs=MASKED.data, freqs_low=MASKED), TypeError, f"freqs_low is {NO_MASK}"),
    ("pair", dict(out=posenc.Pair(ONE.copy(), MASKED_ROWS)), TypeError, f"out.sin is {NO_MASK}"),
    # pairs, grids and timesteps
    ("pair", dict(d_model=7), ValueError, "d_model is 7; allowed: even numbers"),
    ("cis", dict(d_model=7), ValueError, "d_model is 7; allowed: even numbers"),
    ("pair", dict(duplicated="twice"), ValueError, "duplicated is 'twice'; allowed: 'halves', 'pairs' or None"),
    ("grid", dict(shape=None), TypeError, "exactly one of shape and positions must be given"),
    ("grid", dict(shape=4), TypeError, "shape is 4; allowed: a tuple with the number of positions on each axis"),
    ("grid", dict(shape=None, positions=[[1], [[2]]]), ValueError, "positions must be an array of one axis for each"),
    ("grid", dict(d_model=6), ValueError, "d_model is 6; allowed: multiples of 4, or the columns of each of the 2"),
    ("grid", dict(d_model=(2, 4, 2)), ValueError, "d_model has 3 numbers; allowed: one, or one for each of the 2 axes"),
    ("grid", dict(d_model=(3, 5)), ValueError, "d_model is (3, 5); allowed: even numbers"),
    ("grid", dict(axes=(0, 0)), ValueError, "axes is (0, 0); allowed: each of 0 to 1 once"),
    ("grid", dict(class_tokens=-1), ValueError, "class_tokens is -1; allowed: 0 to"),
    ("grid", dict(out=ONE), ValueError, "out has shape (10, 8); allowed: (6, 8)"),
    ("steps", dict(embedding_dim=0), ValueError, "embedding_dim is 0; allowed: 1 to 1048576"),
    ("steps", dict(timesteps=3.0), TypeError, "timesteps is a single number; write [3.0]"),
    ("steps", dict(downscale_freq_shift=4), ValueError, "downscale_freq_shift is 4; allowed: below embedding_dim // 2"),
    ("steps", dict(scale=0), ValueError, "scale is 0; allowed: a number that is not 0"),
    # outputs
    ("table", dict(out=[[0.0]]), TypeError, "out is of type list; allowed: a NumPy array"),
    ("table", dict(out=np.zeros((10, 9), "f4")), ValueError, "out has shape (10, 9); allowed: (10, 8); d_model"),
    ("table", dict(out=np.zeros((8, 10), "f4").T), ValueError, "out has strides (4, 40) bytes; the columns"),
    ("table", dict(out=ONE[::-1]), ValueError, "rows -32 bytes apart; allowed: a multiple of 4, at least 32"),
    ("table", dict(out=unaligned()), ValueError, "out is not aligned to 4 bytes"),
    ("table", dict(out=read_only(10, 8)), ValueError, "out is read-only"),
    ("table", dict(out=ROWS_APART, positions=np.zeros((2, 2, 5))), ValueError, "equal distances"),
    ("cis", dict(out=ONE), ValueError, "out must be an array of dtype complex64 and shape (10, 8)"),
    ("pair", dict(out=ONE), TypeError, "out is of type ndarray; allowed: a posenc.Pair"),
    ("pair", dict(out=posenc.Pair(ONE, ONE)), ValueError, "elements in common"),
    ("pair", dict(out=posenc.Pair(ONE, ONE[:2])), ValueError, "out.sin has shape (2, 8); allowed: (10, 8)"),
    ("pair", dict(out=posenc.Pair(ONE, WIDE[:, 1:])), ValueError, "cosines 8 elements apart, and of sines 9"),
]


@pytest.mark.parametrize("call, arguments, error, message", REFUSED)
def test_refused(call, arguments, error, message):
    before = copy.deepcopy(arguments)
    with pytest.raises(error, match=re.escape(message)):
        CALLS[call](**arguments)
    for name, value in arguments.items():
        now, then = (vars(x) if isinstance(x, posenc.Pair) else x for x in (value, before[name]))
        np.testing.assert_equal(now, then)
    assert not ONE.any()


def test_without_sleef(monkeypatch):
    monkeypatch.setattr(_plan, "_impl_names", lambda: ["exact"])  # as wheels, which have no SLEEF
    monkeypatch.setattr(_library.library, "posenc_impl_find", lambda name: None)
    for name, text in (("sleef_u35", "this build has no SLEEF: impl is 'sleef_u35'; allowed: "), ("slee", "impl is ")):
        with pytest.raises(ValueError, match=f"^{text}"):
            posenc.table(1, 8, impl=name)


@pytest.mark.parametrize("dtype, most", [("float16", 2048), ("bfloat16", 256)])
def test_positions_in_16_bits(dtype, most):
    """There is a warning for each place, with its file and line."""
    positions = np.arange(10).astype(dtype if dtype == "float16" else pytest.importorskip("ml_dtypes").bfloat16)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for call in ("table", "pair", "cis", "table", "cis"):
            CALLS[call](count=None, positions=positions)
        CALLS["grid"](shape=None, positions=[positions, positions])
        CALLS["steps"](timesteps=positions)
    text = f"positions have dtype {dtype}, which rounds integers above {most}; pass integers, or float32 that was never"
    assert all(str(warning.message).startswith(text) and warning.filename == __file__ for warning in caught)
    assert len({warning.lineno for warning in caught}) == len(caught) == 5


@pytest.mark.parametrize("name", ["d_model", "base", "denominator", "position_scale"])
def test_true_is_not_one(name):
    """True is refused even if a plan with 1 is cached."""
    posenc.table(2, **{"d_model": 2, name: 1})
    with pytest.raises(TypeError, match=f"{name} is True; allowed: a"):
        posenc.table(2, **{"d_model": 2, name: True})
    with pytest.raises(TypeError, match=r"is \[1\]; allowed: a"):  # cannot be hashed
        posenc.table(2, **{"d_model": 2, name: [1]})


@pytest.mark.parametrize("arguments, text", [
    (dict(positions=[1, -(2**40), 2]), "positions[1] is -1099511627776"),
    (dict(positions=[0.5, np.nan, 2.0]), "positions[1] is nan"),
    (dict(count=3, first=2**32 - 1), "first is 4294967295 and count is 3, so the last position is beyond 2^32"),
])  # fmt: skip
@pytest.mark.parametrize("threads", [None, 1, 2, 0, "two"])
def test_positions_are_checked_before_threads(arguments, text, threads):
    """If several arguments are wrong, the message is the same with and without threads. No row is written."""
    out = np.zeros((arguments.get("count") or len(arguments["positions"]), 8), np.float32)
    with pytest.raises(ValueError, match=re.escape(text)):
        posenc.table(**arguments, d_model=8, out=out, threads=threads)
    assert not out.any()


@pytest.fixture
def checked_buffers(monkeypatch):
    """Fails if the buffer of a call of C is too small for its rows of float32. Large tables take several calls."""
    library, empty, arrays = _library.library, np.empty, []

    def recorded(*arguments):
        arrays.append(empty(*arguments))
        return arrays[-1]

    def strict(fill):
        def call(plan, first, count, *arguments):
            *starts, stride = arguments
            for start in starts:
                ends = [array.ctypes.data + array.nbytes for array in arrays if array.ctypes.data <= start]
                assert any(start + 4 * count * stride <= end for end in ends), (fill, count)
            return fill(plan, first, count, *arguments)

        return call

    monkeypatch.setattr(np, "empty", recorded)
    monkeypatch.setitem(_arrays._FIRST_PIECE, "float32", 1 << 20)
    for name in ("posenc_fill", "posenc_fill_at", "posenc_fill_at_real", "posenc_fill_pair"):
        monkeypatch.setattr(library, name, strict(getattr(library, name)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 2.0**33, -(2**33)])
@pytest.mark.parametrize("call", ["table", "pair", "cis", "steps"])
def test_refused_positions_of_a_large_table(call, bad, checked_buffers):
    positions = np.arange(70000).astype(type(bad))
    positions[[7, 99]] = bad
    arguments = dict(count=None, positions=positions, d_model=16)
    if call == "steps":
        arguments = dict(timesteps=positions, embedding_dim=16)
    with pytest.raises(ValueError, match=re.escape(f"positions[7] is {bad:.17g}; allowed: -2^32 to 2^32")):
        CALLS[call](**arguments)


@pytest.mark.parametrize("call", ["table", "pair"])
def test_a_large_table_that_goes_too_far(call, checked_buffers):
    text = "first is 0 and count is 70000, so the last position, or its product with position_scale, is beyond 2^32"
    with pytest.raises(ValueError, match=re.escape(f"{text}; allowed: -2^32 to 2^32")):
        CALLS[call](count=70000, d_model=32, position_scale=2.0**17)


# ---- the library


def test_version():
    header = pathlib.Path(__file__).parents[2] / "include" / "posenc.h"
    assert f'POSENC_VERSION_STRING "{posenc.__version__}"' in header.read_text()


@pytest.mark.parametrize("name, changes, message", [
    ("/nowhere/libposenc.so.1", {}, "libposenc.so.1.*install the package again"),
    ("libnowhere.so", dict(NAME="libnowhere.so"), "needs the library libnowhere.so.*LD_LIBRARY_PATH can name the folder"),
    (OTHER, {}, f"{re.escape(OTHER)} is no posenc library"),
    (None, dict(_FUNCTIONS={"posenc_of_tomorrow": (None, [])}), "too old for this Python package.*posenc_of_tomorrow"),
    (None, dict(VERSION="7.1.0"), "package posenc is version 7.1.0, but the library .* is version 1"),
])  # fmt: skip
def test_libraries_that_do_not_fit(name, changes, message, monkeypatch):
    for attribute, value in changes.items():
        monkeypatch.setattr(_library, attribute, value)
    with pytest.raises(ImportError, match=message):
        _library.load(name or _library.find())


def test_without_pytorch():
    command = [sys.executable, "-c", "import sys; sys.modules['torch'] = None; import posenc.torch"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "posenc.torch needs PyTorch: pip install torch" in done.stderr


def test_the_bundled_library_is_preferred(tmp_path, monkeypatch):
    sources, installed = tmp_path / "sources", tmp_path / "installed"  # an editable installation's two directories
    monkeypatch.setattr(posenc, "__path__", [str(sources), str(installed)])
    assert _library.find() == _library.NAME
    for directory in (installed, sources):
        directory.mkdir()
        (directory / _library.NAME).touch()
        assert _library.find() == str(directory / _library.NAME)
