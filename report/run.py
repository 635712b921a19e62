"""A report of posenc-verify and a run of posenc-bench, joined by implementation."""
import math

from . import judge
from .stats import Case, fills, limit_of, read_bench, sizes_in, times_by_work
from .words import compared, listed

DEFAULT_SHAPE = "transformer"
DEFAULT_POSITIONS = 5000
DEFAULT_D_MODEL = 512  # of the default report, whose errors are used for every width
STANDARD = {"preset": None, "dtype": "float32", "base": 10000, "position_scale": 1}
STANDARD |= {"layout": "interleaved", "order": "sin_first", "odd": "half_pair"}
CLEARLY = 0.1  # faster by more than this: the box points it out


def table_of(range_):
    return range_.get("shape"), range_.get("dtype", "float32"), range_.get("preset") or None


class Run:
    """order: the names, in the order of the list of implementations
    accuracy: {name: {(from, to): errors}} of the report's first table, of those that passed verification
    failed: {name, or name/dtype: why nothing of it is shown}
    rows, verified: the cases that were measured, and those of them that did not fail verification
    families: {name: its family}
    spans, compared: all position ranges that were judged, and those that the measured table reaches into
    size, work, timed, limit: the table of the verdict as (n, d), its work, its cases by name, and the fastest plain
    stores to it
    ranked: errors and speeds are of one table, so that they can be compared
    picks: {work: the pick for it}; none unless the repetitions were interleaved; budget: of these picks"""

    def __init__(self, verify, bench, peers=None):
        self.verify, self.bench, self.peers = verify, bench, peers
        self.context, self.machine = (bench or {}).get("context", {}), verify.get("machine") or {}
        self.rows, self.errors = read_bench(bench or {"benchmarks": []})
        self.entries = {e["name"]: e for e in verify["implementations"]}
        self.ran = list(dict.fromkeys(case.who for case in self.rows if case.is_table))
        self.order = list(dict.fromkeys([*self.entries, *self.ran]))
        self.judged_range = next((e["ranges"][0] for e in self.entries.values() if e.get("ranges")), {})
        table, passed = table_of(self.judged_range), (e for e in self.entries.values() if e.get("verified") is True)
        first = {e["name"]: [r for r in e.get("ranges", []) if table_of(r) == table] for e in passed}
        self.accuracy = {name: {(r["from"], r["to"]): r for r in found} for name, found in first.items()}
        self.failed = judge.failed(self.entries)
        self.verified = {c: row for c, row in self.rows.items() if not {*self.failed} & {c.who, f"{c.who}/{c.dtype}"}}
        self.families = {n: self.entries[n]["family"] if n in self.entries else n for n in self.order}
        self.emulated = self.context.get("emulated") == "yes" or self.machine.get("emulated") is True
        self.picks, self.budget = {}, judge.Budget()
        if self.context.get("interleaved") == "yes" and not self.emulated:
            works, default = times_by_work(self.verified), self.context.get("default")
            self.picks = judge.picks(works, self.entries, default, self.budget)
        self.choose()

    def choose(self):
        """The table of the verdict: the default, or the smallest that was measured."""
        known, levels = sizes_in(self.context, "shape"), sizes_in(self.context, "level")
        ran = [s for s in fills(self.rows) if s not in levels]
        self.shapes = {s: known.get(s, (f"{s[0]}x{s[1]}", STANDARD["base"])) for s in ran}
        by_name = {name: s for s, (name, _) in self.shapes.items()}
        self.size = by_name.get(DEFAULT_SHAPE) or next(iter(by_name.values()), None)
        self.work = Case("fill", None, *(self.size or (0, 0)))
        self.timed = {case.who: row for case, row in self.verified.items() if case.work == self.work}
        self.limit = limit_of(self.rows, self.work)
        self.spans = sorted({span for found in self.accuracy.values() for span in found})
        end = self.size[0] if self.size and not self.emulated else DEFAULT_POSITIONS
        self.compared = [span for span in self.spans if span[0] < end] or self.spans[:1]
        self.ranked = any(n in self.timed for n in self.judged()) and not self.emulated and not self.another_table()

    def request(self, name):
        """The name to request: the family's, where the library then chooses this implementation on this processor."""
        family = self.entries[name]["family"] if name in self.entries else name
        members = [n for n, e in self.entries.items() if e.get("supported", True) and e["family"] == family]
        return family if members[:1] == [name] else name

    def pick(self, work=None):
        """The pick for a work, by default for the table of the verdict; or None."""
        return None if self.another_table() else self.picks.get(work or self.work)

    def other(self, pick):
        """What a pick is compared with: exact, or if it is exact itself, the nearest of another family; or None."""
        family, others = self.families[pick.name], [n for n in pick.against if n != pick.name]
        others = [n for n in others if self.families[n] != family or self.request(n) == "exact"]
        nearest = min(others, key=lambda n: pick.against[n].behind, default=None)
        return pick.fastest if pick.undecided else next((n for n in others if self.request(n) == "exact"), nearest)

    def lead(self, pick):
        """How a pick compares with exact, or, if it is exact itself, with the next family."""
        if pick.undecided:
            name, mine = self.request(pick.fastest), pick.against[pick.name]
            reason = f"{name} is {compared(mine)}" if mine.unsure is not None else "fewer than 6 repetitions"
            return f"undecided against {name} ({reason})"
        other = self.other(pick)
        if not other:
            return "no other family within the budget was measured"
        name, comparison = self.request(other), pick.against[other]
        ties = [n for n, c in pick.against.items() if c.verdict == "tie" and n != pick.name]
        tied = f"ties with {listed(self.request(n) for n in ties)}"
        if other in ties:
            return tied
        said = compared(comparison, than=f" than {name}")
        if comparison.verdict == "undecided":
            said = f"undecided against {name} ({self.request(pick.fastest)} is {compared(comparison)})"
        subject = "" if pick.name == pick.fastest else f"{self.request(pick.fastest)} is "
        return f"{tied}; {subject}{said}" if ties else said

    def clearly_faster(self):
        """[(work, its pick, how much longer the pick of the table takes there)], largest first; without the sweep over
        widths, whose tables are of one size."""
        table, found = self.pick(), []
        for work, pick in self.picks.items() if table else ():
            mine = pick.against.get(table.name)
            if mine and mine.verdict == "slower" and mine.behind > CLEARLY and work.call != "widths":
                found.append((work, pick, mine))
        return sorted(found, key=lambda item: -item[2].behind)

    def lacking(self):
        """{name: the instruction set that this CPU lacks}"""
        return {name: e["isa"] for name, e in self.entries.items() if not e.get("supported", True)}

    def left_out(self):
        """{name: why it has no figures}"""
        found = {k[len("not_run.") :]: f"not run: {v}" for k, v in self.context.items() if k.startswith("not_run.")}
        found |= {case: f"failed in the benchmark: {why}" for case, why in self.errors.items()} | self.failed
        for name in self.order:
            if name not in self.entries:
                found[name] = "not in the report of posenc-verify, so its error is unknown"
            elif name in self.lacking():
                found.setdefault(name, "not run: this CPU lacks its instructions")
            elif self.size and name not in self.timed:
                found.setdefault(name, "not run")
        return found

    def judged(self):
        return [n for n in self.order if self.error(n) is not None]

    def reach(self, spans=None):
        """ "at positions below 5,000" """
        spans = spans or self.compared
        if not spans:
            return "at no position"
        first, end = spans[0][0], max(b for _, b in spans)
        return f"at positions below {end:,}" if first == 0 else f"at positions {first:,} to {end - 1:,}"

    def peculiar(self, base=STANDARD["base"]):
        """How the judged table differs from the paper's with that base, in words."""
        of, usual = self.judged_range, STANDARD | {"base": base}
        return [f"{k} {of[k]}".replace("_", " ") for k, v in usual.items() if of.get(k) not in (None, v)]

    def judged_table(self):
        return ", ".join([f"{self.judged_range.get('d_model', '?')} columns", *self.peculiar()])

    def measured_table(self):
        return f"{self.size[0]} x {self.size[1]}, float32" if self.size else "no table"

    def base(self):
        """Of the measured table."""
        return self.shapes[self.size][1]

    def another_table(self):
        """How the judged table differs from the measured one. The default report is used for every width."""
        if not self.size or not self.judged_range:
            return ""
        found, width = self.peculiar(self.base()), self.judged_range.get("d_model")
        if width not in (None, self.size[1], DEFAULT_D_MODEL):
            found.insert(0, f"d_model {width}")
        if not self.compared or self.compared[0][0] != 0 or self.compared[-1][1] < self.size[0]:
            found.append(self.reach())
        return listed(found)

    def unpicked(self):
        """Why the table of the verdict has no pick."""
        if self.emulated:
            return "the run was emulated"
        if not self.ran:
            return "speeds of float32 tables were not measured"
        if self.another_table():
            return "errors and speeds are of different tables"
        if not self.ranked:
            return "no implementation was both verified and measured"
        return "no measured implementation is within the budget, or the repetitions were not in random order"

    def error(self, name, spans=None):
        """The largest over ranges of positions; None where a range is missing or has no number."""
        found = self.accuracy.get(name, {})
        errors = [found.get(span, {}).get("max_abs") for span in spans or self.compared]
        return None if not errors or None in errors else max(errors)

    def errors_by_position(self, name):
        """[the largest error up to the end of each range], None where a range was not judged"""
        return [self.error(name, self.spans[: i + 1]) for i in range(len(self.spans))]

    def ulp(self, name):
        """Infinite where JSON has null: an output is not 0 where 0 is correct. None where the report has no ULPs."""
        values = [r["ulp_max"] for r in self.over(name) if "ulp_max" in r]
        return None if not values else math.inf if None in values else max(values)

    def over(self, name):
        """The compared ranges of an implementation."""
        return [self.accuracy[name][span] for span in self.compared if span in self.accuracy[name]]

    def correct(self, name):
        """(how many outputs are correctly rounded, of how many)"""
        ranges = self.over(name)
        return sum(round(r["correctly_rounded"] * r["outputs"]) for r in ranges), sum(r["outputs"] for r in ranges)
