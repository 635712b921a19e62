"""The box that ./scripts/bench prints, and the verdict card of the report: which implementation to use."""
import textwrap

from . import checks, sections, tables, text
from .load import fail, load
from .processors import processor
from .run import Run
from .words import case_name, compared, number, plural, pm, speed, ulps

DEFAULT = "exact"  # the library's, where no name is given
WIDTH, LINES = 80, 12  # of the box
CASES = 3  # in which another implementation is clearly faster


def code(name, arguments, before=""):
    """[(language, line)] that make the table with these arguments; before: what C does first"""
    c, python = ("NULL", "") if name == DEFAULT else (f'"{name}"', f', impl="{name}"')
    return [("C", f"{before}posenc_plan_create(&plan, &spec, {c})"), ("Python", f"posenc.table({arguments}{python})")]


def verdict(run):
    """(label, text): what to use, how to request it, how fast it is, what it costs, and the default beside it."""
    pick = run.pick()
    if not pick:
        return [("Use", f"no implementation is picked: {run.unpicked()}")]
    name, row, base = run.request(pick.name), run.timed[pick.name], f"{run.base():g}"
    default = ", the default," if name == DEFAULT else ""
    use = f"{name}{default} for tables of {run.measured_table()}, on {processor(run.context)}"
    arguments, before = ", ".join(map(str, run.size)), ""
    if base != "10000":
        arguments, before = f"{arguments}, base={base}", f"spec.base = {base}; "
    fast = f"{pm(speed(row))} GB/s; {run.lead(pick)}"
    return [("Use", use), *code(name, arguments, before), ("Speed", fast), *price(run, pick, run.timed)]


def price(run, pick, rows, dtype="float32", spans=None):
    """What a pick other than exact gives up, and the default beside another pick. rows: {name: its case}"""
    right, of = run.correct(pick.name, spans)
    said = f"not guaranteed to be the nearest {dtype}: {of - right:,} of {of:,} values compared are not"
    found, row = [("Price", said)] * (run.families[pick.name] != DEFAULT), rows.get(run.context.get("default"))
    if row and row.case.who != pick.name:
        found += [("Or", f"{DEFAULT}, the default: {pm(speed(row))} GB/s, every value correctly rounded")]
    return found


def error(run, pick):
    budget = f" (the budget: {run.budget})"
    return f"at most {number(run.error(pick.name))}, {ulps(run.ulp(pick.name))} ULP, {run.reach()}{budget}"


def other_cases(run, most):
    """Sentences on the cases in which another implementation is clearly faster."""
    found = run.clearly_faster()
    shown = [f"for {case_name(work)}: {run.request(p.fastest)} is {compared(c)}" for work, p, c in found[:most]]
    more = len(found) - len(shown)
    if more:
        shown[-1:] = [f"{shown[-1]}; {more} more"] if shown else [f"another one is faster in {plural(more, 'case')}"]
    return shown


def took(seconds):
    return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"


def wrapped(rows):
    side, lines = max(len(label) for label, _ in rows) + 2, []
    for label, text in rows:
        indent = {"initial_indent": label.ljust(side), "subsequent_indent": " " * side}
        joined = text.replace(" %", "\xa0%")  # at which textwrap does not break
        lines += textwrap.wrap(joined, WIDTH - 4, break_on_hyphens=False, **indent)
    return [line.replace("\xa0", " ") for line in lines]


def box(run, seconds=None, page=None):
    """The warnings, and below them the box."""
    time = "" if seconds is None else took(seconds)
    end = [("Report", page)] * bool(page) + [("Time", time)] * bool(time)
    for most in range(CASES, -1, -1):
        others = [("But" if i == 0 else "", text) for i, text in enumerate(other_cases(run, most))]
        lines = wrapped([*verdict(run), *others, *end])
        if len(lines) <= LINES:
            break
    rule = "─" * (WIDTH - 2)
    warnings = [textwrap.fill(f"Warning: {said}", WIDTH) for said in checks.of_run(run)]
    return "\n".join([*warnings, f"┌{rule}┐", *(f"│ {line.ljust(WIDTH - 4)} │" for line in lines), f"└{rule}┘"])


def main(args):
    run = Run(load(args.verify, "verify"), load(args.bench, "bench"))
    if not run.rows:
        fail(f"{args.bench}: no implementation was run")
    if args.verbose:
        for table in (t for t in (tables.legend(run), tables.left_out(run)) if t.rows):
            text.show(table)
            print()
        for section in sections.sections(run):
            text.show_section(section)
    print("\n" + box(run, args.seconds, args.page))
