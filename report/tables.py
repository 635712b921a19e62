"""The tables of a run of posenc-bench and of a report of posenc-verify, for text, HTML and Markdown."""
import dataclasses
import math

from . import judge
from .stats import SIZES, STORES, limit_of
from .words import case_name, listed, number, percent, position, scaled, share, speed, three, times, ulps

RECIPE = "explog"  # the framework's recipe that most people copy, as a loop in C
NEAREST = "For a size that is not listed, take the answer of the nearest one."
VALUE = "ns/value"
FAR = 131072  # the position to which errors are shown beside those of the measured table


@dataclasses.dataclass
class Table:
    """A cell is a text, or a pair of a value and what follows its ±. The first column names the row; the columns
    numbered in text are aligned left; bold: the names of rows that are emphasized on the page; bars: for each row the
    length of the bar behind its last cell, as a share of the cell; gap: the rows above a gap, or 0."""

    title: str
    head: list
    rows: list
    note: str = ""
    text: tuple = ()
    bold: tuple = ()
    bars: tuple = ()
    gap: int = 0


@dataclasses.dataclass
class Section:
    """finding: a sentence that says what the section shows; notes: more sentences; folds: {line: the tables that the
    page hides behind it}; figures: [(picture, its heading, its caption)] of the page."""

    heading: str
    finding: str = ""
    tables: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    folds: dict = dataclasses.field(default_factory=dict)
    figures: list = dataclasses.field(default_factory=list)


def named(name):
    """An implementation, with where the recipe comes from."""
    return f"{name} (PyTorch tutorial)" if name == RECIPE else name


def split(table):
    """Its lines of plain cells: what follows a ± has a column of its own."""
    pairs = [any(isinstance(row[i], tuple) and row[i][1] for row in table.rows) for i in range(len(table.head))]
    lines = [[c for name, has in zip(table.head, pairs) for c in ([name, "+-"] if has else [name])]]
    for row in table.rows:
        line = []
        for value, has in zip(row, pairs):
            value, spread = value if isinstance(value, tuple) else (value, "")
            line += [value, spread or "-"] if has else [value]
        lines.append(line)
    return lines


def limit_text(row):
    kind = "plain" if row.case.call == "store" else "non-temporal"
    return f"limit: {row.gb_s:.1f} GB/s, {kind} stores of {row.case.who[2:]} bytes"


def works(run):
    """What to use for each work, beside the fastest of another family."""
    rows = []
    for work in (work for work in works_of(run) if work.offset is None):
        pick = run.pick(work)
        rivals = [n for n in pick.against if run.families[n] != run.families[pick.name]] if pick else []
        if rivals:
            rival = min(rivals, key=lambda n: pick.against[n].ratio)
            c = judge.compare(*(run.verified[work.by(n)].values for n in (rival, pick.name)))
            said = times(c).replace("as fast", f"as fast as {run.request(rival)}", 1)
            rows.append([case_name(work), run.request(pick.name), said])
    title = f"Within {run.budget.ulp:g} ULP at the positions of the work, on this machine"
    return Table(title, ["work", "use", "how fast"], rows, NEAREST, (1, 2))


def accuracy_class(run, name):
    ulp = run.ulp(name)
    if ulp is not None and ulp <= run.budget.ulp:
        return f"Within {run.budget.ulp:g} ULP {run.reach()}"
    angles = "Float32 angles: the error grows with the position"
    return angles if run.entries[name].get("arithmetic", "").startswith("float32") else "Others"


def wrong_values(run, names):
    """How many values of each family, or of its members where they differ, are not correctly rounded: what an
    implementation other than exact may give up."""
    found = {}
    for n in names:
        found.setdefault((run.families[n], *run.correct(n)), []).append(n)
    families, said = [family for family, *_ in found], []
    for (family, right, of), members in found.items():
        who = family if families.count(family) == 1 else listed(members)
        guaranteed = " (guaranteed)" if family == "exact" else ""
        said.append(f"{who} {of - right:,} of {of:,}{guaranteed}")
    return f"Values that are not correctly rounded: {', '.join(said)}"


