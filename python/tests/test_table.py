"""posenc.table and posenc.fill_at: values, places, errors, lifetimes."""

import concurrent.futures
import gc
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import posenc
from posenc import _library


ROOT = pathlib.Path(posenc.__file__).parents[1]


def formula(positions, d_model, base=10000.0):
    """The formula in float64."""
    k = np.arange((d_model + 1) // 2)
    angles = np.asarray(positions, np.float64)[..., None] * base ** (-2.0 * k / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(*angles.shape[:-1], -1)[..., :d_model]


def assert_nearest(table, positions, d_model, base=10000.0):
    """Half a unit in the last place, and what float64 itself may be off."""
    truth = formula(positions, d_model, base)
    slack = 1e-15 * (1 + np.abs(np.asarray(positions, np.float64)))[..., None]
    assert np.all(np.abs(table - truth) <= 0.5 * np.spacing(np.abs(table)) + slack)


@pytest.mark.parametrize("d_model", [1, 2, 7, 64, 511])
@pytest.mark.parametrize("base", [10000.0, 2.0, 1e6])
def test_values(d_model, base):
    table = posenc.table(300, d_model, base)
    assert table.shape == (300, d_model) and table.dtype == np.float32
    assert_nearest(table, np.arange(300), d_model, base)


def test_defaults_are_the_papers():
    table = posenc.table()
    assert table.shape == (5000, 512)
    assert_nearest(table, np.arange(5000), 512)


def test_first_and_below_zero():
    assert np.array_equal(posenc.table(20, 16, first=-10)[10:], posenc.table(10, 16))
    assert_nearest(posenc.table(20, 16, first=-10), np.arange(-10, 10), 16)


@pytest.mark.parametrize("kind", [list, np.int8, np.uint8, np.int32, np.uint64, ">i8"])
def test_positions(kind):
    whole = posenc.table(100, 32)
    at = [[5, 3, 99], [0, 3, 3]]
    positions = at if kind is list else np.array(at, kind)
    assert np.array_equal(posenc.table(positions, 32), whole[np.array(at)])
    assert np.array_equal(posenc.table(np.arange(99, -1, -1)[::2], 32), whole[::-2])
    assert posenc.table([], 32).shape == (0, 32) and posenc.table(0, 32).shape == (0, 32)
    assert np.array_equal(posenc.table(np.int64(100), 32), whole)


def test_freqs():
    w = [1.0, 0.25, 0.0]
    table = posenc.table(50, 5, freqs=w)
    angles = np.arange(50)[:, None] * np.array(w)
    assert np.allclose(table[:, 0::2], np.sin(angles), atol=1e-7) and np.allclose(
        table[:, 1::2], np.cos(angles)[:, :2], atol=1e-7
    )
    assert np.array_equal(table, posenc.table(50, 5, freqs=np.array(w, np.float32)))


@pytest.mark.parametrize("threads", [None, 1, 2, 7, 300])
def test_threads(threads):
    want = posenc.table(257, 48)
    assert np.array_equal(posenc.table(257, 48, threads=threads), want)
    assert np.array_equal(posenc.table(np.arange(257), 48, threads=threads), want)
    assert np.array_equal(posenc.table(257, 48, out=np.empty((257, 48), np.float32), threads=threads), want)


def test_out():
    whole = posenc.table(60, 24)
    wide = np.full((60, 40), 7, np.float32)
    out = wide[:, 5:29]
    assert posenc.table(60, 24, out=out) is out
    assert np.array_equal(out, whole) and np.all(wide[:, :5] == 7) and np.all(wide[:, 29:] == 7)
    every_third = np.full((180, 24), 7, np.float32)
    posenc.table(60, 24, out=every_third[::3])
    assert np.array_equal(every_third[::3], whole) and np.all(every_third[1::3] == 7)
    cube = np.full((6, 10, 30), 7, np.float32)
    posenc.fill_at(cube[:, :, :24], np.arange(60).reshape(6, 10))
    assert np.array_equal(cube[:, :, :24].reshape(60, 24), whole) and np.all(cube[:, :, 24:] == 7)
    column = np.zeros((60, 3), np.float32)
    posenc.table(60, 1, out=column[:, 1:2])
    assert np.array_equal(column[:, 1:2], posenc.table(60, 1)) and not column[:, 0::2].any()


BAD = [
    (dict(positions=-1), ValueError, "positions is -1"),
    (dict(positions=5.0), TypeError, "positions is 5.0"),
    (dict(positions="many"), TypeError, "positions is 'many'"),
    (dict(positions=[[True]]), TypeError, "bool"),
    (dict(positions=[2**33]), ValueError, "8589934592"),
    (dict(positions=np.array([2**63], np.uint64)), ValueError, "positions go up to 9223372036854775808"),
    (dict(positions=2**70), ValueError, "positions is 1180591620717411303424"),
    (dict(positions=True), TypeError, "positions is True"),
    (dict(positions=2**33, threads=2), ValueError, "-2^32 to 2^32"),
    (dict(positions=2**33), ValueError, "-2^32 to 2^32"),
    (dict(positions=[1], first=3), ValueError, "first is 3"),
    (dict(first=2**33), ValueError, "first is 8589934592"),
    (dict(d_model=0), ValueError, "d_model is 0"),
    (dict(d_model=2.5), TypeError, "d_model is 2.5"),
    (dict(d_model=2**64 + 16), ValueError, "d_model is 18446744073709551632"),
    (dict(base="10000"), TypeError, "base is '10000'"),
    (dict(base=1), ValueError, "base is 1"),
    (dict(base=float("nan")), ValueError, "base is"),
    (dict(freqs=[1.0]), ValueError, "n_freqs is 1"),
    (dict(freqs=[[1.0]]), ValueError, "freqs has shape (1, 1)"),
    (dict(freqs=0.5), ValueError, "freqs has shape ()"),
    (dict(freqs=["0.5"]), ValueError, "dtype <U3"),
    (dict(impl="fastest"), ValueError, 'impl is "fastest"; known: naive'),
    (dict(impl=3), TypeError, "impl is 3"),
    (dict(impl="exact\0"), TypeError, "impl is 'exact"),
    (dict(impl="\u00e9" * 1000), ValueError, "impl is"),
    (dict(threads=0), ValueError, "threads is 0"),
    (dict(threads=1.5), TypeError, "threads is 1.5"),
    (dict(out=[[0.0]]), TypeError, "list"),
]


@pytest.mark.parametrize("arguments, error, text", BAD)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=re.escape(text)):
        posenc.table(**arguments)


def unaligned():
    return np.frombuffer(bytearray(4 * 10 * 8 + 1), np.uint8)[1:].view(np.float32).reshape(10, 8)


def read_only():
    array = np.zeros((10, 8), np.float32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "out, error, text",
    [
        (np.zeros((10, 8), np.int32), TypeError, "int32"),
        (np.zeros((10, 8), ">f4"), TypeError, ">f4"),
        (np.zeros((10, 9), np.float32), ValueError, "shape (10, 9); allowed: (10, 8)"),
        (np.zeros((8, 10), np.float32).T, ValueError, "strides"),
        (np.zeros((10, 16), np.float32)[:, ::2], ValueError, "strides"),
        (np.zeros((10, 8), np.float32)[::-1], ValueError, "-32 bytes apart"),
        (np.broadcast_to(np.zeros(8, np.float32), (10, 8)), ValueError, "read-only"),
        (unaligned(), ValueError, "aligned"),
        (read_only(), ValueError, "read-only"),
    ],
)
def test_bad_out(out, error, text):
    before = out.copy()
    with pytest.raises(error, match=re.escape(text)):
        posenc.table(10, 8, out=out)
    assert np.array_equal(out, before)


def test_nothing_is_written_on_error():
    out = np.full((4, 8), 7, np.float32)
    with pytest.raises(ValueError):
        posenc.fill_at(out, [0, 1, 2, 2**40], threads=2)
    assert np.all(out == 7)
    with pytest.raises(ValueError, match="one distance"):
        posenc.fill_at(np.zeros((2, 3, 10, 8), np.float32)[:, :2, :, :], np.zeros((2, 2, 10), int))
    with pytest.raises(TypeError):
        posenc.fill_at([[0.0]], [1])


def test_out_over_its_own_positions():
    memory = np.zeros(3000 * 64, np.float32)
    positions = memory.view(np.int64)[:3000]
    positions[:] = np.arange(3000)[::-1]
    assert np.array_equal(posenc.fill_at(memory.reshape(3000, 64), positions), posenc.table(3000, 64)[::-1])


def test_arrays_of_one_are_arrays():
    assert posenc.table(np.array([5]), 16).shape == (1, 16)
    torch = pytest.importorskip("torch")
    assert np.array_equal(posenc.table(torch.tensor([5]), 16), posenc.table(6, 16)[5:])


def test_an_array_without_axes_is_neither_count_nor_position():
    with pytest.raises(TypeError, match=r"positions is 5, without axes; write int\(\) for a count, or "):
        posenc.table(np.array(5), 16)
    with pytest.raises(TypeError, match=r"positions is 5, without axes"):
        posenc.pair(np.array(5), 16)
    assert posenc.table(np.int64(5), 16).shape == (5, 16)  # a number
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"positions is 5, without axes"):
        posenc.table(torch.tensor(5), 16)


