"""How many values of `anchored` are not the nearest, as docs/accuracy.md and the docstring of posenc.table say."""

import pathlib

import numpy as np
import posenc
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
D, ROWS = 512, 4096  # columns, and the rows that are compared at a time
HOURLY = 2 * np.pi / 24 * np.arange(1, D // 2 + 1)  # the angles come close to multiples of pi again and again
ACCURACY = " ".join((TOP / "docs/accuracy.md").read_text(encoding="utf-8").split())
DOCSTRING = " ".join(posenc.table.__doc__.split())


@pytest.mark.skipif(
    not any(row.family == "anchored" and row.supported for row in posenc.implementations()),
    reason="this machine has no FMA instructions",
)
@pytest.mark.parametrize("dtype, freqs, positions, figures, in_docstring", [
    ("float32", None, 1 << 20, ["0 of 536,870,912"], ["0 of 536,870,912"]),
    ("float32", HOURLY, 1 << 20, ["40,634,347 of 536,870,912", "8.9e-16", "8 %"], ["8.9e-16", "8 %"]),
    ("float64", None, 4096, ["1,117,752 of 2,097,152", "3.9e-16", "53 %"], ["3.9e-16"]),
])  # fmt: skip
def test_values_that_are_not_the_nearest(dtype, freqs, positions, figures, in_docstring):
    count, largest = 0, 0.0
    for first in range(0, positions, ROWS):
        spec = dict(first=first, dtype=dtype, freqs=freqs)
        anchored, nearest = (posenc.table(ROWS, D, impl=name, **spec) for name in ("anchored", "exact"))
        wrong = anchored != nearest
        count += int(wrong.sum())
        largest = max(largest, float(abs(anchored[wrong].astype("f8") - nearest[wrong]).max(initial=0)))
    errors = [f"{largest:.1e}", f"{100 * count / positions / D:.0f} %"] if count else []
    assert [f"{count:,} of {positions * D:,}", *errors] == figures
    assert all(figure in ACCURACY for figure in figures) and all(figure in DOCSTRING for figure in in_docstring)
