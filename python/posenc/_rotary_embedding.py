"""The module that takes the place of a Hugging Face model's rotary embedding."""

from __future__ import annotations

import functools
import json
from typing import Any, Mapping

import torch
from torch import nn
from torch.nn import functional

from ._operators import is_traced, operator
from ._pair import Pair
from ._plan import MAX_POSITION, index
from ._rotary import RotaryFrequencies, rope_type_of, rotary_frequencies
from ._tensor_pairs import pair
from ._tensors import fake_table

_OWN_LENGTH = ("llama3", "yarn", "longrope")  # kinds that know the length that a model was trained with at first
Tables = Pair[torch.Tensor]

_FIRST_ROWS = 2048
_MOST_BYTES = 64 << 20  # of what compiling a model makes without being asked


def _sequence(scaling: Mapping[str, Any], length: int, max_positions: int) -> int:
    """The length that frequencies depend on: one for all lengths that have the same frequencies."""
    kind, original = scaling["rope_type"], scaling.get("original_max_position_embeddings", 0)
    return max(length, max_positions) if kind == "dynamic" else original + (kind == "longrope" and length > original)


@functools.lru_cache(maxsize=16)
def _frequencies(d_model: int, base: float, scaling: str, sequence: int, max_positions: int) -> RotaryFrequencies:
    kind = json.loads(scaling)
    return rotary_frequencies(d_model, base, scaling=kind, length=sequence, max_position_embeddings=max_positions)


def _values(frequencies: RotaryFrequencies, dtype: Any, **which: Any) -> Tables:
    """Cosines and sines of half width: each rounded once, and multiplied by the attention factor if it is not 1."""
    freqs, low, factor = frequencies.freqs, frequencies.freqs_low, frequencies.attention_factor
    wide = dtype if factor == 1 or dtype == torch.float64 else torch.float32
    found = pair(d_model=2 * len(freqs), freqs=freqs, freqs_low=low, dtype=wide, **which)
    return found if factor == 1 else Pair((found.cos * factor).to(dtype), (found.sin * factor).to(dtype))


