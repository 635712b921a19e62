"""posenc.grid, compared with the tables of its axes, and timestep_embedding, compared with the formula of diffusers.

pytorch/test_recipes.py compares the grids of DETR, MAE, simple ViT and CogVideoX with their formulas."""

import numpy as np
import pytest
from reference import assert_fills_only
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
    result = posenc.grid(**grid, **spec)
    of_axes = {name: grid[name] for name in ("preset", "layout") if name in grid}
    positions = grid.get("positions") or [grid.get("first", 0) + np.arange(length) for length in grid["shape"]]
    widths = grid["d_model"] if isinstance(grid["d_model"], tuple) else [12 // len(positions)] * len(positions)
    tables = [posenc.table(positions=p, d_model=width, **of_axes, **spec) for p, width in zip(positions, widths)]
    points = [np.hstack([tables[axis][point[axis]] for axis in turns]) for point in np.ndindex(*map(len, tables))]
    tokens = grid.get("class_tokens", 0)
    assert result.shape == (tokens + len(points), 12) and not result[:tokens].any()
    assert np.array_equal(result[tokens:], np.array(points, result.dtype).reshape(-1, 12))
    assert_fills_only(lambda out: posenc.grid(**grid, out=out, **spec), result)


@pytest.mark.parametrize("d", [1, 4, 7, 320])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("shift", [1, 0, 0.5])
def test_timesteps(d, flip, shift):
    """Values are within half a unit in the last place plus the error of the formula's float64 angles."""
    for t in (RNG.uniform(0, 1000, 20), np.arange(9)):
        for scale, period in ((1, 10000), (1000, 77.0)):
            result = posenc.timestep_embedding(t, d, flip, shift, scale, period)
            want = diffusers(t, d, period, shift, flip, scale) if d > 1 else np.zeros((len(t), 1))
            assert result.shape == want.shape and result.dtype == np.float32
            assert np.all(np.abs(result - want) <= 0.5 * np.spacing(np.abs(result)) + 4e-15 * (1 + 1000 * scale))
            assert d % 2 == 0 or not result[:, -1].any()


def test_timesteps_of_one_frequency():
    t = np.array([[0.5, 999.0]])
    result = posenc.timestep_embedding(t, 3, True, dtype="float64")
    assert result.shape == (1, 2, 3) and np.allclose(result, np.stack([np.cos(t), np.sin(t), 0 * t], -1), atol=1e-15)
    out = np.zeros((1, 2, 3))
    assert posenc.timestep_embedding(t, 3, True, out=out, impl="exact", threads=2) is out and np.array_equal(
        out, result
    )
