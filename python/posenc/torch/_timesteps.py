"""Timestep embeddings of diffusion models as PyTorch tensors."""

from __future__ import annotations

import functools
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, SupportsIndex

import torch
from torch.nn import functional

from .. import _timesteps
from .._plan import MAX_POSITION, DtypeName, dtype_name, index, real
from ._calls import is_compiled, is_plain, is_traced
from ._formula import INTEGER_TERMS, REAL_TERMS, Ladder, Terms, of_integers, of_reals, rounded
from ._tensors import TORCH_DTYPES, as_tensor, device_of, numbers, target, warn_of_16_bits


def timestep_embedding(
    timesteps: torch.Tensor,
    embedding_dim: SupportsIndex,
    flip_sin_to_cos: bool = False,
    downscale_freq_shift: float = 1,
    scale: float = 1,
    max_period: float = 10000,
    *,
    dtype: torch.dtype | DtypeName | None = None,
    impl: str | None = None,
    out: torch.Tensor | None = None,
    threads: SupportsIndex | None = None,
) -> torch.Tensor:
    """Computes what diffusers' get_timestep_embedding computes: `posenc.timestep_embedding` with PyTorch.

    The result is on the device of `timesteps`. `out` is as in `table`. The other arguments and the errors are those of
    `posenc.timestep_embedding`. `impl` and `out` are for eager calls only.

    The C library computes eager calls on the CPU. It rounds each value once from the real number.

    Operations of PyTorch compute all other calls: compiled, exported and transformed ones, those whose timesteps
    require a gradient, and those on another device. Timesteps that the C library refuses, such as those whose product
    with `scale` exceeds 2^32, give NaN there. The largest errors are:

    - float32: 2^-50 plus half a unit in the last place.
    - float64: 2^-50.
    - 16 bits: rounded once.
    - On devices that have no float64: 3e-7 for integers, and 7e-7 for real timesteps, times `scale` if that is above 1.
    """
    dtype = out.dtype if dtype is None and isinstance(out, torch.Tensor) else dtype
    names = names_of_terms(timesteps) if isinstance(timesteps, torch.Tensor) else ""
    if names and not is_plain(timesteps):
        if out is None and impl is None:
            arguments = (
                real("downscale_freq_shift", _constant(downscale_freq_shift)),
                real("scale", _constant(scale)),
                real("max_period", _constant(max_period)),
            )
            d_model = index("embedding_dim", embedding_dim, 1, 1 << 20)
            terms = _terms(d_model, *arguments, names, timesteps.device)
            kind = TORCH_DTYPES[dtype_name(dtype or "float32")]
            return by_formula(timesteps, terms, d_model, flip_sin_to_cos, limits(arguments[1]), kind)
        if is_traced():
            raise TypeError("out or impl is given; allowed: None if timestep_embedding is compiled, exported or traced")
    name, where = dtype_name(dtype or "float32"), device_of(None, timesteps)
    array = _timesteps.timestep_embedding(
        numbers("timesteps", timesteps), embedding_dim, flip_sin_to_cos, downscale_freq_shift, scale, max_period,
        dtype=name, impl=impl, out=None if out is None else target("out", out), threads=threads,
    )  # fmt: skip
    return as_tensor(array, name).to(where) if out is None else out


def _constant(number: Any) -> Any:
    """Returns a float argument as a constant.

    torch.compile makes a float that changes symbolic. The two integers of its ratio are constants, and so is their
    quotient."""
    if not is_compiled() or not isinstance(number, float) or number - number != 0:
        return number
    numerator, denominator = number.as_integer_ratio()
    return numerator / denominator


def limits(scale: float) -> tuple[int, float]:
    """Returns the largest integer and the largest real timestep, in magnitude."""
    most = MAX_POSITION / max(1.0, abs(scale))
    return int(most), most


def names_of_terms(timesteps: torch.Tensor) -> str:
    """Checks timesteps, and returns the names of the ladder's numbers that `by_formula` needs."""
    if timesteps.dim() == 0:
        raise TypeError("timesteps is a single number; write timesteps[None]")
    if timesteps.is_complex() or timesteps.dtype == torch.bool:
        raise TypeError(f"timesteps have dtype {timesteps.dtype}; allowed: integers or real numbers")
    warn_of_16_bits("timesteps", timesteps)
    return REAL_TERMS if timesteps.is_floating_point() else INTEGER_TERMS


def by_formula(
    timesteps: torch.Tensor, terms: Terms, d_model: int, cos_first: bool, most: tuple[int, float], dtype: torch.dtype
) -> torch.Tensor:
    is_real, at = timesteps.is_floating_point(), timesteps[..., None]
    both = of_reals(at, terms, most[1]) if is_real else of_integers(at.long(), terms, None, most[0])
    cos, sin = both.unbind()  # joined before they are rounded, since autocast may refuse to join 16 bits
    columns = rounded(torch.cat((cos, sin) if cos_first else (sin, cos), -1), dtype, is_real)
    return functional.pad(columns, (0, 1)) if d_model % 2 else columns


def _terms(d_model: int, shift: float, scale: float, period: float, names: str, device: torch.device) -> Terms:
    return checked_ladder(d_model, shift, scale, period).tensors(names, device)


_terms._dynamo_marked_constant = True  # type: ignore[attr-defined]  # as Ladder._constants


def checked_ladder(d_model: int, shift: float, scale: float, period: float = 10000) -> Ladder:
    """Returns the ladder for the formula. C checks the arguments."""
    _timesteps.timestep_embedding([], d_model, False, shift, scale, period)
    return _ladder(d_model // 2, shift, scale, period)


@functools.lru_cache(maxsize=16)
def _ladder(half: int, shift: float, scale: float, period: float) -> Ladder:
    """Returns the ladder of scale * period^(-k / (half - shift)), computed to 60 digits."""
    with localcontext(Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX)):
        exponent = -Decimal(period).ln() / Decimal(half - shift if half > 1 else 1)
        return Ladder([Fraction(scale) * Fraction((k * exponent).exp()) for k in range(half)])
