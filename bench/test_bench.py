"""posenc-bench: what its JSON says of each case, what --skip leaves out, one table; and what ./scripts/bench and its like
refuse.

Environment: POSENC_BENCH, the program.
"""
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess

import pytest

BENCH = os.environ["POSENC_BENCH"]
DTYPES = ("float32", "float64", "bfloat16", "float16")


def bench(*arguments):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, check=True).stdout


def dtypes_in(listed):
    """{implementation: the dtypes for which it has fill cases}"""
    found = {}
    for impl, dtype in re.findall(r"^fill/(\w+)/(\w+)/n:5000/d:512$", listed, re.MULTILINE):
        found.setdefault(impl, set()).add(dtype)
    return found


@pytest.mark.parametrize("what", ["", "/float32", "/float64 /bfloat16"])
def test_skip(what):
    offered = dtypes_in(bench("--all-cases", "--list"))
    one = next(impl for impl in offered if offered[impl] == {*DTYPES})
    skipped = [one + dtype for dtype in what.split(" ")]
    listed = bench("--all-cases", "--list", *(word for name in skipped for word in ("--skip", name)))
    left = {*DTYPES} - {*what.replace("/", "").split()} if what else set()
    assert dtypes_in(listed) == offered | {one: left} if left else {k: v for k, v in offered.items() if k != one}
    assert {*re.findall(rf"/{one}/(\w+)/", listed)} & {*DTYPES} == left and (left or f"/{one}/" not in listed)
    said = {line for line in listed.splitlines() if line.startswith(f"not run: {one}")}
    assert said == {f"not run: {name}: skipped by --skip" for name in skipped}


def test_impl():
    """--impl FAMILY selects its member with the widest vectors."""
    offered = dtypes_in(bench("--all-cases", "--list"))
    best = next(name for name in offered if name.startswith("exact_"))
    assert dtypes_in(bench("--all-cases", "--list", "--impl", "exact")) == {best: offered[best]}
    assert {*dtypes_in(bench("--all-cases", "--list", "--impl", "naive", "--impl", best))} == {"naive", best}


def run(*arguments):
    """(the context, {case: its first repetition})"""
    data = json.loads(bench("--benchmark_min_time=0.0001", "--json", "-", *arguments))
    assert {*data} == {"context", "benchmarks"}, "Google Benchmark's own JSON"
    return data["context"], {b["run_name"]: b for b in reversed(data["benchmarks"])}


EXPECTED = [  # a case, its label without the implementation, and its counters
    ("fill/IMPL/float32/n:5000/d:512", "fill float32", {"positions": 5000, "columns": 512, "offset": 16}),
    ("fill/IMPL/float64/n:5000/d:512/offset:0", "fill float64", {"positions": 5000, "columns": 512, "offset": 0}),
    ("fill/IMPL/float32/n:1500/d:1280/whisper", "fill/whisper float32", {"positions": 1500, "columns": 1280}),
    ("fill_pair/IMPL/float32/n:131072/d:128/rope", "fill_pair/rope float32", {"positions": 131072, "columns": 128}),
    ("fill_at_real/IMPL/float32/n:1000/d:320/guided_diffusion", "fill_at_real/guided_diffusion float32", {"columns": 320}),
    ("fill/IMPL/float32/n:5000/d:512/uncached", "fill/uncached float32", {"positions": 5000, "columns": 512, "offset": 16}),
    ("fill_at/IMPL/float32/n:2048/d:512", "fill_at float32", {"positions": 2048, "rows": 2048, "end": 2**20}),
    ("fill_at/IMPL/float32/n:64/d:512/in_a_row", "fill_at/in_a_row float32", {"positions": 64, "rows": 64, "end": 4065}),
    ("row/IMPL/float32/d:512/below:4096", "row float32", {"positions": 1, "rows": 1024, "columns": 512, "end": 4096}),
    ("plan/IMPL/d:512", "plan float32", {"positions": 1, "columns": 512}),
]  # fmt: skip
OTHERS = [  # the same of cases that no implementation is named in
    ("fresh/table_create/n:131072/d:1024/real_time", "fresh table_create float32", {"positions": 131072, "wall": 1}),
    ("limit/store/w:16/n:16/d:384", "store w:16 float32", {"positions": 16, "columns": 384, "rows": 16}),
    ("limit/store/w:16/n:5000/d:512/uncached", "store/uncached w:16 float32", {"positions": 5000, "columns": 512}),
    ("limit/store/w:16/bfloat16/n:5000/d:512", "store w:16 bfloat16", {"positions": 5000, "rows": 5000}),
    ("harness/clock/n:1/d:1", "harness clock float32", {"positions": 1, "columns": 1}),
]  # fmt: skip
PEERS = [
    ("fill/sincosf/float32/n:64/d:128", "fill sincosf float32", {"positions": 64, "columns": 128, "offset": 16}),
    ("row/sincosf/float32/d:512/below:4096", "row sincosf float32", {"positions": 1, "rows": 1024, "end": 4096}),
    ("once/sincosf/float32/n:64/d:128", "once sincosf float32", {"positions": 64, "columns": 128, "rows": 64}),
    ("once/IMPL/float32/n:64/d:128", "once float32", {"positions": 64, "columns": 128, "rows": 64}),
]  # fmt: skip
ALWAYS = {"positions", "columns"}


