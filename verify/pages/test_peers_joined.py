"""What is made of the parts of a run of scripts/peers: ratios and spreads that are known by hand, who wins, who failed; and parts
that are none, which are named and change nothing."""
import json
import re

import pytest

from peers_made_up import (  # first: it finds the modules
    SMALL, MIDDLE, case, bench, judged, judge, python_case, python, called, join, joined, find, targets, SOUND, EVERY, put)

import peers_text
import peers_verdict
from peers_cases import Group, Peers, bounds, standing
from peers_figures import duration, ratio
from peers_losses import draws


def test_ratios_of_the_c_part(tmp_path):
    data = joined(tmp_path)
    quick = find(data, "fill", "quick", MIDDLE)
    assert quick["exact"] == pytest.approx([2.5, 2.5 * 0.01 * 2 ** 0.5]) and quick["anchored"][0] == pytest.approx(10 / 3)
    assert quick["seconds"] == pytest.approx(0.5e-9 * 5000 * 512) and quick["spread"] == pytest.approx(0.01 * quick["seconds"])
    assert quick["gb_s"] == pytest.approx(8) and quick["of_limit"] == pytest.approx([0.36, 0.36 * 0.01 * 2 ** 0.5])
    exact = find(data, "fill", "exact", MIDDLE)  # the best instruction set, not the fastest member
    assert exact["member"] == "exact_avx512" and exact["seconds"] == pytest.approx(0.2e-9 * 5000 * 512)
    assert exact["exact"] is None and exact["limit"] == "stream"
    row = find(data, "row", "quick")
    assert (row["n"], row["below"], row["of_limit"]) == (1, 4096, None) and row["exact"][0] == pytest.approx(0.5)
    assert row["anchored"][0] == pytest.approx(0.25) and find(data, "once", "quick")["exact"][0] == pytest.approx(1.0025)
    assert {c["peer"] for c in data["cases"] if c["world"] == "c"} == {"exact", "anchored", "quick", "slow"}
    assert data["machine"]["processors"] == 2 and data["machine"]["emulated"] is False
    assert data["not_run"] == [{"name": "jax_f32", "reason": "no module named jax", "world": "python"}]
    assert data["versions"]["NumPy"] == "1.24"


def test_quartiles_of_the_c_part(tmp_path):
    quick = find(joined(tmp_path), "fill", "quick", MIDDLE)["quartiles"]
    assert quick["seconds"] == pytest.approx([0.99 * 0.5e-9 * 5000 * 512, 1.01 * 0.5e-9 * 5000 * 512])
    assert quick["exact"] == pytest.approx([2.5 * 0.99 / 1.01, 2.5 * 1.01 / 0.99])
    assert quick["of_limit"] == pytest.approx([0.36 * 0.99 / 1.01, 0.36 * 1.01 / 0.99])
    b = bench()
    some = [c for c in b["benchmarks"] if c["run_name"].startswith("fill/exact_avx512")][:2]
    b["benchmarks"] = [c for c in b["benchmarks"] if not c["run_name"].startswith("fill/exact_avx512/f32/n:64")] + some
    few = find(joined(tmp_path, b), "fill", "slow", SMALL)  # two repetitions of exact have no quartiles
    assert few["quartiles"]["exact"] is None and few["exact"][1] is None and few["quartiles"]["anchored"]


def test_sizes_go_by_bytes(tmp_path):
    data = joined(tmp_path, bench(sizes=((100, 1024), (131072, 128), (200, 512), (50, 2048))))
    columns = Peers(data).columns(Group("c", "fill", 1))
    assert [tuple(c[:2]) for c in columns] == [(200, 512), (100, 1024), (50, 2048), (131072, 128)]


def test_who_is_who(tmp_path):
    rows = {(r["world"], r["name"]): r for r in joined(tmp_path)["peers"]}
    assert list(rows) == [("c", "exact"), ("c", "anchored"), ("c", "quick"), ("c", "slow"), ("python", "torch_tutorial"),
                          ("python", "numpy_f64")]
    assert rows["c", "quick"]["what"] == "a | quick one" and rows["c", "quick"]["wrong_from"] == 5000
    assert [r["word"] for r in rows["c", "quick"]["ranges"]] == ["float32", "drifting", "wrong"]
    assert rows["python", "numpy_f64"]["right"] is True  # by the name of the file
    assert rows["python", "torch_tutorial"]["right"] is None and rows["python", "torch_tutorial"]["ranges"] == []
    worse = judge(judged("exact_avx512", (3e-8, "exact")), judged("exact", (1e-3, "drifting"), file="a/exact.npy", right=False))
    assert join(tmp_path, bench(), worse)[0] == 1
    assert json.loads((tmp_path / "peers.json").read_text())["peers"][0]["right"] is False  # judged twice: what is worse counts


