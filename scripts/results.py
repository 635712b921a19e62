"""Reads what posenc-verify and posenc-bench have written; for scripts/summary."""
import json
import math
import re
import statistics
import sys

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def fail(message):
    print(f"summary: {message}", file=sys.stderr)
    sys.exit(2)


def load(path, key, what):
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
    except (OSError, UnicodeDecodeError) as e:
        fail(f"{path}: {getattr(e, 'strerror', None) or e}")
    except json.JSONDecodeError as e:
        fail(f"{path}: not JSON ({e})")
    if not isinstance(data, dict) or not isinstance(data.get(key), list):
        fail(f"{path}: this is not a {what}")
    return data


class Row:
    """One benchmark: nanoseconds per element of each repetition; of all, the median and the relative spread."""

    def __init__(self):
        self.values, self.rows = [], None

    def finish(self):
        self.ns = statistics.median(self.values)
        self.gb_s = 4.0 / self.ns  # float32
        self.spread = interquartile_range(self.values) / self.ns
        return self

    def share_of(self, limit):
        """Ratio of the medians, and its spread: the relative spreads of both, taken as independent, since repetitions
        of the same number are far apart in a run that interleaves at random."""
        share = limit.ns / self.ns
        return share, share * math.hypot(self.spread, limit.spread)


def interquartile_range(values):
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


def read_bench(data):
    """{(kind, name, n, d): Row}, kind being fill, loop, store, stream or convert; and {case: why it failed}."""
    rows, errors = {}, {}
    for b in data["benchmarks"]:
        m = re.match(r"(?:(fill|loop)/([^/]+)/f32|limit/([^/]+)/(w:\d+))/n:(\d+)/d:(\d+)$", b.get("run_name", ""))
        if not m or b.get("run_type") != "iteration":
            continue
        if b.get("error_occurred"):
            errors[b["run_name"]] = b.get("error_message", "an error")
            continue
        n, d = int(m[5]), int(m[6])
        row = rows.setdefault((m[1] or m[3], m[2] or m[4], n, d), Row())
        row.rows = int(b.get("rows", n))
        ns = b["cpu_time"] * NANOSECONDS[b["time_unit"]]
        row.values.append(ns / (row.rows * d))
    return {key: row.finish() for key, row in rows.items()}, errors


def shapes_of(context, rows):
    """{(n, d): (name, who)} of the shapes in the run, in the order of the table's size."""
    known = {}
    for key, value in context.items():
        m = re.match(r"n:(\d+)/d:(\d+) base \S+ (.*)$", value) if key.startswith("shape.") else None
        if m:
            known[int(m[1]), int(m[2])] = (key[len("shape."):], m[3])
    ran = sorted({key[2:] for key in rows}, key=lambda s: s[0] * s[1])
    return {s: known.get(s, (f"{s[0]}x{s[1]}", f"{s[0]} x {s[1]}")) for s in ran}


def best_limit(rows, shape, kinds=("store", "stream")):
    found = [(row.ns, key, row) for key, row in rows.items() if key[0] in kinds and key[2:] == shape]
    return min(found, default=(None, None, None), key=lambda f: f[0])[1:]


class Accuracy:
    """What posenc-verify found of one implementation at d_model 512."""

    def __init__(self, entry):
        self.summary, self.arithmetic = entry.get("summary", ""), entry.get("arithmetic", "")
        self.ranges = {(r["from"], r["to"]): r for r in entry.get("ranges", []) if r.get("shape") == "d512"}

    def worst(self, key, spans):
        """The largest over position ranges; None where one of them is missing or has no number."""
        values = [self.ranges.get(span, {}).get(key) for span in spans]
        return None if not values or None in values else max(values)


def spans_of(accuracy, positions=None):
    """The position ranges (from, to) of the report, in order; those a table of so many positions reaches into."""
    spans = {span for a in accuracy.values() for span in a.ranges}
    return sorted(s for s in spans if positions is None or s[0] < positions)
