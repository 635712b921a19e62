"""Renders tables and sections as text for a terminal."""
from . import tables


def show(table):
    lines = tables.split(table)
    # A column that has a second one for its ± moves those after it.
    left = {0} | {lines[0].index(table.head[i]) for i in table.text}
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    print(table.title)
    for line in lines:
        cells = [cell.ljust(w) if i in left else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())
    if table.note:
        print(table.note)


def show_section(section):
    print("\n".join(["", section.heading, *section.notes]))
    for table in section.tables:
        print()
        show(table)
