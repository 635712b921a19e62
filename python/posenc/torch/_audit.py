"""Finds sinusoidal and rotary tables in a model: their recipes, their errors, and their replacements."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.parameter import is_lazy

from .._identify import Table, distance, identify
from ._calls import check_type
from ._pairs import pair
from ._replace import probe
from ._rotary_embedding import RotaryEmbedding


@dataclasses.dataclass(frozen=True)
class AuditFinding:
    """The result of `audit` for one tensor of a model."""

    name: str  #: the name of the buffer, parameter or attribute
    recipe: str  #: the preset, base and first position, and the share of right bits; empty if it was not audited
    error: float  #: the largest |difference| from the correctly rounded values; NaN if the tensor was not audited
    position: int  #: the position of the largest difference
    column: int  #: its column
    replacement: str  #: a line of Python that replaces the tensor in `model`; empty if nothing differs, or with a note
    note: str = ""  #: why there is no such line, or why the tensor was not audited

    def __str__(self) -> str:
        if not self.recipe:
            return f"{self.name}: {self.note}"
        off = f"off by up to {self.error:.2g}, at position {self.position}, column {self.column}"
        return f"{self.name}: {self.recipe}: " + (
            off + (f"; instead: {self.replacement}" if self.replacement else f"; {self.note}")
            if self.error
            else "all bits right"
        )


def audit(model: nn.Module) -> list[AuditFinding]:
    """Returns a finding for each position table in a model, with its preset, its largest error and a replacement.

        >>> print(*posenc.torch.audit(model), sep="\\n")

    It searches the buffers, the parameters (as those of `torch.nn.Embedding`), and tensors that are attributes of
    modules, such as Llama's freqs_cis. It prints nothing and does not change the model. While it runs, it may change
    PyTorch's default dtype, which it restores.

    - A table has a row for each of consecutive positions, and the formula of any preset with any base.
    - Tables of only cosines or only sines are found if their names differ just in "cos" and "sin".
    - Some rotary embeddings have only their frequencies: `inv_freq`, or one for each type of layer. Then the finding is
      about the cosines and sines that float32 computes from them, at positions below the max_position_embeddings of the
      module's config, or up to 131071. Their replacement is `replace_rotary`, if it can replace the module.

    Some tensors cannot be audited, such as sparse ones. Their findings have an empty recipe, and a note with the error.
    Tensors without values, on the meta device or uninitialized, are skipped.
    """
    check_type("model", model, nn.Module)
    found = []
    for path, module in model.named_modules():
        for leaf, value in [*module._buffers.items(), *module._parameters.items(), *vars(module).items()]:
            if not isinstance(value, torch.Tensor) or is_lazy(value):
                continue
            name = f"{path}.{leaf}" if path else leaf
            where = f"model.get_submodule({path!r})" if path else "model"
            try:
                if value.is_meta or not value.numel():
                    continue
                if leaf.endswith("inv_freq") and value.dim() == 1:
                    found += _frequencies(name, path, module, leaf, value.detach())
                else:
                    found += _table(name, where, module, leaf, value.detach())
            except Exception as error:  # each layout and subclass of tensors lacks different operations
                reason = f"not audited: {type(error).__name__}: {str(error).partition(chr(10))[0]}"
                found.append(AuditFinding(name, "", math.nan, 0, 0, "", reason))
    return found


def _rows(module: nn.Module, leaf: str, tensor: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    """Returns the rows in a preset's layout, the function that computes them, and the matching part of its result."""
    rows = tensor.reshape(-1, tensor.shape[-1]).cpu()
    if rows.is_complex():
        return torch.cat((rows.real, rows.imag), -1), "cis", ""
    for part, other in (("cos", "sin"), ("sin", "cos")):
        partner = getattr(module, leaf.replace(part, other), None) if part in leaf else None
        if isinstance(partner, torch.Tensor) and partner.shape == tensor.shape:
            n, both, duplicated = rows.shape[1] // 2, [rows, partner.detach().reshape(rows.shape).cpu()], ""
            if torch.equal(rows[:, :n], rows[:, n:]):
                both, duplicated = [half[:, :n] for half in both], ", duplicated='halves'"
            elif torch.equal(rows[:, ::2], rows[:, 1::2]):
                both, duplicated = [half[:, ::2] for half in both], ", duplicated='pairs'"
            return torch.cat(both if part == "cos" else both[::-1], -1), "pair", f"{duplicated}).{part}"
    return rows, "table", ""


