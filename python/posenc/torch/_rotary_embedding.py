"""The module that computes rotary embeddings."""

from __future__ import annotations

import functools
import json
from typing import Any, Callable, Literal, Mapping, Sequence, SupportsIndex, get_args

import torch
from torch import nn

from .._plan import MAX_POSITION, DtypeName, index, unknown
from .._rotary import RotaryFrequencies, base_of, rope_type_of, rotary_frequencies
from ._calls import check_type, constant_in_graphs
from ._formula import forget, kept
from ._rows import cos_sin, spec_of
from ._tensors import constant, of_module

RotaryLayout = Literal["halves", "pairs", "half", "complex"]
_READS = "with rope_type 'dynamic', frequencies depend on the length of the sequence, which is read from position_ids"


@functools.lru_cache(maxsize=64)
def _frequencies(head: int, base: float, scaling: str, length: int, most: int | None) -> RotaryFrequencies:
    return rotary_frequencies(head, base, scaling=json.loads(scaling), length=length, max_position_embeddings=most)


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
def _constants(numbers: tuple[float, ...], dtype: str, device: torch.device) -> torch.Tensor:
    return kept(repr(numbers), dtype, device, (numbers, dtype))


def _untraced(function: Any) -> Any:
    """Returns the function such that torch.compile does not trace it. (The decorator would import torch._dynamo.)"""
    if hasattr(function, "_torchdynamo_disable"):
        return function
    try:
        return torch.compiler.disable(function, reason=_READS)
    except TypeError:  # before PyTorch 2.8
        return torch.compiler.disable(function)


def _axes(sections: Any, is_in_turn: bool, n: int) -> list[int]:
    """Returns for each of n frequencies whether it belongs to time, height or width: 0, 1 or 2."""
    try:
        most = 1 << 20 if is_in_turn else n  # transformers ignores what exceeds the frequencies there
        sizes = [index("each of the sections", size, 0, most) for size in sections]
    except TypeError:
        sizes = []
    if len(sizes) != 3 or not is_in_turn and sum(sizes) != n:
        raise ValueError(f"the sections (mrope_section) are {sections!r}; allowed: three numbers whose sum is {n}")
    if is_in_turn:
        return [k % 3 if k < 3 * sizes[k % 3] else 0 for k in range(n)]
    return [axis for axis, size in enumerate(sizes) for _ in range(size)]


def columns_of(layout: str, n: int) -> list[int]:
    """Returns the index of each column's frequency."""
    if layout == "pairs":
        return [k for k in range(n) for _ in range(2)]
    return [*range(n)] * (2 if layout == "halves" else 1)


