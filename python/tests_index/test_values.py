"""Compares 4 x 10^7 values of the formula with the C library, whose values are the nearest ones."""

import posenc.torch
import pytest
import torch
from posenc.torch import _formula, _rows

SPEC = _rows.spec_of(128, base=500000.0, layout="split", order="cos_first")
TERMS = _rows.terms(SPEC, _formula.INTEGER_TERMS, torch.device("cpu"))
ROWS = 8192
BLOCKS = [torch.arange(ROWS) + first + i * ROWS for first in (0, 10**7, 4 * 10**9) for i in range(13)]


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(
    "dtype, most", [(torch.float32, 4), (torch.bfloat16, 0), (torch.float16, 0), (torch.float64, None)]
)
def test_values(is_compiled, dtype, most, record_property):
    def formula(positions):
        return _formula.rounded(_formula.of_integers(positions[:, None], TERMS, 2**32), dtype)

    call = torch.compile(formula, fullgraph=True) if is_compiled else formula
    count = differ = 0
    for positions in BLOCKS:
        values = call(positions)
        want = posenc.torch.pair(positions=positions, d_model=128, base=500000.0, dtype=dtype)
        right = torch.stack((want.cos, want.sin))
        count += values.numel()
        differ += int((values != right).sum())
        if dtype == torch.float64:
            assert float((values - right).abs().max()) <= 2.0**-50
    record_property("differ", f"{differ} of {count}")
    assert count >= 4 * 10**7 and (dtype == torch.float64 or differ <= most)


def timesteps_by_formula(at, scale, dtype):
    spec = _rows.spec_of(320, preset="guided_diffusion", position_scale=scale)
    return _rows._arranged(_rows._by_formula(at, spec, dtype), spec)


@pytest.mark.parametrize("scale, most", [(1, 1000.0), (1, 2.0**31), (1000, 1000.0)])
@pytest.mark.parametrize("kind", [torch.int64, torch.float32])
def test_without_float64(scale, most, kind, monkeypatch, record_property):
    """As on a device without float64."""
    monkeypatch.setattr(_formula, "_has_float64", lambda device: False)
    _formula._kept.clear()
    at = (torch.rand(20000, generator=torch.Generator().manual_seed(1)) * most).to(kind)
    values = timesteps_by_formula(at, scale, torch.float32)
    _formula._kept.clear()
    want = posenc.torch.timestep_embedding(at, 320, True, 0, scale, dtype=torch.float64)
    worst = float((values - want).abs().max())
    record_property("worst", worst)
    assert 1e-7 < worst <= (7e-7 * scale if kind.is_floating_point else 3e-7)


@pytest.mark.parametrize(
    "scale, most, is_compiled",
    [(1, 1000.0, False), (1, 2.0**31, False), (1000, 1000.0, False), (1, 2.0**31, True)],
)
@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_real_timesteps(scale, most, kind, is_compiled):
    """Compares 6.4 million values of each."""
    at = torch.rand(20000, dtype=kind, generator=torch.Generator().manual_seed(1)) * most
    call = torch.compile(timesteps_by_formula) if is_compiled else timesteps_by_formula
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        want = posenc.torch.timestep_embedding(at, 320, True, 0, scale, dtype=dtype)
        values = call(at, scale, dtype)
        if dtype == torch.float64:
            assert float((values - want).abs().max()) <= 2.0**-50
        else:
            assert int((values != want).sum()) <= (1 if dtype == torch.float32 else 0)
