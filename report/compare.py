"""Two runs of posenc-bench or two reports of posenc-verify side by side: as text on stdout, and as a page.

Cases of posenc-bench are paired by their names; where the machines have other instruction sets, the fastest member
of a family in each. How far the repetitions of a run lie apart does not tell how far runs do, so that cases that no
commit changes (stores, plain loops, SLEEF's own loops, the clock) are controls: only what differs by more than nine
in ten of these is called a difference."""
import dataclasses
import json
import os
import pathlib
import statistics
import sys

from . import checks, compare_verify, html, load, plots_speed, text
from .stats import PLAIN_LOOP, TIE, between, best_limit, dtype_of, family_of, parse, read_bench, shapes_of, sizes_in
from .stats import standing
from .tables import Table, speed
from .words import plural

WRITES = ("fill", "fill_at", "fill_pair", "fill_at_real", "row", "add")  # calls of an implementation
LIMITS = ("store", "stream", "convert")
SILENT = {"executable", "host_name", "library_build_type", "load_avg", "schema", "verified", "tool", "caches"}
NAMED = 6  # so many cases that only one run has are named, more are counted
HOW = """Cases are paired by their names. Figures are medians of the repetitions; after each ± stands half the
interquartile range. A share is the speed over that of the fastest stores to the same memory in its own run (sums:
over that of a plain loop). Where one machine lacks the other's instructions, NAME / NAME are the fastest members of a
family in A and in B."""


class Measured:
    """One run; cases by (offset of the output, key), the plain ones with None."""

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
        self.warnings = ["The run was emulated: its speeds say nothing about a real machine."] * self.emulated
        self.warnings += checks.of_bench(data, self.places[None])
        times = checks.clock(data)
        self.clock = statistics.median(times) if times else None

    def reference(self, case):
        """What the case is compared with in its own run: stores to the same memory, for sums a plain loop; or None."""
        place, (kind, who, *shape) = case
        rows, parts = self.places[place], kind.split("/")
        threads = [parts.pop(0)] if parts[0].startswith("threads:") else []
        if parts[0] == "add":
            return rows.get((kind, PLAIN_LOOP, *shape)) if who != PLAIN_LOOP else None
        if parts[0] not in WRITES or parts[0] == "row":
            return None
        dtype = [dtype_of(kind)] if dtype_of(kind) != "f32" else []
        return best_limit(rows, tuple(shape), ["/".join([*threads, store, *dtype]) for store in ("store", "stream")])[1]

    def fastest(self):
        """{(place, kind, family, n, d): the case of its fastest member}, of families with members."""
        found = {}
        for case in sorted(self.cases, key=lambda c: -self.cases[c].ns):
            place, (kind, who, *shape) = case
            if family_of(who) != who:
                found[place, kind, family_of(who), *shape] = case
        return found


@dataclasses.dataclass
class Pair:
    """One case in both runs; limits: of both, or None; mark: faster, slower, tie, control or not judged."""

    place: object
    key: tuple
    a: object
    b: object
    limits: tuple
    family: bool = False
    mark: str = ""

    @property
    def call(self):
        return next(part for part in self.key[0].split("/") if not part.startswith("threads:"))

    @property
    def control(self):
        kind, who = self.key[:2]
        return not self.family and (
            bool({*LIMITS} & {*kind.split("/")}) or who == PLAIN_LOOP or self.call == "loop" and who.startswith("sleef")
        )

    def ratio(self, shares=False):
        """Of speeds B/A, or of shares of the limit."""
        ratio = self.a.ns / self.b.ns
        return ratio * self.limits[1].ns / self.limits[0].ns if shares else ratio

    def judge(self, shares, least):
        if self.control:
            return "control"
        if shares and not self.limits:
            return "not judged"
        found = between(self.b, self.a)
        if found and shares:
            limits = between(self.limits[1], self.limits[0])
            found = limits and (found[0] / limits[1], found[1] / limits[0])
        word = standing(1 / self.ratio(shares), found, least) or "not judged"
        return {"faster": "higher", "slower": "lower"}.get(word, word) if shares else word


