"""The picture of two compared runs: for each implementation the ratios of its cases, and their mean with its spread."""
import math

import matplotlib

from compare_cases import LEAST, mean
from drawing import INK, LINES, RULE, SOFT, axes_at, both, label, pixels, text_size

COLOURS = {"faster": LINES[3], "slower": LINES[7]}


def ratios(means):
    """means: {implementation: its pairs}, the fastest in B relative to A first."""
    values = [p.ratio.value for pairs in means.values() for p in pairs]
    low, high = min(*values, 1 - LEAST) / 1.03, max(*values, 1 + LEAST) * 1.03
    of_all = {name: mean([p.ratio for p in pairs]) for name, pairs in means.items()}

    def draw(figure, narrow):
        size = matplotlib.rcParams["font.size"]
        names = max(text_size(name, size)[0] for name in means)
        axes = axes_at(figure, 14 if narrow else names + 16, 48, 48, 4)
        axes.set(xscale="log", xlim=(low, high), ylim=(len(means) - 0.4, -0.6), yticks=[],
                 xlabel="speed in B / speed in A" if narrow else "speed in B / speed in A (right: faster in B)")
        number_ticks(axes, low, high, 5 if narrow else 12)
        axes.spines["left"].set_visible(False)
        axes.axvspan(1 - LEAST, 1 + LEAST, color=RULE, linewidth=0, zorder=0)
        axes.axvline(1, color=SOFT, linewidth=0.8, zorder=1)
        left, _, right, _ = axes.get_window_extent().extents
        for at, (name, pairs) in enumerate(means.items()):
            axes.plot([p.ratio.value for p in pairs], [at] * len(pairs), "|", color=SOFT, markersize=9, markeredgewidth=0.9)
            ratio, y = of_all[name], pixels(axes, 1, at)[1]
            axes.errorbar(ratio.value, at, xerr=ratio.value * ratio.spread / 2, fmt="o", color=COLOURS.get(ratio.mark, INK),
                          capsize=3)
            if narrow:
                label(axes, left, y + 15, name)
            else:
                label(axes, left - 10, y, name, ha="right")
            label(axes, right + 8, y, ratio.cell()[0])

    said = ", ".join(f"{name} {ratio.cell()[0]}" for name, ratio in of_all.items())
    return both("ratios", f"Speed in B over speed in A, mean by implementation: {said}",
                "Thin strokes: the cases, each a ratio of medians. Dots and figures: their geometric mean, bars half its spread "
                f"to either side. Shaded: within {100 * LEAST:.0f} % of the same speed.", draw,
                (52 + 22 * len(means), 52 + 36 * len(means)))


def number_ticks(axes, low, high, most):
    """Plain numbers on a logarithmic axis, as many as do not crowd it."""
    if high / low > 4:
        ticks = [10.0**power * k for power in range(-6, 7) for k in ((1, 2, 5) if high / low < 40 else (1,))]
    else:
        step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, math.inf) if (high - low) / s <= most)
        ticks = [round(i * step, 2) for i in range(1, math.ceil(high / step))]
    ticks = [tick for tick in ticks if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
