"""What is made of a run of scripts/peers, from small made-up parts: ratios and spreads that are known by hand, who wins, the
words of errors, targets at their edges, the text, docs/peers.md and the report's section; and bad files, which are named and
change nothing."""
import contextlib
import copy
import io
import json
import re
import subprocess
import sys

import pytest

from test_report import PAGE, report, sound, text_of, bench as report_bench  # first: it finds the modules

sys.path.append(str(PAGE.parent / "peers_results"))
import drawing
import peers
import peers_join
import peers_targets
import peers_text
import peers_verdict
import results
from peers_cases import Column, Group, Peers, bounds, standing
from peers_conditions import conditions
from peers_figures import duration, ratio
from peers_losses import by_size, draws, losses
from peers_tables import errors, fitness, speeds

SMALL, MIDDLE, LARGE = (64, 128), (5000, 512), (131072, 1024)
FILLS = {"exact_avx512": 0.2, "exact_avx2": 0.1, "anchored_avx512": 0.15, "explog": 0.01}  # ns of an element
PEERS = {"quick": 0.5, "slow": 20.0}
CACHES = [{"type": "Data", "level": 1, "size": 1 << 15}, {"type": "Instruction", "level": 1, "size": 1 << 16},
          {"type": "Unified", "level": 2, "size": 1 << 21}, {"type": "Unified", "level": 3, "size": 1 << 25}]
QUIET = (0.98, 0.99, 1, 1.01, 1.02)  # an interquartile range of 2 %


def case(name, ns, n, d, tail="", **more):
    return [{"run_name": f"{name}/f32/{f'n:{n}/' if n else ''}d:{d}{tail}", "run_type": "iteration", "time_unit": "ns",
             "cpu_time": ns * (n or 1) * d * t, "real_time": 1, "rows": n or 1, **more} for t in QUIET]


def bench(fills=FILLS, others=PEERS, sizes=(SMALL, MIDDLE, LARGE), limit=0.18, **context):
    """fills, others: {name: ns, or {size: ns}}"""
    cases = []
    for n, d in sizes:
        for word, names in (("fill", fills), ("peer", others)):
            for name, ns in names.items():
                cases += case(f"{word}/{name}", ns[n, d] if isinstance(ns, dict) else ns, n, d)
        cases += [c | {"run_name": f"limit/stream/w:64/n:{n}/d:{d}"} for c in case("x", limit, n, d)]
        cases += [c | {"run_name": f"limit/store/w:32/n:{n}/d:{d}"} for c in case("x", 2 * limit, n, d)]
    for word, name, ns in (("row", "exact_avx512", 1), ("row", "anchored_avx512", 2), ("peer_row", "quick", 0.5)):
        cases += case(f"{word}/{name}", ns, None, 512, "/below:4096")
    for word, name, ns in (("once", "exact_avx512", 4), ("once", "anchored_avx512", 4), ("peer_once", "quick", 4.01)):
        cases += case(f"{word}/{name}", ns, *SMALL)
    known = {"cpu": "this one", "compiler": "GCC 1", "architecture": "x86_64", "emulated": "no", "offset": "16", "num_cpus": 2,
             "date": "2026-11-21T21:00:00+00:00", "posenc": "1.0.0", "build_type": "Release", "caches": CACHES,
             "peer.quick": "a | quick one", "peer_version.quick": "3.5"}
    return {"context": known | context, "benchmarks": cases}


def judged(name, *found, file=None, right=True, wrong_from=None, preset="paper"):
    """found: (max_abs, word) of the ranges."""
    ranges = [{"from": a, "to": b, "rows": 256, "max_abs": e, "ulp_max": 1.0, "correctly_rounded": 0.5, "word": word}
              for (a, b), (e, word) in zip(((0, 512), (512, 5000), (5000, 32768)), found)]
    return {"name": name, "file": file, "preset": preset, "d_model": 512, "ranges": ranges, "right": right,
            "wrong_from": wrong_from}


def judge(*tables):
    tables = tables or (
        judged("exact", *[(3e-8, "exact")] * 3), judged("anchored", *[(3e-8, "ulp")] * 3),
        judged("quick", (2.9e-5, "float32"), (3.4e-4, "drifting"), (0.4, "wrong"), wrong_from=5000),
        judged("slow", *[(3e-5, "float32")] * 3),
        judged("numpy", *[(3e-8, "ulp")] * 3, file="build/peers/numpy_f64.npy"))
    return {"schema": 1, "tool": "posenc-judge", "tables": list(tables)}


def python_case(job, peer, seconds, exact=None, anchored=None, size=LARGE, threads=1, **more):
    return {"job": job, "world": "python", "peer": peer, "n": size[0], "d": size[1], "threads": threads, "rows": size[0],
            "seconds": seconds, "spread": seconds / 100, "gb_s": 1.0, "of_limit": None, "memory": None, "exact": exact,
            "anchored": anchored} | more


