"""The module that computes rotary embeddings, in place of a Hugging Face model's own or from a few numbers."""

from __future__ import annotations

import functools
import json
from typing import Any, Callable, Mapping, Sequence, SupportsIndex

import torch
from torch import nn

from .._plan import MAX_POSITION, DtypeName, unknown
from .._rotary import RotaryFrequencies, rotary_frequencies
from .._rotary_config import RotaryLayout, given, layer_types, read
from ._calls import check_type, constant_in_graphs
from ._formula import forget, kept
from ._pairs import duplicated_columns
from ._rows import rows, spec_of
from ._tensors import constant, of_module

_READS = "with rope_type 'dynamic', frequencies depend on the length of the sequence, which is read from position_ids"


@functools.lru_cache(maxsize=64)
def _frequencies(d_model: int, base: float, scaling: str, length: int, max_positions: int) -> RotaryFrequencies:
    kind = json.loads(scaling)
    return rotary_frequencies(d_model, base, scaling=kind, length=length, max_position_embeddings=max_positions)


@functools.lru_cache(maxsize=64)
def _spec(near: RotaryFrequencies, far: RotaryFrequencies | None, far_from: int) -> str:
    def numbers(frequencies: RotaryFrequencies) -> dict[str, Any]:
        return {"freqs": frequencies.freqs.tolist(), "freqs_low": frequencies.freqs_low.tolist()}

    factor = None if near.attention_factor == 1 else near.attention_factor
    return spec_of(
        2 * len(near.freqs), **numbers(near), layout="split", order="cos_first", factor=factor,
        far=far and {"from": far_from, **numbers(far)},
    )  # fmt: skip


@constant_in_graphs
def _index(places: tuple[int, ...], device: torch.device) -> torch.Tensor | None:
    return kept(repr(places), "places", device, (places, "int64"))


@constant_in_graphs
def _inv_freq(frequencies: tuple[float, ...], device: torch.device) -> torch.Tensor:
    return kept(repr(frequencies), "inv_freq", device, (frequencies, "float32")).clone()


def _untraced(function: Any) -> Any:
    """Returns the function such that torch.compile does not trace it. (The decorator would import torch._dynamo.)"""
    if hasattr(function, "_torchdynamo_disable"):
        return function
    try:
        return torch.compiler.disable(function, reason=_READS)
    except TypeError:  # before PyTorch 2.8
        return torch.compiler.disable(function)


