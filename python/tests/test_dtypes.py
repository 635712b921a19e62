"""dtypes, and positions between integers: every value is rounded once."""

import re

import numpy as np
import pytest
from formulas import PRESETS, ROUND, assert_rounded_once, bfloat16, from_bfloat16, paper, round_to_odd

import posenc

P = np.arange(400.0)
NAMES = ["float32", "float64", "float16", "bfloat16"]


def assert_float64(table, truth, positions):
    """Half a unit in the last place, where longer arithmetic says where that is."""
    if np.finfo(np.longdouble).nmant <= 52:
        pytest.skip("this machine's long double is float64")
    assert table.dtype == np.float64 and truth.dtype == np.longdouble
    slack = 1e-18 * (1 + np.abs(positions))[:, None]
    assert np.all(np.abs(table - truth) <= 0.5 * np.spacing(np.abs(table)) + slack)


def long_paper(positions, d):
    k, p = np.arange(0, d, 2, dtype=np.longdouble), np.asarray(positions, np.longdouble)
    angles = p[:, None] * np.longdouble(10000) ** (-k / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(len(p), -1)[:, :d]


def test_the_tests_own_roundings():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(6)
    values = np.concatenate(
        [rng.standard_normal(20000) * 2.0 ** rng.integers(-30, 3, 20000), [0.0, -0.0, 1.0, 2.0**-24, 2.0**-25]]
    )
    halfway = (
        1 + 2.0**-8 + np.array([-(2.0**-40), 0, 2.0**-40])
    )  # between 1 and the next bfloat16; as float32 all of them are
    assert bfloat16(halfway).tolist() == [0x3F80, 0x3F80, 0x3F81]
    by_torch = torch.from_numpy(round_to_odd(values)).to(torch.bfloat16).view(torch.int16).numpy().view(np.uint16)
    assert np.array_equal(bfloat16(values), by_torch)
    assert np.array_equal(ROUND["float16"](values), values.astype(np.float16))


@pytest.mark.parametrize("impl", ["exact", "anchored"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("d", [1, 7, 64, 200])
def test_rounded_once(dtype, d, impl):
    table = posenc.table(400, d, dtype=dtype, impl=impl)
    assert_rounded_once(table, paper(P, d), P, dtype)
    assert np.array_equal(posenc.table(P.astype(int), d, dtype=dtype, impl=impl), table)
    assert np.array_equal(posenc.table(P, d, dtype=dtype, impl=impl), table)


@pytest.mark.parametrize("d", [1, 7, 64])
def test_float64(d):
    table = posenc.table(400, d, dtype="float64")
    assert_float64(table, long_paper(P, d), P)
    assert np.abs(posenc.table(400, d, dtype="float64", impl="anchored") - table).max() < 2e-15
    assert np.array_equal(table.astype(np.float32), posenc.table(400, d))  # such doubles are as good as the truth here


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_presets(name, dtype):
    formula, odd, _, _ = PRESETS[name]
    for d in (16, 33) if odd else (16, 34):
        assert_rounded_once(posenc.table(400, d, preset=name, dtype=dtype), formula(P, d), P, dtype)


def test_subnormals_and_their_signs():
    w = 10.0 ** -np.arange(3.0, 45.0)
    p = np.arange(-50, 50)
    truth = np.empty((100, 2 * len(w)))
    truth[:, 0::2], truth[:, 1::2] = np.sin(p[:, None] * w), np.cos(p[:, None] * w)
    for dtype in ("float16", "bfloat16"):
        table = posenc.table(p, 2 * len(w), freqs=w, dtype=dtype)
        assert_rounded_once(table, truth, p, dtype)
        assert np.array_equal(table.view(np.uint16) >> 15, np.signbit(truth).astype(np.uint16))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_real_positions(kind):
    at = np.array([[0.5, 3.0, 999.9], [1e-3, 0.1, 250.25]]).astype(kind)
    p = at.astype(np.float64).ravel()
    for dtype in ("float32", "float16", "bfloat16"):
        table = posenc.table(at, 33, dtype=dtype)
        assert table.shape == (2, 3, 33)
        assert_rounded_once(table.reshape(6, 33), paper(p, 33), p, dtype)
    assert_float64(posenc.table(at, 32, dtype="float64").reshape(6, 32), long_paper(p, 32), p)
    out = np.zeros((2, 3, 33), np.float32)
    assert np.array_equal(posenc.fill_at(out, at, threads=3), posenc.table(at, 33)) and out.any()


@pytest.mark.parametrize("dtype", NAMES)
def test_whole_real_positions_are_integers(dtype):
    whole = posenc.table(400, 33, dtype=dtype, first=-200)
    assert np.array_equal(posenc.table(np.arange(-200.0, 200.0), 33, dtype=dtype), whole)
    assert np.array_equal(posenc.table(P, 33, impl="float64"), posenc.table(400, 33, impl="float64"))


def test_each_implementation_at_real_positions():
    p = np.arange(100) / 8
    for row in posenc.implementations():
        if row.supported:
            for d in (16, 33):
                assert np.abs(posenc.table(p, d, impl=row.name) - paper(p, d)).max() < 1e-5, (row.name, d)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 2.0**33, np.nextafter(2.0**32, np.inf)])
def test_positions_outside(bad):
    out = np.full((2, 8), 7, np.float32)
    with pytest.raises(ValueError, match=r"positions\[1\] is .*; allowed: -2\^32 to 2\^32"):
        posenc.fill_at(out, [1.5, bad])
    assert np.all(out == 7)


# ---- what arrays are


@pytest.mark.parametrize("dtype", [np.float64, "f8", np.dtype("float64"), float, "float64"])
def test_numpys_dtypes(dtype):
    assert np.array_equal(posenc.table(9, 8, dtype=dtype), posenc.table(9, 8, dtype="float64"))


def test_bfloat16_is_uint16():
    table = posenc.table(9, 8, dtype="bfloat16")
    assert table.dtype == np.uint16 and np.array_equal(from_bfloat16(table)[0], [0, 1] * 4)


class bfloat(np.void):
    """NumPy appends the bits: its dtype of two bytes is named as that of ml_dtypes is."""


def of_ml_dtypes():
    return np.dtype(pytest.importorskip("ml_dtypes").bfloat16)


def stand_in():
    return np.dtype((bfloat, [("bits", "u2")]))


@pytest.mark.parametrize("dtype", [stand_in, of_ml_dtypes])
def test_another_bfloat16(dtype):
    dtype = dtype()
    want, at = posenc.table(90, 24, dtype="bfloat16"), np.arange(90)

    def check(array, want=want):
        assert array.dtype == dtype and np.array_equal(array.view(np.uint16), want)

    for asked in (dtype, dtype.type) if dtype.type is not bfloat else (dtype,):
        check(posenc.table(90, 24, dtype=asked))
        check(posenc.table(90, 24, dtype=asked, threads=2))
        check(posenc.table(at, 24, dtype=asked))
        for half, bits in zip(posenc.pair(90, 24, dtype=asked), posenc.pair(90, 24, dtype="bfloat16")):
            check(half, bits)
    for said in ({}, dict(dtype=dtype), dict(dtype="bfloat16")):
        wide = np.zeros((90, 40), np.uint16).view(dtype)
        out = wide[:, 5:29]
        assert posenc.table(90, 24, out=out, **said) is out
        check(out)
        wide.view(np.uint16)[:] = 7
        assert posenc.fill_at(out, at / 1, **said) is out
        check(out)
        assert np.all(wide.view(np.uint16)[:, :5] == 7) and np.all(wide.view(np.uint16)[:, 29:] == 7)
        out = wide[:, 4:16], wide[:, 16:28]
        assert posenc.pair(90, 24, out=out, **said)[0] is out[0]
        check(wide[:, 4:28], np.hstack(posenc.pair(90, 24, dtype="bfloat16")))
        x = want.reshape(45, 2, 24)
        sums = posenc.add(x, 3.0, batch_first=False, dtype="bfloat16")
        check(posenc.add(x.view(dtype), 3.0, batch_first=False, **said), sums)
        y = x.copy().view(dtype)
        assert posenc.add(y, 3.0, batch_first=False, out=y, **said) is y
        check(y, sums)
    bits = np.zeros((90, 24), np.uint16)
    assert posenc.table(90, 24, out=bits, dtype=dtype) is bits and np.array_equal(bits, want)
    with pytest.raises(TypeError, match="out has dtype .*; allowed: float32"):
        posenc.table(90, 24, out=bits.view(dtype), dtype="float32")


@pytest.mark.parametrize("dtype", NAMES)
def test_out_has_its_own(dtype):
    kind = np.uint16 if dtype == "bfloat16" else dtype
    want = posenc.table(60, 24, dtype=dtype)
    wide = np.full((60, 40), 7, kind)
    said = dict(dtype=dtype) if dtype == "bfloat16" else {}
    for write in (
        lambda out: posenc.table(60, 24, out=out, threads=2, **said),
        lambda out: posenc.fill_at(out, np.arange(60), **said),
        lambda out: posenc.fill_at(out, np.arange(60.0), threads=7, dtype=dtype),
    ):
        wide[:] = 7
        assert write(wide[:, 5:29]).base is wide
        assert np.array_equal(wide[:, 5:29], want) and np.all(wide[:, :5] == 7) and np.all(wide[:, 29:] == 7)
    big = posenc.table(70000, 64, dtype=dtype, impl="anchored")  # more than 2 MiB in each
    assert big.ctypes.data % (2 << 20) == 0 and np.array_equal(
        big[:60], posenc.table(60, 64, dtype=dtype, impl="anchored")
    )
    assert np.array_equal(posenc.table(70000, 64, dtype=dtype, impl="anchored", threads=2), big)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(dtype="float8"), TypeError, "dtype is 'float8'; allowed: float32, float64, bfloat16, float16"),
        (dict(dtype=np.int32), TypeError, "int32'>; allowed: float32"),
        (dict(dtype=">f4"), TypeError, "dtype is '>f4'; allowed"),
        (dict(dtype=np.uint16), TypeError, "allowed: float32"),
        (dict(dtype=[]), TypeError, "dtype is []"),
        (dict(out=np.zeros((9, 8), np.uint16)), TypeError, "uint16; allowed: float32, or uint16 with dtype='bfloat16'"),
        (dict(out=np.zeros((9, 8)), dtype="float32"), TypeError, "out has dtype float64; allowed: float32"),
        (
            dict(out=np.zeros((9, 8), np.float16), dtype="bfloat16"),
            TypeError,
            "float16; allowed: uint16, which holds bfloat16",
        ),
        (
            dict(positions=np.zeros(3, complex)),
            TypeError,
            "positions have dtype complex128; allowed: integers, float16",
        ),
        (dict(positions=np.zeros(3, np.longdouble)), TypeError, "positions have dtype"),
        (dict(positions=["1.5"]), TypeError, "positions have dtype <U3"),
        (dict(positions=np.float64(1.5)), TypeError, "a count, or an array of numbers"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=re.escape(text)):
        posenc.table(**{"positions": 9, "d_model": 8, **arguments})
