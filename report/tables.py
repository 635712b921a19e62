"""Tables of a run of posenc-bench and of a report of posenc-verify, for the text, the HTML page and Markdown. Each case
is compared with its limit (stores to the same memory, for sums a plain loop over the same arrays), with the best SLEEF
rows of the run and with float64."""
import dataclasses
import re

from .stats import PLAIN_LOOP, STORES, TABLES, call_of, limit_of, pages, sizes_in, sizes_of
from .words import (
    cache_sizes,
    called,
    listed,
    medians,
    number,
    percent,
    position,
    scaled,
    share,
    span,
    speed,
    times,
    ulps,
)

BASELINES = (r"sleef_[^_]+", r"sleef_f64_[^_]+", r"float64")
NEAR, CLIFF = 16, 15  # columns to a neighbouring width; per cent that are pointed out
MEMORY = "long"  # the shape that is larger than every cache
SOME_ROWS = "* some rows only, spread over the table"


@dataclasses.dataclass
class Table:
    """A cell is a text, or a pair of a value and what stands after its ±. The first column names the row; columns
    numbered in text are aligned left; bold: the names of the rows that stand out on the page."""

    title: str
    head: list
    rows: list
    note: str = ""
    text: tuple = ()
    bold: tuple = ()


@dataclasses.dataclass
class Section:
    """finding: what was found, in a sentence: the headline on the page; code: texts to copy, with their languages."""

    heading: str
    notes: list = dataclasses.field(default_factory=list)  # sentences
    tables: list = dataclasses.field(default_factory=list)
    picture: object = None
    finding: str = ""
    code: list = dataclasses.field(default_factory=list)


def split(table):
    """Its lines of plain cells: what stands after a ± has a column of its own."""
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
    how = "plain loop" if row.key[1] == PLAIN_LOOP else f"{call_of(row.key[0])}, {row.key[1][2:]}-byte vectors"
    return f"limit: {row.gb_s:.1f} GB/s ({how})"


def speeds(run, title, kind, shape):
    """One kind and size, fastest first; beside float32 fills of the same size, where it is something else."""
    rows, some = run.verified, False
    found = {key[1]: row for key, row in rows.items() if key[0] == kind and key[2:] == shape and key[1] != PLAIN_LOOP}
    limit = limit_of(rows, (kind, "", *shape))
    base = [
        n for n in (next((n for n in run.order if n in found and re.fullmatch(p, n)), None) for p in BASELINES) if n
    ]
    plain = {n: rows.get(("fill", n, *shape)) for n in found} if kind != "fill" and shape[0] > 1 else {}
    head = ["implementation", "ns/row" if shape[0] == 1 else "GB/s", *(["of limit"] if limit else [])]
    head += [f"x {n}" for n in base] + (["x fill"] if any(plain.values()) else [])
    lines = []
    for name, row in sorted(found.items(), key=lambda f: f[1].ns):
        some = some or row.rows < shape[0]
        line = [name + "*" * (row.rows < shape[0]), scaled(row, shape[1], 1) if shape[0] == 1 else speed(row)]
        line += ([percent(row, limit)] if limit else []) + [times(row, found[n]) for n in base]
        lines.append(line + ([times(row, plain[name])] if any(plain.values()) else []))
    note = "; ".join(([limit_text(limit)] if limit or kind == "fill" else []) + ([SOME_ROWS] if some else []))
    return Table(f"{title}, {shape[0]} x {shape[1]}", head, lines, note)


def misfit(level, size, caches):
    """Where a table for that cache lies on this machine, when that is somewhere else."""
    sizes = cache_sizes(caches)
    meant = {"l1": 0, "l2": 1, "llc": len(sizes) - 1, MEMORY: len(sizes)}.get(level)
    found = sum(cache < size for cache in sizes)
    return f" (here in {f'L{found + 1}' if found < len(sizes) else 'memory'})" if sizes and found != meant else ""


