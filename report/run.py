"""A report of posenc-verify and a run of posenc-bench, joined: which table the answer is on, and the pick for each work."""
import math

from . import decisions
from .accuracy import DEFAULT_D_MODEL, Accuracy
from .formats import at_positions, listed
from .speeds import Speeds

DEFAULT_POSITIONS = 5000
FAR = 131072  # the position to which errors are shown beside those of the measured table


class Run:
    """accuracy, speeds: what posenc-verify found, and what posenc-bench measured, if it ran
    options: {option: value} of ./scripts/pick, for which both files are of one table; None for ./scripts/bench
    machine: what both files say of it
    default_member: the implementation that the library uses when no name is given
    results: {Case: Result} of speeds, without what failed verification
    table: the work that the answer is on; its results by implementation are `timed`, its limit is `limit`
    ranges: the position ranges that the table reaches into
    mismatch: how the judged table differs from the measured one, or ""
    judged: the implementations whose errors in `ranges` are known
    ranked: their errors and speeds are of one table, and are compared
    picks: {work: the pick for it}; none if emulated, or if the tables differ"""

    def __init__(self, verify, bench=None, budget=decisions.Budget(), options=None):
        self.accuracy, self.speeds = Accuracy(verify), Speeds(bench or {"benchmarks": []})
        self.entries, self.families = self.accuracy.entries, self.accuracy.families
        self.budget, self.options, self.is_one_table = budget, options, options is not None
        self.machine = self.accuracy.machine | self.speeds.context
        self.emulated = self.speeds.context.get("emulated") == "yes" or self.accuracy.machine["emulated"]
        self.default_member, failed = self.speeds.context.get("default"), self.accuracy.failed
        results = self.speeds.results
        self.results = {c: r for c, r in results.items() if c.who not in failed and f"{c.who}/{c.dtype}" not in failed}
        if self.is_one_table:
            self.table = next((case.work for case in results if case.call == "fill"), None)
        else:
            self.table = self.speeds.default_table()
        self.timed = {c.who: r for c, r in self.results.items() if c.work == self.table and c.who in self.entries}
        self.limit = self.speeds.limit(self.table) if self.table else None
        end = self.table.n if self.table and not self.emulated else DEFAULT_POSITIONS
        all_ranges = self.accuracy.ranges
        self.ranges = [r for r in all_ranges if self.is_one_table or r.first < end] or all_ranges[:1]
        self.mismatch = listed(self.differences())
        self.judged = [name for name in self.entries if self.accuracy.largest_error(name, self.ranges) is not None]
        self.ranked = any(n in self.timed for n in self.judged) and not self.emulated and not self.mismatch
        self.picks = {} if self.emulated or self.mismatch else self.pick_each()

    @property
    def base(self):
        """Of the measured table."""
        return self.speeds.base(self.table.size)

    @property
    def shown_ranges(self):
        """The ranges whose errors are beside the speeds: those of the measured table, and all to FAR."""
        far = [r for r in self.accuracy.ranges if r.end <= FAR]
        return [self.ranges, far] if len(far) > len(self.ranges) and not self.is_one_table else [self.ranges]

    def differences(self):
        """Between the judged table and the measured one. The default report is used for every width."""
        judged = self.accuracy.table
        if self.is_one_table or not self.table or not judged:
            return []
        differences = self.accuracy.differences(self.base)
        if judged["d_model"] not in (self.table.d, DEFAULT_D_MODEL):
            differences.insert(0, f"d_model {judged['d_model']}")
        if not self.ranges or self.ranges[0].first != 0 or self.ranges[-1].end < self.table.n:
            differences.append(at_positions(self.ranges))
        return differences

    def is_within_budget(self, name, work):
        """Whether an implementation passed verification with errors within the budget, at the positions of the work, or at
        all positions of the one table. The errors are those of the paper's table, also for works of other bases."""
        end = math.inf if self.is_one_table else work.n if work.end is None else work.end
        errors = self.accuracy.errors_below(name, work.dtype, end)
        return errors is not None and self.budget.allows(*errors)

    def pick_each(self):
        """{work: Pick} where a row-writing case of an implementation within the budget was measured"""
        times, picks = {}, {}
        for case, result in self.results.items():
            if result.rows:
                times.setdefault(case.work, {})[case.who] = result.times
        for work, measured in times.items():
            within = {n: measured[n] for n in self.entries if n in measured and self.is_within_budget(n, work)}
            if within:
                picks[work] = decisions.pick(within, self.default_member)
        return picks

    def left_out(self):
        """{what has no figures: why}: implementations and their dtypes, then cases and limits"""
        reasons = self.accuracy.failed | {name: f"not run: {why}" for name, why in self.speeds.named("not_run").items()}
        reasons |= {name: self.why_left_out(name) for name in self.entries}
        reasons |= {case: f"failed in the benchmark: {why}" for case, why in self.speeds.failed.items()}
        return {name: why for name, why in reasons.items() if why}

    def why_left_out(self, name):
        """ "" where the implementation has figures"""
        entry, failed = self.entries[name], self.accuracy.failed
        if name in self.accuracy.lacking:
            return "not run: this CPU lacks its instructions"
        if entry["failure"]:
            return failed[name]
        if self.table and self.table.dtype not in entry["dtypes"].split():
            return f"no {self.table.dtype}"
        if self.is_one_table and not entry["ranges"]:
            return "does not make this table"
        if name in failed or not self.table or name in self.timed:
            return failed.get(name, "")
        return "not run" if self.is_one_table else "only with --all-cases"
