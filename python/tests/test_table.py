"""posenc.table and pair: arguments reach the library, the right rows are written, memory lives long enough."""

import concurrent.futures
import gc
import weakref

import numpy as np
import pytest
from reference import DTYPES, assert_rounded_once, halves, rows

import posenc
from posenc import _arrays, _library, _plan

SPECS = [
    dict(),
    dict(d_model=1),
    dict(freqs=[1.0, 0.25, 0.0], d_model=5),
    dict(freqs=[np.pi, 0.1, 0.0, -1.0], freqs_low=[1.2246467991473532e-16, -5e-18, 0.0, 1e-17], d_model=8),
    dict(base=77.0, denominator=5.5, position_scale=0.001, layout="split", order="cos_first", odd="zero", d_model=33),
]


def bits(array):
    return array.view(f"u{array.itemsize}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("spec", SPECS)
def test_arguments(spec, dtype):
    spec = {"d_model": 32, **spec}
    table = posenc.table(300, first=-100, dtype=dtype, **spec)
    assert table.dtype == DTYPES[dtype]
    positions = np.arange(-100, 200)
    assert_rounded_once(table, rows(positions, **spec), positions)


def test_lists():
    for row in posenc.presets():
        assert all(row) and row._fields == ("name", "formula", "users", "starts")
    implementations = posenc.implementations()
    default = _library.library.posenc_plan_impl(_plan.plan(8, denominator=3.3, dtype="float64").handle).decode()
    assert default == next(row.name for row in implementations if row.family == "exact" and row.supported)
    by_name = {row.name: (row.dtypes, row.correctly_rounded) for row in implementations}
    assert by_name["naive"] == (("float32",), False)
    assert by_name["exact_scalar"] == (("float32", "float64", "bfloat16", "float16"), True)
    for row in implementations:
        assert all(row[:8]) and row.evidence in ("proved", "upstream", "measured")
        assert row.default is (row.name == default)
    assert not np.array_equal(posenc.table(50, 16, impl="naive"), posenc.table(50, 16))


def test_the_defaults_are_the_papers():
    table = posenc.table(5000)
    assert table.shape == (5000, 512) and table.dtype == np.float32
    assert_rounded_once(table, rows(np.arange(5000)), np.arange(5000))
    assert np.array_equal(table, posenc.table(5000, impl="exact", preset="paper"))


@pytest.mark.parametrize("dtype", [list, "i1", "u2", "u8", ">i8", "f2", "f4", "f8", ">f4"])
def test_positions(dtype):
    indices = [[5, 3, 99], [0, 3, 3]]
    positions = indices if dtype is list else np.array(indices, dtype)
    assert np.array_equal(posenc.table(positions=positions, d_model=33), posenc.table(100, 33)[np.array(indices)])
    if dtype in ("f2", "f4", "f8"):  # a float means exactly the number that it represents
        positions = np.array([[0.5, 3.0, 999.9], [1e-3, 0.1, 250.25]], dtype)
        assert_rounded_once(posenc.table(positions=positions, d_model=33), rows(positions, 33), positions)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u8", ">i8", "f4", "f8", ">f8"])
def test_unaligned_arrays(dtype):
    """Fields of packed structures are unaligned."""
    packed, numbers = np.zeros(4, [("a byte", "u1"), ("number", dtype)]), [1, 4, 2, 8]
    unaligned = packed["number"]
    unaligned[:] = numbers
    assert not unaligned.flags.aligned
    for x, y in ((unaligned, numbers), (unaligned[1:2], numbers[1:2])):
        assert np.array_equal(posenc.table(positions=x, d_model=8), posenc.table(positions=y, d_model=8))
        assert np.array_equal(posenc.pair(positions=x, d_model=8).cos, posenc.pair(positions=y, d_model=8).cos)
    table = posenc.table(9, 8, freqs=unaligned, freqs_low=unaligned * 0)
    assert np.array_equal(table, posenc.table(9, 8, freqs=numbers))


class OfAnotherLibrary:
    """Like an array of jax.numpy."""

    def __init__(self, array):
        self.array, self.ndim = array, array.ndim

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "int4", "uint4"])
def test_numbers_of_ml_dtypes(name):
    dtype = getattr(pytest.importorskip("ml_dtypes"), name)
    numbers = [[1, 4], [2, 1]] if "int" in name else [[0.5, 4.0], [2.0, 1.0]]
    want, array = posenc.table(positions=numbers, d_model=4), np.array(numbers).astype(dtype)
    for positions in (array, OfAnotherLibrary(array), [[*row] for row in array]):
        assert np.array_equal(posenc.table(positions=positions, d_model=4), want)
    assert np.array_equal(posenc.timestep_embedding(array, 4), posenc.timestep_embedding(numbers, 4))
    for freqs in (array[1], OfAnotherLibrary(array[1])):
        assert np.array_equal(posenc.table(9, 4, freqs=freqs), posenc.table(9, 4, freqs=numbers[1]))


def test_no_rows():
    assert posenc.table(positions=[], d_model=32).shape == posenc.table(np.int64(0), 32).shape == (0, 32)


def test_freqs_are_part_of_what_plans_are_kept_by():
    tables = [posenc.table(9, 4, freqs=w) for w in ([1.0, 0.5], np.array([1.0, 0.5], np.float32), [1.0, 0.25])]
    assert np.array_equal(tables[0], tables[1]) and not np.array_equal(tables[0], tables[2])
    large = [2**60, 2**64 - 2**11]  # integers that float64 has
    for w in (large, [large[0], float(large[1])], np.array(large, "u8")):
        assert np.array_equal(posenc.table(9, 4, freqs=w), posenc.table(9, 4, freqs=[*map(float, large)]))


