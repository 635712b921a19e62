"""posenc.add gives the bits of NumPy's float32 arithmetic, for all layouts of rows and batches."""

import math

import numpy as np
import pytest
from reference import from_bfloat16, to_bfloat16

import posenc

RNG = np.random.default_rng(17)


def values(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a.view(np.uint8), b.view(np.uint8))


def summed(x, scale=1.0, first=0, batch_first=None, **spec):
    """The sum by NumPy's float32 operations, with two roundings, on a copy."""
    axis = 1 if batch_first else 0
    table = posenc.table(x.shape[axis], x.shape[-1], first=first, **spec)
    return np.ascontiguousarray(np.float32(scale) * x + (table[:, None] if batch_first is False else table))


@pytest.mark.parametrize("d", [1, 2, 7, 64, 513])
@pytest.mark.parametrize("scale", [1.0, math.sqrt(512), -0.3, 0.0])
def test_rows(d, scale):
    x = values(150, d)
    assert same(posenc.add(x, scale, -9), summed(x, scale, -9))


@pytest.mark.parametrize("shape", [(5, 40, 33), (1, 40, 64), (40, 1, 64), (3, 0, 8), (0, 3, 8)])
@pytest.mark.parametrize("batch_first", [True, False])
def test_batches(shape, batch_first):
    x = values(*shape)
    want = summed(x, 3.0, 5, batch_first)
    for threads in (None, 3):
        assert same(posenc.add(x, 3.0, 5, batch_first=batch_first, threads=threads), want)
    assert posenc.add(x, 3.0, 5, batch_first=batch_first, out=x) is x and same(x, want)


@pytest.mark.parametrize(
    "spec",
    [
        dict(preset="guided_diffusion"),
        dict(layout="split", odd="zero", order="cos_first"),
        dict(freqs=0.5 ** np.arange(17), impl="naive"),
        dict(base=77.0, position_scale=0.5, denominator=3),
    ],
)
def test_every_table(spec):
    x = values(3, 70, 33)
    assert same(posenc.add(x, 1.5, batch_first=True, **spec), summed(x, 1.5, 0, True, **spec))


def test_values_that_are_no_numbers():
    y = posenc.add(np.array([[np.inf, -np.inf, np.nan, 3e38]], np.float32), 2.0)
    assert np.array_equal(y, [[np.inf, -np.inf, np.nan, np.inf]], equal_nan=True)


@pytest.mark.parametrize("scale", [1.0, math.sqrt(34)])
def test_bfloat16(scale):
    x = to_bfloat16(values(6, 80, 34))
    product = to_bfloat16(np.float32(scale) * from_bfloat16(x))
    want = to_bfloat16(from_bfloat16(product) + from_bfloat16(posenc.table(80, 34, dtype="bfloat16")))
    for out in (None, x):
        assert same(posenc.add(x, scale, batch_first=True, dtype="bfloat16", out=out), want)


BIG = values(60, 3, 40)
PLACES = {
    "rows apart": BIG[::2, :, 3:27],
    "batches apart": BIG[:, ::2, :24],
    "backwards": BIG[::-1, :, :24],
    "columns apart": BIG[:, :, ::2],
    "repeated rows": np.broadcast_to(BIG[:, :1], (60, 3, 40)),
    "a repeated row": np.broadcast_to(BIG[0, 0], (9, 2, 40)),
    "other order": BIG.transpose(2, 1, 0),
    "not aligned": np.frombuffer(b"x" + BIG.tobytes(), np.uint8)[1:].view(np.float32).reshape(60, 3, 40),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("batch_first", [True, False])
def test_strides(place, batch_first):
    x = PLACES[place]
    want = summed(x, 2.0, 0, batch_first)
    assert same(posenc.add(x, 2.0, batch_first=batch_first), want)
    wide = np.full((x.shape[0], x.shape[1] + 1, x.shape[2] + 9), 7, np.float32)
    out = wide[:, 1:, 5:-4]
    assert posenc.add(x, 2.0, batch_first=batch_first, out=out, threads=2) is out and np.array_equal(out, want)
    out[:] = 7
    assert np.all(wide == 7)
    swapped = np.zeros((x.shape[1], x.shape[0], x.shape[2]), np.float32).transpose(1, 0, 2)
    assert np.array_equal(posenc.add(x, 2.0, batch_first=batch_first, out=swapped), want)


@pytest.mark.parametrize("offset", [0, 1, 16, 40])
def test_x_that_overlaps_out(offset):
    memory = values(16 * 40)
    x, out = memory[: 16 * 16].reshape(16, 16), memory[offset : offset + 16 * 16].reshape(16, 16)
    for source in (x, x.T):
        want = summed(source, 2.0)
        assert same(posenc.add(source, 2.0, out=out), want)
