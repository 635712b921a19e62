"""Timesteps of diffusion, by the arguments of diffusers."""

from __future__ import annotations

from typing import SupportsIndex

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
    """What ``get_timestep_embedding`` of diffusers computes, by its arguments in its order, each value rounded once.

    The functions' argument is ``t * scale * max_period**(-k / (half - downscale_freq_shift))`` for k = 0 .. half - 1,
    half being ``embedding_dim // 2``. All sines, then all cosines; an odd embedding_dim ends in a column of zeros. The
    timestep_embedding of guided-diffusion, GLIDE and DiT is ``table(positions=timesteps, d_model=dim,
    preset="guided_diffusion", base=max_period)``.

    Parameters
    ----------
    timesteps
        Integers or real numbers, an array of any shape but ().
    embedding_dim
        Columns, 1 to 2**20. 2 and 3 have one frequency, which is 1.
    flip_sin_to_cos
        True: cosines before sines.
    downscale_freq_shift
        Below half.
    scale, max_period
        Not 0; above 0, where one below 1 gives frequencies that rise.
    dtype, impl, out, threads
        As in `table`, as are the errors.

    Returns
    -------
    An array of shape ``timesteps.shape + (embedding_dim,)``; `out` where it was given.
    """
    if np.ndim(timesteps) == 0:
        raise TypeError(f"timesteps is {timesteps!r}, without axes; write [...] for one")
    half = index("embedding_dim", embedding_dim, 1, 1 << 20) // 2
    denominator = half - real("downscale_freq_shift", downscale_freq_shift)
    if half > 1 and not denominator > 0:
        raise ValueError(f"downscale_freq_shift is {downscale_freq_shift}; allowed: below embedding_dim // 2, {half}")
    if real("scale", scale) == 0:
        raise ValueError("scale is 0; allowed: a number that is not 0")
    return table(
        positions=timesteps, d_model=embedding_dim, preset="diffusers", base=real("max_period", max_period),
        denominator=denominator if half > 1 else None, position_scale=scale,
        order="cos_first" if flip_sin_to_cos else "sin_first", dtype=dtype, impl=impl, out=out, threads=threads,
    )  # fmt: skip
