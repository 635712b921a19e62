"""The pictures of the report, the README and the pages: SVG, drawn by Matplotlib with text as text. On a page in a dark
theme style.css inverts them."""
import io
import re

import markupsafe
import matplotlib

matplotlib.use("svg")
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, NullFormatter

from .tables import RECIPE, ranking

WIDTH, HEIGHT = 440, 520  # of the report's pictures: text of 12 is 10 in a window 400 pixels wide
README_WIDTH, README_HEIGHT = 700, 520
COLOURS = "#0b5394 #b45309 #15803d #b91c1c #6d28d9 #7c4a21 #be185d #66700a #0e7490".split()
GREY = "#606060"
SAME = 1.2  # marks closer than this ratio share a place
ULP = 2.0**-24  # of float32 outputs between 0.5 and 1
BUDGETS = (("0.5 ULP", ULP / 2), ("1 ULP", ULP))
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


def file(label, draw, width=README_WIDTH, height=README_HEIGHT):
    """A file of its own, on white; its last line says which Matplotlib has drawn it."""
    return str(svg(label, draw, width, height, "white")) + drawn_by()


def plain(value, _):
    """1e-5, and 0.01 to 1000"""
    return f"{value:g}" if 1e-3 < value < 1e4 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")


def log_axes(axes):
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(plain)
        axis.set_minor_formatter(NullFormatter())
    axes.grid(which="major")


def scatter(figure, run, legend=False):
    """Speed against the largest error; the numbers are those of tables.legend(). One mark has the numbers of all
    implementations that would lie upon each other."""
    axes, families, marks = figure.subplots(), list(dict.fromkeys(run.families.values())), []
    log_axes(axes)
    for i, name in enumerate(ranking(run)):
        error, speed = max(run.error(name), 1e-9), run.timed[name].gb_s
        colour = COLOURS[families.index(run.families[name]) % len(COLOURS)]
        axes.plot(error, speed, "o", color=colour, label=f"{i + 1}  {name}")
        near = [m for m in marks if max(m[0] / error, error / m[0]) < SAME and m[1] / speed < SAME]
        if near:
            near[-1][3] += f", {i + 1}"
        else:
            marks.append([error, speed, colour, str(i + 1)])
    for error, speed, colour, text in marks:
        frame = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": colour}
        axes.text(error, speed, text, ha="center", va="center", bbox=frame)
    for (said, error), side in zip(BUDGETS, ("right", "left")):
        axes.axvline(error, color=GREY, linestyle="dashed", linewidth=1, zorder=1)
        axes.text(error, 1.01, said, ha=side, va="bottom", transform=axes.get_xaxis_transform(), color=GREY)
    axes.margins(0.12, 0.08)
    axes.set(xlabel=f"largest |error| {run.reach()}", ylabel="GB/s")
    if legend:
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), title=run.measured_table())


def curves(figure, run, names):
    """The largest error up to each position; names: {implementation: label}"""
    axes = figure.subplots()
    log_axes(axes)
    for i, (name, label) in enumerate(names.items()):
        ends = [end for _, end in run.spans]
        axes.plot(ends, run.errors_by_position(name), "os^D"[i % 4] + "-", color=COLOURS[i], label=label)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set(xlabel="up to position", ylabel="largest |error|")
    axes.legend()


def errors(run):
    """The tutorial's recipe beside exact; None where there is nothing to draw."""
    exact = [n for n in run.judged() if run.families[n] == "exact"][:1]
    names = {n: label for n, label in [(RECIPE, f"{RECIPE} (the tutorial)"), *((n, "exact (posenc)") for n in exact)]}
    names = {n: label for n, label in names.items() if n in run.judged() and all(run.errors_by_position(n))}
    if len(run.spans) < 2 or not names:
        return None
    return lambda figure: curves(figure, run, names)
