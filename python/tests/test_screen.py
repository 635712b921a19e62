"""`python3 -m posenc` shows the implementation, its error beside a NumPy recipe, and the hash of every machine."""

import re
import subprocess
import sys

import numpy as np

import posenc
from posenc import __main__ as _screen


def test_what_it_prints():
    done = subprocess.run([sys.executable, "-m", "posenc"], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
    here = next(row for row in posenc.implementations() if row.default)
    assert f"posenc {posenc.__version__}, NumPy {np.__version__}" in done.stdout
    assert f": {here.name}, instruction set {here.isa}\n" in done.stdout
    names = "posenc.table", "NumPy, float32"
    rows = [re.search(rf"^{name} +(\S+) ms +(\S+) +(\S+) %$", done.stdout, re.M) for name in names]
    (ours, ours_wrong), (theirs, theirs_wrong) = ([float(row[i]) for i in (2, 3)] for row in rows)
    assert all(float(row[1]) > 0 for row in rows)
    assert ours <= 2.0**-25 and ours_wrong == 0  # half a unit in the last place, and values lie below 1
    assert 1e-4 < theirs < 1e-3 and theirs_wrong > 50
    assert done.stdout.count(_screen.EXPECTED) == 2


def test_other_bits(monkeypatch, capsys):
    def table(*arguments, **named):
        values = posenc.table(*arguments, **named)
        values[17, 3] = np.nextafter(values[17, 3], 2, dtype=values.dtype)
        return values

    monkeypatch.setattr(_screen, "table", table)
    assert _screen.screen() == 1
    text = capsys.readouterr().out
    assert text.count(_screen.EXPECTED) == 1 and "Do not use its tables" in text
