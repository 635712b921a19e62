"""scripts/peers_python: its recipes compute what they say, ratios are of the same turn, and who is lost does not stop the rest.

Environment: PYTHONPATH and LD_LIBRARY_PATH such that posenc can be imported. No time is asserted.
"""
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import weakref

import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import memory  # noqa: E402
import numpy_recipes  # noqa: E402
from document import case_row, half_range  # noqa: E402
from process import Gone, Process  # noqa: E402
from subjects import BY_NAME, OURS, SUBJECTS  # noqa: E402
from turns import Case, Measured, Run  # noqa: E402
from worker import Worker  # noqa: E402


def run(*arguments, **environment):
    return subprocess.run([sys.executable, "-B", str(HERE), *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})


def truth(n, d, split):
    table = numpy.empty((n, d))
    for p in range(n):
        for k in range(d // 2):
            angle = p * 10000.0 ** (-2 * k / d)
            where = (k, d // 2 + k) if split else (2 * k, 2 * k + 1)
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
    difference = numpy.abs(table - truth(100, 32, name == "Marian")).max()
    assert table.dtype == numpy.float32 and difference <= error
    assert (name == "Float32") == (difference > 3.1e-8)  # a float32 angle has its price


def test_whoever_is_here_makes_a_right_table_and_refills_it():
    ran = set()
    for subject, recipe in available():
        worker = Worker(recipe)
        for job in worker.describe()["jobs"]:
            worker.prepare(job, 64, 32, None)  # raises where what is refilled is not what is fresh
        if subject.preset != "diffusers":
            assert numpy.abs(worker.array(recipe.fresh(64, 32), 64, 32) - truth(64, 32, subject.preset == "marian")).max() < 2e-5
        ran.add(subject.name)
    assert ran >= {"exact", "anchored", "numpy_f32", "numpy_f64", "marian"}


def test_a_refill_that_is_another_table_is_refused():
    class Wrong(numpy_recipes.Float32):
        def refill(self, pe):
            super().refill(pe)
            pe[-1, -1] = 2

    with pytest.raises(ValueError, match="refilled"):
        Worker(Wrong(1)).prepare("refill", 16, 8, None)


def test_a_slow_one_makes_fewer_rows():
    worker = Worker(numpy_recipes.Marian(1))
    assert 64 <= worker.prepare("fresh", 100000, 64, 0.05)["rows"] < 100000
    assert worker.prepare("fresh", 70, 8, 60.0)["rows"] == 70


def test_a_call_gets_memory_anew_and_the_first_one_is_not_timed():
    class Counting(numpy_recipes.Float32):
        calls, last = 0, None

        def fresh(self, n, d):
            assert self.last is None or self.last() is None, "the table before is still there"
            table = super().fresh(n, d)
            self.calls, self.last = self.calls + 1, weakref.ref(table)
            return table

    recipe = Counting(1)
    answer = Worker(recipe).turn("fresh", 16, 8, 0.01)
    assert answer["calls"] == recipe.calls - 1 > 1 and Worker(recipe).turn("fresh", 16, 8, 0.0)["calls"] == 1


def test_a_long_call_is_warmed_up_by_touching_the_memory_it_uses(monkeypatch):
    touched, worker_module = [], sys.modules["worker"]
    monkeypatch.setattr(worker_module, "LONG", 0)
    monkeypatch.setattr(worker_module, "touch", touched.append)
    worker = Worker(numpy_recipes.Float32(1))
    for job, least in (("fresh", 2), ("refill", 0.5)):  # tables, of angles and sines; the table itself is there when refilled
        memory = worker.prepare(job, 8192, 512, None)["memory"]
        worker.turn(job, 8192, 512, 0)
        assert touched.pop() == memory + (16 << 20 if job == "fresh" else 0) >= least * 0.95 * (16 << 20)
    monkeypatch.setattr(worker_module, "LONG", 1000)
    other = Worker(numpy_recipes.Float32(1))
    other.prepare("fresh", 8192, 512, None)
    other.turn("fresh", 8192, 512, 0)
    assert not touched


def test_times_of_a_slow_one_are_scaled_to_the_whole_table():
    class Told:
        def ask(self, do, **request):
            assert (do, request["n"], request["d"]) == ("turn", 2, 4)
            return {"seconds": 1.5, "calls": 1}

    case, run_ = Case("fresh", 8, 4, 1), Run([], [1], [], set(), "")
    run_.processes, run_.measured = {("marian", 1): Told()}, {case: {"marian": measured(2)}}
    run_.turns(2, 1)
    assert run_.measured[case]["marian"].seconds == {0: 6.0, 1: 6.0}


def test_memory_is_what_a_call_uses_at_most():
    size = 64 << 20

    def work():
        numpy.ones(2 * size, numpy.uint8)  # freed before it returns

    result, grown, by = memory.growth(work)
    assert result is None and by and abs(grown - 2 * size) < size // 8
    assert memory.beyond(lambda: numpy.ones(size, numpy.uint8), size, True)[1] < size // 8  # the table itself
    assert memory.beyond(lambda: None, 1000, True)[1:] == (None, None)  # too small to be seen


def measured(rows, *seconds):
    result = Measured({"rows": rows, "memory": 100, "memory_by": "VmHWM"})
    result.seconds = dict(enumerate(seconds))
    return result


def test_ratios_are_of_the_same_turn_and_memory_is_that_of_the_whole():
    among = {"exact": measured(8, 1.0, 2.0, 4.0), "marian": measured(2, 3.0, 8.0, 12.0)}
    case = Case("fresh", 8, 4, 1)
    row = case_row(case, "marian", among, None)
    assert row["exact"] == [3.0, 0.25 * 2 / 2] and row["anchored"] is None  # 3, 4 and 3: quartiles 3 and 3.5
    assert row["seconds"] == 8.0 and row["memory"] == 400 and row["rows"] == 2 and "member" not in row
    del among["exact"].seconds[1]  # a turn that one of them has not
    assert case_row(case, "marian", among, None)["exact"] == [3.0, None]
    mine = case_row(case, "exact", among, "exact_scalar")
    assert mine["exact"] is None and mine["member"] == "exact_scalar"
    assert half_range([1.0, 2.0]) is None and half_range([1.0, 2.0, 3.0]) == 0.5


def test_who_is_lost_is_named_and_the_others_go_on(tmp_path):
    names = ["exact", "numpy_f32", "numpy_f64"]
    whole = Run(names, [1], [(16, 8)], os.sched_getaffinity(0), str(tmp_path))
    try:
        whole.prepare()
        os.kill(whole.processes["numpy_f32", 1].child.pid, signal.SIGKILL)
        whole.turns(3, 1)
        whole.judge(names, lambda name: 10, 8, tmp_path)
        assert [row["name"] for row in whole.not_run] == ["numpy_f32"] and "signal 9" in whole.not_run[0]["reason"]
        for case, each in whole.measured.items():
            assert {name: len(m.seconds) for name, m in each.items()} == {"exact": 3, "numpy_f64": 3}, case
        assert whole.judged == {"exact": 10, "numpy_f64": 10}
        with pytest.raises(Gone, match="status 1: ValueError: .*'none'"):  # the last line that it wrote
            Process("numpy_f32", "none", os.sched_getaffinity(0), str(tmp_path)).answer()
    finally:
        whole.end()
    assert all(process.child.poll() is not None for process in whole.processes.values())


def test_a_run(tmp_path):
    (tmp_path / "numpy_f32.npy").write_bytes(b"of an earlier run")
    done = run("--output", tmp_path, "--sizes", "16x8,300x64", "--turns", 3, "--quick", "--peers", "numpy_f64,marian,mkl")
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "python.json").read_text())
    assert (result["schema"], result["tool"]) == (1, "posenc-peers-python")
    assert {"Python", "posenc", "NumPy"} <= result["versions"].keys()
    names = {peer["name"] for peer in result["peers"]} | {row["name"] for row in result["not_run"]}
    assert names == {"numpy_f64", "marian", "mkl"}
    assert {path.stem for path in tmp_path.glob("*.npy")} == {peer["name"] for peer in result["peers"]}
    for peer in result["peers"]:
        assert numpy.load(tmp_path / peer["file"], mmap_mode="r").shape == (5000, 512) and peer["judged_rows"] == 5000
        assert peer["preset"] == BY_NAME[peer["name"]].preset and peer["world"] == "python" and peer["version"]
    for row in result["cases"]:
        assert row["seconds"] > 0 and row["spread"] is not None and row["turns"] == 3 and 0 < row["rows"] <= row["n"]
        assert ("member" in row) == (row["peer"] in OURS)
        for ours in OURS:
            assert (row[ours] is None) == (row["peer"] == ours)
    found = {(row["peer"], row["job"], row["n"], row["d"]) for row in result["cases"] if row["threads"] == 1}
    for n, d in ((16, 8), (300, 64)):
        assert {("marian", "fresh", n, d), ("numpy_f64", "refill", n, d), ("exact", "refill", n, d)} <= found
    assert not [key for key in found if key[:2] == ("marian", "refill")]


@pytest.mark.parametrize("arguments", [
    ["--sizes", "64"], ["--sizes", "64x7"], ["--sizes", "0x8"], ["--turns", "0"], ["--peers", "exact"], ["--peers", "nobody"],
])  # fmt: skip
def test_refusals(tmp_path, arguments):
    done = run("--output", tmp_path, *arguments)
    assert done.returncode == 2 and repr(arguments[1]) in done.stderr and "allowed" in done.stderr


def test_without_posenc_it_says_what_to_do(tmp_path):
    done = run("--output", tmp_path, "--quick", PYTHONPATH="", LD_LIBRARY_PATH="")
    if done.returncode == 0:
        pytest.skip("posenc is installed")
    assert done.returncode == 2 and "PYTHONPATH" in done.stderr and not (tmp_path / "python.json").exists()
