"""Small made-up files of posenc-verify, posenc-bench and scripts/peers, with figures that are easy to check by hand."""
import json
import re
from html import unescape

from report.judge import Comparison, Pick
from report.stats import Case

QUIET = (0.99, 0.995, 1, 1.005, 1.01)  # times around their median: half an interquartile range of 0.5 %


def ranges(error, ulp, correct):
    """Three ranges of positions, with growing errors."""
    table = {"shape": "d512", "d_model": 512, "base": 10000, "preset": None, "dtype": "float32", "rows": 9}
    table |= {"outputs": 1000, "ulp_max": ulp, "correctly_rounded": correct}
    spans = ((0, 512, 0.5), (512, 5000, 1), (5000, 32768, 8))
    return [table | {"from": a, "to": b, "max_abs": error * scale} for a, b, scale in spans]


def entry(name, isa="any", error=3e-8, ulp=0.5, correct=1.0, **more):
    found = {"name": name, "family": name.rsplit("_", 1)[0], "isa": isa, "supported": True, "verified": True}
    found |= {"failure": None, "bound": {"law": "half a unit", "evidence": "proved"}}
    return found | {"ranges": ranges(error, ulp, correct)} | more


def verify(**more):
    entries = [entry("naive", error=4e-4, ulp=1e6, correct=0.25, arithmetic="float32 libm")]
    entries += [entry("exact_avx2", "avx2"), entry("exact_scalar")]
    entries.append(entry("wrong", verified=False, failure="2 outputs beyond <b>its</b> bound", error=7e-3))
    entries.append(entry("lacking_neon", "neon", supported=False, verified=False, ranges=[]))
    machine = {"cpu": "this one", "architecture": "x86_64", "compiler": "GCC 1", "build_type": "Release"}
    found = {"schema": 1, "tool": "posenc-verify", "version": "1.0.0", "date": "2026-11-21T20:00:00+00:00", "seed": 1}
    return found | {"machine": machine, "implementations": entries} | more


def case(label, ns, n=5000, d=512, times=QUIET, rows=None, **more):
    """ns of an element; label: its kind and implementation, and the dtype, if it is another than float32"""
    label = label if label.count(" ") == 2 else f"{label} float32"
    found = {"run_name": label.replace(" ", "/"), "run_type": "iteration", "label": label, "time_unit": "ns"}
    found |= {"positions": n, "columns": d, "rows": rows or n, "offset": 16, "real_time": 1}
    return [found | {"cpu_time": ns * t * (rows or n) * d} | more for t in times]


FILLS = {"exact_avx2": 0.2, "exact_scalar": 2, "naive": 16}  # 20, 2 and 0.25 GB/s


TABLE = Case("fill", None, 5000, 512)


def picks(pick, fastest, others=None, work=TABLE):
    """What judge.picks() returns. others: {name: (verdict, behind, unsure)} of the candidates beside the fastest"""
    found = {fastest: ("tie", 0, 0.01)} | (others or {})
    return {work: Pick(pick, fastest, {name: Comparison(b, u, v) for name, (v, b, u) in found.items()})}


def bench(*more, fills=FILLS, **context):
    """Tables of 5000 x 512: stores take 0.1 ns an element."""
    runs = case("store w:32", 0.1) + case("fill wrong", 0.01)
    runs += [c for name, ns in fills.items() for c in case(f"fill {name}", ns)]
    clock = {"label": "harness clock float32", "run_type": "iteration", "cpu_time": 8, "time_unit": "ns"}
    runs += [clock | {"run_name": "harness/clock", "positions": 1, "columns": 1}] * 6
    known = {"cpu": "this one", "compiler": "GCC 1", "build_type": "Release", "date": "2026-11-21T21:00:00+00:00"}
    known |= {"offset": "16", "num_cpus": 4, "load_avg": [1.5, 1.0, 0.5], "cpu_scaling_enabled": False}
    known |= {"emulated": "no", "interleaved": "yes", "default": "exact_avx2"}
    known |= {"shape.transformer": "n:5000/d:512 base 10000, Transformer base"}
    return {"context": known | context, "benchmarks": runs + [c for cases in more for c in cases]}


def sweep(**slow):
    """Tables of several widths, at 0.2 ns an element: half of what stores reach. slow: {d1024_at0: times as long}"""
    runs = [c for at in (0, 16) for c in case("stream w:64", 0.1, 16384, 1024, offset=at)]
    for d, at in ((d, at) for d in (496, 512, 528, 768, 1000, 1008, 1024, 1040) for at in (0, 16)):
        runs += case("widths exact_avx2", 0.2 * slow.get(f"d{d}_at{at}", 1), 2**24 // d, d, offset=at)
    return runs


PEERS = {"fill exact_avx512": 0.2, "fill anchored_avx512": 0.15, "peer quick": 0.1, "peer slow": 2, "stream w:64": 0.18}


def peers_bench():
    """exact takes 0.2 ns an element, the quick peer 0.5 of that, the slow one 10 times as much; stores 0.18 ns. Two
    repetitions more than in other made-up runs: enough for verdicts."""
    cases = []
    for n, d in ((64, 128), (131072, 1024)):
        for name, ns in PEERS.items():
            cases += case(name, ns, n, d, times=(0.99, *QUIET, 1.01))
    context = bench()["context"] | {"peer.quick": "a | quick one"}
    context |= {"member.exact": "exact_avx512", "member.anchored": "anchored_avx512"}
    return {"context": context, "benchmarks": cases}


def judged(exact="exact"):
    def table(name, error, word):
        span = {"from": 0, "to": 512, "rows": 256, "max_abs": error, "word": word}
        found = {"name": name, "preset": "paper", "d_model": 512, "dtype": "float32", "wrong_from": None}
        return found | {"right": word != "wrong", "ranges": [span]}

    tables = [table("exact", 3e-8, exact), table("anchored", 3e-8, "ulp")]
    tables += [table("quick", 0.4, "wrong"), table("slow", 3e-5, "float32")]
    return {"schema": 1, "tool": "posenc-peers", "tables": tables}


def file(directory, data):
    """The path of a new file with that JSON, or text that is meant to be some; other arguments as they are."""
    if not isinstance(data, dict) and not (isinstance(data, str) and data[:1] in ("{", "[")):
        return data
    path = directory / f"{len(list(directory.iterdir()))}.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def text_of(page):
    page = re.sub(r"<style>.*?</style>|<svg.*?</svg>", " ", page, flags=re.S)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", page)))


def lines(text, start):
    return [" ".join(line.split()) for line in text.splitlines() if line.startswith(start)]
