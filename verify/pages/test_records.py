"""scripts/record keeps runs whole, small and readable, and refuses those that are not; scripts/speed-check on made-up runs."""
import copy
import json
import os
import shutil
import subprocess
import sys

import pytest

from test_compare import TOP, bench, case, judged, verify

sys.path[:0] = [str(TOP / "scripts/recorded")]
import results
import store
import whole

MACHINE = {"cpu": "this one", "architecture": "x86_64", "compiler": "GCC 12.2.0", "build_type": "Release", "emulated": "no"}
NAMES = whole.rows_of_the_list("x86_64")
CALLS = ("row/{}/f32", "fill_at/{}/f32", "add/{}/f32", "fill/{}/bf16", "fresh/{}/f32")


def a_bench(factor=1.0, wobble=0.001, only=None, **context):
    """Every row on the one table, each slower than the one before, and one case of each other kind."""
    times = [1 - 2 * wobble, 1 - wobble, 1, 1, 1 + wobble, 1 + wobble, 1 + 2 * wobble]
    cases = [case("limit/store/w:32", 1, times=times), case("limit/store/w:32/bf16", 1, times=times)]
    cases += [case(f"fill/{name}/f32", (2 + i / 8) * (factor if name == only or not only else 1), times=times)
              for i, name in enumerate(NAMES)]
    cases += [case(call.format("naive"), 2, times=times) for call in CALLS]
    for c in cases[-5]:
        c["run_name"] = "row/naive/f32/d:8/below:4096"
    for c in cases[-1]:
        c["run_name"] += "/real_time"
    return bench(*cases, **MACHINE | {"date": "2026-01-02T03:04:05+00:00", "posenc": "1.0.0", "host_name": "secret"} | context)


def a_verify(**machine):
    spans = [judged(**{"from": a, "to": b}) for a, b in ((0, 512), (512, 1 << 20))]
    more = {"bound": {"law": "x", "evidence": "proved"}, "isa": "any", "profile": [[1]]}
    found = verify({name: (copy.deepcopy(spans), more) for name in NAMES})
    return found | {"machine": MACHINE | machine, "date": "2026-01-02T03:04:05+00:00", "version": "1.0.0"}


@pytest.fixture
def tree(tmp_path):
    for part in ("scripts", "impl"):
        shutil.copytree(TOP / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "build").mkdir()
    put(tmp_path, "verify", a_verify())
    put(tmp_path, "bench", a_bench())
    return tmp_path


def put(tree, name, data, commit="0123456789ab"):
    (tree / f"build/{name}.json").write_text(json.dumps(data))
    (tree / f"build/{name}.commit").write_text(f"{commit}\n")


