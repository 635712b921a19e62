"""The tables of what posenc-bench --all-cases measures beside the fills of models' tables; for scripts/summary and
scripts/report. Other dtypes, presets and sums are in others.py. Each is made as (title, lines of cells, note).

Every case is held against the limit of stores to the same memory, against the best SLEEF rows of the run and against
float64; +- is half the interquartile range, as in the rest of the summary.
"""
import re

from results import best_limit, half, sizes_in

PEERS = (r"sleef_[^_]+", r"sleef_f64_[^_]+", r"float64")
MEMORY = "long"  # the shape that leaves every cache


def columns(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        cells = [line[0].ljust(widths[0])] + [cell.rjust(w) for cell, w in zip(line[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def value(row, scale, digits):
    """The median and half its spread."""
    return [f"{row.ns * scale:.{digits}f}", half(row.ns * scale, row.spread, digits)]


def times(row, other):
    """How many times as fast as the other."""
    if not row or not other:
        return ["-", "-"]
    ratio, spread = row.share_of(other)
    digits = 1 if ratio >= 10 else 2 if ratio >= 1 else 3
    return [f"{ratio:.{digits}f}", half(1, spread, digits)]


def percent(row, other):
    if not row or not other:
        return ["-", "-"]
    ratio, spread = row.share_of(other)
    return [f"{100 * ratio:.1f} %", half(100, spread, 1)]


def speed(row):
    digits = 2 if row.gb_s >= 0.1 else 4
    return [f"{row.gb_s:.{digits}f}", half(row.gb_s, row.spread, digits)]


def show(tables):
    for title, lines, note in tables:
        print(f"\n{title}")
        columns(lines)
        if note:
            print(note)


class Cases:
    """The rows of one kind and size, at every place of the output."""

    def __init__(self, places, kind, shape):
        self.at = {offset: {key[1]: row for key, row in rows.items() if key[0] == kind and key[2:] == shape}
                   for offset, rows in places.items()}
        self.rows = next(iter(self.at.values()))

    def names(self):
        """Fastest first; of those that ran at the first place."""
        return sorted(self.rows, key=lambda name: self.rows[name].ns)

    def peers(self, order):
        return [next((n for n in order if n in self.rows and re.fullmatch(p, n)), None) for p in PEERS]


def against_peers(order, cases):
    """Headings, and a function from a name to its cells."""
    peers = [p for p in cases.peers(order) if p]
    headings = [h for p in peers for h in (f"x {p}", "+-")]
    return headings, lambda name: [c for p in peers for c in times(cases.rows[name], cases.rows[p])]


def speeds(title, places, kind, shape, order, limits=("store", "stream"), extra=None):
    """extra: one more pair of columns, (heading, function from a name and its row to two cells)."""
    cases = Cases(places, kind, shape)
    if not cases.rows:
        return
    limit = {o: best_limit(rows, shape, limits) for o, rows in places.items()}
    known = "; ".join(f"{row.gb_s:.1f} GB/s at {o} ({'store' if 'store' in key[0] else 'stream'}, {key[1][2:]}-byte vectors)"
                      for o, (key, row) in limit.items() if row)
    headings, compared = against_peers(order, cases)
    partial = {name for name, row in cases.rows.items() if row.rows < shape[0]}
    lines = [["implementation", "GB/s", "+-"] + [h for o in places for h in (f"of limit at {o}", "+-")] + headings
             + ([extra[0], "+-"] if extra else [])]
    for name in cases.names():
        shares = [c for o in places for c in percent(cases.at[o].get(name), limit[o][1])]
        lines.append([name + "*" * (name in partial)] + speed(cases.rows[name]) + shares + compared(name)
                     + (extra[1](name, cases.rows[name]) if extra else []))
    yield (f"{title}; limit: {known or 'not measured'}", lines,
           "* some rows only, spread over the table" if partial else "")


def shares_at(places, shapes, order):
    """Of all tables, where there is more than one place to compare."""
    if len(places) < 2 or not shapes:
        return
    for offset, rows in places.items():
        lines = [["implementation"] + [name for name, _ in shapes.values()]]
        for impl in order:
            shares = [percent(rows.get(("fill", impl, *s)), best_limit(rows, s)[1])[0] for s in shapes]
            if set(shares) != {"-"}:
                lines.append([impl] + shares)
        yield f"share of the limit, output at {offset} modulo 64", lines, ""


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


def at_levels(places, context, order):
    levels = sizes_in(context, "level")
    levels |= {s: w for s, w in sizes_in(context, "shape").items() if w[0] == MEMORY}
    for shape, (name, what) in levels.items():
        note = misfit(name, 4 * shape[0] * shape[1], context.get("caches", []))
        yield from speeds(f"fill, {name}: {shape[0]} x {shape[1]}, {what}{note}", places, "fill", shape, order)


def kinds_like(pattern, rows):
    """In the order of the number in them."""
    found = {key[0]: re.fullmatch(pattern, key[0]) for key in rows}
    return sorted((kind for kind, m in found.items() if m), key=lambda kind: int(found[kind][1]))


def by_threads(places, kind, order):
    threads, one = kind.split("/")[0], next(iter(places.values()))
    for shape in sorted({key[2:] for key in one if key[0] == kind}):
        yield from speeds(f"{threads}, {shape[0]} x {shape[1]}, wall time (of one thread: CPU time)", places, kind, shape,
                          order, limits=(f"{threads}/store", f"{threads}/stream"),
                          extra=("x one thread", lambda name, row, s=shape: times(row, one.get(("fill", name, *s)))))


def one_row(places, own, order, d):
    """own: the size of the fill that a row's time is a multiple of."""
    for kind in kinds_like(r"row/below:(\d+)", next(iter(places.values()))):
        cases, fills = Cases(places, kind, (1, d)), Cases(places, "fill", own)
        if not cases.rows:
            continue
        title = (f"one row at a time, d_model {d}, random positions below {kind.split(':')[1]}; "
                 f"own fill: time per row of the {own[0]} x {own[1]} table by the same implementation")
        headings, compared = against_peers(order, cases)
        lines = [["implementation", "ns/row", "+-"] + [h for o in places for h in (f"own fill x, at {o}", "+-")]
                 + headings]
        for name in cases.names():
            slower = [c for o in places for c in times(fills.at[o].get(name), cases.at[o].get(name))]
            lines.append([name] + value(cases.rows[name], d, 1) + slower + compared(name))
        yield title, lines, ""


def plans_made(rows, own, order, d):
    plans = {k[1]: r for k, r in rows.items() if k[0] == "plan" and k[3] == d}
    if not plans:
        return
    explog = rows.get(("fill", "explog", *own))
    rows_64 = f", 64 in {explog.ns * d * 64e-3:.1f} us" if explog else ""
    title = (f"a plan made and destroyed, d_model {d}; explog rows: how many rows explog fills meanwhile "
             f"({own[0]} x {own[1]} table{rows_64})")
    lines = [["implementation", "us", "+-", "explog rows", "+-"]]
    for name in [n for n in order if n in plans]:
        row = plans[name]
        rows_of = ["-", "-"]
        if explog:
            elements, spread = explog.share_of(row)  # a plan's time over an element's
            rows_of = [f"{elements / d:.2f}", half(1 / d, spread, 2)]
        lines.append([name] + value(row, 1e-3, 2) + rows_of)
    yield title, lines, ""


def fresh_tables(rows):
    fresh = {k[1]: (k, r) for k, r in rows.items() if k[0] == "fresh"}
    if not fresh:
        return
    n, d = next(iter(fresh.values()))[0][2:]
    lines = [["how", "ms", "+-", "x malloc_fill", "+-"]]
    for how, (_, row) in sorted(fresh.items(), key=lambda f: f[1][1].ns):
        lines.append([how] + value(row, n * d * 1e-6, 1) + times(row, fresh.get("malloc_fill", (None, None))[1]))
    yield f"a table in fresh memory, {n} x {d}, wall time; x malloc_fill: how many times as fast", lines, ""


def level_tables(places, context, order):
    """Of tables in each cache and in memory; nothing when no cache's was run."""
    levels = sizes_in(context, "level")
    if any(k[0] == "fill" and k[2:] in levels for k in next(iter(places.values()))):
        yield from at_levels(places, context, order)


def position_tables(places, context, order):
    """Of what is no table: random positions, single rows, plans, fresh memory."""
    first = next(iter(places.values()))
    for kind, what in (("fill_at", "random positions below 2^20"), ("fill_at/in_a_row", "positions in a row")):
        for shape in sorted({k[2:] for k in first if k[0] == kind}):
            yield from speeds(f"fill_at, {shape[0]} {what}, d_model {shape[1]}", places, kind, shape, order)
    levels = {name: shape for shape, (name, _) in sizes_in(context, "level").items()}
    own = levels.get("l2", (256, 512))
    yield from one_row(places, own, order, own[1])
    yield from plans_made(first, own, order, own[1])
    yield from fresh_tables(first)


def thread_tables(places, order):
    for kind in kinds_like(r"threads:(\d+)/fill", next(iter(places.values()))):
        yield from by_threads(places, kind, order)


def print_further(places, context, shapes, order):
    """Everything that was run; places as read_bench() returns it, order the implementations, simplest first."""
    show(shares_at(places, shapes, order))
    show(level_tables(places, context, order))
    show(position_tables(places, context, order))
    show(thread_tables(places, order))
