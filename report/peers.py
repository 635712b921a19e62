"""What scripts/peers has found, build/peers.json. A ratio is a peer's time divided by ours: below 1 the peer is
faster."""
import collections

from .load import load

OURS = ("exact", "anchored")
WORLDS = {"c": "C", "python": "Python"}
JOBS = {
    "fill": "rows written to memory that is there",
    "once": "all of it from nothing, frequencies or plan included",
    "row": "one row at random positions",
    "fresh": "a fresh table, allocated and produced; posenc.table keeps its plan between calls",
    "first": "the first call: nothing kept from earlier ones, posenc's plan made anew",
    "refill": "the same values into an array that exists",
}
WORDS = {
    "exact": "every output compared is correctly rounded",
    "ulp": "at most 4 ULP wrong, or half a unit of 1",
    "float32": "what a float32 angle costs",
    "drifting": "worse than a float32 angle, at most 0.1",
    "wrong": "another table, or none",
}

Group = collections.namedtuple("Group", "world job threads")  # what can be compared
Column = collections.namedtuple("Column", "n d below")


class Peers:
    """data: as the file has it. rows: {(world, name): what is known of the peer}; groups: {Group: {Column:
    {name: case}}}, by size, ours first and then the fastest first."""

    def __init__(self, data):
        self.data, self.machine, self.run, self.not_run = data, data["machine"], data.get("run", {}), data["not_run"]
        self.emulated, self.calls = self.machine.get("emulated") is True, data.get("calls", [])
        self.rows = {(p["world"], p["name"]): p for p in data["peers"]}
        self.groups = {}
        order = (list(WORLDS), list(JOBS), list(OURS))

        def rank(case):
            name, column = case["peer"], Column(case["n"], case["d"], case.get("below") or 0)
            world, job = order[0].index(case["world"]), order[1].index(case["job"])
            ours = OURS.index(name) if name in OURS else len(OURS)
            return world, job, case["threads"], column.n * column.d, column, ours, case["seconds"]

        for case in sorted(data["cases"], key=rank):
            group = self.groups.setdefault(Group(case["world"], case["job"], case["threads"]), {})
            group.setdefault(Column(case["n"], case["d"], case.get("below")), {})[case["peer"]] = case

    def row(self, world, name):
        """What is known of that peer; ours are the same in both worlds."""
        others = (row for (_, n), row in self.rows.items() if n == name and n in OURS)
        return self.rows.get((world, name)) or next(others, {})

    def members(self):
        """The members of an instruction set of ours, as the C part ran them."""
        return list(dict.fromkeys(case["member"] for case in self.data["cases"] if case.get("member")))


def read(path):
    return Peers(load(path, "cases", "file of scripts/peers", "peers"))
