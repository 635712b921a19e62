"""For PyTorch: a module that adds a position table to embeddings, and tables, pairs and sums as tensors.

    >>> import posenc.torch
    >>> encode = posenc.torch.SinusoidalPositionalEncoding(512)      # for (sequence, batch, 512), dropout 0.1
    >>> posenc.torch.table(positions=timesteps, d_model=320, preset="guided_diffusion", dtype=torch.bfloat16)
"""

from .._pair import Pair
from ._audit import AuditFinding, audit
from ._encoding import BatchFirstPositionalEncoding, SinusoidalPositionalEncoding
from ._pairs import cis, pair
from ._replace import Replaced, Timesteps, replace_rotary
from ._rotary_embedding import RotaryEmbedding
from ._tensors import add, fill_at, grid, table
from ._timesteps import timestep_embedding

__all__ = [
    "AuditFinding",
    "BatchFirstPositionalEncoding",
    "Pair",
    "Replaced",
    "RotaryEmbedding",
    "SinusoidalPositionalEncoding",
    "Timesteps",
    "add",
    "audit",
    "cis",
    "fill_at",
    "grid",
    "pair",
    "replace_rotary",
    "table",
    "timestep_embedding",
]
