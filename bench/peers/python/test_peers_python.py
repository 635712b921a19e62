"""bench/peers/python: recipes compute what they say, a table that is not the formula's is refused and not timed, calls are warm,
ratios are of the same turn, and a process that ends does not stop the rest.

Environment: PYTHONPATH and LD_LIBRARY_PATH such that posenc can be imported. No time is asserted.
"""
import importlib.util
import json
import math
import os
import pathlib
import signal
import sys
import types
import weakref

import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import formula  # noqa: E402
import memory  # noqa: E402
import numpy_recipes  # noqa: E402
import ours  # noqa: E402
import worker as worker_module  # noqa: E402
from document import case_row, document, half_range, ratio  # noqa: E402
from subjects import BY_NAME, OURS, SUBJECTS  # noqa: E402
from turns import Case, Measured, Run  # noqa: E402
from worker import Failed, Worker, described  # noqa: E402

PRESETS = ("paper", "marian", "diffusers")


def reference(n, d, preset):
    """By the standard library, one number at a time."""
    table, half = numpy.empty((n, d)), d // 2
    for p in range(n):
        for k in range(half):
            angle = p * 10000.0 ** (-k / (half - 1 if preset == "diffusers" else half))
            where = (2 * k, 2 * k + 1) if preset == "paper" else (k, half + k)
            table[p, where[0]], table[p, where[1]] = math.sin(angle), math.cos(angle)
    return table


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_whoever_is_here_makes_a_right_table_by_every_job(subject):
    try:
        worker = Worker(subject.make(1), subject.preset)
    except Exception as error:
        assert subject.library not in ("posenc", "NumPy"), error
        pytest.skip(described(error))
    jobs = worker.describe()["jobs"]
    for n, d in ((64, 32), (100 if subject.slow else 1000, 258)):  # 129 frequencies: no vector's multiple
        for job in jobs:
            worker.prepare(job, n, d)  # raises where it is not the formula's
    difference = numpy.abs(
        worker.array(worker.recipe.fresh(100, 32), 100, 32) - reference(100, 32, subject.preset)
    ).max()
    once = subject.name in ("exact", "anchored", "numpy_f64", "marian", "transformers_marian")  # rounded
    assert difference < (3.1e-8 if once else 2e-5) and once == (difference < 3.1e-8)  # a float32 angle has its price
    assert ("first" in jobs) == (subject.name not in ("torch_compiled", "torch_compiled_stack", "jax_f32"))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_formula_is_the_reference_and_another_one_is_refused(preset):
    rows, allowed = formula.expected(preset, numpy.arange(300), 32)
    table = reference(300, 32, preset)
    assert numpy.abs(rows - table).max() < 1e-12
    assert allowed.min() == 1e-6 and allowed.max() < 1.5e-4  # 2^-22 of the largest angle, 299, is half of that
    formula.compare(preset, table.astype(numpy.float32))
    for other in {*PRESETS} - {preset}:
        with pytest.raises(ValueError, match="not the formula's"):
            formula.compare(other, table)


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 31), (299, 0), (299, 31), (158, 16)])  # 158: of those between
@pytest.mark.parametrize("wrong", [math.nan, math.inf, 0.001])
def test_one_wrong_value_in_a_row_that_is_looked_at_is_refused_and_named(row, column, wrong):
    table = reference(300, 32, "paper")
    table[row, column] += wrong
    with pytest.raises(ValueError, match=f"off by {wrong:.2g} at most, at position {row} in column {column}"):
        formula.compare("paper", table)


class Leaves(numpy_recipes.Float32):
    def refill(self, pe):
        super().refill(pe[:-1])


class Wrong(numpy_recipes.Float32):
    def refill(self, pe):
        super().refill(pe)
        pe[1, -1] += 1  # no row that the formula is asked for


@pytest.mark.parametrize(("recipe", "n", "small", "message"), [
    (Leaves, 16, 1 << 22, "off by nan"), (Leaves, 16, 0, "off by nan"),  # of a large table some rows are looked at
    (Wrong, 100, 1 << 22, "refilled"),
])  # fmt: skip
def test_a_refill_that_leaves_something_or_is_another_table_is_refused(monkeypatch, recipe, n, small, message):
    monkeypatch.setattr(worker_module, "SMALL", small)
    with pytest.raises(ValueError, match=message):
        Worker(recipe(1)).prepare("refill", n, 8)


class Clock:
    """A recipe whose calls take so many seconds each, by a clock that it puts forward itself; forgetting takes 1000."""

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


