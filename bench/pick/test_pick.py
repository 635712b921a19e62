"""posenc-bench --pick: what it picks is within the budget, what it prints works, and what it does not understand it refuses.

Environment: POSENC_BENCH, the program; POSENC_BUILD, the tree it was built in; POSENC_SOURCE.
"""
import json
import os
import pathlib
import subprocess

import pytest

BENCH, BUILD, SOURCE = (os.environ[name] for name in ("POSENC_BENCH", "POSENC_BUILD", "POSENC_SOURCE"))
ENVIRONMENT = os.environ | {"LD_LIBRARY_PATH": BUILD, "PYTHONPATH": f"{SOURCE}/python", "PYTHONDONTWRITEBYTECODE": "1"}
RECIPES = dict.fromkeys(("paper", "t2t", "ddpm", "fairseq", "whisper", "musicgen"), "explog")
RECIPES |= dict.fromkeys(("marian", "rothman"), "float64")
RECIPES |= dict.fromkeys(("rope", "guided_diffusion", "diffusers"))  # none of the implementations has their roundings
SMALL = ("--positions", "300", "--d-model", "16")


def run(*arguments):
    return subprocess.run([BENCH, "--pick", *arguments], capture_output=True, text=True, timeout=240)


def picked(*arguments, status=0):
    done = run("--format=json", *arguments)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def rows_of(answer):
    return {row["name"]: row for row in answer["implementations"]}


def output_of(*command, **options):
    return subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, **options).stdout


def test_the_pick_is_within_the_budget_and_the_fastest_or_a_tie():
    answer = picked(*SMALL, "--max-ulp", "1")
    rows = rows_of(answer)
    pick, explog = rows[answer["pick"]], rows["explog"]
    assert pick["within"] and pick["verified"] and pick["ulp_max"] <= 1
    assert answer["table"]["rows_compared"] == 300
    for row in rows.values():
        if not row["within"]:
            assert row["reason"] and "ns_per_element" not in row
        elif row is not pick:
            assert row["ns_per_element"] >= pick["ns_per_element"] or answer["tie"]
    assert not explog["within"] and explog["ulp_max"] > 1 and explog["reason"] == "beyond the budget"


def test_a_wide_budget_lets_more_in_and_both_budgets_bind():
    rows = rows_of(picked(*SMALL, "--max-abs", "1e-3"))
    assert rows["explog"]["within"] and rows["naive"]["within"] and rows["exact_scalar"]["within"]
    both = rows_of(picked(*SMALL, "--max-abs", "1e-3", "--max-ulp", "0.5"))
    assert not both["explog"]["within"] and both["exact_scalar"]["within"]
    worst = repr(0.999 * rows["exact_scalar"]["max_abs"])
    assert picked(*SMALL, "--max-abs", worst, "--max-ulp", "1", status=1)["pick"] is None


def test_implementations_and_errors_are_those_of_posenc_verify(tmp_path):
    report = tmp_path / "verify.json"
    output_of(f"{BUILD}/verify/posenc-verify", *SMALL, "--rows", "300", "--json", report)
    judged = {entry["name"]: entry["ranges"] for entry in json.loads(report.read_text())["implementations"]}
    rows = rows_of(picked(*SMALL))
    assert list(rows) == list(judged)
    for name, row in rows.items():
        for key in ("ulp_max", "max_abs"):
            assert row[key] == max((r[key] for r in judged[name]), default=None), (name, key)


def test_a_sample_is_called_one():
    answer = picked("--positions", "300000", "--d-model", "32")
    compared = answer["table"]["rows_compared"]
    assert answer["table"]["sampled"] and "on the rows that were compared" in answer["why"]
    assert compared < 300000 and 1_500_000 < 32 * compared <= 2_600_000


def test_no_memory():
    command = f"ulimit -v 400000; exec {BENCH} --pick --format=json --d-model 1024 --positions 200000"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    answer = json.loads(done.stdout)
    assert done.returncode == 2 and answer["pick"] is None
    assert "no memory" in answer["error"] and "no memory" in answer["why"]