def reached(run):
    """The ranges of positions whose errors are beside the speeds: those of the measured table, and all to FAR."""
    far = [s for s in run.spans if s[1] <= FAR]
    return [run.compared, far] if len(far) > len(run.compared) and not run.one else [run.compared]


def implementations(run):
    """A table for each class of accuracy, fastest first, with bars for the speeds."""
    ran, classes, pick = run.timed if run.ranked else {}, {}, run.pick()
    for n in sorted(run.judged(), key=lambda n: ran[n].ns if n in ran else math.inf):
        classes.setdefault(accuracy_class(run, n), []).append(n)
    far, top = reached(run), max((row.gb_s for row in ran.values()), default=1)
    head = ["implementation", *(f"error to {position(s[-1][1])}" for s in far), f"ULP to {position(far[-1][-1][1])}"]
    for title, names in sorted(classes.items(), key=lambda item: not item[0].startswith("Within")):
        rows = []
        for n in names:
            errors = [*(number(run.error(n, s)) for s in far), ulps(run.ulp(n, far[-1]))]
            rows.append([named(n), *errors, three(ran[n].ns) if n in ran else "-", speed(ran.get(n))])
        bars = [ran[n].gb_s / top if n in ran else 0 for n in names]
        note = wrong_values(run, names) if title.startswith("Within") else ""
        yield Table(title, [*head, VALUE, "GB/s"], rows, note, bold=(pick.name,) if pick else (), bars=bars)


def left_out(run):
    found, lacking = run.left_out(), run.lacking()
    title = f"Not run here: {len(found)}"
    if {*found} <= {*lacking}:
        isas = dict.fromkeys("AVX-512" if isa == "avx512" else isa.upper() for isa in lacking.values())
        title += f", for want of {listed(isas)}"
    return Table(title, ["what", "why"], [list(item) for item in found.items()], text=(1,))


def accuracy(run):
    rows = []
    for n in run.judged():
        bound, errors = run.entries[n].get("bound", {}), map(number, run.errors_by_position(n))
        said = f"{bound.get('law', '?')} ({bound.get('evidence', '?')})"
        found = [share(*run.correct(n)), *(ulps(run.ulp(n, spans)) for spans in reached(run))]
        rows.append([n, *errors, *found, said])
    end, *far = (position(spans[-1][1]) for spans in reached(run))
    head = ["implementation", *(f"to {position(end)}" for _, end in run.spans)]
    head += [f"correctly rounded, to {end}", *(f"ULP to {end}" for end in (end, *far)), "stated bound"]
    return Table(f"Largest error up to each position, {run.judged_table()}", head, rows, text=(len(head) - 1,))


def speeds(run, work):
    """One work, fastest first."""
    found = {case.who: row for case, row in run.verified.items() if case.work == work}
    limit, lines = limit_of(run.verified, work), []
    units = {"plan": ("us", 1e-3, 2), "fresh": ("ms", work.n * work.d * 1e-6, 1), "row": ("ns/row", work.d, 1)}
    unit, *scale = units.get(work.call, ("GB/s",))
    head = ["implementation", *([unit] if scale else [VALUE, unit])]
    if limit:
        head.append("of limit")
    if RECIPE in found:
        head.append(f"times {RECIPE}")
    for name, row in sorted(found.items(), key=lambda item: item[1].ns):
        line = [name, *([scaled(row, *scale)] if scale else [three(row.ns), speed(row)])]
        if limit:
            line.append(percent(row, limit))
        if RECIPE in found:
            line.append(three(found[RECIPE].ns / row.ns))
        lines.append(line)
    return Table(case_name(work), head, lines, limit_text(limit) if limit else "")


def works_of(run):
    """All works but limits: float32 tables first; small ones first."""

    def rank(work):
        kind = not work.is_table, work.call, work.offset is not None, work.kind, work.dtype
        return *kind, work.end or 0, work.n * work.d, work.d

    return sorted({case.work for case in run.verified if case.call not in ("convert", *STORES)}, key=rank)
