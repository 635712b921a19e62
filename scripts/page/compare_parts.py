"""What a comparison is put together from: sections, shown as text or on a page; and what differs in two contexts."""
import dataclasses
import json

from further import columns
from render import Table

# How the contexts' values are called, in this order, then those of other names; and what differs between any two runs and
# says nothing.
CALLED = {"cpu": "CPU", "architecture": "architecture", "emulated": "emulated", "num_cpus": "processors", "compiler": "compiler",
          "c_flags": "flags", "build_type": "build type", "posenc": "version", "version": "version", "date": "date",
          "seed": "seed", "reference": "reference",
          "transparent_huge_pages": "huge pages", "buffer": "pages of the output", "offset": "offset of the output"}
NAMED = 6  # so many things that only one run has are named, more are counted
SILENT = {"executable", "host_name", "library_build_type", "load_avg", "schema", "verified", "tool"}


@dataclasses.dataclass
class Section:
    """folded: pairs of a line and the tables that are shown when it is opened."""
    heading: str
    result: str = ""
    notes: list = dataclasses.field(default_factory=list)
    tables: list = dataclasses.field(default_factory=list)
    folded: list = dataclasses.field(default_factory=list)
    picture: object = None

    def print(self):
        print(f"\n{self.heading}")
        for line in [self.result, *self.notes]:
            if line:
                print(line)
        for table in [*self.tables, *(t for _, tables in self.folded for t in tables)]:
            print(f"\n{table.caption}")
            if table.text:  # sentences, which are not to be read side by side
                for row in table.rows:
                    print("\n".join(f"{row[0]}, {letter}: {text}" for letter, text in zip(table.head[1:], row[1:])))
            else:
                columns(lines_of(table))


def lines_of(table):
    """As text: what stands after a +- has a column of its own."""
    pairs = [any(isinstance(row[i], tuple) for row in table.rows) for i in range(len(table.head))]
    lines = [[c for name, pair in zip(table.head, pairs) for c in ([name, "+-"] if pair else [name])]]
    for row in table.rows:
        lines.append([c for value, pair in zip(row, pairs)
                      for c in (value if isinstance(value, tuple) else [value, ""] if pair else [value])])
    return lines


def context_section(a, b):
    """What differs between two runs beside their results."""
    table = Table("What differs", ["what", "A", "B"], [], text=(1, 2))
    same = []
    for key in [*CALLED, *sorted((set(a) | set(b)) - set(CALLED) - SILENT)]:
        texts = [plain(context.get(key)) for context in (a, b)]
        called = CALLED.get(key, key.replace("not_run.", "not run: ").replace("_", " "))
        if texts[0] != texts[1] and not (key.startswith(("shape.", "level.")) and "-" in texts):
            table.rows.append([called, *texts])
        elif key in CALLED and texts[0] != "-":
            same.append(f"{called} {texts[0]}")
    return Section("What differs beside the results?", "" if table.rows else "Nothing that the runs tell of.",
                   ["the same in both: " + "; ".join(same)] if same else [], [table] if table.rows else [])


def plain(value):
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value)


def counted(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def some(words, separator=", "):
    """All of them, or the first few and how many more."""
    words = list(words)
    return separator.join(words[:NAMED]) + (f"{separator}and {len(words) - NAMED} more" if len(words) > NAMED else "")
