"""Finds the exact frequencies of a rotary module, and makes the module of posenc that takes its place."""

from __future__ import annotations

import itertools
import numbers
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from .._audit import base_of_frequencies
from .._plan import name_of
from .._rotary import known_keys, rotary_frequencies
from ._calls import HALF_PRECISION, check_type
from ._diffusers import counterpart, like
from ._observe import Observed, observe
from ._rotary_embedding import RotaryEmbedding, RotaryEmbeddings

Array = npt.NDArray[Any]
_LENGTHS = "max_position_embeddings", "original_max_position_embeddings"


def rotary_like(module: nn.Module) -> nn.Module:
    """Returns a module that takes the place of a rotary module, such as those of transformers.

        >>> model.model.rotary_emb = posenc.torch.rotary_like(model.model.rotary_emb)

    It calls copies of the module, and finds which cosines and sines they return. The new module has the same layout,
    dtype, positions and attention factor. Its frequencies are the exact ones, of which the module's are roundings to
    float32, to 16 bits, or in 16 bits: those of the scaling in the module's config, or else of a base that gives all bits
    of frequencies in float32 or float64.

    The copies are called at some hundred positions, in training and evaluation mode, with x of two dtypes, in two
    sizes of batches. If the module returns anything else elsewhere, that is not noticed.

    Raises
    ------
    ValueError
        The module cannot be replaced. The message says why.
    """
    check_type("module", module, nn.Module)
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        if torch.empty(0).is_cpu or not hasattr(torch, "set_default_device"):
            return _like(module)
        with torch.device("cpu"):
            return _like(module)
    except ValueError:
        raise
    except Exception as error:  # a class may raise any
        raise ValueError(f"it could not be tried: {type(error).__name__}: {error}") from error
    finally:
        torch.set_default_dtype(default)


def _like(module: nn.Module) -> nn.Module:
    if torch.empty(0).is_meta:  # functions of PyTorch were replaced, as accelerate does
        raise ValueError("new tensors are on the meta device; call posenc outside of that context")
    cls = counterpart(module)
    if cls is not None:
        return like(module, cls)
    ours = {observed.layer_type: _rotary(module, observed) for observed in observe(module, _lengths(module))}
    return ours[None] if None in ours else RotaryEmbeddings({str(name): rotary for name, rotary in ours.items()})


class Parameters(NamedTuple):
    """The arguments of `rotary_frequencies` after head_dim, which is twice the number of frequencies."""

    base: float
    scaling: dict[str, Any]
    max_position_embeddings: int | None


def _scalings(module: nn.Module) -> list[Mapping[str, Any]]:
    """Returns the scalings in the module's config: rope_parameters (transformers 5) and rope_scaling (earlier)."""
    config = getattr(module, "config", None)
    values = [getattr(config, name, None) for name in ("rope_parameters", "rope_scaling")]
    return [value for value in values if isinstance(value, Mapping)]


def _lengths(module: nn.Module) -> list[int]:
    """Returns the lengths in the module's config, where dynamic and longrope change the frequencies."""
    config, mappings = getattr(module, "config", None), _scalings(module)
    mappings += [value for mapping in mappings for value in mapping.values() if isinstance(value, Mapping)]
    values = [getattr(config, name, None) for name in _LENGTHS]
    values += [mapping.get(name) for mapping in mappings for name in _LENGTHS]
    return sorted({value for value in values if isinstance(value, int) and 1 < value < 1 << 24})


def _candidates(module: nn.Module, observed: Observed, w: Array) -> Iterator[Parameters]:
    """Yields the parameters that the config may mean, and those of a base that gives all bits of the frequencies.

    Releases of transformers read the keys of a config in different ways. Calls of the module show the right one."""
    config = getattr(module, "config", None)
    fields = {name: value for name, value in getattr(config, "__dict__", {}).items() if isinstance(value, numbers.Real)}
    scalings = [mapping.get(observed.layer_type, mapping) for mapping in _scalings(module)]
    bases = [value for name, value in fields.items() if "theta" in name or "base" in name]
    for mapping in [*scalings, {}] if config is not None else ():
        scaling, _ = known_keys(mapping if isinstance(mapping, Mapping) else {})
        scaling = {key: value for key, value in scaling.items() if not key.startswith("mrope")}  # columns are observed
        theta, partial = scaling.pop("rope_theta", None), scaling.pop("partial_rotary_factor", None)
        if "proportional" in (scaling.get("rope_type"), scaling.get("type")):
            scaling["partial_rotary_factor"] = fields.get("partial_rotary_factor") if partial is None else partial
        originals = [scaling.pop(_LENGTHS[1], None), fields.get(_LENGTHS[1]), None]
        for base, original in itertools.product([theta, *bases, 10000.0], originals):
            if base is not None:
                more = {} if original is None else {_LENGTHS[1]: original}
                yield Parameters(float(base), {**scaling, **more}, fields.get(_LENGTHS[0]))
    base = base_of_frequencies(-np.sort(-w), name_of(getattr(module, observed.name).dtype))
    if base is not None and not base.is_about and not _possible_roundings(module, observed, w):
        yield Parameters(base.value, {}, None)


