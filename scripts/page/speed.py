"""How fast: by table size, from L1 to memory; and of what is no table."""
import statistics

from drawing import SOFT, axes_at, both, colour, ends, label, log_axis, marker, pixels
from further import MEMORY, cache_sizes
from render import Table
from results import best_limit, sizes_in
from words import bar, listed, medians, plural, pm, share_text, speed

FEW = 3
LIMITS = (("store", (5, 2)), ("stream", (1, 1.5)), ("convert", (6, 2, 1, 2)))  # and how they are dashed


def sizes(subject):
    """The (n, d) that the picture is of, by bytes: one of each cache and of memory, or all where that would be too few."""
    ran = {k[2:] for k in subject.rows if k[0] == "fill"}
    levels = [s for s in sizes_in(subject.context, "level") if s in ran]
    memory = [s for s, (name, _) in sizes_in(subject.context, "shape").items() if name == MEMORY and s in ran]
    return sorted(levels + memory if len(levels + memory) >= FEW else ran, key=lambda s: s[0] * s[1])


def best_of_families(subject, shapes):
    """{family: {shape: (name, row)}}, of each family the member that is fastest on most shapes."""
    rows = subject.verified[subject.offset]
    found = {}
    for family in subject.index:
        members = [n for n in subject.judged() if subject.families[n] == family and any(("fill", n, *s) in rows for s in shapes)]
        if members:
            best = [min((n for n in members if ("fill", n, *s) in rows), key=lambda n, s=s: rows["fill", n, *s].ns)
                    for s in shapes if any(("fill", n, *s) in rows for n in members)]
            name = statistics.mode(best)
            found[family] = name, {s: rows["fill", name, *s] for s in shapes if ("fill", name, *s) in rows}
    return found


def limit_lines(subject, shapes):
    for kind, dashes in LIMITS:
        points = {s: best_limit(subject.rows, s, (kind,))[1] for s in shapes}
        points = {s: row for s, row in points.items() if row}
        if points:
            yield kind, dashes, points


def picture(subject):
    shapes = sizes(subject)
    families, limits = best_of_families(subject, shapes), list(limit_lines(subject, shapes))
    if not families or len(shapes) < 2:
        return None
    every = [row.gb_s for _, points in families.values() for row in points.values()] + [
        row.gb_s for *_, points in limits for row in points.values()]
    bytes_of = {s: 4 * s[0] * s[1] for s in shapes}
    caches = cache_sizes(subject.context.get("caches", []))

    def draw(figure, narrow):
        room = 100 if narrow else 190
        axes = axes_at(figure, 34 if narrow else 42, 44, room + 22, 24)
        low, high = min([*bytes_of.values(), *caches[:1]]) / 1.4, max(bytes_of.values()) * 1.15
        log_axis(axes.xaxis, low, high, size_as, [1 << e for e in range(10, 40, 4 if narrow else 2)])
        log_axis(axes.yaxis, min(every) / 1.3, max(every) * 1.25, lambda v, _: f"{v:g}",
                 [m * 10.0 ** e for e in range(-3, 4) for m in (1, 2, 5)])
        axes.grid(axis="y")
        axes.set_xlabel("bytes of the table (k = 1024)")
        for i, size in enumerate(caches):
            if low < size < high:
                axes.axvline(size, color=SOFT, linewidth=0.8)
                x, top = pixels(axes, size, axes.get_ylim()[1])
                label(axes, x, top + 10, f"L{i + 1}" if narrow else f"L{i + 1} {size_as(size)}", ha="center", color=SOFT)
        label(axes, 0, axes.get_window_extent().y1 + 10, "GB/s", color=SOFT)
        lines = []
        for kind, dashes, points in limits:
            ys = [row.gb_s for row in points.values()]
            axes.plot([bytes_of[s] for s in points], ys, color=SOFT, linewidth=1.1, dashes=dashes)
            lines.append(((bytes_of[max(points, key=bytes_of.get)], ys[-1]), [f"limit: {kind}"], SOFT))
        for family, (name, points) in families.items():
            index, xs = subject.index[family], [bytes_of[s] for s in points]
            ys = [row.gb_s for row in points.values()]
            axes.errorbar(xs, ys, yerr=[bar(row.gb_s, row.spread) for row in points.values()], color=colour(index),
                          marker=marker(index), markersize=3.5 if narrow else 4.5, elinewidth=1)
            lines.append(((xs[-1], ys[-1]), [name], colour(index)))
        ends(axes, lines, room)
    caption = (f"Speed by size of the float32 table ({listed(f'{n} × {d}' for n, d in shapes)}), of each family the "
               f"member that is fastest on most of them; both axes logarithmic. Dashed: what plain stores, non-temporal "
               f"(stream) stores and a bare conversion of float64 to float32 reach on the same memory. Vertical lines: the "
               f"sizes of this machine's caches. {medians(subject.rows, 'with bars of').capitalize()}.")
    return both("speed", answer(subject), caption, draw, (390, 420))


def size_as(value, _=None):
    for unit, shift in (("G", 30), ("M", 20), ("k", 10)):
        if value >= 1 << shift:
            return f"{value / (1 << shift):.3g}{unit}"
    return f"{value:g}"


def answer(subject):
    """The one sentence."""
    rows, name = subject.verified[subject.offset], subject.best()
    shapes = [s for s in sizes(subject) if ("fill", name, *s) in rows]
    if not shapes:
        return (f"{subject.unranked().capitalize()}." if subject.ran and subject.table[1] != "f32" else
                "No speeds of these tables were measured.")
    known = {s: w[0] for s, w in (sizes_in(subject.context, "level") | sizes_in(subject.context, "shape")).items()}
    cases = []
    for s in shapes if len(shapes) <= 4 else (shapes[0], shapes[-1]):
        row, limit = rows["fill", name, *s], best_limit(subject.rows, s)[1]
        where = {"l1": "L1", "l2": "L2", "llc": "the last-level cache", MEMORY: "memory"}.get(known.get(s), f"{s[0]} × {s[1]}")
        cases.append(f"{pm(speed(row))} GB/s in {where}{share_text(row, limit)}")
    return f"{name} writes {listed(cases)}."


def matrix(subject):
    """All float32 tables of the run."""
    rows = subject.verified[subject.offset]
    levels = {s: f"level {name}" for s, (name, _) in sizes_in(subject.context, "level").items()}
    known = levels | {s: name for s, (name, _) in subject.shapes.items()}
    shapes = sorted({k[2:] for k in rows if k[0] == "fill"}, key=lambda s: s[0] * s[1])
    found = []
    for n in subject.order:
        cells = [rows.get(("fill", n, *s)) for s in shapes]
        if any(cells):
            found.append([n] + [speed(r) if r else "-" for r in cells])
    found += [[f"limit: {kind}", *(speed(points[s]) if s in points else "-" for s in shapes)]
              for kind, _, points in limit_lines(subject, shapes)]
    head = ["GB/s"] + [f"{known.get(s, '')} {s[0]} × {s[1]}".strip() for s in shapes]
    slow = {k[1] for k, r in rows.items() if k[0] == "fill" and r.rows < k[2]}
    slow = listed(sorted(slow, key=subject.order.index))
    note = f"Of the largest tables, {slow} wrote some rows only, spread over the table." if slow else ""
    return Table(f"Fills of float32 tables, GB/s, {medians(rows)}", head, found, note=note,
                 marks={r[0]: "off" for r in found if r[0].startswith("limit")},
                 folded=f"All {plural(len(shapes), 'table')}, all implementations")
