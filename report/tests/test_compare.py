"""./scripts/report --compare: marks on one processor, figures alone of two, reports of posenc-verify, and bad input."""
import json

import pytest

from made_up import bench, case, entry, lines, verify

CHANGED = {"exact_avx2": 0.18, "exact_scalar": 1.96, "naive": 20}  # 10 % faster, 2 %, slower
SAME = {"exact_scalar": "tie", "wrong": "tie"}


def marks(out):
    table = out[out.index("\ntables, 5000 x 512") :].strip().split("\n\n")[0].splitlines()[2:]
    return {line.split("  ")[0]: line.split()[-1] for line in table}


@pytest.fixture
def compare(done, tmp_path):
    def call(a, b):
        out = done("report", "--compare", a, b, "--output", tmp_path / "c.html")
        assert (tmp_path / "c.html").read_text().startswith("<!doctype html>")
        return out

    return call


def slower(data, kind, factor):
    for c in data["benchmarks"]:
        if c["label"].startswith(kind):
            c["cpu_time"] *= factor
    return data


@pytest.mark.parametrize(
    "a, b, found",
    [
        (bench(), bench(fills=CHANGED), SAME | {"exact_avx2": "faster", "naive": "slower"}),
        (bench(fills=CHANGED), bench(), SAME | {"exact_avx2": "slower", "naive": "faster"}),
        # What no commit changes was 25 % slower, so 10 % is no difference.
        (bench(), slower(bench(fills={"exact_avx2": 0.18}), "store", 1.25), {"exact_avx2": "tie", "wrong": "tie"}),
        (bench(), slower(bench(fills={"exact_avx2": 0.18}), "harness", 1.25), {"exact_avx2": "tie", "wrong": "tie"}),
        (bench(case("fill few", 1, times=(1, 1)), fills={}),) * 2 + ({"few": "judged", "wrong": "tie"},),
    ],
)  # fmt: skip
def test_marks(compare, a, b, found):
    assert marks(compare(a, b)) == found


def test_text(compare):
    out = compare(bench(), bench(fills=CHANGED))
    assert "B compared with A, in 5 cases: faster in 1, slower in 1, tie in 2." in out
    assert "A difference is more than 3.0 %" in out
    assert lines(out, "exact_avx2")[-1] == "exact_avx2 20.00 0.10 22.22 0.11 1.111 faster"


@pytest.mark.parametrize("more", [{"cpu": "that one"}, {"emulated": "yes"}])
def test_two_processors_are_not_judged(compare, more):
    out = compare(bench(), bench(fills=CHANGED, **more))
    why = "A run was emulated" if "emulated" in more else "The processors differ: A ran on this one, B on that one"
    assert out.splitlines()[3 if "emulated" in more else 1].startswith(why)
    assert lines(out, "exact_avx2")[-1] == "exact_avx2 20.00 0.10 22.22 0.11"
    assert not {"faster", "slower", "tie"} & {*out.split()}


def test_a_recorded_run(compare):
    """As ./scripts/maintain/pages --record keeps it."""
    from report.record import bench as short, text

    assert "tie in 4." in compare(json.loads(text({"schema": 1} | short(bench()))), bench())


def test_reports_of_verify(compare):
    same = compare(verify(), verify(machine={"cpu": "that one"}))
    assert "The processors differ" in same and "Of 12 ranges, 12 are equal and 0 differ." in same
    other = verify()
    other["implementations"][1]["ranges"][0]["max_abs"] *= 2
    out = compare(verify(), other)
    assert "11 are equal and 1 differ" in out
    assert lines(out, "exact_avx2, d512")[0] == "exact_avx2, d512, float32, 0 to 512 1.5e-08 3e-08 0.5 0.5 1.0 1.0"
    assert "12 cannot be compared" in compare(verify(), verify(seed=2))


@pytest.mark.parametrize(
    "a, b, said",
    [
        (bench(), verify(), "two runs of posenc-bench or two reports"),
        ("[]", bench(), "not a run of posenc-bench"),
        (bench(), bench(fills={})["context"], "or a report of posenc-verify"),
        (verify(), verify(implementations=[entry("x")]), "in common"),
        ({"tool": "posenc-bench", "cases": []}, bench(), "'machine' is a required property"),
        (bench([c for c in case("fill late", 1) if c.pop("cpu_time")]), bench(), "'cpu_time' is a required property"),
    ],
)
def test_bad_input(refused, tmp_path, a, b, said):
    assert said in refused("report", "--compare", a, b, "--output", tmp_path / "c.html")
    assert not (tmp_path / "c.html").exists()