def python(*cases):
    cases = cases or (
        python_case("fresh", "exact", 0.1), python_case("fresh", "torch_tutorial", 2.5, [25.0, 0.5], [24.0, 0.5], memory=3 << 30),
        python_case("fresh", "exact", 1e-5, size=SMALL), python_case("fresh", "numpy_f64", 8e-6, [0.8, 0.1], None, size=SMALL),
        python_case("fresh", "numpy_f64", 10.0, [100.0, None], None, rows=5000),
        python_case("refill", "exact", 0.02), python_case("refill", "torch_tutorial", 1.3, [65.0, 1.0], [64.0, 1.0]))
    names = dict.fromkeys(c["peer"] for c in cases)
    return {"schema": 1, "tool": "posenc-peers-python", "turns": 7, "large_turns": 5, "seed": 1, "quick": False,
            "versions": {"NumPy": "1.24"}, "cases": list(cases),
            "not_run": [{"name": "jax_f32", "reason": "no module named jax"}],
            "peers": [{"name": n, "world": "python", "what": f"about {n}", "version": None, "preset": "paper"} for n in names]}


def called(main, *arguments):
    """(exit status, stdout, stderr)"""
    before = results.PROGRAM
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            status = main([str(a) for a in arguments])
        except SystemExit as e:
            status = e.code
    results.PROGRAM = before
    return status, out.getvalue(), err.getvalue()


def join(tmp_path, b=None, j=None, p=None):
    """Through the files, as scripts/peers does it."""
    arguments = ["--output", tmp_path / "peers.json"]
    for option, data in (("--bench", b), ("--judge", j), ("--python", p)):
        if data is not None:
            path = tmp_path / f"{option[2:]}.json"
            path.write_text(data if isinstance(data, str) else json.dumps(data))
            arguments += [option, path]
    return called(peers_join.main, *arguments)


def joined(tmp_path, *parts):
    assert join(tmp_path, *(parts or (bench(), judge(), python()))) == (0, "", "")
    return json.loads((tmp_path / "peers.json").read_text())


def find(data, job, peer, size=None):
    found = [c for c in data["cases"] if (c["job"], c["peer"]) == (job, peer) and size in (None, (c["n"], c["d"]))]
    assert len(found) == 1, found
    return found[0]


def targets(data):
    return {t.what: t for t in peers_targets.targets(Peers(data))}


def squeezed(text):
    return re.sub(r"[ \t]+", " ", text)


def test_ratios_of_the_c_part(tmp_path):
    data = joined(tmp_path)
    quick = find(data, "fill", "quick", MIDDLE)
    assert quick["exact"] == pytest.approx([2.5, 2.5 * 0.01 * 2 ** 0.5]) and quick["anchored"][0] == pytest.approx(10 / 3)
    assert quick["seconds"] == pytest.approx(0.5e-9 * 5000 * 512) and quick["spread"] == pytest.approx(0.01 * quick["seconds"])
    assert quick["gb_s"] == pytest.approx(8) and quick["of_limit"] == pytest.approx([0.36, 0.36 * 0.01 * 2 ** 0.5])
    exact = find(data, "fill", "exact", MIDDLE)  # the best instruction set, not the fastest member
    assert exact["member"] == "exact_avx512" and exact["seconds"] == pytest.approx(0.2e-9 * 5000 * 512)
    assert exact["exact"] is None and exact["limit"] == "stream"
    row = find(data, "row", "quick")
    assert (row["n"], row["below"], row["of_limit"]) == (1, 4096, None) and row["exact"][0] == pytest.approx(0.5)
    assert row["anchored"][0] == pytest.approx(0.25) and find(data, "once", "quick")["exact"][0] == pytest.approx(1.0025)
    assert {c["peer"] for c in data["cases"] if c["world"] == "c"} == {"exact", "anchored", "quick", "slow"}
    assert data["machine"]["processors"] == 2 and data["machine"]["emulated"] is False
    assert data["not_run"] == [{"name": "jax_f32", "reason": "no module named jax", "world": "python"}]
    assert data["versions"]["NumPy"] == "1.24"


def test_quartiles_of_the_c_part(tmp_path):
    quick = find(joined(tmp_path), "fill", "quick", MIDDLE)["quartiles"]
    assert quick["seconds"] == pytest.approx([0.99 * 0.5e-9 * 5000 * 512, 1.01 * 0.5e-9 * 5000 * 512])
    assert quick["exact"] == pytest.approx([2.5 * 0.99 / 1.01, 2.5 * 1.01 / 0.99])
    assert quick["of_limit"] == pytest.approx([0.36 * 0.99 / 1.01, 0.36 * 1.01 / 0.99])
    b = bench()
    some = [c for c in b["benchmarks"] if c["run_name"].startswith("fill/exact_avx512")][:2]
    b["benchmarks"] = [c for c in b["benchmarks"] if not c["run_name"].startswith("fill/exact_avx512/f32/n:64")] + some
    few = find(joined(tmp_path, b), "fill", "slow", SMALL)  # two repetitions of exact have no quartiles
    assert few["quartiles"]["exact"] is None and few["exact"][1] is None and few["quartiles"]["anchored"]


def test_sizes_go_by_bytes(tmp_path):
    data = joined(tmp_path, bench(sizes=((100, 1024), (131072, 128), (200, 512), (50, 2048))))
    columns = Peers(data).columns(Group("c", "fill", 1))
    assert [tuple(c[:2]) for c in columns] == [(200, 512), (100, 1024), (50, 2048), (131072, 128)]


