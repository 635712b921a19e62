"""Shows which implementation runs here, compares its error and speed with a NumPy recipe, and checks its bits."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import sys
import warnings
from typing import Any

from . import __version__
from ._answer import numpy_text, plain, text
from ._audit import WRONG, may_be_table, of_parts, part_of_frequencies
from ._config import Part, parts
from ._files import config, load, resolved, tensors
from ._identify import BLOCK, Match, Table, distance, identify
from ._judge import BITS, RIGHT, WORDS, judge
from ._lists import implementations, presets
from ._screen import screen

MOST_TENSORS = 16  # different ones of a file that are described: most files have one or two
#: What to do instead with files that are not read, by suffix.
NO_CODE = "to load it could run code; save it as .safetensors, or call posenc.torch.audit(model)"
NO_FORMAT = "GGUF and ONNX files are not read; give the config.json of the model from which this one was made"
INSTEAD = {**dict.fromkeys((".pt", ".pth", ".bin", ".ckpt"), NO_CODE), ".gguf": NO_FORMAT, ".onnx": NO_FORMAT}


def position(text: str) -> int:
    """A position on the command line."""
    if abs(int(text)) > 2**32:
        raise argparse.ArgumentTypeError(f"{text}: allowed: -2^32 to 2^32")
    return int(text)


def document(t: Table, expected: dict[str, Any] | None = None) -> dict[str, Any]:
    """Returns what the JSON says of a table. expected: the arguments of `table` for it; None to identify it."""
    match = Match([expected["preset"]], expected) if expected else identify(t)
    answer: dict[str, Any] = {"rows": t.rows, "columns": t.columns, "stored": t.stored, "dtype": t.dtype}
    answer |= {"padding_row": t.padding} if t.padding >= 0 else {}
    answer |= {} if expected else {"identified": not isinstance(match, str)}
    if isinstance(match, str):
        return {**answer, "reason": match}
    able = [i for i in implementations() if i.supported and (t.dtype != "float64" or t.dtype in i.dtypes)]
    families = dict.fromkeys(i.family for i in able)
    answer |= {"presets": match.presets, **({} if expected else {"base": match.spec.get("base")})}
    answer |= {"first": match.spec["first"], "call": f"posenc.table({t.arguments(match.spec, t.dtype)})"}
    answer |= judge(t.blocks(match.spec["first"]), t.columns, t.dtype, match.spec)
    return {**answer, "equal_bits": {impl: distance(t, match.spec, t.dtype, impl)[0] for impl in families}}


def described(
    name: str, expected: dict[str, Any] | None = None, dtype: str | None = None, ask: bool = False
) -> dict[str, Any]:
    """Returns the answer about a file for the JSON. It has a list, `found`, unless the file is an .npy file.

    expected: as in `document`. dtype: that of a table's values, or None for the narrowest. ask: ask transformers."""

    def of_table(t: Table) -> dict[str, Any]:
        t.dtype = dtype or t.dtype
        t.padding = t.padding if (expected or {}).get("preset") in (None, "fairseq") else -1
        return document(t, expected)

    answer: dict[str, Any] = {"schema": 1, "tool": "posenc audit", "file": name}
    suffix, items = os.path.splitext(name)[1], []
    if suffix in INSTEAD:
        raise ValueError(INSTEAD[suffix])
    if suffix == ".json":
        if ask:
            from .torch._of_transformers import parts as parts_of_transformers

            embeddings, answer["notes"], answer["transformers"] = parts_of_transformers(name)
        else:
            embeddings, answer["notes"] = parts(config(name))
        items = of_parts(embeddings)
    elif suffix == ".safetensors":
        embeddings: list[Part | None] = []
        seen: dict[Any, dict[str, Any]] = {}  # equal tensors are described once
        for key, x in tensors(name):
            try:
                is_table = len(x) > 1
                if is_table and not may_be_table(x) or expected and not is_table:
                    continue
                rows = x[:] if len(x) * x.shape[1] <= 8 * BLOCK else x  # larger tables are read in blocks
                content = x.shape, x.dtype.str, key if rows is x else hashlib.sha256(rows).digest()
                if content not in seen and len(seen) == MOST_TENSORS:
                    answer["notes"] = [f"only {MOST_TENSORS} different tensors that may be tables were examined"]
                elif not is_table:
                    embeddings.append(part_of_frequencies(key, x[0]))
                    seen[content] = {}
                else:
                    part = seen[content] = seen.get(content) or of_table(Table(rows))
                    items += [{"name": key, **part}] if part.get("identified", True) else []
            except ValueError as error:
                raise ValueError(f"{key}: {error}") from None
        items += of_parts([each for each in embeddings if each])
    else:
        return answer | of_table(load(name))
    return {**answer, "found": items}


