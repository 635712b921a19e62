"""The answer of `python3 -m posenc audit` about a file: the document for its JSON, and the text made from it."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import os
from typing import Any

from ._audit import Part, may_be_table, of_parts, part_of_frequencies
from ._config import ORIGINAL, parts
from ._files import config, load, tensors
from ._identify import BLOCK, Match, Table, distance, identify, judge
from ._library import implementations

Answer = dict[str, Any]  # what the JSON has about a file, a table, a rotary embedding or a model
MAX_TENSORS = 16  # different tensors of a file that are examined; most files have one or two
#: For the suffixes of files that are not read: why, and what to do instead.
NO_CODE = "to load it could run code; save it as .safetensors, or call posenc.torch.audit(model)"
NO_FORMAT = "GGUF and ONNX files are not read; give the config.json of the model from which this one was made"
INSTEAD = {**dict.fromkeys((".pt", ".pth", ".bin", ".ckpt"), NO_CODE), ".gguf": NO_FORMAT, ".onnx": NO_FORMAT}
#: What the text says for each recipe of `errors`.
RECIPES = {
    "float32": "as loaded: float32 frequencies and angles",
    "bfloat16": "converted: frequencies rounded to bfloat16",
    "float16": "converted: frequencies rounded to float16",
    "float32 angles": "float32 angles of these frequencies",
    "cosines in bfloat16": "unavoidable: right values rounded to bfloat16",
    "cosines in float16": "unavoidable: right values rounded to float16",
}
EXPERIMENT = "in an experiment, rounded frequencies did a small model no harm (docs/accuracy.md in the source)"
ASK = (
    "to be sure, add --transformers: the installed transformers makes the model, without weights, in seconds or minutes"
)


def table_answer(t: Table, expected: dict[str, Any] | None = None, dtype: str | None = None) -> Answer:
    """Returns the answer about a table.

    expected: the arguments of `table` that should give it; None to identify it.
    dtype: the dtype of its values; None for the narrowest.
    """
    t.dtype = dtype or t.dtype
    if expected and expected["preset"] != "fairseq":
        t.padding = -1
    match = Match([expected["preset"]], expected) if expected else identify(t)
    answer: Answer = {"rows": t.rows, "columns": t.columns, "stored": t.stored, "dtype": t.dtype}
    if t.padding >= 0:
        answer["padding_row"] = t.padding
    if not expected:
        answer["identified"] = isinstance(match, Match)
    if isinstance(match, str):
        return {**answer, "reason": match}
    usable = [i for i in implementations() if i.supported and (t.dtype != "float64" or t.dtype in i.dtypes)]
    families = dict.fromkeys(i.family for i in usable)
    answer |= {"presets": match.presets, "base": match.spec.get("base"), "first": match.spec["first"]}
    answer |= {"call": f"posenc.table({t.arguments(match.spec, t.dtype)})", **judge(t, match.spec)}
    return {**answer, "equal_bits": {impl: distance(t, match.spec, t.dtype, impl)[0] for impl in families}}


def tensor_answers(name: str, expected: dict[str, Any] | None, dtype: str | None) -> tuple[list[Answer], list[str]]:
    """Returns the answers about the tables and rotary embeddings in a .safetensors file, and notes."""
    tables, embeddings, notes = [], [], []
    results: dict[Any, Any] = {}  # by content, so that equal tensors are examined once
    for key, x in tensors(name):
        is_table = len(x) > 1
        try:
            if is_table and not may_be_table(x) or expected and not is_table:
                continue
            rows = x[:] if len(x) * x.shape[1] <= 8 * BLOCK else x  # larger tables are read in blocks
            content = x.shape, x.dtype.str, key if rows is x else hashlib.sha256(rows).digest()
            if content not in results:
                if len(results) == MAX_TENSORS:
                    notes = [f"only {MAX_TENSORS} different tensors that may be tables were examined"]
                    continue
                result = table_answer(Table(rows), expected, dtype) if is_table else part_of_frequencies(key, x[0])
                results[content] = result
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None
        result = results[content]
        if isinstance(result, Part):
            embeddings.append(dataclasses.replace(result, name=key))
        elif result and result.get("identified", True):
            tables.append({"name": key, **result})
    return tables + of_parts(embeddings), notes


def file_answer(name: str, expected: dict[str, Any] | None, dtype: str | None, ask: bool) -> Answer:
    """Returns the answer about a file. It has a list of answers, `found`, unless the file is an .npy file.

    expected, dtype: as in `table_answer`. ask: whether transformers is asked about a config.json."""
    answer: Answer = {"schema": 1, "tool": "posenc audit", "file": name}
    suffix = os.path.splitext(name)[1]
    if suffix in INSTEAD:
        raise ValueError(INSTEAD[suffix])
    if suffix == ".safetensors":
        answer["found"], answer["notes"] = tensor_answers(name, expected, dtype)
        return answer
    if suffix != ".json":
        return answer | table_answer(load(name), expected, dtype)
    if ask:
        from .torch._of_transformers import parts as parts_of_transformers

        embeddings, answer["notes"], answer["transformers"] = parts_of_transformers(name)
    else:
        embeddings, answer["notes"] = parts(config(name))
    answer["found"] = of_parts(embeddings)
    return answer


def escaped(text: str, max_length: int = 400) -> str:
    """Returns the beginning of a text from a file. Escapes replace characters that could control a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:max_length])


