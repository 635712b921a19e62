"""Joins what the parts of scripts/peers have written into one file: speeds of posenc-bench --peers, errors of posenc-judge, and
the Python world's results.

    python3 -B scripts/peers_results/peers_join.py --bench FILE --judge FILE [--judge FILE] --python FILE --output build/peers.json
"""
import argparse
import datetime
import pathlib
import sys

sys.dont_write_bytecode = True  # leave no __pycache__ in the tree
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(SCRIPTS), str(SCRIPTS / "page")]
import json

import results
from peers_cases import OURS, WORDS, Peers
from results import best_limit, fail, load, read_bench

# How posenc-bench calls a job, for ours and for a peer, and which of its known cases has the same form.
NAMED = {"fill": ("fill", "peer", "fill"), "row": ("row", "peer_row", "row"), "once": ("once", "peer_once", "fresh")}
LEVELS = ("avx512", "avx2", "neon", "scalar")  # best first, as the library chooses
WHAT = {"exact": "posenc: every output correctly rounded", "anchored": "posenc: float64 angle addition, rounded once"}
KEPT = ("cpu", "architecture", "compiler", "build_type", "c_flags", "caches", "load_avg", "cpu_scaling_enabled",
        "transparent_huge_pages", "offset")  # of the context


def measured(bench, word, form):
    """{(kind, name, n, d): Row} of the cases that begin with the word, read as those that begin with form; and who failed."""
    cases = [b | {"run_name": form + b["run_name"][len(word):]} for b in bench["benchmarks"]
             if b.get("run_name", "").split("/")[0] == word]
    places, errors = read_bench(bench | {"benchmarks": cases})
    return next(iter(places.values())), {word + name[len(form):]: why for name, why in errors.items()}


def best_member(rows, family):
    """The member that the library would take, of those that ran."""
    ran = {key[1] for key in rows}
    return next((f"{family}_{level}" for level in LEVELS if f"{family}_{level}" in ran), family if family in ran else None)


def halved(pair):
    ratio, spread = pair
    return [ratio, None if spread is None else spread / 2]


def c_case(job, name, key, row, ours, limits):
    kind, _, n, d = key
    limit_key, limit = best_limit(limits, (n, d))  # none for a row, which stays in L1
    seconds = row.ns * n * d * 1e-9
    case = {"job": job, "world": "c", "peer": name, "n": n, "d": d, "threads": 1, "rows": min(row.rows, n), "seconds": seconds,
            "spread": None if row.spread is None else seconds * row.spread / 2, "gb_s": row.gb_s,
            "of_limit": halved(row.share_of(limit)) if limit else None, "limit": limit_key[0] if limit else None, "memory": None}
    if job == "row":
        case["below"] = int(kind.split("below:")[1])
    if name in OURS:
        return case | {"member": key[1]} | dict.fromkeys(OURS)
    return case | {o: halved(ours[o].share_of(row)) if ours.get(o) else None for o in OURS}


def plain(kind, form):
    """Whether it is of float32, as all peers are."""
    return kind == form if form != "row" else kind.startswith("row/below:")


def c_part(bench):
    """(cases, not_run) of the speeds in a run of posenc-bench --peers. A ratio is one of medians, as is all in that run."""
    cases, failed = [], {}
    limits, errors = measured(bench, "limit", "limit")
    failed |= errors
    for job, (own, peer, form) in NAMED.items():
        (mine, errors), (theirs, more) = measured(bench, own, form), measured(bench, peer, form)
        failed |= errors | more
        members = {o: best_member(mine, o) for o in OURS}
        for key, row in mine.items():
            family = next((o for o in OURS if members[o] == key[1]), None)
            if family and plain(key[0], form):
                cases.append(c_case(job, family, key, row, {}, limits))
        for key, row in theirs.items():
            if plain(key[0], form):
                ours = {o: mine.get((key[0], members[o], *key[2:])) for o in OURS}
                cases.append(c_case(job, key[1], key, row, ours, limits))
    return cases, [{"name": case, "reason": f"failed in the benchmark: {why}"} for case, why in failed.items()]


def severity(table):
    return max(((list(WORDS).index(r["word"]), r["max_abs"] or 0) for r in table["ranges"]), default=(-1, 0))


