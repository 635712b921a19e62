"""bench/peers/python: recipes compute what they say, a table that is not the formula's is refused, and calls are warm.

Environment: PYTHONPATH and LD_LIBRARY_PATH such that posenc can be imported. No time is asserted.
"""
import math
import pathlib
import sys
import types
import weakref

import numpy
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import formula  # noqa: E402
import memory  # noqa: E402
import numpy_recipes  # noqa: E402
import ours  # noqa: E402
import worker as worker_module  # noqa: E402
from subjects import SUBJECTS  # noqa: E402
from worker import Worker  # noqa: E402


def truth(n, d, preset):
    """By the standard library, one number at a time."""
    table, half = numpy.empty((n, d)), d // 2
    for p in range(n):
        for k in range(half):
            angle = p * 10000.0 ** (-k / (half - 1 if preset == "diffusers" else half))
            where = (2 * k, 2 * k + 1) if preset == "paper" else (k, half + k)
            table[p, where[0]], table[p, where[1]] = math.sin(angle), math.cos(angle)
    return table


def available():
    """Those whose module and libraries are here."""
    for subject in SUBJECTS:
        try:
            yield subject, subject.make(1)
        except Exception as error:
            assert type(error).__name__ == "NotHere" and str(error), subject.name


@pytest.mark.parametrize(("name", "error"), [("Float32", 2e-5), ("Float64", 3.1e-8), ("Marian", 3.1e-8)])
def test_the_recipes_of_numpy_are_the_formula(name, error):
    table = getattr(numpy_recipes, name)(1).fresh(100, 32)
    difference = numpy.abs(table - truth(100, 32, "marian" if name == "Marian" else "paper")).max()
    assert table.dtype == numpy.float32 and difference <= error
    assert (name == "Float32") == (difference > 3.1e-8)  # a float32 angle has its price


def test_whoever_is_here_makes_a_right_table_by_every_job():
    ran = set()
    for subject, recipe in available():
        worker, jobs = Worker(recipe, subject.preset), Worker(recipe).describe()["jobs"]
        for n, d in ((64, 32), (1000, 258)):  # 129 frequencies: no vector's multiple
            for job in jobs:
                worker.prepare(job, n, d, 0.01 if subject.slow else None)  # raises where it is not the formula's
        assert numpy.abs(worker.array(recipe.fresh(64, 32), 64, 32) - truth(64, 32, subject.preset)).max() < 2e-5
        assert ("first" in jobs) == (
            subject.name not in ("torch_compiled", "torch_compiled_stack", "jax_f32")
        ), subject.name
        ran.add(subject.name)
    assert ran >= {"exact", "anchored", "numpy_f32", "numpy_f64", "marian"}


@pytest.mark.parametrize("preset", ["paper", "marian", "diffusers"])
def test_the_formula_is_the_truth_and_another_one_is_refused(preset):
    rows, allowed = formula.expected(preset, numpy.arange(300), 32)
    table = truth(300, 32, preset)
    assert numpy.abs(rows - table).max() < 1e-12
    assert allowed.min() == 1e-6 and allowed.max() < 1.5e-4  # 2^-22 of the largest angle, 299, is half of that
    formula.compare(preset, table.astype(numpy.float32))
    for other in {"paper", "marian", "diffusers"} - {preset}:
        with pytest.raises(ValueError, match="not the formula's"):
            formula.compare(other, table)


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 31), (299, 0), (299, 31), (158, 16)])  # 158: of those between
@pytest.mark.parametrize("wrong", [math.nan, math.inf, 0.001])
def test_one_wrong_value_in_a_row_that_is_looked_at_is_refused_and_named(row, column, wrong):
    table = truth(300, 32, "paper")
    table[row, column] += wrong
    with pytest.raises(ValueError, match=f"off by {wrong:.2g} at most, at position {row} in column {column}"):
        formula.compare("paper", table)


