"""Two runs of posenc-bench: the cases that both ran, and the ratios of their speeds.

Cases are paired by their names; and where the machines have other instruction sets, the fastest member of a family in each.
"""
import dataclasses
import statistics

import checks
import valid
from compare_rule import Ratio, share_of, speed_of
from results import PLAIN_LOOP, best_limit, dtype_of, parse, read_bench, shapes_of, sizes_in
from subject import family_of

WRITES = ("fill", "fill_at", "fill_pair", "fill_at_real", "row", "add")  # calls of an implementation
ISAS = ("avx512", "avx2", "neon")  # that members of a family may be named after; and scalar
TIMES = (1e-6, 1e12)  # nanoseconds that an element, a plan or the clock's chain may take


class Run:
    """What one file holds, the cases by (place of the output, key); the plain ones have no place in their names."""

    def __init__(self, data):
        self.context = data.get("context", {})
        valid.context(self.context)
        places, self.errors = read_bench(data)
        first = next(iter(places))
        self.places = {None if place == first else place: rows for place, rows in places.items()}
        self.cases = {(place, key): row for place, rows in self.places.items() for key, row in rows.items()}
        self.names = {}
        for b in data["benchmarks"]:
            key, place = parse(b.get("run_name", ""))
            self.names[None if place == first else place, key] = b.get("run_name")
        sizes = sizes_in(self.context, "level") | shapes_of(self.context, self.places[None])
        self.known = {size: who for size, (_, who) in sizes.items()}
        self.emulated = self.context.get("emulated") == "yes"
        self.warnings = ["The run was emulated: its ratios are shown, but not judged."] * self.emulated
        self.warnings += checks.of_bench(data, self.places[None])
        times = checks.clock(data)
        for name, values in [(self.names[case], row.values) for case, row in self.cases.items()] + [("harness/clock", times)]:
            for ns in values:
                if not TIMES[0] <= ns <= TIMES[1]:
                    raise ValueError(f"{name}: {ns} ns are not between {TIMES[0]:g} and {TIMES[1]:g}")
        self.clock = statistics.median(times) if times else None

    def reference(self, case):
        """What the case is held against within its own run: stores to the same memory; for sums a plain loop."""
        place, (kind, _, *shape) = case
        rows, parts = self.places[place], kind.split("/")
        threads = [parts.pop(0)] if parts[0].startswith("threads:") else []
        if parts[0] == "add":
            return rows.get((kind, PLAIN_LOOP, *shape)) if case[1][1] != PLAIN_LOOP else None
        if parts[0] not in WRITES or parts[0] == "row":
            return None
        dtype = [dtype_of(kind)] if dtype_of(kind) != "f32" else []
        return best_limit(rows, tuple(shape), ["/".join([*threads, store, *dtype]) for store in ("store", "stream")])[1]


@dataclasses.dataclass
class Pair:
    """One case in both runs; share is the ratio of its shares of the limit, each of its own run, or None. family: that two
    members are of where one run lacks the other's. mark is what the rule says."""
    place: object
    key: tuple
    a: object
    b: object
    ratio: Ratio
    share: Ratio
    family: str = ""
    mark: str = ""

    @property
    def call(self):
        return next(part for part in self.key[0].split("/") if not part.startswith("threads:"))

    @property
    def case(self):
        """The same for all implementations."""
        return self.place, self.key[0], *self.key[2:]


def paired(a, b, case_a, case_b, family=""):
    rows, limits = (a.cases[case_a], b.cases[case_b]), (a.reference(case_a), b.reference(case_b))
    share = Ratio(*map(share_of, rows, limits)) if all(limits) else None
    place, (kind, who, *shape) = case_a
    name = f"{who} / {case_b[1][1]}" if family else who
    return Pair(place, (kind, name, *shape), *rows, Ratio(*map(speed_of, rows)), share, family)


def pairs_of(a, b):
    found = [paired(a, b, case, case) for case in a.cases if case in b.cases]
    fastest = [fastest_of_families(run) for run in (a, b)]
    names = [{key[1] for _, key in run.cases} for run in (a, b)]
    for family, case in fastest[0].items():
        other = fastest[1].get(family)
        if other and (case[1][1] not in names[1] or other[1][1] not in names[0]):
            found.append(paired(a, b, case, other, family[2]))
    return found


def fastest_of_families(run):
    """{(place, kind, family, n, d): the case of its fastest member}, of what has members."""
    found = {}
    for case in sorted(run.cases, key=lambda c: -run.cases[c].ns):
        place, (kind, who, *shape) = case
        family = next((f for f in (family_of(who, isa) for isa in ISAS) if f != who), None)
        if family:
            found[place, kind, family, *shape] = case
    return found


def groups_of(pairs, judged):
    """({(what, implementation): its pairs}, those left out), of cases that write rows: tables in float32 (what is nothing),
    other dtypes and sums apart, and within each of these only cases that all its implementations have; those with the largest
    median of the ratios that are judged come first."""
    found = {}
    for pair in pairs:
        if pair.call in WRITES and pair.key[1] != PLAIN_LOOP:
            what = "sums" if pair.call == "add" else dtype_of(pair.key[0]).replace("f32", "")
            name = f"{pair.family}, fastest member" if pair.family else pair.key[1]
            found.setdefault(what, {}).setdefault(name, []).append(pair)
    groups, out = {}, []
    for what, of in sorted(found.items()):
        cases = {name: {p.case for p in own} for name, own in of.items()}
        if not set.intersection(*cases.values()):
            most = statistics.mode(p.case for own in of.values() for p in own)  # keep those that have this one
            out += [name for name in cases if most not in cases[name]]
            cases = {name: own for name, own in cases.items() if most in own}
        common = set.intersection(*cases.values())
        kept = {name: [p for p in of[name] if p.case in common] for name in cases}
        middle = {name: statistics.median([judged(p).value for p in own if judged(p)] or [0]) for name, own in kept.items()}
        groups |= {(what, name): kept[name] for name in sorted(kept, key=middle.get, reverse=True)}
    return groups, out
