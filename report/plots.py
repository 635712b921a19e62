"""The pictures of the report, of comparisons and of the README."""
import math

from matplotlib.colors import BoundaryNorm, ListedColormap

from .drawing import (BANDS, INK, LINES, PAPER, RULE, SOFT, beside, colour, log_axis, marker, numbers, picture, power, size_as, svg)
from .peers import OURS, UNFIT, Group, interval
from .picks import pick, recipes
from .stats import best_limit, pages, sizes_in
from .tables import MEMORY, cache_sizes, kinds_like, sizes_of
from .words import listed, medians, number, position, short

ABSOLUTE = 1e-6  # the budget that is a line in the picture of errors and speeds
SAME = 1.02  # curves closer than this everywhere are drawn as one
MARKED = {"faster": LINES[3], "higher": LINES[3], "slower": LINES[7], "lower": LINES[7]}


def bars(values, rows):
    """Half the interquartile ranges; short of 0, which a logarithmic axis does not have."""
    return [min(0.9, (row.spread or 0) / 2) * value for value, row in zip(values, rows)]


def front(run):
    """The names that no other beats in both error (as shown) and speed."""
    merits = {n: (-float(number(run.error(n))), run.here[n].gb_s) for n in run.here if n in run.accuracy and run.error(n) is not None}
    return {n for n, m in merits.items() if not any(o != m and o[0] >= m[0] and o[1] >= m[1] for o in merits.values())}


def draw_choice(figure, run):
    axes = figure.subplots()
    names = [n for n in run.here if n in run.accuracy and run.error(n) is not None]
    least = min((run.error(n) for n in names if run.error(n)), default=ABSOLUTE) / 4
    fastest = max([run.here[n].gb_s for n in names] + [run.limit.gb_s if run.limit else 0])
    slowest, largest = min(run.here[n].gb_s for n in names), max(run.error(n) for n in names)
    log_axis(axes.xaxis, slowest / 1.5, fastest * 2, lambda v, _: f"{v:g}", [m * 10.0 ** e for e in range(-4, 4) for m in (1, 2, 5)])
    log_axis(axes.yaxis, least, max(largest, 2 * ABSOLUTE) * 4)
    axes.set(xlabel="GB/s (better to the right)", ylabel="max |error| (better downwards)")
    axes.axhline(ABSOLUTE, color=SOFT, linewidth=1, linestyle="dashed", label="budget: 1e-6")
    if run.limit:
        axes.axvline(run.limit.gb_s, color=SOFT, linewidth=1, linestyle="dotted", label="limit: stores")
    known, best = set(), front(run)
    labelled = best | ({pick(recipes(run), run.here, run.order)[0]} if recipes(run) else set())
    for n in names:
        family, row, error = run.families[n], run.here[n], run.error(n) or least
        index = run.index[family]
        axes.errorbar(row.gb_s, error, xerr=bars([row.gb_s], [row]), fmt=marker(index), color=colour(index), elinewidth=1, zorder=3,
                      markerfacecolor=colour(index) if run.ulp(n) <= 1 else PAPER, label=None if family in known else family)
        known.add(family)
    for i, n in enumerate(sorted(labelled, key=lambda n: run.here[n].gb_s)):
        axes.annotate(n, (run.here[n].gb_s, run.error(n) or least), (0, 9 + 14 * (i % 2)), textcoords="offset points",
                      ha="center", fontweight="bold" if n in best else "normal")
    beside(axes)


def choice(run, words):
    caption = (f"Largest |error| against speed, {run.table_name()}, {run.reach()}; speeds: {run.size[0]} × {run.size[1]}, float32, "
               f"{medians(run.here, 'with bars of')}; both axes logarithmic. Filled: at most 1 ULP wrong; named in bold: the Pareto "
               "front, which no other beats in both.")
    return picture("choice", words, caption, lambda figure: draw_choice(figure, run), 430)


def readme(run):
    """(SVG, its words) of the README's picture of errors and speeds."""
    words = f"Largest error of an output against speed: {run.size[0]} x {run.size[1]}, float32, {run.reach()}"
    where = f"{run.context.get('cpu')}, {run.context.get('compiler')}, {run.context.get('date', '')[:10]}"

    def draw(figure):
        draw_choice(figure, run)
        figure.suptitle(words, fontsize=15)
        figure.supxlabel(f"{where}; one core; output at {run.offset} modulo 64, {pages(run.rows)}\n{medians(run.here, 'with bars of')}; "
                         "filled: at most 1 ULP wrong", fontsize=11, color=SOFT)
    return svg("readme", words, draw, 480), words


