"""Joins what the parts of scripts/peers have written into one file: speeds of posenc-bench --peers, errors of posenc-
judge, and the Python world's results.

    python3 -m report join --bench FILE --judge FILE [--judge FILE] --python FILE --output PEERS.json

Exit status: 0; 1 where the judge finds that exact is not correctly rounded everywhere or anchored not the right
table, the file being written all the same; 2 where an input is wrong, and nothing is written."""
import argparse
import datetime
import json
import pathlib
import sys

from .load import check, load, load_bench, write
from .peers import LEVELS, OURS, WORDS
from .stats import between, best_limit, quartiles, read_bench

# How posenc-bench calls a job, for ours and for a peer, and which of its known cases has the same form.
NAMED = {"fill": ("fill", "peer", "fill"), "row": ("row", "peer_row", "row"), "once": ("once", "peer_once", "fresh")}
KEPT = (
    "cpu",
    "architecture",
    "compiler",
    "build_type",
    "c_flags",
    "caches",
    "load_avg",
    "cpu_scaling_enabled",
    "transparent_huge_pages",
    "offset",
)  # of the context
WHAT = {"exact": "posenc: correctly rounded", "anchored": "posenc: float64 angle addition, rounded once"}


def measured(bench, word, form):
    """{(kind, name, n, d): Row} of the cases that begin with the word, read as those that begin with form; and who
    failed."""
    cases = [
        b | {"run_name": form + b["run_name"][len(word) :]}
        for b in bench["benchmarks"]
        if b.get("run_name", "").split("/")[0] == word
    ]
    places, errors = read_bench(bench | {"benchmarks": cases})
    return next(iter(places.values())), {word + name[len(form) :]: why for name, why in errors.items()}


def best_member(rows, family):
    """The member that the library would take, of those that ran."""
    ran = {key[1] for key in rows}
    return next(
        (f"{family}_{level}" for level in LEVELS if f"{family}_{level}" in ran), family if family in ran else None
    )


def halved(pair):
    ratio, spread = pair
    return [ratio, None if spread is None else spread / 2]


def c_case(job, name, key, row, ours, limits):
    kind, _, n, d = key
    limit_key, limit = best_limit(limits, (n, d))  # none for a row, which stays in L1
    scale, apart = n * d * 1e-9, quartiles(row)
    seconds = row.ns * scale
    case = {
        "job": job,
        "world": "c",
        "peer": name,
        "n": n,
        "d": d,
        "threads": 1,
        "rows": min(row.rows, n),
        "seconds": seconds,
        "spread": None if row.spread is None else seconds * row.spread / 2,
        "gb_s": row.gb_s,
        "of_limit": halved(row.share_of(limit)) if limit else None,
        "limit": limit_key[0] if limit else None,
        "memory": None,
        "quartiles": {
            "seconds": apart and [t * scale for t in apart],
            "of_limit": between(limit, row) if limit else None,
        },
    }
    if job == "row":
        case["below"] = int(kind.split("below:")[1])
    if name in OURS:
        return case | {"member": key[1]} | dict.fromkeys(OURS)
    case["quartiles"] |= {o: between(row, ours[o]) if ours.get(o) else None for o in OURS}
    return case | {o: halved(ours[o].share_of(row)) if ours.get(o) else None for o in OURS}


def plain(kind, form):
    """Whether it is of float32, as all peers are."""
    return kind == form if form != "row" else kind.startswith("row/below:")


def c_part(bench):
    """(cases, not_run, least and most repetitions) of a run of posenc-bench --peers. A ratio is one of medians."""
    cases, failed, counts = [], {}, set()
    limits, errors = measured(bench, "limit", "limit")
    failed |= errors
    for job, (own, peer, form) in NAMED.items():
        (mine, errors), (theirs, more) = measured(bench, own, form), measured(bench, peer, form)
        failed |= errors | more
        counts |= {len(row.values) for row in [*mine.values(), *theirs.values()]}
        members = {o: best_member(mine, o) for o in OURS}
        for key, row in mine.items():
            family = next((o for o in OURS if members[o] == key[1]), None)
            if family and plain(key[0], form):
                cases.append(c_case(job, family, key, row, {}, limits))
        for key, row in theirs.items():
            if plain(key[0], form):
                ours = {o: mine.get((key[0], members[o], *key[2:])) for o in OURS}
                cases.append(c_case(job, key[1], key, row, ours, limits))
    return cases, [failure(case, why) for case, why in failed.items()], [min(counts), max(counts)] if counts else None


def failure(case, why):
    """Of a case, whose name says who was to do what; "peer" is null where it is none's."""
    word, name, *_ = case.split("/")
    job = next((job for job, (_, peer, _) in NAMED.items() if word == peer), None)
    return {"name": case, "reason": f"failed in the benchmark: {why}", "peer": name if job else None, "job": job}


def run_of(python, repetitions, quick):
    """How it was measured."""
    found = {"repetitions": repetitions} | {key: python.get(key) for key in ("turns", "large_turns", "seed")}
    return found | {"quick": bool(quick or python.get("quick"))}


