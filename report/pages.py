"""Renders the measured tables, the pictures and the quoted examples of README.md, python/README.md and docs/*.md. The
pages are written by hand but for what stands between two markers:

    <!-- table: NAME -->                   a table of docs/recorded; markdown.py has the names
    <!-- example: FILE PART -->            a part of a file of examples/, between [part: PART] and [end: PART]
    <!-- end -->
"""
import argparse
import difflib
import functools
import re
import sys
import textwrap

from . import record
from .load import TOP, fail, write

MARKED = re.compile(r"(<!-- (table|example): ([^>]*?) -->\n)(.*?)(<!-- end -->)", re.S)
LANGUAGES = {".c": "c", ".cpp": "cpp", ".py": "python", ".txt": "cmake"}
OPEN = r"\s*(?:/\*|//|#|<!--)\s*\[part: {}\]"
CLOSE = OPEN.replace("part:", "end:")
SHOWN = 12  # lines of a difference


def example(name, part):
    """Without the marker lines and the indentation that its lines have in common."""
    path = TOP / "examples" / name
    lines = (
        path.read_text(encoding="utf-8").splitlines() if path.is_file() else fail(f"{path}: there is no such example")
    )
    first, last = (
        [i for i, line in enumerate(lines) if re.match(form.format(re.escape(part)), line)] for form in (OPEN, CLOSE)
    )
    if not first or not last:
        fail(f"{path}: no lines between [part: {part}] and [end: {part}]")
    kept = [
        line
        for line in lines[first[0] + 1 : last[0]]
        if not re.match(OPEN.format(".*"), line) and not re.match(CLOSE.format(".*"), line)
    ]
    return f"```{LANGUAGES[path.suffix]}\n" + textwrap.dedent("\n".join(kept)).strip("\n") + "\n```\n"


@functools.cache
def records():
    from .markdown import Records

    return Records()


def block(kind, words):
    if kind == "example":
        if len(words.split()) != 2:
            fail(f"<!-- example: {words} -->: a file of examples/ and the name of a part are needed")
        return example(*words.split())
    from .markdown import BLOCKS

    if words not in BLOCKS:
        fail(f"<!-- table: {words} -->: there is no such table; the names are {', '.join(BLOCKS)}")
    return BLOCKS[words](records()) + "\n"


def rendered(text):
    return MARKED.sub(lambda m: m[1] + block(m[2], m[3]) + m[5], text)


def differences(name, there, made):
    lines = list(difflib.unified_diff(there.splitlines(), made.splitlines(), n=0, lineterm=""))[2:]
    return "\n".join([f"{name} is not what ./scripts/pages renders", *(f"  {line[:160]}" for line in lines[:SHOWN])])


def drawn_by(svg):
    return svg.rstrip().rpartition("\n")[2]


def main(given=None):
    parser = argparse.ArgumentParser(
        prog="pages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 when a page differs")
    parser.add_argument(
        "--record",
        nargs="*",
        metavar="NAME",
        choices=list(record.WHAT),
        help="first copy the last runs (verify, bench, peers; default: those that are in build/) to docs/recorded",
    )
    args = parser.parse_args(given)
    if args.record is not None:
        for name in args.record or [n for n in record.WHAT if (TOP / f"build/{n}.json").exists()]:
            record.record(name, TOP / f"build/{name}.json")
    from .markdown import pictures

    pages = [TOP / "README.md", TOP / "python/README.md", *sorted(TOP.glob("docs/*.md"))]
    made = {path: rendered(path.read_text(encoding="utf-8")) for path in pages}
    made |= {TOP / name: svg for name, svg in pictures(records()).items()}
    status = 0
    for path, text in made.items():
        there = path.read_text(encoding="utf-8") if path.exists() else ""
        other = (
            path.suffix == ".svg" and there and drawn_by(there) != drawn_by(text)
        )  # another Matplotlib draws another picture
        if there != text and not (other and args.check):
            status = int(args.check)
            print(
                differences(path.relative_to(TOP), there, text)
                if args.check
                else f"pages: wrote {path.relative_to(TOP)}",
                file=sys.stderr,
            )
            if not args.check:
                write(path, text)
    return status
