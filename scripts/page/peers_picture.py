"""Dots of the peers' times relative to that of exact, a panel for each world."""
from drawing import INK, LINES, PAPER, RULE, SOFT, axes_at, both, colour, label, log_axis, marker, pixels, text_size
from peers_cases import Group, bounds
from peers_words import OURS, UNFIT, WORLDS
from words import listed

SHOWN = (Group("c", "fill", 1), Group("python", "fresh", 1))  # the jobs of the picture, and of the one sentence
CALLED = {"fill": "filling memory that is there", "fresh": "making a fresh table"}
MOST = len(LINES)  # sizes in a panel, for want of more colours
ROW, FRAME, BETWEEN = 22, 86, 28  # pixels: of a peer; around a panel that has another below it; between two side by side


def said(column):
    return f"{column.n} × {column.d}"


def compared(peers, group):
    """The sizes at which a peer has a ratio to exact, by bytes."""
    return sorted({c for c, case in peers.theirs(group) if case["exact"]}, key=lambda c: (c.n * c.d, c.d))


def sizes(peers, group):
    """Of a panel: all, or evenly spread ones with the smallest and the largest."""
    found = compared(peers, group)
    if len(found) <= MOST:
        return found
    return [found[round(i * (len(found) - 1) / (MOST - 1))] for i in range(MOST)]


def panels(peers):
    """[(Group, its sizes, {peer: {size: (ratio, low, high)}})], who comes closest to exact first."""
    found = []
    for group in SHOWN:
        columns = sizes(peers, group)
        pairs = {name: {} for name in (peers.names(group) if columns else ()) if name not in OURS}
        for column, case in peers.theirs(group):
            if case["exact"] and column in columns:
                pairs[case["peer"]][column] = case["exact"][0], *bounds(case, "exact")
        pairs = {name: at for name, at in pairs.items() if at}
        if pairs:
            found.append((group, columns, pairs))
    return found


def unfit(row, upto):
    """Whether a table of so many positions has outputs that are worse than a float32 angle makes them."""
    return any(r["word"] in UNFIT for r in row.get("ranges", []) if r["from"] < upto)


def legend_lines(columns, room, size):
    """What dots mean, [[(Column, its width)]] by lines of that width."""
    lines = [[]]
    for column in columns:
        wide = text_size(said(column), size)[0] + 30
        if lines[-1] and sum(w for _, w in lines[-1]) + wide > room:
            lines.append([])
        lines[-1].append((column, wide))
    return lines


def legend(figure, lines, index, size):
    """Along the top; returns the pixels that it takes."""
    width, height = figure.get_size_inches() * 72
    axes = axes_at(figure, 0, 0, 0, 0)
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(0, height))
    for i, line in enumerate(lines):
        x, y = 6, height - 10 - 20 * i
        for column, wide in line:
            axes.plot([x], [y], color=colour(index[column]), marker=marker(index[column]), markersize=6)
            label(axes, x + 9, y, said(column), fontsize=size)
            x += wide
    return 20 * len(lines)


def panel(axes, peers, group, pairs, index):
    every = [pair[0] for at in pairs.values() for pair in at.values()]
    low, high = min(0.8, min(every) / 1.3), max(1.25, max(every) * 1.3)
    digits = (1, 3) if high / low < 300 else (1,)
    log_axis(axes.xaxis, low, high, lambda v, _: f"{v:g}", [m * 10.0 ** e for e in range(-4, 7) for m in digits])
    axes.set(ylim=(len(pairs) - 0.4, -0.6))
    axes.spines["left"].set_visible(False)
    axes.set_yticks(range(len(pairs)), pairs)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_xlabel("times the time of exact", labelpad=1)
    axes.axvline(1, color=INK, linewidth=1, zorder=1)
    for y, (name, at) in enumerate(pairs.items()):
        axes.axhline(y, color=RULE, linewidth=0.8, zorder=0)
        for column, (ratio, least, most) in at.items():
            hue, mark = colour(index[column]), marker(index[column])
            reach = [[max(0, ratio - max(least, 0.1 * ratio))], [max(0, most - ratio)]]  # the axis has no 0
            axes.errorbar(ratio, y, xerr=reach if least < most else None, color=hue, marker=mark, markersize=6, elinewidth=1,
                          zorder=3, markerfacecolor=PAPER if unfit(peers.row(group, name), column.n) else hue)


def picture(peers, words):
    """words: what is read out in its place. None where there is nothing to compare."""
    shown = panels(peers)
    if not shown or peers.emulated:
        return None
    columns = sorted({c for _, cs, _ in shown for c in cs}, key=lambda c: (c.n * c.d, c.d))
    index = {column: i for i, column in enumerate(columns)}

    def draw(figure, narrow):
        size = 11 if narrow else 12
        width, height = figure.get_size_inches() * 72
        top = legend(figure, legend_lines(columns, width, size), index, size) + 30
        across = 1 if narrow else len(shown)
        cell = (width - BETWEEN * (across - 1)) / across
        for i, (group, _, pairs) in enumerate(shown):
            names, rows = max(text_size(n, size)[0] for n in pairs) + 8, len(pairs) * ROW
            left = 0 if narrow else i * (cell + BETWEEN)
            axes = axes_at(figure, left + names, height - top - rows, width - left - cell + 12, top)
            panel(axes, peers, group, pairs, index)
            x, above = pixels(axes, 1, -0.6)
            label(axes, left, above + 16, f"{WORLDS[group.world]}: {CALLED[group.job]}", va="bottom", fontweight="bold")
            label(axes, x, above + 2, "exact", va="bottom", ha="center", color=SOFT)
            top += rows + FRAME if narrow else 0

    def height(narrow):
        lines = len(legend_lines(columns, 360, 11) if narrow else legend_lines(columns, 900, 12))
        rows = [len(pairs) * ROW for *_, pairs in shown]
        return 20 * lines + 30 + (sum(rows) + FRAME * (len(rows) - 1) if narrow else max(rows)) + 42

    spread = any(least < most for *_, pairs in shown for at in pairs.values() for _, least, most in at.values())
    some = any(len(cs) < len(compared(peers, group)) for group, cs, _ in shown)
    jobs = listed(f"{WORLDS[group.world]}: {CALLED[group.job]}, one thread" for group, *_ in shown)
    caption = (f"The peer's time divided by that of exact, by size of the table; logarithmic. Left of the line the peer is "
               f"faster. {jobs}.{' Bars: the interquartile range.' if spread else ''} Hollow: at positions of that table, "
               f"outputs worse than a float32 angle makes them.{' Some sizes only; the tables have all.' if some else ''}")
    return both("peers", words, caption, draw, (height(False), height(True)))
