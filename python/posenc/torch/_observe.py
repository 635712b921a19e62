"""Finds out what a rotary module returns, by calls of copies of it. The module itself is neither called nor changed.

The result of a rotary module has one or two columns for each frequency. On a first copy the frequencies are overwritten
with distinct numbers. At position 1 these are the angles, so they tell the frequency of each column. Then unchanged
copies are called at some hundred positions, and must return the cosines and sines of positions times their own
frequencies. No config is read, and no class is known by its name.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
from typing import Any, Iterable, Iterator, Tuple

import torch
from torch import nn

#: For each axis of positions that may have the numbers of a token's position: how many numbers are tried.
COUNTS = {0: (2, 3, 4), -1: (2, 3, 4), None: (1,)}
FAR = 1 << 17  # most of the compared positions are below it
Columns = Tuple[Tuple[int, int], ...]  #: for each column of a result, the index of its number and of its frequency


class _NotRotary(ValueError):
    """A module does not return what a rotary module does. The text says how it differs."""


@dataclasses.dataclass(frozen=True)
class Observed:
    """What a module returns for one type of layer, or for all of them (`layer_type` is then None)."""

    layer_type: str | None
    axis: int | None  #: the axis of positions that has the numbers of a token's position; None if there is one number
    has_batch: bool  #: whether positions have an axis for the batch
    columns: dict[int, Columns]  #: by how many numbers a token's position has
    is_complex: bool = False
    dtype: torch.dtype | None = None  #: of the result; None means that of x
    factor: float = 1.0  #: of all cosines and sines
    #: The length of the sequence in each call of a copy, and the copy's frequencies after the call.
    calls: tuple[tuple[int, torch.Tensor], ...] = ()

    @property
    def name(self) -> str:
        """The name of the buffer with the frequencies."""
        return "inv_freq" if self.layer_type is None else f"{self.layer_type}_inv_freq"

    def positions(self, numbers: torch.Tensor) -> torch.Tensor:
        """Returns positions for numbers of shape (numbers of a position, batch, length)."""
        each = numbers if self.has_batch else numbers[:, 0]
        return each[0] if self.axis is None else each.movedim(0, self.axis)


def observe(module: nn.Module, lengths: Iterable[int]) -> list[Observed]:
    """Returns an observation for each type of layer. A ValueError says why the module cannot be observed.

    lengths: those at which the frequencies may change. Positions on both sides of each are compared."""
    _check(module)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        return [_with_calls(module, _arrangement(module, layer_type), lengths) for layer_type in _layer_types(module)]


def _check(module: nn.Module) -> None:
    """Raises a ValueError if the module's attributes show that it cannot be observed."""
    if "forward" in vars(module):
        raise ValueError("its forward was replaced, as accelerate does")
    buffers = [name for name, _ in module.named_buffers()]
    for what, names in (
        ("parameters", [name for name, _ in module.named_parameters()]),
        ("modules", [name for name, _ in module.named_children()]),
        (
            "buffers other than inv_freq (posenc.torch.audit says how to replace a table)",
            [name for name in buffers if not name.endswith("inv_freq")],
        ),
    ):
        if names:
            raise ValueError(f"it has {what}: {', '.join(names)}")
    if not buffers:
        raise ValueError("it has no inv_freq")
    if any(buffer.is_meta for buffer in module.buffers()):
        raise ValueError("its frequencies are on the meta device; load the weights first")
    if any(buffer.requires_grad for buffer in module.buffers()):
        raise ValueError("its frequencies are trained")
    has_types = _layer_types(module) != [None]
    if has_types and "inv_freq" in buffers:
        raise ValueError("it has inv_freq beside the frequencies of layer types")
    parameters = [*inspect.signature(type(module).forward).parameters][1:]
    wanted = ["x", "position_ids", "layer_type"] if has_types else ["x", "position_ids"]
    if parameters not in (wanted, ["x", "position_ids", "layer_type"]):
        raise ValueError(f"its forward takes ({', '.join(parameters)}), not ({', '.join(wanted)})")


