"""Tables of a run of posenc-bench, for the text, the HTML page and Markdown. A cell is a text, or a pair of a value and what stands after
its ±, half the interquartile range. Every case is compared with stores to the same memory (the limit), with the best SLEEF rows of the
run and with float64; sums with a plain loop, out = x + c, over the same arrays."""
import dataclasses
import re

from .stats import PLAIN_LOOP, SIZES, best_limit, pair, pages, sizes_in

PEERS = (r"sleef_[^_]+", r"sleef_f64_[^_]+", r"float64")
MEMORY = "long"  # the shape that is larger than every cache
LONG_NAMES = {"bf16": "bfloat16", "f16": "float16", "f64": "float64"}
CALLS = {"fill": "", "fill_pair": ", in two arrays", "fill_at_real": ", random real positions"}
SOME_ROWS = "* some rows only, spread over the table"


@dataclasses.dataclass
class Table:
    """The first column names the row; columns numbered in text are aligned left; marks gives rows by name a class of style.css; folded
    is the line that opens it on the page."""

    caption: str
    head: list
    rows: list
    text: tuple = ()
    note: str = ""
    folded: str = ""
    marks: dict = dataclasses.field(default_factory=dict)


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


def times(row, other):
    """How many times as fast as the other."""
    if not row or not other:
        return "-"
    ratio, spread = row.share_of(other)
    return pair(ratio, spread, 1 if ratio >= 10 else 2 if ratio >= 1 else 3)


def percent(row, other):
    if not row or not other:
        return "-"
    ratio, spread = row.share_of(other)
    return pair(100 * ratio, 100 * spread if spread is not None else None, 1, " %")


def speed(row):
    return pair(row.gb_s, row.spread and row.gb_s * row.spread, 2 if row.gb_s >= 0.1 else 4) if row else "-"


class Cases:
    """The rows of one kind and size, at every offset of the output."""

    def __init__(self, places, kind, shape):
        self.at = {
            offset: {key[1]: row for key, row in rows.items() if key[0] == kind and key[2:] == shape}
            for offset, rows in places.items()
        }
        self.rows = next(iter(self.at.values()))

    def names(self):
        """Fastest first."""
        return sorted((n for n in self.rows if n != PLAIN_LOOP), key=lambda name: self.rows[name].ns)

    def peers(self, order):
        found = (next((n for n in order if n in self.rows and re.fullmatch(p, n)), None) for p in PEERS)
        return [p for p in found if p]


def speeds(title, places, kind, shape, order, limits=("store", "stream"), extra=None):
    """extra: one more column, (heading, function from a name and its row to a cell)."""
    cases = Cases(places, kind, shape)
    if not cases.rows:
        return
    limit = {o: best_limit(rows, shape, limits) for o, rows in places.items()}
    known = "; ".join(
        f"{row.gb_s:.1f} GB/s at {o} ({'store' if 'store' in key[0] else 'stream'}, {key[1][2:]}-byte vectors)"
        for o, (key, row) in limit.items()
        if row
    )
    peers, some = cases.peers(order), {name for name, row in cases.rows.items() if row.rows < shape[0]}
    head = [
        "implementation",
        "GB/s",
        *(f"of limit at {o}" for o in places),
        *(f"x {p}" for p in peers),
        *([extra[0]] if extra else []),
    ]
    rows = [
        [
            name + "*" * (name in some),
            speed(cases.rows[name]),
            *(percent(at.get(name), limit[o][1]) for o, at in cases.at.items()),
            *(times(cases.rows[name], cases.rows[p]) for p in peers),
            *([extra[1](name, cases.rows[name])] if extra else []),
        ]
        for name in cases.names()
    ]
    yield Table(f"{title}; limit: {known or 'not measured'}", head, rows, note=SOME_ROWS if some else "", folded=title)


def kinds_like(pattern, rows):
    """In the order of the number in them."""
    found = {key[0]: re.fullmatch(pattern, key[0]) for key in rows}
    return sorted((kind for kind, m in found.items() if m), key=lambda kind: int(found[kind][1]))


def sizes_of(rows, kind):
    return sorted({key[2:] for key in rows if key[0] == kind}, key=lambda s: s[0] * s[1])


def cache_sizes(caches):
    """The data caches' sizes in bytes, nearest first."""
    return [c["size"] for c in sorted(caches, key=lambda c: c["level"]) if c.get("type") != "Instruction"]


