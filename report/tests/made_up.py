"""Small made-up files of posenc-verify and posenc-bench, with figures that are easy to check by hand."""
import json
import re
from html import unescape

NINE = (0.98, 0.985, 0.99, 0.995, 1, 1.005, 1.01, 1.015, 1.02)  # times around their median


def ranges(error, ulp, correct, **more):
    """Three ranges of positions, with growing errors; of the last one a sample."""
    table = {"shape": "d512", "d_model": 512, "base": 10000, "preset": None, "dtype": "float32", "denominator": 256}
    table |= {"position_scale": 1, "layout": "interleaved", "order": "sin_first", "odd": "half_pair"}
    table |= {"outputs": 1000, "ulp_max": ulp, "correctly_rounded": correct} | more
    spans = ((0, 512, 512, 0.5), (512, 5000, 4488, 1), (5000, 32768, 9, 8))
    return [table | {"from": a, "to": b, "rows": rows, "max_abs": error * scale} for a, b, rows, scale in spans]


def entry(name, isa="any", error=3e-8, ulp=0.5, correct=1.0, **more):
    found = {"name": name, "family": name.rsplit("_", 1)[0], "isa": isa, "supported": True, "verified": True}
    found |= {"summary": f"a short note on {name[:9]}: more", "dtypes": "float32", "arithmetic": "float64"}
    found |= {"failure": None, "bound": {"law": "half a unit", "evidence": "proved"}}
    return found | {"ranges": ranges(error, ulp, correct)} | more


def verify(entries=None, **more):
    if entries is None:
        entries = [entry("naive", error=4e-4, ulp=1e6, correct=0.25, arithmetic="float32 libm")]
        entries += [entry("exact_avx2", "avx2"), entry("exact_scalar"), entry("anchored_avx2", "avx2", correct=0.998)]
        entries.append(entry("wrong", verified=False, failure="2 outputs beyond <b>its</b> bound", error=7e-3))
        entries.append(entry("lacking_neon", "neon", supported=False, verified=False, ranges=[]))
    machine = {"cpu": "this one", "compiler": "GCC 1", "build_type": "Release", "emulated": False}
    found = {"schema": 1, "tool": "posenc-verify", "version": "1.0.0", "date": "2026-11-21T20:00:00+00:00", "seed": 1}
    found |= {"float64_reference": {"law_holds": True}}
    return found | {"machine": machine, "implementations": entries} | more


def case(label, ns, n=5000, d=512, times=NINE, rows=None, **more):
    """ns of an element; label: its kind and implementation, and the dtype, if it is another than float32"""
    label, clocks = label if label.count(" ") == 2 else f"{label} float32", ("cpu_time", "real_time")
    clock, other = clocks[::-1] if "wall" in more else clocks
    found = {"run_name": label.replace(" ", "/"), "run_type": "iteration", "label": label, "time_unit": "ns"}
    found |= {"positions": n, "columns": d, "rows": rows or n, "offset": 16, other: 1}
    return [found | {clock: ns * t * (rows or n) * d} | more for t in times]


def failed_case(name, label, why="no memory"):
    found = {"run_name": name, "label": f"{label} float32", "run_type": "iteration", "error_occurred": True}
    return [found | {"error_message": why}]


# Nanoseconds an element: 20, 25, 2 and 0.25 GB/s, and one that fails verification.
FILLS = {"exact_avx2": 0.2, "anchored_avx2": 0.16, "exact_scalar": 2, "naive": 16, "wrong": 0.01}


def bench(*more, fills=FILLS, **context):
    """Tables of 5000 x 512: stores take 0.1 ns an element, 40 GB/s."""
    runs = case("store w:32", 0.1)
    runs += [c for name, ns in fills.items() for c in case(f"fill {name}", ns)]
    clock = {"label": "harness clock float32", "run_type": "iteration", "cpu_time": 8, "time_unit": "ns"}
    runs += [clock | {"run_name": "harness/clock", "positions": 1, "columns": 1}] * 9
    known = {"schema": "1", "tool": "posenc-bench", "cpu": "this one", "compiler": "GCC 1", "build_type": "Release"}
    known |= {"date": "2026-11-21T21:00:00+00:00", "offset": "16", "num_cpus": 4, "load_avg": [1.5, 1.0, 0.5]}
    known |= {"cpu_scaling_enabled": False, "emulated": "no", "default": "exact_avx2"}
    known |= {"shape.transformer": "n:5000/d:512 base 10000, Transformer base"}
    return {"context": known | context, "benchmarks": runs + [c for cases in more for c in cases]}


def file(directory, data):
    """The path of a new file with that JSON, or text that is meant to be some; other arguments as they are."""
    if not isinstance(data, dict) and not (isinstance(data, str) and data[:1] in ("{", "[")):
        return data
    path = directory / f"{len(list(directory.iterdir()))}.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def text_of(page):
    page = re.sub(r"<style>.*?</style>|<svg.*?</svg>", " ", page, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())
