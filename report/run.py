"""A report of posenc-verify and a run of posenc-bench, joined by implementation."""
import math

from . import judge
from .stats import Case, fills, limit_of, read_bench, sizes_in, times_by_work
from .words import listed

DEFAULT_SHAPE = "transformer"
DEFAULT_POSITIONS = 5000
DEFAULT_D_MODEL = 512  # of the default report, whose errors are used for every width
STANDARD = {"preset": None, "dtype": "float32", "base": 10000, "position_scale": 1}
STANDARD |= {"layout": "interleaved", "order": "sin_first", "odd": "half_pair"}


def table_of(range_):
    return range_.get("shape"), range_.get("dtype", "float32"), range_.get("preset") or None


class Run:
    """one: both files are of one table (scripts/pick), at all of whose positions errors count
    entries: {name: its entry in the report}, in the order of the list of implementations
    accuracy: {name: {(from, to): errors}} of the report's first table, of those that passed verification
    failed: {name, or name/dtype: why nothing of it is shown}
    rows, verified: the cases that were measured, and those of them that did not fail verification
    families: {name: its family}
    spans, compared: all position ranges that were judged, and those that the measured table reaches into
    work, timed, limit: the table of the answer as a work, its cases by name, and the fastest stores to it
    ranked: errors and speeds are of one table, so that they can be compared
    picks: {work: the pick for it}; none if emulated; budget: of these picks"""

    def __init__(self, verify, bench=None, budget=judge.Budget(), one=False):
        self.verify, self.bench, self.budget, self.one = verify, bench, budget, one
        self.context, self.machine = (bench or {}).get("context", {}), verify.get("machine") or {}
        self.rows, self.errors = read_bench(bench or {"benchmarks": []})
        self.entries = {e["name"]: e for e in verify["implementations"]}
        self.judged_range = next((e["ranges"][0] for e in self.entries.values() if e.get("ranges")), {})
        table, passed = table_of(self.judged_range), (e for e in self.entries.values() if e.get("verified") is True)
        first = {e["name"]: [r for r in e.get("ranges", []) if table_of(r) == table] for e in passed}
        self.accuracy = {name: {(r["from"], r["to"]): r for r in found} for name, found in first.items()}
        self.failed = judge.failed(self.entries)
        self.verified = {c: row for c, row in self.rows.items() if not {*self.failed} & {c.who, f"{c.who}/{c.dtype}"}}
        self.families = {name: entry["family"] for name, entry in self.entries.items()}
        self.emulated = self.context.get("emulated") == "yes" or self.machine.get("emulated") is True
        self.default = self.context.get("default")
        works = {} if self.emulated else times_by_work(self.verified)
        self.options = {}  # of the one table, as they were given to scripts/pick
        self.picks = judge.picks(works, self.entries, self.default, budget, one)
        self.choose()

    def choose(self):
        """The table of the answer: the default, or the smallest that was measured; the only one of scripts/pick."""
        known, levels = sizes_in(self.context, "shape"), sizes_in(self.context, "level")
        ran = [s for s in fills(self.rows) if s not in levels] or fills(self.rows)
        self.shapes = {s: known.get(s, (f"{s[0]}x{s[1]}", STANDARD["base"])) for s in ran}
        by_name = {name: s for s, (name, _) in self.shapes.items()}
        size = by_name.get(DEFAULT_SHAPE) or next(iter(by_name.values()), None)
        only = next((case.work for case in self.rows if case.call == "fill"), None) if self.one else None
        self.work = only or (Case("fill", None, *size) if size else None)
        self.timed = {case.who: row for case, row in self.verified.items() if case.work == self.work}
        self.timed = {name: row for name, row in self.timed.items() if name in self.entries}
        self.limit = limit_of(self.rows, self.work) if self.work else None
        self.spans = sorted({span for found in self.accuracy.values() for span in found})
        end = self.work.n if self.work and not self.emulated else DEFAULT_POSITIONS
        self.compared = [span for span in self.spans if self.one or span[0] < end] or self.spans[:1]
        self.ranked = any(n in self.timed for n in self.judged()) and not self.emulated and not self.another_table()

    def request(self, name):
        """The name to request: the family's, where the library then chooses this implementation on this processor."""
        family = self.families[name]
        members = [n for n, e in self.entries.items() if e.get("supported", True) and e["family"] == family]
        return family if members[:1] == [name] else name

    def pick(self, work=None):
        """The pick for a work, by default for the table of the answer; or None."""
        return None if self.another_table() else self.picks.get(work or self.work)

    def other(self, pick):
        """Which implementation the fastest one of a pick is compared with: the default, or, if it is the default's family
        itself, the nearest of another family; or None."""
        family = self.families[pick.fastest]
        if self.default in pick.against and self.default != pick.fastest:
            return self.default
        others = [n for n in pick.against if self.families[n] != family]
        return min(others, key=lambda n: pick.against[n].ratio, default=None)

    def lacking(self):
        """{name: the instruction set that this CPU lacks}"""
        return {name: e["isa"] for name, e in self.entries.items() if not e.get("supported", True)}

    def left_out(self):
        """{name: why it has no figures}: implementations, then cases and limits"""
        found = {name: self.reason(name, entry) for name, entry in self.entries.items()}
        found |= {case: f"failed in the benchmark: {why}" for case, why in self.errors.items()}
        skipped = {k[len("not_run.") :]: f"not run: {v}" for k, v in self.context.items() if k.startswith("not_run.")}
        return {name: why for name, why in (self.failed | skipped | found).items() if why}

    def reason(self, name, entry):
        if name in self.lacking():
            return "not run: this CPU lacks its instructions"
        if entry.get("failure"):
            return self.failed[name]
        if self.work and self.work.dtype not in entry["dtypes"].split():
            return f"no {self.work.dtype}"
        if self.one and not entry.get("ranges"):
            return "does not make this table"
        why = "not run" if self.one else "only with --all-cases"
        return self.failed.get(name) or (why if self.work and name not in self.timed else "")

    def judged(self):
        return [n for n in self.entries if self.error(n) is not None]

    def reach(self, spans=None):
        """ "at positions below 5,000" """
        spans = spans or self.compared
        if not spans:
            return "at no position"
        first, end = spans[0][0], max(b for _, b in spans)
        return f"at positions below {end:,}" if first == 0 else f"at positions {first:,} to {end - 1:,}"

    def is_sampled(self, spans):
        """Whether only some rows of these ranges were compared."""
        found = [self.accuracy[n].get(span) for n in self.accuracy for span in spans]
        return any(r["rows"] < r["to"] - r["from"] for r in found if r)

    def peculiar(self, base=STANDARD["base"]):
        """How the judged table differs from the paper's with that base, in words."""
        of, usual = self.judged_range, STANDARD | {"base": base}
        return [f"{k} {of[k]}".replace("_", " ") for k, v in usual.items() if of.get(k) not in (None, v)]

    def judged_table(self):
        return ", ".join([f"{self.judged_range.get('d_model', '?')} columns", *self.peculiar()])

    def measured_table(self):
        if self.one and not self.work:
            return (
                f"{self.spans[-1][1] - self.spans[0][0]} x {self.judged_range['d_model']}, {self.judged_range['dtype']}"
            )
        return f"{self.work.n} x {self.work.d}, {self.work.dtype}" if self.work else "no table"

    def base(self):
        """Of the measured table."""
        return self.shapes[self.work.size][1]

    def another_table(self):
        """How the judged table differs from the measured one. The default report is used for every width."""
        if self.one or not self.work or not self.judged_range:
            return ""
        found, width = self.peculiar(self.base()), self.judged_range.get("d_model")
        if width not in (None, self.work.d, DEFAULT_D_MODEL):
            found.insert(0, f"d_model {width}")
        if not self.compared or self.compared[0][0] != 0 or self.compared[-1][1] < self.work.n:
            found.append(self.reach())
        return listed(found)

    def unpicked(self):
        """Why the table of the answer has no pick."""
        if self.emulated:
            return "the run was emulated"
        if self.errors and self.one:
            return f"the measurement failed: {next(iter(self.errors.values()))}"
        if self.another_table():
            return "errors and speeds are of different tables"
        return "none is within the budget" if self.timed else "no speed was measured"

    def error(self, name, spans=None):
        """The largest over ranges of positions; None where a range is missing or has no number."""
        found = self.accuracy.get(name, {})
        errors = [found.get(span, {}).get("max_abs") for span in spans or self.compared]
        return None if not errors or None in errors else max(errors)

    def errors_by_position(self, name):
        """[the largest error up to the end of each range], None where a range was not judged"""
        return [self.error(name, self.spans[: i + 1]) for i in range(len(self.spans))]

    def ulp(self, name, spans=None):
        """Infinite where JSON has null: an output is not 0 where 0 is correct. None where the report has no ULPs."""
        values = [r["ulp_max"] for r in self.over(name, spans) if "ulp_max" in r]
        return None if not values else math.inf if None in values else max(values)

    def over(self, name, spans=None):
        """Its errors in ranges of positions, by default the compared ones."""
        return [self.accuracy[name][span] for span in spans or self.compared if span in self.accuracy[name]]

    def correct(self, name):
        """(how many outputs are correctly rounded, of how many)"""
        ranges = self.over(name)
        return sum(round(r["correctly_rounded"] * r["outputs"]) for r in ranges), sum(r["outputs"] for r in ranges)
