"""Two runs of posenc-bench side by side.

Cases are paired by their names; where the machines have other instruction sets, the fastest member of a family in each.
How far the repetitions of a run lie apart does not tell how far runs do, so that cases that no commit changes (stores,
plain loops, the clock) are controls: only what differs by more than nine in ten of these is called a
difference. posenc-bench's own verdicts are about cases of one run."""
import dataclasses
import math
import statistics

from . import checks
from .stats import ENOUGH, PLAIN_LOOP, TABLES, call_of, dtype_of, family_of, limit_of, quartiles, read_bench
from .tables import Section, Table
from .words import plural, speed

LIMITS = ("store", "stream", "convert")
CALLS = (*TABLES, "widths", "row", "add", "plan", "fresh", *LIMITS)
TIE = 0.03  # a smaller difference is a tie, however quiet the controls
NAMED = 6  # so many cases that only one run has are named, more are counted
HOW = """Cases are paired by their names. Figures are medians of the repetitions; after each ± stands half the
interquartile range. A share is the speed over that of the fastest stores to the same memory in its own run (sums:
over that of a plain loop). Where one machine lacks the other's instructions, NAME / NAME are the fastest members of a
family in A and in B."""


class Side:
    """One run."""

    def __init__(self, data):
        self.context = data.get("context", {})
        self.rows, self.errors = read_bench(data)
        self.emulated = self.context.get("emulated") == "yes"
        self.warnings = ["The run was emulated: its speeds say nothing about a real machine."] * self.emulated
        self.warnings += checks.of_bench(data, self.rows)
        times = checks.clock(data)
        self.clock = statistics.median(times) if times else None

    def fastest(self):
        """{(kind, family, n, d): the row of its fastest member}, of families with members."""
        found = {}
        for (kind, who, *shape), row in sorted(self.rows.items(), key=lambda item: -item[1].ns):
            if family_of(who) != who:
                found[kind, family_of(who), *shape] = row
        return found


@dataclasses.dataclass
class Pair:
    """One case in both runs; limits: of both, or None; mark: faster, slower, higher, lower, tie,
    control or not judged."""

    key: tuple
    a: object
    b: object
    limits: tuple
    mark: str = ""

    @property
    def control(self):
        call, who = call_of(self.key[0]), self.key[1]
        return call in LIMITS or who == PLAIN_LOOP

    def ratio(self, shares=False):
        """Of speeds B/A, or of shares of the limit."""
        ratio = self.a.ns / self.b.ns
        return ratio * self.limits[1].ns / self.limits[0].ns if shares else ratio

    def judge(self, shares, least):
        """A difference is more than least with the quartiles apart."""
        over, under = [self.a], [self.b]
        if shares and self.limits:
            over, under = [self.a, self.limits[1]], [self.b, self.limits[0]]
        if self.control:
            return "control"
        if shares and not self.limits or any(len(row.values) < ENOUGH for row in over + under):
            return "not judged"
        times = [[math.prod(quartiles(row.values)[i] for row in rows) for i in (0, 1)] for rows in (over, under)]
        low, high = times[0][0] / times[1][1], times[0][1] / times[1][0]
        ratio = self.ratio(shares)
        if max(ratio, 1 / ratio) <= 1 + least or low <= 1 <= high:
            return "tie"
        return ("higher" if ratio > 1 else "lower") if shares else "faster" if ratio > 1 else "slower"


def pairs_of(a, b):
    def paired(row_a, row_b, name):
        limits = limit_of(a.rows, row_a.key), limit_of(b.rows, row_b.key)
        kind, _, *shape = row_a.key
        return Pair((kind, name, *shape), row_a, row_b, limits if all(limits) else None)

    found = [paired(row, b.rows[key], key[1]) for key, row in a.rows.items() if key in b.rows]
    names = [{key[1] for key in run.rows} for run in (a, b)]
    theirs = b.fastest()
    for key, row in a.fastest().items():
        other = theirs.get(key)
        if other and (row.key[1] not in names[1] or other.key[1] not in names[0]):
            found.append(paired(row, other, f"{row.key[1]} / {other.key[1]}"))
    return found


def medians(pairs, what, shares):
    """Of the implementations' cases that write rows: tables in float32, other dtypes and sums apart."""
    found = {}
    for pair in pairs:
        call = call_of(pair.key[0])
        if call in (*TABLES, "row", "add") and pair.key[1] != PLAIN_LOOP and (pair.limits or not shares):
            of = "sums" if call == "add" else dtype_of(pair.key[0]).replace("float32", "")
            found.setdefault(f"{pair.key[1]}{', ' + of if of else ''}", []).append(pair.ratio(shares))
    rows = []
    for name, ratios in sorted(found.items(), key=lambda item: -statistics.median(item[1])):
        first, third = quartiles(ratios)
        rows.append([name, str(len(ratios)), f"{statistics.median(ratios):.3f}", f"{first:.3f} to {third:.3f}"])
    title = f"{what} B/A: median and quartiles over the cases of an implementation"
    return Table(title, ["implementation", "cases", "median", "quartiles"], rows)


def only_in(one, other, letter):
    missing = [row.name for key, row in one.rows.items() if key not in other.rows]
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    said = [f"only in {letter}: {', '.join(missing[:NAMED])}{more}"] if missing else []
    return said + [f"failed in {letter}: {case}: {why}" for case, why in one.errors.items()]


def cases(pairs):
    """A table for each kind and shape: fills first, limits last, one thread before more."""

    def rank(pair):
        kind, _, n, d = pair.key
        size = d if call_of(kind) == "widths" else n * d
        call = call_of(kind)
        return kind.startswith("threads:"), CALLS.index(call) if call in CALLS else len(CALLS), kind, size

    groups = {}
    for p in sorted(pairs, key=rank):
        kind, who, n, d = p.key
        unit, shown = ("us", lambda row: f"{row.ns / 1000:.2f}") if call_of(kind) == "plan" else ("GB/s", speed)
        head = ["case", f"A, {unit}", f"B, {unit}", "speed B/A", "share B/A", "mark"]
        table = groups.setdefault((kind, n, d), Table(f"{kind}, {n} x {d}", head, []))
        share = f"{p.ratio(True):.3f}" if p.limits else "-"
        who = f"{who[2:]}-byte vectors" if who.startswith("w:") else who
        table.rows.append([who, shown(p.a), shown(p.b), f"{p.ratio():.3f}", share, p.mark])
        table.bold += (who,) if p.mark in ("faster", "slower", "higher", "lower") else ()
    return list(groups.values())


def compare(a, b):
    """(sentences, what only one has, sections), or None where they have no case in common."""
    pairs = pairs_of(a, b)
    if not pairs:
        return None
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
    sections = [Section("How do the implementations compare?", [], [medians(pairs, what, shares)])]
    sections.append(Section("Case by case", [], cases(pairs)))
    sentences = [f"B against A, {what}, of {plural(len(pairs), 'case')}: {counted}.", rule]
    return sentences, only_in(a, b, "A") + only_in(b, a, "B"), sections
