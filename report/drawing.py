"""Pictures as SVG, drawn by Matplotlib with text as text: each once for a wide window and once for a narrow one, so
that text has its full size in both. On a page in a dark theme style.css inverts them."""
import dataclasses
import io
import re

import markupsafe
import matplotlib

matplotlib.use("svg")
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

WIDE, NARROW, PAGE = 860, 368, 400  # CSS pixels; PAGE: of the README, which also shows it scaled to a telephone's width
COLOURS = "#0b5394 #b45309 #15803d #b91c1c #6d28d9 #7c4a21 #be185d #a21caf #66700a #0e7490".split()
SHADES = matplotlib.colormaps["YlOrBr"]  # from little to much
GREY, PALE = "#606060", "#9fb8d4"
MARKERS = "osD^vPXphd"
SETTINGS = {
    "svg.fonttype": "none",
    "font.size": 12,
    "axes.titlesize": 12,
    "savefig.dpi": 72,
    "figure.dpi": 72,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "grid.color": "#d8d8d8",
    "lines.markersize": 5,
    "legend.frameon": False,
}


@dataclasses.dataclass
class Picture:
    wide: markupsafe.Markup
    narrow: markupsafe.Markup
    caption: str


def drawn(draw, width, height, background="none"):
    """The SVG. draw(figure) is called and may ask is_narrow(figure)."""
    out, figure = io.StringIO(), Figure(figsize=(width / 72, height / 72), layout="constrained")
    draw(figure)
    unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(out, format="svg", metadata=unsaid, facecolor=background)
    return out.getvalue()


def svg(label, draw, width, height, background="none"):
    """label is what is read out. The same input gives the same bytes."""
    with matplotlib.rc_context(SETTINGS | {"svg.hashsalt": f"{label} {width}"}):
        text = drawn(draw, width, height, background)
    text = text[text.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{markupsafe.escape(label)}"', 1)
    # Ids that nothing refers to would be the same in every picture of a page.
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text))
    return re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", text)


def picture(label, caption, draw, height=400, narrow=None):
    """narrow: the height in a narrow window, where it is another one."""
    both = (markupsafe.Markup(svg(label, draw, *size)) for size in ((WIDE, height), (NARROW, narrow or height)))
    return Picture(*both, caption)


def file(label, draw, height):
    """A file of its own, on white; its last line says which Matplotlib has drawn it."""
    return f"{svg(label, draw, PAGE, height, 'white')}<!-- drawn by Matplotlib {matplotlib.__version__} -->\n"


def is_narrow(figure):
    return figure.get_figwidth() * 72 < WIDE


def plain(value, _=None):
    """1e-5 where it is shorter than 0.00001"""
    return f"{value:g}" if 1e-3 < value < 1e5 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")


def log(axis, form=plain):
    """A logarithmic axis with plain numbers."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_formatter(form)
    low, high = axis.get_data_interval()
    if is_narrow(axis.axes.figure) and axis.axis_name == "x" and high > 1e4 * low:
        axis.set_major_locator(LogLocator(100))
    axis.set_minor_formatter(form if high < 30 * low else "")


def dots(axes, xs, ys, index, **how):
    """index: of the family, for its colour and marker."""
    axes.errorbar(xs, ys, color=COLOURS[index % 10], marker=MARKERS[index % 10], elinewidth=1, **how)


def legend(axes):
    """Above the axes."""
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, ncols=2 if is_narrow(axes.figure) else 4)


def apart(wanted, heights):
    """Centres near the wanted ones, of boxes of these heights that do not overlap; all in ascending order of wanted."""
    groups = []  # [sum of the wanted centres of its members, height, their heights]
    for centre, height in zip(wanted, heights):
        groups.append([centre, height, [height]])
        while len(groups) > 1:
            (a, tall, members), (b, high, more) = groups[-2:]
            if a / len(members) + tall / 2 <= b / len(more) - high / 2:
                break
            groups[-2:] = [[a + b, tall + high, members + more]]
    found = []
    for total, tall, members in groups:
        low = total / len(members) - tall / 2
        for height in members:
            found.append(low + height / 2)
            low += height
    return found


def name_ends(axes, ends):
    """Names right of the axes, each joined to the last point of its curve. ends: [(x, y, name, colour)]"""
    line = {"arrowstyle": "-", "linewidth": 0.8, "shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5)}
    where = {"textcoords": "axes fraction", "va": "center", "annotation_clip": False, "fontsize": 11}
    texts = [
        axes.annotate(name, (x, y), (1.07, 0.5), color=colour, arrowprops=line | {"color": colour}, **where)
        for x, y, name, colour in sorted(ends, key=lambda end: end[1])
    ]
    axes.figure.draw_without_rendering()  # now the axes have their place
    heights = [14 * len(text.get_text().splitlines()) for text in texts]
    for text, y in zip(texts, apart([axes.transData.transform(text.xy)[1] for text in texts], heights)):
        text.set_y(axes.transAxes.inverted().transform((0, y))[1])
