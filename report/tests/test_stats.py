"""Medians, ratios and spreads, and the names of cases."""
import pytest

from made_up import bench
from report.stats import parse, read_bench
from report.words import pair


def test_ratio_and_spread():
    """Quartiles of QUIET are 0.995 and 1.005: relative ranges of 1 %, together 1.41 %."""
    found = {name: row for (_, name, *_), row in read_bench(bench(fills={"a": 0.2, "b": 0.1}))[0].items()}
    assert found["a"].gb_s == pytest.approx(20) and found["a"].spread == pytest.approx(0.01)
    assert found["a"].share_of(found["b"]) == (pytest.approx(0.5), pytest.approx(0.5 * 2**0.5 / 100))
    assert pair(0.5, 0.02, 3, " %") == ("0.500 %", "0.010") and pair(0.5, None, 1) == ("0.5", "")


@pytest.mark.parametrize(
    "name, key",
    [
        ("threads:2/limit/stream/w:64/n:8/d:4", ("threads:2/stream", "w:64", 8, 4)),
        ("row/naive/float32/d:4/below:9/offset:0", ("row/below:9/offset:0", "naive", 1, 4)),
        ("forward/exact/float32/b:3/n:8/d:4/compiled", ("forward/b:3/compiled", "exact", 8, 4)),
        ("fill/exact/bfloat16/n:8/d:4", ("fill/bfloat16", "exact", 8, 4)),
        ("fresh/malloc_fill/n:8/d:4/real_time", ("fresh", "malloc_fill", 8, 4)),
        ("harness/clock/n:1/d:1", None),
    ],
)
def test_names_of_cases(name, key):
    assert parse(name) == key
