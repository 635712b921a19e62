"""Tables and sections, and how they are written as text and as Markdown. templates/page.html writes them as HTML."""
import dataclasses
import re


@dataclasses.dataclass
class Table:
    """A cell is a text, or a pair: a value, and half the interquartile range that follows its ±. The first column names
    the row; the columns numbered in text are aligned left; bold: the names of rows that are emphasized on the page; bars:
    for each row the length of the bar behind its last cell, as a share of the cell; gap: the rows above a gap, or 0."""

    title: str
    head: list
    rows: list
    note: str = ""
    text: tuple = ()
    bold: tuple = ()
    bars: tuple = ()
    gap: int = 0


def of_columns(title, columns, **more):
    """A table. columns: [(heading, its cells)]"""
    head, cells = zip(*columns)
    return Table(title, [*head], [list(row) for row in zip(*cells)], **more)


@dataclasses.dataclass
class Section:
    """finding: a sentence that says what the section shows; notes: more sentences; folds: {line: the tables that the
    page hides behind it}; figures: [(picture, its heading, its caption)] of the page."""

    heading: str
    finding: str = ""
    tables: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    folds: dict = dataclasses.field(default_factory=dict)
    figures: list = dataclasses.field(default_factory=list)


def split(table):
    """(its lines of plain cells, the numbers of the columns that are aligned left). What follows a ± has a column of its
    own, which moves the columns after it."""
    lines, left = [[] for _ in range(len(table.rows) + 1)], []
    for i, (name, *cells) in enumerate(zip(table.head, *table.rows)):
        if i == 0 or i in table.text:
            left.append(len(lines[0]))
        pairs = [cell if isinstance(cell, tuple) else (cell, "") for cell in cells]
        has_spread = any(spread for _, spread in pairs)
        for line, (value, spread) in zip(lines, [(name, "+-"), *pairs]):
            line += [value, spread or "-"] if has_spread else [value]
    return lines, left


def lines(table):
    """Its lines, aligned."""
    lines, left = split(table)
    widths = [max(map(len, column)) for column in zip(*lines)]
    for number, line in enumerate(lines):
        cells = [cell.ljust(w) if i in left else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))]
        if table.gap and number == table.gap + 1:
            yield ""
        yield "  ".join(cells).rstrip()


def show(table):
    print("\n".join(filter(None, [table.title, *lines(table), table.note])))


def show_section(section):
    print("\n".join(["", section.heading, *filter(None, [section.finding]), *section.notes]))
    for line, tables in {"": section.tables, **section.folds}.items():
        if line:
            print(f"\n{line}", end="")
        for table in tables:
            print()
            show(table if table.title != line else dataclasses.replace(table, title=""))


def escaped(cell):
    """For Markdown, on one line. An underscore within a word needs no escape."""
    return re.sub(r"([\\*|<>\[\]&]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(cell.split()))


def markdown(table):
    """Names as code, figures aligned right."""
    (head, *rows), left = split(table)
    shown = [map(escaped, head)] + [
        [escaped(name) if " " in name else f"`{name}`", *map(escaped, cells)] for name, *cells in rows
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in shown]
    rule = "|".join("---" if i in left else "---:" for i in range(len(head)))
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])
