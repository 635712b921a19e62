"""The pictures of speeds: by table size, of single rows, of peers, of two runs compared."""
from .drawing import INK, LINES, PAPER, RULE, SOFT, beside, colour, dots, log_axis, marker, picture, plain_axis, size_as
from .peers import OURS, UNFIT, Group, interval
from .plots import bars
from .stats import best_limit, sizes_in
from .tables import MEMORY, cache_sizes, kinds_like, sizes_of
from .words import listed, medians, position

MARKED = {"faster": LINES[3], "higher": LINES[3], "slower": LINES[7], "lower": LINES[7]}


def best_of_families(run, shapes):
    """{family: (name, {shape: row})}, of each family the member that is fastest on most shapes."""
    rows, found = run.verified[run.offset], {}
    for family in run.index:
        members = [n for n in run.judged() if run.families[n] == family]
        at = {s: {n: rows["fill", n, *s] for n in members if ("fill", n, *s) in rows} for s in shapes}
        best = [min(there, key=lambda n, there=there: there[n].ns) for there in at.values() if there]
        if best:
            name = max(best, key=best.count)
            found[family] = name, {s: there[name] for s, there in at.items() if name in there}
    return found


def level_shapes(run):
    """The (n, d) of one table for each cache and for memory, or all where these are too few; by size."""
    ran = sizes_of(run.rows, "fill")
    known = sizes_in(run.context, "level")
    found = [s for s in ran if s in known or run.shapes.get(s, ("",))[0] == MEMORY]
    return found if len(found) > 2 else ran


def speed(run, words):
    shapes = level_shapes(run)
    families = best_of_families(run, shapes)
    if not families or len(shapes) < 2:
        return None

    def draw(figure):
        axes = figure.subplots()
        for kind, style in (("store", "dashed"), ("stream", "dotted"), ("convert", "dashdot")):
            found = {4 * s[0] * s[1]: best_limit(run.rows, s, (kind,))[1] for s in shapes}
            found = {size: row.gb_s for size, row in found.items() if row}
            axes.plot(found.keys(), found.values(), color=SOFT, linestyle=style, label=f"limit: {kind}")
        for family, (name, at) in families.items():
            values = [row.gb_s for row in at.values()]
            how = {"yerr": bars(values, at.values()), "label": name}
            dots(axes, [4 * n * d for n, d in at], values, run.index[family], **how)
        xs = [4 * n * d for n, d in shapes]
        for i, size in enumerate(cache_sizes(run.context.get("caches", []))):
            if min(xs) / 1.4 < size < max(xs) * 1.4:
                axes.axvline(size, color=RULE, linewidth=1)
                axes.text(size, 1, f" L{i + 1}", transform=axes.get_xaxis_transform(), va="top", color=SOFT)
        log_axis(axes.xaxis, min(xs) / 1.4, max(xs) * 1.4, size_as, [1 << e for e in range(10, 40, 2)])
        least = min(row.gb_s for _, at in families.values() for row in at.values())
        plain_axis(axes.yaxis, least / 1.3, axes.get_ylim()[1] * 1.1)
        axes.grid(axis="y")
        axes.set(xlabel="bytes of the table (k = 1024)", ylabel="GB/s")
        beside(axes)

    caption = (
        f"Speed by size of the float32 table ({listed(f'{n} × {d}' for n, d in shapes)}), of each family the member "
        "that is fastest "
        "on most of them; both axes logarithmic. Limits: plain stores, non-temporal (stream) stores, and a bare "
        "conversion of "
        f"float64 to float32. Vertical lines: this machine's caches. {medians(run.rows, 'with bars of').capitalize()}."
    )
    return picture("speed", words, caption, draw, 420)


def panels(run):
    """[(what a row is, {name: Row}, its columns)] of what was run at random positions."""
    rows, found = run.verified[run.offset], []
    for kind in [*kinds_like(r"row/below:(\d+)", rows), "fill_at"]:
        for n, d in sizes_of(rows, kind):
            title = f"one of {n} rows in a call"
            if kind != "fill_at":
                title = f"one row, below position {position(int(kind.split(':')[1]))}"
            found.append((title, {k[1]: r for k, r in rows.items() if k[0] == kind and k[2:] == (n, d)}, d))
    return found


