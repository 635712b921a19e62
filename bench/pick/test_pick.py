"""posenc-bench --pick: what it picks is within the budget, what it prints works, and what it does not understand it refuses.

Environment: POSENC_BENCH, the program; POSENC_BUILD, the tree it was built in; POSENC_SOURCE.
"""
import json
import os
import pathlib
import subprocess
import textwrap

import pytest

BENCH, BUILD, SOURCE = (os.environ[name] for name in ("POSENC_BENCH", "POSENC_BUILD", "POSENC_SOURCE"))
NOBODY = ("rope", "guided_diffusion", "diffusers")  # none of the implementations has their roundings
SMALL = ("--positions", "300", "--d-model", "16")


def run(*arguments):
    return subprocess.run([BENCH, "--pick", *arguments], capture_output=True, text=True, timeout=240)


def picked(*arguments, status=0):
    done = run("--format=json", *arguments)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def test_the_pick_is_within_the_budget_and_the_fastest_or_a_tie():
    answer = picked(*SMALL, "--max-ulp", "1")
    rows = {row["name"]: row for row in answer["implementations"]}
    pick = rows[answer["pick"]]
    assert pick["within"] and pick["verified"] and pick["ulp_max"] <= 1
    assert answer["table"]["rows_compared"] == 300
    for row in rows.values():
        if not row["within"]:
            assert row["reason"] and "ns_per_element" not in row
        elif row["name"] != answer["pick"]:
            assert row["ns_per_element"] >= pick["ns_per_element"] or answer["tie"]
    assert (
        not rows["explog"]["within"]
        and rows["explog"]["ulp_max"] > 1
        and rows["explog"]["reason"] == "beyond the budget"
    )
    names = [
        entry.split()[0]
        for entry in subprocess.run(
            [pathlib.Path(BUILD) / "verify/posenc-verify", "--list"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]
    assert list(rows) == names


def test_a_wide_budget_lets_more_in():
    rows = {row["name"]: row for row in picked(*SMALL, "--max-abs", "1e-3")["implementations"]}
    assert rows["explog"]["within"] and rows["naive"]["within"] and rows["exact_scalar"]["within"]
    both = {row["name"]: row for row in picked(*SMALL, "--max-abs", "1e-3", "--max-ulp", "0.5")["implementations"]}
    assert not both["explog"]["within"] and both["exact_scalar"]["within"]


def test_errors_are_those_of_posenc_verify(tmp_path):
    report = tmp_path / "verify.json"
    subprocess.run(
        [pathlib.Path(BUILD) / "verify/posenc-verify", *SMALL, "--rows", "300", "--json", report],
        capture_output=True,
        check=True,
    )
    judged = {entry["name"]: entry["ranges"] for entry in json.loads(report.read_text())["implementations"]}
    for row in picked(*SMALL)["implementations"]:
        for key in ("ulp_max", "max_abs"):
            assert row[key] == max((r[key] for r in judged[row["name"]]), default=None), (row["name"], key)


def test_both_budgets_bind():
    worst = next(r for r in picked(*SMALL)["implementations"] if r["name"] == "exact_scalar")["max_abs"]
    assert picked(*SMALL, "--max-abs", repr(worst))["pick"].split("_")[0] in ("exact", "anchored")
    assert picked(*SMALL, "--max-abs", repr(0.999 * worst), "--max-ulp", "1", status=1)["pick"] is None


def test_a_sample_is_called_one():
    answer = picked("--positions", "300000", "--d-model", "32")
    assert (
        answer["table"]["sampled"]
        and answer["table"]["rows_compared"] < 300000
        and "on the rows that were compared" in answer["why"]
    )
    assert 2_000_000 < 32 * answer["table"]["rows_compared"] <= 2_600_000


def test_no_memory():
    done = subprocess.run(
        ["bash", "-c", f"ulimit -v 400000; exec {BENCH} --pick --format=json --d-model 1024 --positions 200000"],
        capture_output=True,
        text=True,
    )
    answer = json.loads(done.stdout)
    assert (
        done.returncode == 2
        and answer["pick"] is None
        and "no memory" in answer["error"]
        and "no memory" in answer["why"]
    )


def test_none_within_the_budget():
    answer = picked(*SMALL, "--max-ulp", "0.1", status=1)
    assert answer["pick"] is None and "use" not in answer and "the most accurate is" in answer["why"]
    text = run(*SMALL, "--max-ulp", "0.1")
    assert text.returncode == 1 and "Pick: none is within the budget" in text.stdout


@pytest.mark.parametrize(
    "preset",
    ["paper", "marian", "t2t", "ddpm", "fairseq", "whisper", "guided_diffusion", "diffusers", "rope", "rothman"],
)
def test_recipes(preset):
    answer = picked(*SMALL, "--recipe", "--preset", preset, status=1 if preset in NOBODY else 0)
    wanted = None if preset in NOBODY else {"marian": "float64", "rothman": "float64"}.get(preset, "explog")
    assert answer["pick"] == wanted and answer["why"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--preset", "whisper"),
        ("--preset", "rope", "--base", "500000"),
        ("--dtype", "bf16"),
        ("--dtype", "f64"),
        ("--dtype", "f16"),
        (
            "--preset",
            "diffusers",
            "--order",
            "cos_first",
            "--denominator",
            "8",
            "--position-scale",
            "0.1",
            "--positions",
            "-7:50",
        ),
        ("--layout", "split", "--odd", "zero", "--d-model", "15", "--max-abs", "1e-3"),
    ],
    ids=" ".join,
)
def test_the_lines_it_prints_make_the_table(arguments, tmp_path):
    answer = picked(*SMALL, *arguments)
    table = answer["table"]
    rows, d = table["to"] - table["from"], table["d_model"]
    element = {"f32": "float", "f64": "double"}.get(table["dtype"], "uint16_t")
    (tmp_path / "app.c").write_text(
        textwrap.dedent(
            f"""\
        #include <posenc.h>
        #include <stdio.h>
        static {element} table[{rows} * {d}];
        int main(void)
        {{
        {answer["use"]["c"]}
        fwrite(table, sizeof table, 1, stdout);
        return 0;
        }}
        """
        )
    )
    subprocess.run(
        ["cc", "-Wall", "-Wextra", "-Werror", "app.c", "-o", "app", f"-I{SOURCE}/include", f"-L{BUILD}", "-lposenc"],
        cwd=tmp_path,
        check=True,
    )
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": BUILD,
        "PYTHONPATH": f"{SOURCE}/python",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    from_c = subprocess.run([tmp_path / "app"], env=environment, capture_output=True, check=True).stdout
    script = answer["use"]["python"] + "import sys\nsys.stdout.buffer.write(table.tobytes())\n"
    from_python = subprocess.run(
        ["/usr/bin/python3", "-c", script], env=environment, capture_output=True, check=True
    ).stdout
    tool = pathlib.Path(BUILD) / "verify/posenc-table"
    reference = subprocess.run(
        [
            tool,
            "-o",
            "-",
            "--positions",
            str(rows),
            "--first",
            str(table["from"]),
            "--d-model",
            str(d),
            "--preset",
            table["preset"],
            "--dtype",
            table["dtype"],
            "--base",
            repr(table["base"]),
            "--denominator",
            repr(table["denominator"]),
            "--position-scale",
            repr(table["position_scale"]),
            "--layout",
            table["layout"],
            "--order",
            table["order"].split("_")[0],
            "--odd",
            table["odd"].replace("_", "-"),
            "--impl",
            answer["ask_for"],
        ],
        env=environment,
        capture_output=True,
        check=True,
    ).stdout
    assert len(from_c) == rows * d * {"f32": 4, "f64": 8}.get(table["dtype"], 2)
    assert from_c == from_python == reference[-len(from_c) :]
    assert "posenc::posenc" in answer["use"]["cmake"] and "pkg-config" in answer["use"]["pkg_config"]


def test_the_text_says_why_and_how():
    done = run(*SMALL)
    assert done.returncode == 0 and "nan" not in done.stdout
    for part in (
        "budget: at most 1 ULP",
        "verified against MPFR: all 300 rows",
        "\nPick: ",
        "\nC:\n",
        "\nCMake:\n",
        "\npkg-config:\n",
        "\nPython:\n",
        "beyond the budget",
    ):
        assert part in done.stdout, part


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("--max-ulp", "-1"), "a number from 0 is needed"),
        (("--max-abs", "nan"), "a number from 0 is needed"),
        (("--recipe", "--max-ulp", "1"), "excludes"),
        (("--recipe", "--dtype", "bf16"), "is about tables of float32"),
        (("--format", "xml"), "text or json is needed"),
        (("--preset", "nobody"), "one of these is needed: paper"),
        (("--preset", "whisper", "--d-model", "7"), "--preset whisper"),
        (("--shape", "bert"), "--pick takes"),
        (("--all-cases",), "--pick takes"),
        (("--benchmark_filter=x",), "without Google Benchmark"),
        (("--offset", "0", "--offset", "16"), "one --offset"),
        (("--offset", "4", "--dtype", "f64"), "multiple"),
        (("--positions", "5:5"), "must be below"),
        (("--d-model", "0"), "an integer from 1"),
    ],
)
def test_refusals(arguments, said):
    done = run(*arguments)
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""


def test_a_budget_without_pick_is_refused():
    done = subprocess.run([BENCH, "--max-ulp", "1"], capture_output=True, text=True)
    assert done.returncode == 2 and "are for --pick" in done.stderr
