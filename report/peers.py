"""Reads build/peers.json of scripts/peers, and joins it from its parts: times of posenc-bench --peers and of
bench/peers/python, both in the form of Google Benchmark's JSON, and errors of posenc-verify. A ratio is a peer's time
divided by ours in the same repetition: below 1 the peer takes less time."""
import datetime
import json
import re
import statistics

from .load import check, load, load_bench, write
from .stats import ENOUGH, call_of, limit_of, quartiles, read_bench, verdicts_of

OURS = ("exact", "anchored", "posenc_torch")
IN_C = {
    "fill": "rows written to existing memory",
    "once": "the same, frequencies or plan included",
    "row": "one row at random positions",
}
JOBS = IN_C | {
    "fresh": "a table allocated and filled; posenc.table keeps its plan between calls",
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
    "wrong": "another table, or none",
}
STANDS_FOR = {"peer": "fill", "peer_row": "row", "peer_once": "once"}  # in posenc-bench: the job of ours that it does
KEPT = "posenc python processor vendor family model implementer part microarchitecture vectors cache_sizes cpu"
KEPT += " architecture compiler build_type c_flags caches load_avg cpu_scaling_enabled transparent_huge_pages offset emulated num_cpus"
WHAT = {"exact": "posenc: correctly rounded", "anchored": "posenc: float64 angle addition, rounded once"}


class Peers:
    """data: the content of the file
    rows: {name: the peer}
    groups (of tables) and calls: {kind: {(n, d): {name: case}}}, by size; our cases first, then by time
    A kind is that of stats.parse(). A peer's kind is that of our case for the same work."""

    def __init__(self, data):
        self.data, self.machine, self.not_run = data, data["machine"], data["not_run"]
        self.emulated, self.rows = self.machine.get("emulated") == "yes", {p["name"]: p for p in data["peers"]}
        self.groups, self.calls, jobs = {}, {}, [*JOBS, *CALLS]

        def rank(case):
            kind, n, d, who = (case[key] for key in ("kind", "n", "d", "who"))
            ours = OURS.index(who) if who in OURS else len(OURS)
            numbers = [int(number) for number in re.findall(r":(\d+)", kind)]
            return jobs.index(call_of(kind)), numbers, kind, n * d, (n, d), ours, case["seconds"]

        for case in sorted(data["cases"], key=rank):
            groups = self.groups if call_of(case["kind"]) in JOBS else self.calls
            groups.setdefault(case["kind"], {}).setdefault((case["n"], case["d"]), {})[case["who"]] = case

    def members(self):
        """Our implementations that ran, with their instruction sets."""
        return list(dict.fromkeys(case["member"] for case in self.data["cases"] if case.get("member")))


def read(path):
    return Peers(load(path, "cases", "file of scripts/peers", "peers"))


def middle(values):
    """[median, half the interquartile range or None]"""
    low, high = quartiles(values)
    return [statistics.median(values), (high - low) / 2 if len(values) >= ENOUGH else None]


def case_of(kind, row, ours, limit, verdicts):
    """ours: {name: its row of the same work}"""
    _, who, n, d = row.key
    seconds, spread = middle([value * n * d * 1e-9 for value in row.values])
    case = {"kind": kind, "who": who, "n": n, "d": d, "rows": min(row.rows, n), "repetitions": len(row.values)}
    case |= {"seconds": seconds, "spread": spread}
    if limit:
        share, spread = row.share_of(limit)
        case["of_limit"] = [share, spread and spread / 2]
    others = {name: other for name, other in ours.items() if other is not row}
    case["ratios"] = {name: middle([a / b for a, b in zip(row.values, o.values)]) for name, o in others.items()}
    case["verdicts"] = {o: v for o, other in others.items() if (v := verdicts.get((row.name, other.name)))}
    return case


def cases_of(bench):
    """(cases, not_run) of a run of posenc-bench --peers, or of bench/peers/python."""
    rows, errors = read_bench(bench)
    members = {bench["context"].get(f"member.{o}", o): o for o in OURS}  # {name in the results: its family}
    verdicts, cases = verdicts_of(bench), []
    for (kind, who, *shape), row in rows.items():
        call = call_of(kind)
        kind = kind.replace(call, STANDS_FOR.get(call, call))
        if call_of(kind) in JOBS | CALLS:
            ours = {o: rows[kind, m, *shape] for m, o in members.items() if (kind, m, *shape) in rows}
            case = case_of(kind, row, ours, limit_of(rows, ("fill", who, *shape)), verdicts)
            cases.append(case | ({"who": members[who], "member": who} if members.get(who, who) != who else {}))
    return cases, [{"name": name, "reason": f"failed: {why}"} for name, why in errors.items()]


def join(benches, tables, quick):
    """tables: those that posenc-verify judged"""
    context, cases, failed = {}, [], []
    for bench in benches:
        context = bench["context"] | context  # the first one's, where both say it
        found, errors = cases_of(bench)
        cases += found
        failed += errors
    not_run = [{"name": k[len("not_run.") :], "reason": v} for k, v in context.items() if k.startswith("not_run.")]
    return {
        "schema": 1,
        "tool": "posenc-peers",
        "date": context.get("date") or datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "quick": quick,
        "machine": {key: context[key] for key in KEPT.split() if key in context},
        "not_run": not_run + failed,
        "peers": peers_of(cases, {table["name"]: table for table in tables}, context),
        "cases": cases,
    }


def peers_of(cases, tables, context):
    """Our implementations first, then the others in the order of the results."""
    ran = dict.fromkeys(case["who"] for case in cases)
    rows = []
    for name in sorted(ran, key=lambda name: name not in OURS):
        table = tables.get(name, {})
        ours = f"posenc {context['posenc']}" if name in OURS and "posenc" in context else None
        rows.append(
            {
                "name": name,
                "what": WHAT.get(name) or context.get(f"peer.{name}"),
                "version": ours or context.get(f"peer_version.{name}"),
                "preset": table.get("preset"),
                "ranges": table.get("ranges", []),
                "right": table.get("right"),
                "wrong_from": table.get("wrong_from"),
            }
        )
    return rows


def main(args):
    tables = [table for path in args.judge for table in load(path, "tables", "file of posenc-verify")["tables"]]
    data = join([load_bench(path) for path in args.bench], tables, args.quick)
    check(args.output, data, "peers")
    write(args.output, json.dumps(data, indent=1) + "\n")
    return 0
