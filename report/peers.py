"""What scripts/peers has found, build/peers.json. A ratio is a peer's time divided by ours: below 1 the peer is
faster. And how that file is joined of what its parts have written: speeds and verdicts of posenc-bench --peers, errors of
posenc-verify, and the Python world's results."""
import collections
import datetime
import json
import pathlib
import sys

from .load import check, load, load_bench, write
from .stats import ISAS, limit_of, read_bench, verdicts_of

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
CASES = {"fill": "peer", "row": "peer_row", "once": "peer_once"}  # as posenc-bench calls them, for ours and for a peer
KEPT = "cpu architecture compiler build_type c_flags caches load_avg cpu_scaling_enabled transparent_huge_pages offset"
WHAT = {"exact": "posenc: correctly rounded", "anchored": "posenc: float64 angle addition, rounded once"}

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


def halved(pair):
    ratio, spread = pair
    return [ratio, None if spread is None else spread / 2]


def c_case(job, name, row, ours, limit, verdicts):
    """ours: {name: its row of the same work}"""
    kind, _, n, d = row.key
    seconds = row.ns * n * d * 1e-9
    case = {"job": job, "world": "c", "peer": name, "n": n, "d": d, "threads": 1, "rows": min(row.rows, n)}
    case |= {"seconds": seconds, "spread": None if row.spread is None else seconds * row.spread / 2, "memory": None}
    case |= {"of_limit": halved(row.share_of(limit)) if limit else None}
    case |= {"below": int(kind.split("below:")[1])} if job == "row" else {}
    if name in OURS:
        return case | {"member": row.key[1]} | dict.fromkeys(OURS)
    case["verdicts"] = {o: v for o, r in ours.items() if (v := verdicts.get((row.name, r and r.name)))}
    return case | {o: halved(r.share_of(row)) if r else None for o, r in ours.items()}


def best_members(rows):
    """{name in the results: exact or anchored}, of the members that the library would take, of those that ran."""
    ran = {key[1] for key in rows}
    found = {o: next((m for m in (f"{o}_{isa}" for isa in ISAS) if m in ran), o) for o in OURS}
    return {member: o for o, member in found.items()}


def c_part(bench):
    """(cases, not_run, least and most repetitions) of a run of posenc-bench --peers. A ratio is one of medians."""
    rows, errors = read_bench(bench)
    verdicts, members, cases, counts = verdicts_of(bench), best_members(rows), [], set()
    for job, peer in CASES.items():
        for key, row in rows.items():
            call, _, below = key[0].partition("/")
            if call not in (job, peer) or below and job != "row" or call == job and key[1] not in members:
                continue
            ours = {o: rows.get((key[0].replace(peer, job, 1), member, *key[2:])) for member, o in members.items()}
            limit = limit_of(rows, ("fill", *key[1:]))  # none for a row, which stays in L1
            name = members[key[1]] if call == job else key[1]
            cases.append(c_case(job, name, row, ours, limit, verdicts))
            counts.add(len(row.values))
    failed = [{"name": case, "reason": f"failed in the benchmark: {why}"} for case, why in errors.items()]
    return cases, failed, [min(counts), max(counts)] if counts else None


def join(bench, judged, python, calls=None, quick=False):
    """judged: reports of posenc-verify; the others are None where that part did not run."""
    context, python, calls = (bench or {}).get("context", {}), python or {}, calls or {}
    cases, failed, repetitions = c_part(bench) if bench else ([], [], None)
    not_run = [{"name": k[len("not_run.") :], "reason": v} for k, v in context.items() if k.startswith("not_run.")]
    not_run += failed + python.get("not_run", []) + calls.get("not_run", [])
    versions = {name: context[key] for name, key in (("posenc", "posenc"), ("SLEEF", "sleef")) if context.get(key)}
    machine = {key: context[key] for key in KEPT.split() if key in context}
    machine |= {"emulated": context.get("emulated") == "yes", "processors": context.get("num_cpus")} if context else {}
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    run = {key: python.get(key) for key in ("turns", "large_turns", "seed")}
    cases += python.get("cases", [])
    return {
        "schema": 1,
        "tool": "posenc-peers",
        "date": context.get("date", now),
        "versions": versions | python.get("versions", {}),
        "machine": machine or next((r["machine"] for r in judged if isinstance(r.get("machine"), dict)), {}),
        "run": run | {"repetitions": repetitions, "quick": bool(quick or python.get("quick"))},
        "not_run": not_run,
        "peers": rows_of(cases, python, tables_of(judged), context),
        "cases": cases,
        "calls": calls.get("calls", []),
    }


def severity(table):
    return max(((list(WORDS).index(r["word"]), r["max_abs"] or 0) for r in table["ranges"]), default=(-1, 0))


def tables_of(judged):
    """{(world, name): what posenc-verify says}; of a name that was judged twice, the worse."""
    found = {}
    for table in (table for report in judged for table in report["tables"]):
        path = pathlib.Path(table.get("file") or f"c/{table['name']}")  # C's peers write to a directory named c
        key = "c" if path.parent.name == "c" else "python", path.stem
        family, _, isa = key[1].partition("_")
        if family in OURS and isa in ("", *ISAS):
            key = "ours", family
        if key not in found or severity(found[key]) < severity(table):
            found[key] = table
    return found


def rows_of(cases, python, tables, context):
    """The list of peers: ours once, whichever world they ran in, then the others as they come."""
    given = {(p["world"], p["name"]): p for p in python.get("peers", [])}
    ran = dict.fromkeys((c["world"], c["peer"]) for c in cases)
    ours = {name: (world, name) for world, name in reversed(ran) if name in OURS}
    rows = []
    for world, name in [*(ours[o] for o in OURS if o in ours), *(key for key in ran if key[1] not in OURS)]:
        table, known = tables.get(("ours" if name in OURS else world, name), {}), given.get((world, name), {})
        what = known.get("what") or context.get(f"peer.{name}") or WHAT.get(name)
        version = known.get("version") or context.get(f"peer_version.{name}")
        rows.append(
            {
                "name": name,
                "world": world,
                "what": what,
                "version": version or (context.get("posenc") if name in OURS else None),
                "preset": table.get("preset") or known.get("preset") or "paper",
                "ranges": table.get("ranges", []),
                "right": table.get("right"),
                "wrong_from": table.get("wrong_from"),
            }
        )
    return rows


def broken(rows):
    """What ours promise and do not keep: every output of exact correctly rounded, and anchored the right table."""
    found = []
    for row in (row for row in rows if row["name"] in OURS):
        worst = next((r for r in row["ranges"] if r["word"] != "exact"), None)
        if not row["ranges"]:
            found.append(f"{row['name']} was not judged")
        elif row["name"] == "exact" and worst:
            found.append(f"exact is not correctly rounded: \"{worst['word']}\" from position {worst['from']}")
        elif row["name"] == "anchored" and row["right"] is not True:
            found.append("anchored is not the right table")
    return found


def main(args):
    """Exit status: 1 where ours are not what they promise, the file being written all the same."""
    judged = [load(path, "tables", "file of posenc-verify") for path in args.judge]
    python = load(args.python, "cases", "file of bench/peers/python") if args.python else None
    calls = load(args.calls, "calls", "file of bench/peers/python/calls.py") if args.calls else None
    data = join(load_bench(args.bench) if args.bench else None, judged, python, calls, args.quick)
    check(args.output, data, "peers")
    write(args.output, json.dumps(data, indent=1) + "\n")
    wrong = broken(data["peers"]) if judged else []
    for text in wrong:
        print(f"peers: {text} ({args.output} is written)", file=sys.stderr)
    return 1 if wrong else 0
