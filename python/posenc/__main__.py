"""Shows which implementation runs here, compares its error and speed with a NumPy recipe, and checks its bits."""

from __future__ import annotations

import argparse
import io
import json
import sys
from typing import Any, BinaryIO

import numpy as np

from . import __version__, implementations, presets
from ._identify import Found, Table, distance, identify
from ._screen import screen


def load(file: BinaryIO) -> Table:
    """Reads an .npy file."""
    try:
        array = np.lib.format.read_array(file, allow_pickle=False)
    except Exception as error:  # a damaged header may cause errors of many types
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise ValueError(f"not a readable .npy file: {why}") from None
    if file.read(1):
        raise ValueError("it has more bytes than its header says")
    return Table(array)


def document(name: str, t: Table, found: Found | str) -> dict[str, Any]:
    """What `identify` says, as JSON has it."""
    answer = {"schema": 2, "tool": "posenc identify", "file": name, "rows": t.rows, "columns": t.columns}
    answer.update({"stored": t.stored, "dtype": t.dtype, "identified": isinstance(found, Found)})
    if t.padding >= 0:
        answer["padding_row"] = t.padding
    if not isinstance(found, Found):
        return {**answer, "reason": found}
    families = dict.fromkeys(each.family for each in implementations() if each.supported)
    distances = {family: distance(t, found, t.dtype, family) for family in families}
    _, error, row, column = distances["exact"]
    return {
        **answer,
        **{"presets": found.presets, "base": found.spec.get("base"), "first": found.spec["first"]},
        **{"error": error, "position": found.spec["first"] + row, "column": column},
        "equal_bits": {family: each[0] for family, each in distances.items()},
        "call": f"posenc.table({t.arguments(found.spec, t.dtype)})",
    }


def text(answer: dict[str, Any], name: str) -> str:
    """The document as text."""
    kept = f" with {answer['dtype']} values" if answer["dtype"] != answer["stored"] else ""
    rows, columns = (f"{answer[axis]} {axis if answer[axis] != 1 else axis[:-1]}" for axis in ("rows", "columns"))
    lines = [f"{name}: {rows} of {columns}, {answer['stored']}{kept}"]
    if "padding_row" in answer:
        lines.append(f"row {answer['padding_row']} is all zeros, like fairseq's row of padding_idx, and was skipped")
    if not answer["identified"]:
        return "\n".join([*lines, "", f"not identified: {answer['reason']}"])
    more = " (the same table here)" if len(answer["presets"]) > 1 else ""
    base = "unknown: no value depends on it" if answer["base"] is None else f"{answer['base']:.17g}"
    worst = f"{answer['error']:.3g}, at position {answer['position']}, column {answer['column']}"
    lines += ["", f"preset         {', '.join(answer['presets'])}{more}", f"base           {base}"]
    lines += [
        f"first          {answer['first']}",
        f"largest error  {worst if answer['error'] else 'none: all bits are right'}",
    ]
    lines += [f"instead        {answer['call']}", "", "equal bits with"]
    lines += [f"  {family:12} {100 * share:9.4f} %" for family, share in answer["equal_bits"].items()]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m posenc",
        usage="%(prog)s [-h] [--version] [identify ... | presets]",
        description=__doc__,
        epilog="Exit status without arguments: 0, or 1 if a table lacks the bits that every machine must give.",
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    commands = parser.add_subparsers(metavar="identify, presets", prog="python3 -m posenc", dest="command")
    what = "the preset, base and first position of the table in an .npy file, its largest error, and the call for it"
    command = commands.add_parser(
        "identify",
        help=f"say {what}",
        description=f"Says {what}. The rows must be consecutive whole positions, without a position scale.",
        epilog="Exit status: 0 identified, 1 not identified, 2 wrong usage or a file that is not a table.",
    )
    command.add_argument(
        "file", help="the .npy file, or - for stdin; float64, float32, float16, or bfloat16 stored as uint16 or V2"
    )
    command.add_argument(
        "--format", choices=("text", "json"), default="text", help="the form of the answer (default text)"
    )
    commands.add_parser(
        "presets", help="list the presets: formula, users and first position", description="Lists the presets."
    )
    given = parser.parse_args()
    if given.command == "presets":
        print("\n\n".join(f"{p.name}\n  {p.formula}\n  used by {p.users}\n  first: {p.starts}" for p in presets()))
        return 0
    if given.command is None:
        return screen()
    name = "standard input" if given.file == "-" else given.file
    try:
        with io.BytesIO(sys.stdin.buffer.read()) if given.file == "-" else open(given.file, "rb") as file:
            t = load(file)
    except (OSError, ValueError, EOFError, MemoryError) as error:
        why = getattr(error, "strerror", None) or error or "out of memory"
        print(f"posenc identify: {name}: {why}", file=sys.stderr)
        return 2
    answer = document(given.file, t, identify(t))
    print(json.dumps(answer, indent=1) if given.format == "json" else text(answer, name))
    return 0 if answer["identified"] else 1


if __name__ == "__main__":
    sys.exit(main())
