"""The tables of ./scripts/bench --verbose, what failed, and bad input."""
import subprocess
import sys

import pytest

from made_up import bench, case, entry, file, lines, picks, sweep, verify
from report.load import TOP

AT, STORE = "n:5000/d:512", "limit/store/w:32"


def test_tables_and_pick(done):
    tie = picks("naive", "exact_avx2", {"naive": ("tie", 0.01, 0.02)})
    out = done("summary", "--verbose", verify(), bench(picks=tie))
    assert lines(out, "exact_avx2")[-1] == "exact_avx2 1.5e-8 3.0e-8 2.4e-7 0.200 20.00 0.10 50.0 % 0.4"
    assert lines(out, "naive")[-2] == "naive 2.0e-4 4.0e-4 3.2e-3 16.000 0.25 0.00 0.6 % 0.0"
    assert "limit: 40.0 GB/s (store, 32-byte vectors)" in out and not lines(out, "wrong  f")
    said = "at most 1 ULP: naive, 0.25 GB/s, of 2 within it, ties with exact_avx2; worst error 4.0e-4, 1.0e6 ULP"
    assert said in " ".join(out.split())
    assert lines(out, "wrong")[-1].startswith("wrong failed verification: 2 outputs beyond")
    assert lines(out, "lacking_neon")[-1] == "lacking_neon not run: this CPU lacks its instructions"


@pytest.mark.parametrize(
    "name, ns, n, limits, line",
    [
        (f"fill/exact_avx2/bfloat16/{AT}", 0.1, 5000, {f"{STORE}/bfloat16/{AT}": 0.05}, "20.00 0.10 50.0 % 0.4 2.00 0.01"),
        (f"add/exact_avx2/float32/{AT}", 0.2, 5000, {f"add/plain_loop/float32/{AT}": 0.1}, "20.00 0.10 50.0 % 0.4 1.00 0.01"),
        (f"fill/exact_avx2/float32/{AT}/whisper", 0.4, 5000, {}, "10.00 0.05 25.0 % 0.2 0.500 0.004"),
        (f"fill/exact_avx2/float32/{AT}/offset:0", 0.4, 5000, {f"{STORE}/{AT}/offset:0": 0.2},
         "10.00 0.05 50.0 % 0.4 0.500 0.004"),
        ("row/exact_avx2/float32/d:512/below:4096", 0.5, 1, {}, "256.0 1.3"),
        (f"fresh/table_create/{AT}/real_time", 1, 5000, {}, "2.6 0.0 -"),
    ],
)  # fmt: skip
def test_other_cases(done, name, ns, n, limits, line):
    """Each is compared with what bounds it, and with the float32 fill of 0.2 ns."""
    judged = [
        e | {"ranges": e["ranges"] + [r | {"dtype": "bfloat16"} for r in e["ranges"]]} for e in verify()["implementations"]
    ]
    cases = case(name, ns, n)
    for c in cases:
        c["real_time"] = c["cpu_time"]
    more = [c for limit, time in limits.items() for c in case(limit, time)]
    out = done("summary", "--verbose", verify(implementations=judged), bench(cases, more))
    assert f"{name.split('/')[1]} {line}" in lines(out, name.split("/")[1])


def test_widths(done):
    out = done("summary", "--verbose", verify(), bench(sweep(d1000_at16=2)))
    assert lines(out, "exact_avx2, 16")[0].endswith(" 1000 10.00 0.05 25.0 % 0.2")
    assert "Speed by width" not in done("summary", "--verbose", verify(), bench())


def test_without_what_the_page_needs(tmp_path):
    """As ./scripts/bench --no-report runs it."""
    code = "import sys; sys.modules |= dict.fromkeys(['matplotlib', 'numpy', 'jinja2']); import report.__main__ as m; "
    given = [file(tmp_path, verify()), file(tmp_path, bench())]
    done = subprocess.run([sys.executable, "-c", code + "m.main(['summary', *sys.argv[1:]])", *given], cwd=TOP)
    assert done.returncode == 0


def test_what_failed_or_is_not_judged(done):
    failed = case(f"fill/exact_scalar/float32/{AT}", 1, times=(1,), error_occurred=True, error_message="no memory")
    out = done(
        "summary", "--verbose", verify(), bench(failed, case(f"fill/new/float32/{AT}", 1), fills={"exact_avx2": 0.2})
    )
    assert f"fill/exact_scalar/float32/{AT} failed in the benchmark: no memory" in " ".join(out.split())
    assert "new not in" in " ".join(out.split()) and "its error is unknown" in out


@pytest.mark.parametrize(
    "v, b, said",
    [
        ("{", bench(), "not JSON"),
        ({"implementations": 1}, bench(), "not a report of posenc-verify"),
        (verify(schema=2), bench(), "schema: 1 was expected"),
        (verify(), {"benchmarks": []}, "no implementation was run"),
        (verify(), '{"benchmarks": [NaN]}', "not JSON"),
        (verify(implementations=[entry("x", ranges=[{"from": 0}])]), bench(), "required property"),
        (verify(), bench(case("fill/exact_avx2/float32/n:5000/d:512", -1)), "cpu_time"),
        (verify(), bench(offset="x"), "offset"),
        (verify(), bench(picks=[{"case": "x"}]), "picks"),
    ],
)
def test_bad_input(refused, v, b, said):
    assert said in refused("summary", v, b)


def test_shape(refused):
    said = refused("summary", verify(), bench(), "--shape", "bert")
    assert "no results of shape 'bert'; it has: transformer" in said
