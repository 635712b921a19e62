"""What scripts/peers has found, build/peers.json: read, and what its text, its targets and the report ask of it. For
scripts/peers_results/peers_join.py, peers_text.py and the report.

A ratio is a peer's time divided by ours: below 1 the peer is faster.
"""
import collections
import dataclasses

from peers_valid import check
from peers_words import JOBS, LEVELS, OURS, WORLDS, is_optional, level_of
from results import fail, load
from valid import need

Group = collections.namedtuple("Group", "world job threads")  # what can be compared
Column = collections.namedtuple("Column", "n d below")


@dataclasses.dataclass
class Loss:
    """Where a peer is faster than one of ours, or as fast."""
    group: Group
    column: Column
    theirs: dict
    against: str

    @property
    def pair(self):
        return self.theirs[self.against]

    @property
    def bounds(self):
        return bounds(self.theirs, self.against)


def bounds(case, key):
    """(low, high) that a ratio lies between: the quartiles of both sides, or of the turns' ratios, where the run has them, for a
    spread to both sides says nothing of skewed times; else the median and its spread. None without a ratio."""
    if case[key] is None:
        return None
    quartiles = (case.get("quartiles") or {}).get(key)
    ratio, spread = case[key][0], case[key][1] or 0.0
    return tuple(quartiles) if quartiles else (ratio - spread, ratio + spread)


def standing(case, ours):
    """ "peer" where it is faster, the quartiles being apart, "ours" the other way round, else "tie"; None without a ratio."""
    between = bounds(case, ours)
    return between and ("peer" if between[1] < 1 else "ours" if between[0] > 1 else "tie")


class Peers:
    """data: as the file has it. rows: {(world, name): what is known of the peer}; groups: {Group: {(name, Column): case}}."""

    def __init__(self, data):
        check(data)
        self.data, self.machine, self.versions, self.not_run = data, data["machine"], data["versions"], data["not_run"]
        self.run = data.get("run", {})
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
                    for against in OURS if name in there and name not in OURS else ():
                        if standing(there[name], against) == wanted:
                            found.append(Loss(group, column, there[name], against))
        return found

    def lacking(self, group, columns):
        """[text] of who is not there at all of those sizes, and should be: an optional peer need not be, nor one of better
        instructions than ours had."""
        member = level_of(self.members().get("exact") or "")
        beyond = LEVELS[:LEVELS.index(member)] if member else ()
        ran, found = {name for name, _ in self.groups.get(group, {}) if name not in OURS}, {}
        for entry in self.not_run:
            name = entry.get("peer", entry["name"])  # null of what is no peer's
            about = name and entry.get("world") in (None, group.world) and entry.get("job") in (None, group.job)
            if about and name not in ran and not is_optional(name) and level_of(name) not in beyond:
                found[name] = name
        for name in sorted(ran):
            lost = [c for c in columns if (name, c) not in self.groups[group]]
            if lost and not is_optional(name):
                found[name] = f"{name} at {', '.join(f'{c.n} x {c.d}' for c in lost)}"
        return list(found.values())

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