def _layer_types(module: nn.Module) -> list[str | None]:
    """Returns the types of layers that have their own frequencies, or [None] if all share them."""
    names = [name for name, _ in module.named_buffers() if not name.endswith("original_inv_freq")]
    return [*(name[: -len("_inv_freq")] for name in names if name != "inv_freq")] or [None]


def copied(module: nn.Module) -> nn.Module:
    """Returns a copy on the CPU. It has no hooks, since hooks may refer to the whole model."""
    hooks = [value for name, value in vars(module).items() if name.endswith("_hooks") or "_hooks_" in name]
    return copy.deepcopy(module, {id(value): type(value)() for value in hooks}).cpu()


def _call(module: nn.Module, observed: Observed, positions: torch.Tensor, dtype: torch.dtype = torch.float32) -> Any:
    """Returns cosines, sines, and whether they were one complex tensor. The values of x differ in each call."""
    tokens = positions.shape if observed.axis is None else positions.select(observed.axis, 0).shape
    x = torch.randn(*tokens, 4).to(dtype)
    result = type(module).forward(module, x, positions, *([] if observed.layer_type is None else [observed.layer_type]))
    is_complex = isinstance(result, torch.Tensor) and result.is_complex()
    parts = [result.real, result.imag] if is_complex else [*result] if isinstance(result, (tuple, list)) else [result]
    if len(parts) != 2 or not all(isinstance(part, torch.Tensor) and part.is_floating_point() for part in parts):
        raise _NotRotary("it returns neither cosines and sines nor a complex tensor")
    if parts[0].shape[:-1] != tokens or parts[1].shape != parts[0].shape:
        shapes = " and ".join(str(tuple(part.shape)) for part in parts)
        raise _NotRotary(f"it returns the shapes {shapes} for positions of shape {tuple(positions.shape)}")
    return parts[0], parts[1], is_complex


def _arrangement(module: nn.Module, layer_type: str | None) -> Observed:
    """Finds the shape of positions, and the frequency and the number of each column.

    If tokens may have several numbers, all of these must matter."""
    problems = []
    for is_written in (True, False):  # False, since some modules compute their frequencies in each call
        for axis, counts in COUNTS.items():
            for has_batch in (True,) if axis == 0 else (True, False):
                observed = Observed(layer_type, axis, has_batch, {})
                for count in counts:
                    try:
                        observed = _with_columns(module, observed, count, is_written)
                    except Exception as error:  # any type: the class takes at most one of these shapes
                        has_failed = not isinstance(error, _NotRotary)
                        text = f"it cannot be called: {type(error).__name__}: {error}" if has_failed else str(error)
                        problems.append((has_failed, axis is not None, len(problems), text))
                if observed.columns:
                    return observed
    # Reports a wrong result rather than a failed call, and the usual shape of positions rather than another one.
    raise ValueError(min(problems)[-1])


