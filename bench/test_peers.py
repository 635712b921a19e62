"""bench/peers.py: what its JSON says of each case, and what it does with a wrong table and without posenc.

Environment: PYTHONPATH and LD_LIBRARY_PATH such that posenc can be imported. No time is asserted.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent
# Replaces a recipe by one with the wrong sign.
WRONG = "peers.JOBS['table']['numpy_f32'] = lambda n, d: (lambda: -peers.numpy_formula(n, d, peers.np.float32),)"


def run(path, change="", **environment):
    program = f"import sys; sys.path.insert(0, {str(BENCH)!r}); import peers; {change}\nsys.exit(peers.main())"
    command = [sys.executable, "-B", "-c", program, "--quick", "--json", str(path)]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)


def test_a_run(tmp_path):
    done = run(tmp_path / "peers.json")
    assert done.returncode == 0 and "peers: turn 3 of 3\n" in done.stderr, done.stderr
    result = json.loads((tmp_path / "peers.json").read_text())
    context, cases, errors = result["context"], collections.defaultdict(list), {}
    for record in result["benchmarks"]:
        job, who, dtype = record["label"].split()
        n, d = record["positions"], record["columns"]
        assert record["run_name"] == f"{job}/{who}/{dtype}/n:{n}/d:{d}" and dtype == "float32" and record["rows"] == n
        assert record["real_time"] > 0 and (record["time_unit"], record["wall"]) == ("ns", 1)
        cases[job, who, n].append(record["repetition_index"])
        errors |= {(job, who, n): record["error"]} if "error" in record else {}
    assert all(turns == [0, 1, 2] for turns in cases.values())
    names = {who for _, who, _ in cases}
    absent = {key[len("not_run.") :] for key in context if key.startswith("not_run.")}
    assert names == {key[len("peer.") :] for key in context if key.startswith("peer.")} and not names & absent
    assert {"exact", "numpy_f32", "numpy_f64"} <= names and context["peer_version.exact"].startswith("posenc ")
    assert {n for job, who, n in cases if (job, who) == ("table", "exact")} == {64, 512}
    ours = {case: error for case, error in errors.items() if case[1] in ("exact", "anchored", "posenc.torch")}
    assert all(error < 6.1e-8 for error in ours.values()) and ("table", "exact", 512) in ours
    assert 1e-6 < errors["table", "numpy_f32", 512] < 1e-3 and errors["table", "numpy_f64", 512] < 6.1e-8


def test_another_table_fails(tmp_path):
    done = run(tmp_path / "peers.json", WRONG)
    failed = [r for r in json.loads((tmp_path / "peers.json").read_text())["benchmarks"] if r.get("error_occurred")]
    assert [r["run_name"] for r in failed] == ["table/numpy_f32/float32/n:512/d:512"]
    assert failed[0]["error_message"] == "off by 2: not the same table" and done.returncode == 0


def test_posenc_is_missing(tmp_path):
    done = run(tmp_path / "peers.json", PYTHONPATH="")
    assert done.returncode == 1 and done.stderr.startswith("peers: posenc cannot be imported")
    assert not (tmp_path / "peers.json").exists()
