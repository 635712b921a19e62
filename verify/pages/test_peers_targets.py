"""The targets of scripts/peers at their edges: met, missed, within the spread, open for want of who was not there."""
import copy

import pytest

from peers_made_up import (  # first: it finds the modules
    SMALL, MIDDLE, LARGE, FILLS, bench, judge, python_case, python, called, joined, find, targets, CACHE, PYTHON, BETWEEN,
    BETWEEN_ANCHORED, ANCHORED, MEMORY, EVERY, FRESH, REFILL)

import peers_targets
import peers_text
import peers_verdict
from peers_cases import Peers


def test_targets(tmp_path):
    found = targets(joined(tmp_path))
    assert {what: t.verdict for what, t in found.items()} == {
        EVERY: "met", PYTHON: "missed", CACHE: "met", ANCHORED: "met", BETWEEN: "met", BETWEEN_ANCHORED: "met", MEMORY: "met",
        FRESH: "met", REFILL: "met"}
    assert found[CACHE].reached == "2.50 ± 0.04 (quick, 64 x 128)"
    assert found[FRESH].reached == "25.0 ± 0.5 (torch_tutorial, 131072 x 1024)"
    assert found[MEMORY].reached == "2.50 ± 0.04 (quick, 131072 x 1024), 0.900 ± 0.013 of the limit"
    assert found[EVERY].reached == "ahead at 3 of 3 sizes; least 2.50 ± 0.04 (quick, 64 x 128)"
    assert found[PYTHON].reached == ("ahead at 1 of 2 sizes; behind at 64 x 128: numpy_f64 0.80 ± 0.10; least 0.80 ± 0.10 "
                                     "(numpy_f64, 64 x 128); without torch_tutorial at 64 x 128")


def with_ratios(data, spread=0.0, **ratios):
    """As if the peer quick had these ratios to ours in fills, by size, and that spread."""
    data = copy.deepcopy(data)
    for c in data["cases"]:
        if (c["job"], c["peer"]) == ("fill", "quick"):
            for ours, by_size in ratios.items():
                if (c["n"], c["d"]) in by_size:
                    c[ours], c["quartiles"][ours] = [by_size[c["n"], c["d"]], spread], None
    return data


@pytest.mark.parametrize("exact, what, verdict", [
    ({SMALL: 2.0}, CACHE, "met"), ({SMALL: 1.9999}, CACHE, "missed"), ({MIDDLE: 1.5, LARGE: 1.9}, CACHE, "met"),
    ({MIDDLE: 1.01}, EVERY, "met"), ({MIDDLE: 1.0}, EVERY, "missed, within the spread"), ({MIDDLE: 0.5}, EVERY, "missed"),
    ({LARGE: 1.2}, MEMORY, "met"),  # so near to the limit that it may
])
def test_targets_at_their_edges(tmp_path, exact, what, verdict):
    found = targets(with_ratios(joined(tmp_path), exact=exact))[what]
    assert found.verdict == verdict
    assert what != CACHE or exact.get(SMALL) != 1.9999 or found.reached.startswith("1.99 ")  # rounded down, not to 2.00


@pytest.mark.parametrize("limit, ratio_there, verdict", [(0.88, 1.1, "met"), (0.8799, 1.1, "missed"), (0.5, 2.0, "met"),
                                                         (0.5, 1.99, "missed"), (None, 1.99, "missed")])
def test_memory_is_either(tmp_path, limit, ratio_there, verdict):
    for size, what in ((LARGE, MEMORY), (MIDDLE, BETWEEN)):
        data = with_ratios(joined(tmp_path), exact={size: ratio_there})
        set_limit(data, "exact", size, limit and [limit, 0.0])
        assert targets(data)[what].verdict == verdict
        assert limit or "limit not measured" in targets(data)[what].reached
    data = with_ratios(joined(tmp_path), anchored={MIDDLE: ratio_there + 1})
    set_limit(data, "anchored", MIDDLE, limit and [limit, 0.0])
    set_limit(data, "exact", MIDDLE, [0.1, 0.0])  # which is not asked
    assert targets(data)[BETWEEN_ANCHORED].verdict == verdict


@pytest.mark.parametrize("ratio_there, spread, limit, verdict", [
    (2.25, 0.25, [0.5, 0.1], "met"), (2.25, 0.26, [0.5, 0.1], "met, within the spread"),
    (1.95, 0.06, [0.5, 0.1], "missed, within the spread"), (1.95, 0.04, [0.5, 0.1], "missed"),
    (1.95, 0.04, [0.87, 0.02], "missed, within the spread"), (1.95, 0.04, [0.89, 0.02], "met, within the spread"),
    (1.95, 0.06, [0.89, 0.005], "met"), (2.05, 0.06, [0.89, 0.02], "met, within the spread")])