def answer_text(answer: Answer, name: str, with_calls: bool) -> str:
    """Returns the answer as text. with_calls: whether it has the calls that make right cosines and sines in NumPy."""
    if "found" not in answer:
        return table_text(answer, name)
    transformers, is_config = answer.get("transformers"), name.endswith(".json")
    source = f"read by transformers {transformers}" if transformers else "read by its keys"
    paragraphs, calls = [], []
    for part in answer["found"]:
        title = f"{name}: {escaped(part['name'])}" if part["name"] else name
        paragraphs.append(rotary_text(part, title, source) if "errors" in part else table_text(part, title))
        if with_calls and "errors" in part and part["call"]:
            of_part = f" ({escaped(part['name'])})" if part["name"] else ""
            calls.append(f"instead, in NumPy{of_part}: {part['call']}")
    notes = [f"{name}: {escaped(note)}" for note in answer["notes"]]
    if not answer["found"] and is_config:
        notes = notes or [f"{name}: no rotary embedding was found"]
        if not transformers:
            notes.append("tables, if any, are in the model's .safetensors file")
    elif not answer["found"]:
        notes = notes or [f"{name}: no sinusoidal table and no rotary embedding was found"]
    if is_config and not transformers:
        unsure = [part for part in answer["found"] if {*part["assumed"]} - {"dtype"} and not part["keeps_table"]]
        notes += [ASK] if notes or unsure else []
    return "\n\n".join(filter(None, [*paragraphs, "\n".join(notes), *calls]))


def table_text(answer: Answer, name: str) -> str:
    """Returns the answer about a table as text."""
    stored = f", stored as {answer['stored']}" if answer["dtype"] != answer["stored"] else ""
    lines = [f"{name}: shape ({answer['rows']}, {answer['columns']}), {answer['dtype']}{stored}"]
    if "padding_row" in answer:
        lines.append(f"row {answer['padding_row']} is all zeros, like fairseq's row of padding_idx, and was skipped")
    lines.append("")
    if "reason" in answer:
        return "\n".join([*lines, f"not identified: {answer['reason']}"])
    if "identified" in answer:
        base = answer["base"]
        base_text = "unknown: no value depends on it" if base is None else f"{base:.17g}"
        if base is not None and float(f"{base:.5e}") != base:  # with so many digits it may be a number nearby
            base_text = f"about {base_text}"
        lines += [f"preset  {', '.join(answer['presets'])}", f"base    {base_text}", f"first   {answer['first']}"]
    lines += [f"call    {answer['call']}", "", "largest errors by position"]
    for r in answer["ranges"]:
        at, worst = f"{r['from']} to {r['to'] - 1}", r["worst"]
        error, ulp = (math.inf if r[key] is None else r[key] for key in ("max_abs", "ulp_max"))
        lines += [f"  {at:18}  {error:<7.1e}  {ulp:>8.3g} ULP  {r['word']:8}"]
        lines[-1] += f"  largest error at position {worst['position']}, column {worst['column']}"
    equal = answer["equal_bits"]
    shares = {impl: "all" if share == 1 else f"{min(100 * share, 99.99):.2f} %" for impl, share in equal.items()}
    best = [impl for impl in equal if equal[impl] == max(equal.values())]
    lines += ["", f"closest match: {', '.join(best)} ({shares[best[0]]} of the values equal)"]
    lines += [f"  {impl:13}{share:>8}" for impl, share in shares.items()]
    if "identified" not in answer:
        lines += ["", judgement_text(answer)]
    return "\n".join(lines)