def _table(name: str, where: str, module: nn.Module, leaf: str, tensor: torch.Tensor) -> list[AuditFinding]:
    if tensor.dim() < 2 or tensor.numel() != max(tensor.shape[:-1]) * tensor.shape[-1] or tensor.shape[-1] < 2:
        return []
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return []
    rows, function, part = _rows(module, leaf, tensor)
    some = rows[np.linspace(0, len(rows) - 1, 9).astype(int)].double()
    half = rows.shape[1] / 2  # the sum of squares of sines and cosines, except in a row of padding
    if ((some.square().sum(1) - half).abs() <= 0.51 + 0.02 * half).sum() < 6:
        return []
    t = Table(rows.view(torch.int16).numpy().view(np.uint16) if rows.dtype == torch.bfloat16 else rows.numpy())
    found = identify(t)
    if isinstance(found, str):
        return []
    equal, error, row, column = distance(t, found, t.stored)
    made = f"posenc.torch.{function}({t.arguments(found.spec, t.stored)}{part or ')'}"
    line = f"{where}.{leaf}.data.copy_({made}.reshape({tuple(tensor.shape)}))"
    line += f"; {where}.{leaf}.data[{t.padding}] = 0" if t.padding >= 0 else ""
    said = ", ".join(f"{key}={value!r}" for key, value in found.spec.items())
    recipe = f"{said} ({', '.join(found.presets)}), {100 * equal:.4g} % of the bits right"
    return [AuditFinding(name, recipe, error, found.spec["first"] + row, column, line if error else "")]


def _frequencies(name: str, path: str, module: nn.Module, leaf: str, inv_freq: torch.Tensor) -> list[AuditFinding]:
    """Audits the frequencies of a rotary embedding, by cosines and sines of their float32 products with positions."""
    w, n = inv_freq.cpu().float(), len(inv_freq)
    if leaf.endswith("original_inv_freq") or not bool((w >= 0).all() and w[0] > 0):
        return []
    last = int(getattr(getattr(module, "config", None), "max_position_embeddings", None) or 1 << 17) - 1
    at = torch.from_numpy(np.r_[0 : last : max(1, last // 1024), max(0, last - 1024) : last + 1])
    own, line, note = probe(module), "", ""
    if isinstance(own, RotaryEmbedding):
        one: Any = own if own.per_type is None else own.per_type[leaf[: -len("_inv_freq")]]
        base, kind, factor, line = one.base, one.rope_type, one.attention_scaling, "posenc.torch.replace_rotary(model)"
        w = w.sort(descending=True).values if one._is_axial else w  # Pixtral's are in the order of the columns
        spoken = [one._of_length(length) for length in (0, last + 1)]
        wanted = [
            pair(positions=at, d_model=2 * n, freqs=c.freqs, freqs_low=c.freqs_low, dtype=torch.float64) for c in spoken
        ]
        if not path:
            line, note = "", "it is the model itself; RotaryEmbedding(model.config) replaces it"
    else:
        base, kind, factor = float(w[-1].double() ** (-n / max(1, n - 1))), "default", 1.0
        base = float(f"{base:.3g}") if math.isclose(base, float(f"{base:.3g}"), rel_tol=1e-3) else base
        if not (base > 1 and np.allclose(w.numpy(), base ** (-np.arange(n) / n), rtol=0.01)):
            return []
        wanted = [pair(positions=at, d_model=2 * n, base=base, dtype=torch.float64)]
        note = f"posenc.torch.RotaryEmbedding does not replace this module: {own}"
    angles = at[:, None].float() * w
    turns = torch.polar(torch.ones_like(angles), angles)
    differences = [factor * torch.view_as_real(turns - torch.complex(want.cos, want.sin)) for want in wanted]
    off = min((difference.abs().amax(-1) for difference in differences), key=torch.max)
    row, column = divmod(int(off.argmax()), n)
    recipe = f"rotary, {kind}, base={base!r}, frequencies in {inv_freq.dtype}, angles in float32"
    return [AuditFinding(name, recipe, float(off.max()), int(at[row]), column, line, note)]