class RotaryEmbedding(nn.Module):
    """Computes cosines and sines of rotary embeddings.

        >>> model.model.rotary_emb = posenc.torch.RotaryEmbedding(model.config)  # for a model of transformers
        >>> rotary = posenc.torch.RotaryEmbedding(128, base=500000.0)            # for any other

    It returns (cos, sin), with each frequency's column once or twice, or one complex tensor. The dtype is that of x, or
    float32. A token has one position, or two or three, such as height and width. With a config, the module returns what
    the model's own module returns, in layout and dtype. `posenc.torch.replace_rotary` replaces all such modules of a
    model.

    Parameters
    ----------
    config
        The config of a model, or its head_dim: the number of columns of a whole head. The model_type of a config
        determines what the module returns; the types of transformers 5.23.0 are known. The module also reads
        rope_parameters, or rope_theta and rope_scaling; head_dim, or hidden_size and num_attention_heads;
        partial_rotary_factor, if models of this type do; and max_position_embeddings.
    layer_type
        The type of layer whose parameters to use, if the config has parameters for each type. None means that each call
        gives the type.
    layout
        The columns of the frequencies w0 to wn: "halves" is w0 .. wn, w0 .. wn (Llama and most others), "pairs" is
        w0, w0, w1, w1, .. (GPT-J, Cohere), "half" is w0 .. wn, and "complex" is w0 .. wn in one complex64 tensor. None
        means that of the config's model_type, or "halves" without a config.
    base, scaling, max_position_embeddings
        As in `posenc.rotary_frequencies`. These and the following arguments are for a module without a config.
    sections, interleaved
        If tokens have three positions, how many frequencies belong to time, height and width, such as (16, 24, 24). The
        first frequencies belong to time and the last to width. With `interleaved`, frequencies belong to time, height
        and width alternately, as in Qwen3-VL. None means mrope_section and mrope_interleaved of `scaling`.
    dtype
        torch.float32, or None for the dtype of x.

    Raises
    ------
    ValueError
        The config is not supported, or an argument is wrong. The message says why.

    Notes
    -----
    Each value is the cosine or sine of the real number position times frequency, times the scaling's attention factor.
    `posenc.torch.table` says who computes it, and the largest errors. An attention factor multiplies a float64 value
    and its error of 2^-50, and the product is rounded once. The module makes no synchronisation with a device.

    Positions are integers or real numbers up to 2^32. Other positions give NaN. The module has no state to save, load or
    reserve. Code of a model may read `attention_scaling` and `inv_freq`, the frequencies of short sequences in float32,
    in the order of the model's own module. With layer types, their names begin with the type, as in transformers.

    With dynamic scaling, the frequencies are those of the longest sequence so far. A sequence shorter than
    max_position_embeddings resets them, as in transformers. torch.compile breaks the graph there, because the length of
    the sequence is read.
    """

    __module__ = "posenc.torch"

    def __init__(
        self,
        config: Any,
        *,
        layer_type: str | None = None,
        layout: RotaryLayout | None = None,
        base: float | None = None,
        scaling: Mapping[str, Any] | None = None,
        max_position_embeddings: SupportsIndex | None = None,
        sections: Sequence[SupportsIndex] | None = None,
        interleaved: bool | None = None,
        dtype: torch.dtype | DtypeName | None = None,
    ) -> None:
        super().__init__()
        numbers = base, scaling, max_position_embeddings, sections, interleaved, dtype
        if hasattr(config, "__index__"):
            if layer_type is not None or interleaved and sections is None:
                raise ValueError("layer_type needs a config, and interleaved=True needs sections")
            config = given(config, *numbers)
        elif any(number is not None for number in numbers):
            raise ValueError("base, scaling and the arguments after them are given; allowed: None with a config")
        types = layer_types(config)
        self.config, self.layer_type = config, layer_type if types else None
        self.per_type: nn.ModuleDict | None = None  #: a module for each layer_type, if calls give the layer_type
        self._device = torch.device("cpu")
        self._spec = ""
        self._is_axial = False  #: whether the last axis of position_ids has the positions of a token
        if types and layer_type is None:
            self.per_type = nn.ModuleDict(
                {name: RotaryEmbedding(config, layer_type=name, layout=layout) for name in types}
            )
            return
        said = read(config, layer_type, layout)
        self.base, self.d_model, self.max_position_embeddings = said.base, said.d_model, said.max_position_embeddings
        self.rope_type: str = said.scaling["rope_type"]
        self.layout, self.axes = said.layout, said.axes
        self._is_axial = said.columns is not None
        self._positions = 3 if said.axes and not self._is_axial else 1 + max(said.axes or (0,))  #: of a token
        self.dtype = None if said.dtype == "x" else torch.float32  #: None means the dtype of x
        self._json = json.dumps(said.scaling)
        self._original: int = said.scaling.get("original_max_position_embeddings") or 0
        self._longest = self.max_position_embeddings  #: with dynamic scaling, the length of the longest sequence
        near = self._of_length(0)
        self._inv_freq = tuple(near.freqs[[*(said.order or range(len(near.freqs)))]].tolist())
        self.attention_scaling = near.attention_factor
        far = self._of_length(self._original + 1) if self.rope_type == "longrope" else None
        self._spec = _spec(near, far, self._original)
        n = self.d_model // 2
        self._columns = said.columns or (*range(n),)  #: the index of each column's frequency
        #: of each column in the values of all axes
        self._places = tuple(n * axis + column for axis, column in zip(self.axes or (), self._columns))
        self.max_position_embeddings = said.max_position_embeddings or MAX_POSITION
        self._untrace()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._untrace()

    def _untrace(self) -> None:
        if getattr(self, "rope_type", "") == "dynamic" and hasattr(torch, "compiler"):
            RotaryEmbedding._by_length = _untraced(RotaryEmbedding._by_length)  # type: ignore[method-assign]

    def __getattr__(self, name: str) -> Any:
        """Answers to the names of frequencies and factors in transformers' modules, which code of models may read."""
        per_type = self.__dict__.get("_modules", {}).get("per_type")
        if per_type is None and name == "inv_freq":  # no buffer, which a cast of the model would round
            return _inv_freq(self._inv_freq, self._device)
        for field in ("inv_freq", "attention_scaling"):
            layer_type = name[: -len(field) - 1]
            if per_type is not None and layer_type in per_type and name == f"{layer_type}_{field}":
                return getattr(per_type[layer_type], field)
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "inv_freq":
            raise AttributeError("inv_freq is read-only; make another RotaryEmbedding")
        super().__setattr__(name, value)

    def _of_length(self, length: int) -> RotaryFrequencies:
        return _frequencies(self.d_model, self.base, self._json, length, self.max_position_embeddings)

    def forward(self, x: torch.Tensor, position_ids: torch.Tensor, layer_type: str | None = None) -> Any:
        """Returns cosines and sines of shape ``position_ids.shape + (columns,)``, or one complex tensor.

        Parameters
        ----------
        x
            A tensor with the device of the result and, for most models, its dtype. Its values are not read.
        position_ids
            Numbers, of any shape. If tokens have three positions, the shape is (3, batch, sequence); with any other
            number of axes, the three positions are equal. With the rope_type "axial", the last axis has the positions
            of a token.
        layer_type
            The type of layer, if each type has its own frequencies. Models whose layers share their frequencies ignore
            it.
        """
        if self.per_type is not None:
            if layer_type not in self.per_type:
                raise ValueError(unknown("layer_type is", layer_type, self.per_type))
            return self.per_type[layer_type](x, position_ids)
        if self.layer_type is not None and layer_type not in (None, self.layer_type):
            raise ValueError(
                f"layer_type is {layer_type!r}; allowed: {self.layer_type!r}, for which this module was made"
            )
        check_type("x", x, torch.Tensor)
        check_type("position_ids", position_ids, torch.Tensor)
        if position_ids.is_complex():
            raise TypeError(f"position_ids have dtype {position_ids.dtype}; allowed: integers or real numbers")
        dtype = self.dtype or x.dtype
        if not dtype.is_floating_point or torch.finfo(dtype).bits < 16:
            raise TypeError(f"x has dtype {dtype}; allowed: float32, float64, bfloat16 and float16")
        positions = of_module("position_ids", position_ids.to(x.device))
        if self.rope_type == "dynamic":
            return self._by_length(positions, dtype)
        return self._values(positions, dtype, self._spec)

    def _by_axis(self, positions: torch.Tensor) -> torch.Tensor | None:
        """Returns positions whose first axis is that of `self.axes`, or None if a token has one position."""
        if self.axes is None or positions.dim() != 3 and not self._is_axial:
            return None
        axis = -1 if self._is_axial else 0
        size = positions.shape[axis] if positions.dim() else 0
        if size != self._positions and (size != 1 or self._is_axial):
            allowed = f"(.., {self._positions})" if self._is_axial else "(3, batch, sequence)"
            raise ValueError(f"position_ids have shape {tuple(positions.shape)}; allowed: {allowed}")
        return positions.movedim(axis, 0).expand(self._positions, *[-1] * (positions.dim() - 1))

    def _by_length(self, positions: torch.Tensor, dtype: torch.dtype) -> Any:
        if torch.jit.is_tracing():
            raise RuntimeError(f"{_READS}; torch.jit.trace cannot trace it")
        most = self.max_position_embeddings
        length = min(int(positions.nan_to_num().max()) + 1, MAX_POSITION) if positions.numel() else 0
        if length > self._longest or length < most:
            longest, old = max(length, most), self._spec
            spec = _spec(self._of_length(longest), None, 0)
            if self._longest > most:
                forget(old)
            self._longest, self._spec = longest, spec
        else:
            spec = self._spec
        return self._values(positions, dtype, spec)

    def _values(self, positions: torch.Tensor, dtype: torch.dtype, spec: str) -> Any:
        by_axis = self._by_axis(positions)
        if by_axis is None:
            both = rows(positions, spec, dtype, apart=True)
        else:  # one call, since the frequencies may depend on the length, which is the same for all axes
            each = rows(by_axis, spec, dtype, apart=True).movedim(1, -2).flatten(-2)
            both = each.index_select(-1, _index(self._places, each.device))
        cos, sin = self._arranged(both[0]), self._arranged(both[1])
        return torch.complex(cos, sin) if self.layout == "complex" else (cos, sin)

    def _arranged(self, columns: torch.Tensor) -> torch.Tensor:
        return duplicated_columns(columns, None if self.layout == "half" else self.layout)

    def _apply(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> RotaryEmbedding:
        super()._apply(fn, *args, **kwargs)
        if self._spec:  # makes the constants, since a later call may be in a CUDA graph, which cannot copy from the CPU
            self._device = fn(constant([], "float32")).device
            positions = constant([[[0] * self._positions]], "int64", self._device)
            self._values(positions if self._is_axial else positions.transpose(0, 2), torch.float32, self._spec)
        return self

    def extra_repr(self) -> str:
        if self.per_type is not None:
            return ""
        scaling = {key: value for key, value in json.loads(self._json).items() if not isinstance(value, list)}
        axes, more = self.axes or (), "" if self.dtype is None else f", dtype={self.dtype}"
        more += f", sections={tuple(map(axes.count, range(self._positions)))}" if axes else ""
        more += ", interleaved=True" if [*axes] != sorted(axes) else ""
        return f"{self.d_model}, base={self.base:g}, scaling={scaling}, layout={self.layout!r}{more}"
