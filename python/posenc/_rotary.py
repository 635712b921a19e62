"""Frequencies of rotary embeddings, scaled for long contexts as in a Hugging Face configuration."""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Mapping, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._arrays import address_of, fresh
from ._library import Rotary, library
from ._plan import DTYPES, check, index, real, unknown

_MAX_LENGTH = 1 << 32
_ORIGINAL = "original_max_position_embeddings"

#: The rope_types of transformers and the keys that each requires, in the order of posenc_rotary_scaling, which has no
#: "proportional".
_REQUIRED: dict[str, tuple[str, ...]] = {
    "default": (),
    "linear": ("factor",),
    "dynamic": ("factor",),
    "yarn": (),
    "longrope": ("short_factor", "long_factor"),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
    "proportional": (),
}
_OLD_NAMES = {"su": "longrope", "mrope": "default"}  # used by Phi-3 and by Qwen2-VL
#: The keys that any rope_type may have. Each ignores the keys that it does not use, as in transformers.
_ZERO_IS_NONE = ("beta_fast", "beta_slow", "mscale", "mscale_all_dim")  # in transformers too
_REALS = ("factor", "attention_factor", "low_freq_factor", "high_freq_factor", *_ZERO_IS_NONE)
_KEYS = (
    *("rope_type", "type", "rope_theta", "partial_rotary_factor", "truncate", "alpha"),
    *(_ORIGINAL, "short_factor", "long_factor", *_REALS),
    # keys that do not affect frequencies (the models list them in ignore_keys_at_rope_validation)
    *("mrope_section", "mrope_interleaved", "interleaved", "llama_4_scaling_beta", "max_position_embeddings"),
)


@dataclasses.dataclass(frozen=True, eq=False)
class RotaryFrequencies:
    """The frequencies of a rotary embedding. `rotary_frequencies` describes the fields."""

    freqs: npt.NDArray[np.float64]
    freqs_low: npt.NDArray[np.float64]
    attention_factor: float


