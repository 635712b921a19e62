"""Rows of a table for a tensor of positions. All functions and modules of posenc.torch come here, so all have one rule:

    call                                                                 who computes the rows
    eager, plain tensors on the CPU, no gradient or tangent wanted       C
    compiled for the CPU, no gradient or transform of torch.func, and    C, by the operator posenc::rows
        more than 8192 values, or a number that may change
    all others: other devices, gradients and tangents, vmap, meta,       the formula (_formula.py), on the device of
        few values in compiled code, torch.export, ONNX, jit.trace           the positions

Compiled code before PyTorch 2.8 always has the formula.

A *spec* is a text here: the arguments of a plan as JSON. torch.compile compares texts, and operators take them.
"""

from __future__ import annotations

import functools
import json
import operator
from typing import Any, NamedTuple, Sequence, SupportsIndex

import numpy as np
import torch
from torch.nn import functional

from .. import _positions
from .._arrays import fresh
from .._plan import DTYPES, MAX_POSITION, Plan, as_numbers, index, plan
from .._positions import Rows
from .._table import write
from ._calls import check_dense, constant_in_graphs, is_compiled, is_plain, joined, may_call_operator
from ._formula import FAR_TERMS, INTEGER_TERMS, REAL_TERMS, Terms, kept, numbers, of_integers, of_reals, rounded
from ._tensors import TORCH_DTYPES, as_array, as_int64, as_tensor, check_positions, exact_positions, of_array

#: Compiled code computes so many values, or fewer, by the formula: a call of the operator would take longer.
FEW_VALUES = 8192
_SymInt = getattr(torch, "SymInt", ())
_NAMES = {dtype: name for name, dtype in TORCH_DTYPES.items()}


class Specified(NamedTuple):
    """What a spec says, for rows of some dtype."""

    near: Plan
    far: Plan | None  #: the plan if a position is `far_from` or more, as with LongRoPE
    far_from: int
    factor: float  #: a factor for all values, such as YaRN's. The plans then have float64, and the products are rounded


@functools.lru_cache(maxsize=16)
def _specified(spec: str, dtype: str) -> Specified:
    said = json.loads(spec)
    far, factor = said.pop("far", None), said.pop("factor", 1.0)
    kind = {"dtype": dtype} if factor == 1 else {"dtype": "float64", "impl": "anchored"}
    far_from = 0 if far is None else far.pop("from")
    return Specified(plan(**said, **kind), far and plan(**{**said, **far}, **kind), far_from, factor)


def spec_of(d_model: SupportsIndex, **arguments: Any) -> str:
    """Returns a spec with these arguments of `posenc.table`, after a check. None means that one is not given.

    It may also have a `factor`, and a dictionary `far` of arguments for far positions and the first of these, `from`.
    """
    columns = operator.index(index("d_model", d_model, 1, 1 << 20))
    return _checked_spec(columns, **{name: constant_number(value) for name, value in arguments.items()})


@constant_in_graphs
def _checked_spec(d_model: int, **arguments: Any) -> str:
    for name in ("freqs", "freqs_low"):
        if arguments.get(name) is not None:
            arguments[name] = as_numbers(name, as_array(name, arguments[name])).tolist()
    said = {name: value for name, value in arguments.items() if value is not None}
    spec = json.dumps({"d_model": d_model, **said}, default=_as_float)
    _specified(spec, "float32")
    return spec


def _as_float(number: Any) -> float:
    if isinstance(number, torch.Tensor):  # in compiled code a number of NumPy is one, whose value may change
        raise TypeError(f"an argument is {number!r}; allowed: numbers of Python")
    return float(number)


def constant_number(number: Any) -> Any:
    """Returns an argument as a constant.

    torch.compile makes a number that changes symbolic. The two integers of a float's ratio are constants, and so is
    their quotient."""
    if not is_compiled() or isinstance(number, bool):
        return number
    if isinstance(number, (list, tuple)):
        return [constant_number(each) for each in number]
    if isinstance(number, int):
        return operator.index(number)
    if not isinstance(number, float) or number - number != 0:
        return number
    numerator, denominator = number.as_integer_ratio()
    return numerator / denominator