@pytest.mark.parametrize("small", [0, 1 << 22])  # of a large table only some rows are looked at, but they are
def test_a_refill_that_leaves_something_is_refused(monkeypatch, small):
    class Leaves(numpy_recipes.Float32):
        def refill(self, pe):
            super().refill(pe[:-1])

    monkeypatch.setattr(worker_module, "SMALL", small)
    with pytest.raises(ValueError, match="off by nan"):
        Worker(Leaves(1)).prepare("refill", 16, 8, None)


def test_a_refill_that_is_another_table_anywhere_is_refused():
    class Wrong(numpy_recipes.Float32):
        def refill(self, pe):
            super().refill(pe)
            pe[1, -1] += 1  # no row that the formula is asked for

    with pytest.raises(ValueError, match="refilled"):
        Worker(Wrong(1)).prepare("refill", 100, 8, None)


def test_a_slow_one_makes_fewer_rows():
    worker = Worker(numpy_recipes.Marian(1), "marian")
    assert 64 <= worker.prepare("fresh", 100000, 64, 0.05)["rows"] < 100000
    assert worker.prepare("fresh", 70, 8, 60.0)["rows"] == 70


class Clock:
    """A recipe whose calls take so many seconds each, by a clock that it puts forward itself; forgetting takes 1000."""

    member = refill = None

    def __init__(self, monkeypatch, *takes):
        self.now, self.takes, self.did, self.last = 0, list(takes), "", None
        monkeypatch.setattr(worker_module, "time", types.SimpleNamespace(perf_counter=lambda: self.now))

    def fresh(self, n, d):
        assert self.last is None or self.last() is None, "the table before is still there"
        table = numpy.empty((n, d), numpy.float32)
        self.now, self.did, self.last = self.now + self.takes.pop(0), self.did + "c", weakref.ref(table)
        return table

    def forget(self):
        self.now, self.did = self.now + 1000, self.did + "f"


def test_the_first_call_is_never_timed_and_at_least_two_are_however_long_they_take(monkeypatch):
    assert Worker(Clock(monkeypatch, 900, 7, 5)).turn("fresh", 16, 8, 0.02) == {"seconds": 6, "calls": 2}
    assert Worker(Clock(monkeypatch, 900, 1, 1, 3, 9)).turn("fresh", 16, 8, 12) == {"seconds": 2, "calls": 4}


def test_before_each_first_call_what_was_kept_is_dropped_and_that_is_not_timed(monkeypatch):
    recipe = Clock(monkeypatch, 9, 3, 3)
    assert Worker(recipe).turn("first", 16, 8, 0) == {"seconds": 3, "calls": 2} and recipe.did == "fcfcfc"
    recipe = Clock(monkeypatch, 9, 3, 3)
    assert Worker(recipe).turn("fresh", 16, 8, 0)["calls"] == 2 and recipe.did == "ccc"


@pytest.mark.parametrize("name", ["Exact", "Anchored"])
def test_ours_keeps_no_plan_for_a_first_call_and_keeps_it_for_others(name):
    class Seen(getattr(ours, name)):
        def fresh(self, n, d):
            kept.append(ours.posenc._plan._cached.cache_info().currsize)
            return super().fresh(n, d)

    kept, worker = [], Worker(Seen(1))
    worker.prepare("first", 16, 8, None)
    worker.turn("first", 16, 8, 0)
    assert kept == [0] * 5
    worker.turn("fresh", 16, 8, 0)
    assert kept[5:] == [1] * 3


def test_memory_is_what_a_call_uses_at_most():
    size = 64 << 20

    def work():
        numpy.ones(2 * size, numpy.uint8)  # freed before it returns

    result, grown, by = memory.growth(work)
    assert result is None and by and abs(grown - 2 * size) < size // 8
    assert memory.beyond(lambda: numpy.ones(size, numpy.uint8), size, True)[1] < size // 8  # the table itself
    assert memory.beyond(lambda: None, 1000, True)[1:] == (None, None)  # too small to be seen
