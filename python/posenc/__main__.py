"""Shows which implementation runs here, compares its error and speed with a NumPy recipe, and checks its bits."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from typing import Any

import numpy as np

from . import __version__
from ._identify import Found, Table, distance, identify
from ._judge import BITS, RIGHT, WORDS, judge
from ._lists import implementations, presets
from ._screen import screen


def load(name: str) -> Table:
    """Maps the file, or reads standard input."""
    try:
        if os.path.isfile(name):
            array: Any = np.lib.format.open_memmap(name, mode="r")
            surplus = os.path.getsize(name) - array.offset - array.nbytes
        else:
            with io.BytesIO(sys.stdin.buffer.read()) if name == "-" else open(name, "rb") as file:
                array, surplus = np.lib.format.read_array(file, allow_pickle=False), len(file.read(1))
    except OSError:
        raise
    except Exception as error:  # a damaged header may cause errors of many types
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise ValueError(f"not a readable .npy file: {why}") from None
    if surplus:
        raise ValueError("it has more bytes than its header says")
    return Table(array)


def position(text: str) -> int:
    """A position on the command line."""
    if abs(int(text)) > 2**32:
        raise argparse.ArgumentTypeError(f"{text}: allowed: -2^32 to 2^32")
    return int(text)


def document(name: str, t: Table, given: dict[str, Any] | None = None) -> dict[str, Any]:
    """Returns the answer about a file for the JSON. given: the arguments of `table` for the expected table; None to identify it."""
    found = Found([given["preset"]], given) if given else identify(t)
    answer = {"schema": 1, "tool": "posenc identify", "file": name, "rows": t.rows, "columns": t.columns}
    answer |= {"stored": t.stored, "dtype": t.dtype, **({"padding_row": t.padding} if t.padding >= 0 else {})}
    answer |= {} if given else {"identified": not isinstance(found, str)}
    if isinstance(found, str):
        return {**answer, "reason": found}
    able = [i for i in implementations() if i.supported and (t.dtype != "float64" or t.dtype in i.dtypes)]
    families = dict.fromkeys(i.family for i in able)
    return {
        **answer,
        "presets": found.presets,
        **({} if given else {"base": found.spec.get("base")}),
        "first": found.spec["first"],
        "call": f"posenc.table({t.arguments(found.spec, t.dtype)})",
        **judge(t.blocks(found.spec["first"]), t.columns, t.dtype, found.spec),
        "equal_bits": {impl: distance(t, found.spec, t.dtype, impl)[0] for impl in families},
    }


def shown(value: float | None, form: str) -> str:
    return "inf" if value is None else format(value, form)


def text(answer: dict[str, Any], name: str) -> str:
    """The document as text."""
    kept = f", stored as {answer['stored']}" * (answer["dtype"] != answer["stored"])
    lines = [f"{name}: shape ({answer['rows']}, {answer['columns']}), {answer['dtype']}{kept}"]
    zeros = f"row {answer.get('padding_row')} is all zeros, like fairseq's row of padding_idx, and was skipped"
    lines += [zeros] * ("padding_row" in answer)
    if "reason" in answer:
        return "\n".join([*lines, "", f"not identified: {answer['reason']}"])
    if "identified" in answer:
        base = answer["base"]
        said = "unknown: no value depends on it" if base is None else f"{base:.17g}"
        about = base is not None and float(f"{base:.5e}") != base  # a number of so many digits may be one near it
        lines += ["", f"preset  {', '.join(answer['presets'])}", f"base    {'about ' * about}{said}"]
        lines += [f"first   {answer['first']}"]
    lines += ["" * ("identified" not in answer), f"call    {answer['call']}", "", "largest errors by position"]
    for r in answer["ranges"]:
        at, worst = f"{r['from']} to {r['to'] - 1}", r["worst"]
        lines += [f"  {at:18}  {shown(r['max_abs'], '.1e'):7}  {shown(r['ulp_max'], '.3g'):>8} ULP  {r['word']:8}"]
        lines[-1] += f"  at position {worst['position']}, column {worst['column']}"
    equal = answer["equal_bits"]
    shares = {impl: "all" if share == 1 else f"{min(100 * share, 99.99):.2f} %" for impl, share in equal.items()}
    best = [impl for impl in equal if equal[impl] == max(equal.values())]
    lines += ["", f"closest match: {', '.join(best)} ({shares[best[0]]} of the bits equal)"]
    lines += [f"  {impl:13}{share:>8}" for impl, share in shares.items()]
    if "identified" not in answer:
        said = "holds the table described" if answer["right"] else "does not hold the table described"
        wrong = [r["worst"] for r in answer["ranges"] if not answer["right"] or r["from"] == answer["wrong_from"]]
        if wrong:
            row, column = wrong[0]["position"] - answer["first"], wrong[0]["column"]
            said += f", but not from position {answer['wrong_from']} on" * answer["right"]
            said += f": row {row}, column {column} is {wrong[0]['got']} instead of {wrong[0]['want']}"
        else:
            error, word = max((r["max_abs"], r["word"]) for r in answer["ranges"])
            said += f" (largest error {error:.1e}: {word})"
        lines += ["", said]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m posenc",
        usage="%(prog)s [-h] [--version] [identify ... | presets]",
        description=__doc__,
        epilog="Exit status without arguments: 0, or 1 if a table does not have the bits that every machine must give.",
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    commands = parser.add_subparsers(metavar="identify | presets", prog="python3 -m posenc", dest="command")
    words = "\n".join(f"  {word:8}  {meaning}" for word, meaning in WORDS.items())
    command = commands.add_parser(
        "identify",
        help="identify the preset, base and first position of the table in an .npy file, and its errors",
        description="Identifies the preset, base and first position of the table in an .npy file, and the call of\n"
        "posenc.table that computes it. The rows must be at consecutive integer positions, without a\n"
        "position scale. With --preset, says whether the file holds the table that the options describe.\n\n"
        "Errors are differences from exact in float64. The word after an error is the first of these\n"
        f"that is true of all values in the range of positions:\n{words}\n{RIGHT}",
        epilog="Exit status: 0 identified, or the file holds the table described; 1 not identified, or it does not hold it; "
        "2 wrong usage, or a file that is not a table.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", help="the .npy file, or - for stdin; bfloat16 is stored as uint16 or V2")
    command.add_argument(
        "--preset", choices=[p.name for p in presets()], metavar="NAME", help="the table that the file should hold"
    )
    command.add_argument("--base", type=float, metavar="X", help="the base of that table (default: the preset's)")
    command.add_argument("--first", type=position, metavar="N", help="the position of row 0 of that table (default: 0)")
    command.add_argument(
        "--dtype", choices=[*BITS], help="the dtype of the values (default: the narrowest that represents them all)"
    )
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    commands.add_parser("presets", help="list the presets", description="Lists the tables of real systems.")
    given = parser.parse_args()
    if not given.command:
        return screen()
    if given.command == "presets":
        print(*("{}: {}\n    users: {}\n    first position: {}".format(*preset) for preset in presets()), sep="\n")
        return 0
    if not given.preset and (given.base is not None or given.first is not None):
        command.error("--base and --first need --preset")
    base = {} if given.base is None else {"base": given.base}
    spec = {"preset": given.preset, **base, "first": given.first or 0} if given.preset else None
    name = "standard input" if given.file == "-" else given.file
    try:
        t = load(given.file)
        t.dtype = given.dtype or t.dtype
        t.padding = t.padding if given.preset in (None, "fairseq") else -1
        answer = document(given.file, t, spec)
    except (OSError, ValueError, EOFError, MemoryError) as error:
        why = getattr(error, "strerror", None) or error or "out of memory"
        print(f"posenc identify: {name}: {why}", file=sys.stderr)
        return 2
    print(json.dumps(answer, indent=1) if given.format == "json" else text(answer, name))
    return 0 if answer["right" if spec else "identified"] else 1


if __name__ == "__main__":
    sys.exit(main())