def test_who_is_who(tmp_path):
    rows = {(r["world"], r["name"]): r for r in joined(tmp_path)["peers"]}
    assert list(rows) == [("c", "exact"), ("c", "anchored"), ("c", "quick"), ("c", "slow"), ("python", "torch_tutorial"),
                          ("python", "numpy_f64")]
    assert rows["c", "quick"]["what"] == "a | quick one" and rows["c", "quick"]["wrong_from"] == 5000
    assert [r["word"] for r in rows["c", "quick"]["ranges"]] == ["float32", "drifting", "wrong"]
    assert rows["python", "numpy_f64"]["right"] is True  # by the name of the file
    assert rows["python", "torch_tutorial"]["right"] is None and rows["python", "torch_tutorial"]["ranges"] == []
    worse = judge(judged("exact_avx512", (3e-8, "exact")), judged("exact", (1e-3, "drifting"), file="a/exact.npy", right=False))
    assert join(tmp_path, bench(), worse)[0] == 1
    assert json.loads((tmp_path / "peers.json").read_text())["peers"][0]["right"] is False  # judged twice: what is worse counts


SOUND = (judged("exact", *[(3e-8, "exact")] * 3), judged("anchored", *[(3e-8, "ulp")] * 3))


@pytest.mark.parametrize("tables, message", [
    ((judged("exact", (3e-8, "exact"), (3e-8, "ulp")), SOUND[1]),
     'exact is not correctly rounded: "ulp" at positions 512 to 4999'),
    ((SOUND[0], judged("anchored", (1e-3, "drifting"), right=False)), "anchored is not the right table"),
    ((SOUND[0],), "anchored was not judged"), ((SOUND[1],), "exact was not judged"),
    ((SOUND[0], judged("anchored", (3e-8, "ulp"), right=None)), "anchored is not the right table"), (SOUND, None)])
def test_ours_must_keep_what_they_promise(tmp_path, tables, message):
    """The file is there all the same."""
    status, out, err = join(tmp_path, bench(), judge(*tables))
    assert (status, out) == (1 if message else 0, "") and json.loads((tmp_path / "peers.json").read_text())["cases"]
    assert err == (f"peers: {message} ({tmp_path}/peers.json is written)\n" if message else "")


def test_failed_cases_are_named(tmp_path):
    b = bench()
    b["benchmarks"] += [{"run_name": "peer/broken/f32/n:64/d:128", "run_type": "iteration", "error_occurred": True,
                         "error_message": "no memory"}]
    data = joined(tmp_path, b)
    assert data["not_run"] == [{"name": "peer/broken/f32/n:64/d:128", "reason": "failed in the benchmark: no memory",
                                "peer": "broken", "job": "fill", "world": "c"}]
    assert targets(data)[EVERY].reached.endswith("; without broken") and targets(data)[EVERY].verdict == "open"
    limit = bench()
    limit["benchmarks"] += [b["benchmarks"][-1] | {"run_name": "limit/copy/w:64/n:64/d:128"}]
    failed = joined(tmp_path, limit)
    assert failed["not_run"][0]["name"].startswith("limit/copy") and targets(failed)[EVERY].verdict == "met"  # it is no peer
    b["context"]["not_run.eigen"] = "Eigen is not installed"
    said = judge() | {"not_run": [{"name": "eigen", "reason": "twice"}, {"name": "neon", "reason": "no such processor"}]}
    assert [e for e in joined(tmp_path, b, said)["not_run"] if e["name"] in ("eigen", "neon")] == [
        {"name": "eigen", "reason": "Eigen is not installed", "world": "c"},
        {"name": "neon", "reason": "no such processor", "world": "c"}]
    assert "broken" not in {c["peer"] for c in data["cases"]}


@pytest.mark.parametrize("pair, expected", [
    ([0.98, 0.01], "peer"), ([0.99, 0.01], "tie"), ([1.0, 0.0], "tie"), ([1.01, 0.01], "tie"), ([1.02, 0.01], "ours"),
    ([0.999, None], "peer"), ([1.001, None], "ours"), (None, None)])
def test_who_wins(pair, expected):
    given = {"exact": pair}
    assert standing(given, "exact") == expected
    marks = {"peer": " (peer wins)", "tie": " (tie)"}
    assert "".join(ratio(given, "exact")).endswith(marks.get(expected, ""))
    assert expected in marks or "(" not in "".join(ratio(given, "exact"))


@pytest.mark.parametrize("pair, quartiles, expected", [
    ([14.8, 69.3], [14.1, 155], "ours"), ([1.2, 0.01], [1.0, 1.3], "tie"), ([1.2, 0.01], [1.0001, 1.3], "ours"),
    ([0.9, 0.5], [0.8, 0.99], "peer"), ([0.9, 0.01], [0.8, 1.0], "tie"), ([1.1, 0.5], None, "tie")])
def test_quartiles_decide_where_they_are_known(pair, quartiles, expected):
    assert standing({"exact": pair, "quartiles": {"exact": quartiles}}, "exact") == expected