def test_large_tables_begin_with_a_huge_page():
    tables = [posenc.table(3000, 512), posenc.table(3000, 512, threads=2), posenc.table(np.arange(3000), 512)]
    arrays = [*tables, *posenc.pair(3000, 512), posenc.add(np.ones((3000, 512), np.float32))]
    assert all(array.ctypes.data % (2 << 20) == 0 and array.flags.c_contiguous for array in arrays)


def bounds(impl, count, d_model):
    """What the library promises."""
    library, spec = _library.library, _library.library.posenc_spec_default(d_model)
    row = next(
        row
        for row in map(library.posenc_impl_at, range(library.posenc_impl_count()))
        if row.contents.name == impl.encode()
    )
    return np.array([[library.posenc_impl_error_bound(row, spec, p, c) for c in range(d_model)] for p in range(count)])


def test_implementations():
    rows = posenc.implementations()
    assert {row.name for row in rows} > {"naive", "explog", "float64", "exact_scalar"}
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        assert all(row[:7]) and row.evidence in ("proved", "upstream", "measured")
        exact = row.name.startswith(("exact_", "anchored_"))
        assert row.dtypes == (("float32", "float64", "bfloat16", "float16") if exact else ("float32",))
        if row.supported:
            error = np.abs(posenc.table(50, 16, impl=row.name) - formula(np.arange(50), 16))
            assert error.max() < 1e-5 and np.all(error <= bounds(row.name, 50, 16) + 1e-14)
    assert np.array_equal(posenc.table(50, 16, impl="exact"), posenc.table(50, 16))


