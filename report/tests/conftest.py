import contextlib
import io
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2])]


def run(*arguments):
    """(exit status, stdout, stderr) of python3 -m report, within this process: its modules take a second to load."""
    from report.__main__ import main

    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            status = main([str(a) for a in arguments])
        except SystemExit as e:
            status = e.code
    return status, out.getvalue(), err.getvalue()
