"""Pictures as SVG, drawn by Matplotlib with text as text. On a page in a dark theme style.css inverts them."""
import dataclasses
import io
import re

import markupsafe
import matplotlib

matplotlib.use("svg")
from matplotlib.figure import Figure

WIDTH = 900  # CSS pixels
COLOURS = matplotlib.colormaps["tab10"].colors
SHADES = matplotlib.colormaps["YlOrBr"]  # from little to much
GREY = "#606060"
MARKERS = "osD^vPXphd"
SETTINGS = {
    "svg.fonttype": "none",
    "font.size": 12,
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
    svg: markupsafe.Markup
    caption: str


def svg(label, draw, height, background="none"):
    """draw(figure) is called; label is what is read out. The same input gives the same bytes."""
    out = io.StringIO()
    with matplotlib.rc_context(SETTINGS | {"svg.hashsalt": label}):
        figure = Figure(figsize=(WIDTH / 72, height / 72), layout="constrained")
        draw(figure)
        unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=unsaid, facecolor=background)
    text = out.getvalue()
    text = text[text.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{markupsafe.escape(label)}"', 1)
    # Ids that nothing refers to would be the same in every picture of a page.
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text))
    return re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", text)


def picture(label, caption, draw, height=400):
    return Picture(markupsafe.Markup(svg(label, draw, height)), caption)


def file(label, draw, height):
    """A file of its own, on white; its last line says which Matplotlib has drawn it."""
    return f"{svg(label, draw, height, 'white')}<!-- drawn by Matplotlib {matplotlib.__version__} -->\n"


def log(axis, form="{x:g}"):
    """A logarithmic axis with plain numbers."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_formatter(form)
    low, high = axis.get_data_interval()
    axis.set_minor_formatter(form if high < 30 * low else "")


def dots(axes, xs, ys, index, **how):
    """index: of the family, for its colour and marker."""
    axes.errorbar(xs, ys, color=COLOURS[index % 10], marker=MARKERS[index % 10], elinewidth=1, **how)


def beside(axes):
    """A legend right of the axes."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02))