def misfit(level, size, caches):
    """What is wrong with that size for that level on this machine, or nothing."""
    sizes = cache_sizes(caches)
    index = {"l1": 0, "l2": 1, "llc": len(sizes) - 1, MEMORY: len(sizes)}.get(level)
    if index is None or not sizes or index < 0:
        return ""
    if index < len(sizes) and size > sizes[index]:
        return f"; note: larger than this machine's cache of {sizes[index] >> 10} KiB"
    if 0 < index <= len(sizes) and size <= sizes[index - 1]:
        return f"; note: fits the cache before it, of {sizes[index - 1] >> 10} KiB"
    return ""


def matrix(run):
    """Every implementation and float32 table, and the limits."""
    rows, names = run.verified[run.offset], dict(run.shapes)
    names |= {
        s: (f"level {name}", "")
        for s, (name, _) in sizes_in(run.context, "level").items()
        if s in sizes_of(run.rows, "fill")
    }
    shapes, found = sorted(names, key=lambda s: s[0] * s[1]), []
    for n in run.order:
        cells = [rows.get(("fill", n, *s)) for s in shapes]
        if any(cells):
            found.append([n] + [one_digit(row) + "*" * bool(row and row.rows < s[0]) for row, s in zip(cells, shapes)])
    for label, kinds in (("convert only", ("convert",)), ("limit (stores)", ("store", "stream"))):
        found.append([label] + [one_digit(best_limit(run.rows, s, kinds)[1]) for s in shapes])
    loops = [
        f"{key[1]} {row.ns / rows['fill', *key[1:]].ns:.2f}"
        for key, row in rows.items()
        if key[0] == "loop" and ("fill", *key[1:]) in rows
    ]
    notes = [SOME_ROWS] if any("*" in cell for row in found for cell in row[1:]) else []
    notes += ["speed relative to a hand-written loop around SLEEF: " + ", ".join(sorted(loops))] if loops else []
    return Table(
        f"float32 tables, GB/s; {pages(run.rows)}",
        ["GB/s"] + [f"{names[s][0]} {s[0]} x {s[1]}" for s in shapes],
        found,
        note="; ".join(notes),
        folded=f"All {len(shapes)} tables, all implementations",
    )


def one_digit(row):
    return f"{row.gb_s:.{1 if row.gb_s >= 10 else 2}f}" if row else "-"


def levels(run):
    """Tables in each cache and in memory; none when those of the caches were not measured."""
    places, shapes = run.verified, sizes_in(run.context, "level")
    if any(k[0] == "fill" and k[2:] in shapes for k in run.rows):
        for shape, (name, what) in (shapes | {s: w for s, w in run.shapes.items() if w[0] == MEMORY}).items():
            note = misfit(name, 4 * shape[0] * shape[1], run.context.get("caches", []))
            yield from speeds(f"fill, {name}: {shape[0]} x {shape[1]}, {what}{note}", places, "fill", shape, run.order)


def single(run):
    """What is not a table: random positions, single rows, plans, fresh memory."""
    places, first = run.verified, run.verified[run.offset]
    for kind, what in (("fill_at", "random positions below 2^20"), ("fill_at/in_a_row", "consecutive positions")):
        for shape in sizes_of(first, kind):
            yield from speeds(f"fill_at, {shape[0]} {what}, d_model {shape[1]}", places, kind, shape, run.order)
    own = {name: shape for shape, (name, _) in sizes_in(run.context, "level").items()}.get("l2", (256, 512))
    fills = Cases(places, "fill", own)
    for kind in kinds_like(r"row/below:(\d+)", first):
        for _, d in sizes_of(first, kind):
            cases = Cases(places, kind, (1, d))
            peers = cases.peers(run.order)
            title = f"one row at a time, d_model {d}, random positions below {kind.split(':')[1]}"
            rows = [
                [
                    name,
                    pair(row.ns * d, row.spread and row.ns * d * row.spread, 1),
                    *(times(fills.at[o].get(name), at.get(name)) for o, at in cases.at.items()),
                    *(times(row, cases.rows[p]) for p in peers),
                ]
                for name in cases.names()
                for row in [cases.rows[name]]
            ]
            yield Table(
                f"{title}; fill x: time relative to a row of the {own[0]} x {own[1]} table by the same implementation",
                ["implementation", "ns/row", *(f"fill x, at {o}" for o in places), *(f"x {p}" for p in peers)],
                rows,
                folded=title,
            )
    yield from plans(first, own, run.order)
    fresh = {k[1]: (k, r) for k, r in first.items() if k[0] == "fresh"}
    if fresh:
        n, d = next(iter(fresh.values()))[0][2:]
        rows = [
            [
                how,
                pair(row.ns * n * d * 1e-6, row.spread and row.ns * n * d * 1e-6 * row.spread, 1),
                times(row, fresh.get("malloc_fill", (None, None))[1]),
            ]
            for how, (_, row) in sorted(fresh.items(), key=lambda f: f[1][1].ns)
        ]
        yield Table(
            f"a table in fresh memory, {n} x {d}, wall time",
            ["how", "ms", "x malloc_fill"],
            rows,
            folded="Fresh memory",
        )


