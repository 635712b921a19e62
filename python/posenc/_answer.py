"""The texts that `python3 -m posenc audit` prints."""

from __future__ import annotations

from typing import Any, Iterator

KINDS = {
    "float32": "float32 frequencies and angles",
    "bfloat16": "frequencies rounded to bfloat16",
    "float16": "frequencies rounded to float16",
    "float32 angles": "float32 angles of these frequencies",
    "cosines in bfloat16": "for comparison: right cosines stored in bfloat16",
    "cosines in float16": "for comparison: right cosines stored in float16",
}
ASK = "to ask the installed transformers in place of the keys, add --transformers; only for files that you trust"
NONE = "tables, if any, are in the model's .safetensors file"


def plain(text: str, most: int = 400) -> str:
    """Returns the beginning of a text from a file, with escapes for what a terminal would obey."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:most])


def shown(value: float | None, form: str) -> str:
    return "inf" if value is None else format(value, form)


def of_parts(answer: dict[str, Any], name: str) -> Iterator[str]:
    """Yields the paragraphs on the tables and rotary embeddings of a file."""
    asked, is_config = answer.get("transformers"), name.endswith(".json")
    source = f"read by transformers {asked}" if asked else "read by its keys"
    for part in answer["found"]:
        title = f"{name}: {plain(part['name'])}" if part["name"] else name
        yield rotary_text(part, title, source) if "errors" in part else text(part, title)
    notes = [f"{name}: {plain(note)}" for note in answer.get("notes", [])]
    if not answer["found"]:
        none = "no rotary embedding was found" if is_config else "no sinusoidal table and no rotary embedding was found"
        notes = notes or [f"{name}: {none}"]
        notes += [NONE] if is_config else []
    if is_config and not asked and (notes or any({*part["assumed"]} - {"dtype"} for part in answer["found"])):
        notes.append(ASK)
    if notes:
        yield "\n".join(notes)


def text(answer: dict[str, Any], name: str) -> str:
    """The answer as text."""
    if "found" in answer:
        return "\n\n".join(of_parts(answer, name))
    kept = f", stored as {answer['stored']}" * (answer["dtype"] != answer["stored"])
    lines = [f"{name}: shape ({answer['rows']}, {answer['columns']}), {answer['dtype']}{kept}"]
    zeros = f"row {answer.get('padding_row')} is all zeros, like fairseq's row of padding_idx, and was skipped"
    lines += [zeros] * ("padding_row" in answer)
    if "reason" in answer:
        return "\n".join([*lines, "", f"not identified: {answer['reason']}"])
    if "identified" in answer:
        base = answer["base"]
        words = "unknown: no value depends on it" if base is None else f"{base:.17g}"
        if base is not None and float(f"{base:.5e}") != base:  # a number of so many digits may be one near it
            words = f"about {words}"
        lines += ["", f"preset  {', '.join(answer['presets'])}", f"base    {words}"]
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
        words = "holds the table described" if answer["right"] else "does not hold the table described"
        wrong = [r["worst"] for r in answer["ranges"] if not answer["right"] or r["from"] == answer["wrong_from"]]
        if wrong:
            row, column = wrong[0]["position"] - answer["first"], wrong[0]["column"]
            words += f", but not from position {answer['wrong_from']} on" * answer["right"]
            words += f": row {row}, column {column} is {wrong[0]['got']} instead of {wrong[0]['want']}"
        else:
            error, word = max((r["max_abs"], r["word"]) for r in answer["ranges"])
            words += f" (largest error {error:.1e}: {word})"
        lines += ["", words]
    return "\n".join(lines)


def number(error: float) -> str:
    return f"{error:#.2g}" if error >= 0.01 else f"{error:.1e}"


def verdict_text(verdict: dict[str, Any], rounding: float) -> str:
    """Whether a model is right, in words. rounding: the largest error of right values in its dtype."""
    error = number(verdict["error"])
    if not verdict["right"]:
        return f"wrong, by {error} below position {verdict['below']:,}. Call posenc.torch.replace_rotary(model)"
    words = f"right for most uses, off by at most {error} below position {verdict['below']:,}"
    dtype = verdict.get("dtype", "float32")
    if dtype in ("float32", ""):
        return words
    first, share = verdict["rounding_exceeded_from"], verdict["share_unequal"]
    if verdict["error"] <= rounding:
        words += f". Float32 angles err less than {dtype} rounds"
    elif first is not None:
        words += f". Float32 angles err more than {dtype} rounds from about position {float(f'{first:.2g}'):,.0f} on"
    return f"{words}; {100 * share:.2g} % of the {dtype} cosines and sines differ from the nearest ones"


def rotary_title(part: dict[str, Any], source: str) -> str:
    """What a rotary embedding is, and what was read and assumed."""
    scaling, read = part["scaling"], part["read"]
    words = f"{part['model_type']}, " if part["model_type"] else ""
    words += f"rotary embedding, {part['frequencies']} frequencies {part['columns']}, base "
    words += f"about {part['base']:.17g}" if part["is_about"] else f"{part['base']:.17g}"
    words += f" ({read['base']})" if "base" in read else ""
    if scaling.get("rope_type", "default") != "default":
        forms = {"alpha": "alpha {:g}"} if "alpha" in scaling else {"factor": "factor {:g}"}
        forms["original_max_position_embeddings"] = "from {:,} positions"
        details = [read["scaling"]] if "scaling" in read else []
        details += [
            form.format(scaling[key]) for key, form in forms.items() if isinstance(scaling.get(key), (int, float))
        ]
        details += [f"read from {read[key]}" for key in forms if key in read]
        words += f", {scaling['rope_type']} ({', '.join(details)})"
    assumed = f"assumed: {', '.join(part['assumed'].values())}" if part["assumed"] else "nothing assumed"
    return plain(f"{words}; {source}, {assumed}" if part["dtype"] else words, 1000)


def rotary_text(part: dict[str, Any], name: str, source: str) -> str:
    """The answer about a rotary embedding."""
    below, most, verdicts = part["below"], part["below"][-1], part["verdicts"]
    lines = [f"{name}: {rotary_title(part, source)}"]
    if part["unread"]:
        lines.append(f"not read: {plain(', '.join(part['unread']))}")
    rounding = [*part["errors"].values()][-1][-1]
    wide = max(len(verdict["model"]) for verdict in verdicts) + 1
    lines += ["", *(f"{verdict['model'] + ':':{wide}}  {verdict_text(verdict, rounding)}" for verdict in verdicts)]
    lines += ["", f"{'largest error of cosines and sines, below position':52}"]
    lines[-1] += "".join(f"  {count:>11,}" for count in below)
    for kind, row in part["errors"].items():
        lines += [f"  {KINDS[kind]:50}" + "".join(f"  {number(error):>11}" for error in row)]
        lines[-1] += f"   at position {part['position']:,}" if "float32" in kind else ""
    if part["is_about"]:
        lines.append("the base is a guess, and the errors are differences from its cosines and sines")
    if part["compared"] < most:
        half = part["compared"] // 2
        lines.append(f"of more than {2 * half:,} positions, the first and the last {half:,} were compared")
    return "\n".join(lines)


def numpy_text(answer: dict[str, Any]) -> str:
    """The calls that make the cosines and sines in NumPy."""
    calls = [(part["name"], part["call"]) for part in answer.get("found", []) if "errors" in part and part["call"]]
    return "".join(f"\n\ninstead, in NumPy{' (' + plain(name) + ')' if name else ''}: {call}" for name, call in calls)