def run(tree, script, *arguments):
    done = subprocess.run([tree / "scripts" / script, *arguments], capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def test_what_is_recorded(tree):
    """Reads like the run itself, for every script that reads one; and small."""
    status, _, said = run(tree, "record")
    assert status == 0, said
    text = (tree / "docs/recorded/bench.json").read_text()
    data = json.loads(text)
    assert [data[key] for key in ("schema", "tool", "commit")] == [1, "posenc-bench", "0123456789ab"]
    assert data["date"] == "2026-01-02T03:04:05+00:00"
    assert "secret" not in text and data["machine"]["cpu"] == "this one"
    lines = [line for line in text.splitlines() if '"case"' in line]
    assert len(lines) == len(data["cases"]) == 2 + len(NAMES) + len(CALLS)
    assert lines == sorted(lines, key=lambda line: store.natural(json.loads(line.strip(" ,"))["case"]))
    recorded = results.load(tree / "docs/recorded/bench.json", "benchmarks", "run")
    for (_, one), (_, other) in zip(*(sorted(results.read_bench(b)[0][16].items()) for b in (recorded, a_bench()))):
        assert one.values == pytest.approx(other.values, rel=1e-5) and one.gb_s == pytest.approx(other.gb_s, rel=1e-5)
    judged_text = (tree / "docs/recorded/verify.json").read_text()
    assert "profile" not in judged_text and sum('"from"' in line for line in judged_text.splitlines()) == 2 * len(NAMES)
    summaries = [subprocess.run([tree / "scripts/summary", *files], capture_output=True, text=True).stdout
                 for files in ((tree / "build/verify.json", tree / "build/bench.json"),
                               (tree / "docs/recorded/verify.json", tree / "docs/recorded/bench.json"))]
    assert summaries[0] == summaries[1] and "exact_scalar" in summaries[0]


def damaged(data, how):
    how(data)
    return data


def drop(data, name):
    data["benchmarks"] = [b for b in data["benchmarks"] if not b["run_name"].startswith(name)]


@pytest.mark.parametrize("name, data, said", [
    ("bench", damaged(a_bench(), lambda d: drop(d, "fill/explog/")), "fill/explog of 4 x 8 was not run"),
    ("bench", damaged(a_bench(), lambda d: drop(d, "add")), "nothing of add was run"),
    ("bench", damaged(a_bench(), lambda d: d["benchmarks"].__delitem__(slice(14, 19))), "a spread takes"),
    ("bench", a_bench(emulated="yes"), "it was emulated"), ("bench", a_bench(build_type="Debug"), "'Debug', not Release"),
    ("bench", damaged(a_bench(), lambda d: d["benchmarks"][20].update(error_occurred=True, error_message="no")), "failed: no"),
    ("bench", {"benchmarks": []}, ""), ("bench", {}, "not a run of posenc-bench"),
    ("verify", damaged(a_verify(), lambda d: d["implementations"].pop()), "a row of impl/list.inc, is not in it"),
    ("verify", damaged(a_verify(), lambda d: d["implementations"][0].update(verified=False, failure="bound broken")),
     "naive was not verified: bound broken"),
    ("verify", damaged(a_verify(), lambda d: d.update(reference="float64")), "against float64"),
    ("verify", damaged(a_verify(), lambda d: [e.update(ranges=e["ranges"][:1]) for e in d["implementations"]]),
     "to position 512"),
    ("verify", a_verify(architecture="z80"), "'z80'")])
def test_runs_that_are_refused(tree, name, data, said):
    """And leave the record as it was."""
    put(tree, name, data)
    status, _, err = run(tree, "record", name)
    assert status in (1, 2) and said in err and not (tree / f"docs/recorded/{name}.json").exists(), err


def test_of_which_commit(tree):
    (tree / "build/bench.commit").unlink()
    assert run(tree, "record", "bench")[0] == 2 and "--commit TEXT" in run(tree, "record", "bench")[2]
    assert run(tree, "record", "bench", "--commit", "abc, with changes")[0] == 0
    assert json.loads((tree / "docs/recorded/bench.json").read_text())["commit"] == "abc, with changes"
    put(tree, "bench", a_bench(), "fed, with changes")
    assert "of commit fed, with changes" in run(tree, "record", "bench")[2]


def test_the_commit_of_a_tree(tree):
    """Pages and records are no changes; outside of a repository nothing is known."""
    git = ["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b"]
    here = {"GIT_CEILING_DIRECTORIES": str(tree.parent)} | os.environ
    def commit(tree=tree):
        return subprocess.run([tree / "scripts/commit"], capture_output=True, text=True, env=here, check=True).stdout.strip()
    assert commit() == "unknown"
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], check=True, env=here)
    shutil.copytree(tree / "scripts", tree / "build/unpacked/scripts")
    assert commit(tree / "build/unpacked") == "unknown"
    shutil.rmtree(tree / "build/unpacked")
    name = commit()
    assert len(name) == 12
    (tree / "docs").mkdir()
    (tree / "docs/page.md").write_text("a page\n")
    assert commit() == name
    (tree / "impl/new.c").write_text("int x;\n")
    assert commit() == f"{name}, with changes"


def test_campaigns(tree):
    """Any other result goes with its commit and machine, and what it has of these itself is kept."""
    result = {"targets": [{"name": "spec", "seconds": 3}], "machine": {"cpu": "its own"}}
    (tree / "build/fuzz.json").write_text(json.dumps(result))
    assert run(tree, "record", "fuzz", str(tree / "build/fuzz.json"))[0] == 0
    data = json.loads((tree / "docs/recorded/fuzz.json").read_text())
    assert data["machine"] == result["machine"] and data["targets"] == result["targets"]
    assert data["schema"] == 1 and data["tool"] == "fuzz" and data["commit"] and data["date"]
    (tree / "build/fuzz.json").write_text('{"schema": 2}')
    assert run(tree, "record", "fuzz", str(tree / "build/fuzz.json"))[0] == 2


def test_a_report_of_another_platform(tree):
    """May be emulated and of fewer rows, and is kept as compact as this one's."""
    data = a_verify(architecture="aarch64", emulated=True)
    (tree / "build/arm.json").write_text(json.dumps(data))
    assert run(tree, "record", "verify-aarch64", str(tree / "build/arm.json"), "--commit", "abc")[0] == 0
    text = (tree / "docs/recorded/verify-aarch64.json").read_text()
    assert "profile" not in text and json.loads(text)["machine"]["emulated"] is True and json.loads(text)["commit"] == "abc"


def put_tool(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)


@pytest.fixture
def built(tree):
    """With nothing to install and to build."""
    for name in ("setup", "build"):
        put_tool(tree / "scripts" / name, "exit 0")
    return tree


