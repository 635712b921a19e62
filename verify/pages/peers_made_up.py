"""Small made-up parts of a run of scripts/peers, and what is done with them; for the tests test_peers_*.py."""
import contextlib
import copy
import io
import json
import re
import sys

from test_report import PAGE, report, sound, bench as report_bench  # first: it finds the modules

sys.path.append(str(PAGE.parent / "peers_results"))
import peers_join
import peers_targets
import results
from peers_cases import Peers

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
    return {"schema": 1, "tool": "posenc-verify", "tables": list(tables)}


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


SOUND = (judged("exact", *[(3e-8, "exact")] * 3), judged("anchored", *[(3e-8, "ulp")] * 3))
CACHE = "exact x the fastest C peer, fill, in cache (to L2)"
PYTHON = "exact ahead of every Python peer, fresh table, one thread"
BETWEEN = "exact x the fastest C peer, fill, beyond L2, to the last level"
BETWEEN_ANCHORED = "anchored x the fastest C peer, fill, beyond L2, to the last level"
ANCHORED = "anchored x the fastest C peer, fill, in cache (to L2)"
MEMORY = "exact x the fastest C peer, fill, in memory"
EVERY = "exact ahead of every C peer, fill"
FRESH = "exact x PyTorch eager, fresh 131072 x 1024, one thread"
REFILL = "exact x PyTorch eager, 131072 x 1024 in place, one thread"


def page_of(tmp_path, *arguments, b=report_bench()):
    status, out, err = report(tmp_path, sound(), b, *map(str, arguments))
    assert (status, err) == (0, "") and out
    return (tmp_path / "page/index.html").read_text()


def section(page):
    found = re.search(r'<section id="peers">.*?</section>', page, re.S)
    return found and found[0]


def put(data, path, value):
    data = copy.deepcopy(data)
    *way, last = path
    inner = data
    for key in way:
        inner = inner[key]
    inner[last] = value
    return data
