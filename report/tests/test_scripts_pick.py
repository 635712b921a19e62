"""./scripts/pick: the pick is within the budget, the library accepts its name, and bad options are refused.

Environment: POSENC_BUILD, the build that the script makes: build/release.
"""
import os
import pathlib
import re
import subprocess

import pytest

SCRIPT, BUILD = pathlib.Path(__file__).parents[2] / "scripts/pick", os.environ["POSENC_BUILD"]
SMALL = ("--positions", "300", "--d-model", "16")


def picked(*arguments, status=0):
    """(the title of the answer, {family: its row}, the lines)"""
    done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, timeout=240)
    assert done.returncode == status and "nan" not in done.stdout, done.stderr
    head, *groups, said = done.stdout[done.stdout.index("\n\nimplementation") :].strip().split("\n\n")
    title = done.stdout.partition("\n\nimplementation")[0].splitlines()[-2]
    return title, dict(line.split(None, 1) for group in (head, *groups) for line in group.splitlines()), said


def test_the_pick_is_within_the_budget_and_can_be_requested():
    title, rows, said = picked(*SMALL, "--max-ulp", "1")
    asked, head = re.match(r"Use (\w+)", said)[1], rows["implementation"].split()
    family = next(name for name in rows if asked.startswith(name))
    assert float(rows[family].removeprefix("(").split()[head.index("ULP") - 1]) <= 1
    assert "300 x 16, float32" in title and [*rows].index("explog") > [*rows].index("float64")
    made = subprocess.run([f"{BUILD}/verify/posenc-verify", *SMALL, "--impl", asked], capture_output=True)
    assert made.returncode == 0


@pytest.mark.parametrize(
    "table",
    ["--preset whisper", "--preset rope --base=500000", "--dtype float64", "--dtype bfloat16", "--positions -7:50"],
)
def test_any_table(table):
    assert picked(*SMALL, *table.split())[2].startswith("Use ")


def test_a_sample_is_called_one():
    _, _, said = picked("--positions", "300000", "--d-model", "32")
    compared = int(re.search(r"a sample, ([\d,]+) of 300,000 rows", said)[1].replace(",", ""))
    assert 1_500_000 < 32 * compared <= 2_600_000


def test_no_memory():
    command = f"ulimit -v 400000; exec {SCRIPT} --d-model 1024 --positions 200000"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 2 and "no answer, the measurement failed: no memory" in done.stdout


@pytest.mark.parametrize(("arguments", "said"), [
    ("--max-ulp 0.4", "0.5 is the least possible"), ("--max-ulp abc", "a number; 0.5"), ("--max-abs nan", "a number from 0"),
    ("--d-model", "--d-model needs a value"), ("--dtype float8", "allowed: float32, float64, bfloat16, float16"),
    ("--preset nobody", "allowed: paper, marian, "), ("--preset whisper --d-model 7", "--preset whisper"),
    ("--shape bert", "unknown argument"), ("--offset 4 --dtype float64", "multiple"),
    ("--positions 5:5", "must be below"), ("--d-model 0", "an integer from 1"),
])  # fmt: skip
def test_refusals(arguments, said):
    """They come before verification, which takes time."""
    done = subprocess.run([SCRIPT, *arguments.split()], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""