def tables_of(judged):
    """{(world, name): what posenc-judge says}; of a name that was judged twice, the worse."""
    found = {}
    for path, report in judged:
        for table in report["tables"]:
            key = ("python", pathlib.Path(table["file"]).stem) if table.get("file") else ("c", table["name"])
            if key[1] in OURS or key[1].rpartition("_")[0] in OURS and key[1].rpartition("_")[2] in LEVELS:
                key = "ours", key[1].split("_")[0]
            if any(r["word"] not in WORDS for r in table["ranges"]):
                raise ValueError(f"{path}: {key[1]}: a word of a range is none of {', '.join(WORDS)}")
            if key not in found or severity(found[key]) < severity(table):
                found[key] = table
    return found


def rows_of(cases, python, tables, context):
    """The list of peers: ours, then the others as they come."""
    given = {(p["world"], p["name"]): p for p in python.get("peers", [])}
    ran = list(dict.fromkeys((c["world"], c["peer"]) for c in cases))
    ours = [next((key for key in ran if key[1] == o), None) for o in OURS]  # once, whichever world they ran in
    rows = []
    for world, name in [key for key in ours if key] + [key for key in ran if key[1] not in OURS]:
        table, known = tables.get(("ours" if name in OURS else world, name), {}), given.get((world, name), {})
        what = known.get("what") or table.get("what") or context.get(f"peer.{name}") or WHAT.get(name)
        version = known.get("version") or table.get("version") or context.get(f"peer_version.{name}")
        rows.append({"name": name, "world": world, "what": what,
                     "version": version or (context.get("posenc") if name in OURS else None),
                     "preset": table.get("preset") or known.get("preset") or "paper", "ranges": table.get("ranges", []),
                     "right": table.get("right"), "wrong_from": table.get("wrong_from")})
    return rows


def machine_of(context, others):
    if context:
        found = {key: context[key] for key in KEPT if key in context}
        return found | {"emulated": context.get("emulated") == "yes", "processors": context.get("num_cpus")}
    return next((o["machine"] for o in others if isinstance(o.get("machine"), dict)), {})


def join(bench, judged, python):
    """judged: [(path, what it holds)]; bench and python are None where that part did not run."""
    context, python = (bench or {}).get("context", {}), python or {}
    cases, not_run = c_part(bench) if bench else ([], [])
    not_run = [{"name": k[len("not_run."):], "reason": v} for k, v in context.items() if k.startswith("not_run.")] + not_run
    cases, not_run = cases + python.get("cases", []), not_run + python.get("not_run", [])
    known = {entry["name"] for entry in not_run}  # the judge leaves out what the benchmark does
    not_run += [entry for _, report in judged for entry in report.get("not_run", []) if entry["name"] not in known]
    versions = {name: context[key] for name, key in (("posenc", "posenc"), ("SLEEF", "sleef")) if context.get(key)}
    versions |= {key[len("version."):]: value for key, value in context.items() if key.startswith("version.")}
    date = context.get("date") or python.get("date") or datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    return {"schema": 1, "tool": "posenc-peers", "date": date, "versions": versions | python.get("versions", {}),
            "machine": machine_of(context, [python, *(report for _, report in judged)]), "not_run": not_run,
            "peers": rows_of(cases, python, tables_of(judged), context), "cases": cases}


def tool(path, key, name):
    data = load(path, key, f"file of {name}")
    if data.get("tool") != name or data.get("schema") != 1:
        fail(f"{path}: this is not a file of {name} with schema 1")
    return data


def main(given=None):
    results.PROGRAM = "peers"
    parser = argparse.ArgumentParser(prog="peers_join", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", metavar="FILE", help="Google Benchmark's JSON of posenc-bench --peers")
    parser.add_argument("--judge", metavar="FILE", action="append", default=[], help="posenc-judge --json; may be given again")
    parser.add_argument("--python", metavar="FILE", help="python.json of scripts/peers_python")
    parser.add_argument("--output", metavar="FILE", required=True, help="the joined file")
    args = parser.parse_args(given)
    if not args.bench and not args.python:
        parser.error("one of --bench and --python is needed: there is nothing to join")
    bench = load(args.bench, "benchmarks", "run of posenc-bench (Google Benchmark's JSON)") if args.bench else None
    judged = [(path, tool(path, "tables", "posenc-judge")) for path in args.judge]
    python = tool(args.python, "cases", "posenc-peers-python") if args.python else None
    named = " or ".join(filter(None, (args.bench, *args.judge, args.python)))
    try:
        data = join(bench, judged, python)
        Peers(data)  # which names what is wrong
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as e:
        fail(f"{named}: a value is missing or not of the expected form ({type(e).__name__}: {e})")
    from render import write
    try:
        write(args.output, json.dumps(data, indent=1) + "\n")
    except OSError as e:
        fail(f"{e.filename or args.output}: {e.strerror}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