@pytest.mark.parametrize(("job", "takes", "least", "median", "did"), [
    ("fresh", (900, 7, 5), 0.02, 6, "ccc"),  # the first call is never timed, and at least two are, however long they take
    ("fresh", (900, 1, 1, 3, 9), 12, 2, "ccccc"),
    ("first", (9, 3, 3), 0, 3, "fcfcfc"),  # before each call what was kept is dropped, and that is not timed
])  # fmt: skip
def test_what_is_timed(monkeypatch, job, takes, least, median, did):
    recipe = Clock(monkeypatch, *takes)
    assert Worker(recipe).turn(job, 16, 8, least) == median and recipe.did == did


@pytest.mark.parametrize("name", ["Exact", "Anchored"])
def test_ours_keeps_no_plan_for_a_first_call_and_keeps_it_for_others(name):
    class Seen(getattr(ours, name)):
        def fresh(self, n, d):
            kept.append(ours.posenc._plan._cached.cache_info().currsize)
            return super().fresh(n, d)

    kept, worker = [], Worker(Seen(1))
    worker.prepare("first", 16, 8)
    worker.turn("first", 16, 8, 0)
    assert kept == [0] * 5
    worker.turn("fresh", 16, 8, 0)
    assert kept[5:] == [1] * 3


def test_memory_is_what_a_call_uses_at_most():
    size = 64 << 20

    def work():
        numpy.ones(2 * size, numpy.uint8)  # freed before it returns

    assert abs(memory.growth(work)[1] - 2 * size) < size // 8
    assert memory.beyond(lambda: numpy.ones(size, numpy.uint8), size, True)[1] < size // 8  # the table itself
    assert memory.beyond(lambda: None, 1000, True)[1] is None  # too small to be seen


class Answers:
    """In a process's place: notes what it was asked for; takes a second, and has a wrong table of one job."""

    def __init__(self, wrong):
        self.asked, self.wrong = [], wrong

    def submit(self, _, do, request):
        self.asked.append((do, *request.values()))
        self.answer = {"memory": 5} if do == "prepare" else 1.0
        return self

    def result(self, _):
        if self.asked[-1][1] == self.wrong:
            raise Failed("ValueError: the table is not the formula's: off by 0.5 at most")
        return self.answer


def test_a_wrong_table_is_not_timed_and_the_times_of_fewer_rows_are_scaled():
    run = Run([], [1, 2], [(256, 8)], set(), "")
    run.names = ["marian", "exact"]
    for key in [("marian", 1), ("exact", 1), ("exact", 2)]:
        run.processes[key], run.said[key] = Answers("refill"), {"jobs": ["fresh", "refill"]}
    run.prepare()
    run.turns(3, 1)
    one, two = Case("fresh", 256, 8, 1), Case("fresh", 256, 8, 2)
    assert run.measured.keys() == {(one, "marian"), (one, "exact"), (two, "exact")}
    assert run.measured[one, "marian"].seconds == dict.fromkeys(range(3), 2)  # of 128 rows
    assert run.measured[two, "exact"].seconds == dict.fromkeys(range(3), 1)
    assert not any(asked[:2] == ("turn", "refill") for process in run.processes.values() for asked in process.asked)
    reasons = [row["reason"] for row in run.not_run if row["name"] == "marian"]
    assert reasons == ["256 x 8, refill, 1 thread: ValueError: the table is not the formula's: off by 0.5 at most"]


def test_ratios_are_of_the_turns_that_both_have():
    among = {"exact": Measured(8, 100, {0: 1.0, 1: 2.0, 2: 4.0}), "marian": Measured(2, 100, {0: 3.0, 1: 8.0, 2: 12.0})}
    case = Case("fresh", 8, 4, 1)
    row = case_row(case, "marian", among, None)
    assert row["exact"] == [3.0, 0.25 * 2 / 2] and row["anchored"] is None  # 3, 4 and 3: quartiles 3 and 3.5
    assert row["seconds"] == 8.0 and row["memory"] == 400 and row["rows"] == 2 and "member" not in row
    del among["exact"].seconds[1]  # a turn that one of them has not
    assert case_row(case, "marian", among, None)["exact"] == [3.0, None]
    mine = case_row(case, "exact", among, "exact_scalar")
    assert mine["exact"] is None and mine["member"] == "exact_scalar"
    assert half_range([1.0, 2.0]) is None and half_range([1.0, 2.0, 3.0]) == 0.5


