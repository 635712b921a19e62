"""Recorded runs, docs/recorded/NAME.json: what the tools wrote, less what no page, check or comparison reads, an entry a line, so
that a new run is a difference that can be read. scripts/record writes them; scripts/pages makes the pages of them."""
import datetime
import json
import pathlib
import platform
import re
import subprocess

from results import fail, load

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
DIRECTORY = TOP / "docs/recorded"
DIGITS = 6  # of a time: more than any page shows, and than any two runs agree in

# Of one range of posenc-verify's report: all but the distribution of errors and the spec's fields, which its shape stands for.
RANGE = ("shape", "d_model", "base", "denominator", "preset", "dtype", "from", "to", "rows", "outputs", "max_abs", "ulp_max",
         "correctly_rounded", "bound_ok", "worst", "closest_to_bound")
ENTRY = ("name", "isa", "arithmetic", "summary", "dtypes", "supported", "verified", "failure", "bound")
OF_THE_FILE = ("host_name", "executable", "date", "verified", "posenc", "schema", "library_build_type", "num_cpus_online")


def short(value):
    """The same with times of so many digits."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: short(v) for key, v in value.items()}
    return [short(v) for v in value] if isinstance(value, list) else value


def of_verify(data):
    def kept(found, keys):
        return {key: found[key] for key in keys if key in found}
    entries = [kept(e, ENTRY) | {"ranges": [kept(r, RANGE) for r in e.get("ranges", [])]} for e in data["implementations"]]
    return {"tool": "posenc-verify", "date": data["date"], "version": data["version"], "machine": data["machine"],
            "seed": data.get("seed"), "reference": data.get("reference"), "implementations": entries}


def of_bench(data):
    """Of each case its repetitions' times, by the clock that is its measure."""
    cases = {}
    for b in data["benchmarks"]:
        if b.get("run_type") != "iteration" or b.get("error_occurred"):
            continue
        name = b["run_name"]
        about = {"case": name, "unit": b["time_unit"], "rows": b.get("rows"), "huge": b.get("huge_pages")}
        case = cases.setdefault(name, about | {"times": []})
        case["times"].append(short(b["real_time" if name.endswith("/real_time") else "cpu_time"] * 1.0))
        if case["unit"] != b["time_unit"]:
            fail(f"{name}: times in {case['unit']} and in {b['time_unit']}")
    context = {key: value for key, value in data["context"].items() if key not in OF_THE_FILE}
    named = [{key: value for key, value in case.items() if value is not None} for case in cases.values()]
    return {"tool": "posenc-bench", "date": data["context"]["date"], "version": data["context"].get("posenc"), "machine": context,
            "cases": sorted(named, key=lambda case: natural(case["case"]))}


def natural(name):
    """A run is in random order, a record is not."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", name)]


def of_peers(data):
    return data | {"cases": short(data["cases"])}


COMPACT = {"verify": of_verify, "bench": of_bench, "peers": of_peers}


def text(data):
    """JSON, an entry of a list a line, however deep the list of objects; short ones too."""
    return written(data, 0) + "\n"


def written(value, depth):
    def broken(v):
        return isinstance(v, list) and any(isinstance(e, dict) for e in v)
    if isinstance(value, dict) and (depth == 0 or any(map(broken, value.values()))):
        inner = [f"{json.dumps(key)}: {written(v, depth + 1)}" for key, v in value.items()]
        new = "\n" + " " * depth
        return "{" + new + f",{new}".join(inner) + "\n" + " " * max(depth - 1, 0) + "}"
    if broken(value):
        return "[\n" + ",\n".join(" " * depth + written(v, depth + 1) for v in value) + "\n" + " " * (depth - 1) + "]"
    return json.dumps(value, ensure_ascii=False)


def commit():
    """Of the tree as it is."""
    return subprocess.run([TOP / "scripts/commit"], capture_output=True, text=True, check=True).stdout.strip()


def commit_of(name):
    """Of the record; what reads it as a run leaves that out."""
    return json.loads(path_of(name).read_text(encoding="utf-8")).get("commit")


def machine():
    """For a campaign whose tool does not say: the processor and the architecture."""
    info = pathlib.Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.*)$", info.read_text(), re.M) if info.exists() else None
    return {"cpu": found[1] if found else platform.processor() or "unknown", "architecture": platform.machine()}


def today():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def path_of(name):
    return DIRECTORY / f"{name}.json"


def recorded(name, key):
    """The record; key is the list it must have."""
    return load(path_of(name), key, f"recorded run of {name}")


