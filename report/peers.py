"""Reads build/peers.json of scripts/peers, and joins it from its parts: times of posenc-bench --peers and of
bench/peers/python, both in the form of Google Benchmark's JSON, and verdicts on tables. A ratio is the median over the
repetitions of a peer's time divided by ours: below 1 the peer takes less time."""
import datetime
import json
import re
import statistics
from operator import truediv

from . import judge
from .load import check, load, write
from .stats import Case, limit_of, read_bench

OURS = ("exact", "anchored", "posenc.torch")
IN_C = {
    "fill": "rows written to existing memory",
    "once": "the same, frequencies or plan included",
    "row": "one row at random positions",
}
JOBS = IN_C | {
    "fresh": "a table allocated and filled. posenc.table caches its plan, so only the first call creates it; "
    "the times are of later calls",
    "refill": "the same values into an existing array",
}
CALLS = {  # of PyTorch programs
    "forward": "forward of the module",
    "construction": "making the module",
    "table": "table",
    "timesteps": "timestep embedding",
    "rotary": "forward of the rotary embedding",
}
WORDS = {
    "exact": "every output compared is correctly rounded",
    "ulp": "wrong by at most 4 ULP, or at most 2^-24",
    "float32": "the error of a float32 angle",
    "drifting": "worse than a float32 angle, at most 0.1",
    "wrong": "an error above 0.1",
}
STANDS_FOR = {"peer": "fill", "peer_row": "row", "peer_once": "once"}  # in posenc-bench: the job of ours that it does
KEPT = "posenc python vendor family model implementer part cpu architecture compiler build_type"
KEPT += " c_flags caches load_avg cpu_scaling_enabled transparent_huge_pages offset emulated num_cpus"
WHAT = {"exact": "posenc: correctly rounded", "anchored": "posenc: float64 angle addition, rounded once"}


def work_of(case):
    return Case(case["kind"], None, case["n"], case["d"], case["dtype"], case.get("end"))


class Peers:
    """data: the content of the file
    rows: {name: the peer}
    groups (of tables) and calls: {work: {name: case}}, by size; our cases first, then by time. A peer's work is that of
    our case that does the same."""

    def __init__(self, data):
        self.data, self.machine, self.not_run = data, data["machine"], data["not_run"]
        self.emulated, self.rows = self.machine.get("emulated") == "yes", {p["name"]: p for p in data["peers"]}
        self.groups, self.calls, jobs = {}, {}, [*JOBS, *CALLS]

        def rank(case):
            work, who = work_of(case), case["who"]
            ours = OURS.index(who) if who in OURS else len(OURS)
            numbers = [int(number) for number in re.findall(r":(\d+)", work.kind)] + [work.end or 0]
            kind = jobs.index(work.call), numbers, work.kind, work.dtype
            return *kind, work.n * work.d, work.size, ours, case["seconds"]

        for case in sorted(data["cases"], key=rank):
            work = work_of(case)
            groups = self.groups if work.call in JOBS else self.calls
            groups.setdefault(work, {})[case["who"]] = case

    def members(self):
        """Our implementations that ran, with their instruction sets."""
        return list(dict.fromkeys(case["member"] for case in self.data["cases"] if case.get("member")))


def read(path):
    return Peers(load(path, "peers"))


def case_of(work, row, ours, limit, is_judged):
    """ours: {name: its row of the same work}"""
    seconds = row.ns * work.n * work.d * 1e-9
    case = {"kind": work.kind, "who": row.case.who, "dtype": work.dtype, "n": work.n, "d": work.d}
    case |= {"end": work.end} if work.end else {}
    case |= {"rows": min(row.rows, work.n), "repetitions": len(row.values), "seconds": seconds}
    case["spread"] = row.spread and seconds * row.spread / 2
    case |= {"of_limit": limit.ns / row.ns} if limit else {}
    others = {name: other.values for name, other in ours.items() if other is not row}
    case["ratios"] = {name: statistics.median(map(truediv, row.values, o)) for name, o in others.items()}
    case["verdicts"] = {n: judge.compare(row.values, o).verdict for n, o in others.items() if is_judged}
    return case


def cases_of(bench):
    """(cases, not_run) of a run of posenc-bench --peers, or of bench/peers/python."""
    rows, failed = read_bench(bench)
    context, cases = bench["context"], []
    members = {context.get(f"member.{o}", o): o for o in OURS}  # {name in the results: its family}
    interleaved = context.get("interleaved") == "yes" and context.get("emulated") != "yes"
    for case, row in rows.items():
        work = case.work._replace(kind=STANDS_FOR.get(case.kind, case.kind))
        if work.call in JOBS | CALLS:
            ours = {o: rows[work.by(m)] for m, o in members.items() if work.by(m) in rows}
            limit = limit_of(rows, work._replace(kind="fill"))
            found = case_of(work, row, ours, limit, interleaved and case.kind in STANDS_FOR)
            who = members.get(case.who, case.who)
            cases.append(found | ({"who": who, "member": case.who} if who != case.who else {}))
    return cases, [{"name": name, "reason": f"failed: {why}"} for name, why in failed.items()]


def join(benches, tables, quick):
    """tables: those that bench/peers/python judged"""
    context, cases, failed = {}, [], []
    for bench in benches:
        context = bench["context"] | context  # the first one's, where both say it
        made, errors = cases_of(bench)
        cases += made
        failed += errors
    not_run = [{"name": k[len("not_run.") :], "reason": v} for k, v in context.items() if k.startswith("not_run.")]
    date = context.get("date") or datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    found = {"schema": 1, "tool": "posenc-peers", "date": date, "quick": quick}
    found |= {"machine": {key: context[key] for key in KEPT.split() if key in context}, "not_run": not_run + failed}
    return found | {"peers": peers_of(cases, {table["name"]: table for table in tables}, context), "cases": cases}


def peers_of(cases, tables, context):
    """Our implementations first, then the others in the order of the results."""
    ran, rows = dict.fromkeys(case["who"] for case in cases), []
    for name in sorted(ran, key=lambda name: name not in OURS):
        table = tables.get(name, {})
        ours = f"posenc {context['posenc']}" if name in OURS and "posenc" in context else None
        row = {"name": name, "what": WHAT.get(name) or context.get(f"peer.{name}")}
        row |= {"version": ours or context.get(f"peer_version.{name}"), "ranges": table.get("ranges", [])}
        rows.append(row | {key: table.get(key) for key in ("preset", "right", "wrong_from")})
    return rows


def main(args):
    tables = [table for path in args.judge for table in load(path, "tables")["tables"]]
    data = join([load(path, "bench") for path in args.bench], tables, args.quick)
    check(args.output, data, "peers")
    write(args.output, json.dumps(data, indent=1) + "\n")