def pairs_of(a, b):
    def paired(case_a, case_b, family=False):
        limits = a.reference(case_a), b.reference(case_b)
        place, (kind, who, *shape) = case_a
        name = f"{who} / {case_b[1][1]}" if family else who
        return Pair(
            place, (kind, name, *shape), a.cases[case_a], b.cases[case_b], limits if all(limits) else None, family
        )

    found = [paired(case, case) for case in a.cases if case in b.cases]
    names = [{key[1] for _, key in run.cases} for run in (a, b)]
    for family, case in a.fastest().items():
        other = b.fastest().get(family)
        if other and (case[1][1] not in names[1] or other[1][1] not in names[0]):
            found.append(paired(case, other, True))
    return found


def quartiles(values):
    return (
        tuple(statistics.quantiles(values, n=4, method="inclusive")) if len(values) > 1 else (*values, *values, *values)
    )


def medians(pairs, shares):
    """[(name, ratios, quartiles)] of the implementations' cases that write rows: tables in float32, other dtypes and
    sums apart."""
    found = {}
    for pair in pairs:
        if pair.call in WRITES and pair.key[1] != PLAIN_LOOP and (pair.limits or not shares):
            what = "sums" if pair.call == "add" else dtype_of(pair.key[0]).replace("f32", "")
            found.setdefault(f"{pair.key[1]}{', ' + what if what else ''}", []).append((pair.ratio(shares), pair.mark))
    rows = [(name, cases, quartiles([value for value, _ in cases])) for name, cases in found.items()]
    return sorted(rows, key=lambda row: -row[2][1])


def contexts(a, b):
    """What differs between two runs beside their results."""

    def plain(value):
        return "-" if value is None else value if isinstance(value, str) else json.dumps(value)

    keys = [key for key in dict.fromkeys([*a, *b]) if key not in SILENT and not key.startswith(("shape.", "level."))]
    rows = [[key.replace("_", " "), plain(a.get(key)), plain(b.get(key))] for key in keys if a.get(key) != b.get(key)]
    return Table("", ["what", "A", "B"], rows or [["nothing that the files tell", "-", "-"]], (1, 2))


def only_in(one, other, letter):
    missing = [one.names[case] for case in one.cases if case not in other.cases]
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    said = [f"only in {letter}: {', '.join(missing[:NAMED])}{more}"] if missing else []
    return said + [f"failed in {letter}: {case}: {why}" for case, why in one.errors.items()]


def rank(pair):
    """Fills first, limits last, one thread before more."""
    calls = [*WRITES, "loop", "plan", "fresh"]
    threads = pair.key[0].startswith("threads:")
    return threads, calls.index(pair.call) if pair.call in calls else len(calls), pair.key[0]


def cases(pairs, known):
    """A table for each kind and shape."""
    groups, head = {}, ["case", "A, GB/s", "B, GB/s", "speed B/A", "share B/A", ""]
    for pair in sorted(pairs, key=lambda p: (rank(p), p.key[2] * p.key[3])):
        kind = "limit" if {*LIMITS} & {*pair.key[0].split("/")} else pair.key[0]
        groups.setdefault((kind, *pair.key[2:], pair.place), []).append(pair)
    for (kind, n, d, place), found in groups.items():
        caption = f"{kind}, {n} x {d}{', ' + known[n, d] if (n, d) in known else ''}"
        caption += f"; output at {place} modulo 64" if place is not None else ""
        rows = []
        for p in found:
            name = f"{p.call} {p.key[1][2:]}-byte vectors" if kind == "limit" else p.key[1]
            share = f"{p.ratio(True):.3f}" if p.limits else "-"
            rows.append([name, speed(p.a), speed(p.b), f"{p.ratio():.3f}", share, p.mark])
        marks = {row[0]: "front" for row in rows if row[-1] in ("faster", "slower", "higher", "lower")}
        yield Table(caption, head, rows, folded=caption, marks=marks)


