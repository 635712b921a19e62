"""Statistics of runs of posenc-bench and reports of posenc-verify: medians, spreads, ratios, limits, worst errors, and
the one rule for what is called faster."""
import math
import re
import statistics

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
ENOUGH = 3  # values that have a spread


class Row:
    """One benchmark: nanoseconds per element (plans: per plan) of each repetition; of all, the median and the relative
    spread, None where there are too few for one."""

    def __init__(self, size):
        self.values, self.rows, self.huge, self.size = [], None, None, size

    def finish(self):
        self.ns = statistics.median(self.values)
        self.gb_s = self.size / self.ns
        self.spread = interquartile_range(self.values) / self.ns if len(self.values) >= ENOUGH else None
        return self

    def share_of(self, limit):
        """The speed of this one relative to the other's, a ratio of medians; and its spread: the relative spreads of
        both, taken as independent, since repetitions of the same number are far apart in a run that interleaves at
        random. None where one of them has no spread."""
        share = limit.ns / self.ns
        return share, None if None in (self.spread, limit.spread) else share * math.hypot(self.spread, limit.spread)


def pair(value, spread, digits, unit=""):
    """A cell of a table: the value, and what stands after its ±, half of the spread; an empty text without one."""
    return f"{value:.{digits}f}{unit}", "" if spread is None else f"{spread / 2:.{digits}f}"


def interquartile_range(values):
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


TIMED = {"fill", "fill_at", "fill_pair", "fill_at_real", "add", "loop", "row", "plan", "fresh", "limit"}
SIZES = {"f32": 4, "f64": 8, "bf16": 2, "f16": 2}  # bytes of an element, by the dtype's name
PLAIN_LOOP = "plain_loop"  # who adds nothing but a number


def dtype_of(kind):
    return next((part for part in kind.split("/") if part in SIZES), "f32")


def is_implementation(key):
    """And no limit, nor another measure that implementations are held against."""
    return key[1] != PLAIN_LOOP and not {"store", "stream", "convert", "loop"} & set(key[0].split("/"))


def parse(name):
    """A benchmark's name as (kind, name, n, d), and the offset it ends in or None; (None, None) for what has no table.
    threads:2/limit/stream/w:64/n:8/d:4 is ("threads:2/stream", "w:64", 8, 4), None;
    row/naive/f32/d:4/below:9/offset:0 is ("row/below:9", "naive", 1, 4), 0;
    fill/exact/bf16/n:8/d:4 is ("fill/bf16", "exact", 8, 4), None; and
    add/exact/f32/b:3/n:8/d:4/in_place is ("add/b:3/in_place", "exact", 8, 4), None."""
    parts = name.split("/")
    words = [p for p in parts if ":" not in p and p != "f32" and p != "real_time"]
    numbers = {p.split(":")[0]: int(p.split(":")[1]) for p in parts if re.fullmatch(r"[a-z]+:\d+", p)}
    if len(words) < 2 or words[0] not in TIMED or "d" not in numbers:
        return None, None
    kind, who = words[:2]
    if kind == "limit":
        kind, who = who, f"w:{numbers.get('w')}"
    kind = "/".join([kind] + ([f"b:{numbers['b']}"] if "b" in numbers else []) + words[2:])
    if "threads" in numbers:
        kind = f"threads:{numbers['threads']}/{kind}"
    if "below" in numbers:
        kind += f"/below:{numbers['below']}"
    return (kind, who, numbers.get("n", 1), numbers["d"]), numbers.get("offset")


def read_bench(data):
    """{offset of the output: {(kind, name, n, d): Row}}, first that of the plain names; and {case: why it failed}."""
    first = int(data.get("context", {}).get("offset", 16))
    places, errors = {first: {}}, {}
    for b in data["benchmarks"]:
        name = b.get("run_name", "")
        key, offset = parse(name)
        if not key or b.get("run_type") != "iteration":
            continue
        if b.get("error_occurred"):
            errors[name] = b.get("error_message", "an error")
            continue
        row = places.setdefault(first if offset is None else offset, {}).setdefault(key, Row(SIZES[dtype_of(key[0])]))
        row.rows = int(b.get("rows", key[2]))
        row.huge = b.get("huge_pages")
        time = b["real_time" if name.endswith("/real_time") else "cpu_time"] * NANOSECONDS[b["time_unit"]]
        row.values.append(time / (1 if key[0] == "plan" else row.rows * key[3]))
    for rows in places.values():
        for row in rows.values():
            row.finish()
    return places, errors


