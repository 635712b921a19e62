"""Pictures as SVG for a page: drawn by matplotlib at CSS pixels, its text as text, its colours the variables of style.css."""
import functools
import io
import math
import re
import warnings

import markupsafe
import matplotlib

matplotlib.use("svg")
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import labels
from picks import short
from render import Picture

# Text stays text: what this font lacks is found by the browser in another.
warnings.filterwarnings("ignore", message="Glyph .* missing from")

WIDE, NARROW = 900, 360  # CSS pixels, one unit of the drawing each

# Colours that matplotlib can draw and that nothing else uses; in the SVG each becomes a variable.
PAPER, INK, SOFT, RULE = "#010101", "#020202", "#030303", "#040404"
LINES = [f"#05{i:02x}05" for i in range(9)]  # lines and their labels, by family
BANDS = [f"#06{i:02x}06" for i in range(8)]  # from little to much
VARIABLES = {PAPER: "--paper", INK: "--ink", SOFT: "--soft", RULE: "--rule"}
VARIABLES |= {c: f"--c{i}" for i, c in enumerate(LINES)} | {c: f"--b{i}" for i, c in enumerate(BANDS)}
MARKERS = "osD^vPXphd"

SETTINGS = {
    "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 12, "text.parse_math": False,
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none", "savefig.dpi": 72, "figure.dpi": 72,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": SOFT, "xtick.color": SOFT, "ytick.color": SOFT,
    "xtick.labelcolor": INK, "ytick.labelcolor": INK, "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": False, "grid.color": RULE, "grid.linewidth": 0.8, "axes.axisbelow": True, "lines.linewidth": 1.7,
    "lines.markersize": 5, "axes.titlesize": 12, "axes.titlelocation": "left", "axes.labelsize": 12, "xtick.labelsize": 12,
    "ytick.labelsize": 12, "legend.frameon": False, "legend.fontsize": 12, "hatch.linewidth": 0.7,
}
NARROW_SETTINGS = {name: 11 for name in SETTINGS if name.endswith("size") and SETTINGS[name] == 12}


def colour(index):
    """Of the family with this number in the list; a marker goes with it, so that colour is never all there is."""
    return LINES[index % len(LINES)]


def marker(index):
    return MARKERS[index % len(MARKERS)]


def both(name, label, caption, draw, heights):
    """A Picture. draw(figure, narrow) is called for each version; heights are those of the two; label is what is read out."""
    versions = []
    for width, height in zip((WIDE, NARROW), heights):
        narrow = width == NARROW
        with matplotlib.rc_context(SETTINGS | (NARROW_SETTINGS if narrow else {}) | {"svg.hashsalt": f"{name} {width}"}):
            figure = Figure(figsize=(width / 72, height / 72))
            draw(figure, narrow)
            versions.append(inline(figure, label))
    return Picture(*versions, caption=caption)


