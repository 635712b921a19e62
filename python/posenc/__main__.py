"""Shows which implementation runs here, compares its error and speed with a NumPy recipe, and checks its bits."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from . import __version__
from ._audit import MOST, may_be_table, of_config, of_frequencies
from ._files import config, load, tensors
from ._identify import Found, Table, distance, identify
from ._judge import BITS, RIGHT, WORDS, judge
from ._lists import implementations, presets
from ._rotary_config import known_types, of_json
from ._screen import screen


def position(text: str) -> int:
    """A position on the command line."""
    if abs(int(text)) > 2**32:
        raise argparse.ArgumentTypeError(f"{text}: allowed: -2^32 to 2^32")
    return int(text)


def document(t: Table, given: dict[str, Any] | None = None) -> dict[str, Any]:
    """Returns what the JSON says of a table. given: the arguments of `table` for the expected table; None to identify it."""
    found = Found([given["preset"]], given) if given else identify(t)
    answer: dict[str, Any] = {"rows": t.rows, "columns": t.columns, "stored": t.stored, "dtype": t.dtype}
    answer |= {"padding_row": t.padding} if t.padding >= 0 else {}
    answer |= {} if given else {"identified": not isinstance(found, str)}
    if isinstance(found, str):
        return {**answer, "reason": found}
    able = [i for i in implementations() if i.supported and (t.dtype != "float64" or t.dtype in i.dtypes)]
    families = dict.fromkeys(i.family for i in able)
    answer |= {"presets": found.presets, **({} if given else {"base": found.spec.get("base")})}
    answer |= {"first": found.spec["first"], "call": f"posenc.table({t.arguments(found.spec, t.dtype)})"}
    answer |= judge(t.blocks(found.spec["first"]), t.columns, t.dtype, found.spec)
    return {**answer, "equal_bits": {impl: distance(t, found.spec, t.dtype, impl)[0] for impl in families}}


def described(name: str, given: dict[str, Any] | None = None, dtype: str | None = None) -> dict[str, Any]:
    """Returns the answer about a file for the JSON. It has a list, `found`, unless the file is an .npy file.

    given: as in `document`. dtype: the one of a table's values, or None for the narrowest."""

    def of_table(t: Table) -> dict[str, Any]:
        t.dtype = dtype or t.dtype
        t.padding = t.padding if (given or {}).get("preset") in (None, "fairseq") else -1
        return document(t, given)

    answer: dict[str, Any] = {"schema": 1, "tool": "posenc audit", "file": name}
    suffix, found = os.path.splitext(name)[1], []
    if suffix in (".pt", ".pth", ".bin", ".ckpt"):
        raise ValueError("to load it could run code; save it as .safetensors, or call posenc.torch.audit(model)")
    if suffix == ".json":
        one, parts = of_json(config(name))
        found = [{"model_type": one.model_type, "layer_type": key, **of_config(said)} for key, said in parts.items()]
        answer |= {"not_in_the_file": one.taken} if one.taken else {}
    elif suffix == ".safetensors":
        for key, x in tensors(name):
            try:
                if x.ndim == 1:
                    part = None if given else of_frequencies(x)
                else:
                    rows = x.reshape(-1, x.shape[-1])
                    part = of_table(Table(rows)) if may_be_table(rows) else None
            except ValueError as error:
                raise ValueError(f"{key}: {error}") from None
            found += [{"name": key, **part}] if part and part.get("identified", True) else []
    else:
        return answer | of_table(load(name))
    return {**answer, "found": found}


