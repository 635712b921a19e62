"""Reads a config.json by its keys: the rotary embeddings of the language model in it, and those of its other parts.

No key is read, or ignored, because of a model's name. What no key tells is assumed, and the answer says so."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Any, Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from ._plan import index, real
from ._rotary import RotaryFrequencies, known_keys, rope_type_of, rotary_frequencies

DEEPEST = 4  # dictionaries in dictionaries of a file
MOST_PARTS = 16  # of a file, each type of layers counted
MOST_UNREAD = 32  # keys that are named
#: The names of a number, in the order in which they count.
ROTATED = ("rotary_dim", "qk_rope_head_dim")  # columns, without the columns of a head that are not rotated
HEAD = ("head_dim", "kv_channels", "attention_head_dim")
HIDDEN = ("hidden_size", "n_embd", "d_model", "embed_dim")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
PARTIAL = ("partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction", "rotary_percent")
BASE = ("rope_theta", "global_rope_theta", "rotary_emb_base", "rotary_embedding_base", "rope_base")
LOCAL = ("rope_local_base_freq", "local_rope_theta", "swa_rope_theta")  # of layers with sliding windows
LAYER_HEAD = {"full_attention": "global_head_dim", "sliding_attention": "swa_head_dim"}
POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length", "n_ctx")
ORIGINAL = "original_max_position_embeddings"
#: Models with these keys, and with no rotary key, have other embeddings of positions, or none: BERT, GPT-2, T5,
#: DeBERTa, encoders with decoders, images, sounds. Where no key tells, a rotary embedding is assumed: nearly all
#: language models whose configs have none of these keys have one, and a reader who sees the assumption can judge it.
OTHERS = (
    *("type_vocab_size", "n_positions", "relative_attention_num_buckets", "max_relative_positions", "patch_size"),
    *("image_size", "encoder_layers", "decoder_layers", "max_source_positions", "num_mel_bins", "layer_norm_eps"),
)
KINDS = ("position_embedding_type", "position_embeddings_type")
SWITCH = re.compile(r"(\w+_)?(rope|rotary)(_emb(edding)?s?)?")
#: What is assumed where no key tells: the numbers of most models.
ASSUMED_BASE, ASSUMED_HEAD, ASSUMED_POSITIONS, ASSUMED_PATCHES = 10000.0, 128, 1 << 17, 2048


@dataclasses.dataclass
class Part:
    """A rotary embedding of a model, with what errors and texts need."""

    name: str  #: the path in the file or in the model, and the type of layers; "" for the only one
    model_type: str = ""
    columns: str = ""  #: whose frequencies they are, such as "of heads of 128 (head_dim)"
    head: int = 0  #: the columns of a head, or of an axis of positions
    base: float = 0.0
    is_about: bool = False  #: whether the base is a guess
    scaling: dict[str, Any] = dataclasses.field(default_factory=dict)
    positions: int = 0
    dtype: str = "float32"  #: of the model
    read: dict[str, str] = dataclasses.field(default_factory=dict)  #: the key of each number, by its name in the JSON
    assumed: dict[str, str] = dataclasses.field(default_factory=dict)  #: what was assumed in place of a key, in words
    unread: list[str] = dataclasses.field(default_factory=list)  #: keys
    #: The frequencies of a sequence of some length, and the float32 ones that the model uses; None: of the formula.
    exact: Callable[[int], RotaryFrequencies] | None = None
    used: Callable[[int], npt.NDArray[np.float32]] | None = None
    computed: dict[int, RotaryFrequencies] = dataclasses.field(default_factory=dict)  #: by length

    def frequencies(self, length: int) -> RotaryFrequencies:
        if self.exact:
            return self.exact(length)
        length = length if self.scaling.get("rope_type") in ("dynamic", "longrope") else 0
        if length not in self.computed:
            numbers: Any = dict(scaling=self.scaling, length=length, max_position_embeddings=self.positions)
            self.computed[length] = rotary_frequencies(self.head, self.base, **numbers)
        return self.computed[length]


def is_rotary(name: str) -> bool:
    return "rope" in name or "rotary" in name


class Keys:
    """The keys of a model, with those of its dictionaries that are no models. It knows which were read."""

    def __init__(self, path: str, config: Mapping[str, Any]) -> None:
        self.path, self.values = path, dict(config)
        self.used: set[str] = set()
        self.names: dict[str, str] = {}  #: of the keys in the model's dictionaries

    def first(self, *names: str) -> tuple[Any, str]:
        """Returns the value of the first of these keys that has one, and its name; (None, "") if there is none.

        0 counts as none: configs have it for columns that a model lacks."""
        for name in names:
            if self.has(name):
                self.used.add(name)
                return self.values[name], self.names.get(name, name)
        return None, ""

    def has(self, *names: str) -> bool:
        return any(self.values.get(name) not in (None, 0, {}) for name in names)

    @functools.cached_property
    def rotary(self) -> list[str]:
        """The keys that tell of a rotary embedding."""
        names = [name for name in self.values if is_rotary(name) and self.has(name)]
        return names + [name for name in KINDS if is_rotary(str(self.values.get(name)))]

    def is_model(self) -> bool:
        return self.has(*HIDDEN) and self.has(*HEADS)

    def is_vision(self) -> bool:
        return self.has("patch_size") and not self.has("vocab_size")

    def is_language(self) -> bool:
        is_text = self.has("vocab_size") and self.has(*POSITIONS)  # LLaVA 1.5 leaves sizes out
        return (is_text or self.is_model() or bool(self.rotary)) and not self.is_vision()

    def rank(self) -> tuple[bool, int]:
        """Of all parts, the language model has the highest rank."""
        size = self.values.get("vocab_size")
        return bool(self.rotary), size if type(size) is int else 0

    def doubt(self) -> tuple[str, bool]:
        """Returns why a model may have no rotary embedding, or "", and whether it then has none for sure."""
        for name, value in self.values.items():
            if name in KINDS and value is not None and not is_rotary(str(value)):
                # ModernBERT has this key with BERT's value beside those of its rotary embedding.
                return f"{name} is {value!r}", not (self.rotary and value == "absolute")
            if name == "alibi" and value is True or SWITCH.fullmatch(name) and value is False:
                return f"{self.names.get(name, name)} is {str(value).lower()}", True
        if self.rotary:
            return "", False
        if self.values.get("alibi") is False:
            return "no key tells, but alibi is false", False
        other = next((name for name in OTHERS if self.has(name)), "")
        return f"it has {other}, and no key of a rotary embedding" if other else "no key tells", bool(other)


def models(config: Mapping[str, Any], path: str = "", depth: int = 0) -> Iterator[Keys]:
    """Yields all dictionaries that may be models, in the order of the file."""
    keys, inner = Keys(path, config), []
    for name, value in config.items():
        if not isinstance(value, Mapping) or is_rotary(name) or depth == DEEPEST:
            continue
        if keys.is_model() and not Keys("", value).has(*HIDDEN, *HEADS):
            for key in value:  # DBRX and MPT have rope_theta in attn_config
                if (is_rotary(key) or key == "alibi") and key not in keys.values:
                    keys.values[key], keys.names[key] = value[key], f"{name}.{key}"
        else:
            inner += [*models(value, f"{path}.{name}".lstrip("."), depth + 1)]
    yield keys
    yield from inner


def parts(config: Mapping[str, Any]) -> tuple[list[Part], list[str]]:
    """Returns the rotary embeddings of a config, first that of the language model, and notes on what has none."""
    every, result, notes = [*models(config)], [], []
    language = max((keys for keys in every if keys.is_language()), key=Keys.rank, default=None)
    chosen = [language] if language else []
    chosen += [keys for keys in every if keys is not language and keys.rotary]
    for keys in chosen[: MOST_PARTS + 1]:
        name = f"{keys.path}: " if keys.path else ""
        reason, is_sure = keys.doubt()
        if is_sure:
            notes.append(f"{name}no rotary embedding: {reason}")
            continue
        try:
            described = [part_of(keys, layer, *row, config) for layer, row in layers(keys).items()]
        except (ValueError, TypeError) as error:
            if keys is chosen[0]:
                raise
            notes.append(f"{name}not described: {error}")
            continue
        result += described
        used = {*keys.used, *KINDS}
        unread = [key for key in keys.rotary if key not in used and not SWITCH.fullmatch(key)]
        for part in described:
            part.unread = [*part.unread, *unread][:MOST_UNREAD]
    if len(chosen) > MOST_PARTS or len(result) > MOST_PARTS:
        raise ValueError(f"it has {max(len(chosen), len(result))} rotary embeddings; allowed: {MOST_PARTS}")
    return result, notes


def layers(keys: Keys) -> dict[str, tuple[dict[str, Any], str]]:
    """Returns the scaling of each type of layers, or of all (""), and the key that has it.

    rope_scaling counts where both are there, as in transformers, which takes it for what a user has added."""
    scaling, name = keys.first("rope_scaling", "rope_parameters")
    scaling = {} if scaling is None else scaling
    if not isinstance(scaling, Mapping):
        raise ValueError(f"{name} is {scaling!r}; allowed: an object")
    unknown = [] if {"rope_type", "type"} & {*scaling} else known_keys(scaling)[1]
    by_layer = {key: (dict(scaling[key]), f"{name}.{key}") for key in unknown if isinstance(scaling[key], Mapping)}
    if len(by_layer) > MOST_PARTS:
        raise ValueError(f"it has parameters for {len(by_layer)} types of layers; allowed: {MOST_PARTS}")
    if by_layer:
        return by_layer
    if keys.has(*LOCAL):
        return {"full_attention": (dict(scaling), name), "sliding_attention": ({}, "")}
    return {"": (dict(scaling), name)}


def part_of(keys: Keys, layer: str, scaling: dict[str, Any], name: str, config: Mapping[str, Any]) -> Part:
    """Returns the rotary embedding of a type of layers. name: the key of its scaling, or "". config: the whole file."""
    part = Part(", ".join(filter(None, (keys.path, layer))))
    doubt, _ = keys.doubt()
    if doubt:
        part.assumed["rotary"] = f"a rotary embedding ({doubt})"
    part.scaling, unread = known_keys({key: value for key, value in scaling.items() if value is not None})
    names = (*LOCAL, *BASE) if layer == "sliding_attention" else BASE
    value, key = keys.first(*names)
    if "rope_theta" in part.scaling:
        value, key = part.scaling.pop("rope_theta"), f"{name}.rope_theta"
    if value is None:
        part.base, part.assumed["base"] = ASSUMED_BASE, f"base {ASSUMED_BASE:g}"
    else:
        part.base, part.read["base"] = real(key, value), key
    set_columns(part, keys, layer, name)
    set_positions(part, keys, name)
    empty = next((each for each in ("rope_scaling", "rope_parameters") if each in keys.values), "")
    if name or empty:
        part.read["scaling"] = name or empty
    elif layer != "sliding_attention":
        part.assumed["scaling"] = "no scaling"
    types = keys.values.get("layer_types")
    if not layer and isinstance(types, list) and any(each != types[0] for each in types):
        part.assumed["layers"] = "the same for all layer_types"  # Olmo 3 scales only one of them, gpt-oss all
    for values in (config, keys.values):
        for key in ("torch_dtype", "dtype"):
            dtype = str(values.get(key)).replace("torch.", "")
            if dtype in ("bfloat16", "float16", "float32"):
                part.dtype, part.read["dtype"] = dtype, key
        if isinstance(values.get("model_type"), str):
            part.model_type = values["model_type"]
    if "dtype" not in part.read:
        part.assumed["dtype"] = part.dtype
    part.unread = [f"{name}.{key}" for key in unread]
    part.frequencies(part.positions)  # refuses numbers that it cannot be computed from
    return part


def head_of(keys: Keys, layer: str) -> tuple[int, str]:
    """Returns the columns of a head, and the key that tells; (0, "") if none does."""
    per_layer, types = keys.first("per_layer_config")[0], keys.first("layer_types")[0]
    if isinstance(per_layer, Mapping) and isinstance(types, list):
        for number, value in per_layer.items():
            is_index = number.isdecimal() and len(number) < 9 and int(number) < len(types)
            if is_index and types[int(number)] == layer and isinstance(value, Mapping) and "head_dim" in value:
                return index("head_dim", value["head_dim"], 2, 1 << 20), f"per_layer_config.{number}.head_dim"
    value, name = keys.first(LAYER_HEAD.get(layer, "head_dim"), *HEAD)
    if value is not None:
        return index(name, value, 2, 1 << 20), name
    names = HIDDEN[::-1] if keys.is_vision() else HIDDEN  # Qwen2-VL's tower has the language model's hidden_size, too
    (hidden, name), (heads, divisor) = keys.first(*names), keys.first(*HEADS)
    if hidden is None or heads is None:
        return 0, ""
    return index(name, hidden, 1, 1 << 30) // index(divisor, heads, 1, 1 << 30), f"{name} / {divisor}"


def set_columns(part: Part, keys: Keys, layer: str, name: str) -> None:
    """Sets the columns and the rope_type."""
    scaling, factor = part.scaling, part.scaling.pop("partial_rotary_factor", None)
    rotated, key = keys.first(*ROTATED)
    if rotated is not None:
        part.head, part.columns, factor = index(key, rotated, 2, 1 << 20), f"of {rotated} rotated columns ({key})", None
    else:
        part.head, key = head_of(keys, layer)
        part.columns = f"of heads of {part.head or ASSUMED_HEAD}" + (f" ({key})" if key else "")
        factor, partial = keys.first(*PARTIAL) if factor is None else (factor, f"{name}.partial_rotary_factor")
    if key:
        part.read["columns"] = key
    else:
        part.head, part.assumed["columns"] = ASSUMED_HEAD, f"heads of {ASSUMED_HEAD} columns"
    if factor is not None:
        scaling["partial_rotary_factor"], part.read["partial_rotary_factor"] = real(partial, factor), partial
        part.columns += f", {factor:g} of their columns ({partial})" if factor != 1 else ""
    kind = scaling.get("rope_type") or scaling.get("type")
    if kind == "axial" or keys.is_vision():
        part.head, part.assumed["axes"] = part.head // 2, "positions with two axes, each for a half of the columns"
    index("the number of columns", part.head, 2, 1024)
    if kind == "axial":
        scaling["rope_type"] = "default"
    if kind == "yarn" and "short_factor" in scaling:  # the first name of LongRoPE, in Phi-3
        scaling["rope_type"] = "longrope"
    scaling["rope_type"] = rope_type_of(scaling)
    scaling.pop("type", None)


def set_positions(part: Part, keys: Keys, name: str) -> None:
    """Sets the number of positions, and that of the first training."""
    value, key = keys.first(*POSITIONS)
    if keys.is_vision():
        size, patch = (keys.first(each)[0] for each in ("image_size", "patch_size"))
        value = size // patch if type(size) is type(patch) is int and 0 < patch <= size else None
        key = "image_size / patch_size"
    kind, original = part.scaling["rope_type"], part.scaling.get(ORIGINAL)
    if kind in ("llama3", "yarn", "longrope"):
        outer, _ = keys.first(ORIGINAL)
        # Phi-3 has it beside the scaling. transformers reads that first, but not for parameters of a type of layers.
        if outer is not None and (original is None or "." not in name):
            part.scaling[ORIGINAL], part.read[ORIGINAL] = outer, ORIGINAL
        elif original is None and value is not None:
            part.scaling[ORIGINAL], part.assumed[ORIGINAL] = value, f"{ORIGINAL} as {key}"
    if value is not None:
        part.positions, part.read["positions"] = index(key, value, 1, 1 << 32), key
        return
    if kind == "dynamic" and "alpha" not in part.scaling:
        raise ValueError(f"max_position_embeddings is missing, which rope_type {kind!r} needs")
    part.positions = ASSUMED_PATCHES if keys.is_vision() else ASSUMED_POSITIONS
    part.assumed["positions"] = f"{part.positions:,} positions"
