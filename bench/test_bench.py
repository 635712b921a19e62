"""posenc-bench: --verified, and the verdicts and picks in the JSON; and what ./scripts/bench and its like refuse.

Environment: POSENC_BENCH, the program.
"""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess

import pytest

INTERLEAVED = "--benchmark_enable_random_interleaving=true"
DTYPES = ("float32", "float64", "bfloat16", "float16")


def bench(*arguments):
    return subprocess.run([os.environ["POSENC_BENCH"], *arguments], capture_output=True, text=True, check=True).stdout


def dtypes_in(listed):
    """{implementation: the dtypes for which it has fill cases}"""
    found = {}
    for impl, dtype in re.findall(r"^fill/(\w+)/(\w+)/n:5000/d:512$", listed, re.MULTILINE):
        found.setdefault(impl, set()).add(dtype)
    return found


def ranges(*dtypes):
    return [{"dtype": dtype, "bound_ok": True} for dtype in dtypes]


ALL = ranges(*DTYPES)


@pytest.mark.parametrize(("of_one", "entry", "runs", "not_run"), [
    (ALL, {}, DTYPES, {}),
    (ranges("float32", "float32", "bfloat16"), {}, ("float32", "bfloat16"), dict.fromkeys(("/float64", "/float16"), "not judged by posenc-verify")),
    (ranges("bfloat16"), {}, ("bfloat16",), dict.fromkeys(("/float32", "/float64", "/float16"), "not judged by posenc-verify")),
    (ALL, {"verified": False, "failure": "it is wrong"}, (), {"": "failed verification: it is wrong"}),
    (ALL, {"name": "another"}, (), {"": "not in the verification report"}),
])  # fmt: skip
def test_what_a_report_does_not_call_verified_is_not_run(tmp_path, of_one, entry, runs, not_run):
    everything = bench("--all-cases", "--list")
    offered = dtypes_in(everything)
    one = next(impl for impl in offered if offered[impl] == {*DTYPES})
    entries = [
        {"name": i, "verified": True, "failure": None, "ranges": ranges(*offered[i])} for i in offered if i != one
    ]
    entries += [{"name": one, "verified": True, "failure": None, "ranges": of_one} | entry]
    report = tmp_path / "verify.json"
    report.write_text(json.dumps({"schema": 1, "tool": "posenc-verify", "implementations": entries}))
    listed = bench("--all-cases", "--verified", report, "--list")
    assert dtypes_in(listed) == {
        impl: {*runs} if impl == one else offered[impl] for impl in offered if runs or impl != one
    }
    assert {*re.findall(rf"/{one}/(\w+)/", listed)} - {*DTYPES} <= {"d:512"} and (runs or f"/{one}/" not in listed)
    said = {line for line in listed.splitlines() if line.startswith(f"not run: {one}")}
    assert said == {f"not run: {one}{what}: {why}" for what, why in not_run.items()}


def run(*arguments):
    """({case: times of its repetitions}, verdicts, picks)"""
    data = json.loads(bench("--benchmark_min_time=0.0001", "--json", "-", *arguments))
    times = {}
    for b in data["benchmarks"]:
        if b["run_type"] == "iteration":
            times.setdefault(b["run_name"], []).append(b["cpu_time"] / b["rows"])
    return times, data["verdicts"], data["picks"]


def behind(times, case, other):
    return pytest.approx(statistics.median(a / b - 1 for a, b in zip(times[case], times[other])), rel=1e-4, abs=1e-4)


@pytest.fixture
def report(tmp_path):
    """Returns a function that writes a report and returns its options. It takes {implementation: (errors up to position
    5000, errors beyond)}; an error is (ULP, absolute)."""

    def call(errors):
        entries = []
        for name, (near, far) in errors.items():
            spans = [{"from": start, "ulp_max": u, "max_abs": a} for start, (u, a) in ((0, near), (5000, far))]
            other = {"dtype": "float32", "shape": "another table", "from": 0, "ulp_max": None, "max_abs": 2}
            entries.append(
                {
                    "name": name,
                    "verified": True,
                    "ranges": [*({"dtype": "float32", "shape": "d512"} | s for s in spans), other],
                }
            )
        path = tmp_path / "verify.json"
        path.write_text(json.dumps({"schema": 1, "tool": "posenc-verify", "implementations": entries}))
        return "--verified", path

    return call


EXACT, RECIPE = ((0.5, 3e-8),) * 2, ((9e6, 1e-4), (None, 1e-3))


