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


def errors(entry, dtype, end=math.inf):
    """(ULP, absolute): the largest errors of an implementation at positions below `end`, according to its entry in the
    report of posenc-verify: those of the entry's first table of this dtype. None where nothing was judged there. A null
    in the report is infinite."""
    judged = [r for r in entry.get("ranges", []) if r.get("dtype", "float32") == dtype]
    reached = [r for r in judged if r.get("shape") == judged[0].get("shape") and r["from"] < end]
    largest = [[r.get(key) for r in reached] for key in ("ulp_max", "max_abs")]
    return tuple(math.inf if None in found else max(found) for found in largest) if reached else None


def failed(entries):
    """{NAME or NAME/DTYPE: why}: implementations that failed verification, and implementations, and dtypes of them,
    that were not judged. They are neither measured nor picked. entries: as in picks()"""
    found = {}
    for name, e in ((name, e) for name, e in entries.items() if e.get("supported", True)):
        if e.get("verified") is not True:
            found[name] = f"failed verification: {e['failure']}" if e.get("failure") else "not judged by posenc-verify"
            continue
        lacking = {*e.get("dtypes", "").split()} - {r.get("dtype", "float32") for r in e.get("ranges", [])}
        found |= {f"{name}/{dtype}": "not judged by posenc-verify in this dtype" for dtype in sorted(lacking)}
    return found


def keeps(entry, budget, dtype, end=math.inf):
    """Whether an implementation passed verification, and its errors are within the budget."""
    found = errors(entry, dtype, end) if entry.get("verified") is True else None
    return found is not None and found[0] <= budget.ulp and found[1] <= budget.abs


def picks(works, entries, default, budget=Budget(), whole=False):
    """{work: Pick} where a candidate was measured. works: {work: {name: times}}; entries: {name: its entry in the
    report of posenc-verify}, in the order of impl/list.inc; whole: their errors count at all positions that were judged,
    not only at those of the work."""
    found = {}
    for work, times in works.items():
        end = math.inf if whole else work.n if work.end is None else work.end
        within = {n: times[n] for n, e in entries.items() if n in times and keeps(e, budget, work.dtype, end)}
        if within:
            found[work] = pick(within, default)
    return found
