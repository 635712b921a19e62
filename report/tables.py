"""The tables of a run of posenc-bench and of a report of posenc-verify, for text, HTML and Markdown."""
import dataclasses

from .stats import STORES, Case, fills, limit_of, pages, sizes_in
from .words import case_name, listed, medians, number, percent, pm, position, scaled, share, span, speed, times, ulps

RECIPE = "explog"  # the framework's recipe that most people copy, as a loop in C
NEAR, CLIFF = 16, 15  # columns to a neighbouring width; per cent that are pointed out
SOME_ROWS = "* some rows only, spread over the table"


@dataclasses.dataclass
class Table:
    """A cell is a text, or a pair of a value and what follows its ±. The first column names the row; the columns
    numbered in text are aligned left; bold: the names of the rows that stand out on the page."""

    title: str
    head: list
    rows: list
    note: str = ""
    text: tuple = ()
    bold: tuple = ()


@dataclasses.dataclass
class Section:
    """finding: a sentence that says what the section shows; notes: more sentences; picture: its name in html.py;
    more: tables that the page folds together."""

    heading: str
    finding: str
    tables: list
    notes: list = dataclasses.field(default_factory=list)
    more: list = dataclasses.field(default_factory=list)
    picture: object = None


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
    if not row:
        return "limit: not measured"
    kind = "plain" if row.case.call == "store" else "non-temporal"
    return f"limit: {row.gb_s:.1f} GB/s, {kind} stores of {row.case.who[2:]} bytes"


def ranking(run):
    """The measured and judged implementations, fastest first."""
    return sorted((n for n in run.judged() if n in run.timed), key=lambda n: run.timed[n].ns)


def legend(run):
    """What the scatter plots, by number."""
    rows, pick = [], run.pick()
    for i, n in enumerate(ranking(run)):
        row = run.timed[n]
        cells = [number(run.error(n)), ulps(run.ulp(n)), speed(row), percent(row, run.limit)]
        rows.append([f"{i + 1}. {n}", *cells, times(row, run.timed.get(RECIPE))])
    head = ["implementation", "largest error", "max ULP", "GB/s", "of limit", f"x {RECIPE}"]
    note = f"Errors {run.reach()}, {run.judged_table()}. Speeds of {run.measured_table()}: {medians(run.timed)}; "
    note += f"{pages(run.rows)}; {limit_text(run.limit)}."
    bold = [row[0] for row in rows if pick and row[0].endswith(f" {pick.name}")]
    return Table("Implementations, fastest first", head, rows, note, bold=tuple(bold))


def left_out(run):
    return Table("Rejected or left out", ["what", "why"], [list(item) for item in run.left_out().items()], text=(1,))


def accuracy(run):
    rows = []
    for n in run.judged():
        bound, errors = run.entries[n].get("bound", {}), map(number, run.errors_by_position(n))
        said = f"{bound.get('law', '?')} ({bound.get('evidence', '?')})"
        rows.append([n, *errors, share(*run.correct(n)), ulps(run.ulp(n)), said])
    head = ["implementation", *(f"to {position(end)}" for _, end in run.spans)]
    head += ["correctly rounded", "max ULP", "stated bound"]
    note = f"ULP and shares: {run.reach()}"
    return Table(f"Largest |error| up to each position, {run.judged_table()}", head, rows, note, (len(head) - 1,))


def speeds(run, work):
    """One work, fastest first."""
    found = {case.who: row for case, row in run.verified.items() if case.work == work}
    limit, lines = limit_of(run.verified, work), []
    units = {"plan": ("us", 1e-3, 2), "fresh": ("ms", work.n * work.d * 1e-6, 1), "row": ("ns/row", work.d, 1)}
    unit, *scale = units.get(work.call, ("GB/s",))
    for name, row in sorted(found.items(), key=lambda item: item[1].ns):
        line = [name + "*" * row.is_part, scaled(row, *scale) if scale else speed(row)]
        lines.append(line + [percent(row, limit)] * bool(limit) + [times(row, found.get(RECIPE))] * (RECIPE in found))
    head = ["implementation", unit] + ["of limit"] * bool(limit) + [f"x {RECIPE}"] * (RECIPE in found)
    notes = [limit_text(limit)] * bool(limit) + [SOME_ROWS] * any(row.is_part for row in found.values())
    return Table(case_name(work), head, lines, "; ".join(notes))


