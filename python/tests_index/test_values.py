"""Compares 4 x 10^7 values of the formula with the C library, and the values that are hardest to round with mpmath."""

import mpmath
import posenc.torch
import pytest
import torch
from posenc.torch import _formula, _rows

LLAMA = posenc.rotary_frequencies(128, 500000.0)
SPEC = _rows.spec_of(128, base=500000.0, layout="split", order="cos_first")
TERMS = _rows.terms(SPEC, _formula.INTEGER_TERMS, torch.device("cpu"))
ROWS = 8192
BLOCKS = [torch.arange(ROWS) + first + i * ROWS for first in (0, 10**7, 4 * 10**9) for i in range(13)]
HARDEST = 10**4


def float64(positions):
    return _formula.of_integers(positions[:, None], TERMS, 2**32)


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("dtype, most", [(torch.float32, 4), (torch.bfloat16, 0), (torch.float16, 0)])
def test_values(is_compiled, dtype, most, record_property):
    def formula(positions):
        return _formula.rounded(float64(positions), dtype)

    torch._dynamo.reset()
    call = torch.compile(formula, fullgraph=True) if is_compiled else formula
    count = differ = 0
    for positions in BLOCKS:
        found = call(positions)
        want = posenc.torch.pair(positions=positions, d_model=128, base=500000.0, dtype=dtype)
        count += found.numel()
        differ += int((found != torch.stack((want.cos, want.sin))).sum())
    record_property("differ", f"{differ} of {count}")
    assert count >= 4 * 10**7 and differ <= most


def least(score, values, positions):
    """(score, position, frequency, whether it is a sine, value) of the values with the lowest scores."""
    n = 4 * HARDEST // len(BLOCKS)  # more than an equal share, because blocks differ
    scores, at = score.reshape(-1).topk(n, largest=False)
    halves, rows, columns = values.shape
    where = positions[at // columns % rows], at % columns, at // (columns * rows), values.reshape(-1)[at]
    return list(zip(scores.tolist(), *(each.tolist() for each in where)))


def test_the_hardest(record_property):
    """The values nearest to zeros, and those nearest to ties of float32."""
    zeros, ties = [], []
    for positions in BLOCKS:
        values = float64(positions)
        cut = values.view(torch.int64) & ((1 << 29) - 1)  # the bits that a float32 lacks; half of their range is a tie
        zeros += least(values.abs(), values, positions)
        ties += least((cut - (1 << 28)).abs().double(), values, positions)
    with mpmath.workprec(160):
        w = [mpmath.mpf(a) + mpmath.mpf(b) for a, b in zip(LLAMA.freqs.tolist(), LLAMA.freqs_low.tolist())]
        for name, found in ("zeros", zeros), ("ties", ties):
            hardest = sorted(found)[:HARDEST]
            worst = max(abs(v - (mpmath.sin if sine else mpmath.cos)(p * w[k])) for _, p, k, sine, v in hardest)
            record_property(name, float(worst))
            assert len(hardest) == HARDEST and worst <= 2.0**-50


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
    found = timesteps_by_formula(at, scale, torch.float32)
    _formula._kept.clear()
    want = posenc.torch.timestep_embedding(at, 320, True, 0, scale, dtype=torch.float64)
    worst = float((found - want).abs().max())
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
    torch._dynamo.reset()
    call = torch.compile(timesteps_by_formula) if is_compiled else timesteps_by_formula
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        want = posenc.torch.timestep_embedding(at, 320, True, 0, scale, dtype=dtype)
        found = call(at, scale, dtype)
        if dtype == torch.float64:
            assert float((found - want).abs().max()) <= 2.0**-50
        else:
            assert int((found != want).sum()) <= (1 if dtype == torch.float32 else 0)
