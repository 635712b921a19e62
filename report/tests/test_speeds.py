"""Medians, ratios and spreads, and what labels and counters mean."""
import math

import pytest

from made_up import bench, case, failed_case, file
from report.load import load
from report.formats import times_as_fast
from report.decisions import Comparison
from report.speeds import Case, Speeds
from report.tables import cell, of_limit


def test_ratio_and_spread():
    """Quartiles of NINE are 0.99 and 1.01: a relative range of 2 %."""
    found = {case.who: row for case, row in Speeds(bench(fills={"a": 0.2, "b": 0.1})).results.items()}
    a, b = found["a"], found["b"]
    assert a.gb_s == pytest.approx(20) and a.spread == pytest.approx(0.02)
    assert (of_limit(a, b), of_limit(b, a)) == ("50.0 %", "as fast")
    assert cell(0.5, 0.04, 3) == ("0.500", "0.010") and cell(0.5, None, 1) == ("0.5", "")


@pytest.mark.parametrize("comparison, said", [
    (Comparison(1.25, "faster", (1.15, 1.9)), "1.25 times as fast (at least 1.15)"),
    (Comparison(0.6, "slower", (0.5, 0.7)), "0.600 times as fast (at most 0.700)"),
    (Comparison(1.01, "tie", (0.99, 1.03)), "about as fast"),
    (Comparison(1.05, "undecided", (0.85, 1.2)), "1.05 times as fast (this run cannot tell: 0.850 to 1.20)"),
    (Comparison(1.5, "undecided"), "1.50 times as fast (too few turns to tell)"),
])  # fmt: skip
def test_ratios_in_words(comparison, said):
    brief = "about as fast" if comparison.outcome == "undecided" else said.partition(" (")[0]
    assert times_as_fast(comparison) == said and times_as_fast(comparison, brief=True) == brief


@pytest.mark.parametrize("more, ns", [
    ({"rows": 8.0}, 1000 / 32), ({"rows": 2.0}, 1000 / 8), ({}, 1000), ({"wall": 1.0, "real_time": 3, "rows": 8.0}, 3000 / 32),
])  # fmt: skip
def test_times(more, ns):
    """Nanoseconds per element of the rows that were written, or per pass, by the case's clock."""
    found = {"run_type": "iteration", "label": "fill a float32", "positions": 8, "columns": 4, "time_unit": "us"}
    (row,) = Speeds({"benchmarks": [found | {"cpu_time": 1} | more]}).results.values()
    assert row.times == [ns]


def test_turns_that_write_other_numbers_of_rows():
    """Each process decides how many rows of a large table it writes."""
    runs = case("fill a", 1, 5000, 512, (1,), rows=5000) + case("fill a", 3, 5000, 512, (1,), rows=64)
    (row,) = Speeds({"benchmarks": runs}).results.values()
    assert row.times == [pytest.approx(1), pytest.approx(3)]


def test_aggregates_are_not_read(tmp_path):
    """The variation of an offset of 0 is NaN."""
    aggregate = case("fill a", 1, offset=0)[0] | {"run_type": "aggregate", "offset": math.nan}
    speeds = Speeds(load(file(tmp_path, bench([aggregate])), "posenc-bench"))
    assert not [c for c in speeds.results if c.who == "a"]


def test_a_case_that_failed_once_has_no_figures():
    speeds = Speeds(bench(case("fill a", 1), failed_case("fill/a/float32", "fill a")))
    assert speeds.failed == {"fill/a/float32": "no memory"} and Case("fill", "a", 5000, 512) not in speeds.results


@pytest.mark.parametrize("asked, offset, limit", [
    (Case("fill", "a", 8, 4), None, "w:32"),
    (Case("fill/whisper", "a", 8, 4), None, "w:32"),
    (Case("fill_at", "a", 8, 4, end=99), None, "w:32"),
    (Case("fill", "a", 8, 4, offset=0), 0, "w:32"),
    (Case("fill/uncached", "a", 8, 4), None, "w:16"),
    (Case("fill", "a", 9, 4), None, None),
    (Case("fill", "a", 8, 4, "bfloat16"), None, None),
    (Case("row", "a", 8, 4), None, None),
])  # fmt: skip
def test_limits(asked, offset, limit):
    """Stores to a table of the same size, dtype and offset, in the same kind of memory: the faster of plain and
    non-temporal ones."""
    stores = {"store w:16": 2, "stream w:32": 1, "convert w:64": 0.5, "store/uncached w:16": 3}
    runs = [c for label, ns in stores.items() for c in case(label, ns, 8, 4, offset=16 if offset is None else offset)]
    found = Speeds({"context": {"offset": "16"}, "benchmarks": runs}).limit(asked)
    assert (found and found.case.who) == limit
