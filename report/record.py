"""Recorded runs, docs/recorded/PROCESSOR/{verify,bench,peers}.json: the files that ./scripts/bench and ./scripts/peers
write into build/, with the commit of the run. A run of posenc-bench is shortened to the times of its cases. Each entry
has a line of its own, so that differences can be read."""
import json

from .load import BENCH, TOP, VERIFY, fail, load, write
from .processors import microarchitecture

RECORDED = TOP / "docs/recorded"
TOOLS = {"verify": VERIFY, "bench": BENCH, "peers": BENCH}
CASE = ("label", "positions", "columns", "end", "offset")
KEPT = (*CASE, "wall", "rows", "huge_pages", "error", "not_nearest")
TURNS = 9
NOT_KEPT = ("host_name", "executable", "date", "tool", "schema", "library_build_type")


def recorded(where, name):
    return load(RECORDED / where / f"{name}.json", TOOLS[name])


def short(value):
    """Eight digits of every number; whole ones without a point."""
    if isinstance(value, float):
        value = float(f"{value:.8g}")
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: short(v) for key, v in value.items()}
    return [short(v) for v in value] if isinstance(value, list) else value


def shortened(data):
    """The times of each case's turns, by its clock."""
    cases, failed = {}, {b["run_name"] for b in data["benchmarks"] if b.get("error_occurred")}
    for b in data["benchmarks"]:
        if b.get("run_type") == "iteration" and b["run_name"] not in failed:
            case = {key: b[key] for key in KEPT if key in b} | {"unit": b["time_unit"], "times": []}
            case = cases.setdefault(tuple(b.get(key, 0) for key in CASE), case)
            part = (
                case["rows"] / b["rows"] if b.get("rows") else 1
            )  # as if each turn had written as many rows as the first
            case["times"].append(b["real_time" if b.get("wall") else "cpu_time"] * part)
    machine = {key: value for key, value in data["context"].items() if key not in NOT_KEPT}
    found = {"date": data["context"]["date"], "machine": machine, "cases": [cases[key] for key in sorted(cases)]}
    return short(found)


def record(name):
    """Copies build/NAME.json to the directory of the processor that it ran on. build/NAME.commit has the commit of the
    run."""
    path = TOP / f"build/{name}.json"
    data, note = load(path, TOOLS[name]), path.with_suffix(".commit")
    if not note.exists():
        fail(f"{note} does not exist, so the commit of the run is not known; run it again")
    if name == "verify" and any(entry.get("failure") for entry in data["implementations"]):
        fail(f"{path}: an implementation failed, so the run is not recorded")
    data = data if name == "verify" else shortened(data)
    if data.get("machine", {}).get("quick"):
        fail(f"{path}: a run of --quick is not recorded")
    if name != "verify" and not any(c["positions"] == 5000 and len(c["times"]) >= TURNS for c in data["cases"]):
        fail(f"{path}: a run without {TURNS} turns of 5000 x 512 is not recorded")
    where = microarchitecture(data["machine"])
    if not where:
        fail(f"{path}: report/processors.py does not know the processor, which names the directory of its runs")
    head = {"schema": 1, "tool": TOOLS[name], "commit": note.read_text(encoding="utf-8").strip()}
    write(RECORDED / where.lower().replace(" ", "-").replace("/", "-") / f"{name}.json", lines(head | data))


def lines(data):
    """JSON, one line for each entry of an object and of a list of objects in it."""

    def entries(value):
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n " + ",\n ".join(json.dumps(entry, ensure_ascii=False) for entry in value) + "\n]"
        return json.dumps(value, ensure_ascii=False)

    return "{\n" + ",\n".join(f"{json.dumps(key)}: {entries(value)}" for key, value in data.items()) + "\n}\n"