def test_none_within_the_budget():
    answer = picked(*SMALL, "--max-ulp", "0.1", status=1)
    assert answer["pick"] is None and "use" not in answer and "the most accurate is" in answer["why"]
    text = run(*SMALL, "--max-ulp", "0.1")
    assert text.returncode == 1 and "Pick: none is within the budget" in text.stdout


@pytest.mark.parametrize(("preset", "wanted"), RECIPES.items())
def test_recipes(preset, wanted):
    answer = picked(*SMALL, "--recipe", "--preset", preset, status=0 if wanted else 1)
    assert answer["pick"] == wanted and answer["why"]


@pytest.mark.parametrize("arguments", [
    "", "--preset whisper", "--preset rope --base 500000", "--dtype bf16", "--dtype f64", "--dtype f16",
    "--preset diffusers --order cos_first --denominator 8 --position-scale 0.1 --positions -7:50",
    "--layout split --odd zero --d-model 15 --max-abs 1e-3",
])  # fmt: skip
def test_the_lines_it_prints_make_the_table(arguments, tmp_path):
    answer = picked(*SMALL, *arguments.split())
    table = answer["table"]
    rows, d = table["to"] - table["from"], table["d_model"]
    element, size = {"f32": ("float", 4), "f64": ("double", 8)}.get(table["dtype"], ("uint16_t", 2))
    (tmp_path / "app.c").write_text(
        f"#include <posenc.h>\n#include <stdio.h>\nstatic {element} table[{rows} * {d}];\n"
        f"int main(void)\n{{\n{answer['use']['c']}fwrite(table, sizeof table, 1, stdout);\nreturn 0;\n}}\n"
    )
    compiler = "cc -Wall -Wextra -Werror app.c -o app".split()
    output_of(*compiler, f"-I{SOURCE}/include", f"-L{BUILD}", "-lposenc", cwd=tmp_path)
    script = answer["use"]["python"] + "import sys\nsys.stdout.buffer.write(table.tobytes())\n"
    options = {"positions": rows, "first": table["from"], "order": table["order"].split("_")[0]}
    options |= {"odd": table["odd"].replace("_", "-"), "impl": answer["ask_for"]}
    same = ("d_model", "preset", "dtype", "base", "denominator", "position_scale", "layout")
    options |= {key.replace("_", "-"): table[key] for key in same}
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    from_c, from_python = output_of(tmp_path / "app"), output_of("/usr/bin/python3", "-c", script)
    reference = output_of(pathlib.Path(BUILD, "verify/posenc-table"), "-o", "-", *words)
    assert len(from_c) == rows * d * size and from_c == from_python == reference[-len(from_c) :]


def test_the_text_says_why_and_how():
    done = run(*SMALL)
    assert done.returncode == 0 and "nan" not in done.stdout
    for part in (
        "budget: max_ulp 1\n", "rows_compared 300", "beyond the budget", "\nPick: ", "\nc:\n", "\npython:\nimport posenc\n",
        "\ncmake:\nfind_package(posenc", "\ntarget_link_libraries(app PRIVATE posenc::posenc)", "\npkg_config:\ncc ",
    ):  # fmt: skip
        assert part in done.stdout, part


@pytest.mark.parametrize(("arguments", "said"), [
    ("--max-ulp -1", "a number from 0 is needed"), ("--max-abs nan", "a number from 0 is needed"),
    ("--recipe --max-ulp 1", "excludes"), ("--recipe --dtype bf16", "is about tables of float32"),
    ("--format xml", "one of these is needed: text, json"), ("--preset nobody", "one of these is needed: paper"),
    ("--preset whisper --d-model 7", "--preset whisper"), ("--shape bert", "--pick takes"), ("--all-cases", "--pick takes"),
    ("--benchmark_filter=x", "--pick sets the flags"), ("--offset 0 --offset 16", "one --offset"),
    ("--offset 4 --dtype f64", "multiple"), ("--positions 5:5", "must be below"), ("--d-model 0", "an integer from 1"),
])  # fmt: skip
def test_refusals(arguments, said):
    done = run(*arguments.split())
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""


def test_a_budget_without_pick_is_refused():
    done = subprocess.run([BENCH, "--max-ulp", "1"], capture_output=True, text=True)
    assert done.returncode == 2 and "are for --pick" in done.stderr
