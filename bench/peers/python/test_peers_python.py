"""bench/peers/python: recipes compute the tables that they name, another table is refused and not timed, calls are warm, and the other processes go on after one ends.

Environment: PYTHONPATH and LD_LIBRARY_PATH such that posenc can be imported, and POSENC_PEERS, the library of peers in C.
No time is asserted.
"""
import importlib.util
import itertools
import json
import math
import os
import pathlib
import signal
import sys
import types
import weakref

import numpy
import posenc
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import judged  # noqa: E402
import numpy_recipes  # noqa: E402
import worker as worker_module  # noqa: E402
from subjects import SUBJECTS, Case  # noqa: E402
from turns import Run  # noqa: E402
from worker import Worker, described  # noqa: E402

main = importlib.util.module_from_spec(
    spec := importlib.util.spec_from_file_location("peers_main", HERE / "__main__.py")
)
spec.loader.exec_module(main)
PRESETS = ("paper", "marian", "diffusers")


def reference(n, d, preset):
    """The table by the standard library's functions, one number at a time."""
    table, half = numpy.empty((n, d)), d // 2
    for p in range(n):
        for k in range(half):
            angle = p * 10000.0 ** (-k / (half - 1 if preset == "diffusers" else half))
            where = (2 * k, 2 * k + 1) if preset == "paper" else (k, half + k)
            table[p, where[0]], table[p, where[1]] = math.sin(angle), math.cos(angle)
    return table


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_whoever_is_here_does_every_job_and_makes_a_right_table(subject):
    try:
        worker = Worker(subject.started(1), subject.preset)
    except Exception as error:
        assert not subject.recipe.startswith(("ours.", "numpy_recipes.")), error
        pytest.skip(described(error))
    cases = [case for case in main.all_cases(True, [1]) if case.job in worker.recipe.jobs and not case.compiled]
    assert {case.job for case in cases} == {*worker.recipe.jobs}
    for case in cases:
        worker.prepare(case._replace(n=min(case.n, 100)))  # raises where a table is another one
    for job in {*worker.recipe.jobs} & {"fresh", "refill"}:
        worker.prepare(Case(job, 100 if subject.slow else 1000, 258))  # 129 frequencies, which fill no vector exactly
        table = worker.checked(worker.once(small := Case(job, 100, 32))(), small)
        difference = numpy.abs(table - reference(100, 32, subject.preset)).max()
        once = subject.name in ("exact", "anchored", "numpy_f64", "marian", "transformers_marian")  # rounded once
        assert difference < 2e-5 and once == (difference < 3.1e-8)  # a float32 angle costs accuracy


@pytest.mark.parametrize("preset", PRESETS)
def test_another_table_is_refused(preset):
    table = reference(300, 32, preset).astype(numpy.float32)
    judged.refuse_another(preset, table)
    for other in {*PRESETS} - {preset}:
        with pytest.raises(ValueError, match=f"the table is not {other}'s"):
            judged.refuse_another(other, table)


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 31), (299, 0), (299, 31), (158, 16)])  # 158: a row in between
@pytest.mark.parametrize("wrong", [math.nan, math.inf, 0.001])
def test_one_wrong_value_in_a_row_that_is_looked_at_is_refused_and_named(row, column, wrong):
    table = reference(300, 32, "paper").astype(numpy.float32)
    table[row, column] += wrong
    with pytest.raises(ValueError, match=f"at position {row} in column {column} it has {table[row, column]:.9g} "):
        judged.refuse_another("paper", table)


@pytest.mark.parametrize(("case", "label"), [
    (Case("fresh", 16, 8), "fresh exact float32"),
    (Case("refill", 16, 8, threads=2), "threads:2/refill exact float32"),
    (Case("forward", 35, 8, 1, "bfloat16", 20, True), "forward/b:20/compiled exact bfloat16"),
])  # fmt: skip
def test_labels(case, label):
    assert case.label("exact") == label


class Leaves(numpy_recipes.Float32):
    def refill(self, pe):
        super().refill(pe[:-1])


def test_a_refill_that_leaves_something_is_refused():
    with pytest.raises(ValueError, match="it has nan"):
        Worker(Leaves(1)).prepare(Case("refill", 16, 8))


class Clock:
    """A recipe whose calls take the given seconds each, on a clock that the recipe itself advances."""

    def __init__(self, monkeypatch, *takes):
        self.now, self.takes, self.last = 0, list(takes), None
        monkeypatch.setattr(worker_module, "time", types.SimpleNamespace(perf_counter=lambda: self.now))

    def fresh(self, n, d):
        assert self.last is None or self.last() is None, "the previous table still exists"
        table = numpy.empty((n, d), numpy.float32)
        self.now, self.last = self.now + self.takes.pop(0), weakref.ref(table)
        return table


