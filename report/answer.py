"""What ./scripts/bench ends with: the table of names to request, and the picks of posenc-bench in a box."""
import textwrap

from . import checks, tables
from .picks import longer, undecided
from .stats import noise, sizes_of
from .tables import Table
from .text import show
from .words import listed, medians, number, pm, scaled, speed, times, ulps

DEFAULT = "exact"  # the library's, where no name is given
RECIPE, WHOSE = (
    "explog",
    "a loop in C with the arithmetic of PyTorch's tutorial",
)  # the framework's recipe that most people copy
WIDTH = 100
NAMED = 6  # of what was left aside


def portable(run, name):
    """The name to ask for: the family's, where the library then takes this one here."""
    family = run.families[name]
    members = [n for n, e in run.entries.items() if e.get("supported", True) and run.families[n] == family]
    return family if members[:1] == [name] else name


def askable(run, names):
    """Of each family the one that its name stands for here, or all where that is not among them."""
    stand = {run.families[n]: n for n in names if portable(run, n) == run.families[n]}
    return [n for n in names if stand.get(run.families[n], n) == n]


def noisy(run):
    return (noise(run.rows) or 0) > checks.NOISE


def lead(run, pick):
    """How the pick compares with the others that can be asked for by their families' names."""
    if pick.undecided:
        return undecided(pick, lambda name: portable(run, name))
    if pick.ties:
        return f"none: ties with {listed(portable(run, n) for n in pick.ties)}"
    others = [n for n in askable(run, pick.against) if run.families[n] != run.families[pick.name]]
    if not others:
        return "no other family within the budget was measured"
    nearest = min(others, key=lambda n: pick.against[n]["behind"])
    doubt = ", undecided" if pick.against[nearest]["verdict"] == "undecided" else ""
    return f"{longer(pick.against[nearest])} faster than {portable(run, nearest)}{doubt}"


def table(run):
    """What each name that can be asked for is here, fastest first."""
    shown = askable(run, [n for n in run.judged() if n in run.here])
    recipe, rows = run.here.get(RECIPE), []
    for n in sorted(shown, key=lambda n: run.here[n].ns):
        rows.append([portable(run, n), n, number(run.error(n)), ulps(run.ulp(n)), speed(run.here[n])])
        rows[-1] += [times(run.here[n], recipe)] if recipe else []
    head = ["ask for", "runs here as", "max error", "max ULP", "GB/s", *([f"x {RECIPE}"] if recipe else [])]
    note = f"errors at {run.reach()}; {medians(run.here)}"
    return Table(tables.title(run), head, rows, note, text=(1,))


def left_aside(run):
    """Everything that was not run, once, by reason. What failed is a warning; what nobody asked for is no news."""
    reasons = {}
    for name, why in run.left_aside().items():
        if name not in run.failed and why != "not run":
            reasons.setdefault(why.removeprefix("not run: "), []).append(name)
    for why, names in reasons.items():
        more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
        yield f"Left out: {listed(names[:NAMED] + more)}: {why}"


def jobs(run):
    """(what, the pick and its speed) of what is not a float32 table"""
    rows = [k[0] for k in run.picks if k[0].startswith("row/below:")]
    kinds = {"Decoder's row": min(rows, key=lambda k: (len(k), k), default=None), "Random rows": "fill_at"}
    kinds |= {"bfloat16": "fill/bfloat16", "posenc_add": "add"}
    for what, kind in kinds.items():
        sizes = [run.size, *sizes_of(run.verified, kind)]
        n, d = next((s for s in sizes if s and run.pick(kind, s)), (0, 0))
        if n:
            pick = run.pick(kind, (n, d))
            row, recipe = run.verified[kind, pick.name, n, d], run.verified.get((kind, RECIPE, n, d))
            doubt = f" ({lead(run, pick)})" if pick.undecided else ""
            reached = f"{pm(scaled(row, d, 0))} ns at d_model {d}" if n == 1 else f"{pm(speed(row))} GB/s at {n} x {d}"
            ratio = f", {pm(times(row, recipe))} times {RECIPE}" if recipe else ""
            yield what, f"{portable(run, pick.name)}{doubt}, {reached}{ratio}"


def lines(run):
    """(label, text) of the box"""
    pick = run.pick()
    if pick:
        yield from of_table(run, pick)
    elif run.ran:
        yield "Use", f"none is picked: {run.unpicked()}"
    yield from jobs(run)


def of_table(run, pick):
    (n, d), recipe, row, name = run.size, run.here.get(RECIPE), run.here[pick.name], portable(run, pick.name)
    default, here = ", the default" if name == DEFAULT else "", run.context.get("cpu", "this processor")
    yield "Use", f"{name}{default}, for tables of {n} x {d}: here it is {pick.name} on {here}"
    than = f", {pm(times(row, recipe))} times {RECIPE}, {WHOSE}" if recipe and pick.name != RECIPE else ""
    yield "Speed", f"{pm(speed(row))} GB/s{than}"
    than = f"; {RECIPE}'s {number(run.error(RECIPE))}" if run.error(RECIPE) is not None else ""
    yield "Error", f"at most {number(run.error(pick.name))}, {ulps(run.ulp(pick.name))} ULP, at {run.reach()}{than}"
    spread = noise(run.rows)
    yield "Lead", lead(run, pick) + (f" (measurement noise {100 * spread:.1f} %)" if spread is not None else "")
    default = [n for n in run.here if name != DEFAULT and portable(run, n) == DEFAULT]
    if default:
        yield "No name", f"means {DEFAULT}: {pm(speed(run.here[default[0]]))} GB/s, always correctly rounded"
    c, python = ("NULL", "") if name == DEFAULT else (f'"{name}"', f', impl="{name}"')
    yield "C", f"posenc_plan_create(&plan, &spec, {c})"
    yield "Python", f"posenc.table({n}, {d}{python})"


def took(seconds):
    return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"


def box(rows):
    side, shown = max(len(label) for label, _ in rows) + 2, []
    for label, text in rows:
        indent = {"initial_indent": label.ljust(side), "subsequent_indent": " " * side}
        shown += textwrap.wrap(text, WIDTH - 4, break_on_hyphens=False, **indent)
    width = max(map(len, shown))
    rule = "─" * (width + 2)
    return "\n".join([f"┌{rule}┐", *(f"│ {line.ljust(width)} │" for line in shown), f"└{rule}┘"])


def show_answer(run, seconds=None, page=None):
    found = table(run)
    if found.rows:
        print()
        show(found)
    aside = list(left_aside(run))
    print("\n".join(["", *aside, ""] if aside else [""]))
    rows = [*lines(run)] or [("Use", "no implementation that was verified was measured")]
    rows += [("Warning", said) for said in checks.of_run(run)]
    ends = [f"in {took(seconds)}"] if seconds is not None else []
    ends += [f"the report: {page}"] if page else []
    rows += [("Done", "; ".join(ends))] if ends else []
    print(box(rows))