def command() -> int:
    """Parses the arguments, prints the answer and returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 -m posenc",
        usage="%(prog)s [-h] [--version] [audit ... | presets]",
        description=__doc__,
        epilog="Exit status without arguments: 0, or 1 if a table does not have the bits that every machine must give.",
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    commands = parser.add_subparsers(metavar="audit | presets", prog="python3 -m posenc", dest="command")
    words = "\n".join(f"  {word:8}  {meaning}" for word, meaning in WORDS.items())
    audit = commands.add_parser(
        "audit",
        help="describe the rotary embedding of a config.json, or the tables in a file, and their errors",
        description="Describes rotary embeddings and sinusoidal tables: their largest errors, and the call that replaces them.\n"
        "It identifies the preset, base and first position of a table, whose rows must be at consecutive integer\n"
        "positions, without a position scale. With --preset, it says whether a file holds the table described.\n"
        f"A rotary embedding is wrong where cosines or sines are off by more than {WRONG}.\n\n"
        "Errors are differences from exact in float64. The word after an error of a table is the first of these\n"
        f"that is true of all values in the range of positions:\n{words}\n{RIGHT}",
        epilog="Exit status: 0 something was described, right or wrong; 1 nothing was found, or not the table described; "
        "2 wrong usage, or a file that cannot be read.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    audit.add_argument(
        "path",
        help="a config.json of transformers or its folder, a .safetensors file, an .npy file, or - for an .npy file on "
        "stdin; bfloat16 in an .npy file is stored as uint16 or V2",
    )
    audit.add_argument(
        "--preset", choices=[p.name for p in presets()], metavar="NAME", help="the table that the file should hold"
    )
    audit.add_argument("--base", type=float, metavar="X", help="the base of that table (default: the preset's)")
    audit.add_argument("--first", type=position, metavar="N", help="the position of row 0 of that table (default: 0)")
    audit.add_argument(
        "--dtype", choices=[*BITS], help="the dtype of the values (default: the narrowest that represents them all)"
    )
    audit.add_argument(
        "--transformers",
        action="store_true",
        help="for a config.json that you trust: ask the installed transformers what its model computes, in seconds",
    )
    audit.add_argument("--numpy", action="store_true", help="print the calls that make right cosines and sines, too")
    audit.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    commands.add_parser("presets", help="list the presets", description="Lists the tables of real systems.")
    arguments, others = parser.parse_known_args()
    if others:
        parser.error(f"unrecognized arguments: {plain(' '.join(others))}")
    if not arguments.command:
        return screen()
    if arguments.command == "presets":
        print(*("{}: {}\n    users: {}\n    first position: {}".format(*preset) for preset in presets()), sep="\n")
        return 0
    if not arguments.preset and (arguments.base is not None or arguments.first is not None):
        audit.error("--base and --first need --preset")
    base = {} if arguments.base is None else {"base": arguments.base}
    spec = {"preset": arguments.preset, **base, "first": arguments.first or 0} if arguments.preset else None
    path = arguments.path
    try:
        path = resolved(path)
        if path.endswith(".json") and (spec or arguments.dtype):
            raise ValueError("--preset and --dtype are for tables, and a config has none")
        if arguments.transformers and not path.endswith(".json"):
            raise ValueError("--transformers is for a config.json")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of NumPy do not help a reader
            answer = described(path, spec, arguments.dtype, arguments.transformers)
        name = "standard input" if path == "-" else plain(path, 4096)
        output = json.dumps(answer, indent=1) if arguments.format == "json" else text(answer, name)
        output += numpy_text(answer) if arguments.numpy and arguments.format == "text" else ""
    except Exception as error:  # a hostile file may cause errors of many types
        kind = "" if isinstance(error, (OSError, ValueError, TypeError)) else f"{type(error).__name__}: "
        why = getattr(error, "strerror", None) or kind + str(error)
        name = getattr(error, "filename", None) or ("standard input" if path == "-" else path)
        print(f"posenc audit: {plain(str(name), 4096)}: {plain(why)[:400]}", file=sys.stderr)
        return 2
    print(output)
    answers = answer.get("found", [answer])
    return 0 if answers and all(each["right"] if spec else each.get("identified", True) for each in answers) else 1


def main() -> int:
    """Runs the command, and prints its output at the end. A reader that left, such as `head`, is no error."""
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
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes again at exit
    return status


if __name__ == "__main__":
    sys.exit(main())
