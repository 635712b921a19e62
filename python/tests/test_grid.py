"""posenc.grid and timestep_embedding, compared with float64 transcriptions of other projects' formulas."""

import math

import numpy as np
import pytest
from test_presets import diffusers

import posenc

RNG = np.random.default_rng(5)


def close(table, reference, largest):
    """Checks that values are within half a unit in the last place plus the error of the formula's float64 angles."""
    assert table.shape == reference.shape and table.dtype == np.float32
    assert np.all(np.abs(table - reference) <= 0.5 * np.spacing(np.abs(table)) + 4e-15 * (1 + largest))


def along(d, p, denominator=None, base=10000.0):
    """Sines and cosines of one coordinate, given as an array of the points' shape."""
    omega = base ** (-np.arange(d // 2) / (denominator or d / 2))
    return np.sin(p[..., None] * omega), np.cos(p[..., None] * omega)


def beside(*parts):
    table = np.concatenate(parts, -1)
    return table.reshape(-1, table.shape[-1])


def mae(d, h, w):
    """facebookresearch/mae, util/pos_embed.py, get_2d_sincos_pos_embed: "here w goes first"; ViTMAE of transformers."""
    y, x = np.mgrid[:h, :w]
    return beside(*along(d // 2, x), *along(d // 2, y))


def diffusers_2d(d, h, w, interpolation_scale, base_size):
    """huggingface/diffusers, get_2d_sincos_pos_embed, whose sizes are h and w."""
    y, x = np.mgrid[:h, :w]
    y, x = y / (h / base_size) / interpolation_scale, x / (w / base_size) / interpolation_scale
    return beside(*along(d // 2, x), *along(d // 2, y))


def diffusers_3d(d, frames, h, w, spatial, temporal):
    """huggingface/diffusers, get_3d_sincos_pos_embed: a quarter for frames, three eighths each for width, height."""
    t, y, x = np.mgrid[:frames, :h, :w]
    return beside(*along(d // 4, t / temporal), *along(3 * d // 8, x / spatial), *along(3 * d // 8, y / spatial))


def timm(d, h, w):
    """huggingface/pytorch-image-models, build_sincos2d_pos_embed(interleave_sin_cos=True). False: all sines first."""
    y, x = np.mgrid[:h, :w]
    return beside(*along(d // 2, y), *along(d // 2, x))


def simple_vit(d, *shape):
    """lucidrains/vit-pytorch, posemb_sincos_2d and 3d: the last axis first, and the denominator n - 1."""
    coordinates, n = np.mgrid[tuple(slice(size) for size in shape)], d // (2 * len(shape))
    return beside(*(f for p in coordinates[::-1] for f in along(2 * n, p, denominator=n - 1)))


def detr(d, h, w, normalize):
    """facebookresearch/detr, PositionEmbeddingSine without a mask: height first, from 1, sines and cosines in turn."""
    y, x = np.mgrid[1 : h + 1, 1 : w + 1]
    if normalize:
        y, x = y / (h + 1e-6) * 2 * math.pi, x / (w + 1e-6) * 2 * math.pi
    return beside(*(np.stack(along(d // 2, p), -1).reshape(h, w, -1) for p in (y, x)))


def test_mae():
    for d, h, w in [(768, 14, 14), (64, 5, 9), (4, 1, 3)]:
        close(posenc.grid((h, w), d, axes=(1, 0), layout="split"), mae(d, h, w), 14)
    tokens = posenc.grid((14, 14), 768, axes=(1, 0), preset="marian", class_tokens=2)
    assert not tokens[:2].any()
    close(tokens[2:], mae(768, 14, 14), 14)


def test_diffusers():
    at = [np.arange(n) / (n / 16) / 0.7 for n in (6, 9)]
    close(posenc.grid(None, 64, positions=at, axes=(1, 0), layout="split"), diffusers_2d(64, 6, 9, 0.7, 16), 30)
    at = [np.arange(5) / 1.5, np.arange(6) / 1.875, np.arange(9) / 1.875]
    made = posenc.grid(d_model=(16, 24, 24), positions=at, axes=(0, 2, 1), layout="split")
    close(made, diffusers_3d(64, 5, 6, 9, 1.875, 1.5), 9)


def test_timm():
    close(posenc.grid((5, 9), 64, layout="split"), timm(64, 5, 9), 9)


def test_simple_vit():
    close(posenc.grid((5, 9), 64, axes=(1, 0), preset="t2t"), simple_vit(64, 5, 9), 9)
    close(posenc.grid((4, 5, 9), (10, 10, 10), axes=(2, 1, 0), preset="t2t"), simple_vit(32, 4, 5, 9), 9)


def test_detr():
    close(posenc.grid((25, 34), 256, first=1), detr(256, 25, 34, False), 35)
    at = [np.arange(1, n + 1) / (n + 1e-6) * 2 * math.pi for n in (25, 34)]
    close(posenc.grid(None, 256, positions=at), detr(256, 25, 34, True), 7)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_rows_are_the_tables(dtype):
    spec = dict(dtype=dtype, base=77.0, order="cos_first", position_scale=0.5)
    made = posenc.grid((3, 4, 5), (2, 6, 4), class_tokens=1, first=-2, **spec)
    parts = [posenc.table(n, d, first=-2, **spec) for n, d in ((3, 2), (4, 6), (5, 4))]
    for i, j, k in np.ndindex(3, 4, 5):
        assert np.array_equal(made[1 + 20 * i + 5 * j + k], np.concatenate([parts[0][i], parts[1][j], parts[2][k]]))
    wide = np.full((61, 20), 7, made.dtype)
    out = wide[:, 3:15]
    assert posenc.grid((3, 4, 5), (2, 6, 4), class_tokens=1, first=-2, out=out, **spec) is out
    assert np.array_equal(out, made) and np.all(wide[:, :3] == 7) and np.all(wide[:, 15:] == 7)
    assert posenc.grid((3, 0), 8, dtype=dtype).shape == (0, 8)


# ---- timesteps


@pytest.mark.parametrize("d", [1, 4, 7, 320])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("shift", [1, 0, 0.5])
def test_timesteps(d, flip, shift):
    for t in (RNG.uniform(0, 1000, 20), np.arange(9)):
        for scale, period in ((1, 10000), (1000, 77.0)):
            made = posenc.timestep_embedding(t, d, flip, shift, scale, period)
            close(made, diffusers(t, d, period, shift, flip, scale) if d > 1 else np.zeros((len(t), 1)), 1000 * scale)
            assert d % 2 == 0 or not made[:, -1].any()


def test_timesteps_of_one_frequency():
    t = np.array([[0.5, 999.0]])
    made = posenc.timestep_embedding(t, 3, True, dtype="float64")
    assert made.shape == (1, 2, 3) and np.allclose(made, np.stack([np.cos(t), np.sin(t), 0 * t], -1), atol=1e-15)
    out = np.zeros((1, 2, 3))
    assert posenc.timestep_embedding(t, 3, True, out=out, impl="exact", threads=2) is out and np.array_equal(out, made)
