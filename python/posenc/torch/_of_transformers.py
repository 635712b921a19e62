"""The rotary embeddings of a config.json as the installed transformers makes them."""

from __future__ import annotations

import logging
import os
from typing import Any, Mapping, Sequence

import torch

from .._audit import Part, float32_frequencies
from .._config import ASSUMED_PATCHES, ASSUMED_POSITIONS, BASE, LOCAL, POSITIONS
from .._files import config as read
from ._replace import is_candidate, replacement
from ._rotary_embedding import RotaryEmbedding, RotaryEmbeddings


def parts(path: str) -> tuple[list[Part], list[str], str]:
    """Returns the rotary embeddings, notes on modules that are left out, and transformers' version.

    transformers makes the model without weights, on the meta device. Its rotary modules are made again on the CPU. No
    code that a file brings runs, and nothing is loaded from elsewhere."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        import transformers
    except ImportError:
        raise ValueError("--transformers needs transformers: pip install transformers") from None
    logging.disable(logging.WARNING)
    config = transformers.AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    names = [name for name in config.architectures or [] if hasattr(transformers, name)]
    with torch.device("meta"):
        make = getattr(transformers, names[0])._from_config if names else transformers.AutoModel.from_config
        model = make(config, attn_implementation="eager")  # a file may name an implementation that is on the hub
    result, notes, seen, values = [], [], set(), read(path)
    for name, module in model.named_modules():
        key = type(module), id(getattr(module, "config", None))
        if key in seen or not is_candidate(module):
            continue
        seen.add(key)
        new = _replacement_on_cpu(module)
        if isinstance(new, str):
            notes.append(f"{name} is not described: {new}")
        elif isinstance(new, RotaryEmbeddings):
            result += [_part(f"{name}, {layer}", module, rotary, values) for layer, rotary in new.per_type.items()]
        else:
            result.append(_part(name, module, new, values))
    return result, notes, transformers.__version__


def _replacement_on_cpu(module: Any) -> Any:
    """Returns the replacement of a new instance on the CPU, or the reason why there is none."""
    tables = [name for name, _ in module.named_buffers() if not name.endswith("inv_freq")]
    if tables:
        return f"it keeps {', '.join(tables)}; load the model and call posenc.torch.audit(model)"
    if getattr(module, "config", None) is None:
        return "it has no config, from which it could be made again"
    try:
        return replacement(type(module)(module.config))
    except Exception as error:  # a class may raise any
        return f"{type(error).__name__}: {error}"


def _part(name: str, module: Any, rotary: RotaryEmbedding, values: Mapping[str, Any]) -> Part:
    is_of_patches = rotary.axis == -1
    positions = None if is_of_patches else getattr(module.config, "max_position_embeddings", None)
    part = Part(
        name, rotary.of_length, lambda length: float32_frequencies(rotary.of_length(length), rotary.base),
        columns=f"of {rotary.d_model} columns", head=rotary.d_model, base=rotary.base, scaling=rotary.scaling,
        positions=positions or (ASSUMED_PATCHES if is_of_patches else ASSUMED_POSITIONS),
        dtype=str(getattr(module.config, "dtype", None) or "float32").replace("torch.", ""),
        model_type=str(getattr(module.config, "model_type", "")),
    )  # fmt: skip
    part.note("base", _key(rotary.base, (*BASE, *LOCAL), values), f"base {rotary.base:.17g} (the default of its class)")
    part.note("positions", _key(positions, POSITIONS, values), f"{part.positions:,} positions")
    return part


def _key(number: float | None, names: Sequence[str], values: Mapping[str, Any]) -> str:
    """Returns the first key of a file that has one of these names and this number, or ""."""
    for name, value in values.items():
        inner = _key(number, names, value) if isinstance(value, Mapping) else ""
        if inner or name in names and value == number:
            return f"{name}.{inner}".rstrip(".")
    return ""
