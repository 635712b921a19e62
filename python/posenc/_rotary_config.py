"""The parameters of a rotary embedding, from numbers or from a configuration of Hugging Face's transformers."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, Literal, Mapping, Tuple, get_args

from ._families import (
    BY_LAYER,
    DEFAULTS,
    FAMILIES,
    IGNORED,
    OPTIONAL,
    OWN_HEAD,
    OWN_PARAMETERS,
    PARTIAL,
    ROPE_HEAD,
    UNSUPPORTED,
)
from ._plan import MAX_POSITION, index, real, unknown
from ._rotary import base_of, rope_type_of, rotated_columns

RotaryLayout = Literal["halves", "pairs", "half", "complex"]
_Indices = Tuple[int, ...]
_NEEDED = {"head_dim": OWN_HEAD, "rope_parameters": OWN_PARAMETERS, "partial_rotary_factor": PARTIAL}
MOST_LAYERS = 16  # types of layers in a file
_OWN_LENGTH = ("llama3", "yarn", "longrope")  # kinds with a parameter for the length of the first training


@dataclasses.dataclass(frozen=True)
class RotaryConfig:
    head: int  #: the columns of a whole head
    d_model: int  #: twice the number of frequencies
    base: float
    scaling: dict[str, Any]
    max_position_embeddings: int | None
    layout: str  #: layout and dtype are as in _families.py
    dtype: str
    axes: _Indices | None  #: for each column, the index of its position; None if a token has one position
    columns: _Indices | None  #: with the rope_type "axial", for each column the index of its frequency; else None
    order: _Indices | None  #: of the frequencies in the model's own inv_freq; None if they fall


class Numbers(types.SimpleNamespace):
    """What `RotaryEmbedding` is given in place of a config, as the fields of a config."""


def given(head: Any, base: Any, scaling: Any, most: Any, sections: Any, interleaved: Any, dtype: Any) -> Numbers:
    if not isinstance(scaling, (Mapping, type(None))):
        raise TypeError(f"scaling is {scaling!r}; allowed: a mapping as in config.rope_parameters, or None")
    if str(dtype) not in ("None", "float32", "torch.float32"):
        raise ValueError(f"dtype is {dtype!r}; allowed: torch.float32, or None for the dtype of x")
    said = dict(scaling or {})
    said.update({} if sections is None else {"mrope_section": sections})
    said.update({} if interleaved is None else {"mrope_interleaved": interleaved})
    theta, size = base_of(base, said.get("rope_theta")), index("head_dim", head, 2, 1 << 20)
    return Numbers(rope_parameters=said, rope_theta=theta, head_dim=size, max_position_embeddings=most, dtype=dtype)


def parameters(config: Any) -> dict[str, Any]:
    if not any(hasattr(config, name) for name in ("model_type", "head_dim", "hidden_size")):
        raise TypeError(
            f"config is of type {type(config).__name__}; allowed: the config of a transformers model, or an integer"
        )
    found = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    if not isinstance(found, Mapping):
        raise TypeError(f"rope_parameters is {found!r}; allowed: a mapping")
    return dict(found)


def layer_types(config: Any) -> list[str]:
    """Returns the layer types that have their own parameters."""
    return [name for name, value in parameters(config).items() if isinstance(value, Mapping)]


def read(config: Any, layer_type: str | None, layout: RotaryLayout | None) -> RotaryConfig:
    """Returns the parameters. A ValueError says what is not supported."""
    if layout not in (None, *get_args(RotaryLayout)):
        raise ValueError(unknown("layout is", layout, get_args(RotaryLayout)) + " or None")
    types = layer_types(config)
    if types and layer_type not in types:
        raise ValueError(unknown("layer_type is", layer_type, types) + " (this config's layer types)")
    scaling = dict(parameters(config)[layer_type] if types else parameters(config))
    section, in_turn = scaling.pop("mrope_section", None), scaling.pop("mrope_interleaved", None)
    if isinstance(config, Numbers):
        axes = "" if section is None else "interleaved" if in_turn else "sections"
        family = layout or "halves", "x" if config.dtype is None and layout != "complex" else "float32", axes
    else:
        family = _family(config, layout)
    is_axial = family[2].startswith("axial")
    if is_axial and scaling.get("rope_type") in ("axial", None):
        scaling["rope_type"] = "default"  # the formula
    if types and hasattr(config, "per_layer_config"):  # layers with heads of different sizes
        try:
            config = config.per_layer_config[layer_type]
        except (KeyError, ValueError):
            pass
    kind = scaling["rope_type"] = rope_type_of(scaling)
    model_type = getattr(config, "model_type", None)
    if (is_axial or model_type == "phimoe") and kind != "default":
        raise ValueError(f"the model_type {model_type!r} is not supported with the rope_type {kind!r}")

    def told(name: str, default: Any) -> Any:
        value = scaling.pop(name, None)
        value = getattr(config, name, None) if value is None else value
        return default if value is None else value

    base = real("rope_theta", told("rope_theta", 10000.0))
    width = "embed_dim" if model_type == "qwen2_vl_vision" else "hidden_size"
    head = getattr(config, "head_dim", None)
    if not head:
        count = index("num_attention_heads", config.num_attention_heads, 1, 1 << 30)
        head = index(width, getattr(config, width), 1, 1 << 30) // count
    partial = told("partial_rotary_factor", 1.0)
    if kind == "default" and model_type in known_types() and model_type not in PARTIAL.split():
        partial = 1
    d_model, _ = rotated_columns(head, partial, kind)
    if kind == "proportional":
        scaling["partial_rotary_factor"] = float(partial)
    most = getattr(config, "max_position_embeddings", None)
    if kind in _OWN_LENGTH:
        key = "original_max_position_embeddings"  # Phi-3 has it in the config, not in the scaling
        said = (getattr(config, key, None), scaling.get(key), most)
        scaling[key] = next((number for number in said if number is not None), None)
    if most is not None:
        most = index("max_position_embeddings", most, 1, MAX_POSITION)
    columns, axes = _axial(family[2], head) if is_axial else (None, _axes(family[2], section, d_model // 2))
    d_model = 2 * max(columns) + 2 if columns else d_model
    order = columns if "shares" in family[2] else None
    if family[2].startswith("ernie"):  # height, width, then time
        order = tuple(sorted(range(d_model // 2), key=lambda k: ((axes or ())[k] or 3, k)))
    return RotaryConfig(head, d_model, base, scaling, most, *family[:2], axes, columns, order)


class Json(types.SimpleNamespace):
    """The object in a config.json, as a config. `taken` has the defaults that were read in place of missing keys."""

    def __getattr__(self, name: str) -> Any:
        row, own = DEFAULTS.get(self.model_type, {}), self.model_type in _NEEDED.get(name, "").split()
        if name in row:
            return self.taken.setdefault(name, row[name])
        if own or name in ("rope_theta", "max_position_embeddings", "hidden_size", "num_attention_heads"):
            raise ValueError(
                f"{name} is missing, and posenc has no default of it for the model_type {self.model_type!r}"
            )
        raise AttributeError(name)


class _Layers:
    """The configs of layers with heads of their own, made when they are read: a file may have many keys and layers."""

    def __init__(self, config: Json, heads: Mapping[str, Any]) -> None:
        self.config, self.heads = config, heads

    def __getitem__(self, layer: str) -> Json:
        return Json(**{**vars(self.config), "head_dim": self.heads[layer]})


def of_json(config: Any) -> tuple[Json, dict[str, RotaryConfig]]:
    """Returns a config.json of transformers 4 or 5 as a config, and the parameters of each type of layer, or of all ("").

    There are none if the config has no rotary embedding. A ValueError says which key is missing."""
    text = config.get("text_config") or config
    kind = text.get("model_type") or config.get("model_type")
    if not isinstance(kind, str):
        raise ValueError(f"model_type is {kind!r}; allowed: a name")
    kind += "_text" * (kind not in known_types() and f"{kind}_text" in known_types())
    ignored = IGNORED.get(kind, ())
    said = {key: value for key, value in text.items() if value not in (None, {}) and key not in ignored}
    one = Json(**{**said, "model_type": kind, "taken": {}})
    if kind not in known_types() and not any("rope" in key or "rotary" in key for key in said):
        return one, {}
    needed = OPTIONAL.get(kind)
    if needed and said.get(needed[0]) not in needed[1]:
        return one, {}
    old = {} if kind in OWN_PARAMETERS.split() else {"rope_scaling": "rope_parameters"}
    if kind in ROPE_HEAD.split() or kind not in OWN_HEAD.split() and "head_dim" not in said:
        old["qk_rope_head_dim"] = "head_dim"
    if kind == "gpt_neox":
        old.update({"rotary_emb_base": "rope_theta", "rotary_pct": "partial_rotary_factor"})
    vars(one).update({new: said[key] for key, new in old.items() if key in said})
    scaling = vars(one).get("rope_parameters", {})
    if kind in BY_LAYER.split() and not any(isinstance(part, Mapping) for part in scaling.values()):
        if "rope_parameters" in said or "type" in scaling and "rope_type" not in scaling:
            raise ValueError(
                f"rope_parameters for each type of layers is missing, and the model_type {kind!r} needs it"
            )
        if kind == "gemma3_text":
            local = {"rope_theta": one.rope_local_base_freq}
            one.rope_parameters = {"sliding_attention": local, "full_attention": scaling}
    if kind == "phi3" and "yarn" in (scaling.get("type"), scaling.get("rope_type")):
        one.rope_parameters = {**scaling, "rope_type": "longrope"}  # as in transformers
    if "per_layer_config" in said:
        own = said["per_layer_config"].items()
        heads = {said["layer_types"][int(i)]: part["head_dim"] for i, part in own if "head_dim" in part}
    else:
        heads = {"full_attention": one.global_head_dim} if hasattr(one, "global_head_dim") else {}
    one.per_layer_config = _Layers(one, heads)
    layers: list[str | None] = [*layer_types(one)] or [None]
    if len(layers) > MOST_LAYERS:
        raise ValueError(f"it has parameters for {len(layers)} types of layers; allowed: {MOST_LAYERS}")
    return one, {layer or "": read(one, layer, "halves") for layer in layers}


def known_types() -> dict[str, tuple[str, str, str]]:
    """Returns layout, dtype and axes ("" if there are none) of each model_type."""
    found = {}
    for family, kinds in FAMILIES.items():
        layout, dtype, axes = (family + ", ").split(", ")[:3]
        found.update({kind: (layout, dtype, axes) for kind in kinds.split()})
    return found


def _family(config: Any, layout: RotaryLayout | None) -> tuple[str, str, str]:
    kind = getattr(config, "model_type", None)
    reason = next((reason for reason, kinds in UNSUPPORTED.items() if kind in kinds.split()), None)
    if reason:
        raise ValueError(f"the model_type {kind!r} is not supported: its rotary embedding has {reason}")
    family = known_types().get(str(kind))
    if family is None and layout is None:
        raise ValueError(f"the model_type {kind!r} is unknown; give layout='halves' or layout='pairs'")
    own, dtype, axes = family or ("", "x", "")
    return layout or own, "float32" if "complex" in (layout, own) else dtype, axes


def _axes(family: str, section: Any, n: int) -> _Indices | None:
    if not family:
        if section:
            raise ValueError(f"the config has mrope_section {section!r}; allowed: None for this model_type")
        return None
    kind, *default = family.split()
    try:
        most = 1 << 20 if kind == "interleaved" else n  # transformers ignores what exceeds the frequencies there
        sizes = [index("each of the sections", size, 0, most) for size in section or map(int, default)]
    except TypeError:
        sizes = []
    if len(sizes) != 3 or kind != "interleaved" and sum(sizes) != n:
        raise ValueError(f"the sections (mrope_section) are {section!r}; allowed: three numbers whose sum is {n}")
    if kind == "sections":
        return tuple(axis for axis, size in enumerate(sizes) for _ in range(size))
    if kind == "interleaved":
        return tuple(k % 3 if k < 3 * sizes[k % 3] else 0 for k in range(n))
    return tuple(1 + k % 2 if k < sizes[0] + sizes[1] else 0 for k in range(n))


def _axial(family: str, head: int) -> tuple[_Indices, _Indices]:
    """Returns the index of each column's frequency, and of its position."""
    _, kind, *order = family.split()
    axes = [*map(int, order)]
    count = max(axes) + 1
    n = head // (2 * count)  # frequencies of each axis
    if count == 2 and head % 4:
        raise ValueError(f"{head} columns of a head would be rotated; allowed: a multiple of 4")
    if kind == "turns":
        return tuple(k for k in range(n) for _ in axes), tuple(axes * n)
    first, step = (axes, count) if kind == "shares" else ([0] * len(axes), 1)
    return tuple(k for i in first for k in range(i, step * n, step)), tuple(axis for axis in axes for _ in range(n))
