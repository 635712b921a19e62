"""Rows of a table for a tensor of positions. All functions and modules of posenc.torch use this file. One rule decides
who computes the rows:

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

from .. import _arrays, _pair
from .._arrays import Rows
from .._library import library
from .._plan import DTYPES, MAX_POSITION, Duplicated, Plan, as_numbers, index, plan
from .._table import filled
from ._calls import check_dense, constant_in_graphs, is_compiled, is_plain, joined, may_call_operator
from ._formula import (
    FAR_TERMS,
    INTEGER_TERMS,
    REAL_TERMS,
    Terms,
    frequency_arrays,
    kept,
    of_integers,
    of_reals,
    rounded,
)
from ._tensors import TORCH_DTYPES, as_array, as_int64, as_tensor, check_positions, exact_positions

_SymInt = getattr(torch, "SymInt", ())
_NAMES = {dtype: name for name, dtype in TORCH_DTYPES.items()}


class Plans(NamedTuple):
    """The plans for a spec and a dtype."""

    near: Plan
    far: Plan | None  #: the plan if a position is `far_from` or more, as with LongRoPE
    far_from: int
    factor: float  #: a factor for all values, such as YaRN's. The plans then have float64, and the products are rounded
    d_model: int
    is_split: bool  #: whether the layout is "split"
    cos_first: bool
    most: float  #: the greatest position


@functools.lru_cache(maxsize=16)
def _plans(spec: str, dtype: str) -> Plans:
    arguments = json.loads(spec)
    far, factor = arguments.pop("far", None), arguments.pop("factor", 1.0)
    computed = {"dtype": dtype} if factor == 1 else {"dtype": "float64", "impl": "anchored"}
    far_from = 0 if far is None else far.pop("from")
    near = plan(**arguments, **computed)
    s = near.spec()
    return Plans(
        near, far and plan(**{**arguments, **far}, **computed), far_from, factor, s.d_model, bool(s.layout), bool(s.order),
        MAX_POSITION / max(1.0, abs(s.position_scale)),
    )  # fmt: skip


def numbers_of(name: str, values: Any) -> tuple[float, ...] | None:
    """Returns frequencies as Python's numbers, with which a module can be copied and pickled."""
    values = values.detach() if isinstance(values, torch.Tensor) else values
    return None if values is None else tuple(as_numbers(name, as_array(name, values)).tolist())


def spec_of(d_model: SupportsIndex, **arguments: Any) -> str:
    """Returns a spec with these arguments of `posenc.table`, after a check. None means that one is not given.

    It may also have a `factor`, and a dictionary `far` of arguments for far positions and the first of these, `from`.
    """
    columns = operator.index(index("d_model", d_model, 1, 1 << 20))
    return _checked_spec(columns, **{name: constant_number(value) for name, value in arguments.items()})


@constant_in_graphs
def _checked_spec(d_model: int, **arguments: Any) -> str:
    for name in ("freqs", "freqs_low"):
        arguments[name] = numbers_of(name, arguments.get(name))
    arguments = {name: value for name, value in arguments.items() if value is not None}
    spec = json.dumps({"d_model": d_model, **arguments}, default=_as_float)
    _plans(spec, "float32")
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
    """Whether C computes the call of a function. If not, `rows` computes it for the tensor that `positions_of` returns.

    Checks that positions are dense. In torch.export, ONNX and jit.trace, C computes rows by count too: they are
    constants there, unless the count is the size of an input."""
    if isinstance(positions, torch.Tensor):
        check_dense("positions", positions)
        return is_plain(positions)
    traced = torch.Tensor if torch.jit.is_tracing() else ()
    return not (is_compiled() or isinstance(count, (_SymInt, traced)) or isinstance(first, (_SymInt, traced)))


def device_of(device: torch.device | str | None, positions: Any) -> torch.device:
    if device is not None:
        return torch.device(device)
    return positions.device if isinstance(positions, torch.Tensor) else torch.empty(0).device


def positions_of(count: Any, positions: Any, first: Any, device: torch.device) -> torch.Tensor:
    """Returns the positions of a call that C does not compute. Those that are no tensor become one on `device`."""
    _arrays.check_one(count, positions, first)
    if positions is None:
        return torch.arange(first, first + count, dtype=torch.int64, device=device)
    if isinstance(positions, (list, tuple, range)):
        positions = _as_constant(positions, device)
    elif not isinstance(positions, torch.Tensor):  # an array of NumPy, which torch.compile traces
        positions = torch.as_tensor(positions, device=device)
    check_positions("positions", positions)
    return positions


@constant_in_graphs
def _as_constant(positions: Sequence[Any], device: torch.device) -> torch.Tensor:
    array = _arrays.at(positions)
    return as_tensor(array, array.dtype.name, device)


def refuse(**arguments: Any) -> None:
    """Refuses arguments that only C has."""
    for name, value in arguments.items():
        if value is not None:
            raise TypeError(f"{name} is given; allowed: None, except in eager calls on the CPU without gradients")


def rows(positions: torch.Tensor, spec: str, dtype: torch.dtype) -> torch.Tensor:
    """Returns a row for each position, of shape positions.shape + (d_model,), on the positions' device."""
    if is_plain(positions):
        array = _by_c(positions, spec, dtype)
        if array is not None:
            return _finished(array, spec, dtype)
    positions = exact_positions(positions)  # in compiled code this makes a constant a tensor of the graph
    if may_call_operator(positions, _constant(spec, "d_model")):
        return _by_operator(positions, spec, dtype)
    return _arranged(_by_formula(positions, spec, dtype), spec)


