"""Reads the files of posenc-verify, posenc-bench and scripts/peers, and checks their form; writes whole files."""
import contextlib
import functools
import json
import math
import os
import pathlib
import sys

import jsonschema

TOP = pathlib.Path(__file__).resolve().parent.parent
FORMS = {  # in schema.json: {form: (a list that such a file has, what it is)}
    "verify": ("implementations", "report of posenc-verify"),
    "bench": ("benchmarks", "run of posenc-bench (Google Benchmark's JSON)"),
    "peers": ("cases", "file of scripts/peers"),
    "tables": ("tables", "file of verdicts on tables"),
}
PROGRAM = "report"  # begins each message


def fail(message):
    print(f"{PROGRAM}: {message}", file=sys.stderr)
    sys.exit(2)


def finite(text):
    """NaN, Infinity and 1e999 are null, as posenc-verify writes them. Google Benchmark writes NaN for the variation of
    a counter that is 0."""
    value = float(text)
    return value if math.isfinite(value) else None


def read(path):
    """Any JSON object."""
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f, parse_float=finite, parse_constant=finite)
        json.dumps(data, ensure_ascii=False).encode()
    except OSError as e:
        fail(f"{path}: {e.strerror or e}")
    except (ValueError, RecursionError) as e:
        fail(f"{path}: not JSON ({e})")
    return data if isinstance(data, dict) else {}


@functools.cache
def schemas():
    return json.loads((TOP / "report/schema.json").read_text(encoding="utf-8"))


def check(path, data, form):
    """Ends the program if data lacks that form of schema.json."""
    validator = jsonschema.Draft7Validator({"$ref": f"#/definitions/{form}", "definitions": schemas()["definitions"]})
    error = jsonschema.exceptions.best_match(validator.iter_errors(data))
    if error:
        where = ".".join(str(part) for part in error.absolute_path)
        message = error.message if len(error.message) < 200 else f"{error.message[:200]}..."
        fail(f"{path}: {where + ': ' if where else ''}{message}")


def load(path, *forms):
    """The object in the file, which is of one of these forms."""
    data = google_benchmark(path, read(path))
    form = next((form for form in forms if isinstance(data.get(FORMS[form][0]), list)), None)
    if not form:
        fail(f"{path}: this is not a {' or a '.join(FORMS[form][1] for form in forms)}")
    check(path, data, form)
    return data


def google_benchmark(path, data):
    """Brings a recorded run of posenc-bench (record.py) to the form of Google Benchmark's JSON. Keeps other files."""
    if data.get("tool") != "posenc-bench":
        return data
    check(path, data, "recorded")
    runs = []
    for case in data["cases"]:
        run = {key: value for key, value in case.items() if key not in ("unit", "times")}
        run |= {"run_type": "iteration", "time_unit": case["unit"]}
        runs += [run | {"real_time" if case.get("wall") else "cpu_time": time} for time in case["times"]]
    run = {"context": data["machine"] | {"date": data["date"]}, "benchmarks": runs, "commit": data.get("commit")}
    return run | {key: data[key] for key in ["seconds"] if key in data}


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
