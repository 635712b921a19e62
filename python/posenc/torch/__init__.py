"""posenc.torch has modules of position tables and rotary embeddings, and the functions of posenc with tensors.

    >>> import posenc.torch
    >>> encode = posenc.torch.SinusoidalPositionalEncoding(512)      # for (sequence, batch, 512), dropout 0.1
    >>> posenc.torch.replace_rotary(model)                           # for models of transformers and diffusers
    >>> posenc.torch.table(positions=timesteps, d_model=320, preset="guided_diffusion", dtype=torch.bfloat16)

Modules:
    SinusoidalPositionalEncoding   adds a table to embeddings; (batch, sequence, d_model) with batch_first=True
    RotaryEmbedding                cosines and sines of rotary embeddings
    Timesteps                      timestep embeddings for a model of diffusers

Functions on models:
    audit                          lists the tables of a model, with their errors
    replace_rotary                 replaces the rotary and timestep modules of a model
    rotary_like                    makes the module that takes the place of one rotary module

Functions as in `posenc`, with tensors: table, grid, timestep_embedding, pair and cis.

For a module, call `help(posenc.torch.RotaryEmbedding)`, for example. For the arguments that all tables share, call
`help(posenc.table)`.
"""

import importlib.util as _util
from typing import TYPE_CHECKING

if _util.find_spec("torch") is None:
    raise ModuleNotFoundError("posenc.torch needs PyTorch: pip install torch", name="torch")

from ._audit import audit
from ._diffusers import Timesteps
from ._encoding import SinusoidalPositionalEncoding
from ._replace import replace_rotary
from ._rotary_embedding import RotaryEmbedding
from ._rotary_like import rotary_like
from ._table import cis, grid, pair, table, timestep_embedding

__all__ = ["audit", "cis", "grid", "pair", "replace_rotary", "rotary_like", "table", "timestep_embedding"]
if TYPE_CHECKING:  # help() prints about 900 lines for a class in __all__, most of them from nn.Module
    __all__ += ["RotaryEmbedding", "SinusoidalPositionalEncoding", "Timesteps"]