def compare(a, b, names):
    """(sentences, [(heading, notes, picture, tables)])"""
    pairs = pairs_of(a, b)
    if not pairs:
        load.fail(f"{names[0]} and {names[1]} have no case in common")
    shares = a.context.get("cpu") != b.context.get("cpu")
    controls = [p.ratio() for p in pairs if p.control] + ([a.clock / b.clock] if a.clock and b.clock else [])
    controls = sorted(max(ratio, 1 / ratio) - 1 for ratio in controls)
    noise = controls[-(-9 * len(controls) // 10) - 1] if controls and not shares else 0
    least = max(TIE, noise)
    for pair in pairs:
        pair.mark = "not judged" if a.emulated or b.emulated else pair.judge(shares, least)
    counts = {w: sum(p.mark == w for p in pairs) for w in ("faster", "slower", "higher", "lower", "tie", "not judged")}
    counted = ", ".join(f"{word} in {n}" for word, n in counts.items() if n) or "controls only"
    what = "share of the limit" if shares else "speed"
    rule = f"A difference is more than {100 * least:.1f} % with the quartiles apart."
    if shares:
        rule += " The processors differ, so that shares of the limit are compared, each of its own run."
    else:
        rule += f" Nine in ten of {len(controls)} controls, which no commit changes, differed by at most "
        rule += f"{100 * noise:.1f} %."
    notes, differ = only_in(a, b, "A") + only_in(b, a, "B"), [contexts(a.context, b.context)]
    sections, rows = [("What differs beside the results?", notes, None, differ)], medians(pairs, shares)
    if rows:
        caption = f"{what} B/A: median and quartiles over the cases of an implementation"
        lines = [[name, str(len(found)), f"{q[1]:.3f}", f"{q[0]:.3f} to {q[2]:.3f}"] for name, found, q in rows]
        table = Table(caption, ["implementation", "cases", "median", "quartiles"], lines)
        sections.append(("How do the implementations compare?", [], plots_speed.ratios(rows, what, least), [table]))
    sections.append(("Case by case", [], None, list(cases(pairs, a.known | b.known))))
    return [f"B against A, {what}, of {plural(len(pairs), 'case')}: {counted}.", rule], sections


def read(path):
    data = load.google_benchmark(path, load.read(path))
    for key, form in (("benchmarks", "bench"), ("implementations", "verify")):
        if isinstance(data.get(key), list):
            load.check(path, data, form)
            return key, data
    return load.fail(f"{path}: this is neither a run of posenc-bench nor a report of posenc-verify")


def main(a, b, output):
    (kind_a, data_a), (kind_b, data_b) = read(a), read(b)
    a, b = (os.fsencode(path).decode(errors="backslashreplace") for path in (a, b))
    if kind_a != kind_b:
        load.fail(f"{a} and {b}: two runs of posenc-bench or two reports of posenc-verify are needed")
    module, form = (
        (sys.modules[__name__], Measured) if kind_a == "benchmarks" else (compare_verify, compare_verify.Report)
    )
    runs = form(data_a), form(data_b)
    sentences, sections = module.compare(*runs, (a, b))
    warnings = [f"{letter}: {said}" for letter, run in zip("AB", runs) for said in run.warnings]
    title = "Two runs of posenc-bench compared" if kind_a == "benchmarks" else "Two reports of posenc-verify compared"
    path = pathlib.Path(output)
    values = {"title": title, "sentences": sentences, "warnings": warnings, "a": a, "b": b, "how": module.HOW}
    load.write(path, html.page("compare.html", sections=sections, **values))
    print("\n".join([title, f"A: {a}", f"B: {b}", *sentences, *(f"warning: {said}" for said in warnings)]))
    for heading, notes, _, tables in sections:
        print("\n".join(["", heading, *notes]))
        for table in tables:
            print()
            text.show(table, left=bool(table.text))
    print(f"\n{path}", flush=True)
    return 0
