"""Shows which implementation runs here, compares its error and speed with a NumPy recipe, and checks its bits."""

from __future__ import annotations

import argparse
import io
import json
import sys
from typing import Any

from . import __version__
from ._arithmetics import ARITHMETICS
from ._identify import ROUND, Finding, Table, identify, load
from ._screen import screen


def place(f: Finding) -> dict[str, Any]:
    base: dict[str, Any] = {"base": None}  # the only frequency is 1
    if f.reading.n > 1:
        base = {"base": f.candidate.base, "base_is_round": f.candidate.digits <= ROUND}
    return {"presets": f.reading.presets, **base, "first": f.first}


def candidate(f: Finding) -> dict[str, Any]:
    distances = [
        {"arithmetic": a, "form": d.form.text, "max_difference": d.most, "equal_bits": d.equal / d.among}
        for a in ARITHMETICS
        if (d := f.distances.get(a))
    ]
    return {**place(f), "arithmetic": f.named(), "all_bits_equal": f.all_equal(), "distances": distances}


def document(name: str, t: Table, found: list[Finding], others: list[Finding], reason: str) -> dict[str, Any]:
    return {
        "schema": 1,
        "tool": "posenc identify",
        "file": name,
        "rows": t.rows,
        "columns": t.columns,
        "stored": t.stored,
        "dtype": t.dtype,
        **({"padding_row": t.blank} if t.blank >= 0 else {}),
        "identified": bool(found),
        **(
            {"candidates": [*map(candidate, found)], "other_names": [*map(place, others)]}
            if found
            else {"reason": reason}
        ),
    }


def text(answer: dict[str, Any], name: str) -> str:
    """The document as text."""
    kept = f" with {answer['dtype']} values" if answer["dtype"] != answer["stored"] else ""
    rows, columns = (f"{answer[axis]} {axis if answer[axis] != 1 else axis[:-1]}" for axis in ("rows", "columns"))
    lines = [f"{name}: {rows} of {columns}, {answer['stored']}{kept}"]
    if "padding_row" in answer:
        lines.append(f"row {answer['padding_row']} is all zeros, like fairseq's row of padding_idx, and was skipped")
    if "reason" in answer:
        lines += ["", f"not identified: {answer['reason']}"]

    def presets(c: dict[str, Any]) -> str:
        return ", ".join(c["presets"]) + (" (the same table here)" if len(c["presets"]) > 1 else "")

    for c in answer.get("candidates", []):
        base = "any (the only frequency is 1)" if c["base"] is None else f"{c['base']:.17g}"
        about = "" if c.get("base_is_round", True) else " (approximate: not a round number)"
        equal = "all bits are equal" if c["all_bits_equal"] else "the nearest, but not all bits are equal"
        lines += ["", f"preset      {presets(c)}", f"base        {base}{about}", f"first       {c['first']}"]
        lines += [f"arithmetic  {', or '.join(c['arithmetic'])}: {equal}", ""]
        lines.append("distance to            max |difference|   equal bits   formed as")
        rows = {
            d["arithmetic"]: f"{d['max_difference']:16.3e} {100 * d['equal_bits']:10.4f} %   {d['form']}"
            for d in c["distances"]
        }
        none = f"{'-':>16} {'-':>12}   cannot have this base"
        lines += [f"{a:22} {rows.get(a, none)}" for a in ARITHMETICS]
    for i, c in enumerate(answer.get("other_names", [])):
        lines += [""] * (i == 0) + [f"the same table  {presets(c)}, base {c['base']:.17g}, first {c['first']}"]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m posenc",
        usage="%(prog)s [-h] [--version] [identify ...]",
        description=__doc__,
        epilog="Exit status without arguments: 0, or 1 if a table lacks the bits that every machine must give.",
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    command = parser.add_subparsers(metavar="identify", prog="python3 -m posenc").add_parser(
        "identify",
        help="identify the preset, base, first position and arithmetic that made the table in an .npy file",
        description="Identifies the preset, base, first position and arithmetic that made the table in an .npy file. "
        "The rows must be consecutive whole positions, without a position scale.",
        epilog="Exit status: 0 identified, 1 no known recipe fits, 2 wrong usage or a file that is not a table.",
    )
    command.add_argument(
        "file", help="the .npy file, or - for stdin; float64, float32, float16, or bfloat16 stored as uint16 or V2"
    )
    command.add_argument(
        "--format", choices=("text", "json"), default="text", help="the form of the answer (default text)"
    )
    given = parser.parse_args()
    if "file" not in given:
        return screen()
    name = "standard input" if given.file == "-" else given.file
    try:
        with io.BytesIO(sys.stdin.buffer.read()) if given.file == "-" else open(given.file, "rb") as file:
            t = load(file)
    except (OSError, ValueError, EOFError, MemoryError) as error:
        why = getattr(error, "strerror", None) or error or "out of memory"
        print(f"posenc identify: {name}: {why}", file=sys.stderr)
        return 2
    answer = document(given.file, t, *identify(t))
    print(json.dumps(answer, indent=1) if given.format == "json" else text(answer, name))
    return 0 if answer["identified"] else 1


if __name__ == "__main__":
    sys.exit(main())
