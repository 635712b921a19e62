"""Statistics of runs of posenc-bench: medians, spreads, limits. judge.py decides what is faster."""
import re
import statistics
from typing import NamedTuple, Optional

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
ENOUGH = 3  # repetitions; fewer have no spread
TABLES = ("fill", "fill_pair", "fill_at", "fill_at_real")  # calls that write rows of a table
STORES = ("store", "stream")
SIZES = {"float32": 4, "float64": 8, "bfloat16": 2, "float16": 2}  # bytes of an element, by the dtype's name


class Case(NamedTuple):
    """What a case measures.
    kind: the call, and what else distinguishes the work, joined by a slash: fill, fill/whisper
    who: the implementation, the peer, or the name of a limit; None for a work
    n, d: rows and columns of the table
    end: all positions are smaller; None where that is n
    offset: the output's address modulo 64; None where it is that of the run"""

    kind: str
    who: Optional[str]
    n: int
    d: int
    dtype: str = "float32"
    end: Optional[int] = None
    offset: Optional[int] = None

    @property
    def call(self):
        """fill_at of fill_at/in_a_row"""
        return self.kind.split("/")[0]

    @property
    def size(self):
        return self.n, self.d

    @property
    def work(self):
        """The case without `who`. Cases of the same work can be compared."""
        return self.by(None)

    @property
    def is_table(self):
        """Whether the work is the paper's float32 table from position 0, at the run's offset."""
        return self.work == Case("fill", None, *self.size)

    def by(self, who):
        return self._replace(who=who)


class Row:
    """The repetitions of one case.
    rows: that a pass of the first turn writes; fewer than the table has, where it writes a part of it; 0: it writes none
    error, not_nearest: the largest, and how many values are not the nearest, if the program that measured also compared
    values: nanoseconds per element, or per pass that writes none, of each repetition
    ns, spread: their median, and their interquartile range divided by it; None for fewer than ENOUGH"""

    def __init__(self, case, b):
        self.case, self.rows, self.huge, self.values = case, int(b.get("rows", 0)), b.get("huge_pages"), []
        self.error, self.not_nearest = b.get("error"), b.get("not_nearest")

    def finish(self):
        self.ns = statistics.median(self.values)
        self.gb_s = SIZES[self.case.dtype] / self.ns
        low, high = quartiles(self.values)
        self.spread = (high - low) / self.ns if len(self.values) >= ENOUGH else None


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, third


def nanoseconds(b):
    """Of a pass, by the case's clock."""
    return b["real_time" if b.get("wall") else "cpu_time"] * NANOSECONDS[b["time_unit"]]


def read_bench(data):
    """{Case: Row}, and {the name of a failed case: why}. bench/README.md describes labels and counters."""
    rows, usual = {}, int(data.get("context", {}).get("offset", 16))
    runs = [b for b in data["benchmarks"] if b.get("run_type") == "iteration"]
    failed = {b["run_name"]: b.get("error_message", "an error") for b in runs if b.get("error_occurred")}
    for b in runs:
        kind, who, dtype = b["label"].split()
        if kind == "harness" or b.get("run_name") in failed:
            continue
        n, d, end, offset = (int(b[key]) if key in b else None for key in ("positions", "columns", "end", "offset"))
        case = Case(kind, who, n, d, dtype, end, None if offset == usual else offset)
        row = rows.setdefault(case, Row(case, b))
        row.values.append(
            nanoseconds(b) / (int(b.get("rows", 0)) * d or 1)
        )  # each turn decides how many rows it writes
    for row in rows.values():
        row.finish()
    return rows, failed


def times_by_work(rows):
    """{work: {who: values}} of the cases that write rows"""
    found = {}
    for case, row in rows.items():
        if row.rows:
            found.setdefault(case.work, {})[case.who] = row.values
    return found


def limit_of(rows, case):
    """The fastest stores to the same memory, with the same dtype and offset; or None."""
    if case.call not in TABLES:
        return None
    kinds = [f"{call}/uncached" if case.kind.endswith("/uncached") else call for call in STORES]
    same = *case.size, case.dtype, case.offset
    found = [row for c, row in rows.items() if c.kind in kinds and (*c.size, c.dtype, c.offset) == same]
    return min(found, key=lambda row: row.ns, default=None)


def sizes_in(context, what):
    """{(n, d): (name, base)} of the context's lines `shape.NAME` or `level.NAME`"""
    lines = {key[len(what) + 1 :]: value for key, value in context.items() if key.startswith(f"{what}.")}
    found = {name: re.match(r"n:(\d+)/d:(\d+) base (\S+),", value) for name, value in lines.items()}
    return {(int(m[1]), int(m[2])): (name, float(m[3])) for name, m in found.items() if m}


def fills(rows):
    """[(n, d)] of the paper's float32 tables, small ones first"""
    return sorted({case.size for case in rows if case.is_table}, key=lambda s: (s[0] * s[1], s))


def pages(rows):
    """The share of the output that lay on huge pages, in words."""
    known = [row.huge for row in rows.values() if row.huge is not None]
    if not known:
        return "pages of unknown size"
    return "huge pages" if min(known) > 0.995 else f"{100 * min(known):.0f} % huge pages"


def noise(rows):
    """The median of the fills' relative interquartile ranges, or None."""
    spreads = [r.spread for c, r in rows.items() if c.is_table and r.spread is not None]
    return statistics.median_low(spreads) if spreads else None
