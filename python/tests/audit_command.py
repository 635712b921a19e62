"""Runs `python3 -m posenc` within the tests' process, and stores values as bfloat16 in its files."""

import contextlib
import io
import sys
import warnings

import pytest

from posenc.__main__ import main
from posenc._identify import rounded


def run(*arguments, status=0):
    """Returns what the command prints: its answer, or its errors. An error that is not one of usage is one line."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", ["posenc", *map(str, arguments)])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            returned = main()
    printed, errors = (stream.buffer.getvalue().decode() for stream in (out, err))
    assert returned == status, printed + errors
    if status != 2:
        assert not errors
        return printed
    assert not printed and (errors.startswith("usage: ") or len(errors.splitlines()) == 1 and len(errors) < 700)
    return errors


def audit(*arguments, status=0):
    return run("audit", *arguments, status=status)


def as_bfloat16(x):
    """Returns the values rounded to bfloat16, as a file stores them: in a uint16 array."""
    return (rounded(x, "bfloat16").view("u4") >> 16).astype("u2")