def judgement_text(answer: Answer) -> str:
    """Returns whether a file holds the expected table, and where it is wrong."""
    result = "holds the table described" if answer["right"] else "does not hold the table described"
    wrong = [r["worst"] for r in answer["ranges"] if not answer["right"] or r["from"] == answer["wrong_from"]]
    if not wrong:
        error, word = max((r["max_abs"], r["word"]) for r in answer["ranges"])
        return f"{result} (largest error {error:.1e}: {word})"
    if answer["right"]:
        result += f", but not from position {answer['wrong_from']} on"
    row, column = wrong[0]["position"] - answer["first"], wrong[0]["column"]
    return f"{result}: row {row}, column {column} is {wrong[0]['got']} instead of {wrong[0]['want']}"


def error_text(error: float) -> str:
    return f"{error:#.2g}" if error >= 0.01 else f"{error:.1e}"


def verdict_text(verdict: Answer, rounding: float) -> str:
    """Returns whether a model is right. rounding: the largest error of right values that are rounded to its dtype."""
    error, below = f"{verdict['error']:.2g}", f"below position {verdict['below']:,}"
    if not verdict["right"]:
        when = "" if "dtype" in verdict else ", before or after the conversion"
        return f"wrong already {below}, by up to {error}. Call posenc.torch.replace_rotary(model){when}"
    text = f"right for most uses: errors of at most {error} {below}"
    dtype = verdict.get("dtype", "float32")
    if dtype in ("float32", "float64", ""):
        return text
    first, share = verdict["rounding_exceeded_from"], verdict["share_unequal"]
    if verdict["error"] <= rounding:
        text += f", less than the rounding to {dtype}"
    elif first is not None:
        text += f". Below about {float(f'{first:.2g}'):,.0f} they are smaller than the rounding to {dtype}"
    return f"{text}. {100 * share:.2g} % of the cosines and sines are not the nearest {dtype} numbers"


def rotary_title(part: Answer, source: str) -> str:
    """Returns a description of a rotary embedding, with the keys that were read and what was assumed."""
    scaling, read = part["scaling"], part["read"]
    text = f"{part['model_type']}, " if part["model_type"] else ""
    text += f"rotary embedding, {part['frequencies']} frequencies {part['columns']}, base "
    text += f"about {part['base']:.17g}" if part["is_about"] else f"{part['base']:.17g}"
    text += f" ({read['base']})" if "base" in read else ""
    if scaling.get("rope_type", "default") != "default":
        details = [read["scaling"]] if "scaling" in read else []
        scale = "alpha" if "alpha" in scaling else "factor"
        for key, form in ((scale, f"{scale} {{:g}}"), (ORIGINAL, "original length {:,}")):
            if isinstance(scaling.get(key), (int, float)):
                details.append(form.format(scaling[key]))
        if ORIGINAL in read:
            details.append(f"read from {read[ORIGINAL]}")
        text += f", {scaling['rope_type']} ({', '.join(details)})"
    if part["attention_factor"] != 1:
        text += f", all values times {part['attention_factor']:.4g}"
    assumed = f"assumed: {', '.join(part['assumed'].values())}" if part["assumed"] else "nothing assumed"
    return escaped(f"{text}; {source}, {assumed}" if part["dtype"] else text, 1000)


def rotary_text(part: Answer, name: str, source: str) -> str:
    """Returns the answer about a rotary embedding as text."""
    below, verdicts = part["below"], part["verdicts"]
    lines = [f"{name}: {rotary_title(part, source)}"]
    if part["unread"]:
        lines.append(f"not read: {escaped(', '.join(part['unread']))}")
    rounding = [*part["errors"].values()][-1][-1]
    width = max(len(verdict["model"]) for verdict in verdicts) + 1
    lines.append("")
    if {*part["assumed"]} - {"dtype"}:
        lines.append("If what is assumed holds:")
    lines += [f"{verdict['model'] + ':':{width}}  {verdict_text(verdict, rounding)}" for verdict in verdicts]
    if part["keeps_table"]:
        lines.append("Its code keeps a table of cosines and sines, so a conversion is safe: it rounds only these")
    lines += ["", f"{'largest error of cosines and sines, below position':52}"]
    lines[-1] += "".join(f"  {count:>11,}" for count in below)
    for recipe, errors in part["errors"].items():
        lines += [f"  {RECIPES[recipe]:50}" + "".join(f"  {error_text(error):>11}" for error in errors)]
        lines[-1] += f"   at position {part['position']:,}" if "float32" in recipe else ""
    if part["is_about"]:
        lines.append("the base is a guess, and the errors are differences from its cosines and sines")
    if part["compared"] < below[-1]:
        half = part["compared"] // 2
        lines.append(f"of more than {2 * half:,} positions, the first and the last {half:,} were compared")
    if not all(verdict["right"] for verdict in verdicts[1:]):  # of the model that is converted later
        lines.append(EXPERIMENT)
    return "\n".join(lines)
