"""The verdicts in the JSON of posenc-bench are those of shim/compare.h on the repetitions in the same file.

Usage: test_verdicts.py POSENC_BENCH
"""
import json
import statistics
import subprocess
import sys

RUN = ("--benchmark_min_time=0.0001", "--json", "-")
INTERLEAVED = ("--benchmark_enable_random_interleaving=true",)


def run(*arguments):
    done = subprocess.run([sys.argv[1], *RUN, *arguments], capture_output=True, text=True, check=True)
    data = json.loads(done.stdout)
    times = {}
    for b in data["benchmarks"]:
        if b["run_type"] == "iteration":
            times.setdefault(b["run_name"], []).append(b["cpu_time"] / b["rows"])
    for v in data["verdicts"]:
        one, other = times[v["case"]], times[v["against"]]
        behind = statistics.median(a / b - 1 for a, b in zip(one, other))
        assert abs(v["behind"] - behind) < 1e-4 * (1 + abs(behind)), v
        assert v["impl"] == v["case"].split("/")[1] and v["unsure"] >= 0.01
        assert v["tie"] == (abs(v["behind"]) < min(0.03, v["unsure"])) == (v["verdict"] == "tie")
        if v["verdict"] != "tie":
            sure = abs(v["behind"]) >= v["unsure"]
            assert v["verdict"] == ("unclear" if not sure else "faster" if v["behind"] < 0 else "slower"), v
    return times, data["verdicts"]


times, verdicts = run("--shape", "l1", "--benchmark_filter=fill|limit", "--benchmark_repetitions=6", *INTERLEAVED)
fills = sorted(name for name in times if name.startswith("fill/"))
assert sorted(v["case"] for v in verdicts) == fills, "one verdict for each implementation, none for limits"
assert len({v["against"] for v in verdicts}) == 1, "against the fastest"
assert all(v["behind"] >= 0 for v in verdicts if v["verdict"] not in ("unclear", "tie"))

times, verdicts = run(
    "--peers", "--benchmark_filter=/n:64/d:128$|below:4096$", "--benchmark_repetitions=6", *INTERLEAVED
)
for theirs, ours in (("peer", "fill"), ("peer_row", "row"), ("peer_once", "once")):
    found = {(v["case"], v["against"]) for v in verdicts if v["case"].startswith(theirs + "/")}
    wanted = {(a, b) for a in times if a.startswith(theirs + "/") for b in times if b.startswith(ours + "/")}
    assert found == wanted and wanted, f"each {theirs} against each {ours}"

for arguments in (
    ("--benchmark_repetitions=5", *INTERLEAVED),
    ("--benchmark_repetitions=6",),
    ("--benchmark_repetitions=6", "--benchmark_enable_random_interleaving=false"),
):
    assert run("--shape", "l1", "--benchmark_filter=fill/a", *arguments)[1] == [], arguments