def _possible_roundings(module: nn.Module, observed: Observed, w: Array) -> list[torch.dtype]:
    """Returns the types of 16 bits to which the frequencies may have been rounded."""
    dtype, values = getattr(module, observed.name).dtype, torch.from_numpy(w)
    if dtype in HALF_PRECISION:
        return [dtype]
    # They may have been converted back. A few numbers, such as powers of two, have 16 bits by chance.
    return [half for half in HALF_PRECISION if len(w) > 4 and torch.equal(values, values.to(half).double())]


def _order(w: Array, right: Array, rounded_to: Sequence[torch.dtype]) -> Array | None:
    """Returns for each frequency in w the index in `right` of the one that was rounded to it; None if one has none."""
    falling = np.empty(len(w), int)
    falling[np.argsort(-w, kind="stable")] = np.arange(len(w))  # the same frequencies, which do not fall in w
    for order in (np.arange(len(w)), falling):
        exact = right[order]
        least, most = exact * (1 - 2.0**-20), exact * (1 + 2.0**-20)  # float32 powers
        if not rounded_to and ((least <= w) & (w <= most)).all():
            return order
        for dtype in rounded_to:
            ends = [torch.from_numpy(end).to(dtype).double().numpy() for end in (least, most)]
            if ((ends[0] <= w) & (w <= ends[1])).all():
                return order
    return None


def _parameters_of(
    module: nn.Module, observed: Observed, calls: Mapping[int, Array], rounded_to: Sequence[torch.dtype]
) -> tuple[Parameters, Array] | str:
    """Returns the parameters and the order that explain the frequencies of all calls, or why there are none.

    rounded_to: the types of 16 bits to which the frequencies may have been rounded."""
    some = next(iter(calls.values()))
    problem = "its frequencies are not those of its config, and no base gives them"
    if getattr(module, "config", None) is None:
        problem = "it has no config, and no base gives its frequencies"
        problem = "it has no config, and 16 bits do not tell its exact frequencies" if rounded_to else problem
    for candidate in _candidates(module, observed, some):
        order = None
        for length, w in calls.items():
            try:
                r = rotary_frequencies(2 * len(w), length=length, **candidate._asdict())
            except (ValueError, TypeError):
                break
            order = _order(w, r.freqs, rounded_to) if order is None else order
            if order is None or not np.array_equal(order, _order(w, r.freqs, rounded_to)):
                break
            if abs(observed.factor - r.attention_factor) > 2.0**-20 * r.attention_factor:
                problem = f"its cosines have the factor {observed.factor:g}; its scaling gives {r.attention_factor:g}"
                break
        else:
            return candidate, order
    return problem


class _Conversion(TorchFunctionMode):
    """Converts new tensors to a dtype, as DeepSpeed's zero.Init does."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        is_new = function in (torch.tensor, torch.empty, torch.zeros, torch.ones, torch.full, torch.arange)
        return result.to(self.dtype) if is_new and result.is_floating_point() else result


def _before_zero_init(module: nn.Module, observed: Observed, w: Array) -> Array | None:
    """Returns the float32 frequencies of a new instance, if w are those of one that was made in DeepSpeed's zero.Init.

    They have the errors of a computation in 16 bits."""
    try:
        exact: Array = getattr(type(module)(module.config), observed.name).double().numpy()
        for dtype in HALF_PRECISION:
            with _Conversion(dtype):
                made = getattr(type(module)(module.config), observed.name).double().numpy()
            if (abs(w - made) <= made * 2.0**-8 + 2.0**-24).all():
                return exact
    except Exception:  # a class may raise any
        pass
    return None


def _rotary(module: nn.Module, observed: Observed) -> RotaryEmbedding:
    """Returns the module of posenc for one type of layer."""
    calls = {length: w.numpy() for length, w in observed.calls}
    w = next(iter(calls.values()))
    rounded_to = _possible_roundings(module, observed, w)
    explained = _parameters_of(module, observed, calls, rounded_to)
    if isinstance(explained, str) and rounded_to and getattr(module, "config", None) is not None:
        before = _before_zero_init(module, observed, w)
        if before is not None:
            explained = _parameters_of(module, observed, dict.fromkeys(calls, before), [])
    if isinstance(explained, str):
        raise ValueError(explained)
    parameters, order = explained
    layout: Any = "complex" if observed.is_complex else "halves"
    ours = RotaryEmbedding(2 * len(order), **parameters._asdict(), layout=layout, dtype=observed.dtype)
    ours.arrange(observed.axis, observed.columns, order.tolist())
    return ours