class RotaryEmbedding(nn.Module):
    """Computes cosines and sines of rotary embeddings.

        >>> rotary = posenc.torch.RotaryEmbedding(128, base=500000.0)
        >>> cos, sin = rotary(x, positions)

    It returns (cos, sin), with each frequency's column once or twice, or one complex tensor. The dtype is that of x, or
    float32. A token has one position, or three: time, height and width. To replace the rotary module of a model, call
    `posenc.torch.rotary_like`, or `posenc.torch.replace_rotary` for all modules of a model.

    Parameters
    ----------
    head_dim
        The number of columns of a whole head.
    base, scaling, max_position_embeddings
        As in `posenc.rotary_frequencies`.
    layout
        The columns of the frequencies w0 to wn: "halves" is w0 .. wn, w0 .. wn (Llama and most others), "pairs" is
        w0, w0, w1, w1, .. (GPT-J, Cohere), "half" is w0 .. wn, and "complex" is w0 .. wn in one complex64 tensor.
    sections, interleaved
        If tokens have three positions, how many frequencies belong to time, height and width, such as (16, 24, 24). The
        first frequencies belong to time and the last to width. With `interleaved`, frequencies belong to time, height
        and width alternately, as in Qwen3-VL. None means mrope_section and mrope_interleaved of `scaling`.
    dtype
        torch.float32, or None for the dtype of x.

    Raises
    ------
    ValueError, TypeError
        An argument is wrong. The message says what is allowed.

    Notes
    -----
    Each value is the cosine or sine of the real number position times frequency, times the scaling's attention factor.
    `posenc.torch.table` says who computes it, and the largest errors. An attention factor multiplies a float64 value
    and its error of 2^-50, and the product is rounded once. The module makes no synchronisation with a device.

    Positions are integers or real numbers up to 2^32. Other positions give NaN. The module has no state to save, load or
    reserve. Code of a model may read `attention_scaling` and `inv_freq`, the frequencies of short sequences in float32.

    With dynamic scaling, the frequencies are those of the longest sequence so far. A sequence shorter than
    max_position_embeddings resets them, as in transformers. torch.compile breaks the graph there, because the length of
    the sequence is read.
    """

    __module__ = "posenc.torch"

    def __init__(
        self,
        head_dim: SupportsIndex,
        *,
        base: float | None = None,
        scaling: Mapping[str, Any] | None = None,
        max_position_embeddings: SupportsIndex | None = None,
        layout: RotaryLayout = "halves",
        sections: Sequence[SupportsIndex] | None = None,
        interleaved: bool | None = None,
        dtype: torch.dtype | DtypeName | None = None,
    ) -> None:
        super().__init__()
        if layout not in get_args(RotaryLayout):
            raise ValueError(unknown("layout is", layout, get_args(RotaryLayout)))
        if str(dtype) not in ("None", "float32", "torch.float32"):
            raise ValueError(f"dtype is {dtype!r}; allowed: torch.float32, or None for the dtype of x")
        if not isinstance(scaling, (Mapping, type(None))):
            raise TypeError(f"scaling is {scaling!r}; allowed: a mapping as in config.rope_parameters, or None")
        parameters = dict(scaling or {})
        mrope = parameters.pop("mrope_section", None), parameters.pop("mrope_interleaved", None)
        sections = mrope[0] if sections is None else sections
        is_in_turn = bool(mrope[1] if interleaved is None else interleaved)
        if is_in_turn and sections is None:
            raise ValueError("interleaved is True; it needs sections")
        most = max_position_embeddings
        self.max_position_embeddings = None if most is None else index("max_position_embeddings", most, 1, MAX_POSITION)
        self.base = base_of(base, parameters.pop("rope_theta", None))
        self.rope_type = parameters["rope_type"] = rope_type_of(parameters)
        #: Do the frequencies depend on the length? With the alpha of Hunyuan's configurations they do not.
        self._reads_length = self.rope_type == "dynamic" and parameters.get("alpha") is None
        self.scaling = parameters
        self._json, self._head = json.dumps(parameters), index("head_dim", head_dim, 2, 1 << 20)
        near = self.of_length(0)
        self.d_model = 2 * len(near.freqs)
        self.attention_scaling = near.attention_factor
        self.layout: str = layout
        self.dtype = torch.float32 if dtype is not None or layout == "complex" else None  #: None means the dtype of x
        original = parameters.get("original_max_position_embeddings") or self.max_position_embeddings or 0
        far = self.of_length(original + 1) if self.rope_type == "longrope" else None
        self._spec = _spec(near, far, original)
        self._longest = self.max_position_embeddings or 0  #: with dynamic scaling, the length of the longest sequence
        self._inv_freq = tuple(near.freqs.tolist())
        self.order: Sequence[int] = range(len(near.freqs))  #: of our frequencies in `inv_freq`
        self._device = torch.device("cpu")
        #: The axis of positions that has the numbers of a token's position: 0, -1, or None if there is one number.
        self.axis: int | None = None
        #: By how many numbers a position has: the places of the columns in the values of all numbers and frequencies.
        #: Empty if the columns are those of `layout` for one number.
        self._places: dict[int, tuple[int, ...]] = {}
        if sections is not None:
            axes = _axes(sections, is_in_turn, len(near.freqs))
            self.arrange(0, {3: [(axes[k], k) for k in columns_of(layout, len(axes))]}, range(len(axes)))
        self._untrace()

    def arrange(self, axis: int | None, columns: Mapping[int, Sequence[tuple[int, int]]], order: Sequence[int]) -> None:
        """Sets the columns of results, for modules that take the place of others.

        axis: as `self.axis`. columns: by how many numbers a position has, for each column the index of its number and of
        its frequency in the other module. The frequency with index i there is ours with index order[i]."""
        n = len(order)
        self._inv_freq, self.order = tuple(self._inv_freq[k] for k in order), order
        places = {count: tuple(i * n + order[k] for i, k in pairs) for count, pairs in columns.items()}
        self.axis, self._places = axis, places
        for layout in ("complex",) if self.layout == "complex" else ("halves", "pairs", "half"):
            if axis is None and places[1] == tuple(columns_of(layout, n)):
                self.layout, self._places = layout, {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._untrace()

    def _untrace(self) -> None:
        if self._reads_length and hasattr(torch, "compiler"):
            RotaryEmbedding._by_length = _untraced(RotaryEmbedding._by_length)  # type: ignore[method-assign]

    def __getattr__(self, name: str) -> Any:
        if name == "inv_freq":  # code of models may read it; no buffer, which a cast of the model would round
            return _constants(self._inv_freq, "float32", self._device).clone()
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "inv_freq":
            raise AttributeError("inv_freq is read-only; make another RotaryEmbedding")
        super().__setattr__(name, value)

    def of_length(self, length: int) -> RotaryFrequencies:
        """Returns the frequencies of a sequence, and the attention factor."""
        return _frequencies(self._head, self.base, self._json, length, self.max_position_embeddings)

    def forward(self, x: torch.Tensor, position_ids: torch.Tensor, layer_type: str | None = None) -> Any:
        """Returns cosines and sines of shape ``position_ids.shape + (columns,)``, or one complex tensor.

        Parameters
        ----------
        x
            A tensor with the device of the result and, for most models, its dtype. Its values are not read.
        position_ids
            Numbers, of any shape. If tokens have three positions, the shape is (3, batch, sequence); with any other
            number of axes, the three positions are equal.
        layer_type
            Ignored, since all layers share the frequencies. Some models give it.
        """
        check_type("x", x, torch.Tensor)
        check_type("position_ids", position_ids, torch.Tensor)
        if position_ids.is_complex():
            raise TypeError(f"position_ids have dtype {position_ids.dtype}; allowed: integers or real numbers")
        dtype = self.dtype or x.dtype
        if not dtype.is_floating_point or torch.finfo(dtype).bits < 16:
            raise TypeError(f"x has dtype {dtype}; allowed: float32, float64, bfloat16 and float16")
        positions = of_module("position_ids", position_ids.to(x.device))
        if self._reads_length:
            return self._by_length(positions, dtype)
        return self._values(positions, dtype, self._spec)

    def _by_number(self, positions: torch.Tensor) -> torch.Tensor:
        """Returns positions with the numbers of a token's position on a first axis."""
        if self.axis is None:
            return positions.unsqueeze(0)
        size = int(positions.shape[self.axis]) if positions.dim() else 0  # jit.trace has tensors of sizes
        if self.axis == 0 and (positions.dim() != 3 or size == 1):  # all numbers are equal
            positions = positions.unsqueeze(0) if positions.dim() != 3 else positions
            return positions.expand(max(self._places), *[-1] * (positions.dim() - 1))
        if size not in self._places:
            shapes = [f"({n}, batch, sequence)" if self.axis == 0 else f"(.., {n})" for n in self._places]
            raise ValueError(f"position_ids have shape {tuple(positions.shape)}; allowed: {' or '.join(shapes)}")
        return positions.movedim(self.axis, 0)

    def _by_length(self, positions: torch.Tensor, dtype: torch.dtype) -> Any:
        if torch.jit.is_tracing():
            raise RuntimeError(f"{_READS}; torch.jit.trace cannot trace it")
        most = self.max_position_embeddings
        assert most is not None  # rotary_frequencies requires it
        length = min(int(positions.nan_to_num().max()) + 1, MAX_POSITION) if positions.numel() else 0
        if length > self._longest or length < most:
            longest, old = max(length, most), self._spec
            spec = _spec(self.of_length(longest), None, 0)
            if self._longest > most:
                forget(old)
            self._longest, self._spec = longest, spec
        else:
            spec = self._spec
        return self._values(positions, dtype, spec)

    def _values(self, positions: torch.Tensor, dtype: torch.dtype, spec: str) -> Any:
        if self._places:  # one call, since the frequencies may depend on the length, which is the same for all numbers
            by_number = self._by_number(positions)
            places = _constants(self._places[int(by_number.shape[0])], "int64", by_number.device)
            each = [part.movedim(0, -2).flatten(-2) for part in cos_sin(by_number, spec, dtype)]
            cos, sin = (part.index_select(-1, places) for part in each)
        else:
            layout: Any = self.layout if self.layout in ("halves", "pairs") else None
            cos, sin = cos_sin(positions, spec, dtype, layout)
        return torch.complex(cos, sin) if self.layout == "complex" else (cos, sin)

    def _apply(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> RotaryEmbedding:
        super()._apply(fn, *args, **kwargs)
        # Makes the constants, since a later call may be in a CUDA graph, which cannot copy from the CPU.
        self._device = fn(constant([], "float32")).device
        for count in self._places or (1,):
            positions = constant([[[0] * count]], "int64", self._device)
            self._values(positions if self.axis == -1 else positions.transpose(0, 2), torch.float32, self._spec)
        return self

    def extra_repr(self) -> str:
        scaling = {key: value for key, value in json.loads(self._json).items() if not isinstance(value, list)}
        text = f"{self._head}, base={self.base:g}, scaling={scaling}, layout={self.layout!r}"
        text += "" if self.dtype is None else f", dtype={self.dtype}"
        return text if self.axis is None else f"{text}, numbers of a position={[*self._places]} on axis {self.axis}"


class RotaryEmbeddings(nn.Module):
    """A `RotaryEmbedding` for each type of layer, which each call names, as some modules of transformers have."""

    def __init__(self, per_type: Mapping[str, RotaryEmbedding]) -> None:
        super().__init__()
        self.per_type = nn.ModuleDict(per_type)

    def __getattr__(self, name: str) -> Any:
        """Answers to the names of frequencies and factors in transformers' modules, which code of models may read."""
        for field in ("inv_freq", "attention_scaling"):
            layer_type, modules = name[: -len(field) - 1], self.__dict__["_modules"].get("per_type", ())
            if name == f"{layer_type}_{field}" and layer_type in modules:
                return getattr(modules[layer_type], field)
        return super().__getattr__(name)

    def forward(self, x: torch.Tensor, position_ids: torch.Tensor, layer_type: str | None = None) -> Any:
        if layer_type not in self.per_type:
            raise ValueError(unknown("layer_type is", layer_type, self.per_type))
        return self.per_type[layer_type](x, position_ids)
