"""What ./scripts/bench ends with: the one table that decides, and the answer in a box.

Who is faster is said by the verdicts of posenc-bench (bench/shim/compare.h), here as on the page. A choice is decided
when all others are slower or tie; where one of another family is "unclear", it is not decided."""
import textwrap

from . import checks, tables
from .picks import fastest_of, within
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


class Choice:
    """Which of some names to use. name: of those that no other is known to be slower than, the first in the list of
    implementations, which is the simplest; asked: the name to ask for; row: what it took; unsure: the families that it
    was not told apart from; how: how sure it is, in words."""

    def __init__(self, run, names, rows):
        fastest, families = fastest_of(run, names, rows), run.families
        known = {(v["case"], v["against"]): v for v in run.bench.get("verdicts", [])}
        names = {*askable(run, names), fastest}
        verdicts = {n: known.get((rows[n].name, rows[fastest].name), {}) for n in run.order if n in names}
        compared = len(names) == 1 or any(verdicts.values())
        verdicts = {n: v for n, v in verdicts.items() if v or n == fastest or not compared}
        said = {n: v.get("verdict", "unclear") for n, v in verdicts.items()} | {fastest: "tie"}
        best = [n for n in said if said[n] in ("tie", "unclear")]
        best = best if compared else [*(n for n in names if portable(run, n) == DEFAULT), fastest]
        default = [n for n in best if portable(run, n) == DEFAULT and "unclear" in said.values()]
        self.name = [*default, *best][0]
        self.asked, self.row = portable(run, self.name), rows[self.name]
        others = [n for n in best if families[n] != families[self.name]]
        unsure = [n for n in others if "unclear" in (said[n], said[self.name])]
        self.unsure = [portable(run, n) for n in unsure]
        tied = [portable(run, n) for n in others if n not in unsure]
        # Which is behind the fastest, and by how much: this one, or the nearest of another family.
        behind, than = [n for n in said if said[n] != "tie" and families[n] != families[self.name]], ""
        if said[self.name] == "unclear" and families[fastest] != families[self.name]:
            behind, than = [self.name], f" than {portable(run, fastest)}"
        nearest = min((n for n in behind if share(verdicts[n])), key=lambda n: verdicts[n]["behind"], default=None)
        longer = [f"{portable(run, nearest)} took {share(verdicts[nearest])} longer{than}"] if nearest else []
        if not compared:
            self.how = "not decided: there is no verdict, which takes 6 repetitions in random order"
        elif unsure:
            busy = "the machine was too busy to decide"
            self.how = ": ".join([busy if noisy(run) else f"not told apart from {listed(self.unsure)}", *longer])
        else:
            ties = [f"{listed(tied)} {'ties' if len(tied) == 1 else 'tie'} with it"] if tied else []
            self.how = "; ".join([*ties, *longer]) or "nothing else so accurate was measured"


def noisy(run):
    return (noise(run.rows) or 0) > checks.NOISE


def chosen(run):
    """For the table, of those within 1 ULP; None where none of them ran, or errors and speeds are not compared."""
    here = [n for n in within(run) if n in run.here]
    return Choice(run, here, run.here) if run.ranked and here else None


def share(verdict):
    """ "31 ± 4 %", of a verdict that says it"""
    if None in (verdict.get("behind"), verdict.get("unsure")):
        return ""
    return f"{100 * verdict['behind']:.0f} ± {100 * verdict['unsure']:.0f} %"


def table(run):
    """What each name that can be asked for is here, fastest first."""
    shown = askable(run, [n for n in run.judged() if n in run.here])
    recipe, rows = run.here.get(RECIPE), []
    for n in sorted(shown, key=lambda n: run.here[n].ns):
        rows.append([portable(run, n), n, number(run.error(n)), ulps(run.ulp(n)), speed(run.here[n])])
        rows[-1] += [times(run.here[n], recipe)] if recipe else []
    head = ["ask for", "runs here as", "max error", "max ULP", "GB/s", *([f"x {RECIPE}"] if recipe else [])]
    note = f"errors at {run.reach()}; {medians(run.here)}; of what took longer, the 95 % interval"
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


def jobs(run, names):
    """(what, Choice, its speed) of what is not a float32 table"""
    rows = [k[0] for k in run.verified if k[0].startswith("row/below:")]
    kinds = {"Decoder's row": min(rows, key=lambda k: (len(k), k), default=None), "Random rows": "fill_at"}
    kinds |= {"bfloat16": "fill/bf16", "posenc_add": "add"}
    for what, kind in kinds.items():
        sizes = [run.size, *sizes_of(run.verified, kind)]
        found = [{k[1]: r for k, r in run.verified.items() if (k[0], *k[2:]) == (kind, *(s or ()))} for s in sizes]
        here = next(({n: f[n] for n in names if n in f} for f in found if {*f} & {*names}), None)
        if here:
            choice = Choice(run, list(here), here)
            _, _, n, d = choice.row.key
            reached = f"{pm(scaled(choice.row, d, 0))} ns" if n == 1 else f"{pm(speed(choice.row))} GB/s"
            recipe = run.verified.get((choice.row.key[0], RECIPE, n, d))
            reached += f" at {n} x {d}" if n > 1 else f" at d_model {d}"
            yield what, choice, reached + (f", {pm(times(choice.row, recipe))} times {RECIPE}" if recipe else "")


def lines(run):
    """(label, text) of the box"""
    near, found = within(run), chosen(run)
    if found:
        yield from of_table(run, found)
    elif run.ranked:
        best = min((n for n in run.judged() if n in run.here), key=run.error)
        yield "Use", f"nothing measured is within 1 ULP; the most accurate, {best}, is off by {number(run.error(best))}"
    elif run.ran:
        yield "Use", f"none is picked: {run.unranked()}"
    if not run.emulated and not run.another_table():
        for what, choice, reached in jobs(run, near):
            who = f"{choice.asked} or {listed(choice.unsure)}" if choice.unsure else choice.asked
            yield what, f"{who}, {reached}; {choice.how}"


def of_table(run, choice):
    (n, d), recipe, row, name = run.size, run.here.get(RECIPE), choice.row, choice.asked
    default = ", the default" if name == DEFAULT else ""
    until = ", until another run decides" if choice.unsure else ""
    here = f"{choice.name} on {run.context.get('cpu', 'this processor')}"
    yield "Use", f"{name}{default}{until}, for tables of {n} x {d}: here it is {here}"
    than = f", {pm(times(row, recipe))} times {RECIPE}, {WHOSE}" if recipe and choice.name != RECIPE else ""
    yield "Speed", f"{pm(speed(row))} GB/s{than}"
    than = f"; {RECIPE}'s {number(run.error(RECIPE))}" if run.error(RECIPE) is not None else ""
    yield "Error", f"at most {number(run.error(choice.name))}, {ulps(run.ulp(choice.name))} ULP, at {run.reach()}{than}"
    spread = noise(run.rows)
    yield "How sure", choice.how + (f"; noise {100 * spread:.1f} %" if spread is not None else "")
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
