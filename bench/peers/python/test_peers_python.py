"""bench/peers/python, the whole of it: who runs when, ratios are of the same turn, and who is lost does not stop the rest.

Environment: PYTHONPATH and LD_LIBRARY_PATH such that posenc can be imported. No time is asserted.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys

import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from document import case_row, document, half_range, ratio  # noqa: E402
from process import Failed, Gone, Process  # noqa: E402
from subjects import BY_NAME, OURS  # noqa: E402
from turns import Case, Measured, Run  # noqa: E402


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-B", str(HERE), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )


def test_times_of_a_slow_one_are_scaled_to_the_whole_table():
    class Told:
        def ask(self, do, **request):
            assert (do, request["n"], request["d"]) == ("turn", 2, 4)
            return {"seconds": 1.5, "calls": 1}

    case, run_ = Case("fresh", 8, 4, 1), Run([], [1], [], set(), "")
    run_.processes, run_.measured = {("marian", 1): Told()}, {case: {"marian": measured(2)}}
    run_.turns(2, 1)
    assert run_.measured[case]["marian"].seconds == {0: 6.0, 1: 6.0}


class Answers:
    """In a process's place: what it was asked for, and answers of three rows and one second."""

    def __init__(self, *not_those):
        self.asked, self.not_those = [], not_those

    def ask(self, do, job, n, d, **_):
        self.asked.append((do, job, n, d))
        if job in self.not_those:
            raise Failed("ValueError: the table is not the formula's: off by 0.5 at most")
        return {"rows": 3, "memory": 5, "memory_by": "VmHWM", "seconds": 1.0, "calls": 2}


def fake(names, thread_counts, sizes, jobs, *not_those):
    """A run whose processes are answers; each has the key that its process would have."""
    run_ = Run([], thread_counts, sizes, set(), "")
    run_.names = names
    for name in names:
        one = Answers(*not_those)
        for threads in thread_counts:
            run_.processes[name, threads] = Answers(*not_those) if BY_NAME[name].threads else one
            run_.said[name, threads] = {"jobs": jobs, "versions": {}, "member": None}
    return run_


def test_a_table_that_is_not_right_is_not_timed_and_the_reason_says_how_wrong():
    run_ = fake(["numpy_f32", "exact"], [1, 2], [(16, 8)], ["fresh", "refill"], "refill")
    run_.prepare()
    run_.turns(3, 1)
    for name in run_.names:
        assert {(case.job, case.threads) for case, each in run_.measured.items() if name in each} == {
            ("fresh", 1),
            ("fresh", 2),
        }
        assert ("turn", "refill", 3, 8) not in run_.processes[name, 1].asked + run_.processes[name, 2].asked
    reasons = [row["reason"] for row in run_.not_run if row["name"] == "numpy_f32"]
    assert reasons == ["16 x 8, refill, 1 thread: ValueError: the table is not the formula's: off by 0.5 at most"]


def test_one_that_has_one_thread_runs_beside_those_with_all(tmp_path):
    names, turn = ["exact", "numpy_f32"], Case("fresh", 16, 8, 2)
    run_ = Run(names, [1, 2], [(16, 8)], os.sched_getaffinity(0), str(tmp_path))
    theirs = run_.processes["numpy_f32", 1]
    try:
        assert theirs is run_.processes["numpy_f32", 2]
        assert run_.processes["exact", 1] is not run_.processes["exact", 2]
        run_.prepare()
        run_.turns(3, 1)
        rows = {(row["peer"], row["threads"]): row for row in document(run_)["cases"] if row["job"] == "fresh"}
        assert rows.keys() == {(name, threads) for name in names for threads in (1, 2)}
        assert {key: row["single"] for key, row in rows.items() if "single" in row} == {("numpy_f32", 2): True}
        there, found = run_.measured[turn], rows["numpy_f32", 2]["exact"]
        assert found == ratio(there["numpy_f32"], there["exact"]) and found[0] > 0
        run_.lose("numpy_f32", 1, "gone")
        assert ("numpy_f32", 2) not in run_.processes and len(there["numpy_f32"].seconds) == 3
    finally:
        run_.end()
        theirs.end()


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
    done = run(
        "--output", tmp_path, "--sizes", "16x8,300x64", "--turns", 3, "--quick", "--peers", "numpy_f64,marian,mkl"
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "python.json").read_text())
    assert (result["schema"], result["tool"]) == (1, "posenc-peers-python")
    assert (result["quick"], result["turns"], result["large_turns"], result["seed"]) == (True, 3, 3, 1)
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
        assert {(name, "first", n, d) for name in ("exact", "anchored", "numpy_f64", "marian")} <= found
    several = {(row["peer"], row["job"]) for row in result["cases"] if row["threads"] > 1}
    assert several >= ({("numpy_f64", "refill"), ("marian", "fresh")} if result["processors"] > 1 else set())
    assert not [key for key in several if key[1] == "first"]
    assert not [key for key in found if key[:2] == ("marian", "refill")]


@pytest.mark.parametrize("arguments", [
    ["--sizes", "64"], ["--sizes", "64x7"], ["--sizes", "0x8"], ["--turns", "0"], ["--peers", "exact"], ["--peers", "nobody"],
])  # fmt: skip
def test_refusals(tmp_path, arguments):
    done = run("--output", tmp_path, *arguments)
    assert done.returncode == 2 and repr(arguments[1]) in done.stderr and "allowed" in done.stderr
