"""Two runs of posenc-bench or two reports of posenc-verify side by side: as text on stdout, and as a page."""
import json
import os
import pathlib
import sys

import compare_bench as bench
import compare_verify as verify
import results
from compare_cases import Run
from render import page, write

BENCH, VERIFY = ("benchmarks", "run of posenc-bench"), ("implementations", "report of posenc-verify")


def read(path):
    """(BENCH or VERIFY, what the file holds), read once: it may be a pipe."""
    try:
        with open(path, encoding="utf-8") as f:
            data = results.whole_run(json.load(f, parse_float=results.finite, parse_constant=results.finite))
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as e:
        results.fail(f"{path}: a text that is no Unicode ({e})")
    except (OSError, ValueError, RecursionError):
        data = results.load(path, *BENCH)  # which says what is wrong
    kind = next((k for k in (BENCH, VERIFY) if isinstance(data, dict) and isinstance(data.get(k[0]), list)), None)
    if not kind:
        results.fail(f"{path}: this is neither a {BENCH[1]} nor a {VERIFY[1]}")
    if kind is VERIFY and (data.get("tool") != "posenc-verify" or data.get("schema") != 1):
        results.fail(f"{path}: this is not a report of posenc-verify with schema 1")
    return kind, data


def understood(path, form, data):
    try:
        return form(data)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as e:
        results.fail(f"{path}: a value is missing or not of the expected form ({type(e).__name__}: {e})")


def main(a, b, output):
    (kind_a, data_a), (kind_b, data_b) = read(a), read(b)
    a, b = (os.fsencode(path).decode(errors="backslashreplace") for path in (a, b))  # to be shown
    if kind_a is not kind_b:
        results.fail(f"{a} is a {kind_a[1]} and {b} a {kind_b[1]}: two of the same are needed")
    module, form = (bench, Run) if kind_a is BENCH else (verify, verify.Report)
    runs = understood(a, form, data_a), understood(b, form, data_b)
    sentences, sections = module.compare(*runs, (a, b))
    warnings = [f"{letter}: {text}" for letter, run in zip("AB", runs) for text in run.warnings]
    title = f"Two {kind_a[1].replace(' ', 's ', 1)} compared"
    path = pathlib.Path(output)
    try:
        write(path, page("compare.html", title=title, sentences=sentences, warnings=warnings, a=a, b=b, sections=sections,
                         how=module.HOW))
    except OSError as e:
        results.fail(f"{e.filename or path}: {e.strerror}")
    try:
        print("\n".join([title, f"A: {a}", f"B: {b}", *sentences]))
        for warning in warnings:
            print(f"warning: {warning}")
        for section in sections:
            section.print()
        print(f"\n{path}", flush=True)
    except BrokenPipeError:  # head, or a pager that was left; the page is written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