def matrix(run):
    """Every implementation and float32 table, and the limits."""
    rows, shapes, found = run.verified, sizes_of(run.rows, "fill"), []
    names = {s: f"level {name}" for s, (name, _) in sizes_in(run.context, "level").items()}
    names |= {s: name for s, (name, _) in run.shapes.items()}

    def cell(row, shape):
        return f"{row.gb_s:.{1 if row.gb_s >= 10 else 2}f}{'*' * (row.rows < shape[0])}" if row else "-"

    for n in run.order:
        if any(("fill", n, *s) in rows for s in shapes):
            found.append([n, *(cell(rows.get(("fill", n, *s)), s) for s in shapes)])
    for label, calls in (("convert only", ("convert",)), ("limit (stores)", STORES)):
        found.append([label, *(cell(limit_of(rows, ("fill", "", *s), calls), s) for s in shapes)])
    notes = [SOME_ROWS] if any("*" in cell for row in found for cell in row) else []
    head = [f"{names.get(s, '')} {s[0]} x {s[1]}" for s in shapes]
    return Table(f"float32 tables, GB/s; {pages(run.rows)}", ["GB/s", *head], found, "; ".join(notes))


def levels(run):
    """Tables in each cache and in memory; none when those of the caches were not measured."""
    shapes, caches = sizes_in(run.context, "level"), run.context.get("caches", [])
    ran = sizes_of(run.verified, "fill")
    if any(s in shapes for s in ran):
        shapes |= {s: w for s, w in run.shapes.items() if w[0] == MEMORY}
        for (n, d), (name, what) in ((s, shapes[s]) for s in ran if s in shapes):
            yield speeds(run, f"{what}{misfit(name, 4 * n * d, caches)}", "fill", (n, d))


def widths(run):
    """{(implementation, offset of the output): {width: row}} of the sweep over widths"""
    found = {}
    for name in run.order:
        for (kind, who, _, d), row in sorted(run.verified.items(), key=lambda f: (f[0][0], f[0][3])):
            if who == name and call_of(kind) == "widths":
                found.setdefault((name, kind.partition("offset:")[2]), {})[d] = row
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
    """The ends of the sweep."""
    lines = []
    for (name, at), rows in widths(run).items():
        lines.append([f"{name}, {at}"])
        for d in (f(rows, key=lambda d, rows=rows: rows[d].ns) for f in (min, max)):
            lines[-1] += [str(d), speed(rows[d]), percent(rows[d], limit_of(run.rows, rows[d].key))]
    head = [
        "implementation, output modulo 64",
        "fastest d_model",
        "GB/s",
        "of limit",
        "slowest d_model",
        "GB/s",
        "of limit",
    ]
    return Table("float32 tables of 64 MiB, widths on both sides of powers of two", head, lines)


def single(run):
    """What is not a table: random positions, single rows, plans, fresh memory."""
    rows = run.verified
    for kind in sorted({k[0] for k in rows if call_of(k[0]) == "row"}, key=lambda k: (len(k), k)):
        for shape in sizes_of(rows, kind):
            yield speeds(run, kind.replace("row/below:", "one row at a time, random positions below "), kind, shape)
    for _, d in sizes_of(rows, "plan"):
        found = [[n, scaled(rows["plan", n, 1, d], 1e-3, 2)] for n in run.order if ("plan", n, 1, d) in rows]
        yield Table(f"a plan made and destroyed, d_model {d}", ["implementation", "us"], found)
    for n, d in sizes_of(rows, "fresh"):
        found = {k[1]: row for k, row in rows.items() if (k[0], *k[2:]) == ("fresh", n, d)}
        lines = [
            [how, scaled(row, n * d * 1e-6, 1), times(row, found.get("malloc_fill"))] for how, row in found.items()
        ]
        yield Table(f"a table in fresh memory, wall time, {n} x {d}", ["how", "ms", "x malloc_fill"], lines)


def other_kinds(run):
    """[(kind, (n, d))] of random positions, other dtypes, sums, the conventions of presets, several threads, other
    offsets of the output"""
    kinds = sorted({key[0] for key in run.verified})
    kinds = [kind for kind in kinds if call_of(kind) in (*TABLES, "add") and kind != "fill"]
    return [(kind, shape) for kind in kinds for shape in sizes_of(run.verified, kind)]


