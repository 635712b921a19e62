"""Renders tables as text for a terminal, and as Markdown."""
import dataclasses
import re

from . import tables


def lines(table):
    """Its lines, aligned."""
    lines = tables.split(table)
    # A column of ± moves the columns after it.
    left = {0} | {lines[0].index(table.head[i]) for i in table.text}
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for number, line in enumerate(lines):
        cells = [cell.ljust(w) if i in left else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))]
        if table.gap and number == table.gap + 1:
            yield ""
        yield "  ".join(cells).rstrip()


def show(table):
    print("\n".join(filter(None, [table.title, *lines(table), table.note])))


def show_section(section):
    print("\n".join(["", section.heading, *filter(None, [section.finding]), *section.notes]))
    for line, found in {"": section.tables, **section.folds}.items():
        if line:
            print(f"\n{line}", end="")
        for table in found:
            print()
            show(table if table.title != line else dataclasses.replace(table, title=""))


def escaped(cell):
    """For Markdown, on one line. An underscore within a word needs no escape."""
    return re.sub(r"([\\*|<>\[\]&]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(cell.split()))


def markdown(table):
    """Names as code, figures aligned right."""
    head, *lines = tables.split(table)
    left = {0} | {head.index(table.head[i]) for i in table.text}
    shown = [" | ".join(map(escaped, head)), "|".join("---" if i in left else "---:" for i in range(len(head)))]
    for name, *cells in lines:
        shown.append(" | ".join([escaped(name) if " " in name else f"`{name}`", *map(escaped, cells)]))
    return "\n".join(f"|{line}|" if line.startswith("---") else f"| {line} |" for line in shown)
