"""Whether build/peers.json has the form that text and pictures are made of: wrong input is named before anything is written."""
import math

from peers_words import JOBS, OURS, WORDS, WORLDS
from valid import COUNT, NUMBER, is_a, listing, need


def check(data):
    """Raises ValueError or KeyError naming what is not as it should be."""
    for key in ("machine", "versions"):
        need(isinstance(data[key], dict), key, data[key], "an object")
    need(isinstance(data["date"], str), "date", data["date"], "a text")
    listing(data["machine"].get("caches", []), "machine.caches", (dict,))
    for cache in data["machine"].get("caches", []):
        for key in ("level", "size"):
            need(is_a(cache.get(key), COUNT) and cache[key] > 0, f"machine.caches: {key}", cache.get(key), "a count")
    check_run(data.get("run", {}))
    listing(data["not_run"], "not_run", (dict,))
    for entry in data["not_run"]:
        text_of(entry, "name", "not_run"), text_of(entry, "reason", "not_run")
        text_of(entry, "peer", "not_run", (None,))
        need(entry.get("world") in (None, *WORLDS), "not_run: world", entry.get("world"), f"one of {', '.join(WORLDS)}")
        need(entry.get("job") in (None, *JOBS), "not_run: job", entry.get("job"), f"one of {', '.join(JOBS)}")
    listing(data["peers"], "peers", (dict,))
    listing(data["cases"], "cases", (dict,))
    need(data["cases"], "cases", [], "at least one case")
    for row in data["peers"]:
        check_row(row)
    for case in data["cases"]:
        check_case(case)


def check_run(run):
    """How it was measured, as far as is known."""
    need(isinstance(run, dict), "run", run, "an object")
    for key in ("turns", "large_turns"):
        need(run.get(key) is None or is_a(run[key], COUNT) and run[key] > 0, f"run: {key}", run.get(key), "a count above 0")
    need(run.get("seed") is None or is_a(run["seed"], COUNT), "run: seed", run.get("seed"), "a whole number")
    need(run.get("quick") is None or isinstance(run["quick"], bool), "run: quick", run.get("quick"), "true or false")
    if run.get("repetitions") is not None:
        listing(run["repetitions"], "run: repetitions", COUNT, 2)


def is_amount(value):
    """A number that can be reckoned with; of one that is too large for that, OverflowError."""
    return is_a(value, NUMBER) and math.isfinite(value)


def text_of(entry, key, where, may_be=()):
    value = entry.get(key)
    need(value in may_be or isinstance(value, str) and value, f"{where}: {key}", value, "a text")
    return value


def check_row(row):
    name = text_of(row, "name", "peers")
    need(row.get("world") in WORLDS, f"{name}: world", row.get("world"), f"one of {', '.join(WORLDS)}")
    for key in ("what", "version", "preset"):
        text_of(row, key, name, (None,))
    need(row.get("right") is None or isinstance(row["right"], bool), f"{name}: right", row.get("right"), "true, false or null")
    for key, form in (("wrong_from", "a position"), ("d_model", "a width")):
        need(row.get(key) is None or is_a(row[key], COUNT), f"{name}: {key}", row.get(key), form)
    listing(row["ranges"], f"{name}: ranges", (dict,))
    for r in row["ranges"]:
        for key in ("from", "to"):
            need(is_a(r.get(key), COUNT), f"{name}: ranges: {key}", r.get(key), "a position")
        need(r["from"] < r["to"], f"{name}: ranges: to", r["to"], f"above from ({r['from']})")
        need(r.get("rows") is None or is_a(r["rows"], COUNT), f"{name}: ranges: rows", r.get("rows"), "a count")
        need(r.get("word") in WORDS, f"{name}: ranges: word", r.get("word"), f"one of {', '.join(WORDS)}")
        for key in ("max_abs", "ulp_max", "correctly_rounded"):
            fit = r.get(key) is None or is_amount(r[key]) and r[key] >= 0
            need(fit, f"{name}: ranges: {key}", r.get(key), "0 or more, or null")


def check_case(case):
    name = text_of(case, "peer", "cases")
    where = f"cases: {case.get('job')}: {name}"
    need(case.get("world") in WORLDS, f"{where}: world", case.get("world"), f"one of {', '.join(WORLDS)}")
    need(case.get("job") in JOBS, f"{where}: job", case.get("job"), f"one of {', '.join(JOBS)}")
    for key in ("n", "d", "threads", "rows"):
        need(is_a(case.get(key), COUNT) and case[key] > 0, f"{where}: {key}", case.get(key), "a count above 0")
    need(is_amount(case.get("seconds")) and case["seconds"] > 0, f"{where}: seconds", case.get("seconds"), "above 0")
    need(case.get("single") is None or isinstance(case["single"], bool), f"{where}: single", case.get("single"), "true or false")
    for key in ("spread", "memory"):
        fit = case.get(key) is None or is_amount(case[key]) and case[key] >= 0
        need(fit, f"{where}: {key}", case.get(key), "0 or more, or null")
    for key in (*OURS, "of_limit"):
        pair = case[key]
        fit = pair is None or isinstance(pair, list) and len(pair) == 2 and is_amount(pair[0]) and pair[0] > 0 and (
            pair[1] is None or is_amount(pair[1]) and pair[1] >= 0)
        need(fit, f"{where}: {key}", pair, "a ratio and its spread, or null")
    check_quartiles(case, where)
    if case["job"] == "row":
        need(is_a(case.get("below"), COUNT) and case["below"] > 0, f"{where}: below", case.get("below"), "a position above 0")


def check_quartiles(case, where):
    found = case.get("quartiles")
    need(found is None or isinstance(found, dict), f"{where}: quartiles", found, "an object")
    for key, pair in (found or {}).items():
        if key in (*OURS, "of_limit", "seconds") and pair is not None:
            fit = isinstance(pair, list) and len(pair) == 2 and all(map(is_amount, pair)) and 0 < pair[0] <= pair[1]
            need(fit, f"{where}: quartiles: {key}", pair, "two rising numbers above 0, or null")
