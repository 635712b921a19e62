"""What posenc-bench, or bench/peers.py, measured: cases, and the times of each."""
import re
import statistics
from typing import NamedTuple, Optional

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
ENOUGH = 3  # repetitions; fewer have no spread
TABLES = ("fill", "fill_pair", "fill_at", "fill_at_real")  # calls that write rows of a table
STORES = ("store", "stream")
SIZES = {"float32": 4, "float64": 8, "bfloat16": 2, "float16": 2}  # bytes of an element, by the dtype's name
DEFAULT_SHAPE, DEFAULT_BASE = "transformer", 10000


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
    def formula(self):
        """What distinguishes the values from the paper's, such as [whisper] of fill/whisper; neither the memory nor the
        order of the positions does."""
        return [part for part in self.kind.split("/")[1:] if part not in ("uncached", "in_a_row")]

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


class Result:
    """The repetitions of one case.
    rows: that a pass of the first turn writes; fewer than the table has, where it writes a part of it; 0: it writes none
    error, not_nearest: the largest, and how many values are not the nearest, if the program that measured also compared
    times: nanoseconds per element, or per pass that writes none, of each repetition
    ns, spread: their median, and their interquartile range divided by it; None for fewer than ENOUGH"""

    def __init__(self, case, repetitions):
        first = repetitions[0]
        self.case, self.rows, self.huge_pages = case, int(first.get("rows", 0)), first.get("huge_pages")
        self.error, self.not_nearest = first.get("error"), first.get("not_nearest")
        self.times = [self.time(repetition) for repetition in repetitions]
        self.ns = statistics.median(self.times)
        self.gb_s = SIZES[case.dtype] / self.ns
        low, high = self.quartiles()
        self.spread = (high - low) / self.ns if len(self.times) >= ENOUGH else None

    def time(self, repetition):
        """Per element, or per pass that writes none. Each turn decides how many rows it writes."""
        rows = int(repetition.get("rows", 0))
        return nanoseconds(repetition) / (rows * self.case.d) if rows else nanoseconds(repetition)

    def quartiles(self):
        """The first and the third."""
        if len(self.times) < 2:
            return self.ns, self.ns
        return statistics.quantiles(self.times, n=4, method="inclusive")[::2]


def nanoseconds(b):
    """Of a pass, by the case's clock."""
    return b["real_time" if b.get("wall") else "cpu_time"] * NANOSECONDS[b["time_unit"]]


class Speeds:
    """A run. bench/README.md describes labels, counters and the context.
    commit: of the program, if the run is a recorded one
    results: {Case: Result}, without cases that failed
    failed: {the name of a case: why}
    clock: nanoseconds of every repetition of a fixed chain of operations
    shapes, levels: {(n, d): (name, base)} of the context's tables"""

    def __init__(self, data):
        self.context, self.commit, self.clock, repetitions = data.get("context", {}), data.get("commit"), [], {}
        self.shapes, self.levels = self.sizes("shape"), self.sizes("level")
        usual = int(self.context.get("offset", 16))
        runs = [b for b in data["benchmarks"] if b.get("run_type") == "iteration"]
        self.failed = {b["run_name"]: b.get("error_message", "an error") for b in runs if b.get("error_occurred")}
        for b in (b for b in runs if b.get("run_name") not in self.failed):
            kind, who, dtype = b["label"].split()
            if kind == "harness":
                self.clock.append(nanoseconds(b))
                continue
            n, d, end, offset = (int(b[key]) if key in b else None for key in ("positions", "columns", "end", "offset"))
            case = Case(kind, who, n, d, dtype, end, None if offset == usual else offset)
            repetitions.setdefault(case, []).append(b)
        self.results = {case: Result(case, its_runs) for case, its_runs in repetitions.items()}

    def named(self, what):
        """{NAME: value} of the context's lines `what.NAME`"""
        return {key[len(what) + 1 :]: value for key, value in self.context.items() if key.startswith(f"{what}.")}

    def sizes(self, what):
        matches = {name: re.match(r"n:(\d+)/d:(\d+) base (\S+),", value) for name, value in self.named(what).items()}
        return {(int(m[1]), int(m[2])): (name, float(m[3])) for name, m in matches.items() if m}

    def base(self, size):
        """Of the tables of this size."""
        return self.shapes.get(size, ("", DEFAULT_BASE))[1]

    def default_table(self):
        """The work whose answer ./scripts/bench prints: the paper's table of the default shape, or the smallest table that
        was measured. A table of a cache level is chosen only if no other was measured. None if no table was measured.
        """
        sizes = sorted({case.size for case in self.results if case.is_table}, key=lambda s: (s[0] * s[1], s))
        sizes = [size for size in sizes if size not in self.levels] or sizes
        default = [size for size in sizes if size in self.shapes and self.shapes[size][0] == DEFAULT_SHAPE]
        return Case("fill", None, *(default or sizes)[0]) if sizes else None

    def limit(self, work):
        """The fastest stores to the same memory, with the same dtype and offset; or None."""
        if work.call not in TABLES:
            return None
        kinds = [f"{call}/uncached" if work.kind.endswith("/uncached") else call for call in STORES]
        same = *work.size, work.dtype, work.offset
        limits = [r for c, r in self.results.items() if c.kind in kinds and (*c.size, c.dtype, c.offset) == same]
        return min(limits, key=lambda result: result.ns, default=None)