def test_within_the_spread(tmp_path, ratio_there, spread, limit, verdict):
    data = with_ratios(joined(tmp_path), spread, exact={LARGE: ratio_there})
    set_limit(data, "exact", LARGE, limit)
    assert targets(data)[MEMORY].verdict == verdict
    note = "Within the spread: the median decides"
    assert (note in peers_targets.proviso(Peers(data), targets(data).values())) == ("within" in verdict)


@pytest.mark.parametrize("found, expected", [
    ([(True, True), (True, True)], "met"), ([(True, True), (True, False)], "met, within the spread"),
    ([(True, True), (False, False)], "missed, within the spread"), ([(False, True), (False, False)], "missed"),
    ([(True, False), (False, True)], "missed")])
def test_of_several_sizes_the_worst_decides(found, expected):
    assert peers_verdict.verdict(found) == expected


def test_who_falls_short_is_named(tmp_path):
    data = joined(tmp_path, bench(sizes=(SMALL, (128, 256), MIDDLE, (5000, 1024), LARGE)))
    found = targets(with_ratios(data, 0.01, exact={(128, 256): 1.5, (5000, 1024): 1.99}, anchored={SMALL: 2.9, (128, 256): 2.5}))
    assert found[CACHE].reached == "short at 1 of 2 sizes: 1.50 ± 0.01 (quick, 128 x 256)"
    assert found[ANCHORED].reached == "short at 2 of 2 sizes: 2.90 ± 0.01 (quick, 64 x 128); 2.50 ± 0.01 (quick, 128 x 256)"
    share = "0.900 ± 0.013 of the limit"
    assert found[BETWEEN].verdict == "met"  # so near to the limit
    assert found[BETWEEN].reached == f"2.50 ± 0.04 (quick, 5000 x 512), {share}; 1.99 ± 0.01 (quick, 5000 x 1024), {share}"
    data = with_ratios(data, 0.01, exact={MIDDLE: 0.9, (5000, 1024): 1.005})
    for size in (MIDDLE, (5000, 1024)):
        set_limit(data, "exact", size, [0.5, 0.0])
    found = targets(data)
    assert found[BETWEEN].verdict == "missed" and found[BETWEEN].reached.endswith("; short at 2 of 2 sizes")
    assert found[EVERY].verdict == "missed"
    assert found[EVERY].reached == ("ahead at 3 of 5 sizes; behind at 5000 x 512: quick 0.90 ± 0.01; not apart at 5000 x 1024: "
                                    "quick 1.00 ± 0.01; least 0.90 ± 0.01 (quick, 5000 x 512)")
    assert "the host's" in peers_targets.proviso(Peers(data), found.values())


def set_limit(data, ours, size, pair):
    mine = find(data, "fill", ours, size)
    mine["of_limit"], mine["quartiles"]["of_limit"] = pair, None


@pytest.mark.parametrize("entry, open_there", [
    ({"name": "eigen", "world": "c"}, True), ({"name": "eigen"}, True), ({"name": "eigen", "world": "python"}, False),
    ({"name": "eigen_avx2", "world": "c"}, True), ({"name": "mkl_la", "world": "c"}, False),
    ({"name": "quick", "world": "c"}, False),
    ({"name": "peer_row/x/f32", "world": "c", "peer": "x", "job": "row"}, False),
    ({"name": "peer/x/f32", "world": "c", "peer": "x", "job": "fill"}, True),
    ({"name": "limit/store", "world": "c", "peer": None, "job": None}, False)])
def test_who_was_not_there_leaves_it_open(tmp_path, entry, open_there):
    data = joined(tmp_path)
    data["not_run"].append(entry | {"reason": "not installed"})
    found = targets(data)
    for what in (EVERY, CACHE, ANCHORED, BETWEEN, MEMORY):
        assert found[what].verdict == ("open" if open_there else "met"), what
        assert found[what].reached.endswith(f"; without {entry.get('peer') or entry['name']}") == open_there
    found = targets(with_ratios(data, exact={SMALL: 0.9}))
    assert found[CACHE].verdict == found[EVERY].verdict == "missed"  # whoever else might have come
    assert found[FRESH].verdict == found[REFILL].verdict == "met"  # about one peer only