@pytest.mark.parametrize(("option", "expected"), [("--all-cases", EXPECTED + OTHERS), ("--peers", PEERS)])
def test_labels_and_counters(option, expected):
    default = json.loads(bench("--json", "-", "--benchmark_filter=harness"))["context"]["default"]
    expected = [
        (name.replace("IMPL", default), label.replace(" ", f" {default} ") if "IMPL" in name else label, counters)
        for name, label, counters in expected
    ]
    context, found = run(option, f"--benchmark_filter=^({'|'.join(name for name, _, _ in expected)})$")
    assert {*found} == {name for name, _, _ in expected}
    for name, label, counters in expected:
        case = found[name]
        assert case["label"] == label
        assert {key: case[key] for key in counters} == counters, name
        assert (
            ALWAYS <= {*case}
            and ("wall" in case) == name.endswith("/real_time")
            and ("end" in case) == ("end" in counters)
        )
        assert ("offset" in case) == (not re.match("fresh|plan|harness", name)), name
        assert "rows" not in case or case["rows"] <= max(case["positions"], 1024)
    assert (context["tool"], context["schema"]) == ("posenc-bench", "1")


def test_errors_of_peers():
    """A peer is compared with exact, over all values of each table."""
    cases = run(
        "--peers", "--benchmark_filter=^fill/(sincosf|ggml_rope|rotation.*|exact.*)/float32/n:(64|131072)/d:128"
    )[1]
    found = {(name.split("/")[1].partition("_")[0], b["positions"]): b for name, b in cases.items()}
    for rows, sincosf, ggml in ((64, 1e-6, 4e-6), (131072, 3e-3, 1e-2)):
        exact, single, ladder = (found[who, rows] for who in ("exact", "sincosf", "ggml"))
        assert 2.9e-8 < exact["error"] < 2**-25 + 1e-12 and exact["not_nearest"] == 0
        assert sincosf < single["error"] < 3 * sincosf < ggml < ladder["error"] < 3 * ggml
        assert single["not_nearest"] > rows * 128 / 2
    for rotation in (b for (who, rows), b in found.items() if who == "rotation" and rows > 64):  # needs libmvec
        assert 2.9e-8 < rotation["error"] < 3.1e-8 and 0 < rotation["not_nearest"] < 1e4