def test_an_interrupted_bench(built):
    """Leaves no results of an earlier run beside the note of this one."""
    put_tool(built / "build/release/bench/posenc-bench", "exit 0")
    put_tool(built / "build/release/verify/posenc-verify", "exit 9")
    assert run(built, "bench", "--no-report")[0] == 9 and (built / "build/bench.commit").exists()
    assert not (built / "build/verify.json").exists() and not (built / "build/bench.json").exists()


def test_a_recorded_exhaustive_run(built):
    """Is of all members."""
    put_tool(built / "build/release/verify/posenc-verify", 'echo "$*" >arguments\necho misrounded.exact_scalar=0')
    assert run(built, "exhaustive", "--record")[0] == 0 and (built / "arguments").read_text() == "--exhaustive --all-members\n"
    assert json.loads((built / "docs/recorded/exhaustive.json").read_text())["misrounded"] == {"exact_scalar": 0}
    assert run(built, "exhaustive", "--threads", "2")[0] == 0 and (built / "arguments").read_text() == "--exhaustive --threads 2\n"


def test_a_failed_plot(built):
    """Says why."""
    put_tool(built / "build/release/verify/posenc-verify", "echo no memory >&2\nexit 3")
    status, _, said = run(built, "plot-error")
    assert status == 1 and "no memory" in said and "status 3 in octave 1 of 20" in said


@pytest.mark.parametrize("arguments, said", [
    (["nonsense"], "'nonsense' is not known"), (["a/b", "x.json"], "no name of a record"), (["fuzz", "none.json"], "none.json"),
    (["peers"], "peers.json")])
def test_usage(tree, arguments, said):
    status, _, err = run(tree, "record", *arguments)
    assert status == 2 and said in err
    assert run(tree, "record", "--help")[0] == 0


def check(tree, fresh, *arguments):
    (tree / "build/bench.json").write_text(json.dumps(fresh))
    return run(tree, "speed-check", *arguments)


@pytest.fixture
def recorded(tree):
    assert run(tree, "record", "bench")[0] == 0
    return tree


def once(data):
    """Its first repetition of each case."""
    first = {b["run_name"]: b for b in reversed(data["benchmarks"])}
    return data | {"benchmarks": list(first.values())}


def failed(data, name):
    for b in data["benchmarks"]:
        if b["run_name"].startswith(name):
            b.update(error_occurred=True, error_message="no")


@pytest.mark.parametrize("fresh, status, said", [
    (a_bench(), 0, "0 lost more than 10 %"), (a_bench(1.09), 0, "0 lost"), (a_bench(0.5), 0, "least 1.0"),
    (a_bench(1.2, only="exact_scalar"), 1, "fill/exact_scalar/f32/n:4/d:8  0.833 +- 0.00"),
    (a_bench(1.2), 1, f"{len(NAMES)} lost more"),
    (a_bench(1.2, wobble=0.2), 0, "0 lost"),  # as far as the repetitions lie apart
    (a_bench(1.2, cpu="that one"), 77, "skipped: the runs are not comparable: cpu: recorded this one, here that one"),
    (a_bench(architecture="aarch64"), 77, "architecture"), (a_bench(1.2, compiler="GCC 13.1.0"), 77, "here GCC 13.1.0"),
    (a_bench(1.2, compiler="GCC 12.4.0"), 1, "lost more"), (a_bench(emulated="yes"), 77, "emulated"),
    (a_bench(offset="0"), 77, "offset"),
    ({}, 2, ""), (damaged(a_bench(), lambda d: drop(d, "limit")), 2, "no case in common"),
    (once(a_bench(10)), 2, "was run 7 times in the recorded run and 1 here: a spread takes 3 repetitions"),
    (damaged(a_bench(), lambda d: drop(d, "fill/explog/")), 1, "fill/explog/f32/n:4/d:8  was not run"),
    (damaged(a_bench(), lambda d: failed(d, "fill/explog/")), 1, "fill/explog/f32/n:4/d:8  failed")])
def test_speed_check(recorded, fresh, status, said):
    found, out, err = check(recorded, fresh)
    assert found == status and said in out + err, (out, err)


def test_what_speed_check_says(recorded):
    fresh = damaged(a_bench(1.2, only="naive"), lambda d: drop(d, "fill/explog/"))
    out = check(recorded, fresh, "--partial")[1]
    assert "1 recorded cases were not run" in out and out.count("slower") == 1 and "exact_scalar" not in out
    assert "exact_scalar" in check(recorded, fresh, "--all")[1]
    assert check(recorded, damaged(a_bench(), lambda d: drop(d, "fill/explog/")), "--partial")[0] == 0
    assert check(recorded, fresh, "--nonsense")[0] == 2 and check(recorded, fresh, "--help")[0] == 0
    assert check(recorded, fresh, "--recorded", "none.json")[0] == 2
