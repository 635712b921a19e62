"""posenc-bench --pick: the pick is within the budget, the library accepts its name, and bad options are refused.

Environment: POSENC_BENCH, the program; POSENC_BUILD, its build folder.
"""
import json
import os
import re
import subprocess

import pytest

BENCH, BUILD = (os.environ[name] for name in ("POSENC_BENCH", "POSENC_BUILD"))
SMALL = ("--positions", "300", "--d-model", "16")


def run(*arguments):
    return subprocess.run([BENCH, "--pick", *arguments], capture_output=True, text=True, timeout=240)


def picked(*arguments, status=0):
    """({implementation: its row of the answer}, the text before these rows, the text after them)"""
    done = run(*arguments)
    assert done.returncode == status and "nan" not in done.stdout, done.stderr
    head, table, pick = done.stdout.split("\n\n")
    rows = {}
    for line in table.splitlines()[1:]:
        name, ulp, error, rest = re.match(r"(\w+) +(\S+) +(\S+) *(.*)", line).groups()
        speed = re.match(
            r"([\d.]+) +[\d.]+  (the fastest|-?[\d.]+ \+- [\d.]+ %, (?:faster|slower|tie|undecided))$", rest
        )
        rows[name] = {"ulp_max": ulp, "max_abs": error, "rest": rest, "speed": speed and float(speed[1])}
    return rows, head, pick


def test_the_pick_is_within_the_budget_and_can_be_asked_for(tmp_path):
    rows, head, pick = picked(*SMALL, "--max-ulp", "1")
    asked, name = re.match(r"Pick: (\w+)(?:, here (\w+))?", pick).groups()
    assert rows[name or asked]["speed"] and float(rows[name or asked]["ulp_max"]) <= 1
    assert sum("the fastest" in row["rest"] for row in rows.values()) == 1
    assert rows["explog"]["rest"] == "beyond the budget" and float(rows["explog"]["ulp_max"]) > 1
    assert "300 of 300 rows" in head and "budget: at most 1 ULP" in head
    c, python = ("NULL", "") if asked == "exact" else (f'"{asked}"', f', impl="{asked}"')
    assert f"posenc_plan_create(&plan, &spec, {c})" in pick and f"posenc.table(...{python})" in pick
    table = (f"{BUILD}/verify/posenc-table", *SMALL, "-o", tmp_path / "table", "--impl", asked)
    assert subprocess.run(table).returncode == 0


def test_a_wide_budget_lets_more_in_and_both_budgets_bind():
    rows, _, _ = picked(*SMALL, "--max-abs", "1e-3")
    assert rows["explog"]["speed"] and rows["naive"]["speed"] and rows["exact_scalar"]["speed"]
    both, head, _ = picked(*SMALL, "--max-abs", "1e-3", "--max-ulp", "0.5")
    assert not both["explog"]["speed"] and both["exact_scalar"]["speed"]
    assert "budget: at most 0.5 ULP, at most 0.001 absolute" in head
    assert "none is within the budget" in picked(*SMALL, "--max-abs", "1e-9", "--max-ulp", "1", status=1)[2]


def test_implementations_and_errors_are_those_of_posenc_verify(tmp_path):
    report = tmp_path / "verify.json"
    subprocess.run([f"{BUILD}/verify/posenc-verify", *SMALL, "--rows", "300", "--json", report], check=True)
    judged = {entry["name"]: entry["ranges"] for entry in json.loads(report.read_text())["implementations"]}
    rows = picked(*SMALL)[0]
    assert {*rows} == {name for name, ranges in judged.items() if ranges}
    for name, row in rows.items():
        for key, digits in (("ulp_max", "{:.7g}"), ("max_abs", "{:.2e}")):
            assert row[key] == digits.format(max(r[key] for r in judged[name])), (name, key)


@pytest.mark.parametrize(
    "table",
    ["--preset whisper", "--preset rope --base 500000", "--dtype float64", "--dtype bfloat16", "--positions -7:50"],
)
def test_any_table(table):
    assert picked(*SMALL, *table.split())[2].startswith("Pick: ")


def test_a_sample_is_called_one():
    _, head, _ = picked("--positions", "300000", "--d-model", "32")
    compared = int(re.search(r"a sample, (\d+) of 300000 rows", head)[1])
    assert 1_500_000 < 32 * compared <= 2_600_000


def test_no_memory():
    command = f"ulimit -v 400000; exec {BENCH} --pick --d-model 1024 --positions 200000"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 2 and "Pick: none, the measurement failed: no memory" in done.stdout


@pytest.mark.parametrize(("arguments", "said"), [
    ("--max-ulp -1", "a number from 0 is needed"), ("--max-abs nan", "a number from 0 is needed"),
    ("--preset nobody", "unknown; allowed: paper, marian"), ("--preset whisper --d-model 7", "--preset whisper"),
    ("--shape bert", "--pick takes"), ("--all-cases", "--pick takes"), ("--benchmark_filter=x", "--pick sets the flags"),
    ("--offset 4 --dtype float64", "multiple"), ("--positions 5:5", "must be below"),
    ("--d-model 0", "an integer from 1"),
])  # fmt: skip
def test_refusals(arguments, said):
    done = run(*arguments.split())
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""


def test_a_budget_without_pick_is_refused():
    done = subprocess.run([BENCH, "--max-ulp", "1"], capture_output=True, text=True)
    assert done.returncode == 2 and "need --pick" in done.stderr
