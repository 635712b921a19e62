"""posenc.add: the bits of NumPy's float32 arithmetic, for every place of rows and batches."""

import math
import re

import numpy as np
import pytest
from formulas import bfloat16, from_bfloat16

import posenc

RNG = np.random.default_rng(17)


def values(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a.view(np.uint8), b.view(np.uint8))


def summed(x, scale, table):
    """Two roundings: NumPy's float32 operations."""
    return np.float32(scale) * x + table


@pytest.mark.parametrize("d", [1, 2, 7, 64, 130, 513])
@pytest.mark.parametrize("scale", [1.0, math.sqrt(512), -0.3, 0.0])
def test_rows(d, scale):
    x, table = values(150, d), posenc.table(150, d, first=-9)
    assert same(posenc.add(x, scale, -9), summed(x, scale, table))
    assert same(posenc.add(x, scale, first=-9, threads=4), summed(x, scale, table))


@pytest.mark.parametrize("shape", [(5, 40, 33), (1, 40, 64), (40, 1, 64), (3, 0, 8), (0, 3, 8), (2, 200, 96)])
@pytest.mark.parametrize("threads", [None, 3])
def test_batches(shape, threads):
    x = values(*shape)
    table = posenc.table(shape[1], shape[2], first=5)
    assert same(posenc.add(x, 3.0, 5, batch_first=True, threads=threads), summed(x, 3.0, table))
    table = posenc.table(shape[0], shape[2], first=5)
    assert same(posenc.add(x, 3.0, 5, batch_first=False, threads=threads), summed(x, 3.0, table[:, None]))


@pytest.mark.parametrize("offset", range(17))
def test_in_place_at_every_alignment(offset):
    memory = values(300 * 128 + 24)
    before = memory.copy()
    x = memory[offset : offset + 300 * 128].reshape(300, 128)
    want = posenc.add(x, 2.5)
    assert same(want, summed(x, 2.5, posenc.table(300, 128)))
    posenc.add(x, 2.5, out=x)
    assert same(x, want)
    x[:] = before[offset : offset + 300 * 128].reshape(300, 128)
    assert same(memory, before)


def test_in_place():
    for shape, batch_first in [((90, 48), None), ((4, 90, 48), True), ((90, 4, 48), False)]:
        x = values(*shape)
        want = posenc.add(x, 2.5, batch_first=batch_first)
        assert posenc.add(x, 2.5, batch_first=batch_first, out=x) is x and same(x, want)


@pytest.mark.parametrize(
    "spec",
    [
        dict(preset="whisper"),
        dict(preset="guided_diffusion"),
        dict(layout="split", odd="zero", d=33),
        dict(order="cos_first", d=33),
        dict(impl="naive"),
        dict(freqs=0.5 ** np.arange(16)),
        dict(base=77.0, position_scale=0.5),
        dict(impl="anchored", preset="marian", d=33),
    ],
)
def test_every_table(spec):
    spec = dict(spec)
    d = spec.pop("d", 32)
    x = values(3, 70, d)
    assert same(posenc.add(x, 1.5, batch_first=True, **spec), summed(x, 1.5, posenc.table(70, d, **spec)))


def test_far_from_the_caches():
    x = values(12000, 1024)
    table = posenc.table(12000, 1024)
    want = summed(x, 32.0, table)
    assert same(posenc.add(x, 32.0), want)
    posenc.add(x, 32.0, threads=2, out=x)
    assert same(x, want)


def test_values_that_are_no_numbers():
    x = np.array([[np.inf, -np.inf, np.nan, 3e38]], np.float32)
    y = posenc.add(x, 2.0)
    assert np.isnan(y).tolist() == [[False, False, True, False]] and y[0, [0, 1, 3]].tolist() == [
        np.inf,
        -np.inf,
        np.inf,
    ]


# ---- bfloat16


def test_bfloat16():
    x = bfloat16(RNG.standard_normal((6, 80, 34)))
    for scale in (1.0, math.sqrt(34)):
        product = bfloat16(np.float32(scale) * from_bfloat16(x))
        table = posenc.table(80, 34, dtype="bfloat16")
        want = bfloat16(from_bfloat16(product) + from_bfloat16(table))
        assert same(posenc.add(x, scale, batch_first=True, dtype="bfloat16", threads=2), want)
    y = x.copy()
    assert same(posenc.add(y, scale, batch_first=True, dtype="bfloat16", out=y), want) and same(y, want)


# ---- places