def test_a_process_that_ends_is_named_and_the_others_go_on(tmp_path):
    names = ["exact", "numpy_f32", "numpy_f64"]
    run = Run(names, [1, 2], [(16, 8)], os.sched_getaffinity(0), str(tmp_path))
    try:
        run.prepare()
        os.kill(run.said["numpy_f32", 1]["process"], signal.SIGKILL)
        run.turns(3, 1)
        run.judge(names, lambda name: 10, 8, tmp_path)
        assert [row["name"] for row in run.not_run] == ["numpy_f32"] and "terminated" in run.not_run[0]["reason"]
        assert {name for _, name in run.measured} == {"exact", "numpy_f64"}
        assert all(len(measured.seconds) == 3 for measured in run.measured.values())
        assert run.judged == {"exact": 10, "numpy_f64": 10}
        rows = {(row["peer"], row["threads"]): row for row in document(run)["cases"] if row["job"] == "fresh"}
        assert rows.keys() == {(name, threads) for name in ("exact", "numpy_f64") for threads in (1, 2)}
        assert {key for key, row in rows.items() if "single" in row} == {("numpy_f64", 2)}  # beside ours with two
        theirs, our = run.measured[Case("fresh", 16, 8, 1), "numpy_f64"], run.measured[Case("fresh", 16, 8, 2), "exact"]
        assert rows["numpy_f64", 2]["exact"] == ratio(theirs, our)
    finally:
        run.end()
    assert not any(os.path.exists(f"/proc/{said['process']}") for said in run.said.values())


def test_a_run(tmp_path):
    spec = importlib.util.spec_from_file_location("peers_main", HERE / "__main__.py")
    spec.loader.exec_module(main := importlib.util.module_from_spec(spec))
    (tmp_path / "numpy_f32.npy").write_bytes(b"of an earlier run")
    names, sizes = [*OURS, "numpy_f64", "marian", "mkl"], [(16, 8), (300, 64)]
    assert main.measure(tmp_path, True, names, sizes, 3) == 0
    result = json.loads((tmp_path / "python.json").read_text())
    assert (result["schema"], result["tool"]) == (1, "posenc-peers-python")
    assert (result["quick"], result["turns"], result["large_turns"], result["seed"]) == (True, 3, 3, 1)
    assert {"Python", "posenc", "NumPy"} <= result["versions"].keys()
    assert {p["name"] for p in result["peers"]} | {row["name"] for row in result["not_run"]} == {*names} - {*OURS}
    assert {path.stem for path in tmp_path.glob("*.npy")} == {peer["name"] for peer in result["peers"]}
    for peer in result["peers"]:
        assert numpy.load(tmp_path / peer["file"], mmap_mode="r").shape == (5000, 512)
        assert peer["preset"] == BY_NAME[peer["name"]].preset and peer["world"] == "python" and peer["version"]
    for row in result["cases"]:
        assert row["seconds"] > 0 and row["spread"] is not None and row["turns"] == 3 and 0 < row["rows"] <= row["n"]
        assert ("member" in row) == (row["peer"] in OURS)
        assert all((row[our] is None) == (row["peer"] == our) for our in OURS)
    jobs = {name: {row["job"] for row in result["cases"] if row["peer"] == name} for name in names}
    assert jobs["marian"] == {"fresh", "first"} and jobs["numpy_f64"] == jobs["exact"] == {"fresh", "refill", "first"}
    assert {row["threads"] for row in result["cases"] if row["job"] == "first"} == {1}
    threads = {1, len(os.sched_getaffinity(0))}
    found = {(row["n"], row["d"], row["threads"]) for row in result["cases"] if row["peer"] == "marian"}
    assert found == {(n, d, t) for n, d in sizes for t in threads}


def test_the_rule_of_the_calls_is_that_of_posenc_bench():
    """bench/pick/test_choose.c has the rule's cases in C."""
    calls = pytest.importorskip("calls", reason="no PyTorch")
    theirs = [1.0] * 31
    for ours, word in (0.9, "faster"), (1.005, "tie"), (1.02, "slower"):
        behind, unsure, found = calls.verdict([ours] * 31, theirs)
        assert (round(behind, 9), unsure, found) == (round(ours - 1, 9), 0.01, word)
    for middle, word in (1.0, "tie"), (1.04, "unclear"), (1.07, "slower"):
        spread = [middle + (i - 15) / 100 for i in range(31)]  # the tenth from either end leaves the median with 95 %
        behind, unsure, found = calls.verdict(spread, theirs)
        assert (round(behind, 9), round(unsure, 9), found) == (round(middle - 1, 9), 0.06, word)
