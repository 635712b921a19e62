"""Recorded runs, docs/recorded/{verify,bench,peers}.json: what ./scripts/bench and ./scripts/peers wrote into build/,
without what no page or comparison reads, with the commit and date of the run, one entry per line so that
differences can be read."""
import json
import re

from .load import TOP, fail, load, write

RECORDED = TOP / "docs/recorded"
WHAT = {
    "verify": ("implementations", "report of posenc-verify"),
    "bench": ("benchmarks", "run of posenc-bench"),
    "peers": ("cases", "file of scripts/peers"),
}
DIGITS = 6  # of a time
RANGE = "shape d_model base denominator preset dtype from to rows outputs max_abs ulp_max correctly_rounded".split()
RANGE += ["bound_ok", "worst", "closest_to_bound"]
ENTRY = ("name", "isa", "arithmetic", "summary", "dtypes", "supported", "verified", "failure", "bound")
NOT_KEPT = ("host_name", "executable", "date", "verified", "posenc", "schema", "library_build_type", "num_cpus_online")


def recorded(name):
    return load(RECORDED / f"{name}.json", *WHAT[name])


def short(value):
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: short(v) for key, v in value.items()}
    return [short(v) for v in value] if isinstance(value, list) else value


def kept(found, keys):
    return {key: found[key] for key in keys if key in found}


def verify(data):
    entries = [
        kept(e, ENTRY) | {"ranges": [kept(r, RANGE) for r in e.get("ranges", [])]} for e in data["implementations"]
    ]
    return kept(data, ("tool", "date", "version", "machine", "seed", "reference")) | {"implementations": entries}


def bench(data):
    """Of each case the times of its repetitions, by the clock that it is measured by."""
    cases = {}
    for b in data["benchmarks"]:
        if b.get("run_type") == "iteration" and not b.get("error_occurred"):
            name = b["run_name"]
            about = {
                "case": name,
                "unit": b["time_unit"],
                "rows": b.get("rows"),
                "huge": b.get("huge_pages"),
                "times": [],
            }
            time = b["real_time" if name.endswith("/real_time") else "cpu_time"]
            cases.setdefault(name, about)["times"].append(short(float(time)))
    cases = [{key: value for key, value in case.items() if value is not None} for case in cases.values()]
    cases.sort(key=lambda case: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", case["case"])])
    context = data["context"]
    return {
        "tool": "posenc-bench",
        "date": context["date"],
        "version": context.get("posenc"),
        "machine": {key: value for key, value in context.items() if key not in NOT_KEPT},
        "cases": cases,
    }


def peers(data):
    return data | {"cases": short(data["cases"])}


def record(name, path):
    """Copies build/NAME.json; NAME.commit beside it says which commit was run."""
    note = path.with_suffix(".commit")
    if not note.exists():
        fail(
            f"{note}: there is none, so it is not known which commit was run; run ./scripts/"
            f"{'peers' if name == 'peers' else 'bench'} again"
        )
    data = load(path, *WHAT[name])
    if name == "peers" and data.get("run", {}).get("quick"):
        fail(f"{path}: a run of --quick is not recorded")
    data = {"verify": verify, "bench": bench, "peers": peers}[name](data)
    head = {"schema": 1, "tool": data["tool"], "date": data["date"], "commit": note.read_text(encoding="utf-8").strip()}
    write(RECORDED / f"{name}.json", text(head | data, 0) + "\n")


def text(value, depth):
    """JSON, one line for each entry of a list of objects."""

    def broken(v):
        return isinstance(v, list) and any(isinstance(e, dict) for e in v)

    inner, outer = "\n" + " " * depth, "\n" + " " * max(depth - 1, 0)
    if isinstance(value, dict) and (depth == 0 or any(map(broken, value.values()))):
        return (
            "{"
            + inner
            + f",{inner}".join(f"{json.dumps(k)}: {text(v, depth + 1)}" for k, v in value.items())
            + outer
            + "}"
        )
    if broken(value):
        return "[" + inner + f",{inner}".join(text(v, depth + 1) for v in value) + outer + "]"
    return json.dumps(value, ensure_ascii=False)