def is_by_c(count: Any, positions: Any, first: Any) -> bool:
    """Whether C computes the call of a function. If not, `rows` computes it for the tensor `positions_of`. Checks that
    positions are dense.

    C also computes rows by count in torch.export, ONNX and jit.trace: there they are constants, unless the count is
    the size of an input."""
    if isinstance(positions, torch.Tensor):
        check_dense("positions", positions)
        return is_plain(positions)
    traced = torch.Tensor if torch.jit.is_tracing() else ()
    return not (is_compiled() or isinstance(count, (_SymInt, traced)) or isinstance(first, (_SymInt, traced)))


def device_of(device: torch.device | str | None, positions: Any) -> torch.device:
    if device is not None:
        return torch.device(device)
    return positions.device if isinstance(positions, torch.Tensor) else torch.empty(0).device


def positions_of(count: Any, positions: Any, first: Any, device: torch.device | str | None) -> torch.Tensor:
    """Returns the positions of a call that C does not compute."""
    if (count is None) == (positions is None):
        raise TypeError("exactly one of count and positions must be given")
    if positions is None:
        return torch.arange(first, first + count, dtype=torch.int64, device=device_of(device, None))
    if first != 0:
        raise ValueError(f"first is {first}; allowed: 0, since positions are given")
    if isinstance(positions, (list, tuple, range)):
        positions = _as_constant(positions, device_of(device, None))
    elif not isinstance(positions, torch.Tensor):  # an array of NumPy, which torch.compile traces
        positions = torch.as_tensor(positions, device=device_of(device, None))
    check_positions("positions", positions)
    return positions


@constant_in_graphs
def _as_constant(positions: Sequence[Any], device: torch.device) -> torch.Tensor:
    array = _positions.at(positions)
    return as_tensor(array, array.dtype.name, device)


def refuse(**arguments: Any) -> None:
    """Refuses arguments that only C has."""
    for name, value in arguments.items():
        if value is not None:
            raise TypeError(f"{name} is given; allowed: None, except in eager calls on the CPU without gradients")


def rows(positions: torch.Tensor, spec: str, dtype: torch.dtype, apart: bool = False) -> torch.Tensor:
    """Returns a row for each position, of shape positions.shape + (d_model,), on the positions' device.

    With `apart`, returns the cosines and the sines along a new first axis. The spec then has layout="split" and
    order="cos_first"."""
    if is_plain(positions):
        return _by_c(positions, spec, dtype, apart)
    positions = exact_positions(positions)
    if may_call_operator(positions) and not _is_small(positions.numel() * _shape(spec)[0]):
        found = torch.ops.posenc.rows(positions, f"{_NAMES[dtype]} {spec}")
        return found.unflatten(-1, (2, -1)).movedim(-2, 0) if apart else found
    both = _by_formula(positions, spec, dtype)
    return both if apart else _arranged(both, spec)


