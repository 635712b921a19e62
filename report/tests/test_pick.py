"""The commands pick and failed, with made-up files."""
import re

import pytest

from conftest import run
from made_up import case, entry, file, verify

TABLE = {"shape": "asked", "preset": None, "dtype": "float32", "d_model": 16, "base": 10000, "denominator": 8}
TABLE |= {"position_scale": 1, "layout": "interleaved", "order": "sin_first", "odd": "half_pair"}
NS = {"naive": 9, "exact_avx2": 0.2, "exact_scalar": 1, "anchored_avx2": 0.1}  # of an element
CONTEXT = {"offset": "16", "default": "exact_avx2"}
CONTEXT |= {"vendor": "AuthenticAMD", "family": "26", "model": "2", "cpu": "AMD EPYC"}


def ranges(*errors, **more):
    """Of 100 positions each; errors: (ULP, absolute)"""
    same = TABLE | {"outputs": 1600, "correctly_rounded": 1, "rows": 100} | more
    found = ({"from": 100 * i, "to": 100 * i + 100, "ulp_max": u, "max_abs": a} for i, (u, a) in enumerate(errors))
    return [same | range_ for range_ in found]


def report(**more):
    """errors: 5000 ULP and 4e-6 of naive, and half a ULP of the others"""
    fine = ranges((0.4, 2e-8), (0.5, 3e-8), **more)
    entries = [entry("naive", ranges=ranges((9, 1e-6), (5000, 4e-6), **more))]
    entries += [entry(f"exact_{isa}", isa, ranges=fine) for isa in ("avx2", "scalar")]
    entries += [entry("anchored_avx512", "avx512", ranges=[], supported=False, verified=False)]
    entries += [entry("anchored_avx2", "avx2", ranges=fine), entry("float64", ranges=[], verified=False)]
    wrong = entry("wrong", ranges=ranges((0.5, 3e-8), (0.5, 2.5)), verified=False, failure="beyond its bound")
    return verify(implementations=[*entries, wrong])


def turns(count=9, failed=None, context=CONTEXT, **ns):
    """A file for each turn; in the i-th, every implementation is slower by i per cent."""
    for turn in range(count):
        runs = [c for name, t in (NS | ns).items() for c in case(f"fill {name}", t * (1 + turn / 100), 100, 16, (1,))]
        if failed and turn == 3:
            runs[1] = {k: runs[1][k] for k in ("run_name", "run_type", "label")}
            runs[1] |= {"error_occurred": True, "error_message": failed}
        yield {"context": context, "benchmarks": runs}


@pytest.fixture
def picked(tmp_path):
    """(the head, {implementation: its row}, the pick) of an answer with that exit status and warning"""

    def call(*options, status=0, v=None, made=None, warning=""):
        files = [file(tmp_path, data) for data in (v or report(), *(turns() if made is None else made))]
        found, out, err = run("pick", *options, *files)
        assert (found, err) == (status, warning)
        head, table, pick = out.split("\n\n")
        return head, dict(line.split(None, 1) for line in table.splitlines()[2:]), pick

    return call


def test_the_answer(picked):
    head, rows, pick = picked()
    assert head.splitlines() == [
        "table: preset paper, d_model 16, base 10000, float32, positions 0 to 199",
        "compared with MPFR: 200 of 200 rows; measured: 100 rows, output 16 bytes after a multiple of 64",
        "processor: AMD Zen 5, EPYC, family 26 model 2",
        "budget: at most 1 ULP",
    ]
    assert {name: " ".join(row.split()) for name, row in rows.items()} == {
        "naive": "5000 4e-6 - - beyond the budget",
        "exact_avx2": "0.5 3e-8 19.23 0.37 100 % more (at least 99 %)",
        "exact_scalar": "0.5 3e-8 3.85 0.07 900 % more (at least 899 %)",
        "anchored_avx512": "- - - - not run: this CPU lacks its instructions (avx512)",
        "anchored_avx2": "0.5 3e-8 38.46 0.74 the fastest",
        "float64": "- - - - does not offer this table",
        "wrong": "0.5 2.5 - - failed verification: beyond its bound",
    }
    assert pick.splitlines() == [
        "Pick: anchored, here anchored_avx2: 100 % faster than exact (at least 99 %)",
        '  C:      posenc_plan_create(&plan, &spec, "anchored")',
        '  Python: posenc.table(..., impl="anchored")',
        "  Price:  no guarantee of correct rounding; all 3,200 compared values are correctly rounded",
        "  Or:     exact, the default: 19.23 ± 0.37 GB/s, every value correctly rounded",
    ]


@pytest.mark.parametrize(
    "ns, count, said, default",
    [
        ({"exact_avx2": 0.05}, 9, "exact, here exact_avx2: 100 % faster than anchored (at least 99 %)", True),
        ({"exact_avx2": 0.1005}, 9, "exact, here exact_avx2: ties with anchored", True),
        ({"anchored_avx2": 0.2, "exact_avx2": 0.3, "exact_scalar": 0.2005}, 9,
         "exact_scalar: ties with anchored; anchored is 50 % faster than exact (at least 49 %)", False),
        ({}, 5, "exact, here exact_avx2: undecided against anchored (fewer than 6 repetitions)", True),
    ],
)  # fmt: skip
def test_the_pick(picked, ns, count, said, default):
    pick = picked(made=turns(count, **ns))[2].splitlines()
    assert pick[0] == f"Pick: {said}"
    assert ("(&plan, &spec, NULL)" in pick[1], "(...)" in pick[2]) == (default, default)


