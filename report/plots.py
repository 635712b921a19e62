"""The pictures of the report and of the README."""
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.ticker import EngFormatter
from matplotlib.transforms import blended_transform_factory

from .drawing import COLOURS, GREY, PALE, SHADES, dots, file, is_narrow, legend, log, name_ends, picture
from .stats import STORES, limit_of, sizes_in, sizes_of
from .tables import MEMORY, conditions, widths
from .words import cache_sizes, listed, medians, number, position

SAME = 1.02  # curves closer than this everywhere are drawn as one


def accuracy_groups(run):
    """[(what its members have in common, names, fastest first)], the most accurate first."""
    groups = {
        "Correctly rounded": [],
        "Wrong by at most 1 ULP": [],
        "Wrong by at most 1e-6": [],
        "Wrong by more than 1e-6": [],
    }
    for n in sorted((n for n in run.judged() if n in run.here), key=lambda n: run.here[n].ns):
        right, of = run.correct(n)
        accurate = (right == of, run.ulp(n) <= 1, run.error(n) <= 1e-6, True)
        groups[list(groups)[accurate.index(True)]].append(n)
    worst = {said: f", up to {number(max(map(run.error, names)))}" for said, names in groups.items() if names}
    return [(f"{said}{worst[said] if '1e-6' in said else ''}", groups[said]) for said in worst]


def bars(rows):
    """Half the interquartile ranges of speeds; short of 0, which a logarithmic axis does not have."""
    return [row.gb_s * min(0.9, (row.spread or 0) / 2) for row in rows]


def draw_choice(figure, run):
    """A bar for each implementation, in groups by accuracy; the speeds stand beside the names, off the bars."""
    axes, at, ticks = figure.subplots(), 0, {}
    best = run.pick() and run.pick().name
    for said, names in accuracy_groups(run):
        whole = blended_transform_factory(figure.transFigure, axes.transData)
        axes.text(0.01, at, said, fontweight="bold", va="center", transform=whole).set_in_layout(False)
        rows = [run.here[n] for n in names]
        places = range(at + 1, at + 1 + len(names))
        colours = [COLOURS[0] if n == best else PALE for n in names]
        axes.barh(places, [row.gb_s for row in rows], 0.72, color=colours, xerr=bars(rows), ecolor=GREY)
        if run.limit:
            axes.vlines(run.limit.gb_s, at + 0.5, places[-1] + 0.5, color=GREY, linestyle="dashed")
        ticks |= {
            y: f"{n}\u00a0\u00a0{row.gb_s:.{1 if row.gb_s >= 1 else 2}f}" for y, n, row in zip(places, names, rows)
        }
        at = places[-1] + 2
    axes.set_yticks(list(ticks), ticks.values())
    for y, text in zip(ticks, axes.get_yticklabels()):
        text.set_fontweight("bold" if best and ticks[y].startswith(f"{best}\u00a0") else "normal")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set(ylim=(at - 1, -0.8), xlim=(0, None))
    limit = f"; dashed: plain stores, {run.limit.gb_s:.1f}" if run.limit else ""
    axes.set_xlabel(f"GB/s{limit}")


def choice_height(run):
    groups = accuracy_groups(run)
    return 70 + 19 * sum(len(names) + 2 for _, names in groups)


def choice(run):
    caption = f"{run.table_name()}, {run.reach()}; speeds: {conditions(run)}; {medians(run.here)}. Groups: by the outputs that were judged. Bold: the pick."
    return picture(
        "Speed of each implementation, grouped by accuracy", caption, lambda f: draw_choice(f, run), choice_height(run)
    )


def readme_choice(run):
    words = f"Speed of each implementation, grouped by accuracy: {run.size[0]} x {run.size[1]}, float32, {run.reach()}"

    def draw(figure):
        draw_choice(figure, run)
        figure.suptitle(f"{run.size[0]} x {run.size[1]}, float32, {run.reach()}; GB/s", fontsize=13)
        figure.supxlabel(conditions(run).rpartition("; limit")[0].replace("; output", ";\noutput"), fontsize=11)

    return file(words, draw, choice_height(run) + 60)


