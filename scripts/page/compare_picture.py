"""The picture of two compared runs: for each implementation the ratios of its cases, their median and quartiles."""
import dataclasses
import math
import statistics

import matplotlib

from compare_rule import number
from drawing import INK, LINES, RULE, SOFT, axes_at, both, label, pixels, text_size

COLOURS = {"faster": LINES[3], "higher": LINES[3], "slower": LINES[7], "lower": LINES[7]}


def quartiles(values):
    return tuple(statistics.quantiles(values, n=4, method="inclusive")) if len(values) > 1 else (*values, *values, *values)


def name_of(group):
    return f"{group[1]}, {group[0]}" if group[0] else group[1]


@dataclasses.dataclass
class Bar:
    """What is drawn of an implementation's tables in float32 (what is nothing), another dtype, or sums: the ratios that are
    judged with their marks, and three quartiles of the ratios."""
    what: str
    name: str
    cases: list
    quartiles: tuple


def bars_of(groups, rule):
    bars = []
    for group, pairs in groups.items():
        cases = [(rule.judged(p).value, p.mark) for p in pairs if rule.judged(p)]
        if cases:
            bars.append(Bar(group[0], name_of(group), cases, quartiles([value for value, _ in cases])))
    return bars


def picture(bars, rule):
    edge = math.exp(rule.threshold)
    values = [value for bar in bars for value, _ in bar.cases]  # quartiles lie among these
    low, high = min(*values, 1 / edge), max(*values, edge)
    margin = (high / low) ** 0.03  # for what is drawn at the ends
    low, high = low / margin, high * margin

    def draw(figure, narrow):
        size = matplotlib.rcParams["font.size"]
        names = max(text_size(bar.name, size)[0] for bar in bars)
        figures = max(text_size(number(bar.quartiles[1]), size)[0] for bar in bars)
        axes = axes_at(figure, 14 if narrow else names + 16, 48, figures + 14, 4)
        axes.set(xscale="log", xlim=(low, high), ylim=(len(bars) - 0.4, -0.6), yticks=[],
                 xlabel=f"{rule.what} in B / {rule.what} in A" + ("" if narrow else f" (right: {rule.words[0]} in B)"))
        number_ticks(axes, low, high, 5 if narrow else 12)
        axes.spines["left"].set_visible(False)
        axes.axvspan(1 / edge, edge, color=RULE, linewidth=0, zorder=0)
        axes.axvline(1, color=SOFT, linewidth=0.8, zorder=1)
        left, _, right, _ = axes.get_window_extent().extents
        for at, bar in enumerate(bars):
            first, middle, third = bar.quartiles
            for value, mark in bar.cases:
                axes.plot([value], [at], "|", color=COLOURS.get(mark, SOFT), markersize=9, markeredgewidth=0.9)
            axes.plot([first, third], [at, at], color=INK, gid="quartiles")
            axes.plot([middle], [at], "o", color=INK, gid="median")
            y = pixels(axes, 1, at)[1]
            if narrow:
                label(axes, left, y + 15, bar.name)
            else:
                label(axes, left - 10, y, bar.name, ha="right")
            label(axes, right + 8, y, number(middle))

    said = ", ".join(f"{bar.name} {number(bar.quartiles[1])}" for bar in bars)
    return both("ratios", f"Ratios of the {rule.what} in B to that in A, median by implementation: {said}",
                "Thin strokes: the cases, each a ratio of medians, coloured where it is called a difference. Dots and figures: "
                f"their median, bars to the quartiles. Shaded: up to {100 * (edge - 1):.1f} %, which is not called a difference.",
                draw, (52 + 22 * len(bars), 52 + 36 * len(bars)))


def number_ticks(axes, low, high, most):
    """Plain numbers on a logarithmic axis, as many as do not crowd it."""
    if high / low > 4:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        powers = powers[::-(-len(powers) // most)]
        ticks = [10.0**power * k for power in powers for k in ((1, 2, 5) if high / low < 40 else (1,))]
    else:
        step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, math.inf) if (high - low) / s <= most)
        ticks = [round(i * step, 2) for i in range(1, math.ceil(high / step))]
    ticks = [tick for tick in ticks if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
