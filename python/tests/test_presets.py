"""Presets, compared with float64 transcriptions of their projects' formulas."""

import math
from typing import get_args

import numpy as np
import pytest

import posenc
from posenc import _plan


def interleaved(sines, cosines):
    """The paper's columns: each sine before its cosine. There may be one more sine than cosines."""
    table = np.zeros((len(sines), sines.shape[1] + cosines.shape[1]))
    table[:, 0::2], table[:, 1::2] = sines, cosines
    return table


def paper(p, d, base=10000.0):
    """pytorch/tutorials, Annotated Transformer: div_term = exp(arange(0, d, 2) * -(ln(base) / d)); odd d: a last sine."""
    div_term = np.exp(np.arange(0, d, 2) * -(math.log(base) / d))
    return interleaved(np.sin(p[:, None] * div_term), np.cos(p[:, None] * div_term)[:, : d // 2])


def marian(p, d, base=10000.0):
    """huggingface/transformers, MarianSinusoidalPositionalEmbedding: pos / base^(2 (j // 2) / d), sines first."""
    enc = p[:, None] / np.power(base, 2 * (np.arange(d) // 2) / d)
    return np.concatenate([np.sin(enc[:, 0::2]), np.cos(enc[:, 1::2])], axis=1)


def t2t(p, d, base=10000.0):
    """tensorflow/tensor2tensor, get_timing_signal_1d: a last column of zeros if d is odd."""
    num_timescales = d // 2
    increment = math.log(base / 1.0) / max(num_timescales - 1, 1)
    scaled_time = p[:, None] * (1.0 * np.exp(np.arange(num_timescales) * -increment))
    return np.pad(np.concatenate([np.sin(scaled_time), np.cos(scaled_time)], axis=1), [(0, 0), (0, d % 2)])


def fairseq(p, d, base=10000.0):
    """facebookresearch/fairseq, SinusoidalPositionalEmbedding.get_embedding.

    The same are hojonathanho/diffusion, nn.py, and for even d openai/whisper, model.py, sinusoids."""
    half_dim = d // 2
    emb = math.log(base) / (half_dim - 1)
    emb = p[:, None] * np.exp(np.arange(half_dim) * -emb)
    table = np.concatenate([np.sin(emb), np.cos(emb)], axis=1)
    return np.concatenate([table, np.zeros((len(p), 1))], axis=1) if d % 2 == 1 else table


def guided_diffusion(p, d, base=10000.0):
    """openai/guided-diffusion, nn.py, timestep_embedding: cosines first."""
    half = d // 2
    args = p[:, None] * np.exp(-math.log(base) * np.arange(half) / half)[None]
    table = np.concatenate([np.cos(args), np.sin(args)], axis=-1)
    return np.concatenate([table, np.zeros_like(table[:, :1])], axis=-1) if d % 2 else table


def diffusers(p, d, base=10000.0, downscale_freq_shift=1, flip_sin_to_cos=False, scale=1):
    """huggingface/diffusers, get_timestep_embedding."""
    half_dim = d // 2
    exponent = -math.log(base) * np.arange(half_dim) / (half_dim - downscale_freq_shift)
    emb = scale * (p[:, None] * np.exp(exponent)[None, :])
    emb = np.concatenate([np.sin(emb), np.cos(emb)], axis=-1)
    if flip_sin_to_cos:
        emb = np.concatenate([emb[:, half_dim:], emb[:, :half_dim]], axis=-1)
    return np.pad(emb, [(0, 0), (0, d % 2)])


def musicgen(p, d, base=10000.0):
    """huggingface/transformers, MusicgenSinusoidalPositionalEmbedding: fairseq's with cosines first."""
    return diffusers(p, d, base, flip_sin_to_cos=True)


def rope(p, d, base=10000.0):
    """huggingface/transformers, LlamaRotaryEmbedding: inv_freq = 1 / base^(2k / d); cosines, then sines."""
    freqs = np.outer(p, 1.0 / base ** (np.arange(0, d, 2) / d))
    return np.concatenate([np.cos(freqs), np.sin(freqs)], axis=1)


def rothman(p, d, base=10000.0):
    """Denis2054/Transformers-for-NLP-2nd-Edition, positional_encoding.ipynb: i steps by 2 and is doubled again."""
    table = np.zeros((len(p), d))
    for i in range(0, d, 2):
        table[:, i] = np.sin(p / base ** ((2 * i) / d))
        table[:, i + 1] = np.cos(p / base ** ((2 * i) / d))
    return table


#: For each preset: formula, whether it has odd widths, smallest number of frequencies, position where users begin.
PRESETS = {
    "paper": (paper, True, 1, "0"),
    "marian": (marian, True, 1, "0"),
    "t2t": (t2t, True, 1, "0"),
    "ddpm": (fairseq, True, 2, "0"),
    "fairseq": (fairseq, True, 2, "padding_idx + 1"),
    "whisper": (fairseq, False, 2, "0"),
    "musicgen": (musicgen, True, 2, "0"),
    "guided_diffusion": (guided_diffusion, True, 1, "any real number"),
    "diffusers": (diffusers, True, 2, "any real number"),
    "rope": (rope, False, 1, "0"),
    "rothman": (rothman, False, 1, "0"),
}

#: A first position for each of these phrases. fairseq's padding_idx is 1.
FIRST = {"0": 0, "padding_idx + 1": 2, "any real number": 0.5}


def test_each_has_a_formula():
    assert [(row.name, row.starts) for row in posenc.presets()] == [(name, row[3]) for name, row in PRESETS.items()]


def test_types_list_the_names():
    """The names in the annotations are those of the library, in its order."""
    assert get_args(_plan.PresetName) == tuple(row.name for row in posenc.presets())
    assert get_args(_plan.DtypeName) == tuple(_plan.DTYPES)
    for name, names in dict(layout=_plan.Layout, order=_plan.Order, odd=_plan.Odd).items():
        for value, text in enumerate(get_args(names)):
            assert getattr(_plan.plan(7, **{name: text}).spec(), name) == value
        with pytest.raises(ValueError, match=f"allowed: {', '.join(map(repr, get_args(names)))}$"):
            posenc.table(3, 7, **{name: "other"})
    with pytest.raises(ValueError, match=f"allowed: {', '.join(map(repr, get_args(_plan.Duplicated)))} or None$"):
        posenc.pair(3, 8, duplicated="other")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("first", [0, 131069])
@pytest.mark.parametrize("base, scale", [(10000, 1), (500000, 3)])
def test_values(name, first, base, scale):
    """Values are within half a unit in the last place plus the error of the formula's float64 angles."""
    replaced = {} if scale == 1 else dict(base=base, position_scale=scale)
    formula, odd, least, starts = PRESETS[name]
    positions = first + FIRST[starts] + np.arange(300)
    for d in [1, 2, 3, 4, 7, 16, 33, 64, 128, 513]:
        if (d % 2 and not odd) or d // 2 + (name in ("paper", "marian")) < least:
            continue
        rows = positions if FIRST[starts] % 1 else positions.astype(np.int64)
        table = posenc.table(positions=rows, d_model=d, preset=name, **replaced)
        reference = formula(scale * positions, d, base)
        slack = 4e-15 * (1 + scale * positions)[:, None]
        assert np.all(np.abs(table - reference) <= 0.5 * np.spacing(np.abs(table)) + slack), d
        assert not table[:, ~reference.any(axis=0)].any(), d  # columns of zeros