def test_outliers_of_a_slow_peer_are_no_tie(tmp_path):
    """Two of seven repetitions twenty times as slow, as one recorded run had it; the same of ours is one."""
    b, theirs = bench(), [164, 7.1, 7.7, 7.8, 7.6, 150, 7.3]
    b["benchmarks"] = [c for c in b["benchmarks"] if c["run_name"] != "peer/slow/f32/n:5000/d:512"]
    b["benchmarks"] += [case("peer/slow", 1, *MIDDLE)[0] | {"cpu_time": 1e6 * t} for t in theirs]
    data = joined(tmp_path, b)
    slow = find(data, "fill", "slow", MIDDLE)
    assert slow["exact"][1] > slow["exact"][0] and standing(slow, "exact") == "ours"
    assert targets(data)[EVERY].verdict == "met"
    value, low, high = 7.7 / 0.512, 7.45 / 0.51712, 78.9 / 0.50688
    assert ratio(slow, "exact") == f"{value:.1f} ({low:.1f} to {high:.0f})"
    assert bounds(slow, "exact") == pytest.approx((low, high))
    assert f"{value:.1f} ({low:.1f} to {high:.0f})" in called(peers_text.main, tmp_path / "peers.json", "--markdown", "-")[1]
    b["benchmarks"] = [c for c in b["benchmarks"] if c["run_name"] != "fill/exact_avx512/f32/n:5000/d:512"]
    b["benchmarks"] += [case("fill/exact_avx512", 1, *MIDDLE)[0] | {"cpu_time": 1e6 * t} for t in (0.5, 0.5, 9, 9, 0.5)]
    data = joined(tmp_path, b)
    found = targets(data)[EVERY]
    assert found.verdict == "met, within the spread"
    assert "; not apart at 5000 x 512: quick 2.56 (0.14 to 2.58), slow 15.4 (" in found.reached
    assert dict(draws(Peers(data)))["fill, C, one thread, quick"].startswith(
        "at 5000 x 512: 1.28 ms, 2.56 (0.141 to 2.59) of exact's")


def test_figures():
    assert [duration(s) for s in (2.5, 2.5e-3, 123.4e-6, 9.999e-9)] == ["2.50 s", "2.50 ms", "123 us", "10.00 ns"]
    def of(*pair):
        return ratio({"exact": list(pair) or None}, "exact")
    assert of(12.34, 0.56) == ("12.3", "0.6") and of(0.8, 0.1) == ("0.800", "0.100 (peer wins)")
    assert of(123.4, 5.6) == ("123", "6") and of(0.5, None) == "0.500 (peer wins)" and of() == "-"
    assert of(2.0, 2.5) == "2.00 (0 to 4.50) (tie)"
    assert [peers_verdict.down(v) for v in (0.04567, 1.9999, 2.0, 19.99, 199.9)] == ["0.0456", "1.99", "2.00", "19.9", "199"]


@pytest.mark.parametrize("words, more, expected", [
    ("exact exact", {}, "yes"), ("ulp float32", {}, "yes"), ("float32 drifting", {}, "drifts from position 512"),
    ("float32 drifting drifting", {}, "drifts from position 512"),
    ("float32 drifting", {"wrong_from": 5000}, "wrong from position 5000"), ("drifting drifting", {"right": False}, "no"),
    ("exact", {"right": None}, "not judged")])
def test_the_right_table(words, more, expected):
    assert fitness(judged("x", *[(0.1, word) for word in words.split()]) | more) == expected


def test_wide_tables_are_cut_into_parts(tmp_path):
    sizes = [(64 << i, 128) for i in range(9)]
    joined(tmp_path, bench(sizes=sizes))
    out = called(peers_text.main, tmp_path / "peers.json")[1]
    part = out.split("CPU time\n")[1].split("\n\n")[0]
    assert max(map(len, out.splitlines())) <= 130 and part.count("\nslow ") == 3 and part.startswith("who ")
    assert re.findall(r"\d+ x 128", part) == [f"{n} x {d}" for n, d in sizes]
    assert len(speeds(Peers(json.loads((tmp_path / "peers.json").read_text())))[0][1][0].head) == 10


def test_losses_are_named_with_figures(tmp_path):
    found = dict(losses(Peers(joined(tmp_path))))
    assert found["row, C, one thread, quick"] == (
        "for a row of 512 below 4096: 256 ns, 0.500 ± 0.007 of exact's time and 0.250 ± 0.004 of anchored's. Its table is wrong "
        "from position 5000.")
    assert found["fresh, Python, one thread, numpy_f64"] == "at 64 x 128: 8.00 us, 0.800 ± 0.100 of exact's time."
    assert len(found) == 2
    status, out, _ = called(peers_text.main, tmp_path / "peers.json")
    out = squeezed(out)
    assert status == 0 and "Nowhere" not in out
    assert "quick 256 ns 0.500 +- 0.007 wins\nbelow 1 the peer is faster" in out
    assert "quick 4.10 us 2.50 +- 0.04 1.28 ms 2.50 +- 0.04 67.1 ms" in out
    assert "exact 512 ns -\nanchored 1.02 us -\n" in out and "below 1 the peer is faster" in out
    assert ("Where a peer is faster: its time by that of exact / of anchored\n"
            " row, C, one thread, d 512, below 4096: quick 0.500 / 0.250 (its table is wrong from position 5000)\n"
            " fresh, Python, one thread, 64 x 128: numpy_f64 0.800 / -\n"
            "Not decided: the quartiles, in parentheses, are not apart\n"
            " once, C, one thread, 64 x 128: quick 1.00 (0.983 to 1.02) / 1.00 (0.983 to 1.02)\n\n") in out
    assert "numpy_f64 8.00 us 0.800 +- 0.100 wins 10.0 s* 100\n" in out and "* made fewer rows" in out
    assert "quick 2.9e-5 float32 3.4e-4 drifting 4.0e-1 wrong wrong from position 5000 paper" in out
    assert "not run: jax_f32: no module named jax" in out and "ours: exact_avx512 and anchored_avx512" in out