def test_works_run_one_after_the_other():
    """The cases of a work follow each other, with all their repetitions."""
    filter_ = "--benchmark_filter=^(fill/(exact|anchored).*|limit/store.*)/n:(16|64|256)/d:(384|1024|512)$"
    data = json.loads(bench("--benchmark_min_time=0.0001", "--benchmark_repetitions=4", "--json", "-", filter_))
    names = [b["run_name"] for b in data["benchmarks"] if b["run_type"] == "iteration"]
    sizes = [name.split("/n:")[1] for name in names]
    assert len(names) == 4 * len({*names}) > 40
    assert [size for size, before in zip(sizes, [None, *sizes]) if size != before] == [*dict.fromkeys(sizes)]


def test_one_table():
    """Only fills of the table are measured, with each implementation that offers it and is not skipped."""
    table = ("--preset", "whisper", "--d-model", "16", "--positions", "-5:300", "--offset", "32")
    context, found = run(*table, "--skip", "naive")
    here = {*dtypes_in(bench("--list"))} - {"naive"}
    stores = {name for name in found if name.startswith("limit/store/") or name.startswith("limit/stream/")}
    assert stores and {*found} - stores == {f"fill/{impl}/float32/n:305/d:16" for impl in here}
    found = {name: b for name, b in found.items() if name not in stores}
    assert {b["label"] for b in found.values()} == {f"fill {impl} float32" for impl in here}
    numbers = {tuple(b[key] for key in ("positions", "columns", "rows", "end", "offset")) for b in found.values()}
    assert numbers == {(305, 16, 305, 300, 32)} and context["default"] in here
    offered = dtypes_in(bench("--all-cases", "--list"))
    assert {*dtypes_in(bench("--dtype", "float64", "--list"))} == {i for i in offered if "float64" in offered[i]}
    assert (
        len(re.findall("fill/.*n:262144/d:1024", bench("--positions", "100000000", "--d-model", "1024", "--list")))
        == len(here) + 1
    )


def test_a_case_that_fails_keeps_its_label(tmp_path):
    command = f"ulimit -v 400000; exec {BENCH} --d-model 1024 --positions 200000 --json {tmp_path}/it.json"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    failed = json.loads((tmp_path / "it.json").read_text())["benchmarks"]
    assert done.returncode == 1 and failed
    for b in failed:
        kind, who = b["name"].removeprefix("limit/").split("/")[:2]
        assert b["error_message"] == "no memory for the table" and b["label"] == f"{kind} {who} float32"


@pytest.mark.parametrize(("arguments", "said"), [
    ("--shape bert --d-model 16", "exclude"), ("--all-cases --dtype float64", "exclude"), ("--peers --preset rope", "exclude"),
    ("--dtype float64 --offset 4", "multiple of the element's 8"), ("--skip exact", "--skip exact: unknown; allowed: "),
    ("--skip explog/int8", "allowed: float32, float64"), ("--impl nobody", "--impl nobody: unknown; allowed: naive, "), ("--benchmark_out=x", "'--benchmark_out=x'"),
])  # fmt: skip
def test_refusals(arguments, said):
    done = subprocess.run([BENCH, *arguments.split()], capture_output=True, text=True)
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""


def test_no_peer_is_of_another_architecture():
    other = "_neon/" if platform.machine() == "x86_64" else "_avx"
    assert other not in bench("--peers", "--list")


@pytest.mark.parametrize("script", ["bench", "pick", "compare", "report", "peers", "test"])
def test_scripts_refuse_an_unknown_option_before_they_set_up_or_build(tmp_path, script):
    scripts = shutil.copytree(pathlib.Path(__file__).parents[1] / "scripts", tmp_path / "scripts")
    (scripts / "maintain/setup").write_text("#!/bin/sh\nexit 3\n")
    done = subprocess.run([scripts / script, "--nope"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == "" and [*tmp_path.iterdir()] == [scripts]
    assert f"{script}: unknown argument '--nope'; allowed: -" in done.stderr
    assert subprocess.run([scripts / script, "-h"], capture_output=True).returncode == 0
