"""The module that replaces a Hugging Face model's rotary embedding."""

from __future__ import annotations

import functools
import json
from typing import Any, Callable, Sequence

import torch
from torch import nn

from .._plan import Duplicated, unknown
from .._rotary import RotaryFrequencies, rotary_frequencies
from ._calls import check_type, constant_in_graphs, joined
from ._formula import forget, kept
from ._pairs import duplicated_columns
from ._rotary_config import layer_types, read
from ._rows import rows, spec_of
from ._tensors import constant

_READS = "with rope_type 'dynamic', frequencies depend on the length of the sequence, which is read from position_ids"


@functools.lru_cache(maxsize=64)
def _frequencies(d_model: int, base: float, scaling: str, length: int, max_positions: int) -> RotaryFrequencies:
    kind = json.loads(scaling)
    return rotary_frequencies(d_model, base, scaling=kind, length=length, max_position_embeddings=max_positions)


@functools.lru_cache(maxsize=64)
def _spec(
    near: RotaryFrequencies, far: RotaryFrequencies | None, far_from: int, axes: tuple[int, ...], axis: int
) -> str:
    """Returns the spec of the frequencies that belong to this axis."""

    def numbers(frequencies: RotaryFrequencies) -> dict[str, Any]:
        low = frequencies.freqs_low.tolist()
        own = [(w, low[k]) for k, w in enumerate(frequencies.freqs.tolist()) if axes[k] == axis]
        return {"freqs": [w for w, _ in own], "freqs_low": [w for _, w in own]}

    factor = None if near.attention_factor == 1 else near.attention_factor
    return spec_of(
        2 * axes.count(axis), **numbers(near), layout="split", order="cos_first", factor=factor,
        far=far and {"from": far_from, **numbers(far)},
    )  # fmt: skip


@constant_in_graphs
def _index(places: tuple[int, ...], device: torch.device) -> torch.Tensor | None:
    return kept(repr(places), "places", device, (places, "int64"))


def _untraced(function: Any) -> Any:
    """Returns the function such that torch.compile does not trace it. (The decorator would import torch._dynamo.)"""
    if hasattr(function, "_torchdynamo_disable"):
        return function
    try:
        return torch.compiler.disable(function, reason=_READS)
    except TypeError:  # before PyTorch 2.8
        return torch.compiler.disable(function)