def draw_growth(figure, curves, xlabel):
    """curves: [({(first, end): error}, label, number of its family)]"""
    axes, ends = figure.subplots(), []
    for curve, label, index in curves:
        points = [(max(abs(a), abs(b - 1)), top) for (a, b), top in curve.items() if top > 0 and b != 1]
        if points:
            dots(axes, *zip(*points), index)
            ends.append((*points[-1], label, COLOURS[index % 10]))
    log(axes.xaxis, EngFormatter(sep=""))
    log(axes.yaxis)
    axes.grid(axis="y")
    axes.set(xlabel=xlabel, ylabel="max |error|")
    name_ends(axes, ends)


def growth(run):
    def same(a, b):
        one, other = run.curve(a), run.curve(b)
        return one.keys() == other.keys() and all(max(one[s], other[s]) <= SAME * min(one[s], other[s]) for s in one)

    curves = [
        (run.curve(names[0]), label, index)
        for names, label, index in run.groups(same)
        if any(run.curve(names[0]).values())
    ]
    if not curves:
        return None
    by = "octave" if run.verify.get("profile") else "range"
    caption = (
        f"{run.table_name()}, {run.reach(run.spans)}. Implementations within 2 % of each other everywhere share a line."
    )
    return picture(
        f"Largest |error| in each {by} of positions",
        caption,
        lambda figure: draw_growth(figure, curves, "|position|"),
        380,
    )


def readme_growth(curves):
    label = "Largest error of an output by position"
    return file(label, lambda figure: draw_growth(figure, curves, "up to position"), 300)


def maps(run):
    """{name: array of errors by octave of positions and group of columns}, at least 1e-9; NaN where nothing was
    compared"""
    return {n: np.maximum(np.array(run.profile(n), float), 1e-9) for n in run.judged() if run.profile(n)}


