"""posenc gives what five notebooks print, on which the project was founded (golden.json).

Notebook 003 prints what 000 prints, and 001 has the tutorial's class, of which test_module.py has a test."""

import json
import math
import pathlib

import numpy as np
import pytest

import posenc

GOLDEN = {
    system["id"]: system
    for system in json.loads(pathlib.Path(__file__).with_name("golden.json").read_text())["systems"]
}
#: A wrong operator precedence in the class of 000 gives the denominators base^(j - 1/d).
FREQS = [10000.0 ** -(j - 1 / 6) for j in range(6)]


@pytest.mark.parametrize("notebook, spec", [("000", {}), ("000-class", dict(freqs=FREQS)), ("002", dict(base=1000.0))])
def test_printed_values(notebook, spec):
    """They are within half a unit of the last printed digit."""
    system = GOLDEN[notebook]
    for row in system["rows"]:
        values = posenc.table(positions=[row["position"]], d_model=system["d_model"], **spec)[0, row["columns"]]
        for value, printed in zip(values.tolist(), row["values"]):
            unit = 1e-4
            if system["digits"] == "5 significant":
                unit = 10.0 ** (math.floor(math.log10(abs(printed))) - 4) if printed else 0.0
            assert abs(value - printed) <= 0.5000001 * unit, (row["position"], value, printed)


def test_004_similarity():
    """The cosine of the angle between two rows. A literal reading of the loop squares the frequencies."""
    for exponent, want in [(2.0, 0.72252), (4.0, 0.860001)]:
        freqs = [10000.0 ** (-exponent * i / 512) for i in range(256)]
        a, b = (posenc.table(positions=[p], d_model=512, freqs=freqs)[0].astype(np.float64) for p in (2, 10))
        assert abs(a @ b / np.linalg.norm(a) / np.linalg.norm(b) - want) <= 0.5000001e-5