def test_nowhere_is_said_and_only_then(tmp_path):
    b = bench()
    b["benchmarks"] = [c for c in b["benchmarks"] if "row/" not in c["run_name"]]
    joined(tmp_path, b)
    assert "Nowhere: in no job" in called(peers_text.main, tmp_path / "peers.json")[1]
    b["benchmarks"] = [c for c in b["benchmarks"] if "peer" not in c["run_name"]]
    joined(tmp_path, b)
    assert "Nothing was compared." in called(peers_text.main, tmp_path / "peers.json")[1]


CACHE = "exact x the fastest C peer, fill, in cache (to L2)"
PYTHON = "exact ahead of every Python peer, fresh table, one thread"
BETWEEN = "exact x the fastest C peer, fill, beyond L2, to the last level"
BETWEEN_ANCHORED = "anchored x the fastest C peer, fill, beyond L2, to the last level"
ANCHORED = "anchored x the fastest C peer, fill, in cache (to L2)"
MEMORY = "exact x the fastest C peer, fill, in memory"
EVERY = "exact ahead of every C peer, fill"
FRESH = "exact x PyTorch eager, fresh 131072 x 1024, one thread"
REFILL = "exact x PyTorch eager, 131072 x 1024 in place, one thread"


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


def test_markdown(tmp_path):
    joined(tmp_path)
    status, out, err = called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "docs/peers.md")
    text = (tmp_path / "docs/peers.md").read_text()
    assert (status, err) == (0, "")
    assert out.startswith("measured: 5 repetitions (C); 7 turns, of large tables 5, seed 1 (Python)\n"
                          "date: 2026-11-21 21:00:00 UTC\n")
    assert "; of 256 rows of each range, width 512." in text and "- peers' flags: -O3 and those of their instruction set" in text
    assert "keeps its plan between calls" in text and "| `torch_tutorial` | - | 3 GiB |" in text and "**A quick" not in text
    assert "| `exact` | 90.0 ± 1.3 % | 90.0 ± 1.3 % | 90.0 ± 1.3 % |" in text and "every output compared is correctly" in text
    assert "\n- once, C, one thread, quick: at 64 x 128: 32.8 us, 1.00 (0.983 to 1.02) of exact's time and" in text
    assert "| `quick` | **0.500 ± 0.007 (peer wins)** |" in text and "| `slow` | 100 ± 1 | 100 ± 1 | 100 ± 1 |" in text
    assert r"a \| quick one" in text and "wrong from position 5000" in text and "| `quick` | C | 3.5 | paper |" in text
    assert f"| {CACHE} | at least 2 | met | 2.50 ± 0.04 (quick, 64 x 128) |" in text and "- processor: this one" in text
    assert r"- row, C, one thread, quick: for a row of 512 below 4096: 256 ns, 0.500" in text and "- jax_f32: no module" in text
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):  # whole, whatever is in the cells
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table
    assert not re.search(r"\n\n\n|[ \t]\n", text)
    assert called(peers_text.main, tmp_path / "peers.json", "--markdown", "-")[1] == text
    joined(tmp_path, None, None, python())
    status, text, err = called(peers_text.main, tmp_path / "peers.json", "--markdown", "-")
    assert (status, err) == (0, "") and "Are they right?" not in text and "`torch_tutorial`" in text


def page_of(tmp_path, *arguments, b=report_bench()):
    status, out, err = report(tmp_path, sound(), b, *map(str, arguments))
    assert (status, err) == (0, "") and out
    return (tmp_path / "page/index.html").read_text()


def section(page):
    found = re.search(r'<section id="peers">.*?</section>', page, re.S)
    return found and found[0]


def test_the_report_without_the_file_says_nothing(tmp_path):
    page = page_of(tmp_path)
    assert section(page) is None and "peers" not in text_of(page) and not (tmp_path / "page/peers.json").exists()


def test_the_section(tmp_path):
    data = joined(tmp_path)
    page = page_of(tmp_path)  # beside what was verified
    assert json.loads((tmp_path / "page/peers.json").read_text()) == data and page.count("<svg") == 12
    here = section(page)
    text = text_of(here)
    assert peers.QUESTION in text
    assert ("exact fills memory that is there 2.50 ± 0.04 (quick, 64 × 128) to 100 ± 1 (slow, 64 × 128) times as fast as "
            "2 C peers and makes a fresh table 0.800 ± 0.100 (numpy_f64, 64 × 128) to 100 (numpy_f64, 131072 × 1024) times as "
            "fast as 2 Python peers; 2 of 4 peers are faster somewhere (row: quick; fresh: numpy_f64); of 3 peers judged, "
            "positions to 32k, 1 stays within 4 ULP, 1 has a float32 angle's errors, up to 3.0e-5 and 1 is "
            "worse than that (quick).") in text
    assert "Peers that are faster in row, C, one thread: 1 of 1 peer: quick" in text
    assert "row, C, one thread, quick for a row of 512 below 4096: 256 ns, 0.500 ± 0.007 of exact's time" in text
    assert "quick 256 ± 3 ns 0.500 ± 0.007 (peer wins) 0.250 ± 0.004 (peer wins)" in text
    assert "numpy_f64 8.00 ± 0.08 us 0.800 ± 0.100 (peer wins) - - 10.0 ± 0.1 s* 100 - -" in text
    assert "exact 20.0 ± 0.2 ms - - torch_tutorial 1.30 ± 0.01 s 65.0 ± 1.0 64.0 ± 1.0" in text
    assert "quick 2.9e-5 float32 3.4e-4 drifting 4.0e-1 wrong" in text
    assert f"{CACHE} at least 2 met 2.50 ± 0.04 (quick, 64 x 128)" in text and "Not run: jax_f32 (no module" in text
    assert "another machine" not in text and "A quick run" not in text
    assert "Measured by scripts/peers, 2026-11-21, on this one; 5 repetitions (C); 7 turns, of large tables 5, seed 1" in text
    assert "fresh: a fresh table, allocated and produced (Python, one thread)" in text
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids)) and not re.search(r"#0[1-6][0-9a-f]{4}\b", page)
    (tmp_path / "peers.json").unlink()
    page_of(tmp_path)
    assert not (tmp_path / "page/peers.json").exists()  # nor left beside a page that is not about it


