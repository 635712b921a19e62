"""Presets, and the arguments that change their fields: against float64 transcriptions of what projects compute."""

import re

import numpy as np
import pytest
from formulas import PRESETS, assert_rounded_once, diffusers, fairseq, guided_diffusion, marian, paper, rope, t2t

import posenc

WIDTHS = [1, 2, 3, 4, 7, 16, 33, 64, 128, 513]


def widths(name):
    _, odd, least, _ = PRESETS[name]
    return [d for d in WIDTHS if (odd or d % 2 == 0) and d // 2 + (name in ("paper", "marian")) >= least]


def test_each_has_a_transcription():
    assert [row.name for row in posenc.presets()] == list(PRESETS)
    for row in posenc.presets():
        assert all(row) and row._fields == ("name", "formula", "users", "starts")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("impl", ["exact", "anchored_scalar", "float64"])
def test_values(name, impl):
    formula, _, _, starts = PRESETS[name]
    if not {row.name: row.supported for row in posenc.implementations()}.get(impl, True):
        pytest.skip(f"{impl} does not run here")
    late = np.arange(3) + 131069.0
    for d in widths(name):
        p = np.arange(300) + starts
        at = p if starts % 1 else p.astype(np.int64)
        for positions, table in [
            (p, posenc.table(at, d, preset=name, impl=impl)),
            (late, posenc.table(3, d, preset=name, impl=impl, first=131069)),
        ]:
            truth = formula(positions, d)
            if impl == "exact":
                assert_rounded_once(table, truth, positions)
            else:
                assert np.abs(table - truth).max() <= 2.0**-25 + 1e-9
            assert not table[:, ~truth.any(axis=0)].any()  # columns of zeros


@pytest.mark.parametrize("name", ["whisper", "rope", "rothman"])
def test_widths_that_projects_refuse(name):
    with pytest.raises(ValueError, match=rf'd_model is 7; preset "{name}" allows'):
        posenc.table(3, 7, preset=name)


def test_a_single_frequency_is_1():
    for name in ("t2t", "ddpm", "fairseq", "diffusers", "guided_diffusion"):
        flip = name == "guided_diffusion"
        want = np.stack([np.cos(np.arange(9.0)), np.sin(np.arange(9.0))], 1)[:, :: 1 if flip else -1]
        assert_rounded_once(posenc.table(9, 2, preset=name), want, np.arange(9))
    with pytest.raises(ValueError, match="d_model is 2"):
        posenc.table(9, 2, preset="whisper")


def test_the_default_is_the_papers():
    for d in (7, 64):
        assert np.array_equal(posenc.table(50, d), posenc.table(50, d, preset="paper"))


# ---- arguments change a preset's fields


P = np.arange(200.0)


def test_base():
    assert_rounded_once(posenc.table(200, 33, 500000.0, preset="fairseq"), fairseq(P, 33, 500000.0), P)
    assert_rounded_once(posenc.table(200, 32, base=500000, preset="rope"), rope(P, 32, 500000.0), P)


@pytest.mark.parametrize(
    "shift, flip, scale", [(1, False, 1), (0, True, 1), (0, False, 1000), (0.5, True, 0.001), (1, True, -3.0)]
)
def test_diffusers_and_its_arguments(shift, flip, scale):
    order = "cos_first" if flip else None
    table = posenc.table(200, 17, preset="diffusers", denominator=8 - shift, order=order, position_scale=scale)
    assert_rounded_once(table, diffusers(P, 17, 10000.0, shift, flip, scale), P * scale)


def test_layout_and_order():
    assert_rounded_once(posenc.table(200, 33, layout="split"), marian(P, 33), P)
    sines_first = posenc.table(200, 33, preset="guided_diffusion", order="sin_first")
    assert np.array_equal(sines_first[:, :16], posenc.table(200, 33, preset="guided_diffusion")[:, 16:32])
    cosines = posenc.table(200, 32, order="cos_first")
    assert np.array_equal(cosines.reshape(200, 16, 2)[..., ::-1].reshape(200, 32), posenc.table(200, 32))
    pairs = posenc.table(200, 32, preset="t2t", layout="interleaved")
    assert np.array_equal(pairs[:, 1::2], posenc.table(200, 32, preset="t2t")[:, 16:])


def test_odd():
    assert_rounded_once(posenc.table(200, 7, odd="zero"), np.pad(paper(P, 6, 10000 ** (6 / 7)), [(0, 0), (0, 1)]), P)
    half = posenc.table(200, 7, preset="t2t", odd="half_pair")  # a frequency more, beyond the ladder's end
    assert_rounded_once(half[:, [0, 1, 2, 4, 5, 6]], t2t(P, 7)[:, :6], P)
    assert_rounded_once(half[:, 3:4], np.sin(P * 10000 ** (-3 / 2))[:, None], P)


def test_position_scale():
    assert np.array_equal(posenc.table(100, 32, position_scale=3), posenc.table(np.arange(100) * 3, 32))
    assert np.array_equal(posenc.table(100, 32, position_scale=0.25), posenc.table(np.arange(100) / 4, 32))
    assert_rounded_once(posenc.table(200, 32, position_scale=1000 / 7), paper(P * (1000 / 7), 32), P * 150)


def test_freqs_replace_the_ladder():
    w = 0.5 ** np.arange(8)
    table = posenc.table(200, 17, freqs=w, preset="guided_diffusion")
    assert_rounded_once(
        table, np.concatenate([np.cos(P[:, None] * w), np.sin(P[:, None] * w), np.zeros((200, 1))], 1), P
    )


def test_freqs_that_are_not_to_be_kept_are_not():
    assert np.array_equal(posenc.table(9, 4, freqs=[1.0, 0.5]), posenc.table(9, 4, freqs=np.array([1.0, 0.5])))
    assert not np.array_equal(posenc.table(9, 4, freqs=[1.0, 0.5]), posenc.table(9, 4, freqs=[1.0, 0.25]))


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(preset="transformer"), ValueError, 'preset is "transformer"; known: paper, marian'),
        (dict(preset=1), TypeError, "preset is 1; allowed: a name (posenc.presets() lists them) or None"),
        (dict(preset="t2t\0"), TypeError, "preset is 't2t"),
        (dict(layout="blocks"), ValueError, "layout is 'blocks'; allowed: 'interleaved' or 'split'"),
        (dict(layout=1), TypeError, "layout is 1; allowed: 'interleaved' or 'split'"),
        (dict(order="cos"), ValueError, "order is 'cos'; allowed: 'sin_first' or 'cos_first'"),
        (dict(odd="pad"), ValueError, "odd is 'pad'; allowed: 'half_pair' or 'zero'"),
        (dict(position_scale=0), ValueError, "position_scale is 0; allowed"),
        (dict(position_scale="2"), TypeError, "position_scale is '2'; allowed: a number"),
        (dict(position_scale=float("inf")), ValueError, "position_scale is inf"),
        (dict(position_scale=1e-30), ValueError, "position_scale is"),
        (dict(position_scale=2.0**20), ValueError, "2^32"),
        (dict(denominator=0), ValueError, "denominator is 0; allowed"),
        (dict(denominator=-1), ValueError, "denominator is -1"),
        (dict(denominator=True), TypeError, "denominator is True"),
        (dict(base=10**400), ValueError, "base is too large"),
        (dict(odd="zero", d_model=7, freqs=[1.0] * 4), ValueError, "n_freqs is 4"),
        (dict(impl="naive", dtype="float64"), ValueError, "float32"),
    ],
)
def test_bad_arguments(arguments, error, text):
    out = np.full((5000, arguments.get("d_model", 512)), 7, arguments.get("dtype", "float32"))
    with pytest.raises(error, match=re.escape(text)):
        posenc.table(**arguments, out=out)
    assert np.all(out == 7)


def test_arguments_that_do_not_exist():
    with pytest.raises(
        TypeError, match="there is no argument 'bases'; those that say what to compute are preset, dtype, base"
    ):
        posenc.fill_at(np.zeros((1, 8), np.float32), [1], bases=3)
    with pytest.raises(TypeError, match="bases"):
        posenc.table(3, 8, bases=3)
