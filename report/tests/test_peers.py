"""build/peers.json of the parts of ./scripts/peers, and what is printed of it."""
import json

import pytest

from conftest import run
from made_up import judge, lines, peers_bench, write
from report.peers import Column, Group, Peers, standing
from report.peers_tables import targets


def join(tmp_path, b, j, python=None):
    arguments = ["--bench", write(tmp_path / "b.json", b), "--judge", write(tmp_path / "j.json", j)]
    arguments += ["--python", write(tmp_path / "p.json", python)] if python else []
    return run("join", *arguments, "--output", tmp_path / "peers.json")


def joined(tmp_path, python=None):
    assert join(tmp_path, peers_bench(), judge(), python) == (0, "", "")
    return json.loads((tmp_path / "peers.json").read_text())


def python_part(seconds=2.5, ratio=25.0):
    def case(peer, time, exact):
        return {
            "job": "fresh",
            "world": "python",
            "peer": peer,
            "n": 131072,
            "d": 1024,
            "threads": 1,
            "rows": 131072,
            "seconds": time,
            "spread": time / 100,
            "gb_s": 1.0,
            "of_limit": None,
            "memory": 3 << 30,
            "exact": exact,
            "anchored": None,
        }

    return {
        "turns": 7,
        "large_turns": 5,
        "seed": 1,
        "quick": False,
        "versions": {"NumPy": "1.24"},
        "cases": [case("exact", 0.1, None), case("torch_tutorial", seconds, [ratio, 0.5])],
        "not_run": [{"name": "jax_f32", "reason": "no module named jax"}],
        "peers": [{"name": "torch_tutorial", "world": "python", "what": "eager", "version": "2", "preset": "paper"}],
    }


def test_joined_figures(tmp_path):
    found = Peers(joined(tmp_path, python_part()))
    case = found.groups[Group("c", "fill", 1)]["slow", Column(131072, 1024, None)]
    assert case["exact"][0] == pytest.approx(10) and case["anchored"][0] == pytest.approx(2 / 0.15)
    assert case["of_limit"][0] == pytest.approx(0.09)
    quick = found.groups[Group("c", "fill", 1)]["quick", Column(64, 128, None)]
    assert (standing(quick, "exact"), standing(case, "exact")) == ("faster", "slower")
    assert found.members() == {"exact": "exact_avx512", "anchored": "anchored_avx512"}
    assert found.rows["c", "quick"]["what"] == "a | quick one" and found.rows["c", "quick"]["right"] is False


def test_text(tmp_path):
    joined(tmp_path, python_part())
    status, out, err = run("peers", tmp_path / "peers.json")
    assert (status, err) == (0, "")
    assert lines(out, "quick")[-1] == "quick 819 ns 0.500 +- 0.004 wins 13.4 ms 0.500 +- 0.004 wins"
    assert "fill, C, one thread, 64 x 128: quick 0.500 / 0.667 (the right table? no)" in " ".join(
        out.replace("\u00a0", " ").split()
    )
    assert "not run: jax_f32: no module named jax" in out and "slow 3.0e-5 float32 yes paper" in " ".join(out.split())


def test_targets(tmp_path):
    found = {row[0]: row[2:] for row in targets(Peers(joined(tmp_path, python_part()))).rows}
    assert found["exact ahead of every C peer, fill"][0] == "missed"
    assert found["exact ahead of every C peer, fill"][1].startswith("least 0.50 (quick, ")
    assert found["exact x PyTorch eager, 131072 x 1024 fresh, one thread"] == [
        "met",
        "least 25.0 (torch_tutorial, 131072 x 1024)",
    ]
    assert found["exact x PyTorch eager, 131072 x 1024 in place, one thread"] == ["open", "not measured"]
    data = joined(tmp_path, python_part(1.9, 19.99))
    assert {row[0]: row[2] for row in targets(Peers(data)).rows}[
        "exact x PyTorch eager, 131072 x 1024 fresh, one thread"
    ] == "missed"
    data["machine"]["emulated"] = True
    assert {row[2] for row in targets(Peers(data)).rows} == {"open"}


def test_ours_must_be_right(tmp_path):
    status, _, err = join(tmp_path, peers_bench(), judge(exact="ulp"))
    assert status == 1 and "exact is not correctly rounded" in err and (tmp_path / "peers.json").exists()


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
def test_bad_input(tmp_path, change, said):
    data = joined(tmp_path)
    change(data)
    status, out, err = run("peers", write(tmp_path / "bad.json", data))
    assert (status, out) == (2, "") and said in err
