"""The rules of decisions.py, with made-up times and errors."""
import math

import pytest

from made_up import case, entry, ranges, verify
from report.accuracy import Accuracy
from report.decisions import Budget, compare, pick
from report.run import Run
from report.speeds import Case


@pytest.mark.parametrize("ratios, word", [
    # Each number is a ratio of speeds minus 1. The 95 % interval of seven ratios is from the smallest to the largest, of nine from the second
    # smallest to the second largest.
    ((0.24, 0.25, 0.28, 0.30, 0.31, 0.33, 0.87), "faster"),  # 0 is outside, although the other end is far away
    ((-0.24, -0.25, -0.28, -0.30, -0.31, -0.33, -0.20), "slower"),
    ((-0.05, 0.10, 0.12, 0.126, 0.13, 0.14, 0.156), "undecided"),
    ((-0.05, 0.10, 0.12, 0.126, 0.13, 0.14, 0.156, 0.16, 0.17), "faster"),  # one outlier does not decide
    ((0.05, 0.01, -0.12, -0.126, -0.13, -0.14, -0.156, -0.16, -0.17), "undecided"),
    ((0.02,) * 9, "faster"),  # 2 %, with certainty
    ((0.009,) * 9, "tie"),  # as close as two runs of one program
    ((-0.02, -0.01, 0, 0, 0.01, 0.01, 0.02, 0.02, 0.5), "tie"),
    ((-0.02, -0.01, 0, 0.03, 0.04, 0.04, 0.05, 0.06, 0.5), "undecided"),  # the median is not below 3 %
    ((-0.2, -0.15, 0, 0, 0.01, 0.01, 0.02, 0.02, 0.5), "undecided"),  # an end is 10 points away
    ((0.5,) * 5, "undecided"),  # too few
])  # fmt: skip
def test_the_outcome(ratios, word):
    found = compare([1] * len(ratios), [1 + ratio for ratio in ratios])
    assert found.outcome == word and (found.interval is None) == (len(ratios) == 5)


def test_pairs():
    """The times are compared pair by pair."""
    found = compare([2, 4, 1, 3, 2, 1], [2.2, 4.8, 1.1, 3.6, 2.6, 1.4, 9])  # 10, 20, 10, 20, 30 and 40 % longer
    assert (found.ratio, found.near_end) == (pytest.approx(1.2), pytest.approx(1.1)) and found.outcome == "faster"
    assert found.interval == (pytest.approx(1.1), pytest.approx(1.4))
    assert compare([1] * 9, [1.2] * 9).near_end == pytest.approx(1.19), "two runs differ by 1 %"
    assert compare([1] * 9, [0.8] * 9).near_end == pytest.approx(0.81)


def test_an_interval_that_ends_at_1():
    """It contains 1, so nothing is faster."""
    assert compare([1] * 6, [1, 1.2, 1.2, 1.2, 1.2, 1.2]).outcome == "undecided"


NAMES = "abc"  # b is the default


@pytest.mark.parametrize("longer, swing, not_within, repetitions, picked, fastest, ties", [
    # Each takes 1 + `longer`, and swings around it by `swing`, differently from the others. ties: candidates that
    # tie with the fastest; a pick that is not among them is undecided.
    ((1, 0.5, 0), 0.001, "", 9, "c", "c", "c"),
    ((1, 0, 0.5), 0.001, "", 9, "b", "b", "b"),  # the fastest is the default
    ((1, 0.05, 0), 0.08, "", 9, "b", "c", "c"),  # the default is undecided
    ((0.01, 0.5, 0), 0.02, "", 9, "a", "c", "ac"),  # a tie with an earlier row
    ((0.01, 0.012, 0), 0.02, "", 9, "a", "c", "abc"),  # of several
    ((1, 0.01, 0), 0.02, "", 9, "b", "c", "bc"),  # of the default
    ((0, 0.5, 0.01), 0.02, "", 9, "a", "a", "ac"),  # with a later row
    ((0.05, 0.5, 0), 0.08, "", 9, "c", "c", "c"),  # another row is undecided
    ((1, 0.5, 0), 0.001, "c", 9, "b", "b", "b"),  # the fastest is beyond the budget
    ((1, 0.05, 0), 0.08, "b", 9, "c", "c", "c"),  # the default is beyond the budget
    ((1, 0.5, 0), 0.001, "", 5, "b", "c", ""),  # too few repetitions, and a default
    ((1, 0.5, 0), 0.001, "b", 5, "c", "c", ""),  # too few repetitions without one
])  # fmt: skip
def test_the_pick(longer, swing, not_within, repetitions, picked, fastest, ties):
    times = {
        name: [(1 + longer[j]) * (1 + swing * ((t * (2 * j + 1) + j) % 9 - 4) / 4) for t in range(repetitions)]
        for j, name in enumerate(NAMES)
        if name not in not_within
    }
    found = pick(times, "b")
    assert (found.name, found.fastest) == (picked, fastest)
    assert (found.against[picked].outcome == "undecided") == (picked not in ties)
    assert [name for name, c in found.against.items() if c.outcome == "tie"] == [*ties]