def errors(ranges):
    """SVG of the README: {name: (label, [(from, to, error)])}"""
    def draw(figure):
        axes = figure.subplots()
        for i, (label, found) in enumerate(ranges.values()):
            axes.plot([b - 1 for _, b, _ in found], [e for *_, e in found], marker=marker(i), color=colour(4 * i), label=label)
        tops = [e for _, found in ranges.values() for *_, e in found]
        log_axis(axes.xaxis, 300, 2e6)
        log_axis(axes.yaxis, min(tops) / 3, max(tops) * 10)
        axes.set(xlabel="up to position", ylabel="largest error of an output")
        axes.grid(True)
        axes.legend(loc="upper left")
    return svg("errors", "Largest error of an output by position", draw, 360)


def groups(run):
    """[(names, points, label, number of the first one's family)] of those whose errors grow alike, for lines."""
    def points(curve, octaves):
        return [(math.sqrt(max(a, 1) * max(b - 1, a, 1)) if octaves else b - 1, top) for a, b, top in curve if top > 0 and b > 1]
    curves = {n: points(run.curve(n), bool(run.verify.get("profile"))) for n in run.judged()}

    def same(a, b):
        return len(curves[a]) == len(curves[b]) and all(max(x, y) < SAME * min(x, y) for (_, x), (_, y) in zip(curves[a], curves[b]))
    return [(names, curves[names[0]], listed(words), index) for names, words, index in run.groups(same) if curves[names[0]]]


def growth(run, words):
    found = groups(run)
    if not found:
        return None

    def draw(figure):
        axes = figure.subplots()
        for _, points, label, index in found:
            axes.plot(*zip(*points), color=colour(index), marker=marker(index), label=label)
        lows = [y for _, points, *_ in found for _, y in points]
        xs = [x for _, points, *_ in found for x, _ in points]
        log_axis(axes.xaxis, max(0.8, min(xs) / 1.1), max(xs) * 1.2, lambda x, _: short(int(x)), [2 ** e for e in range(0, 48, 3)])
        log_axis(axes.yaxis, min(lows) / 2, max(lows) * 2)
        axes.grid(axis="y")
        axes.set(xlabel=run.position_word(), ylabel="max |error|")
        beside(axes)
    by = f"octave of {run.position_word('s')}" if run.verify.get("profile") else "range of positions"
    caption = (f"Largest |error| in each {by}, {run.table_name()}, {run.whole_reach()}, against {run.reference()}; both axes logarithmic. "
               "Implementations within 2 % of each other everywhere share a line.")
    return picture("growth", words, caption, draw, 380)


