"""The rotary embeddings of a config.json as the installed transformers makes them."""

from __future__ import annotations

import logging
from typing import Any, Mapping

import torch

from .._audit import Part
from .._config import ASSUMED_PATCHES, ASSUMED_POSITIONS
from .._files import config as read
from ._audit import used
from ._replace import is_candidate, replacement
from ._rotary_embedding import RotaryEmbedding, RotaryEmbeddings


def parts(path: str) -> tuple[list[Part], list[str], str]:
    """Returns the rotary embeddings, notes on modules that are left out, and transformers' version.

    transformers makes the model without weights, on the meta device. Its rotary modules are made again on the CPU. No
    code that a file brings runs, and nothing is loaded from elsewhere."""
    try:
        import transformers
    except ImportError:
        raise ValueError("--transformers needs transformers: pip install transformers") from None
    logging.disable(logging.WARNING)
    config = transformers.AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    names = [name for name in config.architectures or [] if hasattr(transformers, name)]
    with torch.device("meta"):
        make = getattr(transformers, names[0])._from_config if names else transformers.AutoModel.from_config
        model = make(config)
    result, notes, seen, values = [], [], set(), read(path)
    for name, module in model.named_modules():
        its_config = getattr(module, "config", None)
        if (type(module), id(its_config)) in seen or not is_candidate(module):
            continue
        seen.add((type(module), id(its_config)))
        try:
            fresh = type(module)(its_config)
            ours = replacement(fresh)
        except Exception as error:
            ours = f"{type(error).__name__}: {error}" if its_config else "it has no config, from which it could be made again"
        if isinstance(ours, str):
            notes.append(f"{name} is not described: {ours}")
            continue
        each = ours.per_type.items() if isinstance(ours, RotaryEmbeddings) else [("", ours)]
        result += [_part(f"{name}, {layer}" if layer else name, fresh, layer, one, values) for layer, one in each]
    return result, notes, transformers.__version__


def _part(name: str, module: Any, layer: str, one: RotaryEmbedding, values: Mapping[str, Any]) -> Part:
    buffer = getattr(module, f"{layer}_inv_freq" if layer else "inv_freq")
    assumed_positions = ASSUMED_PATCHES if one.axis == -1 else ASSUMED_POSITIONS
    positions = None if one.axis == -1 else getattr(module.config, "max_position_embeddings", None)
    dtype = str(getattr(module.config, "dtype", None) or "float32").replace("torch.", "")
    part = Part(
        name, model_type=str(getattr(module.config, "model_type", "")), columns=f"of {one.d_model} columns", head=one.d_model,
        base=one.base, scaling=one.scaling, positions=positions or assumed_positions, dtype=dtype,
        exact=one.of_length, used=used(one, buffer.float().numpy()),
    )  # fmt: skip
    part.note("base", _key(one.base, values), f"base {one.base:.17g} (the default of its class)")
    part.note("positions", _key(positions, values), f"{part.positions:,} positions")
    return part


def _key(number: float | None, values: Mapping[str, Any]) -> str:
    """Returns the first key of a file that has this number, or ""."""
    for name, value in values.items():
        inner = _key(number, value) if isinstance(value, Mapping) else ""
        if inner or isinstance(value, (int, float)) and not isinstance(value, bool) and value == number:
            return f"{name}.{inner}".rstrip(".")
    return ""