def where(run):
    """Maps of errors, one for all that have the same decade everywhere."""
    found = maps(run)
    decades = {n: np.floor(np.log10(found[n])) for n in found}
    shown = run.groups(lambda a, b: {a, b} <= {*found} and np.array_equal(decades[a], decades[b], equal_nan=True))
    shown = [group for group in shown if group[0][0] in found]
    positions, columns = run.verify["profile"]["position_edges"], run.verify["profile"]["column_edges"]
    norm = LogNorm(min(map(np.nanmin, found.values())), max(map(np.nanmax, found.values())) * 1.01)

    def down(across):
        return -(-len(shown) // across)

    def draw(figure):
        across = min(2 if is_narrow(figure) else 4, len(shown))
        grid = figure.subplots(down(across), across, squeeze=False, sharey=True)
        for axes in grid.flat[len(shown) :]:
            axes.set_visible(False)
        for axes, (names, label, _) in zip(grid.flat, shown):
            mesh = axes.pcolormesh(columns, range(len(positions)), found[names[0]], cmap=SHADES, norm=norm)
            axes.set(ylim=(len(positions) - 1, 0), xticks=[columns[0], columns[-1]])
            axes.set_yticks(range(0, len(positions), 5), [position(p) for p in positions[::5]])
            axes.set_title(label, fontsize=11)
        bar = figure.colorbar(mesh, ax=grid, location="top", aspect=60)
        bar.set_label("max |error|", labelpad=8)
        log(bar.ax.xaxis)
        figure.supxlabel("column", fontsize=12)
        figure.supylabel("|position|", fontsize=12)

    caption = f"{run.table_name()}, {run.reach(run.spans)}; one row for each octave of positions. "
    caption += "Implementations with errors of the same decades share a map. Gaps: no row was compared. verify.json has the numbers."
    return picture("Largest |error| by position and column", caption, draw, 90 + 210 * down(4), 110 + 230 * down(2))


def ulps(run):
    edges, counts = run.verify.get("ulp_band_edges"), {n: run.bands(n) for n in run.judged() if run.bands(n)}
    if not counts or not edges:
        return None

    def draw(figure):
        axes, names = figure.subplots(), list(counts)[::-1]
        left = np.zeros(len(names))
        for i, text in enumerate([f"≤ {edges[0]:g} ULP", *(f"≤ {e:g}" for e in edges[1:]), "more"]):
            shares = np.array([100 * counts[n][i] / sum(counts[n]) for n in names])
            axes.barh(names, shares, left=left, color=SHADES(i / len(edges)), edgecolor=GREY, linewidth=0.5, label=text)
            left += shares
        axes.set(xlim=(0, 100), xlabel="% of the outputs")
        legend(axes)

    caption = f"{run.table_name()}, {run.reach()}: bands of the error, in units in the last place (ULP)."
    height = 110 + 21 * len(counts)
    return picture("Outputs in each band of errors", caption, draw, height, height + 40)


def speed(run):
    """Of each family the member that is fastest on most of the tables of the caches, or of all tables where
    these are too few."""
    ran, known = sizes_of(run.rows, "fill"), sizes_in(run.context, "level")
    shapes = [s for s in ran if s in known or run.shapes.get(s, ("",))[0] == MEMORY]
    shapes = shapes if len(shapes) > 2 else ran
    fills = {
        s: {n: run.verified["fill", n, *s] for n in run.judged() if ("fill", n, *s) in run.verified} for s in shapes
    }
    if len(shapes) < 2 or not any(fills.values()):
        return None

    def draw(figure):
        axes, ends = figure.subplots(), []
        for call, style in ((*STORES[:1], "dashed"), (*STORES[1:], "dotted"), ("convert", "dashdot")):
            found = {4 * s[0] * s[1]: limit_of(run.rows, ("fill", "", *s), (call,)) for s in shapes}
            found = {size: row.gb_s for size, row in found.items() if row}
            if found:
                axes.plot(found.keys(), found.values(), color=GREY, linestyle=style)
                ends.append((*list(found.items())[-1], f"limit: {call}", GREY))
        for family, index in run.index.items():
            members = {s: {n: row for n, row in at.items() if run.families[n] == family} for s, at in fills.items()}
            best = [min(at, key=lambda n, at=at: at[n].ns) for at in members.values() if at]
            if best:
                name = max(best, key=best.count)
                at = {4 * s[0] * s[1]: found[name] for s, found in members.items() if name in found}
                dots(axes, list(at), [row.gb_s for row in at.values()], index, yerr=bars(at.values()))
                ends.append((list(at)[-1], list(at.values())[-1].gb_s, name, COLOURS[index % 10]))
        log(axes.xaxis, EngFormatter(unit="B"))
        log(axes.yaxis)
        low, high = axes.get_xlim()
        for i, size in enumerate(cache_sizes(run.context.get("caches", []))):
            if low < size < high:
                axes.axvline(size, color=GREY, linewidth=0.5)
                axes.text(size, 1.01, f"L{i + 1}", transform=axes.get_xaxis_transform(), ha="center", color=GREY)
        axes.grid(axis="y")
        axes.set(xlabel="size of the table", ylabel="GB/s")
        name_ends(axes, ends)

    caption = f"float32 tables, {listed(f'{n} × {d}' for n, d in shapes)}; of each family the member that is fastest "
    caption += (
        "on most of them. Limits: plain stores, non-temporal (stream) stores, and a bare conversion of float64 to "
    )
    caption += f"float32. Vertical lines: this machine's caches. {medians(run.rows).capitalize()}."
    return picture("Speed by size of the table", caption, draw, 420)


def by_width(run):
    """Shares of the limit: a line for each implementation, one panel for each offset of the output."""
    found = widths(run)
    limits = {key: limit_of(run.rows, next(iter(rows.values())).key) for key, rows in found.items()}
    offsets = list(dict.fromkeys(at for _, at in found if limits[_, at]))
    shown = sorted({d for rows in found.values() for d in rows})
    if not offsets or len(shown) < 2:
        return None

    def draw(figure):
        panels = figure.subplots(len(offsets), 1, squeeze=False, sharex=True)[:, 0]
        for axes, offset in zip(panels, offsets):
            drawn = []
            for (name, at), rows in found.items():
                if at == offset:
                    index = run.index[run.families[name]]
                    how = {"linestyle": "dashed", "markerfacecolor": "white"} if index in drawn else {}
                    shares = [row.share_of(limits[name, at]) for row in rows.values()]
                    errors = [50 * (spread or 0) for _, spread in shares]
                    xs, ys = [shown.index(d) for d in rows], [100 * share for share, _ in shares]
                    dots(axes, xs, ys, index, yerr=errors, label=name, **how)
                    drawn.append(index)
            axes.set(ylabel=f"% of limit, output\nat {offset} modulo 64", ylim=(0, None))
            axes.grid(axis="y")
        axes.set_xticks(range(len(shown)), shown, rotation=90, fontsize=11)
        axes.set_xlabel("d_model")
        legend(panels[0])

    caption = f"float32 tables of 64 MiB; limit: stores of as many bytes. {medians(run.rows).capitalize()}."
    height = 100 + 220 * len(offsets)
    return picture("Speed by width of the table", caption, draw, height, height + 20)
