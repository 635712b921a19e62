"""Decides which of two programs is faster, and which implementation to use.

Programs are measured several times, interleaved. The i-th repetitions of two programs are a pair. One program takes as
many times as long as the other as the median, over the pairs, of the ratio of their times. The sign test gives that
median a 95 % interval from one order statistic of the ratios to another, without an assumption about their distribution.
The uncertainty is how far the interval reaches from the median towards 1. It is at least 0.01, because two runs of the
same two programs differ by that much, depending on the addresses of memory and code.

    faster, slower  1 is outside of the interval, and the median is at least 0.01 away from 1
    tie             the median is less than 0.03, and less than the uncertainty, from 1, and both ends of the interval are
                    less than 0.1 from the median
    undecided       anything else, including fewer than 6 pairs, which have no 95 % interval

Both scripts measure in nine turns. Each turn has one repetition of every program, and the programs of a work follow each
other, so a pair is close in time.
"""
import math
import statistics
from typing import NamedTuple, Optional

LEAST_UNCERTAINTY = 0.01
LARGEST_TIE = 0.03  # a larger difference is not a tie, even on a noisy machine
LARGEST_SPREAD_OF_TIE = 0.1  # more noise than this allows no tie


class Comparison(NamedTuple):
    ratio: float  # of its time and the other's; below 1: it is faster
    unsure: Optional[float]  # the uncertainty of the ratio; None for fewer than 6 pairs
    verdict: str
    interval: Optional[tuple] = None  # the 95 % interval of the ratio


def order_of_interval(n):
    """The largest k for which the interval from the k-th smallest to the k-th largest value contains the median with a
    probability of 95 %, by the probabilities of n coin tosses. 0: there is no such k."""
    k, at_most = 0, 1
    while at_most <= 0.025 * 2**n:
        k += 1
        at_most += math.comb(n, k)
    return k


def compare(one, other):
    """Compares the times of two programs, each in the order of its repetitions; uses the repetitions that both have."""
    ratios = sorted(a / b for a, b in zip(one, other))
    ratio, k = statistics.median(ratios), order_of_interval(len(ratios))
    if k == 0:
        return Comparison(ratio, None, "undecided")
    interval = ratios[k - 1], ratios[-k]
    below, above = ratio - interval[0], interval[1] - ratio
    unsure = max(LEAST_UNCERTAINTY, below if ratio > 1 else above if ratio < 1 else max(below, above))
    if abs(ratio - 1) >= unsure:
        return Comparison(ratio, unsure, "faster" if ratio < 1 else "slower", interval)
    tie = abs(ratio - 1) < LARGEST_TIE and max(below, above) < LARGEST_SPREAD_OF_TIE
    return Comparison(ratio, unsure, "tie" if tie else "undecided", interval)


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
    """fastest: the smallest median time; against: {name: its comparison with the fastest} of every candidate"""

    name: str
    fastest: str
    against: dict


def pick(times, default):
    """Picks one of the candidates. times: {name: its times}, in the order of impl/list.inc, not empty; default: the
    implementation that the library uses when no name is given.

    Compares every candidate with the fastest, which has the smallest median time. (By the median ratio, another
    candidate can still be ahead of it.) If the default is undecided against the fastest, the pick is the default.
    Otherwise the pick is the first candidate that is the fastest or ties with it."""
    fastest = min(times, key=lambda name: statistics.median(times[name]))
    against = {name: compare(found, times[fastest]) for name, found in times.items()}
    if default in against and against[default].verdict == "undecided":
        return Pick(default, fastest, against)
    return Pick(next(n for n, c in against.items() if n == fastest or c.verdict == "tie"), fastest, against)
