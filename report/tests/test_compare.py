"""The answer of ./scripts/compare."""
import pytest

from conftest import run
from made_up import bench, case, file

NAME = "fill/exact_avx2/float32"


def two(tmp, now, spread=0.01):
    """Two runs: explog takes as long as before, exact_avx2 `now` times as long."""
    swing = [1 + spread * ((4 * i) % 9 - 4) / 4 for i in range(9)]
    same = case("fill explog", 3)
    for factor, times in ((1, [1] * 9), (now, swing)):
        yield file(tmp, bench(same, case("fill exact_avx2", 0.2 * factor, times=times), fills={}))


@pytest.mark.parametrize("now, spread, again, status, said", [
    (1, 0.01, None, 0, None), (1.04, 0.01, None, 0, None), (1.3, 0.9, None, 0, None),
    (1.07, 0.01, 1.07, 0, "slower  1.07 (1.06 to 1.08)  1.07 (1.06 to 1.08)"),
    (1.2, 0.01, 1.2, 1, "slower  1.20 (1.19 to 1.21)  1.20 (1.19 to 1.21)"),
    (1.2, 0.01, 1.05, 0, "slower  1.20 (1.19 to 1.21)  1.05 (1.04 to 1.06)"),
    (0.9, 0.01, 0.9, 0, "faster  0.900 (0.893 to 0.907)  0.900 (0.893 to 0.907)"),
])  # fmt: skip
def test_what_changed_is_named(tmp_path, now, spread, again, status, said):
    """And only a second run that agrees makes the exit status 1."""
    first = list(two(tmp_path, now, spread))
    assert run("compare", "--names", *first) == (0, f"{NAME}\n" if said else "\n", "")
    found, out, err = run("compare", *first, *(["--again", *two(tmp_path, again, spread)] if again else []))
    assert (found, err) == (status, "") and (f"{NAME}  {said}" in out) == bool(said)
    assert f"{4 - bool(said)} {'other ' * bool(said)}cases: no interval beyond a change of 5 %" in out


def test_a_case_of_one_build_is_refused(refused, tmp_path):
    first = list(two(tmp_path, 1))
    assert "fill/new/float32 was measured in one" in refused(
        "compare", first[0], bench(case("fill new", 1), case("fill explog", 3), fills={"exact_avx2": 1})
    )
