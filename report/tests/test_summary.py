"""The summary of ./scripts/bench: tables, the pick, what failed, and bad input."""
import pytest

from conftest import run
from made_up import bench, case, entry, lines, verify, write


def summary(tmp_path, v, b, *arguments):
    return run("summary", write(tmp_path / "v.json", v), write(tmp_path / "b.json", b), *arguments)


def test_tables_and_pick(tmp_path):
    status, out, err = summary(tmp_path, verify(), bench())
    assert (status, err) == (0, "")
    assert lines(out, "exact_avx2")[1:] == ["exact_avx2 1.5e-8 3.0e-8 2.4e-7 0.200 20.00 0.10 50.0 % 0.4"]
    assert lines(out, "naive")[1] == "naive 2.0e-4 4.0e-4 3.2e-3 16.000 0.25 0.00 0.6 % 0.0"
    assert "limit: 40.0 GB/s (store, 32-byte vectors)" in out
    assert "at most 1 ULP: exact_avx2, the fastest of the 2 within it: 20.00 GB/s, worst error 0.5 ULP" in out
    assert "at most 1e-6 absolute: exact_avx2" in out
    assert (
        "wrong: failed verification: 2 outputs beyond" in out
        and "lacking_neon: not run: this CPU lacks its instructions" in out
    )
    assert not lines(out, "wrong ")


def test_other_cases(tmp_path):
    """bfloat16, a sum, a preset, single rows, fresh memory, each compared with what bounds it."""
    at = "n:5000/d:512"
    more = [
        case(f"fill/exact_avx2/bf16/{at}", 0.1),
        case(f"limit/store/w:32/bf16/{at}", 0.05),
        case(f"add/exact_avx2/f32/{at}", 0.2),
        case(f"add/plain_loop/f32/{at}", 0.1),
        case(f"fill/exact_avx2/f32/{at}/whisper", 0.4),
        case("row/exact_avx2/f32/d:512/below:4096", 0.5, n=1),
    ]
    judged = [
        e | {"ranges": e["ranges"] + [r | {"dtype": "bf16"} for r in e["ranges"]]} for e in verify()["implementations"]
    ]
    status, out, err = summary(tmp_path, verify(implementations=judged), bench(*more))
    assert (status, err) == (0, "")
    assert "fill, bfloat16, 5000 x 512" in out
    assert "exact_avx2 20.00 0.10 50.0 % 0.4 2.00 0.01" in lines(
        out, "exact_avx2"
    )  # half the bytes of float32 in half the time
    assert "exact_avx2 20.00 0.10 0.500 0.004 - -" in lines(out, "exact_avx2")
    assert "exact_avx2 10.00 0.05 25.0 % 0.2 0.500 0.004" in lines(out, "exact_avx2")
    assert "one row at a time, d_model 512, random positions below 4096" in out


def test_what_failed_or_is_not_judged(tmp_path):
    failed = case("fill/exact_scalar/f32/n:5000/d:512", 1, times=(1,), error_occurred=True, error_message="no memory")
    _, out, _ = summary(
        tmp_path, verify(), bench(failed, case("fill/new/f32/n:5000/d:512", 1), fills={"exact_avx2": 0.2})
    )
    assert "fill/exact_scalar/f32/n:5000/d:512: failed in the benchmark: no memory" in out
    assert "new: not in" in out and "its error is unknown" in out


@pytest.mark.parametrize(
    "v, b, said",
    [
        ("{", bench(), "not JSON"),
        ({"implementations": 1}, bench(), "not a report of posenc-verify"),
        (verify(schema=2), bench(), "schema: 1 was expected"),
        (verify(), {"benchmarks": []}, "no implementation was run"),
        (verify(), '{"benchmarks": [NaN]}', "not JSON"),
        (verify(implementations=[entry("x", ranges=[{"from": 0}])]), bench(), "required property"),
        (verify(), bench(case("fill/exact_avx2/f32/n:5000/d:512", -1)), "cpu_time"),
        (verify(), bench(offset="x"), "offset"),
    ],
)
def test_bad_input(tmp_path, v, b, said):
    status, out, err = summary(tmp_path, v, b)
    assert (status, out) == (2, "") and said in err and "Traceback" not in err


def test_shape(tmp_path):
    status, _, err = summary(tmp_path, verify(), bench(), "--shape", "bert")
    assert status == 2 and "no results of shape 'bert'; it has: transformer" in err