def sizes_in(context, what):
    """{(n, d): (name, who)} of the context's lines `shape.NAME` or `level.NAME`."""
    found = {}
    for key, value in context.items():
        m = re.match(r"n:(\d+)/d:(\d+) base \S+ (.*)$", value) if key.startswith(what + ".") else None
        if m:
            found[int(m[1]), int(m[2])] = (key[len(what) + 1 :], m[3])
    return found


def shapes_of(context, rows):
    """{(n, d): (name, who)} of the tables in the run, in the order of their size; the cache levels are not among
    them."""
    known, levels = sizes_in(context, "shape"), sizes_in(context, "level")
    ran = sorted({key[2:] for key in rows if key[0] == "fill"} - set(levels), key=lambda s: s[0] * s[1])
    return {s: known.get(s, (f"{s[0]}x{s[1]}", f"{s[0]} x {s[1]}")) for s in ran}


def best_limit(rows, shape, kinds=("store", "stream")):
    found = [(row.ns, key, row) for key, row in rows.items() if key[0] in kinds and key[2:] == shape]
    return min(found, default=(None, None, None), key=lambda f: f[0])[1:]


def pages(rows):
    """Whether the output lay on huge pages, as the run found."""
    known = [row.huge for row in rows.values() if row.huge is not None]
    if not known:
        return "pages of unknown size"
    return "huge pages" if min(known) > 0.995 else f"{100 * min(known):.0f} % huge pages"


class Accuracy:
    """What posenc-verify found of one implementation: the dtypes that it judged, and the errors on the table of the
    report, known by (shape, dtype, preset)."""

    def __init__(self, entry, table=("d512", "f32", None)):
        self.summary, self.arithmetic = entry.get("summary", ""), entry.get("arithmetic", "")
        ranges = entry.get("ranges", [])
        self.dtypes = {r.get("dtype", "f32") for r in ranges}
        self.ranges = {
            (r["from"], r["to"]): r
            for r in ranges
            if (r.get("shape"), r.get("dtype", "f32"), r.get("preset") or None) == table
        }

    def worst(self, key, spans):
        """The largest over position ranges; None where one of them is missing or has no number."""
        values = [self.ranges.get(span, {}).get(key) for span in spans]
        return None if not values or None in values else max(values)


def table_of(entries):
    """(shape, dtype, preset) of the table that a report is about: what comes first, d_model 512 unless asked
    otherwise."""
    first = next((e["ranges"][0] for e in entries if e.get("ranges")), {})
    return first.get("shape", "d512"), first.get("dtype", "f32"), first.get("preset") or None


def spans_of(accuracy, positions=None):
    """The position ranges (from, to) of the report, in order; those a table of so many positions reaches into."""
    spans = {span for a in accuracy.values() for span in a.ranges}
    return sorted(s for s in spans if positions is None or s[0] < positions)


TIE = 0.03  # of a ratio of speeds: closer to 1 is a tie


def quartiles(row):
    """(first, third) of its times, or None where there are too few for them."""
    if len(row.values) < ENOUGH:
        return None
    first, _, third = statistics.quantiles(row.values, n=4, method="inclusive")
    return first, third


def between(theirs, ours):
    """[least, most] of the ratio of two rows' times while both are within their quartiles, or None: 1 is outside where
    these are apart."""
    theirs, ours = quartiles(theirs), quartiles(ours)
    return theirs and ours and [theirs[0] / ours[1], theirs[1] / ours[0]]


def standing(ratio, interval, least=TIE):
    """The one rule for who is faster. ratio: their time divided by ours; interval: its quartiles. "faster" (they are)
    or "slower" where the interval does not contain 1 and the times differ by more than least; else "tie". Without
    an interval it is None: unknown."""
    if interval is None:
        return None
    if max(ratio, 1 / ratio) <= 1 + least or interval[0] <= 1 <= interval[1]:
        return "tie"
    return "faster" if ratio < 1 else "slower"


ISAS = ("avx512", "avx2", "neon", "scalar")


def family_of(name, isa=""):
    """exact of exact_avx2 and exact_scalar, sleef_u35 of sleef_avx2_u35."""
    return "_".join(part for i, part in enumerate(name.split("_")) if i == 0 or part not in (isa, *ISAS))
