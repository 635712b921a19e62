"""``python3 -m posenc identify FILE.npy``: which preset, base, first position and arithmetic made a table."""

from __future__ import annotations

import argparse
import io
import json
import sys
from typing import Any

from . import __version__
from ._arithmetics import ARITHMETICS
from ._identify import ROUND, Finding, Table, identify, load


def names(f: Finding) -> str:
    return ", ".join(f.reading.presets) + (" (here all the same)" if len(f.reading.presets) > 1 else "")


def text(name: str, t: Table, found: list[Finding], others: list[Finding], reason: str) -> str:
    kept = f" with {t.dtype} values" if t.dtype != t.stored else ""
    lines = [f"{name}: {t.rows} rows of {t.columns} columns, {t.stored}{kept}"]
    if t.blank >= 0:
        lines.append(f"row {t.blank} is all zeros, like fairseq's row of padding_idx, and was skipped")
    if not found:
        lines += ["", f"not identified: {reason}"]
    for f in found:
        base = f"{f.candidate.base:.17g}" + (" (about: no round number)" if f.candidate.digits > ROUND else "")
        lines += [
            "",
            f"preset      {names(f)}",
            f"base        {base if f.reading.n > 1 else 'any: the only frequency is 1'}",
        ]
        equal = "all bits are equal" if f.all_equal() else "the nearest; not all bits are equal"
        lines += [f"first       {f.first}", f"arithmetic  {', or '.join(f.named())}: {equal}", ""]
        lines.append("distance to            max |difference|   equal bits   formed as")
        for a in ARITHMETICS:
            d = f.distances.get(a)
            lines.append(
                f"{a:22} {d.most:16.3e} {100 * d.equal / d.among:10.4f} %   {d.form.text}"
                if d
                else f"{a:22} {'-':>16} {'-':>12}   has no such base"
            )
    lines += [""] * bool(others)
    lines += [f"the same table  {names(f)}, base {f.candidate.base:.17g}, first {f.first}" for f in others]
    return "\n".join(lines)


def place(f: Finding) -> dict[str, Any]:
    base = (
        {"base": f.candidate.base, "base_is_round": f.candidate.digits <= ROUND} if f.reading.n > 1 else {"base": None}
    )
    return {"presets": f.reading.presets, **base, "first": f.first}


def document(name: str, t: Table, found: list[Finding], others: list[Finding], reason: str) -> dict[str, Any]:
    answer = {
        "schema": 1,
        "tool": "posenc identify",
        "file": name,
        "rows": t.rows,
        "columns": t.columns,
        "stored": t.stored,
        "dtype": t.dtype,
        **({"padding_row": t.blank} if t.blank >= 0 else {}),
        "identified": bool(found),
    }
    if not found:
        return {**answer, "reason": reason}
    return {
        **answer,
        "candidates": [
            {
                **place(f),
                "arithmetic": f.named(),
                "all_bits_equal": f.all_equal(),
                "distances": [
                    {"arithmetic": a, "form": d.form.text, "max_difference": d.most, "equal_bits": d.equal / d.among}
                    for a in ARITHMETICS
                    if (d := f.distances.get(a))
                ],
            }
            for f in found
        ],
        "other_names": [place(f) for f in others],
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m posenc", description=__doc__.replace("``", ""))
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    command = parser.add_subparsers(required=True, metavar="identify").add_parser(
        "identify",
        help="say which preset, base, first position and arithmetic made the table in an .npy file",
        description="Says which preset, base, first position and arithmetic made the table in an .npy file: rows of consecutive "
        "whole positions, without a position scale.",
        epilog="Exit status: 0 identified, 1 nothing known fits, 2 bad usage, or a file that is not a table.",
    )
    command.add_argument("file", help="- is stdin; elements f8, f4, f2, or bfloat16 as u2 or V2")
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to say it (default text)")
    given = parser.parse_args()
    name = "standard input" if given.file == "-" else given.file
    try:
        if given.file == "-":
            t = load(io.BytesIO(sys.stdin.buffer.read()))
        else:
            with open(given.file, "rb") as file:
                t = load(file)
    except (OSError, ValueError, EOFError, MemoryError) as error:
        print(
            f"posenc identify: {name}: {getattr(error, 'strerror', None) or error or 'out of memory'}", file=sys.stderr
        )
        return 2
    answer = identify(t)
    print(json.dumps(document(given.file, t, *answer), indent=1) if given.format == "json" else text(name, t, *answer))
    return 0 if answer[0] else 1


if __name__ == "__main__":
    sys.exit(main())
