"""What a report is about: a report of posenc-verify and, if there is one, a run of posenc-bench, joined by
implementation."""
import math
import re

from .picks import read_picks
from .stats import Accuracy, dtype_of, family_of, limit_of, read_bench, sizes_in, sizes_of, table_of
from .words import position

DEFAULT_SHAPE = "transformer"
DEFAULT_POSITIONS = 5000
DEFAULT_D_MODEL = 512  # of the default report, whose errors stand for every width
STANDARD = {"preset": None, "dtype": "float32", "base": 10000, "position_scale": 1}
STANDARD |= {"layout": "interleaved", "order": "sin_first", "odd": "half_pair"}


class Run:
    """order: the names in the order of the list of implementations, simplest first; accuracy: of those that are
    verified; failed: {name or name/dtype: why nothing of it is shown}; rows: what was measured; verified: the rows of
    what did not fail; families: {name: its family}; index: {family: its number, for its colour}; spans: all position
    ranges that were judged; compared: those that the table whose speeds are compared reaches into; size: its (n, d),
    or None; here: {name: its row}; limit: what stores reach there; ranked: whether errors and speeds are of one table,
    so that they can be compared; picks: {(kind, n, d): posenc-bench's}."""

    def __init__(self, verify, bench, path, peers=None, shape=None):
        self.path, self.verify, self.bench, self.peers = path, verify, bench, peers
        self.context, self.machine = (bench or {}).get("context", {}), verify.get("machine") or {}
        self.rows, self.errors = read_bench(bench or {"benchmarks": []})
        self.picks = read_picks(bench or {})
        self.entries = {e["name"]: e for e in verify["implementations"]}
        self.ran = list(dict.fromkeys(key[1] for key in self.rows if key[0] == "fill"))
        self.order = list(dict.fromkeys([*self.entries, *self.ran]))
        self.judged_range = next((e["ranges"][0] for e in self.entries.values() if e.get("ranges")), {})
        self.table = table_of(self.judged_range)
        self.accuracy = {name: Accuracy(e, self.table) for name, e in self.entries.items() if e.get("verified") is True}
        self.failed = {
            name: f"failed verification: {e['failure']}" if e.get("failure") else "not judged by posenc-verify"
            for name, e in self.entries.items()
            if e.get("supported", True) and name not in self.accuracy
        }
        self.failed |= {
            f"{name}/{dtype}": "not judged by posenc-verify in this dtype"
            for name, dtype in dict.fromkeys((key[1], dtype_of(key[0])) for key in self.rows)
            if name in self.accuracy and dtype not in self.accuracy[name].dtypes
        }
        self.verified = {
            key: row for key, row in self.rows.items() if not {key[1], f"{key[1]}/{dtype_of(key[0])}"} & {*self.failed}
        }
        self.families = {n: family_of(n, self.entries.get(n, {}).get("isa") or "") for n in self.order}
        self.index = {f: i for i, f in enumerate(dict.fromkeys(self.families.values()))}
        self.emulated = self.context.get("emulated") == "yes" or self.machine.get("emulated") is True
        self.choose(shape)

    def choose(self, shape):
        """The table that errors and speeds are compared on: of that name, or the default, or the smallest that ran."""
        known, levels = sizes_in(self.context, "shape"), sizes_in(self.context, "level")
        ran = [s for s in sizes_of(self.rows, "fill") if s not in levels]
        self.shapes = {s: known.get(s, (f"{s[0]}x{s[1]}", f"{s[0]} x {s[1]}")) for s in ran}
        by_name = {name: s for s, (name, _) in self.shapes.items()}
        self.size = by_name.get(shape or DEFAULT_SHAPE) or (None if shape else next(iter(by_name.values()), None))
        self.here = {
            key[1]: row for key, row in self.verified.items() if (key[0], *key[2:]) == ("fill", *(self.size or ()))
        }
        self.limit = limit_of(self.rows, ("fill", "", *self.size)) if self.size else None
        self.spans = sorted({span for a in self.accuracy.values() for span in a.ranges})
        end = self.size[0] if self.size and not self.emulated else DEFAULT_POSITIONS
        self.compared = [span for span in self.spans if span[0] < end] or self.spans[:1]
        self.ranked = any(n in self.here for n in self.judged()) and not self.emulated and not self.another_table()

    def pick(self, kind="fill", shape=None):
        """The pick for a case, by default for the table; or None."""
        shape = shape or self.size or ()
        found = self.picks.get((kind, *shape))
        return found if found and (kind, found.name, *shape) in self.verified and not self.another_table() else None

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
        return [n for n in self.order if self.error(n) is not None]

    def reach(self, spans=None):
        """ "positions to 5k" """
        spans = spans or self.compared
        if not spans:
            return "no positions"
        first, end = spans[0][0], max(b for _, b in spans)
        return f"positions to {position(end)}" if first == 0 else f"positions {first} to {end - 1}"

    def peculiar(self, base=STANDARD["base"]):
        """What of the judged table is not as in the paper, or not of that base, in words."""
        of, usual = self.judged_range, STANDARD | {"base": base}
        return [f"{k} {of[k]}".replace("_", " ") for k, v in usual.items() if of.get(k) not in (None, v)]

    def table_name(self):
        """Of the table that errors are about."""
        return ", ".join([f"d_model {self.judged_range.get('d_model', '?')}", *self.peculiar()])

    def base(self):
        """Of the table whose speeds are here."""
        base = re.search(r" base ([\d.e+]+)", self.context.get(f"shape.{self.shapes[self.size][0]}", ""))
        return float(base[1]) if base else STANDARD["base"]

    def another_table(self):
        """In what the table whose errors were judged is not the one whose speeds are here; the default report's width
        stands for every other."""
        if not self.size or not self.judged_range:
            return []
        found, width = self.peculiar(self.base()), self.judged_range.get("d_model")
        if width not in (None, self.size[1], DEFAULT_D_MODEL):
            found.insert(0, f"d_model {width}")
        if not self.compared or self.compared[0][0] != 0 or self.compared[-1][1] < self.size[0]:
            found.append(self.reach())
        return found

    def unpicked(self):
        """Why there is no pick for the table."""
        if self.emulated:
            return "the run was emulated"
        if not self.ran:
            return "speeds were not measured"
        if self.another_table():
            return "errors and speeds are of different tables"
        if not self.ranked:
            return "none was both verified and run"
        return "nothing that was measured is within the budget, or the repetitions were not in random order"

    def error(self, name, spans=None):
        return self.accuracy[name].worst("max_abs", spans or self.compared) if name in self.accuracy else None

    def ulp(self, name, key="ulp_max"):
        """Infinite where JSON has null: the output is not 0 where 0 is correct. None where the report has no such
        value."""
        values = [r[key] for r in self.over(name) if key in r]
        return None if not values else math.inf if None in values else max(values)

    def over(self, name):
        """The ranges that are compared."""
        return [self.accuracy[name].ranges[s] for s in self.compared if s in self.accuracy[name].ranges]

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
        """{(first |position|, end): largest error}, by octave where there is a profile, else by range."""
        matrix = self.profile(name)
        if matrix:
            edges = self.verify["profile"]["position_edges"]
            tops = [max((e for e in row if e is not None), default=None) for row in matrix]
            return {span: top for span, top in zip(zip(edges, edges[1:]), tops) if top is not None}
        return {
            span: r["max_abs"] for span, r in sorted(self.accuracy[name].ranges.items()) if r.get("max_abs") is not None
        }

    def groups(self, same):
        """Names that same(a, b) calls alike, as [(names, label, number of the first one's family)]."""
        found = []
        for name in self.judged():
            group = next((g for g in found if same(g[0], name)), None)
            if group is None:
                found.append(group := [])
            group.append(name)
        return [(g, "\n".join(self.call(g)), self.index[self.families[g[0]]]) for g in found]

    def call(self, names):
        """Families where all of one that this processor supports are there, else names."""
        words = []
        for name in names:
            family = self.families[name]
            members = [n for n, e in self.entries.items() if e.get("supported", True) and self.families[n] == family]
            words.append(family if set(members) <= set(names) else name)
        return list(dict.fromkeys(words))