def plain(text: str) -> str:
    """Returns the beginning of a text from a file, with escapes for what a terminal would obey."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:400])


def shown(value: float | None, form: str) -> str:
    return "inf" if value is None else format(value, form)


def text(answer: dict[str, Any], name: str) -> str:
    """The answer as text."""
    if "found" in answer:
        named = [(part, f"{name}: {plain(part['name'])}" if "name" in part else name) for part in answer["found"]]
        parts = [(rotary_text if "errors" in part else text)(part, said) for part, said in named]
        taken = ", ".join(f"{key} {value}" for key, value in answer.get("not_in_the_file", {}).items())
        parts += [f"not in the file, and taken as transformers does: {taken}"] * bool(taken)
        none = "no sinusoidal table and no rotary embedding was found"
        if name.endswith(".json"):
            none = "no rotary embedding was found; tables, if any, are in the model's .safetensors file"
        return "\n\n".join(parts) or f"{name}: {none}"
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
        lines[-1] += f"  largest error at position {worst['position']}, column {worst['column']}"
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


KINDS = {
    "float32": "float32 frequencies and angles (transformers)",
    "bfloat16": "frequencies rounded to bfloat16 (.to(torch.bfloat16))",
    "float32 angles": "float32 angles of these frequencies",
    "cosines in bfloat16": "for comparison: cosines stored in bfloat16",
}
UNKNOWN = "posenc does not know this model_type, and reads its keys as those of llama."
LOADED = "from_pretrained(..., dtype=torch.bfloat16) keeps float32 frequencies; model.to(torch.bfloat16) rounds them."


def instead(part: dict[str, Any]) -> str:
    """The call of posenc.torch that replaces a rotary embedding."""
    if part.get("model_type") in known_types():
        return "replace_rotary(model)"
    if "model_type" in part:
        return 'RotaryEmbedding(config, layout="halves"), or "pairs", as in your module'
    own = f"; RotaryEmbedding({2 * part['frequencies']}, base={part['base']!r}) in your own module"
    return "replace_rotary(model) in a model of transformers" + own * (not part["about"])


def rotary_text(part: dict[str, Any], name: str) -> str:
    """What was found of a rotary embedding, as text."""
    s, below, most = part.get("scaling", {}), part["below"], part["below"][-1]
    head = f"{name}: " + "".join(f"{plain(part[key])}, " for key in ("model_type", "layer_type") if part.get(key))
    size = f"of heads of {part['head_dim']}" if "head_dim" in part else f"in {part['dtype']}"
    about = "about " * part.get("about", False)
    head += f"rotary embedding, {part['frequencies']} frequencies {size}, base {about}{part['base']:.17g}"
    if s.get("rope_type", "default") != "default":
        names = {"factor": "factor {:g}", "original_max_position_embeddings": "from {:,} positions"}
        more = ", ".join(form.format(s[key]) for key, form in names.items() if isinstance(s.get(key), (int, float)))
        head += f", type {s['rope_type']} ({more})".replace(" ()", "")
    lines = [head, "", f"{'largest error of cosines and sines, below position':54}"]
    lines[-1] += "".join(f"{count:>11,}" for count in below)
    for kind, row in part["errors"].items():
        numbers = [f"{error:#.2g}" if error >= 0.01 else f"{error:.1e}" for error in row]
        lines += [f"  {KINDS[kind]:52}" + "".join(f"{number:>11}" for number in numbers)]
        lines[-1] += f"   at position {part['position']:,}" * ("float32" in kind)
    lines += ["the base is a guess, and the errors are differences from its cosines and sines"] * bool(about)
    lines += [f"of {most:,} positions, the first and the last {MOST // 2:,} were compared"] * (most > MOST)
    if "model_type" in part:
        lines += [LOADED if part["model_type"] in known_types() else UNKNOWN]
    lines += ["", f"instead, in PyTorch   posenc.torch.{instead(part)}"]
    return "\n".join(lines + [f"instead, in NumPy     {part['call']}"] * bool(part["call"]))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m posenc",
        usage="%(prog)s [-h] [--version] [audit ... | presets]",
        description=__doc__,
        epilog="Exit status without arguments: 0, or 1 if a table does not have the bits that every machine must give.",
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    commands = parser.add_subparsers(metavar="audit | presets", prog="python3 -m posenc", dest="command")
    words = "\n".join(f"  {word:8}  {meaning}" for word, meaning in WORDS.items())
    command = commands.add_parser(
        "audit",
        help="describe the rotary embedding of a config.json, or the tables in a file, and their errors",
        description="Describes rotary embeddings and sinusoidal tables: their largest errors, and the call that replaces them.\n"
        "It identifies the preset, base and first position of a table, whose rows must be at consecutive integer\n"
        "positions, without a position scale. With --preset, it says whether a file holds the table described.\n\n"
        "Errors are differences from exact in float64. The word after an error of a table is the first of these\n"
        f"that is true of all values in the range of positions:\n{words}\n{RIGHT}",
        epilog="Exit status: 0 something was described, right or wrong; 1 nothing was found, or not the table described; "
        "2 wrong usage, or a file that cannot be read.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "path",
        help="a config.json of transformers or its folder, a .safetensors file, an .npy file, or - for an .npy file on "
        "stdin; bfloat16 in an .npy file is stored as uint16 or V2",
    )
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
    path = os.path.join(given.path, "config.json") if os.path.isdir(given.path) else given.path
    if not given.preset and (given.base is not None or given.first is not None):
        command.error("--base and --first need --preset")
    if path.endswith(".json") and (given.preset or given.dtype):
        command.error("--preset and --dtype are for tables, and a config has none")
    base = {} if given.base is None else {"base": given.base}
    spec = {"preset": given.preset, **base, "first": given.first or 0} if given.preset else None
    name = "standard input" if path == "-" else path
    try:
        answer = described(path, spec, given.dtype)
        said = json.dumps(answer, indent=1) if given.format == "json" else text(answer, name)
    except Exception as error:  # a hostile file may cause errors of many types
        kind = "" if isinstance(error, (OSError, ValueError, TypeError)) else f"{type(error).__name__}: "
        why = getattr(error, "strerror", None) or kind + str(error)
        print(f"posenc audit: {name}: {plain(why)[:400]}", file=sys.stderr)
        return 2
    print(said)
    found = answer.get("found", [answer])
    return 0 if found and all(part["right"] if spec else part.get("identified", True) for part in found) else 1


if __name__ == "__main__":
    sys.exit(main())
