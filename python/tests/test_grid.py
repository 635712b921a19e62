"""posenc.grid, compared with the tables of its axes, and timestep_embedding, compared with the formula of diffusers.

pytorch/test_recipes.py compares the grids of DETR, MAE, simple ViT and CogVideoX with their formulas."""

import numpy as np
import pytest
from test_presets import diffusers

import posenc

RNG = np.random.default_rng(5)
GRIDS = [
    (dict(shape=(3, 4, 5), d_model=(2, 6, 4), class_tokens=1, first=-2), (0, 1, 2)),
    (dict(shape=(5, 9), d_model=12, axes=(1, 0), preset="t2t"), (1, 0)),
    (dict(shape=(4, 5, 3), d_model=(4, 2, 6), axes=(2, 0, 1), layout="split", class_tokens=2), (2, 0, 1)),
    (dict(positions=(np.arange(6) / 1.875, np.arange(1, 5)), d_model=(4, 8), axes=(1, 0), layout="split"), (1, 0)),
    (dict(shape=(3, 0), d_model=12), (0, 1)),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("grid, turns", GRIDS)
def test_rows_are_the_tables(grid, turns, dtype):
    """A point's row has the rows of its coordinates side by side, in turns. The last axis runs fastest."""
    spec = dict(dtype=dtype, base=77.0, order="cos_first", position_scale=0.5)
    made = posenc.grid(**grid, **spec)
    of_axes = {name: grid[name] for name in ("preset", "layout") if name in grid}
    each, tokens = grid.get("positions") or grid["shape"], grid.get("class_tokens", 0)
    widths = grid["d_model"] if isinstance(grid["d_model"], tuple) else [12 // len(each)] * len(each)
    tables = [
        posenc.table(positions=at, d_model=width, **of_axes, **spec)
        if isinstance(at, np.ndarray)
        else posenc.table(at, width, first=grid.get("first", 0), **of_axes, **spec)
        for at, width in zip(each, widths)
    ]
    points = [np.hstack([tables[axis][at[axis]] for axis in turns]) for at in np.ndindex(*map(len, tables))]
    assert made.shape == (tokens + len(points), 12) and not made[:tokens].any()
    assert np.array_equal(made[tokens:], np.array(points, made.dtype).reshape(-1, 12))
    wide = np.full((len(made), 20), 7, made.dtype)
    out = wide[:, 3:15]
    assert posenc.grid(**grid, out=out, **spec) is out
    assert np.array_equal(out, made) and np.all(wide[:, :3] == 7) and np.all(wide[:, 15:] == 7)


@pytest.mark.parametrize("d", [1, 4, 7, 320])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("shift", [1, 0, 0.5])
def test_timesteps(d, flip, shift):
    """Values are within half a unit in the last place plus the error of the formula's float64 angles."""
    for t in (RNG.uniform(0, 1000, 20), np.arange(9)):
        for scale, period in ((1, 10000), (1000, 77.0)):
            made = posenc.timestep_embedding(t, d, flip, shift, scale, period)
            want = diffusers(t, d, period, shift, flip, scale) if d > 1 else np.zeros((len(t), 1))
            assert made.shape == want.shape and made.dtype == np.float32
            assert np.all(np.abs(made - want) <= 0.5 * np.spacing(np.abs(made)) + 4e-15 * (1 + 1000 * scale))
            assert d % 2 == 0 or not made[:, -1].any()


def test_timesteps_of_one_frequency():
    t = np.array([[0.5, 999.0]])
    made = posenc.timestep_embedding(t, 3, True, dtype="float64")
    assert made.shape == (1, 2, 3) and np.allclose(made, np.stack([np.cos(t), np.sin(t), 0 * t], -1), atol=1e-15)
    out = np.zeros((1, 2, 3))
    assert posenc.timestep_embedding(t, 3, True, out=out, impl="exact", threads=2) is out and np.array_equal(out, made)