def single(run, words):
    shown = panels(run)
    if not shown:
        return None
    names = sorted(
        {n for _, rows, _ in shown for n in rows}, key=lambda n: -min(r[n].ns * d for _, r, d in shown if n in r)
    )

    def draw(figure):
        for axes, (title, rows, d) in zip(figure.subplots(1, len(shown), squeeze=False, sharey=True)[0], shown):
            for name in names:
                index = run.index[run.families[name]] if name in run.families else 0
                ns = [rows[name].ns * d] if name in rows else []
                dots(axes, ns, [name] * len(ns), index, xerr=bars(ns, [rows[name]]) if ns else None)
            values = [row.ns * d for row in rows.values()]
            plain_axis(axes.xaxis, min(values) / 1.5, max(values) * 1.5)
            axes.set(xlabel="ns per row", title=title)
            axes.grid(True)

    caption = (
        f"Time per row of {listed(sorted({str(d) for *_, d in shown}))} columns at random positions; logarithmic. "
        f"{medians(run.rows, 'with bars of').capitalize()}."
    )
    return picture("single", words, caption, draw, max(200, 80 + 20 * len(names)))


SHOWN = (
    (Group("c", "fill", 1), "C: filling memory that is there"),
    (Group("python", "fresh", 1), "Python: making a fresh table"),
)


def peers(run, words):
    """The peers' times relative to that of exact, a panel for each world."""
    found = run.peers
    shown = [(group, title, [c for c, case in found.theirs(group) if case["exact"]]) for group, title in SHOWN]
    shown = [(group, title, sorted(set(columns))) for group, title, columns in shown if columns]
    if not shown or found.emulated:
        return None
    rows = max(len(found.names(group)) for group, *_ in shown)

    def draw(figure):
        for axes, (group, title, columns) in zip(figure.subplots(1, len(shown), squeeze=False)[0], shown):
            names = [n for n in found.names(group) if n not in OURS]
            for i, column in enumerate(columns):
                at = {n: c for n, c in found.column(group, column).items() if n in names and c["exact"]}
                for n, case in at.items():
                    (low, high), value = interval(case, "exact"), case["exact"][0]
                    ranges = found.row(group, n).get("ranges", [])
                    wrong = any(r["word"] in UNFIT for r in ranges if r["from"] < column.n)
                    reach = [[max(0, value - max(low, 0.1 * value))], [max(0, high - value)]]
                    face = PAPER if wrong else colour(i)
                    dots(axes, value, names.index(n), i, xerr=reach, markerfacecolor=face)
                axes.plot([], [], color=colour(i), marker=marker(i), linestyle="", label=f"{column.n} × {column.d}")
            axes.axvline(1, color=INK, linewidth=1)
            values = [case["exact"][0] for _, case in found.theirs(group) if case["exact"]]
            plain_axis(axes.xaxis, min(values) / 1.5, max(values) * 1.5)
            axes.set(xlabel="times the time of exact", title=title, ylim=(len(names) - 0.5, -0.5))
            axes.set_yticks(range(len(names)), names)
            axes.grid(True)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14 * 20 / rows), ncols=3, fontsize=11)

    caption = (
        "The peer's time divided by that of exact, by size of the table; logarithmic. Left of the line the peer is "
        "faster. Bars: "
        "quartiles. Hollow: outputs worse than a float32 angle makes them."
    )
    return picture("peers", words, caption, draw, 150 + 22 * rows)


def ratios(rows, what, least):
    """Of a comparison: rows of (name, [(ratio, mark)], quartiles)."""

    def draw(figure):
        axes = figure.subplots()
        axes.axvspan(1 / (1 + least), 1 + least, color=RULE, linewidth=0)
        for y, (_, cases, (first, middle, third)) in enumerate(rows):
            for value, mark in cases:
                axes.plot([value], [y], "|", color=MARKED.get(mark, SOFT), markersize=9)
            axes.plot([first, third], [y, y], color=INK)
            axes.plot([middle], [y], "o", color=INK)
        values = [value for _, cases, _ in rows for value, _ in cases] + [1 / (1 + least), 1 + least]
        plain_axis(axes.xaxis, min(values) / 1.03, max(values) * 1.03)
        axes.set(ylim=(len(rows) - 0.5, -0.5), xlabel=f"{what} in B / {what} in A")
        axes.set_yticks(range(len(rows)), [name for name, *_ in rows])

    return picture(
        "ratios",
        f"Ratios of the {what} in B to that in A by implementation",
        "Strokes: the cases, coloured where a difference is told. Dots and bars: their median and quartiles. Shaded: "
        "not called a "
        "difference.",
        draw,
        70 + 26 * len(rows),
    )
