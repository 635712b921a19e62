"""Rotary position embedding of queries in PyTorch, with the cosines and sines of Llama 3:
    python3 pair.py
"""

import torch

import posenc.torch


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotates columns k and k + half of x, shape (..., sequence, head size), by the angle of frequency k."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


# [part: pair]
cache = posenc.torch.pair(8192, 128, base=500000.0, dtype=torch.bfloat16)  # .cos and .sin, each value rounded once
# [end: pair]
torch.manual_seed(0)
queries = torch.randn(1, 8, 100, 128)
rotated = rotate(queries, cache.cos[:100].float(), cache.sin[:100].float())
same_lengths = torch.allclose(rotated.norm(dim=-1), queries.norm(dim=-1), rtol=1e-2)
print(f"sines at 8191 start {cache.sin[8191, :4].tolist()}, cosines {cache.cos[8191, :4].tolist()}")
print(f"rotated {tuple(rotated.shape)}, lengths kept: {same_lengths}")
