"""The pictures of the report, the README and the pages: SVG, drawn by Matplotlib with text as text. On a page in a dark
theme style.css inverts them."""
import io
import itertools
import math
import re
import statistics
import textwrap

import markupsafe
import matplotlib

matplotlib.use("svg")
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from .formats import number
from .speeds import SIZES
from .tables import RECIPE, named, works_of

WIDTH, HEIGHT = 368, 400  # of the report's pictures: as wide as the text in a window of 400 pixels
README_WIDTH, README_HEIGHT = 700, 380
COLOURS = "#0e7490 #b91c1c #15803d #66700a #0b5394 #b45309 #6d28d9 #be185d #7c4a21".split()
LIMIT, GREY = "limit", "#606060"
SAME = 1.2  # curves closer than this ratio share a label
NEAR = 1.5  # a line has one point for tables whose sizes are closer than this ratio
SETTINGS = {"svg.fonttype": "none", "font.size": 12, "savefig.dpi": 72, "figure.dpi": 72, "axes.axisbelow": True}
SETTINGS |= {"axes.spines.top": False, "axes.spines.right": False, "axes.facecolor": "none", "grid.color": "#d8d8d8"}
SETTINGS |= {"legend.frameon": False, "legend.fontsize": 12}


def svg(label, draw, width=WIDTH, height=HEIGHT, background="none"):
    """label is read out. The same input gives the same bytes."""
    with matplotlib.rc_context(SETTINGS | {"svg.hashsalt": label}):
        out, figure = io.StringIO(), Figure(figsize=(width / 72, height / 72), layout="constrained")
        draw(figure)
        unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=unsaid, facecolor=background)
    text = out.getvalue()
    text = text[text.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{markupsafe.escape(label)}"', 1)
    text = re.sub(r'="([\d.]+)pt"', r'="\1"', text, 2)  # the width and the height, in pixels
    # Ids that nothing refers to would be the same in every picture of a page.
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text))
    return markupsafe.Markup(re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", text))


def drawn_by():
    return f"<!-- drawn by Matplotlib {matplotlib.__version__} -->\n"


def file(label, draw):
    """A file of its own, on white; its last line says which Matplotlib has drawn it."""
    return str(svg(label, draw, README_WIDTH, README_HEIGHT, "white")) + drawn_by()


def plain(value, _):
    """1e-2, and 0.1 to 5000"""
    return f"{value:g}" if 0.09 < value < 1e4 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")


def log_axes(axes, x, y):
    """x, y: (lowest value, highest, formatter, pixels). Ticks at 1, 2 and 5 times the powers of ten. Labels there too if
    they fit, otherwise at the powers."""
    axes.set(xscale="log", yscale="log", xlim=x[:2], ylim=y[:2])
    for axis, (low, high, formatter, pixels), label in ((axes.xaxis, x, 42), (axes.yaxis, y, 17)):
        fits = 3 * math.log10(high / low) * label < pixels
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if fits else (1,), numticks=99))
        axis.set_minor_locator(LogLocator(subs=(1, 2, 5), numticks=99))
        axis.set_major_formatter(formatter)
        axis.set_minor_formatter(NullFormatter())
    axes.grid(which="major")


def colours(run):
    """{family: its colour in every picture}"""
    return dict(zip(dict.fromkeys(run.families.values()), itertools.cycle(COLOURS))) | {LIMIT: GREY}


def alike(curves):
    """Groups the names of curves that look the same in the picture. curves: {name: values}"""
    groups = {}
    for name, values in curves.items():
        near = (n for n in groups if all(1 / SAME < a / b < SAME for a, b in zip(values, curves[n])))
        groups.setdefault(next(near, name), []).append(name)
    return groups.values()


def draw_errors(run):
    """The largest error of every family by range of positions; None where there is nothing to draw."""
    curves = {}
    for name in sorted(run.judged, key=lambda name: (name != RECIPE, run.families[name] != "exact")):
        values = [run.accuracy.largest_error(name, [range_]) for range_ in run.accuracy.ranges]
        if all(values):
            curves.setdefault(run.families[name], values)
    ends = [range_.end for range_ in run.accuracy.ranges]
    if not curves or len(ends) < 2:
        return None
    return lambda figure: steps(figure, [ends[0] / 8, *ends], curves, colours(run))


