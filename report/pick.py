"""The answer of scripts/pick: which implementation to use for one table and one budget of error."""
import math
import sys

from . import judge, text
from .answer import code, price
from .load import check, fail, load
from .processors import processor
from .run import STANDARD, Run
from .tables import Table
from .words import compared, plural, speed


def spec(of):
    """The fields that differ from the paper's, in words."""
    usual = STANDARD | {"denominator": of["d_model"] / 2}
    changes = [of[key] for key in ("layout", "order") if of[key] != usual[key]]
    changes[:0] = [f"{key} {of[key]:g}" for key in ("denominator", "position_scale") if of[key] != usual[key]]
    changes += ["last column zero"] if of["odd"] == "zero" and of["d_model"] % 2 else []
    preset, base, dtype = of["preset"] or "paper", f"base {of['base']:g}", of["dtype"]
    return ", ".join([f"preset {preset}", f"d_model {of['d_model']}", base, *changes, dtype])


def conditions(run, ranges, rows, budget):
    """The table, how many of its rows were compared and measured, the processor and the budget."""
    start, end = ranges[0]["from"], ranges[-1]["to"]
    judged, of = sum(r["rows"] for r in ranges), end - start
    measured = next((row.case.n for row in rows.values()), 0)
    yield f"table: {spec(ranges[0])}, positions {start} to {end - 1}"
    sample = "a sample, " if judged < of else ""
    at = f", output {run.context.get('offset')} bytes after a multiple of 64" if rows else ""
    yield f"compared with MPFR: {sample}{judged} of {plural(of, 'row')}; measured: {plural(measured, 'row')}{at}"
    yield f"processor: {processor(run.machine | run.context)}"
    yield f"budget: {budget}"


def reason(entry, budget, dtype):
    """Why an implementation cannot be picked; or nothing."""
    if not entry.get("supported", True):
        return f"not run: this CPU lacks its instructions ({entry['isa']})"
    if entry.get("failure"):
        return f"failed verification: {entry['failure']}"
    if not entry.get("ranges"):
        return "does not offer this table"
    return "" if judge.keeps(entry, budget, dtype) else "beyond the budget"


def seven_digits(error):
    """Enough to tell an error from a budget that it is just beyond."""
    return "∞" if error == math.inf else f"{error:.7g}".replace("e-0", "e-")


def implementations(run, rows, reasons, dtype, pick):
    lines = []
    for name, entry in run.entries.items():
        errors, measured = judge.errors(entry, dtype), pick and pick.against.get(name)
        cells = [*map(seven_digits, errors or ())] or ["-", "-"]
        took = reasons[name] or "not measured"
        if measured:
            took = compared(measured, ("more", "less")) + f", {measured.verdict}" * (measured.verdict != "slower")
        took = "the fastest" if pick and name == pick.fastest else took
        lines.append([name, *cells, speed(rows[name]) if measured else "-", took])
    head = ["implementation", "max ULP", "largest error", "GB/s", "time beside the fastest"]
    return Table("Errors and speeds", head, lines, text=(4,))


def answer(run, failure, pick, rows):
    if failure:
        return [f"Pick: none, the measurement failed: {failure}"]
    if not pick:
        return ["Pick: none is within the budget"]
    name = run.request(pick.name)
    here = f", here {pick.name}" * (name != pick.name)
    lines = [*code(name, "..."), *price(run, pick, rows)]
    return [f"Pick: {name}{here}: {run.lead(pick)}", *(f"  {what + ':':7} {line}" for what, line in lines)]


def main(args):
    verify, turns = load(args.verify, "verify"), [load(path, "bench") for path in args.bench]
    check(args.verify, verify, "pick")
    context = turns[0].get("context", {}) if turns else {}
    run = Run(verify, {"context": context, "benchmarks": [b for turn in turns for b in turn["benchmarks"]]})
    run.compared = run.spans  # all of the one table, also where fewer rows were measured
    ranges = next((e["ranges"] for e in run.entries.values() if e.get("ranges")), None)
    if not ranges:
        fail(f"{args.verify}: no implementation offers this table")
    budget = judge.Budget(*(math.inf if x is None else x for x in (args.max_ulp, args.max_abs)))
    budget = judge.Budget() if budget == (math.inf, math.inf) else budget
    dtype, pick, failure = ranges[0]["dtype"], None, next(iter(run.errors.values()), None)
    rows = {case.who: row for case, row in run.rows.items()}
    reasons = {name: reason(entry, budget, dtype) for name, entry in run.entries.items()}
    times = {name: rows[name].values for name, why in reasons.items() if not why and name in rows}
    if times and not failure:
        pick = judge.pick(times, run.context.get("default"))
    print("\n".join(conditions(run, ranges, rows, budget)) + "\n")
    text.show(implementations(run, rows, reasons, dtype, pick))
    print("\n" + "\n".join(answer(run, failure, pick, rows)))
    if run.emulated:
        print("warning: this CPU is emulated: times say nothing about a real one", file=sys.stderr)
    return 2 if failure else 0 if pick else 1


def failed(args):
    """Prints the names that posenc-bench must skip."""
    entries = {e["name"]: e for e in load(args.verify, "verify")["implementations"]}
    print("".join(f"{name}\n" for name in judge.failed(entries)), end="")
