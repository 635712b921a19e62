"""Reads a config.json by its keys: the rotary embeddings of the language model in it, and those of its other parts.

No key is read, or ignored, because of a model's name. What no key tells is assumed, and the answer says so."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from ._audit import Part, float32_frequencies
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
#: encoders with decoders, images. Where no key tells, a rotary embedding is assumed: nearly all language models whose
#: configs have none of these keys have one, and a reader who sees the assumption can judge it.
OTHERS = "type_vocab_size n_positions relative_attention_num_buckets encoder_layers patch_size layer_norm_eps".split()
KINDS = ("position_embedding_type", "position_embeddings_type")
SWITCHES = ("rope", "rotary", "use_rope", "use_rotary", "use_rotary_emb", "use_rotary_embeddings", "use_mem_rope")
#: What is assumed where no key tells: the numbers of most models.
ASSUMED_BASE, ASSUMED_HEAD, ASSUMED_POSITIONS, ASSUMED_PATCHES = 10000.0, 128, 1 << 17, 2048


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

    def rotary(self) -> list[str]:
        """Returns the keys that tell of a rotary embedding."""
        names = [name for name in self.values if is_rotary(name) and self.has(name)]
        return names + [name for name in KINDS if is_rotary(str(self.values.get(name)))]

    def is_model(self) -> bool:
        return self.has(*HIDDEN) and self.has(*HEADS)

    def is_vision(self) -> bool:
        return self.has("patch_size") and not self.has("vocab_size")

    def is_language(self) -> bool:
        is_text = self.has("vocab_size") and self.has(*POSITIONS)  # LLaVA 1.5 leaves sizes out
        return (is_text or self.is_model() or bool(self.rotary())) and not self.is_vision()

    def rank(self) -> tuple[bool, bool, int]:
        """Of all parts, the language model has the highest rank."""
        size = self.values.get("vocab_size")
        return self.is_language(), bool(self.rotary()), size if type(size) is int else 0

    def doubt(self) -> tuple[str, bool]:
        """Returns why a model may have no rotary embedding, or "", and whether it then has none for sure."""
        rotary = self.rotary()
        for name, value in self.values.items():
            if name in KINDS and value is not None and not is_rotary(str(value)):
                # ModernBERT has this key with BERT's value beside those of its rotary embedding.
                return f"{name} is {value!r}", not (rotary and value == "absolute")
            if name == "alibi" and value is True or name in SWITCHES and value is False:
                return f"{self.names.get(name, name)} is {str(value).lower()}", True
        other = next((name for name in OTHERS if self.has(name)), "")
        if rotary or not other:
            return "" if rotary else "no key says so", False
        return f"it has {other}, and no key of a rotary embedding", True


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
    language = max(every, key=Keys.rank)
    chosen = [language] if language.is_language() or language.rotary() else []
    chosen += [keys for keys in every if keys is not language and keys.rotary()]
    if len(chosen) > MOST_PARTS:
        raise ValueError(f"it has {len(chosen)} rotary embeddings; allowed: {MOST_PARTS}")
    for keys in chosen:
        name = f"{keys.path}: " if keys.path else ""
        reason, is_sure = keys.doubt()
        if is_sure:
            notes.append(f"{name}no rotary embedding: {reason}")
            continue
        try:
            rows = layers(keys)
            if len(result) + len(rows) > MOST_PARTS:
                raise ValueError(f"the file has more than {MOST_PARTS} rotary embeddings")
            described = [part_of(keys, layer, *row, config) for layer, row in rows.items()]
        except (ValueError, TypeError) as error:
            if keys is chosen[0]:
                raise
            notes.append(f"{name}not described: {error}")
            continue
        used = {*keys.used, *KINDS}
        unread = [key for key in keys.rotary() if key not in used and key not in SWITCHES]
        for part in described:
            part.unread = [*part.unread, *unread][:MOST_UNREAD]
        result += described
    return result, notes


def layers(keys: Keys) -> dict[str, tuple[dict[str, Any], str]]:
    """Returns the scaling of each type of layers, or of all (""), and the key that has it.

    rope_scaling counts where both are there, as in transformers, which takes it for what a user has added."""
    names = ("rope_scaling", "rope_parameters")
    scaling, name = keys.first(*names)
    if not name:
        scaling, name = {}, next((key for key in names if key in keys.values), "")
    if not isinstance(scaling, Mapping):
        raise ValueError(f"{name} is {scaling!r}; allowed: an object")
    unknown = [] if {"rope_type", "type"} & {*scaling} else known_keys(scaling)[1]
    by_layer = {key: (scaling[key], f"{name}.{key}") for key in unknown if isinstance(scaling[key], Mapping)}
    if keys.has(*LOCAL) and not by_layer:
        return {"full_attention": (scaling, name), "sliding_attention": ({}, name)}
    return by_layer or {"": (scaling, name)}


def part_of(keys: Keys, layer: str, scaling: Mapping[str, Any], name: str, config: Mapping[str, Any]) -> Part:
    """Returns the rotary embedding of a type of layers. name: the key of its scaling, or "". config: the whole file."""

    def exact(length: int) -> RotaryFrequencies:
        numbers: Any = dict(scaling=part.scaling, length=length, max_position_embeddings=part.positions)
        return rotary_frequencies(part.head, part.base, **numbers)

    def used(length: int) -> Any:
        r, base = exact(length), part.base
        if part.scaling["rope_type"] == "dynamic":  # its frequencies are powers of another base
            base = r.freqs[-1] ** (-len(r.freqs) / (len(r.freqs) - 1))
        return float32_frequencies(r, base)

    part = Part(", ".join(filter(None, (keys.path, layer))), exact, used)
    doubt, _ = keys.doubt()
    if doubt:
        part.assumed["rotary"] = f"a rotary embedding ({doubt})"
    part.scaling, unread = known_keys({key: value for key, value in scaling.items() if value is not None})
    part.unread = [f"{name}.{key}" for key in unread]
    names = (*LOCAL, *BASE) if layer == "sliding_attention" else BASE
    base, key = keys.first(*names)
    if "rope_theta" in part.scaling:
        base, key = part.scaling.pop("rope_theta"), f"{name}.rope_theta"
    part.base = real(key, base) if key else ASSUMED_BASE
    part.note("base", key, f"base {ASSUMED_BASE:g}")
    set_columns(part, keys, layer, name)
    set_positions(part, keys, name)
    part.note("scaling", name, "no scaling")
    types = keys.values.get("layer_types")
    if not layer and isinstance(types, list) and any(each != types[0] for each in types):
        part.assumed["layers"] = "the same for all layer_types"  # Olmo 3 scales only one of them, gpt-oss all
    if keys.has("per_layer_config"):
        part.assumed["layers"] = "the same for all of per_layer_config"
    for values in (config, keys.values):
        for key in ("torch_dtype", "dtype"):
            dtype = str(values.get(key)).replace("torch.", "")
            if dtype in ("bfloat16", "float16", "float32", "float64"):
                part.dtype, part.read["dtype"] = dtype, key
        if isinstance(values.get("model_type"), str):
            part.model_type = values["model_type"]
    part.note("dtype", part.read.get("dtype", ""), f"dtype {part.dtype}")
    exact(part.positions)  # refuses numbers that it cannot be computed from
    return part


def head_of(keys: Keys, layer: str) -> tuple[int, str]:
    """Returns the columns of a head, and the key that tells, or "" if none does."""
    value, key = keys.first(LAYER_HEAD.get(layer, "head_dim"), *HEAD)
    if key:
        return index(key, value, 2, 1024), key
    (hidden, key), (heads, divisor) = keys.first(*HIDDEN), keys.first(*HEADS)
    if not key or not divisor:
        return ASSUMED_HEAD, ""
    quotient = index(key, hidden, 1, 1 << 30) // index(divisor, heads, 1, 1 << 30)
    return index(f"{key} / {divisor}", quotient, 2, 1024), f"{key} / {divisor}"


def set_columns(part: Part, keys: Keys, layer: str, name: str) -> None:
    """Sets the columns and the rope_type."""
    scaling, factor = part.scaling, part.scaling.pop("partial_rotary_factor", None)
    rotated, key = keys.first(*ROTATED)
    if key:
        part.head, part.columns, factor = index(key, rotated, 2, 1024), f"of {rotated} rotated columns ({key})", None
    else:
        part.head, key = head_of(keys, layer)
        part.columns = f"of heads of {part.head}" + (f" ({key})" if key else "")
        factor, partial = keys.first(*PARTIAL) if factor is None else (factor, f"{name}.partial_rotary_factor")
    part.note("columns", key, f"heads of {ASSUMED_HEAD} columns")
    if factor is not None:
        scaling["partial_rotary_factor"], part.read["partial_rotary_factor"] = real(partial, factor), partial
        part.columns += f", {factor:g} of their columns ({partial})" if factor != 1 else ""
    kind = scaling.get("rope_type") or scaling.get("type")
    if kind == "axial" or keys.is_vision():
        part.head, part.assumed["axes"] = part.head // 2, "positions with two axes, each for a half of the columns"
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
        size, patch = keys.first("image_size")[0], keys.first("patch_size")[0]
        is_known = type(size) is type(patch) is int and 0 < patch <= size
        value, key = (size // patch, "image_size / patch_size") if is_known else (None, "")
    kind = part.scaling["rope_type"]
    if kind == "dynamic" and "alpha" not in part.scaling and not key:
        raise ValueError(f"max_position_embeddings is missing, which rope_type {kind!r} needs")
    part.positions = ASSUMED_PATCHES if keys.is_vision() else ASSUMED_POSITIONS
    if key:
        part.positions = index(key, value, 1, 1 << 32)
    part.note("positions", key, f"{part.positions:,} positions")
    if kind in ("llama3", "yarn", "longrope"):
        outer, outer_key = keys.first(ORIGINAL)
        # Phi-3 has it beside the scaling. transformers reads that first, but not for parameters of a type of layers.
        if outer_key and (ORIGINAL not in part.scaling or "." not in name):
            part.scaling[ORIGINAL], part.read[ORIGINAL] = outer, outer_key
        elif ORIGINAL not in part.scaling and key:
            part.scaling[ORIGINAL], part.assumed[ORIGINAL] = part.positions, f"{ORIGINAL} as {key}"