def _with_columns(module: nn.Module, observed: Observed, count: int, is_written: bool) -> Observed:
    """Adds the columns for positions of `count` numbers, as calls at 0 and 1 show them, or raises _NotRotary."""
    frequencies = getattr(module, observed.name)
    w = frequencies.detach().cpu().double().flatten()
    if is_written:
        w = torch.linspace(0.1, 2.9, len(w), dtype=torch.float64).float().double()

    def call(numbers: torch.Tensor, dtype: torch.dtype = torch.float32) -> Any:
        clone = copied(module).float()
        for name in (observed.name, observed.name.replace("inv_freq", "original_inv_freq")) if is_written else ():
            if getattr(clone, name, None) is not None:
                setattr(clone, name, w.float().reshape(frequencies.shape))
        return _call(clone, observed, observed.positions(numbers), dtype)

    start = torch.zeros((count, 1, 1), dtype=torch.int64)
    cos, sin, is_complex = call(start)
    factor = float(cos.flatten()[0])
    if not (factor > 0 and bool((cos == factor).all()) and not bool(sin.any())):
        raise _NotRotary("at position 0 it does not return equal cosines, and sines that are 0")
    cos, sin, _ = call(start + 1)
    off = (torch.atan2(sin.double(), cos.double()).reshape(-1, 1) - w).abs()
    indices = off.argmin(1)
    if bool((off.amin(1) > 2.0**-18 * w[indices]).any()):
        raise _NotRotary("at position 1 its angles are not its frequencies")
    each = [start.index_fill(0, torch.tensor(i), 1) for i in range(count)]
    moved = torch.stack([call(numbers)[1].flatten() != 0 for numbers in each]).long()  # the columns that a number moves
    if not bool(moved.any(1).all()) or bool((moved.sum(0) != (w[indices] != 0)).any()):
        raise _NotRotary("its columns do not depend on one number of a position each")
    dtype = call(start, torch.bfloat16)[0].dtype
    if cos.dtype != torch.float32 or dtype not in (torch.bfloat16, torch.float32):
        raise _NotRotary(f"it returns {cos.dtype} for float32, and {dtype} for bfloat16")
    columns = tuple(zip(moved.argmax(0).tolist(), indices.tolist()))
    return dataclasses.replace(
        observed, columns={**observed.columns, count: columns}, is_complex=is_complex, factor=factor,
        dtype=None if dtype == torch.bfloat16 else dtype,
    )  # fmt: skip


def _positions(lengths: Iterable[int]) -> Iterator[torch.Tensor]:
    yield torch.arange(256)
    yield torch.randperm(FAR, generator=torch.Generator().manual_seed(1))[:200]
    for length in lengths:
        yield torch.tensor([0, length - 1])  # the greatest position of a sequence of this length
        yield torch.tensor([length, 1])


def _with_calls(module: nn.Module, observed: Observed, lengths: Iterable[int]) -> Observed:
    """Compares calls of unchanged copies with the formula, and adds the frequencies of each call."""
    calls = []
    cases = itertools.product(_positions(lengths), observed.columns, (1, 3) if observed.has_batch else (1,))
    for positions, count, batch in cases:
        rows = torch.stack([positions.roll(row) for row in range(batch)])
        numbers = torch.stack([rows.roll(7 * i, -1) for i in range(count)])
        for is_training, dtype in itertools.product((False, True), (torch.float32, torch.bfloat16)):
            clone = copied(module).train(is_training)
            # The first call may change the copy. It is short, since a long sequence may have changed the module before.
            for called in (numbers[..., :1] * 0, numbers):
                w = _compare(clone, observed, observed.positions(called), called, dtype)
            calls.append((int(positions.max()) + 1, w))
        if observed.axis == 0:  # it may also take one number for each token; then all numbers are equal
            single = dataclasses.replace(observed, axis=None)
            try:
                _call(copied(module), single, rows)
            except Exception:  # it does not
                continue
            _compare(copied(module), single, rows, rows.expand(count, -1, -1), torch.float32)
    return dataclasses.replace(observed, calls=tuple(calls))


def _compare(
    module: nn.Module, observed: Observed, positions: torch.Tensor, numbers: torch.Tensor, dtype: torch.dtype
) -> torch.Tensor:
    """Compares one call with the formula for these numbers, and returns the module's frequencies after it."""
    of_number, of_frequency = (torch.tensor(indices) for indices in zip(*observed.columns[len(numbers)]))
    cos, sin, _ = _call(module, observed, positions, dtype)
    w = getattr(module, observed.name).detach().double().flatten()
    angles = numbers[of_number].movedim(0, -1) * w[of_frequency]
    # Rounding errors of the angle, of the function, and of the result
    bound = ((angles.abs() + 1) * 2.0**-21 + torch.finfo(cos.dtype).eps) * max(1.0, observed.factor)
    for values, want in ((cos, angles.cos()), (sin, angles.sin())):
        excess = ((values.double().reshape(want.shape) - observed.factor * want).abs() - bound).amax(-1)
        if not bool((excess <= 0).all()):
            position = int(numbers[0].flatten()[excess.argmax()])
            raise ValueError(f"at position {position} it does not return the values of its frequencies")
    return w
