"""Statistics of runs of posenc-bench and reports of posenc-verify: medians, spreads, ratios, limits, largest errors.
posenc-bench decides which implementation is faster (bench/shim/compare.h)."""
import math
import re
import statistics

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
ENOUGH = 3  # repetitions; fewer have no spread
TABLES = ("fill", "fill_pair", "fill_at", "fill_at_real")  # calls that write rows of a table
TIMED = {*TABLES, "widths", "row", "plan", "fresh", "limit", "once", "peer", "peer_row", "peer_once", "refill"}
TIMED |= {"forward", "construction", "table", "timesteps", "rotary"}  # calls of PyTorch programs
STORES = ("store", "stream")
SIZES = {"float32": 4, "float64": 8, "bfloat16": 2, "float16": 2}  # bytes of an element, by the dtype's name
LIMIT_OF_WIDTHS = [16384, 1024]  # has as many bytes as the tables of the sweep, to within a row


class Row:
    """One case.
    values: nanoseconds per element (plans: per plan) of each repetition
    ns, spread: their median, and their interquartile range divided by it; None for fewer than ENOUGH"""

    def __init__(self, key, b):
        self.key, self.name = key, b["run_name"]
        self.rows, self.huge, self.values = int(b.get("rows", key[2])), b.get("huge_pages"), []

    def finish(self):
        self.ns = statistics.median(self.values)
        self.gb_s = SIZES[dtype_of(self.key[0])] / self.ns
        low, high = quartiles(self.values)
        self.spread = (high - low) / self.ns if len(self.values) >= ENOUGH else None

    def share_of(self, limit):
        """The ratio of this case's speed to the other's, by their medians, and its spread. The relative spreads of both
        count as independent, because a run in random order takes their i-th repetitions at distant times. None where
        one case has no spread."""
        share = limit.ns / self.ns
        return share, None if None in (self.spread, limit.spread) else share * math.hypot(self.spread, limit.spread)


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, third


def dtype_of(kind):
    return next((part for part in kind.split("/") if part in SIZES), "float32")


def call_of(kind):
    """fill_at of threads:2/fill_at/bfloat16"""
    return next(part for part in kind.split("/") if not part.startswith("threads:"))


def parse(name):
    """The name of a case as (kind, who, n, d); None if the case has no table.
    threads:2/limit/stream/w:64/n:8/d:4 is ("threads:2/stream", "w:64", 8, 4);
    row/naive/float32/d:4/below:9/offset:0 is ("row/below:9/offset:0", "naive", 1, 4);
    fill/exact/bfloat16/n:8/d:4 is ("fill/bfloat16", "exact", 8, 4); and
    forward/exact/float32/b:3/n:8/d:4/compiled is ("forward/b:3/compiled", "exact", 8, 4)."""
    parts = name.split("/")
    words = [p for p in parts if ":" not in p and p not in ("float32", "real_time")]
    numbers = dict(re.findall(r"(?:^|/)([a-z]+):(\d+)(?=/|$)", name))
    if len(words) < 2 or words[0] not in TIMED or "d" not in numbers:
        return None
    call, who, *rest = words
    if call == "limit":
        call, who = who, f"w:{numbers.get('w')}"
    said = {key: [f"{key}:{numbers[key]}"] if key in numbers else [] for key in ("threads", "b", "below", "offset")}
    kind = [*said["threads"], call, *said["b"], *rest, *said["below"], *said["offset"]]
    return "/".join(kind), who, int(numbers.get("n", 1)), int(numbers["d"])


def read_bench(data):
    """{(kind, who, n, d): Row}, and {case: why it failed}."""
    rows, errors = {}, {}
    for b in data["benchmarks"]:
        name, key = b.get("run_name", ""), parse(b.get("run_name", ""))
        if not key or b.get("run_type") != "iteration":
            continue
        if b.get("error_occurred"):
            errors[name] = b.get("error_message", "an error")
            continue
        row = rows.setdefault(key, Row(key, b))
        time = b["real_time" if name.endswith("/real_time") else "cpu_time"] * NANOSECONDS[b["time_unit"]]
        row.values.append(time / (1 if key[0] == "plan" else row.rows * key[3]))
    for row in rows.values():
        row.finish()
    return rows, errors


def verdicts_of(data):
    """{(a peer's case, the case of ours that it is compared with): faster, slower, tie or undecided}"""
    return {(v["case"], v["against"]): v["verdict"] for v in data.get("verdicts", [])}


def limit_of(rows, key, calls=STORES):
    """The fastest stores to the same memory, with the same number of threads, dtype and offset; or None."""
    kind, _, *shape = key
    if call_of(kind) == "widths":
        shape = LIMIT_OF_WIDTHS
    elif call_of(kind) not in TABLES:
        return None
    parts = [p for p in kind.split("/") if p == call_of(kind) or p in SIZES or p.startswith(("threads:", "offset:"))]
    kinds = ["/".join(call if p == call_of(kind) else p for p in parts) for call in calls]
    found = [row for other, row in rows.items() if other[0] in kinds and list(other[2:]) == shape]
    return min(found, key=lambda row: row.ns, default=None)


def sizes_in(context, what):
    """{(n, d): (name, description)} of the context's lines `shape.NAME` or `level.NAME`"""
    found = {}
    for key, value in context.items():
        m = re.match(r"n:(\d+)/d:(\d+) base \S+ (.*)$", value) if key.startswith(what + ".") else None
        if m:
            found[int(m[1]), int(m[2])] = (key[len(what) + 1 :], m[3])
    return found


def sizes_of(rows, kind):
    """[(n, d)] of a kind, small tables first"""
    return sorted({key[2:] for key in rows if key[0] == kind}, key=lambda s: (s[0] * s[1], s))


def pages(rows):
    """The share of the output that lay on huge pages, in words."""
    known = [row.huge for row in rows.values() if row.huge is not None]
    if not known:
        return "pages of unknown size"
    return "huge pages" if min(known) > 0.995 else f"{100 * min(known):.0f} % huge pages"


def noise(rows):
    """The median of the fills' relative interquartile ranges, or None."""
    spreads = [r.spread for k, r in rows.items() if k[0] == "fill" and r.spread is not None]
    return statistics.median_low(spreads) if spreads else None


class Accuracy:
    """What posenc-verify found about one implementation.
    dtypes: those that it judged; ranges: {(from, to): errors} of the report's table, (shape, dtype, preset)"""

    def __init__(self, entry, table):
        ranges = entry.get("ranges", [])
        self.dtypes = {r.get("dtype", "float32") for r in ranges}
        self.ranges = {(r["from"], r["to"]): r for r in ranges if table_of(r) == table}

    def worst(self, key, spans):
        """The largest value over ranges of positions; None where a range is missing or has no number."""
        values = [self.ranges.get(span, {}).get(key) for span in spans]
        return None if not values or None in values else max(values)


def table_of(range_):
    return range_.get("shape"), range_.get("dtype", "float32"), range_.get("preset") or None