def cos_sin(
    positions: torch.Tensor, spec: str, dtype: torch.dtype, duplicated: Duplicated | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the cosines and the sines of `rows`, each frequency once or twice, as `duplicated` in `posenc.pair`.

    The spec has layout="split" and order="cos_first"."""
    if is_plain(positions):
        array = _by_c(positions, spec, dtype)
        if array is not None:
            n = array.shape[-1] // 2
            cos, sin = (_pair.duplicated_columns(half, duplicated) for half in (array[..., :n], array[..., n:]))
            return _finished(cos, spec, dtype), _finished(sin, spec, dtype)
    positions = exact_positions(positions)
    if may_call_operator(positions, _constant(spec, "d_model")):
        both = _by_operator(positions, spec, dtype).chunk(2, -1)
    else:
        both = _by_formula(positions, spec, dtype).unbind()
    return duplicated_columns(both[0], duplicated), duplicated_columns(both[1], duplicated)


def duplicated_columns(columns: torch.Tensor, duplicated: Duplicated | None) -> torch.Tensor:
    if duplicated == "halves":
        return joined(torch.cat, (columns, columns), -1)
    if duplicated == "pairs":
        return joined(torch.stack, (columns, columns), -1).flatten(-2)
    return columns.contiguous()


# ---- C


def _by_c(positions: torch.Tensor, spec: str, dtype: torch.dtype) -> np.ndarray | None:
    """Returns C's rows without the spec's factor, or None if a position is beyond the greatest one, or not finite."""
    near, far, far_from, *_ = _plans(spec, _NAMES[dtype])
    is_real = positions.is_floating_point()
    at = (positions.detach().double() if is_real else as_int64(positions)).contiguous()
    if at.data_ptr() % 8:  # C cannot read unaligned positions
        at = at.clone()
    p = far if far and at.numel() and at.max() >= far_from else near
    fill = library.posenc_fill_at_real if is_real else library.posenc_fill_at
    try:
        return filled(p, Rows(at.shape, at.data_ptr(), at, fill), DTYPES[p.dtype], None, None)
    except ValueError:
        return None


def _finished(array: np.ndarray, spec: str, dtype: torch.dtype) -> torch.Tensor:
    """Returns values of `_by_c` as a tensor, times the spec's factor."""
    plans = _plans(spec, _NAMES[dtype])
    values = as_tensor(array, plans.near.dtype)
    return values if plans.factor == 1 else rounded(values * plans.factor, dtype)


def _by_operator(positions: torch.Tensor, spec: str, dtype: torch.dtype) -> torch.Tensor:
    return torch.ops.posenc.rows(positions, f"{_NAMES[dtype]} {spec}")


def _operator(positions: torch.Tensor, spec: str) -> torch.Tensor:
    """The operator: C, with a spec that begins with the dtype. (An argument for the dtype takes 8 us a call.)"""
    dtype, _, text = spec.partition(" ")
    return rows(positions, text, TORCH_DTYPES[dtype])


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
def _constant(spec: str, field: str) -> Any:
    """Returns a field of `Plans`, which is a constant in compiled code."""
    return getattr(_plans(spec, "float32"), field)


@functools.lru_cache(maxsize=64)
def _numbers(spec: str) -> dict[str, tuple[Any, str]]:
    near, far, _, factor, *_ = _plans(spec, "float32")
    of_far = {f"far {name}": value for name, value in frequency_arrays(far).items()} if far else {}
    return {**frequency_arrays(near), **of_far, "factor": ([factor], "float64")}


@constant_in_graphs
def terms(spec: str, names: str, device: torch.device) -> Terms:
    """Returns the tensors with these names for the formula, or None for those that the device does not support."""
    return tuple(kept(spec, name, device, _numbers(spec)[name]) for name in names.split(", "))


def _by_formula(positions: torch.Tensor, spec: str, dtype: torch.dtype) -> torch.Tensor:
    """Returns cosines and sines along a new first axis."""
    far_from, factor, most = (_constant(spec, field) for field in ("far_from", "factor", "most"))
    is_real, device = positions.is_floating_point(), positions.device
    names = REAL_TERMS if is_real else INTEGER_TERMS
    used = terms(spec, names, device)
    if far_from and positions.numel() > 0:
        far = terms(spec, FAR_TERMS[names], device)
        is_far = positions.max() >= far_from  # torch.onnx has no amax of all axes
        chosen = [None if a is None else torch.where(is_far, b, a) for a, b in zip(used, far)]
        used = (*chosen, *used[len(chosen) :])
    at = positions[..., None]
    both = of_reals(at, used, most) if is_real else of_integers(at, used, int(most))
    if factor != 1:
        (exact_factor,) = terms(spec, "factor", device)  # a tensor, since torch.onnx rounds Python's numbers to float32
        both = both * (factor if exact_factor is None else exact_factor)
    return rounded(both, dtype)


def _arranged(both: torch.Tensor, spec: str) -> torch.Tensor:
    """Returns cosines and sines as rows."""
    d_model = _constant(spec, "d_model")
    cos, sin = both.unbind()
    first, second = (cos, sin) if _constant(spec, "cos_first") else (sin, cos)
    if _constant(spec, "is_split"):
        columns = joined(torch.cat, (first, second[..., : d_model // 2]), -1)
    else:
        columns = joined(torch.stack, (first, second), -1).flatten(-2)[..., :d_model]
    return functional.pad(columns, (0, d_model - columns.shape[-1])) if columns.shape[-1] < d_model else columns
