"""Finds sinusoidal and rotary tables in a model, with their presets, errors and replacements."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from .._audit import WRONG, Base, base_of_frequencies, float32_frequencies, is_shape, errors, may_be_table
from .._identify import Table, distance, identify
from .._plan import name_of
from .._rotary import rotary_frequencies
from ._calls import check_type
from ._replace import ITSELF, replacement
from ._rotary_embedding import RotaryEmbedding, RotaryEmbeddings


class AuditFinding(NamedTuple):
    """The result of `audit` for one tensor of a model."""

    name: str  #: the name of the buffer, parameter or attribute
    recipe: str  #: its presets, base and first position, or the frequencies' kind and base; empty if it was not audited
    error: float  #: the largest |difference| from the correctly rounded values; NaN if the tensor was not audited
    position: int  #: the position of the largest difference
    column: int  #: its column
    replacement: str  #: a line of Python that replaces the tensor in `model`; empty if nothing differs, or with a note
    note: str = ""  #: why there is no such line, or why the tensor was not audited
    #: For frequencies, numbers of positions, and the largest errors of cosines and sines below them. The last is `error`.
    below: tuple[tuple[int, float], ...] = ()

    def __str__(self) -> str:
        if not self.recipe:
            return f"{self.name}: {self.note}"
        if not self.error:
            return f"{self.name}: {self.recipe}: all bits right"
        if self.below:
            off = ", ".join(f"{error:.2g} below position {count:,}" for count, error in self.below)
        else:
            off = f"{self.error:.2g}"
        after = f"instead: {self.replacement}" if self.replacement else self.note
        verdict = "wrong" if self.error > WRONG else "right for most uses"
        place = f"at position {self.position}, column {self.column}"
        return f"{self.name}: {self.recipe}: {verdict}, off by up to {off}, {place}; {after}"


def audit(model: nn.Module) -> list[AuditFinding]:
    """Returns a finding for each position table in a model, with its preset, its largest error and a replacement.

        >>> print(*posenc.torch.audit(model), sep="\\n")

    It searches the buffers, the parameters (such as those of `torch.nn.Embedding`), and tensors that are attributes of
    modules, such as Llama's freqs_cis. It prints nothing and does not change the model. It may change PyTorch's default
    dtype while it runs, and restores it.

    - It finds tables with a row for each of consecutive positions, and the formula of any preset with any base.
    - It finds two tables of only cosines and only sines if their names differ just in "cos" and "sin".
    - Some rotary embeddings have only their frequencies: `inv_freq`, or one such buffer for each type of layer. The
      finding then describes the cosines and sines that float32 arithmetic computes from them, below the positions 512,
      2,048 and the max_position_embeddings of the module's config, or 131,072. Above 2^20 positions, these are the first
      and the last 2^19. Where positions are rows and columns of patches, on their last axis, only those below 512 and
      2,048 are compared. The replacement is `replace_rotary`, if that can replace the module.
    - Frequencies of other modules are described if they have a base. If it is only known to be "about" a number, the error
      is the difference from the values of that number.

    Some tensors cannot be audited, such as sparse ones. Their findings have an empty recipe, and a note with the error.
    Tensors without values, on the meta device or uninitialized, are skipped.
    """
    check_type("model", model, nn.Module)
    findings = []
    replacements: dict[nn.Module, nn.Module | str] = {}
    for path, module in model.named_modules():
        for leaf, value in [*module._buffers.items(), *module._parameters.items(), *vars(module).items()]:
            if not isinstance(value, torch.Tensor) or nn.parameter.is_lazy(value):
                continue
            try:
                fields: tuple[Any, ...] | None = None
                if not value.is_meta and value.numel() and leaf.endswith("inv_freq") and value.dim() == 1:
                    if not leaf.endswith("original_inv_freq") and module not in replacements:
                        replacements[module] = replacement(module)
                    fields = _frequencies(path, module, leaf, value.detach(), replacements.get(module, ""))
                elif not value.is_meta and value.numel():
                    fields = _table(path, module, leaf, value.detach())
            except Exception as error:  # each layout and subclass of tensors lacks different operations
                why = f"not audited: {type(error).__name__}: {str(error).partition(chr(10))[0]}"
                fields = "", math.nan, 0, 0, "", why
            if fields:
                findings.append(AuditFinding(f"{path}.{leaf}".lstrip("."), *fields))
    return findings


def _rows(module: nn.Module, leaf: str, tensor: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    """Returns the rows in a preset's layout, the function that computes them, and the matching part of its result."""
    rows = tensor.reshape(-1, tensor.shape[-1]).cpu()
    if rows.is_complex():
        return torch.cat((rows.real, rows.imag), -1), "cis", ""
    for part, other in (("cos", "sin"), ("sin", "cos")):
        partner = getattr(module, leaf.replace(part, other), None) if part in leaf else None
        if isinstance(partner, torch.Tensor) and partner.shape == tensor.shape:
            n, both = rows.shape[1] // 2, torch.stack((rows, partner.detach().reshape(rows.shape).cpu()))
            halves, pairs = torch.equal(rows[:, :n], rows[:, n:]), torch.equal(rows[:, ::2], rows[:, 1::2])
            argument = ", duplicated='halves'" if halves else ", duplicated='pairs'" if pairs else ""
            both = both[..., :n] if halves else both[..., ::2] if pairs else both
            return torch.cat([*both][:: 1 if part == "cos" else -1], -1), "pair", f"{argument}).{part}"
    return rows, "table", ""


