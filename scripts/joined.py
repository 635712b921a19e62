"""A report of posenc-verify and a run of posenc-bench, joined by implementation; for scripts/summary and scripts/report."""
from picks import DEFAULT_SHAPE
from results import Accuracy, dtype_of, is_implementation, read_bench, shapes_of, table_of


def pages(rows):
    """Whether the output lay on huge pages, as the run found."""
    known = [row.huge for row in rows.values() if row.huge is not None]
    if not known:
        return "pages of unknown size"
    return "huge pages" if min(known) > 0.995 else f"{100 * min(known):.0f} % huge pages"


class Run:
    """What both say of each implementation. order: their names as the list of implementations has them, simplest first;
    accuracy: of those that are verified; failed: {name or name/dtype: why nothing of it is shown}; offset: the first place of
    the output, rows: what was measured there, verified: {offset: the rows of nothing that failed}."""

    def __init__(self, verify, bench, path):
        self.path, self.context = path, bench.get("context", {})
        self.places, self.errors = read_bench(bench)
        self.offset, self.rows = next(iter(self.places.items()))
        self.shapes = shapes_of(self.context, self.rows)
        self.entries = {e["name"]: e for e in verify["implementations"]}
        self.ran = [key[1] for key in self.rows if key[0] == "fill"]
        self.order = list(dict.fromkeys([*self.entries, *self.ran]))
        self.table = table_of(self.entries.values())
        self.accuracy = {name: Accuracy(e, self.table) for name, e in self.entries.items() if e.get("verified") is True}
        self.failed = {name: f"failed verification: {e['failure']}" if e.get("failure") else "not judged by posenc-verify"
                       for name, e in self.entries.items() if e.get("supported", True) and name not in self.accuracy}
        self.failed |= {f"{name}/{dtype}": "not judged by posenc-verify in this dtype"
                        for name, dtype in dict.fromkeys((key[1], dtype_of(key[0])) for at in self.places.values() for key in at)
                        if name in self.accuracy and dtype not in self.accuracy[name].dtypes}
        self.verified = {o: {k: r for k, r in at.items() if not {k[1], f"{k[1]}/{dtype_of(k[0])}"} & set(self.failed)}
                         for o, at in self.places.items()}

    def has_results(self):
        return any(map(is_implementation, self.rows))

    def shape(self, wanted=None):
        """The (n, d) of that name, or of the default one, or of the smallest that was run; None when none was."""
        by_name = {name: s for s, (name, _) in self.shapes.items()}
        return by_name.get(wanted or DEFAULT_SHAPE) or (None if wanted else next(iter(by_name.values()), None))

    def fills(self, shape):
        """{name: its row} of the float32 tables of that shape."""
        return {key[1]: row for key, row in self.verified[self.offset].items() if key[0] == "fill" and key[2:] == shape}

    def left_aside(self, here):
        """{name: why there is nothing on it}; here: what ran on the shape, or None when no shape did."""
        aside = {k[len("not_run."):]: f"not run: {v}" for k, v in self.context.items() if k.startswith("not_run.")}
        aside |= {case: f"failed in the benchmark: {why}" for case, why in self.errors.items()} | self.failed
        for name in self.order:
            if name not in self.entries:
                aside[name] = f"not in {self.path}: its error is unknown, and it is not picked"
            elif here is not None and name not in here and name not in aside:
                ours = self.entries[name].get("verified") is True
                aside[name] = "not run" if ours else "not run: this CPU lacks its instructions"
        return aside
