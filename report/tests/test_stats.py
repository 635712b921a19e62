"""The one rule for who is faster, the ratios and spreads that it uses, and the pick."""
import pytest

from made_up import bench
from report.picks import pick
from report.stats import between, pair, parse, read_bench, standing


@pytest.mark.parametrize(
    "ratio, interval, word",
    [
        (0.90, (0.89, 0.91), "faster"),
        (1.10, (1.09, 1.11), "slower"),
        (0.90, (0.85, 1.00), "tie"),
        (1.10, (1.00, 1.20), "tie"),  # 1 is within the quartiles
        (0.98, (0.97, 0.99), "tie"),
        (1.02, (1.01, 1.03), "tie"),  # less than 3 %
        (0.90, None, None),
    ],
)
def test_rule(ratio, interval, word):
    assert standing(ratio, interval) == word


def test_rule_with_noise_between_runs():
    assert standing(0.90, (0.89, 0.91), least=0.2) == "tie"


def rows(**fills):
    return {name: row for (_, name, *_), row in read_bench(bench(fills=fills))[0][16].items()}


def test_ratio_and_spread():
    """Quartiles of QUIET are 0.995 and 1.005: relative ranges of 1 %, together 1.41 %."""
    found = rows(a=0.2, b=0.1)
    assert found["a"].gb_s == pytest.approx(20) and found["a"].spread == pytest.approx(0.01)
    assert found["a"].share_of(found["b"]) == (pytest.approx(0.5), pytest.approx(0.5 * 2**0.5 / 100))
    assert between(found["b"], found["a"]) == [pytest.approx(0.5 * 0.995 / 1.005), pytest.approx(0.5 * 1.005 / 0.995)]
    assert pair(0.5, 0.02, 3, " %") == ("0.500 %", "0.010") and pair(0.5, None, 1) == ("0.5", "")


def test_pick_takes_the_simpler_of_a_tie():
    found = rows(simple=0.204, quick=0.2, slow=0.3)
    assert pick(list(FOUND), found, ["simple", "slow", "quick"])[0] == "simple"
    assert pick(list(FOUND), found | {"simple": found["slow"]}, ["simple", "slow", "quick"])[0] == "quick"


FOUND = ("simple", "quick", "slow")


def test_names_of_cases():
    assert parse("threads:2/limit/stream/w:64/n:8/d:4") == (("threads:2/stream", "w:64", 8, 4), None)
    assert parse("row/naive/f32/d:4/below:9/offset:0") == (("row/below:9", "naive", 1, 4), 0)
    assert parse("fill/exact/bf16/n:8/d:4") == (("fill/bf16", "exact", 8, 4), None)
    assert parse("add/exact/f32/b:3/n:8/d:4/in_place") == (("add/b:3/in_place", "exact", 8, 4), None)
    assert parse("harness/nothing/n:1/d:1") == (None, None)