def test_better_instructions_than_ours_are_not_missed(tmp_path):
    b = bench(fills={"exact_avx2": 0.2, "anchored_avx2": 0.15}, **{"not_run.sleef_avx512": "this processor lacks AVX-512"})
    b["benchmarks"] = [c for c in b["benchmarks"] if "_avx512" not in c["run_name"]]
    assert targets(joined(tmp_path, b))[EVERY].verdict == "met"
    b["context"]["not_run.sleef_avx2"] = "SLEEF is left out of this build"
    assert targets(joined(tmp_path, b))[EVERY].reached.endswith("; without sleef_avx2")


def test_a_size_that_one_peer_lacks_leaves_it_open(tmp_path):
    data = joined(tmp_path)
    data["cases"] = [c for c in data["cases"] if (c["job"], c["peer"], c["n"]) != ("fill", "slow", 5000)]
    found = targets(data)
    assert (found[EVERY].verdict, found[BETWEEN].verdict, found[CACHE].verdict) == ("open", "open", "met")
    for what in (EVERY, BETWEEN, BETWEEN_ANCHORED):
        assert found[what].reached.endswith("; without slow at 5000 x 512")


def test_pytorch_in_place_beside_the_tutorial(tmp_path):
    p = python()
    p["cases"] += [python_case("refill", "torch_out", 0.6, [30.0, 0.25], None), python_case("fresh", "torch_out", 2, [20.0, 0.5])]
    data = joined(tmp_path, bench(), judge(), p)
    found = targets(data)
    assert found[REFILL].reached == "65.0 ± 1.0 (torch_tutorial, 131072 x 1024); torch_out 30.0 ± 0.2"
    assert found[REFILL].verdict == "met" and found[FRESH].reached.endswith("; torch_out 20.0 ± 0.5")
    assert "asks for no huge pages; torch_out is the best eager form" in peers_targets.proviso(Peers(data), found.values())


@pytest.mark.parametrize("l2, last, cached", [(1 << 15, 1 << 25, "met"), ((1 << 15) - 1, 1 << 25, "open")])
def test_a_table_as_large_as_the_cache_is_in_it(tmp_path, l2, last, cached):
    data = joined(tmp_path)
    data["machine"]["caches"] = [{"level": 2, "size": l2}, {"level": 3, "size": last}]
    assert targets(data)[CACHE].verdict == cached
    data["machine"]["caches"][1]["size"] = 4 * 131072 * 1024
    found = targets(data)
    assert found[MEMORY].verdict == "open" and found[MEMORY].reached == "not measured"  # memory is beyond the last level
    assert "(quick, 131072 x 1024)" in found[BETWEEN].reached


def test_anchored_and_pytorch_at_their_edges(tmp_path):
    data = joined(tmp_path)
    assert targets(with_ratios(data, anchored={SMALL: 2.99}))[ANCHORED].verdict == "missed"
    assert targets(with_ratios(data, anchored={SMALL: 3.0}))[ANCHORED].verdict == "met"
    for job, what, edge in (("fresh", FRESH, 20), ("refill", REFILL, 60)):
        for value, verdict in ((edge, "met"), (edge - 0.01, "missed")):
            find(data, job, "torch_tutorial")["exact"] = [value, 0.0]
            assert targets(data)[what].verdict == verdict


def test_targets_are_open_without_what_they_are_about(tmp_path):
    found = targets(joined(tmp_path, None, None, python()))
    assert {found[w].verdict for w in (EVERY, CACHE, ANCHORED, MEMORY)} == {"open"} and found[FRESH].verdict == "met"
    found = targets(joined(tmp_path, bench()))
    assert found[FRESH].reached == "not measured" and found[FRESH].verdict == "open"
    found = targets(joined(tmp_path, bench(sizes=(SMALL, MIDDLE))))
    assert found[EVERY].verdict == "open" and "not run: 131072 x 1024" in found[EVERY].reached
    fills = {name: ns for name, ns in FILLS.items() if not name.startswith("exact")}
    assert targets(joined(tmp_path, bench(fills=fills)))[CACHE].verdict == "open"
    assert {t.verdict for t in targets(joined(tmp_path, bench(emulated="yes"), None, python())).values()} == {"open"}
    data = joined(tmp_path, bench(caches=[]))
    assert any("does not say how large the caches are" in t.reached for t in targets(data).values())
    fills = {name: ns for name, ns in FILLS.items() if not name.endswith("512")} | {"anchored_avx2": 0.2}
    b = bench(fills=fills)
    b["benchmarks"] = [c for c in b["benchmarks"] if "_avx512" not in c["run_name"]]
    joined(tmp_path, b)
    assert "this run's exact is exact_avx2" in called(peers_text.main, tmp_path / "peers.json")[1]
