"""The examples run, and print what they should."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
SAID = {
    "grid.py": "grid (196, 768): patch (1, 2) starts 0.909297, its second half 0.841471",
    "presets.py": "starts at padding_idx + 1; row 1: [",
    "rotary.py": "turned (1, 8, 100, 128), lengths kept: True",
    "table.py": "row 1 starts 0.841471 0.540302 0.821856 0.569695",
    "transformer.py": "logits (35, 20, 1000), finite: True",
}


def test_none_is_forgotten():
    assert sorted(path.name for path in EXAMPLES.glob("*.py")) == sorted(SAID)


@pytest.mark.parametrize("name, said", SAID.items())
def test_example(name, said):
    run = subprocess.run([sys.executable, str(EXAMPLES / name)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert said in run.stdout
