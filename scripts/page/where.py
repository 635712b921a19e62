"""Where in the table are the errors? Maps of position by column."""
import math

from matplotlib.patches import PathPatch
from matplotlib.path import Path

from drawing import BANDS, axes_at, both, label, pixels, power, ramp, wrapped
from picks import short
from words import error, listed, position

BUDGET = 1e-6


def edges_of_bands(subject):
    """Seven powers of ten that tell the errors of this report apart."""
    tops = [max(e for row in subject.profile(n) for e in row if e is not None) for n in subject.judged() if subject.profile(n)]
    tops = [top for top in tops if top > 0] or [BUDGET]
    low, high = (math.floor(math.log10(top)) for top in (min(tops), max(tops)))
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

    caption = (f"Largest |error| by {subject.position_word()} (downwards, one row for each octave) and column, "
               f"{subject.table_name()}, {subject.whole_reach()}, one scale of decades for all. Implementations whose maps are "
               f"the same in every cell share one."
               + (" Gaps: no row was compared." if any(e is None for m in banded.values() for row in m for e in row) else ""))
    return both("where", located(subject), caption, draw, (height(False), height(True)))


def cells(axes, bands, xs, ys):
    """A map of bands, as few shapes as can be: pixels of a picture would not follow the theme. bands[row][column], None where
    there is nothing; xs and ys are the edges."""
    boxes = {}
    for row, values in enumerate(bands):
        start = 0
        for end in range(1, len(values) + 1):
            if end == len(values) or values[end] != values[start]:
                if values[start] is not None:
                    boxes.setdefault(values[start], []).append((xs[start], ys[row], xs[end], ys[row + 1]))
                start = end
    for band, found in sorted(boxes.items()):
        path = Path.make_compound_path(*(Path([(a, b), (c, b), (c, d), (a, d), (a, b)], closed=True) for a, b, c, d in found))
        axes.add_patch(PathPatch(path, facecolor=BANDS[band], edgecolor="none", linewidth=0, gid="cells"))


def band(value, edges):
    return None if value is None else sum(value > e for e in edges)


def spoken(one, many, first, last):
    return f"{many} {first} to {last}" if last > first else f"{one} {first}"


def located(subject):
    """The one sentence: from which column on everybody is good enough, and where the worst is."""
    names = [n for n in subject.judged() if subject.profile(n)]
    if not names:
        return "This report has no errors by column; a posenc-verify of this version writes them."
    edges, positions = subject.verify["profile"]["column_edges"], subject.verify["profile"]["position_edges"]
    matrices = {n: subject.profile(n) for n in names}
    value, name, i, g = max((e, n, i, g) for n, m in matrices.items() for i, row in enumerate(m) for g, e in enumerate(row)
                            if e is not None)
    at = subject.position_word("s")
    first, end = max(positions[i], subject.start()), min(positions[i + 1], subject.end())
    text = (f"The largest error, {error(value)}, is {name}'s in "
            f"{spoken('column', 'columns', edges[g], edges[g + 1] - 1)} at {spoken(subject.position_word(), at, first, end - 1)}")
    if value == 0:
        return f"Nobody is wrong anywhere at {subject.whole_reach()}."
    if subject.table[1] != "f32":  # whose budget it is
        return f"{text}."
    reach = max((b for span in subject.spans for b in (abs(span[0]), span[1])), default=0)
    early = {n: [row for a, row in zip(positions, m) if a < reach] for n, m in matrices.items()}
    upto = min(next((b for b in positions if b >= reach), reach), subject.end())  # octaves are whole
    where = f"{at} to {position(upto) if at == 'positions' else upto - 1}" if subject.start() == 0 else subject.whole_reach()
    last = {n: max((g for row in m for g, e in enumerate(row) if e is not None and e > BUDGET), default=-1)
            for n, m in early.items()}
    reached = sorted({g for g in last.values() if g >= 0})
    if not reached:
        return f"{text}; at {where} nobody is more than 1e-6 wrong in any column."
    parts = [f"{listed(subject.call([n for n in names if last[n] == g]))} to column {edges[g + 1] - 1}" for g in reached]
    return f"{text}; at {where}, errors above 1e-6 go as far as: {', '.join(parts)}."