def others(run):
    return [speeds(run, called(kind), kind, shape) for kind, shape in other_kinds(run)]


def sums_of(rows):
    """[(kind, (n, d), what it is called)] without those in place, in the order of the arrays' sizes."""
    found = {}
    for kind, _, *shape in rows:
        parts = [part for part in kind.split("/") if part != "in_place"]
        if parts[0] == "add":
            found["/".join(parts), *shape] = [int(part[2:]) for part in parts[1:]] + shape
    in_order = sorted(found.items(), key=lambda f: (len(f[1]), f[1]))
    return [(kind, tuple(shape), " x ".join(map(str, sizes))) for (kind, *shape), sizes in in_order]


def title(run):
    return f"{run.shapes[run.size][1]}: {run.size[0]} x {run.size[1]}, float32" if run.size else run.table_name()


def conditions(run):
    c = run.context
    said = (
        f"{c.get('cpu', 'unknown CPU')}, {c.get('compiler', 'unknown compiler')}, {c.get('date', '')[:10]}; one core; "
    )
    return f"{said}output at {c.get('offset', '16')} modulo 64, {pages(run.rows)}; {limit_text(run.limit)}"


def final(run, best=()):
    """Error by position, and the speed of the table that the pick is about, fastest first; best: the names in bold."""
    reach = [run.spans[: i + 1] for i in range(len(run.spans))]  # errors are running maxima
    names = sorted(run.here, key=lambda n: run.here[n].ns) + [n for n in run.judged() if n not in run.here]
    rows = []
    for name in names:
        row = run.here.get(name)
        rows.append([name, *(number(run.error(name, spans)) for spans in reach)])
        if run.here:
            rows[-1] += [f"{row.ns:.3f}" if row else "-", speed(row), percent(row, run.limit)]
    head = [f"to {position(spans[-1][1])}" for spans in reach] + (
        ["ns/element", "GB/s", "of limit"] if run.here else []
    )
    note = f"max |error| by position, {run.table_name()}"
    note += f"; CPU time, {medians(run.here)}; {conditions(run)}" if run.here else ""
    return Table(title(run), ["implementation", *head], rows, note, bold=tuple(best))


def left_aside(run):
    rows = [[name, why] for name, why in run.left_aside().items()]
    return [Table("Not run, or not compared", ["what", "why"], rows, text=(1,))] if rows else []


def curves(run):
    """Largest errors by octave of positions, or by range."""
    found = {n: run.curve(n) for n in run.judged()}
    spans = sorted({s for curve in found.values() for s in curve})
    rows = [[n, *(number(curve[s]) if s in curve else "-" for s in spans)] for n, curve in found.items()]
    head = [str(a) if b == a + 1 else f"to {b - 1}" for a, b in spans]
    title_of = f"Largest |error| by |position|, each column from the end of the one before; {run.table_name()}"
    return Table(title_of, ["implementation", *head], rows)


def distribution(run):
    edges = run.verify.get("ulp_band_edges") or []
    edges = edges if all(run.bands(n) for n in run.judged()) else []
    keys = {"ulp_p50": "median ULP", "ulp_p99": "99 % within", "ulp_max": "max ULP"}
    keys = {key: said for key, said in keys.items() if any(run.ulp(n, key) is not None for n in run.judged())}
    head = ["implementation", "correctly rounded", *keys.values(), "max |error|", "bound"]
    rows = []
    for n in run.judged():
        bound = run.entries[n].get("bound", {})
        said = f"{bound.get('law', '?')} ({bound.get('evidence', '?')})"
        beyond = [str(sum(run.bands(n)[i + 1 :])) for i in range(len(edges))]
        found = [ulps(run.ulp(n, key)) for key in keys]
        rows.append([n, share(*run.correct(n)), *found, number(run.error(n)), said, *beyond])
    note = "> ULP: how many outputs are further off" if edges else ""
    head += [f"> {e:g} ULP" for e in edges]
    return Table(f"{run.table_name()}, {run.reach()}", head, rows, note, (head.index("bound"),))
