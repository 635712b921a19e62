"""Tables of a run of posenc-bench, for the text, the HTML page and Markdown. A cell is a text, or a pair of a value
and what stands after its ±, half the interquartile range. Every case is compared with stores to the same memory
(the limit), with the best SLEEF rows of the run and with float64; sums with a plain loop, out = x + c, over the
same arrays."""
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
    """The first column names the row; columns numbered in text are aligned left; marks gives rows by name a class of
    style.css; folded is the line that opens it on the page."""

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


def speeds(run, title, kind, shape, limits=("store", "stream"), against=()):
    """against: one more column, (heading, the kind of case of the same implementation and size)."""
    places, cases = run.verified, Cases(run.verified, kind, shape)
    if not cases.rows:
        return
    limit, known = {o: best_limit(rows, shape, limits) for o, rows in places.items()}, []
    for o, (key, row) in limit.items():
        how = f"{'store' if 'store' in key[0] else 'stream'}, {key[1][2:]}-byte vectors" if row else ""
        known += [f"{row.gb_s:.1f} GB/s at {o} ({how})"] if row else []
    peers, some, rows = cases.peers(run.order), [n for n, row in cases.rows.items() if row.rows < shape[0]], []
    for name in cases.names():
        row = cases.rows[name]
        shares = [percent(at.get(name), limit[o][1]) for o, at in cases.at.items()]
        rows.append([name + "*" * (name in some), speed(row), *shares, *(times(row, cases.rows[p]) for p in peers)])
        rows[-1] += [times(row, places[run.offset].get((other, name, *shape))) for other in against[1:]]
    head = ["implementation", "GB/s", *(f"of limit at {o}" for o in places), *(f"x {p}" for p in peers), *against[:1]]
    caption = f"{title}; limit: {'; '.join(known) or 'not measured'}"
    yield Table(caption, head, rows, note=SOME_ROWS if some else "", folded=title)


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
    rows, shapes, found = run.verified[run.offset], sizes_of(run.rows, "fill"), []
    names = {s: f"level {name}" for s, (name, _) in sizes_in(run.context, "level").items()}
    names |= {s: name for s, (name, _) in run.shapes.items()}
    for n in run.order:
        cells = [(rows.get(("fill", n, *s)), s) for s in shapes]
        if any(row for row, _ in cells):
            found.append([n] + [one_digit(row) + "*" * bool(row and row.rows < s[0]) for row, s in cells])
    for label, kinds in (("convert only", ("convert",)), ("limit (stores)", ("store", "stream"))):
        found.append([label] + [one_digit(best_limit(run.rows, s, kinds)[1]) for s in shapes])
    notes = [SOME_ROWS] if any("*" in cell for row in found for cell in row[1:]) else []
    loops = {key: rows.get(("fill", *key[1:])) for key in rows if key[0] == "loop"}
    loops = [f"{key[1]} {rows[key].ns / fill.ns:.2f}" for key, fill in loops.items() if fill]
    notes += ["speed relative to a hand-written loop around SLEEF: " + ", ".join(sorted(loops))] if loops else []
    head, folded = [
        f"{names.get(s, '')} {s[0]} x {s[1]}" for s in shapes
    ], f"All {len(shapes)} tables, all implementations"
    return Table(
        f"float32 tables, GB/s; {pages(run.rows)}", ["GB/s", *head], found, note="; ".join(notes), folded=folded
    )


def one_digit(row):
    return f"{row.gb_s:.{1 if row.gb_s >= 10 else 2}f}" if row else "-"


def levels(run):
    """Tables in each cache and in memory; none when those of the caches were not measured."""
    shapes, caches = sizes_in(run.context, "level"), run.context.get("caches", [])
    if any(k[0] == "fill" and k[2:] in shapes for k in run.rows):
        for (n, d), (name, what) in (shapes | {s: w for s, w in run.shapes.items() if w[0] == MEMORY}).items():
            note = misfit(name, 4 * n * d, caches)
            yield from speeds(run, f"fill, {name}: {n} x {d}, {what}{note}", "fill", (n, d))


def single(run):
    """What is not a table: random positions, single rows, plans, fresh memory."""
    first = run.verified[run.offset]
    for kind, what in (("fill_at", "random positions below 2^20"), ("fill_at/in_a_row", "consecutive positions")):
        for n, d in sizes_of(first, kind):
            yield from speeds(run, f"fill_at, {n} {what}, d_model {d}", kind, (n, d))
    own = {name: shape for shape, (name, _) in sizes_in(run.context, "level").items()}.get("l2", (256, 512))
    for kind in kinds_like(r"row/below:(\d+)", first):
        for _, d in sizes_of(first, kind):
            yield one_row(run, kind, d, Cases(run.verified, "fill", own), own)
    yield from plans(first, own, run.order)
    fresh = sorted((row.ns, how, row, n * d) for (kind, how, n, d), row in first.items() if kind == "fresh")
    plainly = next((row for _, how, row, _ in fresh if how == "malloc_fill"), None)
    rows = [[how, scaled(row, size * 1e-6, 1), times(row, plainly)] for _, how, row, size in fresh]
    if rows:
        yield Table("a table in fresh memory, wall time", ["how", "ms", "x malloc_fill"], rows, folded="Fresh memory")


