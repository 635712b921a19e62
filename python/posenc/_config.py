"""Reads a config.json by its keys: the rotary embeddings of the language model in it, and those of its other parts.

Keys are read alike whatever the model's name is. The answer lists everything that had to be assumed."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from ._audit import Part, float32_frequencies
from ._plan import index, real
from ._rotary import RotaryFrequencies, known_keys, rope_type_of, rotary_frequencies

MAX_DEPTH = 4  # nested dictionaries
MAX_PARTS = 16  # rotary embeddings in a file; each type of layers counts
MAX_UNREAD = 32  # keys that are listed as not read
#: The names of a number, in the order in which they count.
ROTATED = ("rotary_dim", "qk_rope_head_dim")  # the number of rotated columns of a head
HEAD = ("head_dim", "kv_channels", "attention_head_dim")
HIDDEN = ("hidden_size", "n_embd", "d_model", "embed_dim")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
PARTIAL = ("partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction", "rotary_percent")
BASE = ("rope_theta", "global_rope_theta", "rotary_emb_base", "rotary_embedding_base", "rope_base")
LOCAL = ("rope_local_base_freq", "local_rope_theta", "swa_rope_theta")  # bases of layers with sliding windows
LAYER_HEAD = {"full_attention": "global_head_dim", "sliding_attention": "swa_head_dim"}
POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length", "n_ctx")
ORIGINAL = "original_max_position_embeddings"
#: Models with one of these keys, and with no rotary key, have other position embeddings, or none: BERT, GPT-2, T5,
#: encoders with decoders, image models. Without any of these keys, a rotary embedding is assumed, since nearly all such
#: language models have one. The answer states the assumption.
OTHER_EMBEDDINGS = (
    "type_vocab_size n_positions relative_attention_num_buckets encoder_layers patch_size layer_norm_eps".split()
)
EMBEDDING_TYPES = ("position_embedding_type", "position_embeddings_type")
SWITCHES = ("rope", "rotary", "use_rope", "use_rotary", "use_rotary_emb", "use_rotary_embeddings", "use_mem_rope")
KEEP_TABLE = ("gptj", "codegen")  # their code keeps cosines and sines; that of all others keeps frequencies
#: The numbers of most models, which are assumed if there is no key.
ASSUMED_BASE, ASSUMED_HEAD, ASSUMED_POSITIONS, ASSUMED_PATCHES = 10000.0, 128, 1 << 17, 2048


def is_rotary(name: str) -> bool:
    return "rope" in name or "rotary" in name


class Keys:
    """The keys of a model, and of the dictionaries in it that are not models. It records which keys were read."""

    def __init__(self, path: str, config: Mapping[str, Any]) -> None:
        self.path, self.values = path, dict(config)
        self.used: set[str] = set()
        self.names: dict[str, str] = {}  #: the full names of keys in the model's dictionaries

    def first(self, *names: str) -> tuple[Any, str]:
        """Returns the value and the name of the first of these keys that has a value; (None, "") if none has.

        0 does not count as a value: configs have it for columns that a model lacks."""
        for name in names:
            if self.has(name):
                self.used.add(name)
                return self.values[name], self.names.get(name, name)
        return None, ""

    def has(self, *names: str) -> bool:
        return any(self.values.get(name) not in (None, 0, {}) for name in names)

    def rotary(self) -> list[str]:
        """Returns the keys that show a rotary embedding."""
        names = [name for name in self.values if is_rotary(name) and self.has(name)]
        return names + [name for name in EMBEDDING_TYPES if is_rotary(str(self.values.get(name)))]

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
        """Returns a reason to doubt that the model has a rotary embedding, or "", and whether it surely has none."""
        rotary = self.rotary()
        for name, value in self.values.items():
            if name in EMBEDDING_TYPES and value is not None and not is_rotary(str(value)):
                # ModernBERT has this key with BERT's value beside those of its rotary embedding.
                return f"{name} is {value!r}", not (rotary and value == "absolute")
            if name == "alibi" and value is True or name in SWITCHES and value is False:
                return f"{self.names.get(name, name)} is {str(value).lower()}", True
        other = next((name for name in OTHER_EMBEDDINGS if self.has(name)), "")
        if rotary or not other:
            return "" if rotary else "no key says so", False
        return f"it has {other}, and no key of a rotary embedding", True


def models(config: Mapping[str, Any], path: str = "", depth: int = 0) -> Iterator[Keys]:
    """Yields the keys of all dictionaries that may be models, in the order of the file."""
    keys, inner = Keys(path, config), []
    for name, value in config.items():
        if not isinstance(value, Mapping) or is_rotary(name) or depth == MAX_DEPTH:
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
    all_models, result, notes = [*models(config)], [], []
    language = max(all_models, key=Keys.rank)
    rotary = [language] if language.is_language() or language.rotary() else []
    rotary += [keys for keys in all_models if keys is not language and keys.rotary()]
    if len(rotary) > MAX_PARTS:
        raise ValueError(f"it has {len(rotary)} rotary embeddings; allowed: {MAX_PARTS}")
    for keys in rotary:
        name = f"{keys.path}: " if keys.path else ""
        reason, is_sure = keys.doubt()
        if is_sure:
            notes.append(f"{name}no rotary embedding: {reason}")
            continue
        try:
            scalings = scaling_by_layer(keys)
            if len(result) + len(scalings) > MAX_PARTS:
                raise ValueError(f"the file has more than {MAX_PARTS} rotary embeddings")
            new = [part_of(keys, layer, *scaling, config) for layer, scaling in scalings.items()]
        except (ValueError, TypeError) as error:
            if keys is rotary[0]:
                raise
            notes.append(f"{name}not described: {error}")
            continue
        used = {*keys.used, *EMBEDDING_TYPES, *SWITCHES}
        unread = [key for key in keys.rotary() if key not in used]
        for part in new:
            part.unread = [*part.unread, *unread][:MAX_UNREAD]
        result += new
    return result, notes


def scaling_by_layer(keys: Keys) -> dict[str, tuple[dict[str, Any], str]]:
    """Returns the scaling of each type of layers, or of all layers (""), and the key that has it.

    If there are both keys, rope_scaling counts, as in transformers, where a user may have added it."""
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
    """Returns the rotary embedding of a type of layers.

    name: the key of its scaling, or "" if it has none. config: the whole file."""

    def exact(length: int) -> RotaryFrequencies:
        return rotary_frequencies(
            part.head, part.base, scaling=part.scaling, length=length, max_position_embeddings=part.positions
        )

    def used(length: int) -> Any:
        r, base = exact(length), part.base
        if part.scaling["rope_type"] == "dynamic":  # the scaled frequencies are powers of another base
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
    if not layer and isinstance(types, list) and any(layer_type != types[0] for layer_type in types):
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
    part.keeps_table = part.model_type in KEEP_TABLE
    part.note("dtype", part.read.get("dtype", ""), f"dtype {part.dtype}")
    exact(part.positions)  # refuses numbers that it cannot be computed from
    return part


def head_of(keys: Keys, layer: str) -> tuple[int, str]:
    """Returns the number of columns of a head, and the key that has it, or "" if none has."""
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
    rope_type = scaling.get("rope_type") or scaling.get("type")
    if rope_type == "axial" or keys.is_vision():
        part.head, part.assumed["axes"] = part.head // 2, "positions with two axes, each for a half of the columns"
    if rope_type == "axial":
        scaling["rope_type"] = "default"
    if rope_type == "yarn" and "short_factor" in scaling:  # the first name of LongRoPE, in Phi-3
        scaling["rope_type"] = "longrope"
    scaling["rope_type"] = rope_type_of(scaling)
    scaling.pop("type", None)


def set_positions(part: Part, keys: Keys, name: str) -> None:
    """Sets the number of positions, and the number of positions before the scaling (ORIGINAL)."""
    value, key = keys.first(*POSITIONS)
    if keys.is_vision():
        size, patch = keys.first("image_size")[0], keys.first("patch_size")[0]
        are_sizes = type(size) is type(patch) is int and 0 < patch <= size
        value, key = (size // patch, "image_size / patch_size") if are_sizes else (None, "")
    rope_type = part.scaling["rope_type"]
    if rope_type == "dynamic" and "alpha" not in part.scaling and not key:
        raise ValueError(f"max_position_embeddings is missing, which rope_type {rope_type!r} needs")
    part.positions = ASSUMED_PATCHES if keys.is_vision() else ASSUMED_POSITIONS
    if key:
        part.positions = index(key, value, 1, 1 << 32)
    part.note("positions", key, f"{part.positions:,} positions")
    if rope_type in ("llama3", "yarn", "longrope"):
        outer, outer_key = keys.first(ORIGINAL)
        # Phi-3 has the key outside of the scaling. transformers prefers that one, except for types of layers.
        if outer_key and (ORIGINAL not in part.scaling or "." not in name):
            part.scaling[ORIGINAL], part.read[ORIGINAL] = outer, outer_key
        elif ORIGINAL not in part.scaling and key:
            part.scaling[ORIGINAL], part.assumed[ORIGINAL] = part.positions, f"{ORIGINAL} as {key}"