def machine_of(context, others):
    if context:
        found = {key: context[key] for key in KEPT if key in context}
        return found | {"emulated": context.get("emulated") == "yes", "processors": context.get("num_cpus")}
    return next((o["machine"] for o in others if isinstance(o.get("machine"), dict)), {})


def join(bench, judged, python, quick=False):
    """judged: [(path, what it holds)]; bench and python are None where that part did not run."""
    context, python = (bench or {}).get("context", {}), python or {}
    cases, not_run, repetitions = c_part(bench) if bench else ([], [], None)
    not_run = [
        {"name": k[len("not_run.") :], "reason": v} for k, v in context.items() if k.startswith("not_run.")
    ] + not_run
    known = {entry["name"] for entry in not_run}  # the judge leaves out what the benchmark does
    from_python, not_judged = python.get("not_run", []), [e for _, report in judged for e in report.get("not_run", [])]
    known |= {entry["name"] for entry in from_python}
    not_run = (
        [entry | {"world": "c"} for entry in not_run]
        + [entry | {"world": "python"} for entry in from_python]
        + [entry | {"world": "c"} for entry in not_judged if entry["name"] not in known]
    )
    cases = cases + python.get("cases", [])
    versions = {name: context[key] for name, key in (("posenc", "posenc"), ("SLEEF", "sleef")) if context.get(key)}
    versions |= {key[len("version.") :]: value for key, value in context.items() if key.startswith("version.")}
    date = (
        context.get("date")
        or python.get("date")
        or datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    )
    return {
        "schema": 1,
        "tool": "posenc-peers",
        "date": date,
        "versions": versions | python.get("versions", {}),
        "machine": machine_of(context, [python, *(report for _, report in judged)]),
        "run": run_of(python, repetitions, quick),
        "not_run": not_run,
        "peers": rows_of(cases, python, tables_of(judged), context),
        "cases": cases,
    }


def severity(table):
    return max(((list(WORDS).index(r["word"]), r["max_abs"] or 0) for r in table["ranges"]), default=(-1, 0))


def tables_of(judged):
    """{(world, name): what posenc-verify says}; of a name that was judged twice, the worse."""
    found = {}
    for source, report in judged:
        for table in report["tables"]:
            path = pathlib.Path(table.get("file") or f"c/{table['name']}")  # C's peers write to a directory named c
            key = "c" if path.parent.name == "c" else "python", path.stem
            if key[1] in OURS or key[1].rpartition("_")[0] in OURS and key[1].rpartition("_")[2] in LEVELS:
                key = "ours", key[1].split("_")[0]
            if any(r["word"] not in WORDS for r in table["ranges"]):
                raise ValueError(f"{source}: {key[1]}: a word of a range is none of {', '.join(WORDS)}")
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
        rows.append(
            {
                "name": name,
                "world": world,
                "what": what,
                "version": version or (context.get("posenc") if name in OURS else None),
                "preset": table.get("preset") or known.get("preset") or "paper",
                "d_model": table.get("d_model"),
                "ranges": table.get("ranges", []),
                "right": table.get("right"),
                "wrong_from": table.get("wrong_from"),
            }
        )
    return rows


def broken(rows):
    """[text] of what ours promise and do not keep: every output of exact correctly rounded, and anchored the right
    table."""
    found = []
    for row in rows:
        words = dict.fromkeys(r["word"] for r in row["ranges"])
        if row["name"] in OURS and not words:
            found.append(f"{row['name']} was not judged")
        elif row["name"] == "exact" and list(words) != ["exact"]:
            worst = next(r for r in row["ranges"] if r["word"] != "exact")
            found.append(
                f"exact is not correctly rounded: \"{worst['word']}\" at positions {worst['from']} to {worst['to'] - 1}"
            )
        elif row["name"] == "anchored" and row["right"] is not True:
            found.append("anchored is not the right table")
    return found


def main(given=None):
    parser = argparse.ArgumentParser(
        prog="join", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", metavar="FILE", help="Google Benchmark's JSON of posenc-bench --peers")
    parser.add_argument(
        "--judge", metavar="FILE", action="append", default=[], help="posenc-verify --json; may be given again"
    )
    parser.add_argument("--python", metavar="FILE", help="python.json of bench/peers/python")
    parser.add_argument(
        "--quick", action="store_true", help="says that few repetitions were made, which posenc-bench does not"
    )
    parser.add_argument("--output", metavar="FILE", required=True, help="the joined file")
    args = parser.parse_args(given)
    if not args.bench and not args.python:
        parser.error("one of --bench and --python is needed: there is nothing to join")
    judged = [(path, load(path, "tables", "file of posenc-verify")) for path in args.judge]
    python = load(args.python, "cases", "file of bench/peers/python") if args.python else None
    data = join(load_bench(args.bench) if args.bench else None, judged, python, args.quick)
    check(args.output, data, "peers")
    write(args.output, json.dumps(data, indent=1) + "\n")
    wrong = broken(data["peers"]) if judged else []
    for text in wrong:
        print(f"peers: {text} ({args.output} is written)", file=sys.stderr)
    return 1 if wrong else 0