@pytest.mark.parametrize("parts, drawn", [((bench(), None, None), 2), ((None, None, python()), 2), ((None, judge(), python()), 2),
                                          ((bench(emulated="yes"), judge(), None), 0), ((bench(others={}), None, None), 0)])
def test_a_part_is_enough(tmp_path, parts, drawn):
    joined(tmp_path, *parts)
    page = section(page_of(tmp_path))
    assert page.count("<svg") == drawn and "None" not in text_of(page)
    assert called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "m.md")[0] == 0


def test_which_file(tmp_path):
    joined(tmp_path, bench(cpu="<b>another"), judge(), None)
    assert section(page_of(tmp_path, b=None)) is None  # errors only, unless it is named
    page = page_of(tmp_path, "--peers", tmp_path / "peers.json", b=None)
    assert "another machine than the one above, this one" in text_of(section(page)) and "<b>another" not in page
    (tmp_path / "peers.json").rename(tmp_path / "elsewhere.json")
    assert section(page_of(tmp_path)) is None and section(page_of(tmp_path, "--peers", tmp_path / "elsewhere.json"))


def test_what_is_drawn(tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr(drawing, "inline", lambda figure, label: figures.append(figure) or "")
    data = joined(tmp_path)
    caption = peers.picture(Peers(data)).caption
    wide, narrow = figures
    c = next(a for a in wide.axes if [t.get_text() for t in a.get_yticklabels()] == ["quick", "slow"])
    dots = [(container.lines[0].get_xdata()[0], container.lines[0].get_ydata()[0]) for container in c.containers]
    assert dots == [(pytest.approx(x), y) for x, y in ((2.5, 0),) * 3 + ((100, 1),) * 3]
    assert [x for line in c.lines for x in line.get_xdata() if line.get_color() == drawing.INK] == [1, 1]
    assert "Bars: the interquartile range" in caption
    bars = [tuple(lines.get_segments()[0][:, 0]) for container in c.containers for lines in container.lines[2]]
    assert bars[0] == pytest.approx((2.5 * 0.99 / 1.01, 2.5 * 1.01 / 0.99))
    hollow = [container.lines[0].get_markerfacecolor() == drawing.PAPER for container in c.containers]
    assert hollow == [False, True, True, False, False, False]  # quick drifts from position 512 on
    assert c.get_xlim()[0] <= 0.8 < 100 < c.get_xlim()[1] and "Hollow" in caption
    texts = [t.get_text() for t in narrow.texts]
    assert [t for t in texts if "×" in t] == ["64 × 128", "5000 × 512", "131072 × 1024"]
    assert sum(t.startswith(("C:", "Python:")) for t in texts) == 2


def put(data, path, value):
    data = copy.deepcopy(data)
    *way, last = path
    inner = data
    for key in way:
        inner = inner[key]
    inner[last] = value
    return data


@pytest.mark.parametrize("path, value, message", [
    (["cases", 0, "job"], "other", "job is 'other', not one of"), (["cases", 0, "seconds"], 0, "seconds is 0, not above 0"),
    (["cases", 0, "seconds"], 10 ** 400, "OverflowError"), (["cases", 0, "exact"], [10 ** 400, 0], "OverflowError"),
    (["cases", 0, "n"], 1.5, "n is 1.5, not a count"), (["cases", 0, "threads"], True, "threads is True"),
    (["cases", 0, "exact"], [-1, None], "a ratio and its spread"), (["cases", 0, "exact"], [1], "a ratio and its spread"),
    (["cases"], [], "at least one case"), (["cases", 1], {}, "peer is None, not a text"),
    (["peers", 0, "ranges", 0, "word"], "fine", "word is 'fine', not one of"), (["peers", 0, "right"], "yes", "right is 'yes'"),
    (["peers", 0, "ranges", 0, "max_abs"], -1, "0 or more, or null"), (["peers", 0, "world"], "rust", "world is 'rust'"),
    (["peers", 0, "ranges", 0, "to"], 0, "above from"), (["machine"], None, "machine is None, not an object"),
    (["machine", "caches"], [{"level": 2}], "machine.caches: size"), (["not_run"], [{"name": "x"}], "not_run: reason"),
    (["versions"], [], "versions is .., not an object"), (["tool"], "posenc-verify", "not a file of scripts/peers"),
    (["cases", 0, "quartiles"], [1, 2], "quartiles is .*, not an object"),
    (["cases", 0, "quartiles", "seconds"], [2, 1], "quartiles: seconds is .*, not two rising numbers"),
    (["cases", 0, "quartiles", "exact"], [0, 1], "not two rising numbers"), (["cases", 0, "single"], 1, "single is 1"),
    (["run"], 5, "run is 5, not an object"), (["run", "quick"], "no", "run: quick is 'no'"),
    (["run", "turns"], 0, "run: turns is 0"),
    (["run", "repetitions"], 7, "run: repetitions is 7"), (["not_run", 0, "job"], "x", "not_run: job is 'x'"),
    (["not_run", 0, "world"], "x", "not_run: world is 'x'"), (["not_run", 0, "peer"], 1, "not_run: peer is 1"),
    (["peers", 0, "d_model"], "wide", "d_model is 'wide'"), (["peers", 0, "ranges", 0, "rows"], -1.5, "rows is -1.5"),
    (["schema"], 2, "schema 1"), (["date"], 5, "date is 5"), (["cases"], "x", "not a file of scripts/peers")])
def test_a_bad_file_is_named_and_nothing_written(tmp_path, path, value, message):
    bad = tmp_path / "peers.json"
    bad.write_text(json.dumps(put(joined(tmp_path), path, value)))
    (tmp_path / "page").mkdir()
    (tmp_path / "page/index.html").write_text("old")
    (tmp_path / "old.md").write_text("old")
    status, out, err = called(peers_text.main, bad, "--markdown", tmp_path / "old.md")
    assert status == 2 and out == "" and re.match(f"peers: .*peers.json: .*{message}", err) and err.count("\n") == 1, err
    status, out, err = report(tmp_path, sound(), report_bench())
    assert status == 2 and out == "" and re.match(f"report: .*peers.json: .*{message}", err)
    assert (tmp_path / "old.md").read_text() == "old" and [p.name for p in (tmp_path / "page").iterdir()] == ["index.html"]
    assert (tmp_path / "page/index.html").read_text() == "old"


def test_a_case_there_twice_is_refused(tmp_path):
    p = python()
    p["cases"].append(p["cases"][0])
    status, _, err = join(tmp_path, None, None, p)
    assert status == 2 and "131072 x 1024, not there once" in err.replace("'", "")


@pytest.mark.parametrize("b, j, p, message", [
    (None, None, None, "one of --bench and --python is needed"), ("no", None, None, r"bench\.json: not JSON"),
    ({}, None, None, "not a run of posenc-bench"), (bench(), {}, None, r"judge\.json: this is not a file of posenc-judge"),
    (bench(), judge() | {"schema": 2}, None, "posenc-judge with schema 1"),
    (bench(), judge() | {"tool": "x"}, None, "not a file of posenc-judge"),
    (bench(), None, judge(), r"python\.json: this is not a file of posenc-peers-python"),
    (bench(), judge(judged("quick", (1, "fine"))), None, "quick: a word of a range is none of"),
    (bench(), judge({"name": "quick"}), None, "a value is missing .*ranges"),
    (bench(), put(judge(), ["tables", 2, "right"], 1), None, "quick: right is 1"),
    (None, None, python(python_case("fresh", "x", 0)), "seconds is 0"),
    (None, None, {"schema": 1, "tool": "posenc-peers-python", "cases": []}, "at least one case"),
    ({"benchmarks": case("peer/x", -1, 64, 128)}, None, None, "not a positive number"),
    ({"benchmarks": [c | {"rows": 0} for c in case("peer/x", 1, 64, 128)]}, None, None, "rows is 0"),
])
def test_bad_parts_are_named_and_nothing_written(tmp_path, b, j, p, message):
    (tmp_path / "peers.json").write_text("old")
    status, out, err = join(tmp_path, b, j, p)
    assert status == 2 and out == "" and re.search(message, err) and "Traceback" not in err, err
    assert (tmp_path / "peers.json").read_text() == "old"
    assert message.startswith("one of") or err.startswith("peers: ") and err.count("\n") == 1


def test_the_first_call_is_a_job_of_its_own(tmp_path):
    p = python()
    p["cases"] += [python_case("first", "exact", 5e-5, size=SMALL),
                   python_case("first", "anchored", 4e-5, [0.8, 0.01], size=SMALL),
                   python_case("first", "numpy_f64", 1e-5, [0.2, 0.01], size=SMALL)]
    data = joined(tmp_path, bench(), judge(), p)
    out = squeezed(called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "m.md")[1])
    assert "\nfirst: the first call: nothing kept from earlier ones, posenc's plan made anew; Python, one thread, wall" in out
    assert "exact 50.0 us -\nanchored 40.0 us -\nnumpy_f64 10.0 us 0.200 +- 0.010 wins\n" in out  # anchored is no peer
    assert " first, Python, one thread, 64 x 128: numpy_f64 0.200 / -\n" in out
    assert "keeps its plan between calls, as its users have it; \"first\" is without" in out.replace("\n", " ")
    assert dict(losses(Peers(data)))["first, Python, one thread, numpy_f64"].startswith("at 64 x 128: 10.0 us, 0.200 ± 0.010")
    assert "first: numpy_f64" in text_of(section(page_of(tmp_path)))  # of the one sentence


