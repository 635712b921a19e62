"""Reads the parameters of a rotary embedding from a configuration of Hugging Face's transformers."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, get_args

from .._plan import MAX_POSITION, Duplicated, index, unknown
from .._rotary import rope_type_of
from ._families import FAMILIES, PARTIAL, UNSUPPORTED

_OWN_LENGTH = ("llama3", "yarn", "longrope")  # kinds with a parameter for the length of the first training


@dataclasses.dataclass(frozen=True)
class RotaryConfig:
    d_model: int  #: the number of columns that are rotated, two for each frequency
    base: float
    scaling: dict[str, Any]
    max_position_embeddings: int
    layout: str  #: layout, dtype and axes are as in _families.py
    dtype: str
    axes: tuple[int, ...] | None  #: the index of each frequency's position, of three; None if there is one position


def parameters(config: Any) -> dict[str, Any]:
    if not any(hasattr(config, name) for name in ("model_type", "head_dim", "hidden_size")):
        raise TypeError(f"config is of type {type(config).__name__}; allowed: the config of a transformers model")
    return getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}


def layer_types(config: Any) -> list[str]:
    """Returns the layer types that have their own parameters."""
    return [name for name, value in parameters(config).items() if isinstance(value, Mapping)]


def read(config: Any, layer_type: str | None, duplicated: Duplicated | None) -> RotaryConfig:
    """Returns the parameters. A ValueError says what is not supported."""
    if duplicated not in (None, *get_args(Duplicated)):
        raise ValueError(unknown("duplicated is", duplicated, get_args(Duplicated)) + " or None")
    types = layer_types(config)
    if types and layer_type not in types:
        raise ValueError(unknown("layer_type is", layer_type, types) + " (this config's layer types)")
    layout, dtype, axes = _family(config, duplicated)
    scaling = dict(parameters(config)[layer_type] if types else parameters(config))
    section = scaling.pop("mrope_section", None)
    scaling.pop("mrope_interleaved", None)  # the model_type determines it
    if types and hasattr(config, "per_layer_config"):  # layers with heads of different sizes
        try:
            config = config.per_layer_config[layer_type]
        except (KeyError, ValueError):
            pass
    kind = scaling["rope_type"] = rope_type_of(scaling)
    model_type = getattr(config, "model_type", None)
    if model_type == "phimoe" and kind != "default":
        raise ValueError(f"the rotary embedding of phimoe is not supported with the rope_type {kind!r}, only 'default'")

    def told(name: str, default: Any) -> Any:
        value = scaling.pop(name, None)
        return (getattr(config, name, None) or default) if value is None else value

    base = float(told("rope_theta", 10000.0))
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    partial = told("partial_rotary_factor", 1.0)
    if kind == "proportional":
        scaling["partial_rotary_factor"], partial = partial, 1
    elif kind == "default" and model_type in known_types() and model_type not in PARTIAL.split():
        partial = 1
    d_model = int(head * partial)
    if d_model < 2 or d_model % 2:
        raise ValueError(f"the config rotates {d_model} columns of a head; allowed: an even number")
    most = getattr(config, "max_position_embeddings", None) or MAX_POSITION
    if kind in _OWN_LENGTH:
        key = "original_max_position_embeddings"  # Phi-3 has it in the config, not in the scaling
        scaling[key] = getattr(config, key, None) or scaling.get(key) or most
    return RotaryConfig(
        d_model=d_model,
        base=base,
        scaling=scaling,
        max_position_embeddings=index("max_position_embeddings", most, 1, MAX_POSITION),
        layout=layout,
        dtype=dtype,
        axes=_axes(axes, section, d_model // 2),
    )


def known_types() -> dict[str, tuple[str, str, str]]:
    """Returns layout, dtype and axes ("" if there are none) of each model_type."""
    found = {}
    for family, kinds in FAMILIES.items():
        layout, dtype, axes = (family + ", ").split(", ")[:3]
        found.update({kind: (layout, dtype, axes) for kind in kinds.split()})
    return found


def _family(config: Any, duplicated: Duplicated | None) -> tuple[str, str, str]:
    kind = getattr(config, "model_type", None)
    reason = next((reason for reason, kinds in UNSUPPORTED.items() if kind in kinds.split()), None)
    if reason:
        raise ValueError(f"the model_type {kind!r} is not supported: its rotary embedding has {reason}")
    family = known_types().get(str(kind))
    if family is None and duplicated is None:
        raise ValueError(f"the model_type {kind!r} is unknown; give duplicated='halves' or duplicated='pairs'")
    layout, dtype, axes = family or ("", "x", "")
    return duplicated or layout, "float32" if layout == "complex" else dtype, axes


def _axes(family: str, section: Any, n: int) -> tuple[int, ...] | None:
    if not family:
        if section:
            raise ValueError(f"the config has mrope_section {section!r}; allowed: None for this model_type")
        return None
    kind, *default = family.split()
    time, height, width = (int(each) for each in section or default)
    if kind != "interleaved" and time + height + width != n:
        raise ValueError(f"mrope_section is {section!r}; allowed: three numbers whose sum is {n}")
    if kind == "sections":
        return (0,) * time + (1,) * height + (2,) * width
    if kind == "interleaved":
        sizes = time, height, width
        return tuple(k % 3 if k < 3 * sizes[k % 3] else 0 for k in range(n))
    return tuple(1 + k % 2 if k < time + height else 0 for k in range(n))
