"""When a difference between two runs is called one.

How far the repetitions of a run lie apart does not tell how far runs do: where the memory lay, what the neighbours of a
virtual machine did, how warm it was stay the same within a run. So cases that no commit changes are controls: a difference
must be greater than theirs.
"""
import dataclasses
import functools
import math

from results import PLAIN_LOOP

LEAST = 1.03  # of the larger to the smaller: less is never called a difference
ENOUGH = 5  # repetitions in either run
CONTROLS = 5  # fewer tell nothing of runs
WILD = 0.5  # a relative spread that no +- stands for
WHAT = "stores, plain loops, SLEEF's loops, the clock"
LIMITS = ("store", "stream", "convert")


def spread_of(*rows):
    """Relative, of a product or quotient of them; None where one has too few repetitions."""
    spreads = [row.spread for row in rows]
    return None if None in spreads else math.hypot(*spreads)


@dataclasses.dataclass
class Measured:
    """A speed or a share of a limit: median, least and largest, of how many repetitions, and its relative spread."""
    value: float
    low: float
    high: float
    count: int
    spread: float


def speed_of(row):
    return Measured(1 / row.ns, 1 / max(row.values), 1 / min(row.values), len(row.values), spread_of(row))


def share_of(row, limit):
    """Its extremes are of the extremes of both."""
    return Measured(limit.ns / row.ns, min(limit.values) / max(row.values), max(limit.values) / min(row.values),
                    min(len(row.values), len(limit.values)), spread_of(row, limit))


@dataclasses.dataclass
class Ratio:
    """Of B to A, both Measured."""
    a: Measured
    b: Measured

    @property
    def value(self):
        return self.b.value / self.a.value

    @property
    def size(self):
        """The same when A and B are swapped."""
        return abs(math.log(self.value))

    @property
    def disjoint(self):
        return self.b.low > self.a.high or self.b.high < self.a.low

    def cell(self):
        spreads = self.a.spread, self.b.spread
        spread = None if None in spreads else math.hypot(*spreads)
        return number(self.value), "" if spread is None or spread > WILD else f"{self.value * spread / 2:.3f}"


def number(value):
    return f"{value:.3f}" if 0.1 <= value < 10 else f"{value:.3g}"


def is_control(pair):
    """Whether no commit changes this case: limits, plain loops, SLEEF's own loops."""
    kind, who = pair.key[:2]
    if pair.family:  # two names
        return False
    return bool({*LIMITS} & {*kind.split("/")}) or who == PLAIN_LOOP or pair.call == "loop" and who.startswith("sleef")


def percent(size):
    """Of the larger to the smaller, from the logarithm."""
    return f"{100 * math.expm1(size):.1f} %"


@dataclasses.dataclass
class Rule:
    """controls: the sizes of their ratios; machines: the CPUs differ, so that shares of limits are judged and not speeds."""
    controls: list
    machines: bool = False
    emulated: bool = False

    @functools.cached_property
    def between_runs(self):
        """Nine in ten of the controls differ by this at most."""
        return sorted(self.controls)[-(-9 * len(self.controls) // 10) - 1]

    @property
    def judges(self):
        return not self.emulated and (self.machines or len(self.controls) >= CONTROLS)

    @property
    def threshold(self):
        return max(math.log(LEAST), self.between_runs) if self.judges and not self.machines else math.log(LEAST)

    @property
    def words(self):
        return ("higher", "lower") if self.machines else ("faster", "slower")

    @property
    def what(self):
        return "share of the limit" if self.machines else "speed"

    def judged(self, pair):
        """The ratio that is judged, or None."""
        return pair.share if self.machines else pair.ratio

    def mark(self, pair):
        ratio = self.judged(pair)
        if is_control(pair):
            return "control"
        if not self.judges or not ratio or min(ratio.a.count, ratio.b.count) < ENOUGH:
            return "not judged"
        if not ratio.disjoint or ratio.size <= self.threshold:
            return ""
        return self.words[ratio.value < 1]

    def sentence(self):
        n = len(self.controls)
        if self.emulated:
            return "Nothing is judged: a run was emulated."
        when = (f"when they differ by more than {percent(self.threshold)} and all repetitions of one lie beyond those of the "
                f"other, {ENOUGH} or more of each.")
        if self.machines:
            return ("The CPUs differ, so that ratios are of machines, and what no commit changes differs as well. Judged are "
                    f"shares of the limit, each of its own run, not speeds: they are called higher or lower {when}")
        if n < CONTROLS:
            return (f"Nothing is judged: of what no commit changes ({WHAT}) both runs have {n}, and {CONTROLS} or more are "
                    "needed to tell how far two runs are apart.")
        return (f"What no commit changes ({n} controls: {WHAT}) differed by up to {percent(self.between_runs)} in nine of ten, "
                f"by {percent(max(self.controls))} at most. Judged are speeds, not shares of the limit: they are called faster "
                f"or slower {when}")


def rule_of(a, b, pairs):
    """From both runs and what both have; the clock's period is a case without a table."""
    controls = [pair.ratio.size for pair in pairs if is_control(pair)]
    if a.clock and b.clock:
        controls.append(abs(math.log(a.clock / b.clock)))
    return Rule(controls, a.context.get("cpu") != b.context.get("cpu"), a.emulated or b.emulated)
