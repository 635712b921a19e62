"""What templates may ask the recorded runs for. A speed has no other way into a page."""
import functools
import re

import store
from joined import Run, pages
from picks import DEFAULT_SHAPE
from results import best_limit, fail, load, load_object


NOTHING = 2  # a bound of so much says nothing of a sine


class Case:
    """One case of the recorded run of posenc-bench, and the stores to the same memory."""

    def __init__(self, row, limit):
        self.row, self.gb_s, self.ns, self.limit = row, row.gb_s, row.ns, limit

    @property
    def share(self):
        return self.row.share_of(self.limit)[0]


class Bench:
    """docs/recorded/bench.json, beside verify.json."""

    def __init__(self):
        verify = load(store.path_of("verify"), "implementations", "report of posenc-verify")
        bench = load(store.path_of("bench"), "benchmarks", "run of posenc-bench")
        self.run = Run(verify, bench, str(store.path_of("verify")))
        context = self.run.context
        self.cpu, self.compiler, self.date = context["cpu"], context["compiler"], context["date"][:10]
        self.offset, self.pages = self.run.offset, pages(self.run.rows)
        self.huge_pages = context.get("transparent_huge_pages", "unknown")
        self.l2 = next(c["size"] for c in context["caches"] if c["level"] == 2) >> 20

    def member(self, family):
        """The fastest of a family of instruction sets on the table of the README."""
        fills = self.run.fills(self.run.shape(DEFAULT_SHAPE))
        return min((name for name in fills if re.fullmatch(family + "_[a-z0-9]+", name)), key=lambda name: fills[name].ns)

    def case(self, kind, name, n, d):
        """kind is that of results.parse(): "fill", "fill/bf16", "row/below:4096", "add/b:32", ..."""
        rows = self.run.verified[self.offset]
        if (kind, name, n, d) not in rows:
            fail(f"{store.path_of('bench')}: there is no case {kind} of {name}, {n} x {d}, which a page shows")
        dtype = kind.split("/")[-1] if kind.startswith("fill/") else ""
        limit = best_limit(rows, (n, d), [f"{k}/{dtype}".rstrip("/") for k in ("store", "stream")])[1]
        return Case(rows[kind, name, n, d], limit)

    def has(self, kind, name, n, d):
        return (kind, name, n, d) in self.run.verified[self.offset]

    def limit(self, n, d, kinds=("store", "stream")):
        """Of the fastest stores to that memory, or conversions and stores."""
        return best_limit(self.run.rows, (n, d), kinds)[1].gb_s

    def limit_kind(self, n, d, kinds=("store", "stream")):
        return best_limit(self.run.rows, (n, d), kinds)[0][0].split("/")[0]


class Verify:
    """docs/recorded/verify.json, or that of another platform: largest errors, and how near they come to the bounds."""

    def __init__(self, name="verify"):
        self.data = store.recorded(name, "implementations")
        self.entries = {e["name"]: e for e in self.data["implementations"]}

    def reports(self):
        """Of all platforms."""
        return [Verify(path.stem) for path in sorted(store.DIRECTORY.glob("verify*.json"))]

    def measured(self):
        """Whose bound rests on measurement, on any platform."""
        return sorted({e["name"] for report in self.reports() for e in report.judged() if e["bound"]["evidence"] == "measured"})

    def judged(self):
        return [e for e in self.entries.values() if e.get("ranges")]

    def closest(self, entry):
        """The case whose error is the largest part of its bound, of float32, with its spec."""
        found = [r["closest_to_bound"] | {"shape": r["shape"]} for r in entry["ranges"] if r["dtype"] == "f32"]
        return max((c for c in found if 0 < c["bound"] < NOTHING), key=lambda c: c["error"] / c["bound"])

    def outputs(self, entry):
        return sum(r["outputs"] for r in entry["ranges"])

    def error(self, name, to, shape="d512"):
        """The largest at positions below that one."""
        found = [r["max_abs"] for r in self.entries[name]["ranges"]
                 if r["shape"] == shape and r["dtype"] == "f32" and not r["preset"] and 0 <= r["from"] < to]
        return max(found)


class Peers:
    """docs/recorded/peers.json."""

    def __init__(self):
        self.data = store.recorded("peers", "cases")

    def case(self, job, peer, n, d, threads=1):
        wanted = (job, peer, n, d, threads)
        found = [c for c in self.data["cases"] if (c["job"], c["peer"], c["n"], c["d"], c["threads"]) == wanted]
        if len(found) != 1:
            fail(f"{store.path_of('peers')}: there are {len(found)} cases {job} of {peer}, {n} x {d}, which a page shows")
        return found[0]

    def fastest(self, job, n, d):
        """Of the C peers, without ours."""
        cases = [c for c in self.data["cases"] if (c["job"], c["n"], c["d"], c["threads"]) == (job, n, d, 1) and c["world"] == "c"
                 and c["peer"] not in ("exact", "anchored")]
        return min(cases, key=lambda c: c["seconds"])


class Records:
    """All of docs/recorded, read when asked for: records.exhaustive is the content of exhaustive.json."""

    def __getattr__(self, name):
        if name.startswith("_") or not store.path_of(name).exists():
            raise AttributeError(f"there is no docs/recorded/{name}.json")
        value = load_object(store.path_of(name))
        setattr(self, name, value)
        return value

    def has(self, name):
        return store.path_of(name).exists()

    def found(self, program, what):
        """What scripts/budget-worst found of that sum."""
        return next(f for f in self.budget["found"] if (f["program"], f["what"]) == (program, what))


@functools.cache
def all_of_them():
    return {"bench": Bench(), "verify": Verify(), "peers": Peers(), "records": Records()}
