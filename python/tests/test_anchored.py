"""What anchored gives up: how many of its values are not the nearest, and the texts that say so."""

import pathlib

import numpy as np
import posenc
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
D, ROWS = 512, 4096  # columns, and the rows that are compared at a time
HOURLY = 2 * np.pi / 24 * np.arange(1, D // 2 + 1)  # the angles come close to multiples of pi again and again
TABLES = {  # (dtype, frequencies, positions): what the texts say
    ("float32", "paper", 1 << 20): ("0 of 536,870,912",),
    ("float32", "hourly", 1 << 20): ("40,634,347 of 536,870,912", "8.9e-16", "8 %"),
    ("float64", "paper", 4096): ("1,117,752 of 2,097,152", "3.9e-16", "53 %"),
}


@pytest.mark.skipif(
    not any(row.family == "anchored" and row.supported for row in posenc.implementations()),
    reason="this machine has no FMA instructions",
)
@pytest.mark.parametrize("dtype, freqs, positions", TABLES)
def test_values_that_are_not_the_nearest(dtype, freqs, positions):
    count, most, texts = 0, 0.0, TABLES[dtype, freqs, positions]
    for first in range(0, positions, ROWS):
        spec = {"first": first, "dtype": dtype, "freqs": HOURLY if freqs == "hourly" else None}
        got, nearest = (posenc.table(ROWS, D, impl=name, **spec) for name in ("anchored", "exact"))
        wrong = got != nearest
        count += int(wrong.sum())
        most = max(most, float(abs(got[wrong].astype("f8") - nearest[wrong]).max(initial=0)))
    assert f"{count:,} of {positions * D:,}" == texts[0]
    assert count == 0 or (f"{most:.1e}", f"{100 * count / positions / D:.0f} %") == texts[1:]


def test_texts():
    (count,), (_, most, share), (_, most_float64, _) = TABLES.values()
    short = (count, share, most, most_float64)
    text = " ".join((TOP / "docs/accuracy.md").read_text(encoding="utf-8").split())
    assert all(figure in text for figure in sum(TABLES.values(), ()))
    assert all(figure in " ".join(posenc.table.__doc__.split()) for figure in short)