def scaled(row, scale, digits):
    return pair(row.ns * scale, row.spread and row.ns * scale * row.spread, digits)


def one_row(run, kind, d, fills, own):
    cases, rows = Cases(run.verified, kind, (1, d)), []
    peers = cases.peers(run.order)
    for name in cases.names():
        row = cases.rows[name]
        slower = [times(fills.at[o].get(name), at.get(name)) for o, at in cases.at.items()]
        rows.append([name, scaled(row, d, 1), *slower, *(times(row, cases.rows[p]) for p in peers)])
    title = f"one row at a time, d_model {d}, random positions below {kind.split(':')[1]}"
    caption = f"{title}; fill x: time relative to a row of the {own[0]} x {own[1]} table by the same implementation"
    head = ["implementation", "ns/row", *(f"fill x, at {o}" for o in cases.at), *(f"x {p}" for p in peers)]
    return Table(caption, head, rows, folded=title)


def plans(rows, own, order):
    for _, d in sizes_of(rows, "plan"):
        found = {k[1]: r for k, r in rows.items() if k[0] == "plan" and k[3] == d}
        explog, lines = rows.get(("fill", "explog", own[0], d)), []
        for n in (n for n in order if n in found):
            meanwhile = f"{found[n].ns / explog.ns / d:.2f}" if explog else "-"
            lines.append([n, scaled(found[n], 1e-3, 2), meanwhile])
        caption = f"a plan made and destroyed, d_model {d}; explog rows: how many rows explog fills in that time"
        yield Table(caption, ["implementation", "us", "explog rows"], lines, folded=f"Plans, d_model {d}")


def limits_of(dtype):
    return tuple(f"{kind}/{dtype}" for kind in ("store", "stream"))


def others(run):
    """Other dtypes, sums, the conventions of presets, several threads, other offsets of the output."""
    first = run.verified[run.offset]
    for dtype, name in LONG_NAMES.items():
        for n, d in sizes_of(first, f"fill/{dtype}"):
            against = "x float32", "fill"
            yield from speeds(run, f"fill, {name}, {n} x {d}", f"fill/{dtype}", (n, d), limits_of(dtype), against)
    yield from sums(run.verified)
    for kind in dict.fromkeys(key[0] for key in first):
        call, *preset = kind.split("/")
        if call in CALLS and len(preset) == 1 and preset[0] not in SIZES:
            for n, d in sizes_of(first, kind):
                title = f"{call}, preset {preset[0]}, {n} x {d}{CALLS[call]}"
                yield from speeds(run, title, kind, (n, d), against=("x paper", "fill"))
    for kind in kinds_like(r"threads:(\d+)/fill", first):
        threads = kind.split("/")[0]
        for n, d in sizes_of(first, kind):
            limits, against = (f"{threads}/store", f"{threads}/stream"), ("x one thread", "fill")
            yield from speeds(run, f"{threads}, {n} x {d}, wall time", kind, (n, d), limits, against)
    for offset, rows in run.verified.items() if len(run.places) > 1 else ():
        limits = {s: best_limit(rows, s)[1] for s in run.shapes}
        lines = [[n, *(percent(rows.get(("fill", n, *s)), limit) for s, limit in limits.items())] for n in run.order]
        title, head = f"share of the limit, output at {offset} modulo 64", [name for name, _ in run.shapes.values()]
        yield Table(title, ["implementation", *head], [row for row in lines if set(row[1:]) != {"-"}], folded=title)


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
        both, head, rows = (
            {"": Cases(places, kind, shape), "in place ": Cases(places, f"{kind}/in_place", shape)},
            [],
            [],
        )
        for what in both:
            head += [f"{what}GB/s", *(f"{what}x plain loop at {o}" for o in places)]
        for name in dict.fromkeys(n for cases in both.values() for n in cases.names()):
            rows.append([name])
            for cases in both.values():
                rows[-1] += [speed(cases.rows.get(name))]
                rows[-1] += [times(at.get(name), at.get(PLAIN_LOOP)) for at in cases.at.values()]
        if rows:
            caption = f"add, {size}; plain loop: out = x + c over the same arrays"
            yield Table(caption, ["implementation", *head], rows, folded=f"Sums, {size}")
