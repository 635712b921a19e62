"""Where in the table are the errors? Maps of position by column."""
import math

from cells import cells
from drawing import axes_at, both, label, pixels, power, ramp, wrapped
from picks import short
from subject import error, listed

BUDGET = 1e-6


def edges_of_bands(subject):
    """Seven powers of ten that tell the errors of this report apart."""
    tops = [max(e for row in subject.profile(n) for e in row if e is not None) for n in subject.judged() if subject.profile(n)]
    low, high = (math.floor(math.log10(max(t, 1e-300))) for t in (min(tops), max(tops)))
    step = max(1, math.ceil((high - low) / 7))
    return [10.0 ** (low + 1 + step * i) for i in range(7)]


def picture(subject):
    """Small maps of position by column, one for all that look alike."""
    with_profile = [n for n in subject.judged() if subject.profile(n)]
    if not with_profile:
        return None
    edges = edges_of_bands(subject)
    banded = {n: [[band(e, edges) for e in row] for row in subject.profile(n)] for n in with_profile}
    groups = [g for g in subject.groups(lambda a, b: banded.get(a) == banded.get(b)) if g[0][0] in banded]
    positions, columns = subject.verify["profile"]["position_edges"], subject.verify["profile"]["column_edges"]

    def grid(narrow):
        """Columns and rows of maps, as full as can be."""
        most = 2 if narrow else 5
        down = -(-len(groups) // most)
        return -(-len(groups) // down), down

    def draw(figure, narrow):
        across, down = grid(narrow)
        width, height = figure.get_size_inches() * 72
        left, gap, head, foot, key = (38, 14, 50, 34, 36) if narrow else (46, 26, 44, 34, 20)
        wide, high = (width - left - 8 - gap * (across - 1)) / across, (height - key - foot - head * down) / down
        for i, (names, words, _) in enumerate(groups):
            column, row = i % across, i // across
            top = key + head * (row + 1) + high * row
            axes = axes_at(figure, left + column * (wide + gap), height - top - high,
                           width - left - column * (wide + gap) - wide, top)
            cells(axes, banded[names[0]], columns, range(len(positions)))
            axes.set(xlim=(columns[0], columns[-1]), ylim=(len(positions) - 1, 0))
            axes.spines[:].set_visible(False)
            axes.tick_params(length=3)
            axes.set_xticks([columns[0], columns[len(columns) // 2], columns[-1]])
            marks = [j for j in range(len(positions)) if positions[j] and (positions[j].bit_length() - 1) % 5 == 0]
            axes.set_yticks(marks, [short(positions[j]) if column == 0 else "" for j in marks])
            for tick, align in zip(axes.get_xticklabels(), ("left", "center", "right")):
                tick.set_ha(align)
            x, y = pixels(axes, columns[0], 0)
            size = 11 if narrow else 12
            label(axes, x, y + 4, wrapped(words, wide, size), va="bottom")
            if row == down - 1 or i + across >= len(groups):
                axes.set_xlabel("column", labelpad=1)
        ramp(figure, [f"≤ {power(edges[0])}", *(power(e) for e in edges[1:]), f"> {power(edges[-1])}"], "max |error|")

    def height(narrow):
        return (70 if narrow else 54) + 190 * grid(narrow)[1]

    caption = (f"Largest |error| by position (downwards, one row for each octave) and column, {subject.table_name()}, one "
               f"scale of decades for all. Implementations whose maps are the same in every cell share one."
               + (" Gaps: no row was compared." if any(e is None for m in banded.values() for row in m for e in row) else ""))
    return both("where", located(subject), caption, draw, (height(False), height(True)))


def band(value, edges):
    return None if value is None else sum(value > e for e in edges)


def located(subject):
    """The one sentence: from which column on everybody is good enough, and where the worst is."""
    names = [n for n in subject.judged() if subject.profile(n)]
    if not names:
        return "This report has no errors by column; a posenc-verify of this version writes them."
    edges, positions = subject.verify["profile"]["column_edges"], subject.verify["profile"]["position_edges"]
    matrices = {n: subject.profile(n) for n in names}
    value, name, i, g = max((e, n, i, g) for n, m in matrices.items() for i, row in enumerate(m) for g, e in enumerate(row)
                            if e is not None)
    text = (f"The largest error, {error(value)}, is {name}'s in columns {edges[g]} to {edges[g + 1] - 1} at positions "
            f"{positions[i]} to {min(positions[i + 1], subject.end()) - 1}")
    end = subject.spans[-1][1]
    early = {n: [row for a, row in zip(positions, m) if a < end] for n, m in matrices.items()}
    last = {n: max((g for row in m for g, e in enumerate(row) if e is not None and e > BUDGET), default=-1)
            for n, m in early.items()}
    reached = sorted({g for g in last.values() if g >= 0})
    if not reached:
        return f"{text}; at {subject.reach()} nobody is more than 1e-6 wrong in any column."
    parts = [f"{listed(subject.call([n for n in names if last[n] == g]))} to column {edges[g + 1] - 1}" for g in reached]
    return f"{text}; at {subject.reach()}, errors above 1e-6 go as far as: {', '.join(parts)}."