@pytest.mark.parametrize("tables, message", [
    ((judged("exact", (3e-8, "exact"), (3e-8, "ulp")), SOUND[1]),
     'exact is not correctly rounded: "ulp" at positions 512 to 4999'),
    ((SOUND[0], judged("anchored", (1e-3, "drifting"), right=False)), "anchored is not the right table"),
    ((SOUND[0],), "anchored was not judged"), ((SOUND[1],), "exact was not judged"),
    ((SOUND[0], judged("anchored", (3e-8, "ulp"), right=None)), "anchored is not the right table"), (SOUND, None)])
def test_ours_must_keep_what_they_promise(tmp_path, tables, message):
    """The file is there all the same."""
    status, out, err = join(tmp_path, bench(), judge(*tables))
    assert (status, out) == (1 if message else 0, "") and json.loads((tmp_path / "peers.json").read_text())["cases"]
    assert err == (f"peers: {message} ({tmp_path}/peers.json is written)\n" if message else "")


def test_failed_cases_are_named(tmp_path):
    b = bench()
    b["benchmarks"] += [{"run_name": "peer/broken/f32/n:64/d:128", "run_type": "iteration", "error_occurred": True,
                         "error_message": "no memory"}]
    data = joined(tmp_path, b)
    assert data["not_run"] == [{"name": "peer/broken/f32/n:64/d:128", "reason": "failed in the benchmark: no memory",
                                "peer": "broken", "job": "fill", "world": "c"}]
    assert targets(data)[EVERY].reached.endswith("; without broken") and targets(data)[EVERY].verdict == "open"
    limit = bench()
    limit["benchmarks"] += [b["benchmarks"][-1] | {"run_name": "limit/copy/w:64/n:64/d:128"}]
    failed = joined(tmp_path, limit)
    assert failed["not_run"][0]["name"].startswith("limit/copy") and targets(failed)[EVERY].verdict == "met"  # it is no peer
    b["context"]["not_run.eigen"] = "Eigen is not installed"
    said = judge() | {"not_run": [{"name": "eigen", "reason": "twice"}, {"name": "neon", "reason": "no such processor"}]}
    assert [e for e in joined(tmp_path, b, said)["not_run"] if e["name"] in ("eigen", "neon")] == [
        {"name": "eigen", "reason": "Eigen is not installed", "world": "c"},
        {"name": "neon", "reason": "no such processor", "world": "c"}]
    assert "broken" not in {c["peer"] for c in data["cases"]}


@pytest.mark.parametrize("pair, expected", [
    ([0.98, 0.01], "peer"), ([0.99, 0.01], "tie"), ([1.0, 0.0], "tie"), ([1.01, 0.01], "tie"), ([1.02, 0.01], "ours"),
    ([0.999, None], "peer"), ([1.001, None], "ours"), (None, None)])
def test_who_wins(pair, expected):
    given = {"exact": pair}
    assert standing(given, "exact") == expected
    marks = {"peer": " (peer wins)", "tie": " (tie)"}
    assert "".join(ratio(given, "exact")).endswith(marks.get(expected, ""))
    assert expected in marks or "(" not in "".join(ratio(given, "exact"))


@pytest.mark.parametrize("pair, quartiles, expected", [
    ([14.8, 69.3], [14.1, 155], "ours"), ([1.2, 0.01], [1.0, 1.3], "tie"), ([1.2, 0.01], [1.0001, 1.3], "ours"),
    ([0.9, 0.5], [0.8, 0.99], "peer"), ([0.9, 0.01], [0.8, 1.0], "tie"), ([1.1, 0.5], None, "tie")])
def test_quartiles_decide_where_they_are_known(pair, quartiles, expected):
    assert standing({"exact": pair, "quartiles": {"exact": quartiles}}, "exact") == expected