def test_strides_of_x():
    big = values(60, 3, 40)
    views = [big[::2, :, 3:27], big[:, ::2, :24], big[::-1, :, :24], big[:, :, ::2], np.broadcast_to(big[:, :1], (60, 3, 40)),
             big.transpose(1, 0, 2), big.transpose(2, 1, 0), np.broadcast_to(values(24), (9, 2, 24))]  # fmt: skip
    for x in views:
        for batch_first in (True, False):
            table = posenc.table(x.shape[1 if batch_first else 0], x.shape[2])
            want = summed(x, 2.0, table if batch_first else table[:, None])
            assert same(posenc.add(x, 2.0, batch_first=batch_first), np.ascontiguousarray(want))
    odd = np.frombuffer(b"x" + values(9, 8).tobytes(), np.uint8)[1:].view(np.float32).reshape(9, 8)  # not aligned
    assert same(posenc.add(odd), summed(odd, 1.0, posenc.table(9, 8)))


def test_strides_of_out():
    x = values(20, 3, 24)
    for batch_first in (True, False):
        want = posenc.add(x, 2.0, batch_first=batch_first)
        wide = np.full((20, 4, 40), 7, np.float32)
        out = wide[:, :3, 5:29]
        assert posenc.add(x, 2.0, batch_first=batch_first, out=out, threads=2) is out
        assert np.array_equal(out, want)
        wide[:, :3, 5:29] = 7
        assert np.all(wide == 7)
        swapped = np.zeros((3, 20, 24), np.float32).transpose(1, 0, 2)
        assert np.array_equal(posenc.add(x, 2.0, batch_first=batch_first, out=swapped), want)


def test_x_that_overlaps_out():
    memory = values(30 * 16 + 40)
    for offset in (0, 1, 16, 40):
        x, out = memory[: 30 * 16].reshape(30, 16), memory[offset : offset + 30 * 16].reshape(30, 16)
        want = posenc.add(x.copy(), 2.0)
        assert same(posenc.add(x, 2.0, out=out), want)
    x = values(16, 16)
    want = posenc.add(x.T.copy())
    assert same(posenc.add(x.T, out=x), want)


X = values(6, 5, 8)
READ_ONLY = np.frombuffer(bytes(4 * 6 * 5 * 8), np.float32).reshape(6, 5, 8)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(batch_first=None), TypeError, "batch_first is None; with three axes it must be True"),
        (dict(batch_first=1), TypeError, "batch_first is 1"),
        (dict(x=[[1.0]]), TypeError, "x is of type list; allowed: a NumPy array"),
        (dict(x=X[0, 0]), ValueError, "x has shape (8,); allowed: (sequence, d_model)"),
        (dict(x=X[None]), ValueError, "x has shape (1, 6, 5, 8)"),
        (dict(x=X[:, :, :0]), ValueError, "d_model is 0"),
        (dict(x=X.astype(np.float64)), TypeError, "x has dtype float64; allowed: float32"),
        (dict(x=X.astype(">f4")), TypeError, "x has dtype >f4"),
        (
            dict(x=X.astype(np.uint16)),
            TypeError,
            "x has dtype uint16; allowed: float32, or uint16 with dtype='bfloat16'",
        ),
        (dict(dtype="bfloat16"), TypeError, "x has dtype float32; allowed: uint16, which holds bfloat16"),
        (dict(x=X.astype(np.float64), dtype="float64"), ValueError, "float32 and bfloat16"),
        (dict(scale="2"), TypeError, "scale is '2'; allowed: a number"),
        (dict(scale=float("nan")), ValueError, "scale is nan"),
        (dict(scale=1e39), ValueError, "e+38"),
        (dict(scale=10**400), ValueError, "scale is too large"),
        (dict(scale=True), TypeError, "scale is True"),
        (dict(first=1.5), TypeError, "first is 1.5"),
        (dict(first=2**32), ValueError, "first is 4294967296"),
        (dict(threads=0), ValueError, "threads is 0"),
        (dict(out=X[:, :, :4].copy()), ValueError, "out has shape (6, 5, 4); allowed: that of x, (6, 5, 8)"),
        (dict(out=X.astype(np.float64)), TypeError, "out has dtype float64; allowed: float32"),
        (dict(out=READ_ONLY), ValueError, "out is read-only"),
        (dict(out=np.zeros((6, 5, 16), np.float32)[:, :, ::2]), ValueError, "out has strides (320, 64, 8) bytes"),
        (dict(out=np.zeros((6, 5, 8), np.float32)[::-1]), ValueError, "out has strides (-160, 32, 4) bytes"),
        (dict(out=[0]), TypeError, "out is of type list"),
        (dict(preset="nothing"), ValueError, 'preset is "nothing"'),
        (dict(base=1.0), ValueError, "base is 1"),
        (dict(position=3), TypeError, "there is no argument 'position'"),
    ],
)
def test_bad_arguments(arguments, error, text):
    arguments = {"x": X, "batch_first": True, **arguments}
    out = arguments.setdefault("out", np.full_like(arguments["x"], 7))
    before = np.array(out)
    with pytest.raises(error, match=re.escape(text)):
        posenc.add(**arguments)
    assert np.array_equal(np.array(out), before)
