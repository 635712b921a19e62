"""Shows which implementation runs here, compares its error and speed with a NumPy recipe, and checks its bits."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import math
import os
import platform
import sys
import warnings
from statistics import median
from timeit import timeit

import numpy as np
import numpy.typing as npt

from . import __version__, implementations, presets, table
from ._answer import answer_text, escaped, file_answer
from ._audit import WRONG
from ._files import resolved
from ._identify import BITS, RIGHT, WORDS

COUNT, D_MODEL, REPETITIONS = 5000, 512, 5
#: SHA-256 of table(COUNT, D_MODEL), as little-endian float32 values, row by row. It is the same on every machine.
EXPECTED = "ff884fe61d409ba3337e34fe11f1721e5d529fad93a42a2f8cd5eaa573d43164"


def recipe() -> npt.NDArray[np.float32]:
    """Computes the table in NumPy and float32, as the PyTorch tutorial does."""
    position = np.arange(COUNT, dtype=np.float32)[:, np.newaxis]
    w = np.exp(np.arange(0, D_MODEL, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / D_MODEL))
    pe = np.empty((COUNT, D_MODEL), np.float32)
    pe[:, 0::2] = np.sin(position * w)
    pe[:, 1::2] = np.cos(position * w)
    return pe


def screen() -> int:
    """Prints the screen; returns 0, or 1 if the bits differ from those of every other machine."""
    ours, theirs, exact = table(COUNT, D_MODEL), recipe(), table(COUNT, D_MODEL, dtype="float64")
    default = next(row for row in implementations() if row.default)
    print(f"posenc {__version__}, NumPy {np.__version__}, Python {platform.python_version()}")
    print(f"{platform.machine()}, {os.cpu_count()} processors: {default.name}, instruction set {default.isa}\n")
    print(f"{COUNT} x {D_MODEL} float32   median time   largest error   misrounded")
    times = [[timeit(call, number=1) for call in (lambda: table(COUNT, D_MODEL), recipe)] for _ in range(REPETITIONS)]
    for name, values, seconds in zip(("posenc.table", "NumPy, float32"), (ours, theirs), zip(*times)):
        # Rounding twice, to float64 and to float32, is safe: no value here is that close to a midpoint.
        wrong = (values != exact.astype(np.float32)).mean()
        print(f"{name:18} {1000 * median(seconds):10.2f} ms {np.abs(values - exact).max():15.2e} {100 * wrong:10.2f} %")
    digest = hashlib.sha256(ours.astype("<f4").tobytes()).hexdigest()
    print(f"\nSHA-256 of the table here         {digest}\n        and on every machine      {EXPECTED}")
    if digest != EXPECTED:
        print("\nThey differ: this library was built or runs wrongly. Do not use its tables. Please report this.")
    return int(digest != EXPECTED)


def parsers() -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """Returns the parsers of the command line and of `audit`."""
    parser = argparse.ArgumentParser(
        prog="python3 -m posenc",
        usage="%(prog)s [-h] [--version] [audit ... | presets]",
        description=__doc__,
        epilog="Exit status without arguments: 0, or 1 if a table does not have the bits that every machine must give.",
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    commands = parser.add_subparsers(metavar="audit | presets", prog="python3 -m posenc", dest="command")
    legend = "\n".join(f"  {word:8}  {meaning}" for word, meaning in WORDS.items())
    audit = commands.add_parser(
        "audit",
        help="describe the rotary embedding of a config.json, or the tables in a file, and their errors",
        description="Describes rotary embeddings and sinusoidal tables: their largest errors, and what replaces them.\n"
        "It identifies the preset, base and first position of a table, whose rows must be at consecutive integer\n"
        "positions, without a position scale. With --preset, it says whether a file holds the table described.\n"
        f"A rotary embedding is wrong where cosines or sines are off by more than {WRONG}.\n\n"
        "Errors are differences from exact in float64. The word after an error of a table is the first of these\n"
        f"that is true of all values in the range of positions:\n{legend}\n{RIGHT}",
        epilog="Exit status: 0 something was described, right or wrong; 1 nothing was found, or not the table "
        "described; 2 wrong usage, or a file that cannot be read.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add, names = audit.add_argument, [preset.name for preset in presets()]
    files = "a config.json of transformers or its folder, a .safetensors file, an .npy file, or - for an .npy file "
    add("path", help=files + "on stdin; bfloat16 in an .npy file is stored as uint16 or V2")
    add("--preset", choices=names, metavar="NAME", help="the table that the file should hold")
    add("--base", type=float, metavar="X", help="the base of that table (default: the preset's)")
    add("--first", type=int, metavar="N", help="the position of row 0 of that table (default: 0)")
    add("--dtype", choices=[*BITS], help="the dtype of the values (default: the narrowest that represents them all)")
    ask = "for a config.json that you trust: ask the installed transformers what its model computes, in seconds"
    add("--transformers", action="store_true", help=ask)
    add("--numpy", action="store_true", help="print the calls that make right cosines and sines, too")
    add("--format", choices=("text", "json"), default="text", help="default: text")
    commands.add_parser("presets", help="list the presets", description="Lists the tables of real systems.")
    return parser, audit


def command() -> int:
    """Parses the arguments, prints the answer and returns the exit status."""
    parser, audit = parsers()
    arguments, unknown = parser.parse_known_args()
    if unknown:
        parser.error(f"unrecognized arguments: {escaped(' '.join(unknown))}")
    if not arguments.command:
        return screen()
    if arguments.command == "presets":
        print(*("{}: {}\n    users: {}\n    first position: {}".format(*preset) for preset in presets()), sep="\n")
        return 0
    if not arguments.preset and (arguments.base is not None or arguments.first is not None):
        audit.error("--base and --first need --preset")
    base = {} if arguments.base is None else {"base": arguments.base}
    expected = {"preset": arguments.preset, **base, "first": arguments.first or 0} if arguments.preset else None
    path = arguments.path
    try:
        path = resolved(path)
        if path.endswith(".json") and (expected or arguments.dtype):
            raise ValueError("--preset and --dtype are for tables, and a config has none")
        if arguments.transformers and not path.endswith(".json"):
            raise ValueError("--transformers is for a config.json")
        warnings.simplefilter("ignore")  # NumPy's warnings do not help a reader
        answer = file_answer(path, expected, arguments.dtype, arguments.transformers)
        name = "standard input" if path == "-" else escaped(path, 4096)
        is_json = arguments.format == "json"
        print(json.dumps(answer, indent=1) if is_json else answer_text(answer, name, arguments.numpy))
    except Exception as error:  # a hostile file may cause errors of many types
        error_type = "" if isinstance(error, (OSError, ValueError, TypeError)) else f"{type(error).__name__}: "
        reason = getattr(error, "strerror", None) or error_type + str(error)
        name = getattr(error, "filename", None) or ("standard input" if path == "-" else path)
        print(f"posenc audit: {escaped(str(name), 4096)}: {escaped(reason)[:400]}", file=sys.stderr)
        return 2
    answers = answer.get("found", [answer])
    return 0 if answers and all(each["right"] if expected else each.get("identified", True) for each in answers) else 1


def main() -> int:
    """Runs the command, and prints its output at the end. It is no error if the reader, such as `head`, has ended."""
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            status = command()
    except SystemExit as end:  # after --help, or wrong usage
        status = int(end.code or 0)
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
        print(output.getvalue(), end="", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes again at exit
        if not isinstance(error, BrokenPipeError):
            print(f"posenc: standard output: {error.strerror}", file=sys.stderr)
            return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