def test_outliers_of_a_slow_peer_are_no_tie(tmp_path):
    """Two of seven repetitions twenty times as slow, as one recorded run had it; the same of ours is one."""
    b, theirs = bench(), [164, 7.1, 7.7, 7.8, 7.6, 150, 7.3]
    b["benchmarks"] = [c for c in b["benchmarks"] if c["run_name"] != "peer/slow/f32/n:5000/d:512"]
    b["benchmarks"] += [case("peer/slow", 1, *MIDDLE)[0] | {"cpu_time": 1e6 * t} for t in theirs]
    data = joined(tmp_path, b)
    slow = find(data, "fill", "slow", MIDDLE)
    assert slow["exact"][1] > slow["exact"][0] and standing(slow, "exact") == "ours"
    assert targets(data)[EVERY].verdict == "met"
    value, low, high = 7.7 / 0.512, 7.45 / 0.51712, 78.9 / 0.50688
    assert ratio(slow, "exact") == f"{value:.1f} ({low:.1f} to {high:.0f})"
    assert bounds(slow, "exact") == pytest.approx((low, high))
    assert f"{value:.1f} ({low:.1f} to {high:.0f})" in called(peers_text.main, tmp_path / "peers.json", "--markdown", "-")[1]
    b["benchmarks"] = [c for c in b["benchmarks"] if c["run_name"] != "fill/exact_avx512/f32/n:5000/d:512"]
    b["benchmarks"] += [case("fill/exact_avx512", 1, *MIDDLE)[0] | {"cpu_time": 1e6 * t} for t in (0.5, 0.5, 9, 9, 0.5)]
    data = joined(tmp_path, b)
    found = targets(data)[EVERY]
    assert found.verdict == "met, within the spread"
    assert "; not apart at 5000 x 512: quick 2.56 (0.14 to 2.58), slow 15.4 (" in found.reached
    assert dict(draws(Peers(data)))["fill, C, one thread, quick"].startswith(
        "at 5000 x 512: 1.28 ms, 2.56 (0.141 to 2.59) of exact's")


def test_figures():
    assert [duration(s) for s in (2.5, 2.5e-3, 123.4e-6, 9.999e-9)] == ["2.50 s", "2.50 ms", "123 us", "10.00 ns"]
    def of(*pair):
        return ratio({"exact": list(pair) or None}, "exact")
    assert of(12.34, 0.56) == ("12.3", "0.6") and of(0.8, 0.1) == ("0.800", "0.100 (peer wins)")
    assert of(123.4, 5.6) == ("123", "6") and of(0.5, None) == "0.500 (peer wins)" and of() == "-"
    assert of(2.0, 2.5) == "2.00 (0 to 4.50) (tie)"
    assert [peers_verdict.down(v) for v in (0.04567, 1.9999, 2.0, 19.99, 199.9)] == ["0.0456", "1.99", "2.00", "19.9", "199"]


def test_a_case_there_twice_is_refused(tmp_path):
    p = python()
    p["cases"].append(p["cases"][0])
    status, _, err = join(tmp_path, None, None, p)
    assert status == 2 and "131072 x 1024, not there once" in err.replace("'", "")


@pytest.mark.parametrize("b, j, p, message", [
    (None, None, None, "one of --bench and --python is needed"), ("no", None, None, r"bench\.json: not JSON"),
    ({}, None, None, "not a run of posenc-bench"), (bench(), {}, None, r"judge\.json: this is not a file of posenc-verify"),
    (bench(), judge() | {"schema": 2}, None, "posenc-verify with schema 1"),
    (bench(), judge() | {"tool": "x"}, None, "not a file of posenc-verify"),
    (bench(), None, judge(), r"python\.json: this is not a file of posenc-peers-python"),
    (bench(), judge(judged("quick", (1, "fine"))), None, "quick: a word of a range is none of"),
    (bench(), judge({"name": "quick"}), None, "a value is missing .*ranges"),
    (bench(), put(judge(), ["tables", 2, "right"], 1), None, "quick: right is 1"),
    (None, None, python(python_case("fresh", "x", 0)), "seconds is 0"),
    (None, None, {"schema": 1, "tool": "posenc-peers-python", "cases": []}, "at least one case"),
    ({"benchmarks": case("peer/x", -1, 64, 128)}, None, None, "not a positive number"),
    ({"benchmarks": [c | {"rows": 0} for c in case("peer/x", 1, 64, 128)]}, None, None, "rows is 0"),
])
def test_bad_parts_are_named_and_nothing_written(tmp_path, b, j, p, message):
    (tmp_path / "peers.json").write_text("old")
    status, out, err = join(tmp_path, b, j, p)
    assert status == 2 and out == "" and re.search(message, err) and "Traceback" not in err, err
    assert (tmp_path / "peers.json").read_text() == "old"
    assert message.startswith("one of") or err.startswith("peers: ") and err.count("\n") == 1
