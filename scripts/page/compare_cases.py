"""Two runs of posenc-bench: the cases that both ran, and the ratios of their speeds.

Cases are paired by their names; and where the machines have other instruction sets, the fastest member of a family in each.
"""
import dataclasses
import math
import statistics

import checks
from results import PLAIN_LOOP, best_limit, dtype_of, parse, read_bench, shapes_of, sizes_in
from subject import family_of

LEAST = 0.03  # a smaller difference is never called one
ENOUGH = 3  # repetitions; fewer have no spread to speak of
WRITES = ("fill", "fill_at", "fill_pair", "fill_at_real", "row", "add")  # calls whose ratios a mean is taken of
LIMITS = ("store", "stream", "convert")
ISAS = ("avx512", "avx2", "neon")  # that members of a family may be named after; and scalar


class Run:
    """What one file holds, the cases by (place of the output, key); the plain ones have no place in their names."""

    def __init__(self, data):
        self.context = data.get("context", {})
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
        self.clock = statistics.median(times) if (times := checks.clock(data)) else None

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
class Ratio:
    """Of B to A, with its relative spread; sure when both have enough repetitions on real processors."""
    value: float
    spread: float
    sure: bool = True

    @property
    def mark(self):
        if not self.sure:
            return "not judged"
        if abs(self.value - 1) <= max(LEAST, self.value * self.spread):
            return ""
        return "faster" if self.value > 1 else "slower"

    def cell(self):
        digits = 3 if self.value < 10 else 1
        return f"{self.value:.{digits}f}", f"{self.value * self.spread / 2:.{digits}f}"


@dataclasses.dataclass
class Pair:
    """One case in both runs; share is the ratio of its shares of the limit, each of its own run."""
    place: object
    key: tuple
    a: object
    b: object
    ratio: Ratio
    share: Ratio

    @property
    def call(self):
        return next(part for part in self.key[0].split("/") if not part.startswith("threads:"))


def paired(a, b, case_a, case_b):
    rows, limits = (a.cases[case_a], b.cases[case_b]), (a.reference(case_a), b.reference(case_b))
    real = not (a.emulated or b.emulated)

    def ratio(*parts):
        """Of times in A to times in B, and of what these are held against the other way round."""
        value = parts[0].ns / parts[1].ns * (parts[3].ns / parts[2].ns if parts[2:] else 1)
        return Ratio(value, math.hypot(*(row.spread for row in parts)), real and min(len(row.values) for row in parts) >= ENOUGH)

    place, (kind, who, *shape) = case_a
    name = who if case_a == case_b else f"{who} / {case_b[1][1]}"
    return Pair(place, (kind, name, *shape), *rows, ratio(*rows), ratio(*rows, *limits) if all(limits) else None)


def pairs_of(a, b):
    found = [paired(a, b, case, case) for case in a.cases if case in b.cases]
    fastest = [fastest_of_families(run) for run in (a, b)]
    names = [{key[1] for _, key in run.cases} for run in (a, b)]
    for family, case in fastest[0].items():
        other = fastest[1].get(family)
        if other and (case[1][1] not in names[1] or other[1][1] not in names[0]):
            found.append(paired(a, b, case, other))
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


def mean(ratios):
    """The geometric one; its spread takes the cases as independent, as interleaved repetitions are."""
    logs = [math.log(r.value) for r in ratios]
    return Ratio(math.exp(sum(logs) / len(logs)), math.hypot(*(r.spread for r in ratios)) / len(ratios),
                 all(r.sure for r in ratios))


def means_of(pairs):
    """{implementation: its pairs}, of the cases that write rows, by the mean ratio, largest first."""
    found = {}
    for pair in pairs:
        if pair.call in WRITES and pair.key[1] != PLAIN_LOOP:
            found.setdefault(pair.key[1], []).append(pair)
    return dict(sorted(found.items(), key=lambda f: -mean([p.ratio for p in f[1]]).value))