class RotaryEmbedding(nn.Module):
    """Computes cosines and sines for a Hugging Face model: replaces the model's own rotary embedding.

        >>> model.model.rotary_emb = posenc.torch.RotaryEmbedding(model.config)

    It has the layout and dtype of the module that it replaces: (cos, sin), with each frequency's column once or twice,
    or one complex tensor; in the dtype of x or in float32; for tokens with one position or with three (time, height and
    width). `posenc.torch.replace_rotary` replaces all such modules of a model.

    Parameters
    ----------
    config
        The config of the model. Its model_type determines what the module returns; the types of transformers 5.23.0
        are known. The module also reads rope_parameters, or rope_theta and rope_scaling; head_dim, or hidden_size and
        num_attention_heads; partial_rotary_factor; and max_position_embeddings.
    layer_type
        The type of layer whose parameters to use, if each type has its own. None means that each call gives it.
    duplicated
        The layout of columns, for an unknown model_type: "halves", all frequencies and then all again (Llama and most
        others), or "pairs", each twice in succession (Cohere). None means the layout of the model_type.

    Raises
    ------
    ValueError
        The config is not supported, or an argument is wrong. The message says why.

    Notes
    -----
    Each value is the cosine or sine of the real number position times frequency, times the scaling's attention factor.

    The C library computes eager calls on the CPU whose tokens have one position. It rounds each value once from the
    real number. If there is an attention factor, it multiplies a float64 value, and the product is rounded once.

    Operations of PyTorch compute all other calls: compiled, exported and transformed ones, those on another device, and
    those whose tokens have three positions. They read no value back from the device. Their largest errors, where an
    attention factor multiplies the 2^-50, are:

    - float32: 2^-50 plus half a unit in the last place; fewer than one value in 10^7 is not correctly rounded.
    - float64: 2^-50.
    - float16 and bfloat16: they are rounded once, if they are outputs of a compiled graph.
    - On devices that have no float64: 3e-7.

    Positions are integers up to 2^32. Beyond, the C library raises a ValueError, and the operations return NaN. The
    module has no state to save, load or reserve.

    With dynamic scaling, the frequencies are those of the longest sequence so far. A sequence shorter than
    max_position_embeddings resets them, as in transformers. torch.compile breaks the graph there, because the length of
    the sequence is read.
    """

    __module__ = "posenc.torch"

    def __init__(self, config: Any, *, layer_type: str | None = None, duplicated: Duplicated | None = None) -> None:
        super().__init__()
        types = layer_types(config)
        self.config, self.layer_type = config, layer_type if types else None
        self.per_type: nn.ModuleDict | None = None  #: a module for each layer_type, if calls give the layer_type
        self._spec, self._axis_specs = "", ()
        if types and layer_type is None:
            self.per_type = nn.ModuleDict(
                {name: RotaryEmbedding(config, layer_type=name, duplicated=duplicated) for name in types}
            )
            return
        said = read(config, layer_type, duplicated)
        self.base, self.d_model, self.max_position_embeddings = said.base, said.d_model, said.max_position_embeddings
        self.rope_type: str = said.scaling["rope_type"]
        self.layout, self.axes = said.layout, said.axes
        self.dtype = None if said.dtype == "x" else torch.float32  #: None means the dtype of x
        self._json = json.dumps(said.scaling)
        self._original: int = said.scaling.get("original_max_position_embeddings", 0)
        self._longest = self.max_position_embeddings  #: with dynamic scaling, the length of the longest sequence
        near = self._of_length(0)
        self.attention_scaling = near.attention_factor
        far = self._of_length(self._original + 1) if self.rope_type == "longrope" else None
        if far and self.axes:
            raise ValueError("the rope_type 'longrope' is not supported for tokens with several positions")
        n, axes = self.d_model // 2, self.axes or ()
        self._spec = _spec(near, far, self._original, (0,) * n, 0)
        self._axis_specs = tuple(_spec(near, None, 0, axes, axis) for axis in sorted({*axes}))
        by_axis = sorted(range(len(axes)), key=lambda k: axes[k])  # the columns as the calls of all axes give them
        self._places = tuple(sorted(range(n), key=lambda k: by_axis[k])) if axes and by_axis != [*range(n)] else ()
        self._untrace()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._untrace()

    def _untrace(self) -> None:
        if getattr(self, "rope_type", "") == "dynamic" and hasattr(torch, "compiler"):
            RotaryEmbedding._by_length = _untraced(RotaryEmbedding._by_length)  # type: ignore[method-assign]

    def _of_length(self, length: int) -> RotaryFrequencies:
        return _frequencies(self.d_model, self.base, self._json, length, self.max_position_embeddings)

    @torch.no_grad()
    def forward(self, x: torch.Tensor, position_ids: torch.Tensor, layer_type: str | None = None) -> Any:
        """Returns cosines and sines of shape ``position_ids.shape + (columns,)``, or one complex tensor.

        Parameters
        ----------
        x
            A tensor with the device of the result and, for most models, its dtype. Its values are not read.
        position_ids
            Integers, of any shape. If tokens have three positions, the shape is (3, batch, sequence); with any other
            number of axes, the three positions are equal.
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
        kind = position_ids.dtype
        if kind.is_floating_point or kind.is_complex or kind is torch.bool:
            raise TypeError(f"position_ids have dtype {kind}; allowed: integers")
        dtype = self.dtype or x.dtype
        if not dtype.is_floating_point or torch.finfo(dtype).bits < 16:
            raise TypeError(f"x has dtype {dtype}; allowed: float32, float64, bfloat16 and float16")
        positions = position_ids.to(x.device).long()
        if self.rope_type == "dynamic":
            return self._by_length(positions, dtype)
        return self._values(positions, dtype, self._spec)

    def _by_length(self, positions: torch.Tensor, dtype: torch.dtype) -> Any:
        if torch.jit.is_tracing():
            raise RuntimeError(f"{_READS}; torch.jit.trace cannot trace it")
        most = self.max_position_embeddings
        length = int(positions.max()) + 1 if positions.numel() else 0
        if length > self._longest or length < most:
            if self._longest > most:
                forget(self._spec)
            self._longest = max(length, most)
            self._spec = _spec(self._of_length(self._longest), None, 0, (0,) * (self.d_model // 2), 0)
        return self._values(positions, dtype, self._spec)

    def _values(self, positions: torch.Tensor, dtype: torch.dtype, spec: str) -> Any:
        if not self._axis_specs or positions.dim() != 3:
            cos, sin = rows(positions, spec, dtype).chunk(2, -1)
        elif positions.shape[0] != len(self._axis_specs):
            raise ValueError(f"position_ids have shape {tuple(positions.shape)}; allowed: (3, batch, sequence)")
        else:
            each = [rows(at, own, dtype).chunk(2, -1) for at, own in zip(positions, self._axis_specs)]
            cos, sin = (joined(torch.cat, parts, -1) for parts in zip(*each))
            if self._places:
                cos, sin = (part.index_select(-1, _index(self._places, part.device)) for part in (cos, sin))
        if self.layout == "complex":
            return torch.complex(cos, sin)
        return self._arranged(cos), self._arranged(sin)

    def _arranged(self, columns: torch.Tensor) -> torch.Tensor:
        return duplicated_columns(columns, None if self.layout == "half" else self.layout)

    def _apply(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> RotaryEmbedding:
        super()._apply(fn, *args, **kwargs)
        if self._spec:  # makes the constants, since a later call may be in a CUDA graph, which cannot copy from the CPU
            device = fn(constant([], "float32")).device
            self._values(constant([[[0]]] * max(1, len(self._axis_specs)), "int64", device), torch.float32, self._spec)
        return self

    def extra_repr(self) -> str:
        if self.per_type is not None:
            return ""
        return f"{self.d_model}, base={self.base:g}, rope_type={self.rope_type!r}"
