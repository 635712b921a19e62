"""The pictures of errors, and of errors against speeds; also those of the README."""
import math

from matplotlib.colors import BoundaryNorm, ListedColormap

from .drawing import BANDS, PAPER, SOFT, beside, colour, dots, log_axis, picture, plain_axis, power, svg
from .picks import pick, recipes
from .stats import pages
from .words import listed, medians, number, short

ABSOLUTE = 1e-6  # the budget that is a line in the picture of errors and speeds
SAME = 1.02  # curves closer than this everywhere are drawn as one


def bars(values, rows):
    """Half the interquartile ranges; short of 0, which a logarithmic axis does not have."""
    return [min(0.9, (row.spread or 0) / 2) * value for value, row in zip(values, rows)]


def front(run):
    """The names that no other beats in both error (as shown) and speed."""
    merits = {
        n: (-float(number(run.error(n))), run.here[n].gb_s)
        for n in run.here
        if n in run.accuracy and run.error(n) is not None
    }
    return {n for n, m in merits.items() if not any(o != m and o[0] >= m[0] and o[1] >= m[1] for o in merits.values())}


def draw_choice(figure, run):
    axes = figure.subplots()
    names = [n for n in run.here if n in run.accuracy and run.error(n) is not None]
    least = min((run.error(n) for n in names if run.error(n)), default=ABSOLUTE) / 4
    fastest = max([run.here[n].gb_s for n in names] + [run.limit.gb_s if run.limit else 0])
    slowest, largest = min(run.here[n].gb_s for n in names), max(run.error(n) for n in names)
    plain_axis(axes.xaxis, slowest / 1.5, fastest * 2)
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
        how = {"xerr": bars([row.gb_s], [row]), "linestyle": "", "label": None if family in known else family}
        dots(axes, row.gb_s, error, index, markerfacecolor=colour(index) if run.ulp(n) <= 1 else PAPER, **how)
        known.add(family)
    for i, n in enumerate(sorted(labelled, key=lambda n: run.here[n].gb_s)):
        at, weight = (run.here[n].gb_s, run.error(n) or least), "bold" if n in best else "normal"
        axes.annotate(n, at, (0, 9 + 14 * (i % 2)), textcoords="offset points", ha="center", fontweight=weight)
    beside(axes)


def choice(run, words):
    caption = (
        f"Largest |error| against speed, {run.table_name()}, {run.reach()}; speeds: {run.size[0]} × {run.size[1]}, "
        "float32, "
        f"{medians(run.here, 'with bars of')}; both axes logarithmic. Filled: at most 1 ULP wrong; named in bold: the "
        "Pareto "
        "front, which no other beats in both."
    )
    return picture("choice", words, caption, lambda figure: draw_choice(figure, run), 430)


def readme(run):
    """(SVG, its words) of the README's picture of errors and speeds."""
    words = f"Largest error of an output against speed: {run.size[0]} x {run.size[1]}, float32, {run.reach()}"
    where = f"{run.context.get('cpu')}, {run.context.get('compiler')}, {run.context.get('date', '')[:10]}"

    def draw(figure):
        draw_choice(figure, run)
        figure.suptitle(words, fontsize=15)
        figure.supxlabel(
            f"{where}; one core; output at {run.offset} modulo 64, "
            f"{pages(run.rows)}\n{medians(run.here, 'with bars of')}; "
            "filled: at most 1 ULP wrong",
            fontsize=11,
            color=SOFT,
        )

    return svg("readme", words, draw, 480), words


def errors(ranges):
    """SVG of the README: {name: (label, [(from, to, error)])}"""

    def draw(figure):
        axes = figure.subplots()
        for i, (label, found) in enumerate(ranges.values()):
            dots(axes, [b - 1 for _, b, _ in found], [e for *_, e in found], 4 * i, label=label)
        tops = [e for _, found in ranges.values() for *_, e in found]
        log_axis(axes.xaxis, 300, 2e6)
        log_axis(axes.yaxis, min(tops) / 3, max(tops) * 10)
        axes.set(xlabel="up to position", ylabel="largest error of an output")
        axes.grid(True)
        axes.legend(loc="upper left")

    return svg("errors", "Largest error of an output by position", draw, 360)