# ---- `out`, and dtypes


WRITERS = {
    "table": lambda out, dtype=None: posenc.table(60, 24, dtype=dtype, out=out, threads=2),
    "integers": lambda out, dtype=None: posenc.table(positions=np.arange(60), d_model=24, dtype=dtype, out=out),
    "reals": lambda out, dtype=None: posenc.table(
        positions=np.arange(60.0), d_model=24, dtype=dtype, out=out, threads=7
    ),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("writer", WRITERS)
def test_out(writer, dtype):
    """`out` determines the dtype. Its rows may be apart, and nothing is written between them."""
    want = posenc.table(60, 24, dtype=dtype)
    for wide, part in [
        (np.full((60, 40), 7, DTYPES[dtype]), np.s_[:, 5:29]),
        (np.full((180, 24), 7, DTYPES[dtype]), np.s_[::3]),
        (np.full((60, 24), 7, DTYPES[dtype]), np.s_[:]),
    ]:
        out, others = wide[part], np.ones(wide.shape, bool)
        others[part] = False
        result = WRITERS[writer](out, dtype if dtype == "bfloat16" else None)
        assert result is out and np.array_equal(out, want) and np.all(wide[others] == 7)


def test_out_of_more_axes():
    cube = np.full((6, 10, 30), 7, np.float32)
    posenc.table(positions=np.arange(60).reshape(6, 10), d_model=24, out=cube[:, :, :24])
    assert np.array_equal(cube[:, :, :24].reshape(60, 24), posenc.table(60, 24)) and np.all(cube[:, :, 24:] == 7)


def test_out_over_its_own_positions():
    memory = np.zeros(3000 * 64, np.float32)
    positions = memory.view(np.int64)[:3000]
    positions[:] = np.arange(3000)[::-1]
    table = posenc.table(positions=positions, d_model=64, out=memory.reshape(3000, 64))
    assert np.array_equal(table, posenc.table(3000, 64)[::-1])


@pytest.mark.parametrize("name", DTYPES)
def test_names_of_dtypes(name):
    torch, want = pytest.importorskip("torch"), posenc.table(9, 8, dtype=name)
    dtypes = [getattr(torch, name)]
    if name != "bfloat16":
        dtypes += [DTYPES[name], np.dtype(name), np.dtype(name).str, *[float] * (name == "float64")]
    for dtype in dtypes:
        table = posenc.table(9, 8, dtype=dtype)
        assert table.dtype == want.dtype and np.array_equal(table, want)


class bfloat(np.void):
    """NumPy appends the bits to a name, so a dtype of two bytes can have the name of ml_dtypes.bfloat16."""


@pytest.mark.parametrize("source", ["a stand-in", "ml_dtypes"])
def test_another_bfloat16(source):
    if source == "ml_dtypes":
        dtype = np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    else:
        dtype = np.dtype((bfloat, [("bits", "u2")]))
    want = posenc.table(60, 24, dtype="bfloat16")
    tables = [posenc.table(60, 24, dtype=dtype), posenc.table(positions=np.arange(60), d_model=24, dtype=dtype)]
    both = posenc.pair(60, 24, dtype=dtype)
    tables.append(np.stack([both.sin, both.cos], 2).reshape(60, 24))
    for requested in (None, dtype, "bfloat16"):
        out = np.zeros((60, 40), np.uint16).view(dtype)[:, 5:29]
        tables += [write(out, requested) for write in WRITERS.values()]
    assert all(table.dtype == dtype and np.array_equal(bits(table), want) for table in tables)
    with pytest.raises(TypeError, match="out has dtype .*; allowed: float32"):
        posenc.table(60, 24, out=out, dtype="float32")


# ---- memory


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_arrays_begin_with_a_huge_page(dtype):
    spec = dict(dtype=dtype, impl="anchored")
    arrays = [
        posenc.table(70000, 64, **spec),
        posenc.table(positions=np.arange(70000), d_model=64, **spec),
        *halves(posenc.pair(70000, 64, **spec)),
        *([posenc.cis(70000, 64, **spec)] if dtype in ("float32", "float64") else []),
    ]
    assert all(array.ctypes.data % (2 << 20) == 64 and array.flags.c_contiguous for array in arrays)
    assert posenc.table(4096, 512, **spec).ctypes.data % (2 << 20) == 0  # 64 bytes before it would need another page


@pytest.mark.parametrize("rows", [dict(count=3), dict(positions=[0, 1, 2]), dict(positions=[0.5, 1, 2])])
def test_what_threads_write_to_is_kept_for_them(rows, monkeypatch):
    """A second Ctrl-C ends the call before the threads end."""
    writes = []
    monkeypatch.setattr(_arrays, "in_parts", lambda n, count, piece, write: writes.append(write) or 0)
    out = np.zeros((3, 8), np.float32)
    alive = weakref.ref(out)
    posenc.table(d_model=8, out=out, threads=2, **rows)
    del out
    gc.collect()
    assert alive() is not None and not alive().any()
    assert writes[0](0, 3) == 0 and np.array_equal(alive(), posenc.table(d_model=8, **rows))


def test_threads_share_plans():
    want = posenc.table(100, 128, base=9999.0)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        bases = [9999.0 + i % 20 for i in range(400)]  # more than the cache holds
        tables = list(pool.map(lambda base: posenc.table(100, 128, base=base), bases))
    assert all(np.array_equal(table, want) for table, base in zip(tables, bases) if base == 9999.0)
