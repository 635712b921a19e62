"""What a report is about: a report of posenc-verify and, if there is one, a run of posenc-bench, joined by
implementation."""
import math
import re

from .picks import DEFAULT_SHAPE, pick
from .stats import Accuracy, best_limit, dtype_of, family_of, is_implementation, read_bench, shapes_of, spans_of
from .stats import table_of
from .words import position

DEFAULT_POSITIONS = 5000
DEFAULT_D_MODEL = 512  # of the default report, whose errors stand for every width
STANDARD = {"base": 10000, "position_scale": 1, "layout": "interleaved", "order": "sin_first", "odd": "half_pair"}
CALLED = {
    "base": "base {}",
    "position_scale": "positions times {}",
    "layout": "layout {}",
    "order": "order {}",
    "odd": "odd {}",
}


class Run:
    """order: the names in the order of the list of implementations, simplest first; accuracy: of those that are
    verified; failed: {name or name/dtype: why nothing of it is shown}; offset: the first place of the output, rows:
    what was measured there; verified: {offset: the rows of what did not fail}; families: {name: its family}; index:
    {family: its number, for its colour}; spans: the position ranges of the table that speeds are compared on; size:
    its (n, d), or None; here: {name: its row}; limit: what stores reach there; ranked: whether errors and speeds
    are of one table, so that they can be compared."""

    def __init__(self, verify, bench, path, peers=None, shape=None):
        self.path, self.verify, self.bench, self.peers = path, verify, bench, peers
        self.context, self.machine = (bench or {}).get("context", {}), verify.get("machine") or {}
        self.places, self.errors = read_bench(bench or {"benchmarks": []})
        self.offset, self.rows = next(iter(self.places.items()))
        self.shapes = shapes_of(self.context, self.rows)
        self.entries = {e["name"]: e for e in verify["implementations"]}
        self.ran = [key[1] for key in self.rows if key[0] == "fill"]
        self.order = list(dict.fromkeys([*self.entries, *self.ran]))
        self.table = table_of(self.entries.values())
        self.accuracy = {name: Accuracy(e, self.table) for name, e in self.entries.items() if e.get("verified") is True}
        self.failed = {
            name: f"failed verification: {e['failure']}" if e.get("failure") else "not judged by posenc-verify"
            for name, e in self.entries.items()
            if e.get("supported", True) and name not in self.accuracy
        }
        self.failed |= {
            f"{name}/{dtype}": "not judged by posenc-verify in this dtype"
            for name, dtype in dict.fromkeys((key[1], dtype_of(key[0])) for at in self.places.values() for key in at)
            if name in self.accuracy and dtype not in self.accuracy[name].dtypes
        }
        self.verified = {
            o: {k: r for k, r in at.items() if not {k[1], f"{k[1]}/{dtype_of(k[0])}"} & set(self.failed)}
            for o, at in self.places.items()
        }
        self.families = {n: family_of(n, self.entries.get(n, {}).get("isa") or "") for n in self.order}
        self.index = {f: i for i, f in enumerate(dict.fromkeys(self.families.values()))}
        self.emulated = self.context.get("emulated") == "yes" or self.machine.get("emulated") is True
        self.size = self.shape(shape)
        self.here = self.fills(self.size) if self.size else {}
        self.limit_key, self.limit = best_limit(self.rows, self.size)
        upto = self.size[0] if self.size and not self.emulated else DEFAULT_POSITIONS
        self.spans = spans_of(self.accuracy, upto) or spans_of(self.accuracy)[:1]
        self.ranked = any(n in self.here for n in self.judged()) and not self.emulated and not self.another_table()

    def has_results(self):
        return any(map(is_implementation, self.rows))

    def shape(self, wanted=None):
        """The (n, d) of that name, or of the default one, or of the smallest that was run; None when none was."""
        by_name = {name: s for s, (name, _) in self.shapes.items()}
        return by_name.get(wanted or DEFAULT_SHAPE) or (None if wanted else next(iter(by_name.values()), None))

    def fills(self, shape):
        """{name: its row} of the float32 tables of that shape."""
        return {key[1]: row for key, row in self.verified[self.offset].items() if key[0] == "fill" and key[2:] == shape}

    def left_aside(self):
        """{name: why there is nothing on it}"""
        aside = {k[len("not_run.") :]: f"not run: {v}" for k, v in self.context.items() if k.startswith("not_run.")}
        aside |= {case: f"failed in the benchmark: {why}" for case, why in self.errors.items()} | self.failed
        for name in self.order:
            if name not in self.entries:
                aside[name] = f"not in {self.path}: its error is unknown, and it is not picked"
            elif not self.entries[name].get("supported", True):
                aside.setdefault(name, "not run: this CPU lacks its instructions")
            elif self.size and name not in self.here:
                aside.setdefault(name, "not run")
        return aside

    def judged(self):
        return [n for n in self.order if n in self.accuracy and self.error(n) is not None]

    def within(self, most=1.0):
        """Names of those that ran on the shape and are at most so many ULP wrong."""
        return [n for n in self.judged() if n in self.here and self.ulp(n) <= most]

    def best(self):
        """Whom answers are about: the pick within 1 ULP, else who comes closest; None when nobody ran."""
        names = self.within() or sorted((n for n in self.judged() if n in self.here), key=self.ulp)[:1]
        return pick(names, self.here, self.order)[0] if names else None

    def reach(self, spans=None):
        """ "positions to 5k", of spans; from where, unless that is 0."""
        spans = spans or self.spans
        if not spans:
            return "no positions"
        first, end = spans[0][0], max(b for _, b in spans)
        if first == 0:
            return f"positions to {position(end)}" if end > 1 else "position 0"
        return f"positions {first} to {end - 1}" if end - 1 > first else f"position {first}"

    def whole_reach(self):
        """The same of all positions that were judged."""
        return self.reach(spans_of(self.accuracy))

    def position_word(self, s=""):
        """Errors by position are by its absolute value. s: of the plural."""
        return f"|position{s}|" if any(a < 0 for a, _ in spans_of(self.accuracy)) else f"position{s}"

    def end(self):
        """Of all |positions| that were judged."""
        return max((distances(span)[1] for span in spans_of(self.accuracy)), default=0)

    def start(self):
        return min((distances(span)[0] for span in spans_of(self.accuracy)), default=0)

    def judged_range(self):
        """One that says what table errors are about."""
        return next((r for a in self.accuracy.values() for r in a.ranges.values()), {})

    def peculiar(self):
        """What of that table is not as in the paper, in words."""
        of = self.judged_range()
        words = [CALLED[key].format(of[key]) for key, usual in STANDARD.items() if of.get(key) not in (None, usual)]
        d, denominator = of.get("d_model"), of.get("denominator")
        if d and denominator is not None and denominator not in (d / 2, (d + 1) // 2, d // 2):
            words.append(f"denominator {denominator}")
        _, dtype, preset = self.table
        return ([preset] if preset else []) + words + ([dtype] if dtype != "f32" else [])

    def table_name(self):
        """Of the table that errors are about."""
        d = self.judged_range().get("d_model")
        return ", ".join([f"d_model {d}" if d else f"table {self.table[0]}"] + self.peculiar())

    def another_table(self):
        """In what the table whose errors were judged is not the one whose speeds are here; the default report's width
        stands for every other."""
        if not self.size or not self.judged_range():
            return []
        measured = re.search(r" base ([\d.e+]+)", self.context.get(f"shape.{self.shapes[self.size][0]}", ""))
        base, of = float(measured[1].rstrip(".")) if measured else STANDARD["base"], self.judged_range()
        found = [word for word in self.peculiar() if not (word.startswith("base ") and of["base"] == base)]
        if of.get("base", base) == STANDARD["base"] != base:
            found.append(f"base {STANDARD['base']}")
        if of.get("d_model", self.size[1]) not in (self.size[1], DEFAULT_D_MODEL):
            found.insert(0, f"d_model {of['d_model']}")
        if self.spans[0][0] != 0 or self.spans[-1][1] < self.size[0]:
            found.append(self.reach())
        return found

    def unranked(self):
        """Why errors and speeds are not held against each other."""
        if self.emulated:
            return "the run was emulated"
        if not self.ran:
            return "speeds were not measured"
        if self.table[1] != "f32":
            return f"speeds of float32 tables are left out, because errors were judged in {self.table[1]}"
        return "errors and speeds are of different tables" if self.another_table() else "none was both verified and run"

    def error(self, name, spans=None):
        return self.accuracy[name].worst("max_abs", spans or self.spans) if name in self.accuracy else None

    def ulp(self, name, key="ulp_max"):
        """Infinite where JSON has none: something else where 0 is exact."""
        values = [self.accuracy[name].ranges[s].get(key) for s in self.spans if s in self.accuracy[name].ranges]
        return None if not values else math.inf if None in values else max(values)

    def reference(self):
        return {"mpfr": "MPFR", "float64": "a float64 reference"}.get(self.verify.get("reference"), "the reference")

    def over(self, name):
        """The ranges of spans."""
        return [self.accuracy[name].ranges[s] for s in self.spans if s in self.accuracy[name].ranges]

    def correct(self, name):
        """(how many outputs are correctly rounded, of how many)"""
        ranges = self.over(name)
        return sum(round(r["correctly_rounded"] * r["outputs"]) for r in ranges), sum(r["outputs"] for r in ranges)

    def bands(self, name):
        """Outputs in each band of ULPs, or None where the report has none."""
        counts = [r.get("ulp_bands") for r in self.over(name)]
        return [sum(band) for band in zip(*counts)] if counts and None not in counts else None

    def profile(self, name):
        """[octave][column group] of errors, or None."""
        matrix = self.entries[name].get("profile") if self.verify.get("profile") and name in self.accuracy else None
        return matrix if any(e is not None for row in matrix or [] for e in row) else None

    def curve(self, name):
        """[(first |position|, end, largest error)], by octave where there is a profile, else by range."""
        matrix = self.profile(name)
        if not matrix:
            tops = {}
            for span, r in self.accuracy[name].ranges.items():
                if r.get("max_abs") is not None:
                    tops[distances(span)] = max(r["max_abs"], tops.get(distances(span), 0))
            return [(*span, top) for span, top in sorted(tops.items())]
        edges = self.verify["profile"]["position_edges"]
        tops = [max((e for e in row if e is not None), default=None) for row in matrix]
        return [
            (max(a, self.start()), min(b, self.end()), top)
            for a, b, top in zip(edges, edges[1:], tops)
            if top is not None
        ]

    def groups(self, same):
        """Names that same(a, b) calls alike, as [(names, label, number of the first one's family)]."""
        found = []
        for name in self.judged():
            group = next((g for g in found if same(g[0], name)), None)
            if group is None:
                found.append(group := [])
            group.append(name)
        return [(g, self.call(g), self.index[self.families[g[0]]]) for g in found]

    def call(self, names):
        """Families where all of one that this processor supports are there, else names."""
        words = []
        for name in names:
            family = self.families[name]
            whole = all(
                n in names for n, e in self.entries.items() if e.get("supported", True) and self.families[n] == family
            )
            words.append(family if whole else name)
        return list(dict.fromkeys(words))


def distances(span):
    """A range of positions as one of |positions|, (first, end)."""
    a, b = span[0], span[1] - 1
    return (0 if a < 0 < b else min(abs(a), abs(b))), max(abs(a), abs(b)) + 1
