"""Shows which implementation runs here, compares its error and speed with a NumPy recipe, and checks its bits."""

from __future__ import annotations

import argparse
import io
import json
import sys
from typing import Any, BinaryIO

import numpy as np

from . import __version__
from ._identify import Table, distance, identify
from ._lists import implementations, presets
from ._screen import screen


def load(file: BinaryIO) -> Table:
    try:
        array = np.lib.format.read_array(file, allow_pickle=False)
    except Exception as error:  # a damaged header may cause errors of many types
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise ValueError(f"not a readable .npy file: {why}") from None
    if file.read(1):
        raise ValueError("it has more bytes than its header says")
    return Table(array)


def document(name: str, t: Table) -> dict[str, Any]:
    """Returns the answer about a file, as JSON has it."""
    found, padding = identify(t), {"padding_row": t.padding} if t.padding >= 0 else {}
    answer = {"schema": 1, "tool": "posenc identify", "file": name, "rows": t.rows, "columns": t.columns}
    answer |= {"stored": t.stored, "dtype": t.dtype, **padding, "identified": not isinstance(found, str)}
    if isinstance(found, str):
        return {**answer, "reason": found}
    _, error, row, column = distance(t, found, t.dtype)
    able = [i for i in implementations() if i.supported and (t.dtype != "float64" or t.dtype in i.dtypes)]
    return {
        **answer,
        "presets": found.presets,
        "base": found.spec.get("base"),
        "first": found.spec["first"],
        "largest_error": {"error": error, "position": found.spec["first"] + row, "column": column},
        "call": f"posenc.table({t.arguments(found.spec, t.dtype)})",
        "equal_bits": {impl: distance(t, found, t.dtype, impl)[0] for impl in dict.fromkeys(i.family for i in able)},
    }


def text(answer: dict[str, Any], name: str) -> str:
    """The document as text."""
    kept = f", stored as {answer['stored']}" * (answer["dtype"] != answer["stored"])
    lines = [f"{name}: shape ({answer['rows']}, {answer['columns']}), {answer['dtype']}{kept}"]
    zeros = f"row {answer.get('padding_row')} is all zeros, like fairseq's row of padding_idx, and was skipped"
    lines += [zeros] * ("padding_row" in answer)
    if "reason" in answer:
        return "\n".join([*lines, "", f"not identified: {answer['reason']}"])
    base, off = answer["base"], answer["largest_error"]
    shown = "unknown: no value depends on it" if base is None else f"{base:.17g}"
    about = base is not None and float(f"{base:.5e}") != base  # a number of so many digits may be another one near it
    lines += ["", f"preset         {', '.join(answer['presets'])}"]
    lines += [f"base           {'about ' * about}{shown}", f"first          {answer['first']}"]
    lines += [f"largest error  {off['error']:.2g}, at position {off['position']}, column {off['column']}"]
    lines += [f"call           {answer['call']}", "", "equal bits with"]
    for impl, share in answer["equal_bits"].items():
        lines += [f"  {impl:13}" + ("     all" if share == 1 else f"{min(100 * share, 99.99):6.2f} %")]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m posenc",
        usage="%(prog)s [-h] [--version] [identify ... | presets]",
        description=__doc__,
        epilog="Exit status without arguments: 0, or 1 if a table lacks the bits that every machine must give.",
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    commands = parser.add_subparsers(metavar="identify | presets", prog="python3 -m posenc", dest="command")
    command = commands.add_parser(
        "identify",
        help="identify the preset, base and first position of the table in an .npy file",
        description="Identifies the preset, base and first position of the table in an .npy file, and the call of "
        "posenc.table that gives it. The rows must be at consecutive whole positions, without a position scale.",
        epilog="Exit status: 0 identified, 1 not identified, 2 wrong usage or a file that is not a table.",
    )
    command.add_argument("file", help="the .npy file, or - for stdin; bfloat16 is stored as uint16 or V2")
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    commands.add_parser("presets", help="list the presets", description="Lists the tables of real systems.")
    given = parser.parse_args()
    if not given.command:
        return screen()
    if given.command == "presets":
        print(*("{}: {}\n    users: {}\n    first position: {}".format(*preset) for preset in presets()), sep="\n")
        return 0
    name = "standard input" if given.file == "-" else given.file
    try:
        with io.BytesIO(sys.stdin.buffer.read()) if given.file == "-" else open(given.file, "rb") as file:
            t = load(file)
    except (OSError, ValueError, EOFError, MemoryError) as error:
        why = getattr(error, "strerror", None) or error or "out of memory"
        print(f"posenc identify: {name}: {why}", file=sys.stderr)
        return 2
    answer = document(given.file, t)
    print(json.dumps(answer, indent=1) if given.format == "json" else text(answer, name))
    return 0 if answer["identified"] else 1


if __name__ == "__main__":
    sys.exit(main())
