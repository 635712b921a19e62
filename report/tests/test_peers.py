"""build/peers.json of the parts of ./scripts/peers, and what is printed of it."""
import json

import pytest

from conftest import run
from made_up import file, judge, lines, peers_bench
from report.peers import Column, Group, Peers

CASE = {"job": "fresh", "world": "python", "n": 131072, "d": 1024, "threads": 1, "rows": 131072, "memory": 3 << 30}
CASE |= {"of_limit": None, "anchored": None}
PYTHON = {
    "turns": 7,
    "large_turns": 5,
    "seed": 1,
    "quick": False,
    "versions": {"NumPy": "1.24"},
    "cases": [
        CASE | {"peer": "exact", "seconds": 0.1, "spread": 0.001, "exact": None},
        CASE | {"peer": "torch_tutorial", "seconds": 2.5, "spread": 0.025, "exact": [25.0, 0.5]},
    ],
    "not_run": [{"name": "jax_f32", "reason": "no module named jax"}],
    "peers": [{"name": "torch_tutorial", "world": "python", "what": "eager", "version": "2", "preset": "paper"}],
}


CALL = {
    "what": "forward",
    "against": "the tutorial's",
    "shape": "35 x 20 x 200",
    "dtype": "bfloat16",
    "mode": "compiled",
}
CALLS = {
    "calls": [CALL | {"seconds": 2e-5, "theirs": 2.5e-5, "behind": -0.2, "unsure": 0.01, "verdict": "faster"}],
    "not_run": [{"name": "diffusers' get_timestep_embedding", "reason": "no module named diffusers"}],
}


@pytest.fixture
def joined(done, tmp_path):
    given = "--bench", peers_bench(), "--judge", judge(), "--python", PYTHON, "--calls", CALLS
    done("join", *given, "--output", tmp_path / "peers.json")
    return json.loads((tmp_path / "peers.json").read_text())


def test_joined_figures(joined):
    found = Peers(joined)
    columns = found.groups[Group("c", "fill", 1)]
    slow, quick = columns[Column(131072, 1024, None)]["slow"], columns[Column(64, 128, None)]["quick"]
    assert slow["exact"][0] == pytest.approx(10) and slow["anchored"][0] == pytest.approx(2 / 0.15)
    assert slow["of_limit"][0] == pytest.approx(0.09) and slow["verdicts"] == {"exact": "slower"}
    assert quick["exact"][0] == pytest.approx(0.5) and quick["verdicts"] == {}
    assert found.members() == ["exact_avx512", "anchored_avx512"]
    assert found.rows["c", "quick"]["what"] == "a | quick one" and found.rows["c", "quick"]["right"] is False


def test_text(done, joined):
    out = done("peers", joined)
    assert lines(out, "quick")[-1] == "quick 13.4 ms 0.1 0.500 0.004 0.667 0.005 - 180 % 1 no"
    assert lines(out, "torch_tutorial")[-1] == "torch_tutorial 2.50 s 0.03 25.0 0.5 3 GiB not judged"
    assert "fill, C, one thread, 64 x 128 quick 0.500 / 0.667 (not the right table)" in " ".join(out.split())
    assert lines(out, "not run: jax_f32")[-1].endswith("no module named jax")
    assert "slow 3.0e-5 float32 yes" in lines(out, "slow")
    said = "forward 35 x 20 x 200 bfloat16 compiled 20.0 us 25.0 us 0.800 0.010 faster the tutorial's"
    assert said in lines(out, "forward")
    assert lines(out, "not run: diffusers'")[-1].endswith("no module named diffusers")


@pytest.mark.parametrize(
    "report, said",
    [
        (judge(exact="ulp"), "exact is not correctly rounded"),
        ({"tables": judge()["tables"][2:]}, "exact was not judged"),
    ],
)
def test_ours_must_be_right(tmp_path, report, said):
    given = "--bench", file(tmp_path, peers_bench()), "--judge", file(tmp_path, report)
    status, _, err = run("join", *given, "--output", tmp_path / "peers.json")
    assert status == 1 and said in err and (tmp_path / "peers.json").exists()


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda d: d.update(schema=2), "schema: 1 was expected"),
        (lambda d: d["cases"][0].update(seconds=0), "cases.0.seconds"),
        (lambda d: d["cases"][0].update(world="rust"), "'rust' is not one of"),
        (lambda d: d.update(cases=[]), "cases"),
        (lambda d: d["peers"][0].pop("ranges"), "'ranges' is a required property"),
    ],
)
def test_bad_input(refused, joined, change, said):
    change(joined)
    assert said in refused("peers", joined)
