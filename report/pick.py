"""The answer of scripts/pick: which implementation to use for one table and one budget of error."""
import math
import sys

from . import judge
from .load import fail, load
from .processors import processor
from .run import STANDARD, request
from .stats import read_bench
from .words import plural


class Table:
    """entries: {name: its entry in the report}, in the order of impl/list.inc; ranges: of positions, of one
    implementation; context: of the turns; rows: {name: its times in all turns}; error: why a case failed, or None"""

    def __init__(self, verify, turns):
        self.entries = {e["name"]: e for e in verify["implementations"]}
        self.ranges = next((e["ranges"] for e in self.entries.values() if e.get("ranges")), [])
        self.context = turns[0].get("context", {})
        rows, errors = read_bench({"benchmarks": [b for turn in turns for b in turn["benchmarks"]]})
        self.rows, self.error = {case.who: row for case, row in rows.items()}, next(iter(errors.values()), None)


def spec(of):
    """The fields that differ from the paper's, in words."""
    usual = STANDARD | {"denominator": of["d_model"] / 2}
    changes = [of[key] for key in ("layout", "order") if of[key] != usual[key]]
    changes[:0] = [f"{key} {of[key]:g}" for key in ("denominator", "position_scale") if of[key] != usual[key]]
    changes += ["last column zero"] if of["odd"] == "zero" and of["d_model"] % 2 else []
    preset, base, dtype = of["preset"] or "paper", f"base {of['base']:g}", of["dtype"]
    return ", ".join([f"preset {preset}", f"d_model {of['d_model']}", base, *changes, dtype])


def head(table, budget):
    """The table, how many of its rows were compared and measured, the processor and the budget."""
    start, end = table.ranges[0]["from"], table.ranges[-1]["to"]
    compared, of = sum(r["rows"] for r in table.ranges), end - start
    measured = next((row.case.n for row in table.rows.values()), 0)
    yield f"table: {spec(table.ranges[0])}, positions {start} to {end - 1}"
    sample = "a sample, " if compared < of else ""
    at = f"output at {table.context.get('offset')} modulo 64"
    yield f"compared with MPFR: {sample}{compared} of {plural(of, 'row')}; measured: {plural(measured, 'row')}, {at}"
    yield f"processor: {processor(table.context)}"
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


def lines(table, budget, dtype, pick):
    titles = ("implementation", "max ULP", "max error", "GB/s", "+-", "took longer than the fastest")
    yield "{:18} {:>12} {:>9} {:>8} {:>6}  {}".format(*titles)
    for name, entry in table.entries.items():
        line, errors, why = f"{name:18}", judge.errors(entry, dtype), reason(entry, budget, dtype)
        if errors:
            line += f" {errors[0]:12.7g} {errors[1]:9.2e}"
        if pick and name in pick.against:
            row, (behind, unsure, word) = table.rows[name], pick.against[name]
            line += f" {row.gb_s:8.2f} {row.gb_s * (row.spread or 0) / 2:6.2f}  "
            unsure = math.nan if unsure is None else unsure
            line += "the fastest" if name == pick.fastest else f"{100 * behind:.1f} +- {100 * unsure:.1f} %, {word}"
        yield line + f"  {why}" * bool(why)


def answer(table, pick):
    if table.error:
        return [f"Pick: none, the measurement failed: {table.error}"]
    if not pick:
        return ["Pick: none is within the budget"]
    name = request(table.entries, pick.name)
    said = f"Pick: {name}" + f", here {pick.name}" * (name != pick.name)
    if pick.undecided:
        said += f", undecided against {pick.fastest}"
    else:
        said += "".join(f", ties with {n}" for n, c in pick.against.items() if c.verdict == "tie" and n != pick.name)
    is_default = pick.name == table.context.get("default")
    c, python = ("NULL", "") if is_default else (f'"{name}"', f', impl="{name}"')
    return [said, f"  C:      posenc_plan_create(&plan, &spec, {c})", f"  Python: posenc.table(...{python})"]


def main(args):
    table = Table(load(args.verify, "verify"), [load(path, "bench") for path in args.bench])
    if not table.ranges:
        fail(f"{args.verify}: no implementation offers this table")
    budget = judge.Budget(*(math.inf if x is None else x for x in (args.max_ulp, args.max_abs)))
    budget = judge.Budget() if budget == (math.inf, math.inf) else budget
    dtype, pick = table.ranges[0]["dtype"], None
    within = [n for n, e in table.entries.items() if not reason(e, budget, dtype)]
    times = {n: table.rows[n].values for n in within if n in table.rows}
    if times and not table.error:
        pick = judge.pick(times, table.context.get("default"))
    parts = head(table, budget), lines(table, budget, dtype, pick), answer(table, pick)
    print("\n\n".join("\n".join(part) for part in parts))
    if table.context.get("emulated") == "yes":
        print("warning: this CPU is emulated: times say nothing about a real one", file=sys.stderr)
    return 2 if table.error else 0 if pick else 1


def failed(args):
    """What posenc-bench is to --skip."""
    entries = {e["name"]: e for e in load(args.verify, "verify")["implementations"]}
    print("".join(f"{name}\n" for name in judge.failed(entries)), end="")
