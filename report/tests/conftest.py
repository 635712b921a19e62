import contextlib
import io
import pathlib
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2])]
from made_up import file  # noqa: E402


def run(*arguments):
    """(exit status, stdout, stderr) of python3 -m report, within this process: its modules take a second to load."""
    from report.__main__ import main

    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            status = main([str(a) for a in arguments])
        except SystemExit as e:
            status = e.code
    return status, out.getvalue(), err.getvalue()


@pytest.fixture
def done(tmp_path):
    """A command's stdout, when it succeeds in silence; data is written to files of their own."""

    def call(*arguments):
        status, out, err = run(*(file(tmp_path, a) for a in arguments))
        assert (status, err) == (0, "")
        return out

    return call


@pytest.fixture
def refused(tmp_path):
    """The message of a command that is refused, with exit status 2 and nothing on stdout."""

    def call(*arguments):
        status, out, err = run(*(file(tmp_path, a) for a in arguments))
        assert (status, out) == (2, "") and "Traceback" not in err
        return err

    return call
