"""The box that ./scripts/bench prints, and the cards of the report: which implementation to use."""
import textwrap

from . import checks, sections, text
from .load import fail, load
from .processors import processor
from .run import Run
from .words import case_name, compared, number, plural, pm, speed, ulps

DEFAULT = "exact"  # the library's, where no name is given
WIDTH, SIDE, LINES = 80, 8, 12  # of the box; SIDE: the width of its labels
CASES = 3  # in which another implementation is clearly faster


def code(name, arguments, before=""):
    """[(language, line)] that make the table with these arguments; before: what C does first"""
    c, python = ("NULL", "") if name == DEFAULT else (f'"{name}"', f', impl="{name}"')
    return [("C", f"{before}posenc_plan_create(&plan, &spec, {c})"), ("Python", f"posenc.table({arguments}{python})")]


def code_here(run, name):
    """The lines for the table of the verdict."""
    arguments, base = ", ".join(map(str, run.size)), f"{run.base():g}"
    more, before = ("", "") if base == "10000" else (f", base={base}", f"spec.base = {base}; ")
    return code(run.request(name), arguments + more, before)


def verdict(run):
    """(label, text): what to use, how to request it, how fast it is, what it costs, and the default beside it."""
    pick = run.pick()
    if not pick:
        return [("Use", f"no implementation is picked: {run.unpicked()}")]
    name, row = run.request(pick.name), run.timed[pick.name]
    how = ", the default," if name == DEFAULT else ", if speed matters," * (run.families[pick.name] != DEFAULT)
    use = f"{name}{how} for tables of {run.measured_table()}, on {processor(run.context)}"
    fast = f"{pm(speed(row))} GB/s; {run.lead(pick)}"
    return [("Use", use), *code_here(run, pick.name), ("Speed", fast), *price(run, pick, run.timed)]


def promise(run, name):
    """What an implementation promises of its values, and how many of those compared are not correctly rounded."""
    if run.families[name] == DEFAULT:
        return "every value correctly rounded"
    right, of = run.correct(name)
    found = f"{of - right:,} of {of:,} compared values are not" if right < of else f"all {of:,} compared values are"
    return f"no guarantee of correct rounding; {found}{' correctly rounded' * (right == of)}"


def price(run, pick, rows):
    """What a pick other than exact gives up, and the default beside another pick. rows: {name: its case}"""
    found = [("Price", promise(run, pick.name))] * (run.families[pick.name] != DEFAULT)
    row = rows.get(run.context.get("default"))
    if row and row.case.who != pick.name:
        found += [("Or", f"{DEFAULT}, the default: {pm(speed(row))} GB/s, {promise(run, row.case.who)}")]
    return found


def cards(run):
    """(a sentence, [(heading, [(label, text)])]): the default, and beside it the pick, or the fastest alternative if the
    default is the pick."""
    pick, default = run.pick(), run.context.get("default")
    if not pick:
        return f"No implementation is picked: {run.unpicked()}.", []
    said, heads = f"For tables of {run.measured_table()}, use {run.request(pick.name)}", {default: "the default"}
    best = "fastest implementation" if pick.name == pick.fastest else "pick"
    heads.setdefault(pick.name, f"the {best} within {run.budget.ulp:g} ULP")
    others = [n for n in pick.against if run.families[n] != DEFAULT]
    if pick.name in others:
        said += f" if speed matters. Keep the default, {DEFAULT}, if every value must be correctly rounded"
    elif pick.name != default:
        said += f". It computes the same values as the default, {DEFAULT}"
    if others and pick.name not in others:
        heads[min(others, key=lambda n: pick.against[n].behind)] = "the fastest alternative"
    return f"{said}.", [(f"{run.request(n)}: {heads[n]}", card(run, pick, n)) for n in heads if n in run.timed]


def card(run, pick, name):
    fast = f"{pm(speed(run.timed[name]))} GB/s" + f"; {run.lead(pick)}" * (name == pick.name)
    error = f"largest error {number(run.error(name))} ({ulps(run.ulp(name))} ULP) {run.reach()}"
    label = "Values" if run.families[name] == DEFAULT else "Price"
    return [("Speed", fast), (label, f"{promise(run, name)}; {error}"), *code_here(run, name)]


def other_cases(run, most):
    """Sentences on the cases in which another implementation is clearly faster."""
    found = run.clearly_faster()
    cases = [(case_name(work).rsplit(", ", 1), run.request(p.fastest), c) for work, p, c in found[:most]]
    shown = [f"for {' ('.join(case)}{')' * (len(case) - 1)} {name} is {compared(c)}" for case, name, c in cases]
    rest = plural(len(found) - len(shown), "other case")
    if len(found) > len(shown):
        shown[-1:] = [f"{shown[-1]}; {rest}" if shown else f"another one is faster in {rest}"]
    return shown


def took(seconds):
    return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"


def wrapped(said, width, label="", side=0):
    """Its lines. A number keeps its unit: textwrap does not break at "\\xa0"."""
    indent = {"initial_indent": label.ljust(side), "subsequent_indent": " " * side}
    lines = textwrap.wrap(said.replace(" %", "\xa0%"), width, break_on_hyphens=False, **indent)
    return [line.replace("\xa0", " ") for line in lines]


def box(run, seconds=None, page=None):
    """The warnings, and below them the box."""
    end = [("Report", page)] * bool(page) + [("Time", took(seconds or 0))] * (seconds is not None)
    for most in range(CASES, -1, -1):
        others = [("But" * (i == 0), said) for i, said in enumerate(other_cases(run, most))]
        rows = [*verdict(run), *others, *end]
        lines = [line for label, said in rows for line in wrapped(said, WIDTH - 4, label, SIDE)]
        if len(lines) <= LINES:
            break
    rule = "─" * (WIDTH - 2)
    warnings = [line for said in checks.of_run(run) for line in wrapped(f"Warning: {said}", WIDTH)]
    return "\n".join([*warnings, f"┌{rule}┐", *(f"│ {line.ljust(WIDTH - 4)} │" for line in lines), f"└{rule}┘"])


def main(args):
    run = Run(load(args.verify, "verify"), load(args.bench, "bench"))
    if not run.rows:
        fail(f"{args.bench}: no implementation was run")
    if args.verbose:
        for section in sections.sections(run):
            text.show_section(section)
    print("\n" + box(run, args.seconds, args.page))
