"""Rotary position embedding of queries, with the sines and cosines of Llama 3, in PyTorch.

    python3 rotary.py
"""

import torch

import posenc.torch


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """(..., sequence, head size): columns k and k + half are turned by the angle of frequency k."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


# [part: pair]
cache = posenc.torch.pair(8192, 128, base=500000.0, dtype=torch.bfloat16)  # .cos and .sin, each rounded once
# [end: pair]
torch.manual_seed(0)
queries = torch.randn(1, 8, 100, 128)
turned = rotate(queries, cache.cos[:100].float(), cache.sin[:100].float())
print(f"sines at 8191 start {cache.sin[8191, :4].tolist()}, cosines {cache.cos[8191, :4].tolist()}")
print(
    f"turned {tuple(turned.shape)}, lengths kept: {torch.allclose(turned.norm(dim=-1), queries.norm(dim=-1), rtol=1e-2)}"
)
