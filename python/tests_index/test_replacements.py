"""Calls of posenc that replace other packages' functions: no value is misrounded, and the document has all of them."""

import pathlib

import pytest
import replacements
from rows import MODULES

ROWS = sum(MODULES.values(), [])
DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "replacements.md"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.theirs} {row.given}")
def test_row(row):
    judged = replacements.judge(row)
    assert judged.our_wrong == 0 and judged.our_error <= 2.0**-25
    assert judged.error < 0.02  # it is the same table


def test_document():
    lines = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| ") and "`" in line]
    assert len(lines) == len(ROWS) >= 20
    for row, line in zip(ROWS, lines):
        assert f"`{row.theirs}` |" in line and f"| `{row.ours}` |" in line and row.given in line
    assert DOCUMENT.read_text().endswith(replacements.modules())
