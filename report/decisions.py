"""Decides which of two programs is faster, and which implementation to use.

Programs are measured several times, interleaved. The i-th repetitions of two programs are a pair. For each pair, the time
of the second program is divided by the time of the first one. The first program is as many times as fast as the second
one as the median of these ratios says. The sign test gives that median a 95 % interval from one order statistic of the
ratios to another, without an assumption about their distribution.

    faster, slower  the interval excludes 1, and the median is at least 0.01 away from 1
    tie             the first rule does not hold, the median is less than 0.03 away from 1, and both ends of the interval
                    are less than 0.1 away from the median
    undecided       anything else, including fewer than 6 pairs, which have no 95 % interval

Both scripts measure in nine turns. Each turn has one repetition of every program, and the programs of a work follow each
other, so a pair is close in time.
"""
import math
import statistics
from typing import NamedTuple, Optional

LEAST_DIFFERENCE = 0.01  # two runs of the same program differ by so much, depending on the addresses of memory and code
LARGEST_TIE = 0.03  # a larger difference is not a tie, even on a noisy machine
LARGEST_SPREAD_OF_TIE = 0.1  # more noise than this allows no tie


class Comparison(NamedTuple):
    """How the first of two programs compares with the second one.
    ratio: how many times as fast it is
    outcome: "faster", "slower", "tie" or "undecided"
    interval: the 95 % interval of the ratio; None for fewer than 6 pairs"""

    ratio: float
    outcome: str
    interval: Optional[tuple] = None

    @property
    def near_end(self):
        """The end of the interval that is nearer to 1, or LEAST_DIFFERENCE from the ratio towards 1 if that is nearer."""
        low, high = self.interval
        if self.ratio > 1:
            return min(low, self.ratio - LEAST_DIFFERENCE)
        return max(high, self.ratio + LEAST_DIFFERENCE)


def order_of_interval(n):
    """The largest k for which the interval from the k-th smallest to the k-th largest value contains the median with a
    probability of 95 %, by the probabilities of n coin tosses. 0: there is no such k."""
    k, at_most = 0, 1
    while at_most <= 0.025 * 2**n:
        k += 1
        at_most += math.comb(n, k)
    return k


def compare(first, second):
    """Compares the times of two programs, each in the order of its repetitions; uses the repetitions that both have."""
    ratios = sorted(b / a for a, b in zip(first, second))
    ratio, k = statistics.median(ratios), order_of_interval(len(ratios))
    if k == 0:
        return Comparison(ratio, "undecided")
    low, high = ratios[k - 1], ratios[-k]
    difference, spread = abs(ratio - 1), max(ratio - low, high - ratio)
    if difference >= LEAST_DIFFERENCE and not low <= 1 <= high:
        outcome = "faster" if ratio > 1 else "slower"
    elif difference < LARGEST_TIE and spread < LARGEST_SPREAD_OF_TIE:
        outcome = "tie"
    else:
        outcome = "undecided"
    return Comparison(ratio, outcome, (low, high))


class Budget(NamedTuple):
    """The largest errors allowed; infinite where there is no limit."""

    ulp: float = 1
    abs: float = math.inf

    def allows(self, ulp, largest):
        return ulp <= self.ulp and largest <= self.abs

    def __str__(self):
        limits = ((self.ulp, "ULP"), (self.abs, "absolute"))
        return ", ".join(f"at most {most:g} {unit}" for most, unit in limits if most < math.inf)


class Pick(NamedTuple):
    """fastest: the smallest median time; against: {name: how the fastest compares with it} of every candidate"""

    name: str
    fastest: str
    against: dict


def pick(times, default):
    """Picks one of the candidates. times: {name: its times}, in the order of impl/list.inc, not empty; default: the
    implementation that the library uses when no name is given.

    Compares the fastest, which has the smallest median time, with every candidate. (By the median ratio, another
    candidate can still be ahead of it.) If the fastest is undecided against the default, the pick is the default.
    Otherwise the pick is the first candidate that is the fastest or ties with it."""
    fastest = min(times, key=lambda name: statistics.median(times[name]))
    against = {name: compare(times[fastest], its_times) for name, its_times in times.items()}
    if default in against and against[default].outcome == "undecided":
        return Pick(default, fastest, against)
    return Pick(next(n for n, c in against.items() if n == fastest or c.outcome == "tie"), fastest, against)