def _table(path: str, module: nn.Module, leaf: str, tensor: torch.Tensor) -> tuple[Any, ...] | None:
    if not is_shape(tensor.shape) or not (tensor.is_floating_point() or tensor.is_complex()):
        return None
    rows, function, part = _rows(module, leaf, tensor)
    x = rows.view(torch.int16).numpy().view(np.uint16) if rows.dtype == torch.bfloat16 else rows.numpy()
    if not may_be_table(x):
        return None
    t = Table(x)
    match = identify(t)
    if isinstance(match, str):
        return None
    _, error, row, column = distance(t, match.spec, t.stored)
    there = (f"model.get_submodule({path!r})" if path else "model") + f".{leaf}.data"
    exact = f"posenc.torch.{function}({t.arguments(match.spec, t.stored)}{part or ')'}.reshape({tuple(tensor.shape)})"
    line = f"{there}.copy_({exact})" + f"; {there}[{t.padding}] = 0" * (t.padding >= 0)
    base, first = match.spec.get("base", "unknown"), match.spec["first"]
    recipe = f"{', '.join(match.presets)}, base {base}, first {first}"
    return recipe, error, first + row, column, line if error else ""


def _frequencies(
    path: str, module: nn.Module, leaf: str, tensor: torch.Tensor, new: nn.Module | str
) -> tuple[Any, ...] | None:
    """Audits the frequencies of a rotary embedding, by cosines and sines of their float32 products with positions.

    new: the module of posenc that can take the module's place, or the reason why there is none."""
    w = tensor.cpu().float().numpy()
    if leaf.endswith("original_inv_freq") or not (w[0] > 0 and (w >= 0).all()):
        return None
    rotary = new.per_type[leaf[: -len("_inv_freq")]] if isinstance(new, RotaryEmbeddings) else new
    most = int(getattr(getattr(module, "config", None), "max_position_embeddings", None) or 1 << 17)
    if isinstance(rotary, RotaryEmbedding):
        recipe, base, right = f"rotary, {rotary.rope_type}", Base(rotary.base, False), rotary.of_length
        line, note = ("posenc.torch.replace_rotary(model)", "") if path else ("", ITSELF)
        float32 = _frequencies_used(rotary, w)
        most = 2048 if rotary.axis == -1 else most  # positions of patches: rows and columns
    else:
        about = base_of_frequencies(w, name_of(tensor.dtype))
        if about is None:
            return None
        exact, recipe, base = rotary_frequencies(2 * len(w), about.value), "frequencies", about
        line, note, right = "", f"replace_rotary does not replace this module: {rotary}", lambda length: exact
        float32 = lambda length: w  # noqa: E731
    below = []
    for count in sorted({min(count, most) for count in (512, 2048, most)}):
        (worst,) = errors([float32(count)], right(count), count)
        below.append((count, worst.largest))
    recipe = f"{recipe}, base {base}, frequencies in {tensor.dtype}, angles in float32"
    return recipe, worst.largest, worst.position, worst.column, line, note, tuple(below)


def _frequencies_used(rotary: RotaryEmbedding, w: npt.NDArray[Any]) -> Callable[[int], npt.NDArray[Any]]:
    """Returns a function of the length, whose results are the frequencies that a module uses.

    rotary: the module's replacement. w: the module's frequencies now."""
    falling = np.empty_like(w)
    falling[[*rotary.order]] = w

    def of_length(length: int) -> npt.NDArray[Any]:
        r = rotary.of_length(length)
        if np.array_equal(r.freqs, rotary.of_length(0).freqs):
            return falling
        return float32_frequencies(r, rotary.base)  # the module computes them for this length

    return of_length
