"""How wrong does each get as positions grow?"""
import math

from drawing import axes_at, both, colour, ends, log_axis, marker
from picks import short
from render import Table
from subject import error, listed, position

SAME = 1.02  # curves closer than this everywhere are one line
GROWN = 2.0  # a curve that ends higher than this times its start grows


def alike(subject):
    curves = {n: subject.curve(n) for n in subject.judged()}

    def same(a, b):
        return len(curves[a]) == len(curves[b]) and all(
            x == y or min(x, y) > 0 and max(x, y) < SAME * min(x, y)
            for (*_, x), (*_, y) in zip(curves[a], curves[b]))
    return same


def picture(subject):
    """Lines of max |error| by position, one for all that coincide."""
    groups = [(subject.curve(g[0][0]), *g) for g in subject.groups(alike(subject))]
    drawn = [([(math.sqrt(max(a, 1) * max(b - 1, a, 1)), top) for a, b, top in curve if top > 0 and b > 1], words, index)
             for curve, _, words, index in groups]
    drawn = [d for d in drawn if d[0]]
    if not drawn:
        return None
    tops = [y for points, _, _ in drawn for _, y in points]
    last = max(x for points, _, _ in drawn for x, _ in points)

    def draw(figure, narrow):
        room = 100 if narrow else 190
        axes = axes_at(figure, 46 if narrow else 52, 44, room + 22, 26)
        ticks = [16 ** e for e in range(6)] if narrow else [4 ** e for e in range(12)]
        log_axis(axes.xaxis, 0.8, last * 1.15, lambda x, _: short(int(x)), ticks)
        log_axis(axes.yaxis, 10 ** math.floor(math.log10(min(tops)) - 0.1), 10 ** math.ceil(math.log10(max(tops)) + 0.05))
        axes.grid(axis="y")
        axes.set_xlabel("position")
        axes.set_title("max |error|", fontsize=axes.xaxis.label.get_size())
        for points, _, index in drawn:
            axes.plot(*zip(*points), color=colour(index), marker=marker(index), markersize=3.5 if narrow else 4.5)
        ends(axes, [(points[-1], words, colour(index)) for points, words, index in drawn], room)
    by = "octave of positions" if subject.verify.get("profile") else "range of positions, for want of octaves in this report"
    caption = (f"Largest |error| in each {by}, {subject.table_name()}, against {subject.reference()}; both axes logarithmic. "
               f"Implementations within {100 * (SAME - 1):.0f} % of each other everywhere share a line.{sampled(subject)}")
    return both("growth", grown(subject), caption, draw, (340, 380))


def sampled(subject):
    """How many rows of each octave were compared: all of the first ones, then fewer."""
    rows = subject.verify.get("profile", {}).get("rows", [])
    whole = next((i for i, count in enumerate(rows) if count < 1 << max(i - 1, 0)), len(rows))  # octaves 0, 1, 2-3, 4-7, ...
    if whole == len(rows):
        return ""
    few, many = min(rows[whole:]), max(rows[whole:])
    return f" All positions below {1 << max(whole - 1, 0)} were compared, then {few} to {many} in an octave."


def grown(subject):
    """The one sentence."""
    tops, rising, end = {}, [], 0
    for name in subject.judged():
        curve = [(b, top) for _, b, top in subject.curve(name) if top > 0]
        tops[name], end = max((top for _, top in curve), default=0.0), max([end] + [b for b, _ in curve])
        if curve and curve[-1][1] > GROWN * max(curve[0][1], floor(subject)):
            rising.append(name)
    flat, parts = [n for n in tops if n not in rising], []
    if flat:
        words = subject.call(flat)
        parts.append(f"{listed(words)} {verb('stay', words)} within {error(max(tops[n] for n in flat))} to position "
                     f"{position(end)}")
    if rising:
        words, least, most = subject.call(rising), *(f(rising, key=tops.get) for f in (min, max))
        reach = error(tops[most]) if error(tops[least]) == error(tops[most]) else (
            f"{error(tops[least])} ({subject.call([least])[0]}) to {error(tops[most])} ({subject.call([most])[0]})")
        parts.append(f"{listed(words)} {verb('grow', words)} with the position, to {reach} at {position(end)}")
    return ("; ".join(parts) + ".") if parts else "Nothing was judged."


def verb(word, subjects):
    return word + "s" * (len(subjects) == 1)


def floor(subject):
    """The smallest of the largest errors: nobody was better on this table."""
    return min(max(e for *_, e in subject.curve(n)) for n in subject.judged())


def table(subject):
    names = subject.judged()
    curves = {n: {(a, b): e for a, b, e in subject.curve(n)} for n in names}
    spans = sorted({s for c in curves.values() for s in c})
    head = ["implementation"] + [str(a) if b == a + 1 else f"to {b - 1}" for a, b in spans]
    rows = [[n] + [error(curves[n][s]) if s in curves[n] else "-" for s in spans] for n in names]
    return Table(f"Largest |error| by positions, each column from the end of the one before; {subject.table_name()}", head, rows,
                 folded=f"The numbers, {len(spans)} {'octaves' if subject.verify.get('profile') else 'ranges'}")