def test_a_table_lives_as_long_as_its_arrays():
    view = posenc.table(3000, 512)[2900:, 100:110]  # more than 2 MiB
    want = view.copy()
    for _ in range(20):
        gc.collect()
        posenc.table(3000, 512)[:] = 7  # would be given the same memory, had the first been freed
    assert np.array_equal(view, want)


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_tables_are_freed():
    def make():
        for _ in range(30):
            posenc.table(20000, 512)  # 40 MB

    make()
    before = resident()
    make()
    assert resident() < before + 100e6


def test_threads_share_plans():
    want = posenc.table(100, 128, 9999.0)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        bases = [9999.0 + i % 20 for i in range(400)]  # more than are kept
        tables = list(pool.map(lambda base: posenc.table(100, 128, base), bases))
    assert all(np.array_equal(table, want) for table, base in zip(tables, bases) if base == 9999.0)


def test_version():
    header = pathlib.Path(__file__).parents[2] / "include" / "posenc.h"
    assert f'POSENC_VERSION_STRING "{posenc.__version__}"' in header.read_text()


def test_a_missing_library_is_named(tmp_path):
    with pytest.raises(ImportError, match="libposenc.so.1.*install the package again"):
        _library.load(str(tmp_path / "libposenc.so.1"))
    run = subprocess.run(
        [sys.executable, "-c", "import posenc"], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    if not (ROOT / "posenc" / "libposenc.so.1").exists() and run.returncode:
        assert "LD_LIBRARY_PATH" in run.stderr


def test_another_library_is_refused():
    with pytest.raises(ImportError, match="no posenc library"):
        _library.load("libc.so.6")


def test_an_older_library_is_refused(monkeypatch):
    monkeypatch.setitem(_library._FUNCTIONS, "posenc_of_tomorrow", (None, []))
    with pytest.raises(ImportError, match="too old for this Python package posenc: .*posenc_of_tomorrow"):
        _library.load(_library.find())


def test_another_version_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_library, "VERSION", "7.1.0")
    with pytest.raises(ImportError, match="package posenc is version 7.1.0, but the library .* is version 1"):
        _library.load(_library.find())


def test_the_bundled_library_is_preferred(tmp_path, monkeypatch):
    sources, installed = tmp_path / "sources", tmp_path / "installed"  # an editable installation's two directories
    monkeypatch.setattr(posenc, "__path__", [str(sources), str(installed)])
    assert _library.find() == "libposenc.so.1"
    for directory in (installed, sources):
        directory.mkdir()
        (directory / "libposenc.so.1").touch()
        assert _library.find() == str(directory / "libposenc.so.1")