def known_keys(scaling: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns the part of a scaling that `rotary_frequencies` allows, and the other keys."""
    known = {key: value for key, value in scaling.items() if key in _KEYS}
    return known, [key for key in scaling if key not in _KEYS]


def rope_type_of(scaling: Mapping[str, Any]) -> str:
    """Returns the rope_type of a configuration's scaling. Unknown keys raise a ValueError."""
    for key in known_keys(scaling)[1]:
        advice = f"; give only scaling[{key!r}]" if isinstance(scaling[key], Mapping) else ""
        raise ValueError(unknown("scaling has the key", key, _KEYS) + advice)
    rope_type = scaling.get("rope_type") or scaling.get("type") or "default"
    if rope_type == "default" and "rope_type" not in scaling and scaling.get("factor") is not None:
        raise ValueError(f"scaling has a factor, and no rope_type; allowed: {', '.join(map(repr, _REQUIRED))}")
    rope_type = _OLD_NAMES.get(str(rope_type), rope_type)
    if rope_type not in [*_REQUIRED]:  # a list, because a rope_type from a file may not be hashable
        raise ValueError(unknown("scaling has the rope_type", rope_type, _REQUIRED))
    for key in _REQUIRED[rope_type]:
        if scaling.get(key) is None and not _has_alpha(rope_type, scaling):
            raise ValueError(f"scaling has no {key!r}, which rope_type {rope_type!r} needs")
    return rope_type


def _has_alpha(rope_type: str, scaling: Mapping[str, Any]) -> bool:
    """Whether a scaling is Hunyuan's: "dynamic", with an alpha that replaces the length."""
    return rope_type == "dynamic" and scaling.get("alpha") is not None


def base_of(base: float | None, theta: float | None) -> float:
    """Returns the base for the argument `base` and the rope_theta of a scaling, of which at least one may be None."""
    if base is None or theta is None:
        return real("base", next((value for value in (base, theta) if value is not None), 10000.0))
    if base != theta:
        raise ValueError(f"base is {base!r} and scaling has the rope_theta {theta!r}; give one of them")
    return real("base", base)


def rotary_frequencies(
    head_dim: SupportsIndex,
    base: float | None = None,
    *,
    scaling: Mapping[str, Any] | None = None,
    length: SupportsIndex | None = None,
    max_position_embeddings: SupportsIndex | None = None,
) -> RotaryFrequencies:
    """Computes the frequencies of a rotary embedding, scaled as in a Hugging Face configuration.

        >>> r = posenc.rotary_frequencies(128, scaling=config.rope_parameters, max_position_embeddings=131072)
        >>> cache = posenc.pair(131072, 2 * len(r.freqs), freqs=r.freqs, freqs_low=r.freqs_low)

    The frequencies are the real numbers of the formulas in transformers (ROPE_INIT_FUNCTIONS), as sums of two doubles.
    The comment on posenc_rotary_scaling in posenc.h has the formulas. "dynamic" with an `alpha`, as in Hunyuan's
    configurations, does not depend on the length: the base is multiplied by alpha^(d / (d - 2)), with d columns.

    Parameters
    ----------
    head_dim
        The number of columns of a whole head.
    base
        None means the rope_theta of `scaling`, or 10000 if it has none.
    scaling
        A configuration's rope_parameters or rope_scaling. Its rope_type (or type) is "default", "linear", "dynamic",
        "yarn", "longrope", "llama3" or "proportional". A partial_rotary_factor counts with every rope_type: only that
        share of the head's columns is rotated. "proportional" has a frequency for each pair of columns of the whole
        head, and those that are not rotated are 0. The others have frequencies for the rotated columns only, and
        short_factor and long_factor have as many numbers.

        A key whose value is None counts as missing. Unknown keys raise a ValueError, and so do missing keys that the
        rope_type needs. If the configuration has original_max_position_embeddings outside of its rope_scaling, as Phi-3
        does, add that key to `scaling`; without the key, max_position_embeddings takes its place.
    length
        The number of positions of the sequence, which "dynamic" and "longrope" depend on. None means 0.
    max_position_embeddings
        The configuration's number. "dynamic" requires it without an `alpha`. "yarn", "longrope" and "llama3" use it in
        place of a missing original_max_position_embeddings. "yarn" also uses it if `scaling` has no factor, and
        "longrope" if `scaling` has neither factor nor attention_factor.

    Returns
    -------
    An object with the fields `freqs`, `freqs_low` and `attention_factor`. There are head_dim / 2 frequencies, or fewer
    if the head is rotated in part. Each frequency is the sum of an element of `freqs` and one of `freqs_low`.
    transformers multiplies all cosines and sines by `attention_factor`; `pair` and `table` do not.
    """
    r = Rotary()
    scaling = {} if scaling is None else scaling
    if not isinstance(scaling, Mapping):
        raise TypeError(f"scaling is {scaling!r}; allowed: a mapping as in config.rope_parameters, or None")
    rope_type = rope_type_of(scaling)
    head, partial = index("head_dim", head_dim, 2, 1 << 20), scaling.get("partial_rotary_factor")
    share = 1.0 if partial is None else real("partial_rotary_factor", partial)
    if not 0 < share <= 1:
        raise ValueError(f"partial_rotary_factor is {share}; allowed: above 0, and at most 1")
    rotated = int(head * share)
    columns = head if rope_type == "proportional" else rotated  # the columns with frequencies
    if columns < 2 or columns % 2:
        raise ValueError(f"{columns} of {head} columns of a head would be rotated; allowed: an even number from 2 on")
    if rope_type == "proportional":
        rope_type, scaling = "linear", {**scaling, "factor": scaling.get("factor") or 1.0}
    check(library.posenc_rotary_init(ctypes.byref(r), columns, [*_REQUIRED].index(rope_type)))
    r.base = base_of(base, scaling.get("rope_theta"))
    r.length = 0 if length is None else index("length", length, 0, _MAX_LENGTH)
    has_alpha = _has_alpha(rope_type, scaling)

    def positions(name: str, *values: SupportsIndex | None) -> int:
        """Returns the first value that is not None. The name is that of the key."""
        for value in values:
            if value is not None:
                return index(name, value, 1, _MAX_LENGTH)
        raise ValueError(f"{name} is missing, which rope_type {rope_type!r} needs")

    if rope_type == "dynamic" and not has_alpha:
        r.max_position_embeddings = positions("max_position_embeddings", max_position_embeddings)
    if rope_type in ("yarn", "longrope", "llama3"):
        r.original_max_position_embeddings = positions(_ORIGINAL, scaling.get(_ORIGINAL), max_position_embeddings)
    for key in _REALS:
        value = scaling.get(key)
        if value is not None and (value != 0 or key not in _ZERO_IS_NONE):
            setattr(r, key, real(key, value))
            if key == "attention_factor" and r.attention_factor == 0:  # in C, 0 means that the field is not set
                raise ValueError("attention_factor is 0; allowed: a number above 0, or None")
    needs_factor = rope_type == "yarn" or rope_type == "longrope" and r.attention_factor == 0
    if needs_factor and scaling.get("factor") is None:
        longest = positions("max_position_embeddings", max_position_embeddings)
        r.factor = longest / r.original_max_position_embeddings
    if has_alpha:  # the factor of the base is then 1 + factor (length - max) / max = alpha; the difference is exact
        alpha = real("alpha", scaling["alpha"])
        if not 1 <= alpha <= _MAX_LENGTH:
            raise ValueError(f"alpha is {alpha}; allowed: 1 to 2^32")
        r.factor, r.max_position_embeddings, r.length = (alpha - 1, 1, 2) if alpha > 1 else (1.0, 1, 1)
    if "truncate" in scaling:  # None means False in transformers
        r.truncate = bool(scaling["truncate"])
    n = columns // 2
    keys = _REQUIRED["longrope"] if rope_type == "longrope" else ()
    factors = [np.array(scaling[key], np.float32) for key in keys]  # alive while C has their addresses
    for key, values in zip(keys, factors):
        if values.shape != (n,):
            raise ValueError(f"{key} has shape {values.shape}; allowed: ({n},), a factor for each frequency")
        setattr(r, key, values.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))
    freqs, freqs_low = (fresh((n,), DTYPES["float64"]) for _ in range(2))
    attention_factor = ctypes.c_double()
    addresses = address_of(freqs), address_of(freqs_low)
    check(library.posenc_rotary_freqs(ctypes.byref(r), *addresses, ctypes.byref(attention_factor)))
    freqs[rotated // 2 :] = freqs_low[rotated // 2 :] = 0  # only "proportional" has more frequencies
    return RotaryFrequencies(freqs, freqs_low, attention_factor.value)