def test_one_thread_beside_all_of_ours(tmp_path):
    p = python(python_case("fresh", "exact", 0.1, threads=2),
               python_case("fresh", "numpy_f32", 0.3, [3.0, 0.1], threads=2, single=True),
               python_case("fresh", "torch_tutorial", 0.4, [4.0, 0.1], threads=2))
    joined(tmp_path, None, None, p)
    out = called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "m.md")[1]
    assert "of one thread only, beside ours with all: numpy_f32; posenc" in out
    assert "of one thread only, beside ours with all: numpy_f32; posenc" in (tmp_path / "m.md").read_text()


@pytest.mark.parametrize("option, said", [(["--quick"], False), ([], True), ([], False)])
def test_a_quick_run_says_so(tmp_path, option, said):
    (tmp_path / "b").write_text(json.dumps(bench()))
    (tmp_path / "p").write_text(json.dumps(python() | {"quick": said}))
    assert called(peers_join.main, *option, "--bench", tmp_path / "b", "--python", tmp_path / "p", "--output",
                  tmp_path / "peers.json") == (0, "", "")
    out = called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "m.md")[1]
    expected = said or bool(option)
    assert out.startswith("a quick run: few repetitions") == expected
    assert ("**A quick run: few" in (tmp_path / "m.md").read_text()) == expected
    assert ("A quick run: few" in text_of(section(page_of(tmp_path)))) == expected
    assert ("A quick run: its figures" in out) == expected