def test_picks(report):
    """Each case has a pick among the implementations whose errors are within the budget at the case's positions."""
    here = list(dtypes_in(bench("--all-cases", "--list")))  # in the order of the list
    errors = {i: EXACT if re.match("exact|anchored", i) else RECIPE for i in here}
    errors["float64"] = ((0.6, 3e-8), (17, 3e-8))
    accurate = [i for i in here if errors[i] == EXACT]
    within = {"n:16/d:384": [i for i in here if errors[i] != RECIPE], "n:131072/d:128": accurate}
    shapes, count = (
        "--shape",
        "l1",
        "--shape",
        "llama3",
        "--benchmark_filter=fill/|limit",
    ), "--benchmark_repetitions=6"
    times, verdicts, picks = run(*shapes, count, INTERLEAVED, *report(errors))
    assert {p["case"].split("float32/")[1]: [c["impl"] for c in p["candidates"]] for p in picks} == within
    for p in picks:
        cases = {c["impl"]: p["case"].replace("*", c["impl"]) for c in p["candidates"]}
        assert p["fastest"] == min(cases, key=lambda i: statistics.median(times[cases[i]]))
        for c in p["candidates"]:
            assert c["behind"] == behind(times, cases[c["impl"]], cases[p["fastest"]]) and c["unsure"] >= 0.01
    assert verdicts == []


def test_verdicts_on_peers():
    cases = "--benchmark_filter=/n:64/d:128$|below:4096$"
    times, verdicts, picks = run("--peers", cases, "--benchmark_repetitions=6", INTERLEAVED)
    for theirs, ours in (("peer", "fill"), ("peer_row", "row"), ("peer_once", "once")):
        found = {(v["case"], v["against"]) for v in verdicts if v["case"].startswith(theirs + "/")}
        wanted = {(a, b) for a in times if a.startswith(theirs + "/") for b in times if b.startswith(ours + "/")}
        assert found == wanted and wanted, f"each {theirs} against each {ours}"
    assert all(v["behind"] == behind(times, v["case"], v["against"]) for v in verdicts)
    assert picks == [], "no errors are known"


def test_without_random_order_or_repetitions(report):
    here = [i for i in dtypes_in(bench("--all-cases", "--list")) if re.match("exact|anchored", i)]
    arguments = ("--shape", "l1", "--benchmark_filter=fill", *report(dict.fromkeys(here, EXACT)))
    assert run(*arguments, "--benchmark_repetitions=6")[2] == []
    pick = run(*arguments, INTERLEAVED, "--benchmark_repetitions=5")[2][0]
    assert {(c["unsure"], c["verdict"]) for c in pick["candidates"]} == {(None, "undecided")}
    assert pick["pick"] == next(i for i in here if i.startswith("exact")), "the default"


def test_widths():
    """The sweep has tables of one size with widths on both sides of powers of two, at both offsets, and the limits that
    the report reads."""
    listed = bench("--list", "--benchmark_filter=widths|/n:16384/d:1024/")
    found = {}
    for impl, n, d, at in re.findall(r"^widths/(\w+)/float32/n:(\d+)/d:(\d+)/offset:(\d+)$", listed, re.MULTILINE):
        assert 0 <= 2**24 - int(n) * int(d) < int(d)
        found.setdefault((impl, at), set()).add(int(d))
    around = {d + step for d in (128, 256, 512, 1024, 2048, 4096) for step in (-16, 0, 16)}
    assert all(widths == around | {384, 768, 1000, 1088, 1280} for widths in found.values())
    assert {name.split("_")[0] for name, _ in found} == {"exact", "anchored"} and {at for _, at in found} == {"0", "16"}
    assert {f"limit/store/w:16/n:16384/d:1024/offset:{at}" for at in (0, 16)} <= {*listed.split("\n")}
    assert "widths/" not in bench("--list", "--shape", "l1")


@pytest.mark.parametrize("script", ["bench", "pick", "report", "peers", "test"])
def test_scripts_refuse_an_unknown_option_before_they_set_up_or_build(tmp_path, script):
    scripts = shutil.copytree(pathlib.Path(__file__).parents[1] / "scripts", tmp_path / "scripts")
    (scripts / "maintain/setup").write_text("#!/bin/sh\nexit 3\n")
    done = subprocess.run([scripts / script, "--nope"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == "" and [*tmp_path.iterdir()] == [scripts]
    assert f"{script}: unknown argument '--nope'; allowed: -" in done.stderr
    assert subprocess.run([scripts / script, "-h"], capture_output=True).returncode == 0
