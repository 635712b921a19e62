"""Pictures as SVG: drawn by Matplotlib, text as text, colours as the variables of style.css, so that both themes show
the same SVG."""
import dataclasses
import io
import math
import re
import warnings

import markupsafe
import matplotlib

matplotlib.use("svg")
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .load import TOP

warnings.filterwarnings("ignore", message="Glyph .* missing from")  # found by the browser in another font
WIDTH = 900  # CSS pixels

# Colours that Matplotlib can draw and that nothing else uses; in the SVG each becomes a variable.
PAPER, INK, SOFT, RULE = "#010101", "#020202", "#030303", "#040404"
LINES = [f"#05{i:02x}05" for i in range(9)]  # by family
BANDS = [f"#06{i:02x}06" for i in range(8)]  # from little to much
VARIABLES = {PAPER: "paper", INK: "ink", SOFT: "soft", RULE: "rule"}
VARIABLES |= {c: f"c{i}" for i, c in enumerate(LINES)} | {c: f"b{i}" for i, c in enumerate(BANDS)}
MARKERS = "osD^vPXphd"
SETTINGS = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 12,
    "text.parse_math": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "savefig.dpi": 72,
    "figure.dpi": 72,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": RULE,
    "axes.axisbelow": True,
    "lines.markersize": 5,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "legend.frameon": False,
}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclasses.dataclass
class Picture:
    svg: markupsafe.Markup
    caption: str


def colour(index):
    """Of the family with this number in the list; a marker goes with it, so that colour is never all there is."""
    return LINES[index % len(LINES)]


def marker(index):
    return MARKERS[index % len(MARKERS)]


def picture(name, label, caption, draw, height=400):
    """draw(figure) is called; label is what is read out."""
    return Picture(markupsafe.Markup(svg(name, label, draw, height)), caption)


def svg(name, label, draw, height):
    """An element of HTML without ids that are not used."""
    out = io.StringIO()
    with matplotlib.rc_context(SETTINGS | {"svg.hashsalt": name}):
        figure = Figure(figsize=(WIDTH / 72, height / 72), layout="constrained")
        draw(figure)
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = out.getvalue()
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S).replace(
        "xlink:href", "href"
    )
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text))
    text = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", text)
    text = re.sub(r"'DejaVu Sans'(?:, [^;\"]*)?(?=[;\"])", "var(--sans)", text)
    text = re.sub(r"#0[1-6][0-9a-f]{4}", lambda m: f"var(--{VARIABLES[m[0]]})" if m[0] in VARIABLES else m[0], text)
    box = re.search(r'viewBox="[^"]*"', text)[0]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="{markupsafe.escape(label)}">'
        + re.sub(r"^<svg[^>]*>", "", text).strip()
    )


def file(element):
    """The same as a file of its own: the colours of the light theme, on white, and which Matplotlib has drawn it."""
    light = (TOP / "report/templates/style.css").read_text(encoding="utf-8").split("}")[0]
    values = {name: value.replace('"', "'") for name, value in re.findall(r"--(\w+): ([^;]+);", light)} | {
        "paper": "#ffffff"
    }
    element = element.replace(">", '>\n<rect width="100%" height="100%" fill="#ffffff"/>', 1)
    return (
        re.sub(r"var\(--(\w+)\)", lambda m: values[m[1]], element)
        + f"\n<!-- drawn by Matplotlib {matplotlib.__version__} -->\n"
    )


def beside(axes, **how):
    """A legend right of the axes."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), **how)


def power(value, _=None):
    """1e-06 as 10⁻⁶, for axes whose ticks are powers of ten."""
    exponent = round(math.log10(value))
    return {0: "1", 1: "10"}.get(exponent, "10" + str(exponent).translate(SUPERSCRIPTS))


def size_as(value, _=None):
    for unit, shift in (("G", 30), ("M", 20), ("k", 10)):
        if value >= 1 << shift:
            return f"{value / (1 << shift):.3g}{unit}"
    return f"{value:g}"


def log_axis(axis, low, high, form=power, ticks=None):
    """Powers of ten, or these ticks; no minor ones."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log", f"{axis.axis_name}lim": (low, high)})
    if ticks is None:
        ticks = [10.0**e for e in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)]
    axis.set_major_locator(FixedLocator([t for t in ticks if low <= t <= high]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(form))


def numbers(low, high):
    """Ticks of plain numbers for a logarithmic axis."""
    steps = (
        (1,)
        if high / low > 3000
        else (1, 2, 5)
        if high / low > 4
        else (1, 1.1, 1.2, 1.3, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 9.5)
    )
    return [m * 10.0**e for e in range(-4, 8) for m in steps]


def plain_axis(axis, low, high):
    """Logarithmic, with plain numbers."""
    log_axis(axis, low, high, lambda value, _: f"{value:g}", numbers(low, high))


def dots(axes, xs, ys, index, **how):
    axes.errorbar(xs, ys, color=colour(index), marker=marker(index), **({"elinewidth": 1} | how))
