"""Recorded runs, docs/recorded/PROCESSOR/{verify,bench,peers}.json: the files that ./scripts/bench and ./scripts/peers
write into build/, with the commit and date of the run. A run of posenc-bench is shortened to the times of its cases.
Each entry has a line of its own, so that differences can be read."""
import json

from .load import TOP, fail, load, write
from .processors import microarchitecture

RECORDED = TOP / "docs/recorded"
NAMES = ("verify", "bench", "peers")
CASE = ("label", "positions", "columns", "end", "offset")
MEASURED = ("wall", "rows", "huge_pages")
NOT_KEPT = ("host_name", "executable", "date", "posenc", "schema", "library_build_type", "num_cpus_online")


def recorded(where, name):
    return load(RECORDED / where / f"{name}.json", name)


def short(value):
    """Eight digits of every number; whole ones without a point."""
    if isinstance(value, float):
        value = float(f"{value:.8g}")
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: short(v) for key, v in value.items()}
    return [short(v) for v in value] if isinstance(value, list) else value


def kept(found, keys):
    return {key: found[key] for key in keys if key in found}


def bench(data):
    """The times of each case's repetitions, by its clock."""
    cases = {}
    for b in data["benchmarks"]:
        if b.get("run_type") == "iteration" and not b.get("error_occurred"):
            key = tuple(b.get(name, 0) for name in CASE)
            case = cases.setdefault(key, kept(b, CASE + MEASURED) | {"unit": b["time_unit"], "times": []})
            case["times"].append(b["real_time" if b.get("wall") else "cpu_time"])
    machine = {key: value for key, value in data["context"].items() if key not in NOT_KEPT}
    found = {"tool": "posenc-bench", "date": data["context"]["date"], "version": data["context"].get("posenc")}
    return found | kept(data, ["seconds"]) | {"machine": machine, "cases": [cases[key] for key in sorted(cases)]}


def record(name, path):
    """Copies build/NAME.json to the directory of the processor that it ran on. NAME.commit beside it has the commit of
    the run, NAME.seconds (if any) its duration."""
    note = path.with_suffix(".commit")
    if not note.exists():
        fail(f"{note} does not exist, so the commit of the run is not known; run it again")
    data, seconds = load(path, name), path.with_suffix(".seconds")
    if seconds.exists():
        data["seconds"] = int(seconds.read_text(encoding="utf-8"))
    if name == "peers" and data.get("quick"):
        fail(f"{path}: a run of --quick is not recorded")
    if name == "verify" and any(entry.get("failure") for entry in data["implementations"]):
        fail(f"{path}: an implementation failed, so the run is not recorded")
    if name == "bench":
        data = bench(data)
    if name != "verify":  # whose figures --compare finds equal or not
        data = short(data)
    head = {"schema": 1, "tool": data["tool"], "date": data["date"], "commit": note.read_text(encoding="utf-8").strip()}
    where = microarchitecture(data["machine"])
    if not where:
        fail(f"{path}: report/processors.py does not know the processor, which names the directory of its runs")
    write(RECORDED / where.lower().replace(" ", "-").replace("/", "-") / f"{name}.json", text(head | data))


def text(data):
    """JSON, one line for each entry of an object and of a list of objects in it."""

    def lines(value):
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n " + ",\n ".join(json.dumps(entry, ensure_ascii=False) for entry in value) + "\n]"
        return json.dumps(value, ensure_ascii=False)

    return "{\n" + ",\n".join(f"{json.dumps(key)}: {lines(value)}" for key, value in data.items()) + "\n}\n"
