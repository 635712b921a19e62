"""Renders the measured tables, the pictures and the quoted examples of README.md and docs/*.md. These pages are written
by hand, except between two markers:

    <!-- table: NAME -->                   a table of docs/recorded; measured.py has the names
    <!-- example: FILE [PART] -->          a file of examples/, or its lines between [part: PART] and [end: PART]
    <!-- end -->
"""
import difflib
import functools
import re
import sys
import textwrap

from . import measured, record
from .load import TOP, fail, write

MARKED = re.compile(r"(<!-- (table|example): ([^>]*?) -->\n)(.*?)(<!-- end -->)", re.S)
LANGUAGES = {".c": "c", ".cpp": "cpp", ".py": "python", ".txt": "cmake"}
MARK = r"\s*(?:/\*|//|#|<!--)\s*\[(?:part|end): .*\]"
SHOWN = 12  # lines of a difference


def example(name, part=None):
    """The lines without markers and common indentation."""
    path = TOP / "examples" / name
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if part:
        found = re.search(rf"\[part: {re.escape(part)}\].*?\n(.*\n).*?\[end: {re.escape(part)}\]", text, re.S)
        text = found[1] if found else ""
    if not text:
        fail(f"{path}: no lines between [part: {part}] and [end: {part}]" if part else f"{path}: no such example")
    lines = [line for line in text.splitlines() if not re.match(MARK, line)]
    return f"```{LANGUAGES[path.suffix]}\n" + textwrap.dedent("\n".join(lines)).strip("\n") + "\n```\n"


records = functools.cache(measured.Records)


def block(kind, words):
    if kind == "example":
        return example(*words.split())
    name = words.strip()
    if name not in measured.BLOCKS:
        fail(f"<!-- table: {words} -->: no such table; the names are {', '.join(measured.BLOCKS)}")
    return measured.BLOCKS[name](records()) + "\n"


def rendered(text):
    return MARKED.sub(lambda m: m[1] + block(m[2], m[3]) + m[5], text)


def differences(name, current, made):
    lines = list(difflib.unified_diff(current.splitlines(), made.splitlines(), n=0, lineterm=""))[2:]
    return "\n".join([f"{name} is stale: run scripts/maintain/pages", *(f"  {line[:160]}" for line in lines[:SHOWN])])


def drawn_by(text):
    return text.rstrip().rpartition("\n")[2]


def main(args):
    if args.record is not None:
        for name in args.record or [n for n in record.TOOLS if (TOP / f"build/{n}.json").exists()]:
            record.record(name)
    pages = [TOP / "README.md", *sorted(TOP.glob("docs/*.md"))]
    made = {path: rendered(path.read_text(encoding="utf-8")) for path in pages}
    made |= {TOP / name: text for name, text in measured.files(records()).items()}
    status = 0
    for path, text in made.items():
        name, current = path.relative_to(TOP), path.read_text(encoding="utf-8") if path.exists() else ""
        # Another Matplotlib draws another picture.
        other = path.suffix != ".md" and current and drawn_by(current) != drawn_by(text)
        if current == text or args.check and other:
            continue
        if args.check:
            status = 1
            print(differences(name, current, text), file=sys.stderr)
        else:
            write(path, text)
            print(f"pages: wrote {name}", file=sys.stderr)
    return status
