"""Compares the largest errors of position tables of other projects with those of posenc's tables.

    python3 three_faults.py

docs/accuracy.md names the sources and shows what this prints. PyTorch lacks some float16 operations on the CPU, so each
operation is computed in float32 here and rounded to the model's dtype, as on a GPU. The reference values are long
double sines of the formula's angles.
"""

import math

import numpy as np
import torch

import posenc.torch


def gpt_neox(count, dtype):
    """RotaryEmbedding(32) of a cast model: frequencies, positions, angles and cosines have the model's dtype."""
    w = (1.0 / (10000 ** (torch.arange(0, 32, 2).float() / 32))).to(dtype).float()
    angles = (torch.arange(count).to(dtype).float()[:, None] * w).to(dtype).float()
    return angles.cos().to(dtype), angles.sin().to(dtype)


def depthcharge(count, dtype):
    """PositionalEncoder(1024) of a cast model: positions are divided by wavelengths from 1 to 1e5, over 2 pi."""
    terms = (1.0 / (2 * np.pi) * 1e5 ** (torch.arange(0, 512).float() / 511)).to(dtype).float()
    angles = (torch.arange(count).to(dtype).float()[:, None] / terms).to(dtype).float()
    return angles.cos().to(dtype), angles.sin().to(dtype)


def ggml(count, dtype):
    """ggml_rope_cache_init: each pair's angle is the angle of the pair before it, times theta_scale."""
    angles = torch.empty(count, 64)
    angles[:, 0] = torch.arange(count)
    for k in range(63):
        angles[:, k + 1] = angles[:, k] * np.float32(500000.0 ** (-2 / 128))
    return angles.cos(), angles.sin()


def transformers(count, dtype):
    """LlamaRotaryEmbedding: positions times frequencies, in float32."""
    w = 1.0 / (500000.0 ** (torch.arange(0, 128, 2).float() / 128))
    angles = torch.arange(count).float()[:, None] * w
    return angles.cos(), angles.sin()


GPT_NEOX = {"d_model": 32}
DEPTHCHARGE = {"d_model": 1024, "base": 1e5, "denominator": 511, "position_scale": 2 * math.pi}
LLAMA_3 = {"d_model": 128, "base": 500000.0}
CASES = (  # arithmetic, number of positions, arguments of posenc.torch.pair, dtype
    (gpt_neox, 2048, GPT_NEOX, torch.float16),
    (gpt_neox, 2048, GPT_NEOX, torch.bfloat16),
    (depthcharge, 1000, DEPTHCHARGE, torch.float16),
    (depthcharge, 1000, DEPTHCHARGE, torch.bfloat16),
    (ggml, 131072, LLAMA_3, torch.float32),
    (transformers, 131072, LLAMA_3, torch.float32),
)


def worst(count, asked, *tables):
    """Returns each table's largest error, its place, and both values. The reference is long double."""
    n = asked["d_model"] // 2
    w = np.longdouble(asked.get("base", 10000)) ** (-np.arange(n) / np.longdouble(asked.get("denominator", n)))
    w *= asked.get("position_scale", 1)
    found = [[] for _ in tables]
    for begin in range(0, count, 4096):
        angles = np.arange(begin, min(begin + 4096, count), dtype=np.longdouble)[:, None] * w
        for function, want, part in ("cos", np.cos(angles), 0), ("sin", np.sin(angles), 1):
            for pairs, mine in zip(tables, found):
                got = pairs[part][begin : begin + 4096].double().numpy()
                off = np.abs(got - want)
                i, k = np.unravel_index(off.argmax(), off.shape)
                mine.append((off[i, k], begin + i, k, function, got[i, k], want[i, k]))
    return [max(mine) for mine in found]


if __name__ == "__main__":
    head = ["arithmetic of", "dtype", "positions", "largest error", "at position, pair", "it computes", "right is"]
    print("| " + " | ".join([*head, "posenc's largest error"]) + " |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for arithmetic, count, asked, dtype in CASES:
        ours = posenc.torch.pair(count, **asked, dtype=dtype)
        theirs, here = worst(count, asked, arithmetic(count, dtype), (ours.cos, ours.sin))
        off, position, pair, function, got, want = theirs
        cells = [arithmetic.__name__, str(dtype)[6:], count, f"{off:.2g}", f"{position}, {pair}"]
        cells += [f"{function} {got:.4f}", f"{want:.4f}", f"{here[0]:.1e}"]
        print("| " + " | ".join(map(str, cells)) + " |")
