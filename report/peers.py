"""What scripts/peers has found, build/peers.json. A ratio is a peer's time divided by ours: below 1 the peer is
faster."""
import collections

from . import stats
from .load import fail, load

OURS = ("exact", "anchored")
LEVELS = ("avx512", "avx2", "neon", "scalar")  # best first, as the library chooses
WORLDS = {"c": "C", "python": "Python"}
JOBS = {
    "fill": "rows written to memory that is there",
    "once": "all of it from nothing, frequencies or plan included",
    "row": "one row at random positions",
    "fresh": "a fresh table, allocated and produced",
    "first": "the first call: nothing kept from earlier ones, posenc's plan made anew",
    "refill": "the same values into an array that exists",
}
REMARKS = {"fresh": 'posenc.table keeps its plan between calls, as its users have it; "first" is without'}  # of a job
WORDS = {
    "exact": "every output compared is correctly rounded",
    "ulp": "at most 4 ULP wrong, or half a unit of 1",
    "float32": "what a float32 angle costs",
    "drifting": "worse than a float32 angle, at most 0.1",
    "wrong": "another table, or none",
}
UNFIT = ("drifting", "wrong")  # of a table's first positions: it is not the right table

Group = collections.namedtuple("Group", "world job threads")  # what can be compared
Column = collections.namedtuple("Column", "n d below")
Loss = collections.namedtuple("Loss", "group column case against")  # where a peer is faster than one of ours, or ties


def interval(case, ours):
    """Quartiles of the ratio, where the run has them; else the median and its spread."""
    if case[ours] is None:
        return None
    quartiles = (case.get("quartiles") or {}).get(ours)
    ratio, spread = case[ours][0], case[ours][1] or 0.0
    return tuple(quartiles) if quartiles else (ratio - spread, ratio + spread)


def standing(case, ours):
    """Of the peer: "faster", "slower" or "tie"; None without a ratio."""
    return stats.standing(case[ours][0], interval(case, ours)) if case[ours] else None


class Peers:
    """data: as the file has it. rows: {(world, name): what is known of the peer}; groups: {Group: {(name, Column):
    case}}."""

    def __init__(self, data):
        self.data, self.machine, self.versions, self.not_run = data, data["machine"], data["versions"], data["not_run"]
        self.run = data.get("run", {})
        self.emulated = self.machine.get("emulated") is True
        self.rows = {(p["world"], p["name"]): p for p in data["peers"]}
        found = {}
        for case in data["cases"]:
            cases = found.setdefault(Group(case["world"], case["job"], case["threads"]), {})
            cases[case["peer"], Column(case["n"], case["d"], case.get("below"))] = case
        self.groups = dict(
            sorted(
                found.items(), key=lambda g: (list(WORLDS).index(g[0].world), list(JOBS).index(g[0].job), g[0].threads)
            )
        )

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
        return [n for n in OURS if n in closest] + sorted(
            (n for n in closest if n not in OURS), key=lambda n: (closest[n], n)
        )

    def theirs(self, group):
        """The peers' cases, as [(Column, case)]."""
        return [(column, case) for (name, column), case in self.groups.get(group, {}).items() if name not in OURS]

    def row(self, group, name):
        """What is known of that peer; ours are the same in both worlds."""
        return self.rows.get((group.world, name)) or next(
            (r for (_, n), r in self.rows.items() if n == name and n in OURS), {}
        )

    def members(self):
        """{name: its member of an instruction set} of ours, as the C part ran them."""
        return {case["peer"]: case["member"] for case in self.data["cases"] if case.get("member")}

    def compared(self, wanted):
        """[Loss] of every case of a peer that stands so against one of ours."""
        return [
            Loss(group, column, there[name], against)
            for group in self.groups
            for column in self.columns(group)
            for there in [self.column(group, column)]
            for name in self.names(group)
            if name in there and name not in OURS
            for against in OURS
            if standing(there[name], against) == wanted
        ]


def read(path):
    data = load(path, "cases", "file of scripts/peers", "peers")
    try:
        return Peers(data)
    except (LookupError, TypeError, ValueError, AttributeError) as e:
        fail(f"{path}: a value is missing or not of the expected form ({type(e).__name__}: {e})")
