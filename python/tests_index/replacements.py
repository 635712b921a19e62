"""Compares position tables of transformers, diffusers and timm, and those of posenc, with the real numbers.

    python replacements.py >../../docs/replacements.md
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
import textwrap
from typing import Any, NamedTuple

import numpy as np
import torch
from rows import MODULES, Row

import posenc.torch
from posenc.torch._families import FAMILIES, UNSUPPORTED

HEAD = """# Replace tables of other packages

This page has, for many position tables of transformers, diffusers and timm, the call of posenc that gives the same values
in the same order, and the errors of both. `./scripts/maintain/test-python-index` runs all calls, and writes this page with
`RECORD=1`. The last run had {versions}.

- The script runs the calls exactly as printed. If a cell has two lines, the first is the set-up.
- If the shapes differ only in how axes are split, `.view()` changes one into the other.
- A value is misrounded if it is not the float32 nearest to the real number. A table without misrounded values has a
  largest error of 2^-25 = 2.98e-08.
- The real numbers are those of the formulas, with the parameters as given. `python/tests_index/real.py` computes them
  without posenc: in long double, and by mpmath where long double is not precise enough to decide a rounding.
- The attention factor of scaled rotary embeddings is set to 1 here.

[The last section](#rotary-modules-of-transformers) lists the rotary modules of transformers.
"""


class Judged(NamedTuple):
    count: int
    error: float  #: their largest error
    wrong: int  #: the number of their values that are misrounded
    our_error: float
    our_wrong: int


def load(module: str) -> dict[str, Any]:
    if module.startswith("timm."):  # timm imports torchvision, which this module does not need
        for name in "timm", "timm.layers":
            spec = importlib.util.find_spec(name)
            assert spec
            sys.modules.setdefault(name, importlib.util.module_from_spec(spec))
    return {**vars(importlib.import_module(module)), "np": np, "torch": torch, "posenc": posenc}


def floats(values: Any) -> Any:
    """Returns values as one row of float32. Pairs and complex numbers have cosines before sines."""
    if isinstance(values, posenc.Pair):
        values = values.cos, values.sin
    if isinstance(values, (list, tuple)):
        return np.concatenate([floats(part) for part in values])
    array = values.detach().numpy()
    assert array.dtype in ("f4", "c8"), array.dtype
    return (np.stack([array.real, array.imag]) if array.dtype == "c8" else array).ravel()


def judge(row: Row) -> Judged:
    names = load(row.module)
    exec(row.given, names)
    theirs, ours = floats(eval(row.theirs, names)), floats(eval(row.ours, names))
    real = row.real().ravel()
    assert theirs.shape == ours.shape == real.shape, (theirs.shape, ours.shape, real.shape)
    right = real.astype("f4")
    return Judged(
        real.size,
        float(np.abs(theirs - real).max()),
        int((theirs != right).sum()),
        float(np.abs(ours - real).max()),
        int((ours != right).sum()),
    )


def line(parent: str, row: Row, judged: Judged) -> str:
    model = row.module.replace(parent, "").split(".")[1:2]  # empty if that is the whole module
    said = "".join([f"{name}: " for name in model] + [f"`{row.given}`<br>"] * bool(row.given))
    theirs = f"{said}`{row.theirs}` | {judged.error:.2e} | {100 * judged.wrong / judged.count:.3g} %"
    return f"| {theirs} | `{row.ours}` | {judged.our_wrong} of {judged.count} |\n"


LAYOUTS = {
    "halves": "(cos, sin), each [w0 .. wn, w0 .. wn]",
    "pairs": "(cos, sin), each [w0, w0, w1, w1, ..]",
    "half": "(cos, sin), each [w0 .. wn]",
    "complex": "cos + i sin",
}
MODULES_HEAD = """
## Rotary modules of transformers

`posenc.torch.replace_rotary(model)` replaces the rotary modules of models whose `model_type` is in one of these lists. The
heading of a list says what its modules return:

- the layout of the cosines and sines, where w0 to wn are the frequencies: a column for each frequency, or each column
  twice;
- the dtype: that of x, or float32;
- the positions of a token: one, two (height and width) or three (time, height and width).

**Axial** positions of a token are along the last axis of `position_ids`. The numbers in the heading are these axes in
the order of the columns: of two axes, 0 is height and 1 is width; of three, 0 to 2 are time, height and width. A word
says how the columns are arranged:

- blocks: all frequencies of one axis, then all of the next;
- turns: the first frequency of each axis, then the second of each;
- shares: blocks, but height and width share one set of frequencies: even ones belong to height, odd ones to width.

**Three positions** that are not axial are along the first axis of `position_ids`. Each frequency belongs to one of
them. The numbers in the heading say how many frequencies belong to time, height and width if the config does not, and a
word says how they are arranged:

- sections: the first frequencies belong to time, the next to height, the last to width;
- interleaved: the frequencies belong to time, height and width alternately, and the rest to time;
- ernie: first the frequencies of height and width alternately, then those of time.
"""


def paragraph(head: str, kinds: str) -> str:
    text = f"**{head}:** {', '.join(kinds.split())}"
    return "\n" + textwrap.fill(text, 140, break_on_hyphens=False, break_long_words=False) + "\n"


def modules() -> str:
    """The rotary modules of transformers, by the model_type of their config."""
    text = MODULES_HEAD
    for family, kinds in FAMILIES.items():
        layout, dtype, axes = (family + ", ").split(", ")[:3]
        dtype = "complex64" if layout == "complex" else "in the dtype of x" if dtype == "x" else "in float32"
        count = "two" if "axial" in axes and "2" not in axes else "three"
        positions = f"{count} positions, {axes}" if axes else "one position"
        text += paragraph(f"{LAYOUTS[layout]}; {dtype}; {positions}", kinds)
    text += (
        "\n`posenc.torch.RotaryEmbedding` refuses the following models, and `replace_rotary` leaves their modules.\n"
    )
    return text + "".join(paragraph(f"The module has {reason}", kinds) for reason, kinds in UNSUPPORTED.items())


def document() -> str:
    packages = [module.split(".")[0] for module in MODULES]
    said = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    text = HEAD.format(versions=f"{said} and PyTorch {torch.__version__.split('+')[0]}")
    for module, rows in MODULES.items():
        text += f"\n| {module} | largest error | misrounded | posenc | misrounded |\n|---|---|---|---|---|\n"
        text += "".join(line(module, row, judge(row)) for row in rows)
    return text + modules()


if __name__ == "__main__":
    print(document(), end="")