@pytest.mark.parametrize(
    "options, said, within",
    [
        ("--max-abs 1e-3", "at most 0.001 absolute", 4),
        ("--max-abs 1e-3 --max-ulp 0.5", "at most 0.5 ULP, at most 0.001 absolute", 3),
        ("--max-ulp 5000", "at most 5000 ULP", 4),
        ("--max-ulp 0.49", "at most 0.49 ULP", 0),
        ("--max-abs 2e-8 --max-ulp 1", "at most 1 ULP, at most 2e-08 absolute", 0),
    ],
)
def test_both_budgets_bind(picked, options, said, within):
    head, rows, pick = picked(*options.split(), status=0 if within else 1)
    assert head.endswith(f"budget: {said}")
    assert sum(bool(re.search("fastest|more", row)) for row in rows.values()) == within
    assert within or pick == "Pick: none is within the budget\n"


def test_a_failed_measurement(picked):
    _, rows, pick = picked(status=2, made=turns(failed="no memory for the table"))
    assert pick == "Pick: none, the measurement failed: no memory for the table\n"
    assert "fastest" not in "".join(rows.values())


@pytest.mark.parametrize(
    "more, said",
    [
        ({"rows": 80}, "a sample, 160 of 200 rows"),
        ({"preset": "fairseq", "d_model": 17, "denominator": 7, "layout": "split", "odd": "zero", "base": 500},
         "preset fairseq, d_model 17, base 500, denominator 7, split, last column zero, float32, positions"),
        ({"order": "cos_first", "position_scale": 2.5, "odd": "zero"},
         "preset paper, d_model 16, base 10000, position_scale 2.5, cos_first, float32, positions"),
    ],
)  # fmt: skip
def test_the_table_in_words(picked, more, said):
    assert said in picked(v=report(**more))[0]


def test_digits_that_decide(picked):
    data = report()
    data["implementations"][1]["ranges"][1] |= {"ulp_max": 1.00004, "max_abs": 3.0004e-8}
    _, rows, _ = picked("--max-ulp", "1", "--max-abs", "3e-8", v=data, status=1)
    assert rows["exact_avx2"].split() == ["1.00004", "3.0004e-8", "-", "beyond", "the", "budget"]


def test_without_turns(picked):
    """scripts/pick measures nothing where every implementation failed verification."""
    head, rows, pick = picked(v=verify(implementations=report()["implementations"][-1:]), made=(), status=1)
    assert "of 200 rows; measured: 0 rows\nprocessor: this one\n" in head
    assert rows["wrong"].endswith("failed verification: beyond its bound") and pick.startswith("Pick: none is")


def test_an_emulated_processor(picked):
    said = "warning: this CPU is emulated: times say nothing about a real one\n"
    picked(made=turns(context=CONTEXT | {"emulated": "yes"}), warning=said)


def test_a_null_is_infinite(picked):
    data = report()
    data["implementations"][0]["ranges"][1]["ulp_max"] = None  # an output is not 0 where 0 is correct
    _, rows, _ = picked("--max-ulp", "1e300", v=data)
    assert rows["naive"].split() == ["∞", "4e-6", "-", "-", "beyond", "the", "budget"]


@pytest.mark.parametrize("option", ["--max-ulp", "--max-abs"])
@pytest.mark.parametrize("value", ["-1", "nan", "inf", "x"])
def test_a_budget_is_a_number_from_0(option, value):
    status, out, err = run("pick", option, value, "v.json", "1.json")
    assert (status, out) == (2, "") and option in err


def test_bad_input(refused):
    assert "no implementation offers this table" in refused("pick", verify(implementations=[]), *turns(1))
    assert "run of posenc-bench" in refused("pick", report(), report())


@pytest.mark.parametrize("key", ["preset", "dtype", "layout", "order", "odd", "base", "position_scale", "rows"])
def test_a_table_of_another_form(refused, key):
    data = report(**{key: [1]})
    assert f"ranges.0.{key}: " in refused("pick", data, *turns(1))
    for r in (r for e in data["implementations"] for r in e["ranges"]):
        r.pop(key, None)
    assert f"'{key}' is a required property" in refused("pick", data, *turns(1))


def test_what_is_left_out(done):
    """What failed or was not judged, as a whole or in a dtype; not what this machine lacks instructions for."""
    some = entry("some", dtypes="float32 float64 bfloat16", ranges=ranges((1, 1), dtype="float64"))
    found = report()["implementations"] + [some]
    assert done("failed", verify(implementations=found)) == "float64\nwrong\nsome/bfloat16\nsome/float32\n"
    assert done("failed", verify(implementations=[])) == ""
