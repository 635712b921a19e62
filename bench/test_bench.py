"""posenc-bench: --verified and the verdicts in the JSON.

Environment: POSENC_BENCH, the program.
"""
import json
import math
import os
import re
import statistics
import subprocess

import pytest

INTERLEAVED = "--benchmark_enable_random_interleaving=true"
DTYPES = ("f32", "f64", "bf16", "f16")


def bench(*arguments):
    return subprocess.run([os.environ["POSENC_BENCH"], *arguments], capture_output=True, text=True, check=True).stdout


def dtypes_in(listed):
    """{implementation: the dtypes of which it has fills}"""
    found = {}
    for impl, dtype in re.findall(r"^fill/(\w+)/(\w+)/n:5000/d:512$", listed, re.MULTILINE):
        found.setdefault(impl, set()).add(dtype)
    return found


def ranges(*dtypes):
    return [{"dtype": dtype, "bound_ok": True} for dtype in dtypes]


ALL = ranges(*DTYPES)


@pytest.mark.parametrize(("of_one", "entry", "runs", "not_run"), [
    (ALL, {}, DTYPES, {}),
    (ranges("f32", "f32", "bf16"), {}, ("f32", "bf16"), dict.fromkeys(("/f64", "/f16"), "not judged by posenc-verify")),
    (ranges("bf16"), {}, ("bf16",), dict.fromkeys(("/f32", "/f64", "/f16"), "not judged by posenc-verify")),
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


def in_float64():
    """Implementations that compute in float64 and run here."""
    listed = bench("--list", "--shape", "l1")
    return [i for i in re.findall(r"^fill/(\w+)/", listed, re.MULTILINE) if re.match("float64|sleef_f64|exact|anch", i)]


def interval(ratios):
    """That of the sign test: from the k-th smallest ratio to the k-th largest, the largest k for which a median lies outside with a
    probability of at most 5 %."""
    n, outside, k = len(ratios), 1, 0  # outside: of 2^n tosses of a coin, those with at most k heads
    while outside <= 0.025 * 2**n:
        k += 1
        outside += math.comb(n, k)
    return ratios[k - 1], ratios[n - k]


def run(*arguments):
    """({case: times of its repetitions}, verdicts)"""
    data = json.loads(bench("--benchmark_min_time=0.0001", "--json", "-", *arguments))
    times = {}
    for b in data["benchmarks"]:
        if b["run_type"] == "iteration":
            times.setdefault(b["run_name"], []).append(b["cpu_time"] / b["rows"])
    for v in data["verdicts"]:  # they are those of shim/compare.h on the repetitions in the same file
        ratios = sorted(a / b - 1 for a, b in zip(times[v["case"]], times[v["against"]]))
        behind, (low, high) = statistics.median(ratios), interval(ratios)
        unsure = max(0.01, behind - low if behind > 0 else high - behind)
        assert v["behind"] == pytest.approx(behind, rel=1e-4, abs=1e-4)
        assert v["unsure"] == pytest.approx(unsure, rel=1e-3, abs=1e-4)
        assert v["impl"] == v["case"].split("/")[1]
        tie = abs(v["behind"]) < min(0.03, v["unsure"]) and max(behind - low, high - behind) < 0.1
        word = "faster" if v["behind"] < 0 else "slower"  # where 0 is outside of the interval
        assert v["verdict"] == ("tie" if tie else word if abs(v["behind"]) >= v["unsure"] else "unclear")
        assert v["tie"] == tie
    return times, data["verdicts"]


@pytest.mark.parametrize("repetitions", [6, 15])
def test_verdicts_on_ours(repetitions):
    cases, count = "--benchmark_filter=fill|limit", f"--benchmark_repetitions={repetitions}"
    times, verdicts = run("--shape", "l1", cases, count, INTERLEAVED)
    fills = sorted(name for name in times if name.startswith("fill/"))
    fastest = [v for v in verdicts if v["against"] == verdicts[0]["against"]]
    assert sorted(v["case"] for v in fastest) == fills, "one verdict for each implementation, none for limits"
    accurate = {f"fill/{i}/f32/n:16/d:384" for i in in_float64()}
    rest = {v["case"] for v in verdicts if v not in fastest}
    assert rest == (set() if verdicts[0]["against"] in accurate else accurate), "against the fastest that is accurate"
    assert {v["against"] for v in verdicts if v not in fastest} <= accurate
    assert all(v["behind"] >= 0 for v in verdicts if v["verdict"] not in ("unclear", "tie"))


def test_verdicts_on_peers():
    cases = "--benchmark_filter=/n:64/d:128$|below:4096$"
    times, verdicts = run("--peers", cases, "--benchmark_repetitions=6", INTERLEAVED)
    for theirs, ours in (("peer", "fill"), ("peer_row", "row"), ("peer_once", "once")):
        found = {(v["case"], v["against"]) for v in verdicts if v["case"].startswith(theirs + "/")}
        wanted = {(a, b) for a in times if a.startswith(theirs + "/") for b in times if b.startswith(ours + "/")}
        assert found == wanted and wanted, f"each {theirs} against each {ours}"


@pytest.mark.parametrize("arguments", [
    ("--benchmark_repetitions=5", INTERLEAVED), ("--benchmark_repetitions=6",),
    ("--benchmark_repetitions=6", "--benchmark_enable_random_interleaving=false"),
])  # fmt: skip
def test_no_verdicts(arguments):
    assert run("--shape", "l1", "--benchmark_filter=fill/a", *arguments)[1] == []


def test_widths():
    """Both sides of powers of two at both offsets, of the same size; and the limits that the report reads."""
    listed = bench("--list", "--benchmark_filter=widths|/n:16384/d:1024/")
    found = {}
    for impl, n, d, at in re.findall(r"^widths/(\w+)/f32/n:(\d+)/d:(\d+)/offset:(\d+)$", listed, re.MULTILINE):
        assert 0 <= 2**24 - int(n) * int(d) < int(d)
        found.setdefault((impl, at), set()).add(int(d))
    around = {d + step for d in (128, 256, 512, 1024, 2048, 4096) for step in (-16, 0, 16)}
    assert all(widths == around | {384, 768, 1000, 1088, 1280} for widths in found.values())
    assert {name.split("_")[0] for name, _ in found} == {"exact", "anchored"} and {at for _, at in found} == {"0", "16"}
    assert {f"limit/store/w:16/n:16384/d:1024/offset:{at}" for at in (0, 16)} <= {*listed.split("\n")}
    assert "widths/" not in bench("--list", "--shape", "l1")