def _is_small(values: Any) -> bool:
    """Whether there are few values, whatever sizes the inputs of the compiled code have."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true  # here, since the import takes a second

    return statically_known_true(values <= FEW_VALUES)


# ---- C


def _by_c(positions: torch.Tensor, spec: str, dtype: torch.dtype, apart: bool = False) -> torch.Tensor:
    """As `rows`."""
    said = _specified(spec, _NAMES[dtype])
    exact = positions.detach().double() if positions.is_floating_point() else as_int64(positions)
    at = _positions.aligned(exact.contiguous().numpy())
    p = said.far if said.far and at.size and at.max() >= said.far_from else said.near
    array, address = fresh((*at.shape, p.d_model), DTYPES[p.dtype])
    try:
        write(p, Rows(at.shape, 0, at), array, None, address)
    except ValueError:  # a position is beyond the greatest one, or not finite: its row is NaN, as on other devices
        both = _by_formula(exact_positions(positions), spec, dtype)
        return both if apart else _arranged(both, spec)
    if apart:
        axes = at.ndim, *range(at.ndim), at.ndim + 1
        array = array.reshape(*at.shape, 2, p.d_model // 2).transpose(axes)
    values = of_array(array, p.dtype)
    return values if said.factor == 1 else rounded(values * said.factor, dtype)


def _operator(positions: torch.Tensor, spec: str) -> torch.Tensor:
    """The operator: C, with a spec that begins with the dtype. (An argument for the dtype takes 8 us a call.)"""
    dtype, _, text = spec.partition(" ")
    return _by_c(positions, text, TORCH_DTYPES[dtype])


def _shape_of_operator(positions: torch.Tensor, spec: str) -> torch.Tensor:
    dtype, _, text = spec.partition(" ")
    return positions.new_empty((*positions.shape, json.loads(text)["d_model"]), dtype=TORCH_DTYPES[dtype])


if hasattr(torch.library, "register_fake"):  # since PyTorch 2.4
    _library = torch.library.Library("posenc", "FRAGMENT")  # the operator exists as long as this object
    _library.define("rows(Tensor positions, str spec) -> Tensor")
    _library.impl("rows", torch._disable_dynamo(_operator), "CPU")  # else torch.compile compiles it, too
    for _key in ("Autograd", "ADInplaceOrView"):  # it has no derivative
        _library.impl("rows", torch.library.fallthrough_kernel, _key)
    torch.library.register_fake("posenc::rows", _shape_of_operator)


# ---- The formula


@constant_in_graphs
def _shape(spec: str) -> tuple[int, bool, bool, float]:
    """Returns d_model, whether the layout is split, whether cosines come first, and the greatest position."""
    s = _specified(spec, "float32").near.spec()
    return s.d_model, bool(s.layout), bool(s.order), MAX_POSITION / max(1.0, abs(s.position_scale))


@constant_in_graphs
def _far_and_factor(spec: str) -> tuple[int, float]:
    """Returns the first far position or 0, and the factor."""
    said = _specified(spec, "float32")
    return said.far_from, said.factor


@functools.lru_cache(maxsize=64)
def _numbers(spec: str) -> dict[str, tuple[Any, str]]:
    said = _specified(spec, "float32")
    far = {f"far {name}": value for name, value in numbers(said.far).items()} if said.far else {}
    return {**numbers(said.near), **far, "factor": ([said.factor], "float64")}


@constant_in_graphs
def terms(spec: str, names: str, device: torch.device) -> Terms:
    """Returns the tensors with these names for the formula, or None for those that the device does not support."""
    return tuple(kept(spec, name, device, _numbers(spec)[name]) for name in names.split(", "))


def _by_formula(positions: torch.Tensor, spec: str, dtype: torch.dtype) -> torch.Tensor:
    """Returns cosines and sines along a new first axis."""
    far_from, factor = _far_and_factor(spec)
    is_real, device, most = positions.is_floating_point(), positions.device, _shape(spec)[-1]
    names = REAL_TERMS if is_real else INTEGER_TERMS
    own = terms(spec, names, device)
    if far_from and positions.numel() > 0:
        far = terms(spec, FAR_TERMS[names], device)
        is_far = positions.max() >= far_from  # torch.onnx has no amax of all axes
        chosen = [None if a is None else torch.where(is_far, b, a) for a, b in zip(own, far)]
        own = (*chosen, *own[len(chosen) :])
    at = positions[..., None]
    both = of_reals(at, own, most) if is_real else of_integers(at, own, int(most))
    if factor != 1:
        (exact_factor,) = terms(spec, "factor", device)  # a tensor, since torch.onnx rounds Python's numbers to float32
        both = both * (factor if exact_factor is None else exact_factor)
    return rounded(both, dtype)


def _arranged(both: torch.Tensor, spec: str) -> torch.Tensor:
    """Returns cosines and sines as rows."""
    d_model, is_split, cos_first, _ = _shape(spec)
    cos, sin = both.unbind()
    first, second = (cos, sin) if cos_first else (sin, cos)
    if is_split:
        columns = joined(torch.cat, (first, second[..., : d_model // 2]), -1)
    else:
        columns = joined(torch.stack, (first, second), -1).flatten(-2)[..., :d_model]
    return functional.pad(columns, (0, d_model - columns.shape[-1])) if columns.shape[-1] < d_model else columns
