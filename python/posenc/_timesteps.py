"""Timestep embeddings of diffusion models, with the arguments of diffusers."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._plan import index, real
from ._table import Array, table


def timestep_embedding(
    timesteps: npt.ArrayLike,
    embedding_dim: SupportsIndex,
    flip_sin_to_cos: bool = False,
    downscale_freq_shift: float = 1,
    scale: float = 1,
    max_period: float = 10000,
    *,
    dtype: npt.DTypeLike | None = None,
    impl: str | None = None,
    out: Array | None = None,
    threads: SupportsIndex | None = None,
) -> Array:
    """Computes what ``get_timestep_embedding`` of diffusers computes, with each value rounded once.

    The positional arguments are those of diffusers, in its order. For timestep t, the angles are
    ``t * scale * max_period**(-k / (half - downscale_freq_shift))``, with ``half = embedding_dim // 2`` and
    k = 0 .. half - 1. A row has all sines, then all cosines. If embedding_dim is odd, its last column is zeros.

    The ``timestep_embedding`` of guided-diffusion, GLIDE and DiT is
    ``table(positions=timesteps, d_model=dim, preset="guided_diffusion", base=max_period)``.

    Parameters
    ----------
    timesteps
        An array of integers or real numbers, of any shape except (). 16-bit floats give a warning, as in `table`.
    embedding_dim
        The number of columns, 1 to 2**20. With 2 or 3, the only frequency is 1.
    flip_sin_to_cos
        True puts the cosines before the sines.
    downscale_freq_shift
        A number below ``embedding_dim // 2``.
    scale
        A number that is not 0.
    max_period
        A number above 0. The frequencies rise if it is below 1.
    dtype, impl, out, threads
        As in `table`, and so are the errors.

    Returns
    -------
    An array of shape ``timesteps.shape + (embedding_dim,)``, or `out` if it was given.
    """
    if np.ndim(timesteps) == 0:
        raise TypeError(f"timesteps is a single number; write [{timesteps}]")
    arguments = table_arguments(embedding_dim, flip_sin_to_cos, downscale_freq_shift, scale, max_period)
    return table(positions=timesteps, **arguments, dtype=dtype, impl=impl, out=out, threads=threads)


def table_arguments(
    embedding_dim: SupportsIndex, cos_first: bool, shift: float, scale: float, max_period: float
) -> dict[str, Any]:
    """Returns the arguments of `table` for those of `timestep_embedding`."""
    half = index("embedding_dim", embedding_dim, 1, 1 << 20) // 2
    denominator = half - real("downscale_freq_shift", shift)
    if half > 1 and not denominator > 0:
        raise ValueError(f"downscale_freq_shift is {shift}; allowed: below embedding_dim // 2, {half}")
    if real("scale", scale) == 0:
        raise ValueError("scale is 0; allowed: a number that is not 0")
    return dict(
        d_model=embedding_dim, preset="diffusers", base=real("max_period", max_period),
        denominator=denominator if half > 1 else None, position_scale=scale,
        order="cos_first" if cos_first else "sin_first",
    )  # fmt: skip
