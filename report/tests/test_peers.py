"""build/peers.json of the parts of ./scripts/peers, and what is printed of it."""
import json

import pytest

from made_up import judged, lines, peers_bench
from report.peers import Peers, cases_of
from report.stats import Case


def turns(label, n, d, *seconds, rows=None):
    """A case of bench/peers/python."""
    found = {"run_name": label, "run_type": "iteration", "label": label, "time_unit": "ns", "wall": 1}
    found |= {"positions": n, "columns": d, "rows": rows or n}
    return [found | {"repetition_index": turn, "real_time": s * 1e9} for turn, s in enumerate(seconds)]


FRESH = 131072, 1024
CONTEXT = {"python": "3.11", "member.exact": "exact_avx512", "not_run.jax_f32": "no module named jax"}
CONTEXT |= {"cpu": "that one", "peer.torch_tutorial": "eager", "peer_version.torch_tutorial": "PyTorch 2"}
FAILED = {"run_name": "refill/torch_out/float32/n:131072/d:1024/real_time", "label": "refill torch_out float32"}
FAILED |= {"run_type": "iteration", "error_occurred": True, "error_message": "ValueError: off by 0.5"}
RUNS = [
    *turns("fresh exact_avx512 float32", *FRESH, 0.1, 0.11, 0.1),
    *turns("fresh torch_tutorial float32", *FRESH, 2.5, 2.2, 2.6),  # 25, 20 and 26 times as long in the same turn
    *turns("fresh marian float32", *FRESH, 0.1, 0.1, 0.1, rows=128),
    *turns("forward/b:20/compiled posenc.torch bfloat16", 35, 200, 2e-5),
    *turns("forward/b:20/compiled torch_tutorial bfloat16", 35, 200, 2.5e-5),
]
PYTHON = {"context": CONTEXT, "benchmarks": [*RUNS, FAILED]}


@pytest.fixture
def joined(done, tmp_path):
    done("join", "--bench", peers_bench(), PYTHON, "--judge", judged(), "--output", tmp_path / "peers.json")
    return json.loads((tmp_path / "peers.json").read_text())


def test_joined_figures(joined):
    found = Peers(joined)
    slow, quick = found.groups[Case("fill", None, *FRESH)]["slow"], found.groups[Case("fill", None, 64, 128)]["quick"]
    assert slow["ratios"] == {"exact": pytest.approx(10), "anchored": pytest.approx(2 / 0.15)}
    assert slow["of_limit"] == pytest.approx(0.09) and slow["verdicts"] == {"exact": "slower", "anchored": "slower"}
    assert quick["ratios"]["exact"] == pytest.approx(0.5) and quick["verdicts"]["exact"] == "faster"
    assert found.machine["cpu"] == "this one" and found.machine["python"] == "3.11"
    assert found.members() == ["exact_avx512", "anchored_avx512"]
    assert found.rows["quick"]["what"] == "a | quick one" and found.rows["quick"]["right"] is False
    fresh = found.groups[Case("fresh", None, *FRESH)]
    ours = found.groups[Case("fill", None, 64, 128)]["exact"]
    assert fresh["torch_tutorial"]["verdicts"] == ours["verdicts"] == {}, "verdicts are on peers in C"
    assert fresh["torch_tutorial"]["ratios"] == {"exact": pytest.approx(25)} and fresh["exact"]["ratios"] == {}
    assert fresh["marian"]["seconds"] == pytest.approx(102.4) and fresh["marian"]["rows"] == 128


@pytest.mark.parametrize("context", [{"interleaved": "no"}, {"emulated": "yes"}])
def test_no_verdicts(context):
    run = peers_bench()
    cases, _ = cases_of(run | {"context": run["context"] | context})
    assert len(cases) == 8 and not any(case["verdicts"] for case in cases)


def test_text(done, joined):
    out = done("peers", joined)
    assert lines(out, "quick")[-1] == "quick 13.4 ms 0.1 0.500 0.667 faster as fast no"
    assert lines(out, "torch_tutorial")[-1] == "torch_tutorial 2.50 s 0.10 25.0 not judged"
    assert lines(out, "marian")[-1].startswith("marian 102 s* 0 1024 ")
    assert "fill, C, one thread, 64 x 128 quick 0.500 0.667 not the right table" in " ".join(out.split())
    assert lines(out, "not run: jax_f32")[-1].endswith("no module named jax")
    assert lines(out, "not run: refill/torch_out")[-1].endswith("failed: ValueError: off by 0.5")
    assert "slow 3.0e-5 float32 yes" in lines(out, "slow")
    said = "forward of the module 35 x 20 x 200 bfloat16 compiled 20.0 us torch_tutorial 25.0 us 1.25"
    assert said in lines(out, "forward")


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda d: d.update(schema=2), "schema: 1 was expected"),
        (lambda d: d["cases"][0].update(seconds=0), "cases.0.seconds"),
        (lambda d: d["cases"][0].update(ratios={"exact": 0}), "cases.0.ratios.exact"),
        (lambda d: d.update(cases=[]), "cases"),
        (lambda d: d["peers"][0].pop("ranges"), "'ranges' is a required property"),
    ],
)
def test_bad_input(refused, joined, change, said):
    change(joined)
    assert said in refused("peers", joined)
