"""The examples run, and print what they should."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    "name, said",
    [
        ("table.py", "row 1 starts 0.841471 0.540302 0.821856 0.569695"),
        ("transformer.py", "logits (35, 20, 1000), finite: True"),
    ],
)
def test_example(name, said):
    run = subprocess.run([sys.executable, str(EXAMPLES / name)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert said in run.stdout
