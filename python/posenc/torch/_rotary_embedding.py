"""The module that replaces a Hugging Face model's rotary embedding."""

from __future__ import annotations

import functools
import json
from fractions import Fraction
from typing import Any, Callable, Sequence

import numpy as np
import torch
from torch import nn

from .._plan import DTYPES, MAX_POSITION, Duplicated, Plan, dtype_name, plan, unknown
from .._positions import Rows
from .._rotary import RotaryFrequencies, rotary_frequencies
from .._table import new, write
from ._calls import check_type, is_plain, joined
from ._formula import INTEGER_TERMS, Ladder, of_integers, rounded
from ._rotary_config import layer_types, read
from ._tensors import as_tensor, constant, numbers

_READS = "with rope_type 'dynamic', frequencies depend on the length of the sequence, which is read from position_ids"


@functools.lru_cache(maxsize=64)
def _frequencies(d_model: int, base: float, scaling: str, length: int, max_positions: int) -> RotaryFrequencies:
    kind = json.loads(scaling)
    return rotary_frequencies(d_model, base, scaling=kind, length=length, max_position_embeddings=max_positions)


@functools.lru_cache(maxsize=64)
def _ladder(frequencies: RotaryFrequencies, axes: tuple[int, ...] | None) -> Ladder:
    """Returns the frequencies as the ladder of the formula."""
    pairs = zip(frequencies.freqs.tolist(), frequencies.freqs_low.tolist())
    return Ladder([Fraction(high) + Fraction(low) for high, low in pairs], axes, frequencies.attention_factor)


@functools.lru_cache(maxsize=16)
def _plan(frequencies: RotaryFrequencies, dtype: str, impl: str) -> Plan:
    return plan(
        2 * len(frequencies.freqs), dtype=dtype, freqs=frequencies.freqs, freqs_low=frequencies.freqs_low,
        layout="split", order="cos_first", impl=impl,
    )  # fmt: skip


def _by_c(
    frequencies: RotaryFrequencies, positions: torch.Tensor, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns cosines and sines times the attention factor, rounded once."""
    factor, n = frequencies.attention_factor, len(frequencies.freqs)
    kind = dtype if factor == 1 else torch.float64
    p = _plan(frequencies, dtype_name(kind), "exact" if factor == 1 else "anchored")
    at = np.asarray(numbers("position_ids", positions), order="C")
    which = Rows(at.shape, 0, at)
    array, address = new(p, which, 2 * n, DTYPES[p.dtype])
    write(p, which, array, None, address)
    both = as_tensor(array, p.dtype)
    cos, sin = (both if factor == 1 else rounded(both * factor, dtype, False)).chunk(2, -1)
    return cos, sin


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
        self._ladders: tuple[Ladder, ...] = ()
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
        lengths = (0, self._original + 1) if self.rope_type == "longrope" else (0,)
        self._c = tuple(map(self._of_length, lengths))
        self._ladders = tuple(_ladder(each, self.axes) for each in self._c)
        self.attention_scaling = self._c[0].attention_factor
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
            return self._by_length(x, positions, dtype)
        return self._values(x, positions, dtype, self._c, self._ladders)

    def _by_length(self, x: torch.Tensor, positions: torch.Tensor, dtype: torch.dtype) -> Any:
        if torch.jit.is_tracing():
            raise RuntimeError(f"{_READS}; torch.jit.trace cannot trace it")
        most = self.max_position_embeddings
        length = int(positions.max()) + 1 if positions.numel() else 0
        if length > self._longest or length < most:
            self._longest = max(length, most)
        return self._values(x, positions, dtype, (self._of_length(self._longest),), ())

    def _values(
        self,
        x: torch.Tensor,
        positions: torch.Tensor,
        dtype: torch.dtype,
        c: Sequence[RotaryFrequencies],
        ladders: Sequence[Ladder],
    ) -> Any:
        axes = self.axes if positions.dim() == 3 else None
        if is_plain(positions) and axes is None and type(x) in (torch.Tensor, nn.Parameter):
            far = len(c) > 1 and positions.numel() > 0 and int(positions.max()) >= self._original
            cos, sin = map(self._arranged, _by_c(c[far], positions, dtype))
        else:
            ladders = ladders or (_ladder(c[0], self.axes),)
            terms = [ladder.tensors(INTEGER_TERMS, positions.device) for ladder in ladders]
            second = None
            if len(terms) > 1 and positions.numel() > 0:
                second = positions.amax() >= self._original, terms[1]
            if axes is None:
                positions = positions[..., None]
            elif positions.shape[0] == 3:
                positions = positions.movedim(0, -1).index_select(-1, *ladders[0].tensors("axes", positions.device))
            else:
                raise ValueError(f"position_ids have shape {tuple(positions.shape)}; allowed: (3, batch, sequence)")
            both = of_integers(positions, terms[0], second, MAX_POSITION)
            if self.attention_scaling != 1:
                (factor,) = ladders[0].tensors("factor", positions.device)
                both = both * (self.attention_scaling if factor is None else factor)
            cos, sin = self._arranged(rounded(both, dtype, False)).unbind()
        return torch.complex(cos, sin) if self.layout == "complex" else (cos, sin)

    def _arranged(self, columns: torch.Tensor) -> torch.Tensor:
        if self.layout == "halves":
            return joined(torch.cat, (columns, columns), -1)
        if self.layout == "pairs":
            return joined(torch.stack, (columns, columns), -1).flatten(-2)
        return columns.contiguous()

    def _apply(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> RotaryEmbedding:
        super()._apply(fn, *args, **kwargs)
        for ladder in self._ladders:  # a later call may be in a CUDA graph, which cannot copy from the CPU
            ladder.tensors(f"{INTEGER_TERMS} axes factor", fn(constant([], "float32")).device)
        return self

    def extra_repr(self) -> str:
        if self.per_type is not None:
            return ""
        return f"{self.d_model}, base={self.base:g}, rope_type={self.rope_type!r}"
