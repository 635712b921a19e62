"""posenc.pair: sines and cosines in two arrays."""

import re

import numpy as np
import pytest
from formulas import ROUND, assert_rounded_once

import posenc


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("d", [2, 7, 64, 130])
def test_they_are_the_tables(d, dtype):
    sines, cosines = posenc.pair(150, d, dtype=dtype, first=-20, threads=3)
    table = posenc.table(150, d, dtype=dtype, first=-20)
    assert sines.shape == cosines.shape == (150, (d + 1) // 2) and sines.dtype == table.dtype
    assert np.array_equal(sines, table[:, 0::2]) and np.array_equal(cosines[:, : d // 2], table[:, 1::2])


def test_a_rotary_cache():
    p, w = np.arange(300.0), 500000.0 ** (-np.arange(0, 128, 2) / 128)
    sines, cosines = posenc.pair(300, 128, 500000.0, preset="rope")
    assert_rounded_once(sines, np.sin(np.outer(p, w)), p)
    assert_rounded_once(cosines, np.cos(np.outer(p, w)), p)
    block = posenc.table(300, 128, 500000.0, preset="rope")
    assert np.array_equal(np.concatenate([cosines, sines], axis=1), block)
    scaled = posenc.pair(300, 128, 500000.0, position_scale=0.25)  # linear scaling
    assert np.array_equal(scaled[0][::4], sines[:75])


def test_odd_widths():
    sines, cosines = posenc.pair(50, 7)
    p = np.arange(50.0)
    assert_rounded_once(
        cosines, np.cos(np.outer(p, 10000 ** (-np.arange(4) / 3.5))), p
    )  # the one that a row has no place for too
    assert posenc.pair(50, 7, odd="zero")[0].shape == (50, 3)
    assert np.array_equal(posenc.pair(50, 7, odd="zero")[1], cosines[:, :3])
    assert posenc.pair(0, 8)[0].shape == (0, 4)
    assert [half.shape for half in posenc.pair(5, 1, odd="zero")] == [(5, 0), (5, 0)]


def test_layout_and_order_do_not_matter():
    want = posenc.pair(50, 16)
    for arguments in (
        dict(layout="split"),
        dict(order="cos_first"),
        dict(preset="rope"),
        dict(preset="marian", order="cos_first"),
    ):
        assert all(np.array_equal(a, b) for a, b in zip(posenc.pair(50, 16, **arguments), want))


def test_freqs_and_impl():
    w = np.array([1.0, 0.3, 1e-9])
    sines, cosines = posenc.pair(50, 6, freqs=w, impl="float64")
    angles = np.arange(50)[:, None] * w
    assert np.array_equal(sines, ROUND["float32"](np.sin(angles))) and np.array_equal(
        cosines, ROUND["float32"](np.cos(angles))
    )


def test_out():
    want = posenc.pair(40, 16, dtype="float64")
    both = np.full((40, 20), 7.0)
    out = both[:, 2:10], both[:, 10:18]
    got = posenc.pair(40, 16, out=out, threads=2)
    assert got[0] is out[0] and got[1] is out[1]
    assert np.array_equal(both[:, 2:18], np.concatenate(want, axis=1)) and np.all(both[:, [0, 1, 18, 19]] == 7)


SINGLE = np.zeros((4, 8), np.float32)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(positions=[1, 2]), TypeError, "positions is [1, 2]; allowed: a count"),
        (dict(positions=2**33), ValueError, "-2^32 to 2^32"),
        (dict(first=0.5), TypeError, "first is 0.5"),
        (dict(out=SINGLE), TypeError, "out is of type ndarray; allowed: a pair of arrays"),
        (dict(out=(SINGLE, SINGLE)), ValueError, "elements in common"),
        (dict(out=(SINGLE, SINGLE[:2])), ValueError, "out[1] has shape (2, 8); allowed: (4, 8)"),
        (dict(out=(SINGLE, SINGLE.astype(np.float64))), TypeError, "out[1] has dtype float64; allowed: float32"),
        (
            dict(out=(SINGLE, np.zeros((4, 9), np.float32)[:, 1:])),
            ValueError,
            "sines 8 elements apart, and of cosines 9",
        ),
        (dict(preset="whisper", d_model=7), ValueError, "d_model is 7"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=re.escape(text)):
        posenc.pair(**{"positions": 4, "d_model": 16, **arguments})
    assert not SINGLE.any()