def test_how_it_was_measured(tmp_path):
    b = bench()
    b["benchmarks"] = [c for i, c in enumerate(b["benchmarks"]) if i]  # one repetition less of the first case
    found = dict(conditions(Peers(joined(tmp_path, b, judge(), python() | {"large_turns": 7, "seed": 0}))))
    assert found["measured"] == "4 to 5 repetitions (C); 7 turns, seed 0 (Python)" and "-ffast-math" in found["peers' flags"]
    found = dict(conditions(Peers(joined(tmp_path, None, None, python()))))
    assert found["measured"] == "7 turns, of large tables 5, seed 1 (Python)" and "peers' flags" not in found


def test_what_was_compared_is_said(tmp_path):
    peers_of = Peers(joined(tmp_path))
    assert errors(peers_of).title.endswith("; of 256 rows of each range, width 512")
    other = judge(*SOUND, judged("quick", (3e-5, "float32")) | {"d_model": 64})
    other["tables"][2]["ranges"][0]["rows"] = 12
    assert errors(Peers(joined(tmp_path, bench(), other))).title.endswith("; of 12 to 256 rows of each range, width 64 and 512")
    for table in other["tables"]:
        table["d_model"] = None
        for r in table["ranges"]:
            del r["rows"]
    assert errors(Peers(joined(tmp_path, bench(), other))).title.endswith("from the end of the one before")


def test_what_decides_comes_first_in_the_text(tmp_path):
    joined(tmp_path)
    out = called(peers_text.main, tmp_path / "peers.json")[1]
    places = [out.index(f"\n{what}") for what in ("Largest |error|", "Targets", "Where a peer", "fill: ", "row: ", "fresh: ")]
    assert places == sorted(places) and out.count("\nfill: ") == 1 and "memory used" not in out
    assert all(by_size(Peers(json.loads((tmp_path / "peers.json").read_text())), kind) for kind in ("peer", "tie"))


def test_names_that_no_encoding_has(tmp_path):
    data = joined(tmp_path)
    (tmp_path / "odd.json").write_text(json.dumps(data).replace('"quick"', '"\\ud800|`<b>"'))
    done = subprocess.run(["/usr/bin/python3", "-B", PAGE.parent / "peers_results/peers_text.py", tmp_path / "odd.json",
                           "--markdown", tmp_path / "odd.md"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "\\ud800|`<b> " in done.stdout
    text = (tmp_path / "odd.md").read_text()
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table
    here = section(page_of(tmp_path, "--peers", tmp_path / "odd.json"))
    assert "|`&lt;b&gt;" in here and "<b>" not in here.replace("<li><b>", "")


def test_as_commands(tmp_path):
    """Run as scripts/peers runs them; nothing is left in the tree."""
    for name, data in (("b", bench()), ("j", judge()), ("p", python())):
        (tmp_path / name).write_text(json.dumps(data))
    python3, scripts, out = ["/usr/bin/python3", "-B"], PAGE.parent / "peers_results", tmp_path / "peers.json"
    made = subprocess.run([*python3, scripts / "peers_join.py", "--bench", tmp_path / "b", "--judge", tmp_path / "j", "--python",
                           tmp_path / "p", "--output", out], capture_output=True, text=True)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    said = subprocess.run([*python3, scripts / "peers_text.py", out, "--markdown", tmp_path / "peers.md"], capture_output=True,
                          text=True)
    assert (said.returncode, said.stderr) == (0, "") and "Where a peer is faster" in said.stdout
    assert (tmp_path / "peers.md").exists()
    lost = subprocess.run([*python3, scripts / "peers_text.py", tmp_path / "none"], capture_output=True, text=True)
    assert lost.returncode == 2 and re.match(r"peers: .*none: No such file", lost.stderr) and lost.stderr.count("\n") == 1
    assert subprocess.run([*python3, scripts / "peers_text.py", out, "--markdown", "/dev/null/x"],
                          capture_output=True, text=True).returncode == 2
    helped = subprocess.run([*python3, scripts / "peers_join.py", "--help"], capture_output=True, text=True)
    assert helped.returncode == 0 and "--judge" in helped.stdout