def plans(rows, own, order):
    for _, d in sizes_of(rows, "plan"):
        found = {k[1]: r for k, r in rows.items() if k[0] == "plan" and k[3] == d}
        explog = rows.get(("fill", "explog", own[0], d))
        lines = [
            [
                n,
                pair(r.ns * 1e-3, r.spread and r.ns * 1e-3 * r.spread, 2),
                f"{r.ns / explog.ns / d:.2f}" if explog else "-",
            ]
            for n in order
            if n in found
            for r in [found[n]]
        ]
        yield Table(
            f"a plan made and destroyed, d_model {d}; explog rows: how many rows explog fills in that time",
            ["implementation", "us", "explog rows"],
            lines,
            folded=f"Plans, d_model {d}",
        )


def limits_of(dtype):
    return tuple(f"{kind}/{dtype}" for kind in ("store", "stream"))


def others(run):
    """Other dtypes, sums, the conventions of presets, several threads, other offsets of the output."""
    places, first, order = run.verified, run.verified[run.offset], run.order
    for dtype, name in LONG_NAMES.items():
        for shape in sizes_of(first, f"fill/{dtype}"):
            yield from speeds(
                f"fill, {name}, {shape[0]} x {shape[1]}",
                places,
                f"fill/{dtype}",
                shape,
                order,
                limits_of(dtype),
                ("x float32", lambda n, row, s=shape: times(row, first.get(("fill", n, *s)))),
            )
    yield from sums(places)
    for kind in dict.fromkeys(key[0] for key in first):
        call, *preset = kind.split("/")
        if call in CALLS and len(preset) == 1 and preset[0] not in SIZES:
            for shape in sizes_of(first, kind):
                yield from speeds(
                    f"{call}, preset {preset[0]}, {shape[0]} x {shape[1]}{CALLS[call]}",
                    places,
                    kind,
                    shape,
                    order,
                    extra=("x paper", lambda n, row, s=shape: times(row, first.get(("fill", n, *s)))),
                )
    for kind in kinds_like(r"threads:(\d+)/fill", first):
        threads = kind.split("/")[0]
        for shape in sizes_of(first, kind):
            yield from speeds(
                f"{threads}, {shape[0]} x {shape[1]}, wall time",
                places,
                kind,
                shape,
                order,
                (f"{threads}/store", f"{threads}/stream"),
                ("x one thread", lambda n, row, s=shape: times(row, first.get(("fill", n, *s)))),
            )
    for offset, rows in places.items() if len(places) > 1 else ():
        lines = [[n, *(percent(rows.get(("fill", n, *s)), best_limit(rows, s)[1]) for s in run.shapes)] for n in order]
        title = f"share of the limit, output at {offset} modulo 64"
        yield Table(
            title,
            ["implementation", *(name for name, _ in run.shapes.values())],
            [line for line in lines if set(line[1:]) != {"-"}],
            folded=title,
        )


def sums_of(rows):
    """[(kind, (n, d), what it is called)] without those in place, in the order of the arrays' sizes."""
    found = {}
    for kind, _, *shape in rows:
        parts = [part for part in kind.split("/") if part != "in_place"]
        if parts[0] == "add":
            found["/".join(parts), *shape] = [int(part[2:]) for part in parts[1:]] + shape
    in_order = sorted(found.items(), key=lambda f: (len(f[1]), f[1]))
    return [(kind, tuple(shape), " x ".join(map(str, sizes))) for (kind, *shape), sizes in in_order]


def sums(places):
    for kind, shape, size in sums_of(next(iter(places.values()))):
        both = [("", Cases(places, kind, shape)), ("in place ", Cases(places, f"{kind}/in_place", shape))]
        head, rows = ["implementation"], []
        for what, cases in both:
            head += [f"{what}GB/s", *(f"{what}x plain loop at {o}" for o in places)]
        for name in dict.fromkeys(n for _, cases in both for n in cases.names()):
            rows.append([name])
            for _, cases in both:
                rows[-1] += [
                    speed(cases.rows.get(name)),
                    *(times(at.get(name), at.get(PLAIN_LOOP)) for at in cases.at.values()),
                ]
        if rows:
            yield Table(
                f"add, {size}; plain loop: out = x + c over the same arrays", head, rows, folded=f"Sums, {size}"
            )