def steps(figure, edges, curves, colours):
    """Each step between two edges has its value above it; curves that are alike share a label and a colour."""
    axes, (width, height) = figure.subplots(), figure.get_size_inches() * 72
    low, high = min(map(min, curves.values())), max(map(max, curves.values()))
    log_axes(axes, (edges[0], edges[-1], EngFormatter(sep=""), width - 60), (low / 4, high * 6, plain, height - 90))
    for names in alike(curves):
        colour, label = colours[names[0]], ", ".join(map(named, names))
        for name in names:
            axes.step(edges, [*curves[name], curves[name][-1]], where="post", color=colour)
        axes.lines[-1].set_label(textwrap.fill(label, int(width / 8)))
        labels = [number(value) for value in curves[names[0]]]
        for left, value, text, before in zip(edges, map(max, zip(*(curves[n] for n in names))), labels, ["", *labels]):
            if text != before:
                axes.text(left * 1.06, value * 1.25, text, color=colour)
    axes.set(xlabel="position", ylabel="largest |error|")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)


def draw_speeds(run):
    """The speed of the fastest member of every family by the size of the table, and the limit; None where there is
    nothing to draw."""
    works = [work for work in works_of(run) if work.is_table]
    if len(works) < 2 or not run.ranked:
        return None
    results = {LIMIT: [run.speeds.limit(work) for work in works]}
    for name in sorted((n for n in run.judged if n in run.timed), key=lambda n: run.timed[n].ns):
        results.setdefault(run.families[name], [run.results.get(work.by(name)) for work in works])
    curves = {}
    for name, of_works in results.items():
        if any(of_works):
            curves[name] = [(SIZES[r.case.dtype] * r.case.n * r.case.d, r.gb_s) for r in of_works if r]
    caches = [c for c in run.speeds.context.get("caches") or [] if c["type"] != "Instruction"]
    return lambda figure: by_size(figure, caches, curves, colours(run))


def line_of(points):
    """The sizes and the speeds of a line that does not zigzag: the medians of the tables of about one size."""
    groups = []
    for point in sorted(points):
        is_near = groups and point[0] < groups[-1][0][0] * NEAR
        if is_near:
            groups[-1].append(point)
        else:
            groups.append([point])
    return zip(*([statistics.median(values) for values in zip(*group)] for group in groups))


def by_size(figure, caches, curves, colours):
    """A dot for each table. Names at the right ends of the curves, the lower ones moved down where they would touch."""
    axes, (width, height) = figure.subplots(), figure.get_size_inches() * 72
    sizes, speeds = zip(*sum(curves.values(), []))
    low, high, bottom, top = min(sizes) / 1.3, max(sizes) * 1.3, min(speeds) / 1.5, max(speeds) * 1.5
    log_axes(axes, (low, high, EngFormatter(unit="B", places=0), width - 120), (bottom, top, plain, height - 70))
    for c in (c for c in caches if low < c["size"] < high):
        axes.axvline(c["size"], color=GREY, linestyle="dashed", linewidth=1)
        axes.text(c["size"], 1.01, f"L{c['level']}", color=GREY, ha="center", transform=axes.get_xaxis_transform())
    y, gap = math.inf, (top / bottom) ** (16 / (height - 70))
    for name, points in sorted(curves.items(), key=lambda curve: -curve[1][-1][1]):
        colour, line, thick = colours[name], ":" if name == LIMIT else "-", 3 if name in ("exact", "anchored") else 1
        axes.plot(*zip(*points), "o", markersize=3, color=colour)
        axes.plot(*line_of(points), line, color=colour, linewidth=thick)
        y = min(points[-1][1], y / gap)
        axes.text(1.02, y, name, color=colour, va="center", transform=axes.get_yaxis_transform())
    axes.set(xlabel="size of the table", ylabel="GB/s")
