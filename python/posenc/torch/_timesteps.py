"""Timestep embeddings of diffusion models as PyTorch tensors."""

from __future__ import annotations

from typing import SupportsIndex

import torch

from .._plan import DtypeName
from .._timesteps import table_arguments
from ._rows import constant_number
from ._table import table
from ._tensors import check_positions


def timestep_embedding(
    timesteps: torch.Tensor,
    embedding_dim: SupportsIndex,
    flip_sin_to_cos: bool = False,
    downscale_freq_shift: float = 1,
    scale: float = 1,
    max_period: float = 10000,
    *,
    dtype: torch.dtype | DtypeName | None = None,
    out: torch.Tensor | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """Computes what diffusers' get_timestep_embedding computes: `posenc.timestep_embedding` with PyTorch.

    The result is on the device of `timesteps`. `dtype`, `out` and `threads` are as in `table`. The other arguments and
    the errors are those of `posenc.timestep_embedding`.
    """
    if isinstance(timesteps, torch.Tensor):
        check_positions("timesteps", timesteps)
    numbers = [constant_number(number) for number in (downscale_freq_shift, scale, max_period)]
    arguments = table_arguments(embedding_dim, flip_sin_to_cos, *numbers)
    return table(positions=timesteps, **arguments, dtype=dtype, out=out, threads=threads)
