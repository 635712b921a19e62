"""./scripts/report --compare: marks, shares on other machines, reports of posenc-verify, and bad input."""
import json

import pytest

from made_up import bench, case, entry, lines, verify

CHANGED = {"exact_avx2": 0.18, "exact_scalar": 1.96, "naive": 20}  # 10 % faster, 2 %, slower


def marks(out):
    table = out[out.index("\nfill, 5000 x 512") :].strip().split("\n\n")[0].splitlines()[2:]
    return {line.split("  ")[0]: line.split()[-1] for line in table}


@pytest.fixture
def compare(done, tmp_path):
    def call(a, b):
        out = done("report", "--compare", a, b, "--output", tmp_path / "c.html")
        assert (tmp_path / "c.html").read_text().startswith("<!doctype html>")
        return out

    return call


def limits(data, factor):
    for c in data["benchmarks"]:
        if c["run_name"].startswith("limit"):
            c["cpu_time"] *= factor
    return data


@pytest.mark.parametrize(
    "a, b, found",
    [
        (
            bench(),
            bench(fills=CHANGED),
            {"exact_avx2": "faster", "exact_scalar": "tie", "naive": "slower", "wrong": "tie"},
        ),
        (
            bench(fills=CHANGED),
            bench(),
            {"exact_avx2": "slower", "exact_scalar": "tie", "naive": "faster", "wrong": "tie"},
        ),
        # What no commit changes was 25 % slower, so that 10 % is nothing.
        (bench(), limits(bench(fills={"exact_avx2": 0.18}), 1.25), {"exact_avx2": "tie", "wrong": "tie"}),
        # Shares of the limit of each: stores are twice as fast in B, exact_avx2 as well, naive is not.
        (
            bench(),
            limits(bench(fills={"exact_avx2": 0.1, "naive": 16}, cpu="that one"), 0.5),
            {"exact_avx2": "tie", "naive": "lower", "wrong": "lower"},
        ),
        # Where one machine lacks the other's instructions, the fastest member in each.
        (
            bench(fills={"exact_avx2": 0.2}),
            bench(fills={"exact_avx512": 0.1}),
            {"exact_avx2 / exact_avx512": "faster", "wrong": "tie"},
        ),
        (bench(emulated="yes"), bench(fills={}), {"wrong": "judged"}),  # not judged
        (bench(case("fill/few/float32/n:5000/d:512", 1, times=(1, 1)), fills={}),) * 2
        + ({"few": "judged", "wrong": "tie"},),
    ],
)
def test_marks(compare, a, b, found):
    assert marks(compare(a, b)) == found


def test_text(compare):
    out = compare(bench(), bench(fills=CHANGED))
    assert "speed, of 5 cases: faster in 1, slower in 1, tie in 2." in out
    assert "A difference is more than 3.0 % with the quartiles apart." in out
    assert lines(out, "exact_avx2")[-1] == "exact_avx2 20.00 0.10 22.22 0.11 1.111 1.111 faster"
    other = compare(bench(), bench(cpu="that one"))
    assert "The processors differ" in other and lines(other, "cpu")[-1] == "cpu this one that one"


def test_a_recorded_run(compare):
    """As ./scripts/maintain/pages --record keeps it."""
    from report.record import bench as short, text

    assert "tie in 4." in compare(json.loads(text({"schema": 1} | short(bench()))), bench())


def test_reports_of_verify(compare):
    same = compare(verify(), verify())
    assert "Of 12 ranges of 4 implementations, 12 are equal, 0 differ." in same and "exact: the same in A and B" in same
    other = verify()
    other["implementations"][1]["ranges"][0]["max_abs"] *= 2
    out = compare(verify(), other)
    assert "11 are equal, 1 differ" in out and "exact: NOT the same everywhere" in out
    assert "cannot be compared" in compare(verify(), verify(reference="float64"))


@pytest.mark.parametrize(
    "a, b, said",
    [
        (bench(), verify(), "two runs of posenc-bench or two reports"),
        ("[]", bench(), "neither a run"),
        (bench(), bench(fills={})["context"], "neither"),
        (verify(), verify(implementations=[entry("x")]), "in common"),
    ],
)
def test_bad_input(refused, tmp_path, a, b, said):
    assert said in refused("report", "--compare", a, b, "--output", tmp_path / "c.html")
    assert not (tmp_path / "c.html").exists()
