"""./scripts/report --compare: marks, shares on other machines, reports of posenc-verify, and bad input."""
import pytest

from conftest import run
from made_up import QUIET, bench, case, entry, lines, verify, write


def compare(tmp_path, a, b):
    return run(
        "report",
        "--compare",
        write(tmp_path / "a.json", a),
        write(tmp_path / "b.json", b),
        "--output",
        tmp_path / "c.html",
    )


def text_of(tmp_path, a, b):
    status, out, err = compare(tmp_path, a, b)
    assert (status, err) == (0, "") and (tmp_path / "c.html").read_text().startswith("<!doctype html>")
    return out


def marks(out):
    table = out[out.index("\nfill, 5000 x 512") :].strip().split("\n\n")[0].splitlines()[2:]
    return {line.split()[0]: line.split()[-1] for line in table}


def test_marks(tmp_path):
    """exact_avx2 is 10 % faster, exact_scalar 2 % (a tie), naive slower; the controls are the same."""
    out = text_of(tmp_path, bench(), bench(fills={"exact_avx2": 0.18, "exact_scalar": 1.96, "naive": 20}))
    assert marks(out) == {"exact_avx2": "faster", "exact_scalar": "tie", "naive": "slower", "wrong": "tie"}
    assert "speed, of 5 cases: faster in 1, slower in 1, tie in 2." in out
    assert lines(out, "exact_avx2")[-1] == "exact_avx2 20.00 0.10 22.22 0.11 1.111 1.111 faster"
    back = text_of(tmp_path, bench(fills={"exact_avx2": 0.18, "exact_scalar": 1.96, "naive": 20}), bench())
    assert marks(back)["exact_avx2"] == "slower" and marks(back)["naive"] == "faster"


def test_noise_between_runs(tmp_path):
    """What no commit changes was 25 % slower, so that 10 % is nothing."""

    def slow(data):
        for c in data["benchmarks"]:
            if c["run_name"].startswith("limit"):
                c["cpu_time"] *= 1.25
        return data

    assert (
        marks(text_of(tmp_path, bench(), slow(bench(fills={"exact_avx2": 0.18, "naive": 16}))))["exact_avx2"] == "tie"
    )


def test_two_machines(tmp_path):
    """Shares of the limit of each are compared: stores are twice as fast in B, exact_avx2 as well, naive is not."""
    b = bench(fills={"exact_avx2": 0.1, "naive": 16}, cpu="that one")
    for c in b["benchmarks"]:
        if c["run_name"].startswith("limit"):
            c["cpu_time"] /= 2
    out = text_of(tmp_path, bench(), b)
    assert marks(out) == {"exact_avx2": "tie", "naive": "lower", "wrong": "lower"} and "The processors differ" in out


def test_members_of_families(tmp_path):
    """Where one machine lacks the other's instructions, the fastest member in each."""
    out = text_of(tmp_path, bench(fills={"exact_avx2": 0.2}), bench(fills={"exact_avx512": 0.1}))
    assert marks(out.replace("exact_avx2 / exact_avx512", "exact"))["exact"] == "faster"


def test_few_repetitions_and_emulated_runs_are_not_judged(tmp_path):
    at = "fill/few/f32/n:5000/d:512"
    out = text_of(tmp_path, bench(case(at, 1, times=(1, 1))), bench(case(at, 2, times=(1, 1))))
    assert lines(out, "few")[-1].endswith("not judged")
    assert "not judged in" in text_of(tmp_path, bench(emulated="yes"), bench()) and QUIET


def test_a_recorded_run(tmp_path):
    """As ./scripts/pages --record keeps it."""
    from report.record import bench as short, text

    (tmp_path / "r.json").write_text(text({"schema": 1} | short(bench()), 0))
    status, out, err = run(
        "report", "--compare", tmp_path / "r.json", write(tmp_path / "b.json", bench()), "--output", tmp_path / "c.html"
    )
    assert (status, err) == (0, "") and "tie in 4." in out


def test_reports_of_verify(tmp_path):
    same = text_of(tmp_path, verify(), verify())
    assert "Of 12 ranges of 4 implementations, 12 are equal, 0 differ." in same and "exact: the same in A and B" in same
    other = verify()
    other["implementations"][1]["ranges"][0]["max_abs"] *= 2
    out = text_of(tmp_path, verify(), other)
    assert "11 are equal, 1 differ" in out and "exact: NOT the same everywhere" in out
    assert "cannot be compared" in text_of(tmp_path, verify(), verify(reference="float64"))


@pytest.mark.parametrize(
    "a, b, said",
    [
        (bench(), verify(), "two runs of posenc-bench or two reports"),
        ("[]", bench(), "neither a run"),
        (bench(), bench(fills={})["context"], "neither"),
        (verify(), verify(implementations=[entry("x")]), "in common"),
    ],
)
def test_bad_input(tmp_path, a, b, said):
    status, _, err = compare(tmp_path, a, b)
    assert status == 2 and said in err and not (tmp_path / "c.html").exists()