def inline(figure, label):
    """The figure as an element of HTML: nothing but shapes and text, colours by variables, no id that is not used."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = out.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub('id="(label|cells)"', r'class="\1"', svg)
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", svg)
    svg = re.sub(r"'DejaVu Sans'(?:, [^;\"]*)?(?=[;\"])", "var(--sans)", svg)
    svg = re.sub(r"#0[1-6][0-9a-f]{4}", lambda m: f"var({VARIABLES[m[0]]})" if m[0] in VARIABLES else m[0], svg)
    box = re.search(r'viewBox="[^"]*"', svg)[0]
    text = markupsafe.escape(label)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="{text}">'
    return markupsafe.Markup(head + re.sub(r"^<svg[^>]*>", "", svg).strip())


def axes_at(figure, left, bottom, right, top, **more):
    """Axes between these margins, in pixels of the figure."""
    width, height = figure.get_size_inches() * 72
    return figure.add_axes([left / width, bottom / height, (width - left - right) / width, (height - bottom - top) / height],
                           **more)


@functools.lru_cache(maxsize=None)
def text_size(text, size, bold=False):
    """Width and height in pixels, of as many lines as there are. The page's font may be another, but is hardly wider."""
    font = get_font(findfont(FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")))
    font.set_size(size, 72)
    wide = 0.0
    for line in text.split("\n"):
        font.set_text(line)
        wide = max(wide, font.get_width_height()[0] / 64)
    return wide + 2, size * 1.25 * (text.count("\n") + 1)


def label(axes, x, y, text, **how):
    """Text at a place in pixels that says what a line or a point is. Marked as such: no two may overlap
    (verify/pages/test_report_page.py looks)."""
    how = {"ha": "left", "va": "center", "fontsize": matplotlib.rcParams["font.size"], "linespacing": 1.1} | how
    return axes.figure.text(x / (72 * axes.figure.get_figwidth()), y / (72 * axes.figure.get_figheight()), text, gid="label",
                            **how)


def pixels(axes, x, y):
    return tuple(axes.transData.transform((x, y)))


def thin(figure, a, b, color, **how):
    """A line between two places in pixels, as leads from a point to its label."""
    width, height = figure.get_size_inches() * 72
    figure.add_artist(Line2D([a[0] / width, b[0] / width], [a[1] / height, b[1] / height], color=color, linewidth=0.7, **how))


def ends(axes, lines, room):
    """Labels right of the axes, where lines end: [((x, y) of the end, words of the label, colour)], room pixels wide."""
    size = matplotlib.rcParams["font.size"]
    _, low, right, high = axes.get_window_extent().extents
    texts = [wrapped(words, room, size) for _, words, _ in lines]
    heights = [text_size(text, size)[1] + 2 for text in texts]
    at = [pixels(axes, *end) for end, _, _ in lines]
    for (_, _, colour_of), text, (x, y), middle in zip(lines, texts, at, labels.spread([y for _, y in at], heights, low - 14,
                                                                                       high + 14)):
        thin(axes.figure, (x + 5, y), (right + 12, middle), colour_of)
        label(axes, right + 15, middle, text, color=colour_of)


def wrapped(words, room, size, comma=","):
    """Words with commas between them, in lines of that width."""
    lines = [""]
    for i, word in enumerate(words):
        word += comma if i + 1 < len(words) else ""
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_size(longer, size)[0] > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(value, _=None):
    """1e-06 as 10⁻⁶, for axes whose ticks are powers of ten."""
    exponent = round(math.log10(value))
    return {0: "1", 1: "10"}.get(exponent, "10" + str(exponent).translate(SUPERSCRIPTS))


def plain(value, _=None):
    """0.5, 20, 2048 as 2k: for axes whose numbers are short."""
    return f"{value:g}" if value < 1000 else short(int(value))


def log_axis(axis, low, high, form=power, ticks=None):
    """Powers of ten, or these ticks; grid lines at them, no minor ones."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log", f"{axis.axis_name}lim": (low, high)})
    if ticks is None:
        ticks = [10.0 ** e for e in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)]
    axis.set_major_locator(FixedLocator([t for t in ticks if low <= t <= high]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(form))
    axis.set_tick_params(length=3)


def ramp(figure, texts, title):
    """The scale, along the top."""
    width, height = figure.get_size_inches() * 72
    narrow = width == NARROW
    axes = axes_at(figure, 0, 0, 0, 0)
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(0, height))
    label(axes, 0, height - 9, title, color=SOFT)
    left = 0 if narrow else text_size(title, 12)[0] + 12
    step = (width - left) / len(texts) if narrow else min(86, (width - left) / len(texts))
    y = height - (26 if narrow else 14)
    for i, text in enumerate(texts):
        axes.add_patch(Rectangle((left + i * step, y), step - 1, 10, facecolor=BANDS[i], edgecolor=SOFT, linewidth=0.5))
        label(axes, left + (i + 0.5) * step, y - 9, text, ha="center")
