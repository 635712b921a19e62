"""Renders tables as Markdown."""
import re

from . import tables


def escaped(cell):
    """As Markdown shows it, on one line. An underscore within a word is none of its marks."""
    return re.sub(r"([\\*|<>\[\]&]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(cell.split()))


def table(found):
    """Names as code, figures to the right."""
    head, *lines = tables.split(found)
    left = {0} | {head.index(found.head[i]) for i in found.text}
    shown = [" | ".join(map(escaped, head)), "|".join("---" if i in left else "---:" for i in range(len(head)))]
    for name, *cells in lines:
        shown.append(" | ".join([escaped(name) if " " in name else f"`{name}`", *map(escaped, cells)]))
    return "\n".join(f"|{line}|" if line.startswith("---") else f"| {line} |" for line in shown)