def test_the_fastest_of_a_circle():
    """a has the smallest median; a is ahead of b in most pairs, b is ahead of c, and c is ahead of a."""
    times = {"a": (0.99, 1.98, 2.97) * 3, "b": (2, 3, 1) * 3, "c": (3, 1, 2) * 3}
    found = pick(times, None)
    assert found.name == found.fastest == "a"
    assert found.against["c"].ratio < 1 and found.against["c"].outcome == "undecided"


@pytest.mark.parametrize("dtype, end, found", [
    ("float32", 512, (0.5, 1.5e-8)),
    ("float32", 513, (7, 3e-8)),  # a position is reached below the end
    ("float32", math.inf, (math.inf, 2.4e-7)),  # null
    ("bfloat16", 5000, (0.5, 2e-3)),
    ("float64", 5000, None),
    ("float32", 0, None),
])  # fmt: skip
def test_errors(dtype, end, found):
    """They are those of the first table of the dtype, at positions that are reached."""
    found_in = ranges(3e-8, 0.5, 1) + ranges(2, 0.5, 1, shape="another") + ranges(2e-3, 0.5, 1, dtype="bfloat16")
    found_in[1]["ulp_max"], found_in[2]["ulp_max"] = 7, None
    known = Accuracy(verify([entry("a", ranges=found_in), entry("b", verified=False, ranges=found_in)]))
    assert known.errors_below("a", dtype, end) == found and known.errors_below("b", dtype, end) is None


def test_the_budget():
    assert Budget().allows(1, 3e-8) and Budget(1, 3e-8).allows(1, 3e-8)
    assert not Budget(0.9).allows(1, 3e-8) and not Budget(1, 2e-8).allows(1, 3e-8)
    assert str(Budget()) == "at most 1 ULP" and str(Budget(0.5, 1e-6)) == "at most 0.5 ULP, at most 1e-06 absolute"


def run_of(**context):
    """A run of two tables and of single rows by a, b (the default) and c: c is the fastest, and within the budget up to
    position 5000. d failed verification."""
    early = ranges(3e-8, 0.5, 1)[:2] + ranges(3e-8, 9, 1)[2:]
    entries = [entry("a"), entry("b"), entry("c", ranges=early), entry("d", verified=False, failure="it is wrong")]
    cases = []
    for name, ns in {"a": 3, "b": 2, "c": 1, "d": 0.5, "another": 0.1}.items():
        for n, d, kind, more in ((5000, 4, "fill", {}), (5001, 4, "fill", {}), (1, 4, "row", {"rows": 9, "end": 9999})):
            cases += case(f"{kind} {name}", ns, n, d, (1, 1.01, 1.02) * 2, **more)
        cases += [c for c in case(f"plan {name}", ns, 1, 4, (1,) * 6) if c.pop("rows")]
    known = {"offset": "16", "default": "b"}
    return Run(verify(entries), {"context": known | context, "benchmarks": cases})


def test_picks_of_a_run():
    """Each work that writes rows has a pick among the implementations that are within the budget at its positions."""
    found = run_of().picks
    small, large = Case("fill", None, 5000, 4), Case("fill", None, 5001, 4)
    assert {work: (p.name, [*p.against]) for work, p in found.items()} == {
        small: ("c", ["a", "b", "c"]), large: ("b", ["a", "b"]), Case("row", None, 1, 4, end=9999): ("b", ["a", "b"])
    }  # fmt: skip
    assert found[small].against["a"][:2] == (pytest.approx(3), "faster")
    assert run_of(emulated="yes").picks == {}
