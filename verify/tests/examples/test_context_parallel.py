"""The example for PyTorch's distributed processes. Debian's PyTorch has no DTensor, so that
./scripts/maintain/test-python-index runs this.
"""

import os
import subprocess
import sys

from places import SOURCE, lines
from reference import columns, said


def run(line):
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]  # the folder of torchrun
    done = subprocess.run(
        line, shell=True, cwd=SOURCE / "examples", capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_context_parallel():
    (line,) = lines(SOURCE / "examples" / "context_parallel.py")
    text = run(line)
    assert text.count("4096 positions") == text.count("the bits of one process: True") == 2
    for first in 0, 4096:
        assert said(text, f"row {first} starts") == columns(first)
    text = run(line.replace("-node 2", "-node 3").replace("8192 512", "4 66"))  # the third process has no rows
    assert text.count("2 positions") == 2 and "0 positions" in text and text.count("True") == 3
    assert said(text, "row 2 starts") == columns(2, denominator=33)