def where(run, words):
    """Maps of errors by position and column, one for all that look alike."""
    profiles = {n: run.profile(n) for n in run.judged() if run.profile(n)}
    if not profiles:
        return None
    tops = [top for p in profiles.values() for top in [max(e for row in p for e in row if e is not None)] if top > 0] or [ABSOLUTE]
    low, high = math.floor(math.log10(min(tops))), math.floor(math.log10(max(tops)))
    step = max(1, math.ceil((high - low) / 7))
    edges = [10.0 ** (low + 1 + step * i) for i in range(7)]
    banded = {n: [[math.nan if e is None else sum(e > edge for edge in edges) for e in row] for row in p] for n, p in profiles.items()}
    found = [g for g in run.groups(lambda a, b: str(banded.get(a)) == str(banded.get(b))) if g[0][0] in banded]
    positions, columns = run.verify["profile"]["position_edges"], run.verify["profile"]["column_edges"]
    across = min(4, len(found))
    down = -(-len(found) // across)

    def draw(figure):
        grid = figure.subplots(down, across, squeeze=False, sharey=True)
        for axes in grid.flat:
            axes.set_visible(False)
        for axes, (names, words, _) in zip(grid.flat, found):
            axes.set_visible(True)
            mesh = axes.pcolormesh(columns, range(len(positions)), banded[names[0]], cmap=ListedColormap(BANDS),
                                   norm=BoundaryNorm(range(9), 8))
            axes.set(ylim=(len(positions) - 1, 0), xticks=[columns[0], columns[-1]])
            marks = [i for i in range(0, len(positions), 5)]
            axes.set_yticks(marks, [short(positions[i]) for i in marks])
            axes.set_title("\n".join(words), fontsize=11)
        bar = figure.colorbar(mesh, ax=grid, location="top", aspect=60, ticks=range(1, 8))
        bar.ax.set_xticklabels([power(e) for e in edges])
        bar.set_label("max |error|")
        figure.supxlabel("column")
        figure.supylabel(run.position_word())
    caption = (f"Largest |error| by {run.position_word()} (one row for each octave) and column, {run.table_name()}, {run.whole_reach()}. "
               "Implementations whose maps are the same share one. Gaps: no row was compared.")
    return picture("where", words, caption, draw, 90 + 210 * down)


def ulps(run, words):
    edges, counts = run.verify.get("ulp_band_edges"), {n: run.bands(n) for n in run.judged() if run.bands(n)}
    if not counts or not edges or len(edges) + 1 > len(BANDS):
        return None

    def draw(figure):
        axes, names = figure.subplots(), list(counts)[::-1]
        left = [0.0] * len(names)
        for i, text in enumerate([f"≤ {edges[0]:g} ULP", *(f"≤ {e:g}" for e in edges[1:]), "more"]):
            shares = [100 * counts[n][i] / sum(counts[n]) for n in names]
            axes.barh(names, shares, left=left, color=BANDS[i], edgecolor=SOFT, linewidth=0.5, label=text)
            left = [a + b for a, b in zip(left, shares)]
        axes.set(xlim=(0, 100), xlabel="% of the outputs")
        beside(axes)
    return picture("ulps", words, f"{run.table_name()}, {run.reach()}: bands of the error, in units in the last place (ULP).", draw,
                   60 + 21 * len(counts))


def best_of_families(run, shapes):
    """{family: (name, {shape: row})}, of each family the member that is fastest on most shapes."""
    rows, found = run.verified[run.offset], {}
    for family in run.index:
        at = {n: {s: rows["fill", n, *s] for s in shapes if ("fill", n, *s) in rows} for n in run.judged() if run.families[n] == family}
        best = [min((n for n in at if s in at[n]), key=lambda n, s=s: at[n][s].ns) for s in shapes if any(s in r for r in at.values())]
        if best:
            name = max(best, key=best.count)
            found[family] = name, at[name]
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
            found = {4 * s[0] * s[1]: row.gb_s for s in shapes for row in [best_limit(run.rows, s, (kind,))[1]] if row}
            if found:
                axes.plot(found.keys(), found.values(), color=SOFT, linestyle=style, linewidth=1.1, label=f"limit: {kind}")
        for family, (name, at) in families.items():
            values = [row.gb_s for row in at.values()]
            axes.errorbar([4 * n * d for n, d in at], values, yerr=bars(values, at.values()), color=colour(run.index[family]),
                          marker=marker(run.index[family]), elinewidth=1, label=name)
        xs = [4 * n * d for n, d in shapes]
        for i, size in enumerate(cache_sizes(run.context.get("caches", []))):
            if min(xs) / 1.4 < size < max(xs) * 1.4:
                axes.axvline(size, color=RULE, linewidth=1)
                axes.annotate(f"L{i + 1}", (size, 1), (2, -12), xycoords=("data", "axes fraction"), textcoords="offset points", color=SOFT)
        log_axis(axes.xaxis, min(xs) / 1.4, max(xs) * 1.4, size_as, [1 << e for e in range(10, 40, 2)])
        ys = axes.get_ylim()
        log_axis(axes.yaxis, min(r.gb_s for _, at in families.values() for r in at.values()) / 1.3, ys[1] * 1.1,
                 lambda v, _: f"{v:g}", [m * 10.0 ** e for e in range(-3, 4) for m in (1, 2, 5)])
        axes.grid(axis="y")
        axes.set(xlabel="bytes of the table (k = 1024)", ylabel="GB/s")
        beside(axes)
    caption = (f"Speed by size of the float32 table ({listed(f'{n} × {d}' for n, d in shapes)}), of each family the member that is fastest "
               f"on most of them; both axes logarithmic. Limits: plain stores, non-temporal (stream) stores, and a bare conversion of "
               f"float64 to float32. Vertical lines: this machine's caches. {medians(run.rows, 'with bars of').capitalize()}.")
    return picture("speed", words, caption, draw, 420)


def panels(run):
    """[(what a row is, {name: Row}, its columns)] of what was run at random positions."""
    rows = run.verified[run.offset]
    kinds = [(kind, f"one row, below position {position(int(kind.split(':')[1]))}") for kind in kinds_like(r"row/below:(\d+)", rows)]
    return [(title.format(n=n), {k[1]: r for k, r in rows.items() if k[0] == kind and k[2:] == (n, d)}, d)
            for kind, title in [*kinds, ("fill_at", "one of {n} rows in a call")] for n, d in sizes_of(rows, kind)]


def single(run, words):
    shown = panels(run)
    if not shown:
        return None
    names = sorted({n for _, rows, _ in shown for n in rows}, key=lambda n: -min(r[n].ns * d for _, r, d in shown if n in r))

    def draw(figure):
        for axes, (title, rows, d) in zip(figure.subplots(1, len(shown), squeeze=False, sharey=True)[0], shown):
            for name in names:
                index = run.index[run.families[name]] if name in run.families else 0
                if name in rows:
                    ns = rows[name].ns * d
                    axes.errorbar(ns, name, xerr=bars([ns], [rows[name]]), color=colour(index), marker=marker(index), elinewidth=1)
                else:
                    axes.plot([], [])
            values = [row.ns * d for row in rows.values()]
            log_axis(axes.xaxis, min(values) / 1.5, max(values) * 1.5, lambda v, _: f"{v:g}", numbers(1, 1000))
            axes.set(xlabel="ns per row", title=title)
            axes.grid(True)
    caption = (f"Time per row of {listed(sorted({str(d) for *_, d in shown}))} columns at random positions; logarithmic. "
               f"{medians(run.rows, 'with bars of').capitalize()}.")
    return picture("single", words, caption, draw, 80 + 20 * len(names))


SHOWN = ((Group("c", "fill", 1), "C: filling memory that is there"), (Group("python", "fresh", 1), "Python: making a fresh table"))


def peers(found, words):
    """The peers' times relative to that of exact, a panel for each world."""
    shown = [(group, title, [c for c in found.columns(group) if any(case["exact"] for o, case in found.theirs(group) if o == c)])
             for group, title in SHOWN if any(case["exact"] for _, case in found.theirs(group))]
    if not shown or found.emulated:
        return None
    rows = max(len(found.names(group)) for group, *_ in shown)

    def draw(figure):
        for axes, (group, title, columns) in zip(figure.subplots(1, len(shown), squeeze=False)[0], shown):
            names = [n for n in found.names(group) if n not in OURS]
            for i, column in enumerate(columns):
                at = {n: c for n, c in found.column(group, column).items() if n in names and c["exact"]}
                for n, case in at.items():
                    low, high = interval(case, "exact")
                    value = case["exact"][0]
                    wrong = any(r["word"] in UNFIT for r in found.row(group, n).get("ranges", []) if r["from"] < column.n)
                    axes.errorbar(value, names.index(n), xerr=[[max(0, value - max(low, 0.1 * value))], [max(0, high - value)]],
                                  color=colour(i), marker=marker(i), elinewidth=1, markerfacecolor=PAPER if wrong else colour(i))
                axes.plot([], [], color=colour(i), marker=marker(i), linestyle="", label=f"{column.n} × {column.d}")
            axes.axvline(1, color=INK, linewidth=1)
            values = [case["exact"][0] for _, case in found.theirs(group) if case["exact"]]
            log_axis(axes.xaxis, min(values) / 1.5, max(values) * 1.5, lambda v, _: f"{v:g}", numbers(1, 1000))
            axes.set(xlabel="times the time of exact", title=title, ylim=(len(names) - 0.5, -0.5))
            axes.set_yticks(range(len(names)), names)
            axes.grid(True)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14 * 20 / rows), ncols=3, fontsize=11)
    caption = ("The peer's time divided by that of exact, by size of the table; logarithmic. Left of the line the peer is faster. Bars: "
               "quartiles. Hollow: outputs worse than a float32 angle makes them.")
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
        log_axis(axes.xaxis, min(values) / 1.03, max(values) * 1.03, lambda v, _: f"{v:g}", numbers(min(values), max(values)))
        axes.set(ylim=(len(rows) - 0.5, -0.5), xlabel=f"{what} in B / {what} in A")
        axes.set_yticks(range(len(rows)), [name for name, *_ in rows])
    return picture("ratios", f"Ratios of the {what} in B to that in A by implementation",
                   "Strokes: the cases, coloured where a difference is told. Dots and bars: their median and quartiles. Shaded: not called a "
                   "difference.", draw, 70 + 26 * len(rows))