@pytest.mark.parametrize(("takes", "least", "median"), [
    ((900, 7, 5), 0.02, 6),  # the first call is never timed, and at least two are, however long they take
    ((900, 1, 1, 3, 9), 12, 2),
])  # fmt: skip
def test_what_is_timed(monkeypatch, takes, least, median):
    recipe = Clock(monkeypatch, *takes)
    assert Worker(recipe).turn(Case("fresh", 16, 8), least) == median and not recipe.takes


def test_a_process_that_ends_is_named_and_the_others_go_on(tmp_path):
    names, case = ["exact", "numpy_f32", "numpy_f64"], Case("fresh", 16, 8)
    run = Run(names, [case, case._replace(threads=2)], os.sched_getaffinity(0), str(tmp_path))
    try:
        run.first_calls()
        os.kill(next(iter(run.processes["NumPy", 1]._processes)), signal.SIGKILL)
        run.turns(3)
    finally:
        run.end()
    assert run.not_run.keys() == {"numpy_f32", "numpy_f64"} and "terminated" in run.not_run["numpy_f32"]
    assert {(c.threads, name) for c, name in run.seconds} == {(1, "exact"), (2, "exact")}
    assert all(len(times) == 3 for times in run.seconds.values())


def test_a_run(tmp_path):
    names = ["exact", "numpy_f64", "marian", "jax_f32"]
    none = Case("fresh", 1, (1 << 20) + 2)  # more columns than posenc's tables have
    cases = [Case("fresh", 300, 64), Case("refill", 300, 64), none]
    library, verdicts = os.environ["POSENC_PEERS"], tmp_path / "judged.json"
    assert main.measure(tmp_path / "python.json", library, verdicts, names, cases, 3, True) == 1  # exact failed
    result = json.loads((tmp_path / "python.json").read_text())
    context, times, errors = result["context"], {}, {}
    missing = {name for name in names if f"not_run.{name}" in context}
    assert context["schema"] == "1" and missing <= {"jax_f32"}
    for row in result["benchmarks"]:
        times.setdefault(row["run_name"], []).append(row) if "real_time" in row else errors.setdefault(row["run_name"])
    member = next(name.split("/")[1] for name in times if "/exact_" in name)
    shown = [member, *names[1:]]
    assert times.keys() >= {
        f"{job}/{who}/float32/n:300/d:64/real_time" for job in ("fresh", "refill") for who in shown[:2]
    }
    assert (
        f"fresh/{member}/float32/n:1/d:1048578/real_time" in errors
        and "fresh/marian/float32/n:1/d:1048578/real_time" in errors
    )
    for name, rows in times.items():
        assert [row["repetition_index"] for row in rows] == [0, 1, 2]
        assert all(row["real_time"] > 0 and row["rows"] == (128 if "marian" in name else 300) for row in rows)
        job, who, dtype = name.split("/")[:3]
        table = {"label": f"{job} {who} {dtype}", "positions": 300, "columns": 64, "wall": 1}
        assert all(row.items() >= table.items() for row in rows)
    tables = {table["name"]: table for table in json.loads(verdicts.read_text())["tables"]}
    assert {*names} - missing <= tables.keys() and tables["marian"]["preset"] == "marian"
    words = {name: [r["word"] for r in table["ranges"]] for name, table in tables.items()}
    assert words["exact"] == ["exact"] * 5 and words["sincosf"] == ["float32"] * 5
    assert {*words["numpy_f64"]} <= {"exact", "ulp"} and tables["numpy_f64"]["ranges"][1]["to"] == 5000
    assert {name for name, table in tables.items() if not table["right"]} <= {"ggml_rope"}


def test_sampled_positions():
    found = judged.sample(1 << 20)
    assert [(p[0], p[-1] + 1, len({*p})) for p in found] == [
        (low, high, 256) for low, high in itertools.pairwise([0, 512, 5000, 32768, 131072, 1 << 20])
    ]
    for p in found:
        runs = p.reshape(-1, judged.RUN)
        assert (p[1:] > p[:-1]).all() and (runs - runs[:, :1] == numpy.arange(judged.RUN)).all()


@pytest.mark.parametrize("where", [0, 700, 1279])
def test_one_wrong_row_is_found(where):
    positions = judged.sample(1 << 20)
    rows = posenc.table(positions=numpy.concatenate(positions), d_model=512)
    rows[where, 7] += 0.25
    table = judged.judged("wrong", "paper", positions, rows)
    words = ["exact"] * 5
    words[where // 256] = "wrong"
    assert [r["word"] for r in table["ranges"]] == words and table["right"] == (where > 255)
