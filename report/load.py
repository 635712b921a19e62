"""Reads the files of posenc-verify, posenc-bench and bench/peers.py; writes whole files."""
import contextlib
import json
import math
import os
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
VERIFY, BENCH, PEERS = "posenc-verify", "posenc-bench", "posenc-peers"  # the tools; the last is bench/peers.py
PROGRAM = "report"  # begins each message


def fail(message):
    print(f"{PROGRAM}: {message}", file=sys.stderr)
    sys.exit(2)


def finite(text):
    """NaN, Infinity and 1e999 are null, as posenc-verify writes them. Google Benchmark writes NaN for the variation of
    a counter that is 0."""
    value = float(text)
    return value if math.isfinite(value) else None


def load(path, *tools):
    """The JSON object in a file that one of these tools wrote, or a recorded one (pages.py)."""
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f, parse_float=finite, parse_constant=finite)
    except OSError as e:
        fail(f"{path}: {e.strerror or e}")
    except (ValueError, RecursionError) as e:
        fail(f"{path}: not JSON ({e})")
    data = expanded(data) if isinstance(data, dict) and "cases" in data else data
    head = data.get("context", data) if isinstance(data, dict) else {}  # Google Benchmark's JSON has a context
    if head.get("tool") not in tools or str(head.get("schema")) != "1":
        fail(f"{path}: this is not a file of {' or '.join(tools)}, schema 1")
    return data


def expanded(data):
    """A recorded run in the form of Google Benchmark's JSON: a record for each repetition."""
    runs = []
    for case in data["cases"]:
        run = {key: value for key, value in case.items() if key not in ("unit", "times")}
        run |= {"run_name": case["label"], "run_type": "iteration", "time_unit": case["unit"]}
        runs += [run | {"real_time" if case.get("wall") else "cpu_time": time} for time in case["times"]]
    context = data["machine"] | {key: data[key] for key in ("date", "tool", "schema")}
    return {"context": context, "benchmarks": runs, "commit": data.get("commit")}


def write(path, text):
    """Replaces the file at once: no reader sees a part of it."""
    path = pathlib.Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8", newline="\n", errors="backslashreplace")
        temporary.replace(path)
    except OSError as e:
        with contextlib.suppress(OSError):
            temporary.unlink()
        fail(f"{path}: {e.strerror}")


def join(args):
    """One run of several files: the turns of posenc-bench, or the parts of scripts/peers. The first file's context
    counts where two differ."""
    runs = [load(path, BENCH, PEERS) for path in args.files]
    context = {key: value for run in reversed(runs) for key, value in run["context"].items()}
    records = [record for run in runs for record in run["benchmarks"]]
    write(args.output, json.dumps({"context": context, "benchmarks": records}, indent=1) + "\n")