def _fake(positions: torch.Tensor, d_model: Any, *_: Any, dtype: Any = None, **__: Any) -> Tables:
    return Pair(*(fake_table(positions=positions, d_model=d_model // 2, dtype=dtype) for _ in range(2)))


@operator(_fake)
def rotary(
    positions: torch.Tensor,
    d_model: int,
    base: float,
    scaling: str,
    max_positions: int,
    dtype: torch.dtype | str | None = None,
) -> Pair[torch.Tensor]:
    """Cosines and sines of half width, for a sequence that ends with the last of the positions. `scaling` is JSON."""
    length = int(positions.max()) + 1 if positions.numel() else 0
    sequence = _sequence(json.loads(scaling), length, max_positions)
    return _values(_frequencies(d_model, base, scaling, sequence, max_positions), dtype, positions=positions)


_compiler = getattr(torch, "compiler", None)  # PyTorch 2.1 has what is used of it
_is_compiling = getattr(_compiler, "is_dynamo_compiling", bool)


@getattr(_compiler, "assume_constant_result", lambda function: function)
def _reserve(module: RotaryEmbedding, device: torch.device, dtype: torch.dtype) -> None:
    """Runs once, when a model is compiled."""
    module.reserve(device=device, dtype=dtype)


class RotaryEmbedding(nn.Module):
    """Cosines and sines for a Hugging Face model: takes the place of its own rotary embedding.

        >>> model.model.rotary_emb = posenc.torch.RotaryEmbedding(model.config)

    It takes the place of modules that are called (x, position_ids), or (x, position_ids, layer_type), and return (cos, sin) of full
    width in the dtype of x, such as those of Llama, Mistral, Qwen2, Phi-3 and Gemma 3; not of those whose results have half the
    width (gpt-oss), are complex (DeepSeek-V2), are float32 for any x (OLMo), or are put together from positions of time, height and
    width (mrope, of Qwen2-VL). `posenc.torch.audit` tries which a model's are.

    Parameters
    ----------
    config
        The model's: its rope_parameters, or rope_theta and rope_scaling, head_dim or hidden_size and num_attention_heads,
        partial_rotary_factor, and max_position_embeddings are read. The kinds of scaling are all of transformers 5.23.0 but
        "proportional".
    layer_type
        Whose parameters are meant, where each type of layer has its own. None: those of the layer_type of each call.
    duplicated
        How columns stand: "halves", all frequencies and all again (Llama and most others), or "pairs", each twice in a row
        (Cohere).

    Each value is the cosine or the sine of position times frequency, the real numbers, rounded once to the dtype of x; where
    the scaling has an attention factor, rounded to float32, multiplied by the factor, which PyTorch rounds to float32 before, and
    rounded to the dtype of x (all in float64, if x is). The models' own have angles that are rounded to float32: some 0.009 off at
    position 131071.

    Rows up to config.max_position_embeddings are kept when they were needed once, in the dtype and on the device of x; those of
    other positions are computed for each call. Each call reads the least and the largest position: on a GPU, it waits for them.
    There is nothing to save or to load.

    Compiled code looks rows up if all of them take at most 64 MiB, or `reserve` was called for all positions; it does not read
    positions first, and those beyond are PyTorch's index error. Otherwise the CPU computes the rows of each call.

    With dynamic scaling, frequencies are those of the longest sequence so far, until one is shorter than
    max_position_embeddings, as in the models' own; in compiled code, those of the call's sequence.
    """

    __module__ = "posenc.torch"

    def __init__(self, config: Any, *, layer_type: str | None = None, duplicated: str = "halves") -> None:
        super().__init__()
        if duplicated not in ("halves", "pairs"):
            raise ValueError(f"duplicated is {duplicated!r}; allowed: 'halves' or 'pairs'")
        said = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
        types = [name for name, value in said.items() if isinstance(value, Mapping)]
        self.config, self.duplicated, self.layer_type = config, duplicated, layer_type if types else None
        self._tables: dict[tuple[int, torch.device, torch.dtype], Tables] = {}
        self.per_type: Any = {}  #: where each call says its layer_type, a module for each
        if types and layer_type is None:
            self.per_type = nn.ModuleDict(
                {name: RotaryEmbedding(config, layer_type=name, duplicated=duplicated) for name in types}
            )
            return
        if types and layer_type not in types:
            raise ValueError(f"layer_type is {layer_type!r}; allowed for this config: {', '.join(map(repr, types))}")
        scaling = dict(said[layer_type] if types else said)
        for key in ("mrope_section", "mrope_interleaved"):
            if scaling.get(key):
                raise ValueError(
                    f"the config has {key} {scaling[key]!r}: such modules make one row of three positions (time, height, width); "
                    "allowed: configs without mrope_section and mrope_interleaved"
                )
        self.rope_type = scaling["rope_type"] = rope_type_of(scaling)

        def told(name: str, default: Any) -> Any:
            value = scaling.pop(name, None)
            return (getattr(config, name, None) or default) if value is None else value

        self.base = float(told("rope_theta", 10000.0))
        head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        self.d_model = int(head * told("partial_rotary_factor", 1.0))
        self.max_position_embeddings = index("max_position_embeddings", config.max_position_embeddings, 1, MAX_POSITION)
        if self.rope_type in _OWN_LENGTH:
            key = "original_max_position_embeddings"  # Phi-3 has it beside the rest
            scaling[key] = getattr(config, key, None) or scaling.get(key) or self.max_position_embeddings
        self.scaling, self._json = scaling, json.dumps(scaling)
        self._length = self.max_position_embeddings  #: dynamic scaling: of the longest sequence
        self.attention_scaling = self._frequencies(0).attention_factor

    def _frequencies(self, sequence: int) -> RotaryFrequencies:
        return _frequencies(self.d_model, self.base, self._json, sequence, self.max_position_embeddings)

    def reserve(self, n: int | None = None, *, device: Any = None, dtype: torch.dtype | None = None) -> None:
        """Makes rows of positions 0 to n - 1 available, by default all of config.max_position_embeddings.

            >>> model.model.rotary_emb.reserve(device=model.device, dtype=model.dtype)

        device and dtype are those of x in calls; by default the CPU and PyTorch's default dtype, whatever the model's are. `.to()`,
        `.half()`, `.cuda()` and the like drop the rows: call it after them. Compiled code looks rows up if all of
        config.max_position_embeddings are there, not if n is less, and never with dynamic and longrope scaling, which depend on the
        sequence's length."""
        for module in self.per_type.values():
            module.reserve(n, device=device, dtype=dtype)
        if self.per_type:
            return
        n = index("n", self.max_position_embeddings if n is None else n, 0, MAX_POSITION)
        like = torch.empty(0, device=device, dtype=dtype)
        self._reserved(self._sequence(n), n, like.device, like.dtype)

    def _sequence(self, length: int) -> int:
        return _sequence(self.scaling, length, self.max_position_embeddings)

    def _reserved(self, sequence: int, n: int, device: torch.device, dtype: torch.dtype) -> Tables:
        key = sequence, device, dtype
        tables = self._tables.get(key)
        if tables is None or tables.cos.shape[0] < n:
            with torch.inference_mode(False), torch.no_grad():
                tables = self._tables[key] = _values(self._frequencies(sequence), dtype, count=n, device=device)
        return tables

    def half_rows(self, positions: torch.Tensor, dtype: torch.dtype, length: int) -> Tables:
        """Rows of half width, in a sequence of this length; nothing is kept."""
        return _values(self._frequencies(self._sequence(length)), dtype, positions=positions)

    def _rows(self, positions: torch.Tensor, device: torch.device, dtype: torch.dtype) -> Tables:
        if not positions.dim():
            one = self._rows(positions[None], device, dtype)
            return Pair(one.cos[0], one.sin[0])
        most = self.max_position_embeddings
        if is_traced() or positions.is_meta:
            tables = None
            if self.rope_type not in ("dynamic", "longrope"):
                if _is_compiling() and most * self.d_model * dtype.itemsize <= _MOST_BYTES:
                    _reserve(self, device, dtype)
                tables = self._tables.get((self._sequence(0), device, dtype))
            if tables is None or tables.cos.shape[0] < most:
                return rotary(positions, self.d_model, self.base, self._json, most, dtype)
        else:
            least, last = (int(bound) for bound in torch.aminmax(positions)) if positions.numel() else (0, 0)
            length = last + 1
            if length > self._length or length < most:
                self._length = max(length, most)
            sequence = self._sequence(self._length if self.rope_type == "dynamic" else length)
            if least < 0 or length > most or self.rope_type == "dynamic" and sequence > most:
                return _values(self._frequencies(sequence), dtype, positions=positions)
            tables = self._tables.get((sequence, device, dtype))
            if tables is None or tables.cos.shape[0] < length:
                rows = min(most, max(2 * length if tables else length, _FIRST_ROWS))
                tables = self._reserved(sequence, rows, device, dtype)
        at = positions.to(device)
        return Pair(functional.embedding(at, tables.cos), functional.embedding(at, tables.sin))

    @torch.no_grad()
    def forward(
        self, x: torch.Tensor, position_ids: torch.Tensor, layer_type: str | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Cosines and sines, each of shape ``position_ids.shape + (d_model,)``, of the dtype and on the device of x.

        `position_ids` are int64 or int32, of any shape; x is not looked at but for its dtype and device. `layer_type` says which
        frequencies are meant, where each type of layer has its own; else it is ignored.
        """
        if self.per_type:
            if layer_type not in self.per_type:
                raise ValueError(f"layer_type is {layer_type!r}; allowed: {', '.join(map(repr, self.per_type))}")
            cos, sin = self.per_type[layer_type](x, position_ids)
            return cos, sin
        if self.layer_type is not None and layer_type not in (None, self.layer_type):
            raise ValueError(
                f"layer_type is {layer_type!r}; allowed: {self.layer_type!r}, which this module was made for"
            )
        found = self._rows(position_ids, x.device, x.dtype)
        return self._wide(found.cos.to(x.device)), self._wide(found.sin.to(x.device))

    def _wide(self, half: torch.Tensor) -> torch.Tensor:
        return torch.cat((half, half), -1) if self.duplicated == "halves" else half.repeat_interleave(2, -1)

    def _apply(self, fn: Any, *args: Any, **kwargs: Any) -> RotaryEmbedding:
        self._tables.clear()  # of another device or dtype, perhaps
        super()._apply(fn, *args, **kwargs)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tables": {}}  # they can be computed again

    def extra_repr(self) -> str:
        if self.per_type:
            return ""
        return f"{self.d_model}, base={self.base:g}, rope_type={self.rope_type!r}"