def groups(run):
    """[(points, label, number of the first one's family)] of those whose errors grow alike, for lines."""
    curves, octaves = {}, bool(run.verify.get("profile"))
    for n in run.judged():
        found = [(a, b, top) for a, b, top in run.curve(n) if top > 0 and b > 1]
        curves[n] = [(math.sqrt(max(a, 1) * max(b - 1, a, 1)) if octaves else b - 1, top) for a, b, top in found]

    def same(a, b):
        pairs = list(zip(curves[a], curves[b]))
        return len(curves[a]) == len(curves[b]) and all(max(x, y) < SAME * min(x, y) for (_, x), (_, y) in pairs)

    return [(curves[names[0]], listed(words), index) for names, words, index in run.groups(same) if curves[names[0]]]


def growth(run, words):
    found = groups(run)
    if not found:
        return None

    def draw(figure):
        axes = figure.subplots()
        for points, label, index in found:
            dots(axes, *zip(*points), index, label=label)
        lows, xs = ([point[i] for points, *_ in found for point in points] for i in (1, 0))
        ticks = [2**e for e in range(0, 48, 3)]
        log_axis(axes.xaxis, max(0.8, min(xs) / 1.1), max(xs) * 1.2, lambda x, _: short(int(x)), ticks)
        log_axis(axes.yaxis, min(lows) / 2, max(lows) * 2)
        axes.grid(axis="y")
        axes.set(xlabel=run.position_word(), ylabel="max |error|")
        beside(axes)

    by = f"octave of {run.position_word('s')}" if run.verify.get("profile") else "range of positions"
    caption = (
        f"Largest |error| in each {by}, {run.table_name()}, {run.whole_reach()}, against {run.reference()}; both axes "
        "logarithmic. "
        "Implementations within 2 % of each other everywhere share a line."
    )
    return picture("growth", words, caption, draw, 380)


def where(run, words):
    """Maps of errors by position and column, one for all that look alike."""
    profiles = {n: run.profile(n) for n in run.judged() if run.profile(n)}
    if not profiles:
        return None
    tops = [max(e for row in p for e in row if e is not None) for p in profiles.values()]
    tops = [top for top in tops if top > 0] or [ABSOLUTE]
    low, high = math.floor(math.log10(min(tops))), math.floor(math.log10(max(tops)))
    step = max(1, math.ceil((high - low) / 7))
    edges = [10.0 ** (low + 1 + step * i) for i in range(7)]

    def band(e):
        return math.nan if e is None else sum(e > edge for edge in edges)

    banded = {n: [[band(e) for e in row] for row in p] for n, p in profiles.items()}
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
            colours = {"cmap": ListedColormap(BANDS), "norm": BoundaryNorm(range(9), 8)}
            mesh = axes.pcolormesh(columns, range(len(positions)), banded[names[0]], **colours)
            axes.set(ylim=(len(positions) - 1, 0), xticks=[columns[0], columns[-1]])
            marks = [i for i in range(0, len(positions), 5)]
            axes.set_yticks(marks, [short(positions[i]) for i in marks])
            axes.set_title("\n".join(words), fontsize=11)
        bar = figure.colorbar(mesh, ax=grid, location="top", aspect=60, ticks=range(1, 8))
        bar.ax.set_xticklabels([power(e) for e in edges])
        bar.set_label("max |error|")
        figure.supxlabel("column")
        figure.supylabel(run.position_word())

    caption = (
        f"Largest |error| by {run.position_word()} (one row for each octave) and column, {run.table_name()}, "
        f"{run.whole_reach()}. "
        "Implementations whose maps are the same share one. Gaps: no row was compared."
    )
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

    return picture(
        "ulps",
        words,
        f"{run.table_name()}, {run.reach()}: bands of the error, in units in the last place (ULP).",
        draw,
        max(190, 60 + 21 * len(counts)),
    )
