"""What scripts/peers has found, build/peers.json: read, checked, and the questions that its text, its targets and the report ask
of it. For scripts/peers_results/peers_join.py, peers_text.py and the report.

A ratio is a peer's time divided by ours, with half an interquartile range: below 1 the peer is faster.
"""
import collections
import dataclasses
import math

from results import fail, load
from valid import COUNT, NUMBER, is_a, listing, need

OURS = ("exact", "anchored")
WORLDS = {"c": "C", "python": "Python"}
JOBS = {"fill": "rows written to memory that is there", "once": "all of it from nothing, frequencies or plan included",
        "row": "one row at random positions", "fresh": "a fresh table, allocated and produced",
        "refill": "the same values into an array that exists"}
WORDS = {"exact": "every output is correctly rounded", "ulp": "at most 4 ULP wrong, or half a unit of 1", "float32": "what a float32 angle costs",
         "drifting": "worse than a float32 angle, at most 0.1", "wrong": "another table, or none"}
UNFIT = ("drifting", "wrong")  # of a table's first positions: it is not the right table

Group = collections.namedtuple("Group", "world job threads")  # what can be compared
Column = collections.namedtuple("Column", "n d below")


@dataclasses.dataclass
class Loss:
    """Where a peer is faster than one of ours, or as fast."""
    group: Group
    column: Column
    theirs: dict
    ours: dict
    against: str
    pair: tuple


def standing(pair):
    """ "peer" where the peer is faster beyond the spread, "tie" within it, else "ours"; None without a ratio."""
    if pair is None:
        return None
    ratio, spread = pair[0], pair[1] or 0.0
    return "peer" if ratio + spread < 1 else "ours" if ratio - spread > 1 else "tie"


class Peers:
    """data: as the file has it. rows: {(world, name): what is known of the peer}; groups: {Group: {(name, Column): case}}."""

    def __init__(self, data):
        check(data)
        self.data, self.machine, self.versions, self.not_run = data, data["machine"], data["versions"], data["not_run"]
        self.emulated = self.machine.get("emulated") is True
        self.rows = {(p["world"], p["name"]): p for p in data["peers"]}
        found = {}
        for case in data["cases"]:
            cases = found.setdefault(Group(case["world"], case["job"], case["threads"]), {})
            key = case["peer"], Column(case["n"], case["d"], case.get("below"))
            need(key not in cases, f"cases: {case['job']}: {case['peer']}", f"{case['n']} x {case['d']}", "there once")
            cases[key] = case
        self.groups = dict(sorted(found.items(), key=lambda g: (list(WORLDS).index(g[0].world), list(JOBS).index(g[0].job),
                                                                g[0].threads)))

    def columns(self, group):
        return sorted({column for _, column in self.groups[group]}, key=lambda c: (c.n * c.d, c.d, c.below or 0))

    def column(self, group, column):
        """{name: case} there."""
        return {name: case for (name, c), case in self.groups[group].items() if c == column}

    def names(self, group):
        """Ours, then the peers, those who come closest to exact first."""
        closest = {}
        for (name, _), case in self.groups[group].items():
            ratio = case["exact"][0] if case["exact"] else float("inf")
            closest[name] = min(ratio, closest.get(name, ratio))
        return [n for n in OURS if n in closest] + sorted((n for n in closest if n not in OURS), key=lambda n: (closest[n], n))

    def theirs(self, group):
        """The peers' cases, as [(Column, case)]."""
        cases = self.groups.get(group, {})
        return [(column, case) for (name, column), case in cases.items() if name not in OURS]

    def row(self, group, name):
        """What is known of that peer; ours are the same in both worlds."""
        return self.rows.get((group.world, name)) or next((r for (_, n), r in self.rows.items() if n == name and n in OURS), {})

    def judged(self):
        """The peers whose errors are known, without ours."""
        return [row for row in self.rows.values() if row["ranges"] and row["name"] not in OURS]

    def members(self):
        """{name: its member of an instruction set} of ours, as the C part ran them."""
        return {case["peer"]: case["member"] for case in self.data["cases"] if case.get("member")}

    def compared(self, wanted):
        """[Loss] of every case that stands so ("peer" or "tie") against one of ours."""
        found = []
        for group, cases in self.groups.items():
            for column in self.columns(group):
                there = self.column(group, column)
                for name in self.names(group):
                    for against in OURS:
                        pair = there[name][against] if name in there and name not in OURS else None
                        if standing(pair) == wanted:
                            found.append(Loss(group, column, there[name], there.get(against), against, pair))
        return found

    def anything(self):
        """Whether a peer was held against one of ours at all."""
        return any(case[against] for group in self.groups for _, case in self.theirs(group) for against in OURS)


def read(path):
    """The Peers of that file; what is wrong with it is said, and ends the program."""
    data = load(path, "cases", "file of scripts/peers")
    if data.get("tool") != "posenc-peers" or data.get("schema") != 1:
        fail(f"{path}: this is not a file of scripts/peers with schema 1")
    try:
        return Peers(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as e:
        fail(f"{path}: a value is missing or not of the expected form ({type(e).__name__}: {e})")


def check(data):
    """Raises ValueError or KeyError naming what is not as it should be."""
    for key in ("machine", "versions"):
        need(isinstance(data[key], dict), key, data[key], "an object")
    need(isinstance(data["date"], str), "date", data["date"], "a text")
    listing(data["machine"].get("caches", []), "machine.caches", (dict,))
    for cache in data["machine"].get("caches", []):
        for key in ("level", "size"):
            need(is_a(cache.get(key), COUNT) and cache[key] > 0, f"machine.caches: {key}", cache.get(key), "a count")
    listing(data["not_run"], "not_run", (dict,))
    for entry in data["not_run"]:
        text_of(entry, "name", "not_run"), text_of(entry, "reason", "not_run")
    listing(data["peers"], "peers", (dict,))
    listing(data["cases"], "cases", (dict,))
    need(data["cases"], "cases", [], "at least one case")
    for row in data["peers"]:
        check_row(row)
    for case in data["cases"]:
        check_case(case)


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
    start = row.get("wrong_from")
    need(start is None or is_a(start, COUNT), f"{name}: wrong_from", start, "a position")
    listing(row["ranges"], f"{name}: ranges", (dict,))
    for r in row["ranges"]:
        for key in ("from", "to"):
            need(is_a(r.get(key), COUNT), f"{name}: ranges: {key}", r.get(key), "a position")
        need(r["from"] < r["to"], f"{name}: ranges: to", r["to"], f"above from ({r['from']})")
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
    for key in ("spread", "memory"):
        fit = case.get(key) is None or is_amount(case[key]) and case[key] >= 0
        need(fit, f"{where}: {key}", case.get(key), "0 or more, or null")
    for key in (*OURS, "of_limit"):
        pair = case[key]
        fit = pair is None or isinstance(pair, list) and len(pair) == 2 and is_amount(pair[0]) and pair[0] > 0 and (
            pair[1] is None or is_amount(pair[1]) and pair[1] >= 0)
        need(fit, f"{where}: {key}", pair, "a ratio and its spread, or null")
    if case["job"] == "row":
        need(is_a(case.get("below"), COUNT) and case["below"] > 0, f"{where}: below", case.get("below"), "a position above 0")
