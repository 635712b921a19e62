"""How a target is judged, and how its figures are written: a median decides, and the verdict says where its spread reaches across
what is demanded. A figure that was reached is rounded down, so that nothing looks met that is not. For peers_targets.py.
"""
import dataclasses
import math

from peers_cases import bounds

MET, MISSED, OPEN = "met", "missed", "open"
WITHIN = ", within the spread"


@dataclasses.dataclass
class Target:
    what: str
    demanded: str
    reached: str
    verdict: str


def digits_of(value):
    return 0 if value >= 100 or value <= 0 else 1 if value >= 10 else 2 if value >= 0.1 else 4


def down(value, digits=None):
    """Rounded down to the digits that are shown. What is a hair below a figure by binary fractions alone is that figure."""
    digits = digits_of(value) if digits is None else digits
    return f"{math.floor(value * 10 ** digits + 1e-9) / 10 ** digits:.{digits}f}"


def times(case, ours):
    """With its spread, or its quartiles where a spread to both sides would reach below 0."""
    value, spread = case[ours]
    if spread is not None and spread >= value:
        low, high = bounds(case, ours)
        return f"{down(value)} ({down(max(low, 0))} to {down(high)})"
    return down(value) + ("" if spread is None else f" ± {spread:.{digits_of(value)}f}")


def size(column):
    return f"{column.n} x {column.d}"


def threads(count):
    return "one thread" if count == 1 else f"{count} threads"


def known(cases, ours):
    return bool(cases) and all(case[ours] for _, case in cases)


def closest(cases, ours):
    column, case = min(cases, key=lambda c: c[1][ours][0])
    return f"{times(case, ours)} ({case['peer']}, {size(column)})"


def held(case, key, factor):
    """(whether the median reaches it, whether the spread says the same)"""
    low, high = bounds(case, key)
    met = case[key][0] >= factor
    return met, low >= factor if met else high < factor


def either(first, second):
    """The same of two demands of which one is enough."""
    met = first[0] or second[0]
    return met, any(m and sure for m, sure in (first, second)) if met else first[1] and second[1]


def verdict(found):
    """Of [(met, sure)], all of which are demanded."""
    if not all(met for met, _ in found):
        return MISSED + ("" if any(sure for met, sure in found if not met) else WITHIN)
    return MET + ("" if all(sure for _, sure in found) else WITHIN)