def matrix(run):
    """Every implementation and float32 table, and the limits."""
    works, found = [Case("fill", None, *size) for size in fills(run.rows)], []
    names = {s: f"level {name}" for s, (name, _) in sizes_in(run.context, "level").items()}
    names |= {s: name for s, (name, _) in run.shapes.items()}

    def cell(row):
        return f"{row.gb_s:.{1 if row.gb_s >= 10 else 2}f}{'*' * row.is_part}" if row else "-"

    for n in run.order:
        if any(work.by(n) in run.verified for work in works):
            found.append([n, *(cell(run.verified.get(work.by(n))) for work in works)])
    for label, calls in (("convert only", ("convert",)), ("limit (stores)", STORES)):
        found.append([label, *(cell(limit_of(run.verified, work, calls)) for work in works)])
    note = SOME_ROWS if any("*" in cell for row in found for cell in row) else ""
    head = [f"{names.get(work.size, '')} {work.n} x {work.d}" for work in works]
    return Table(f"float32 tables, GB/s; {pages(run.rows)}", ["GB/s", *head], found, note)


def picks(run, works):
    """The pick of each work, its speed, and how it compares."""
    rows = []
    for work in works:
        pick = run.pick(work)
        if pick:
            row = run.verified[work.by(pick.name)]
            reached = f"{pm(scaled(row, work.d, 0))} ns" if work.call == "row" else f"{pm(speed(row))} GB/s"
            rows.append([case_name(work), run.request(pick.name), reached, run.lead(pick)])
    return Table("Picks", ["case", "use", "speed", "it is"], rows, text=(1, 2, 3))


def widths(run):
    """{(implementation, offset of the output): {width: row}} of the sweep over widths"""
    found, usual = {}, run.context.get("offset", "16")
    for name in run.order:
        for case, row in sorted(run.verified.items(), key=lambda item: (item[0].offset is None, item[0].d)):
            if case.who == name and case.call == "widths":
                at = usual if case.offset is None else str(case.offset)
                found.setdefault((name, at), {})[case.d] = row
    return found


def slow_widths(run):
    """{width: {(implementation, offset of the output): its speed as a share of the slower neighbour's}} of the widths
    that are far slower than each of their neighbours"""
    found = {}
    for key, rows in widths(run).items():
        for d, row in rows.items():
            near = [rows[e].ns for e in rows if 0 < abs(e - d) <= NEAR]
            if near and max(near) / row.ns < 1 - CLIFF / 100:
                found.setdefault(d, {})[key] = max(near) / row.ns
    return dict(sorted(found.items()))


def cliffs(run):
    """A sentence for each such width."""
    said, measured = [], widths(run)
    for d, shares in slow_widths(run).items():
        slower = span([round(100 * (1 - share)) for share in shares.values()])
        who = listed(f"{name} at {at} modulo 64" for name, at in shares)
        who = "every implementation and alignment" if len(measured) == len(shares) > 1 else who
        said.append(f"d_model {d} is {slower} % slower than its neighbours, for {who}.")
    return said or [f"No width is more than {CLIFF} % slower than its neighbours."]


def by_width(run):
    """Shares of what stores reach."""
    found = widths(run)
    limits = {key: limit_of(run.rows, next(iter(rows.values())).case) for key, rows in found.items()}
    shown = sorted({d for rows in found.values() for d in rows})
    rows = [[str(d), *(percent(rows.get(d), limits[key]) for key, rows in found.items())] for d in shown]
    head = ["d_model", *(f"{name}, output at {at} modulo 64" for name, at in found)]
    return Table("float32 tables of 64 MiB: share of the limit by width", head, rows)


def table_works(run):
    """The works that are float32 tables, small ones first."""
    return [Case("fill", None, *size) for size in fills(run.verified)]


def other_works(run):
    """The works that are neither float32 tables nor widths nor limits; one thread first."""
    others = ("widths", "convert", *STORES)
    found = {case.work for case in run.verified if case.call not in others and not case.is_table}

    def rank(work):
        is_moved = work.offset is not None
        threads = work.kind.startswith("threads:")
        return threads, work.call, is_moved, work.kind, work.dtype, work.end or 0, work.n * work.d, work.d

    return sorted(found, key=rank)
