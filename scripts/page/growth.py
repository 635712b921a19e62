"""How wrong does each get as positions grow?"""
import math

from drawing import axes_at, both, colour, ends, log_axis, marker
from picks import short
from render import Table
from words import error, listed, plural

SAME = 1.02  # curves closer than this everywhere are one line
GROWN = 2.0  # times the smallest error found: up to there a curve stays; times its own start: above that it grows


def alike(subject):
    curves = {n: subject.curve(n) for n in subject.judged()}

    def same(a, b):
        return len(curves[a]) == len(curves[b]) and all(
            x == y or min(x, y) > 0 and max(x, y) < SAME * min(x, y)
            for (*_, x), (*_, y) in zip(curves[a], curves[b]))
    return same


def dots(curve, octaves):
    """[(x, largest error)]: in the middle of an octave, but at the end of a range, which is many of them; neither position 0
    nor an error of 0 is on logarithmic axes."""
    return [(math.sqrt(max(a, 1) * max(b - 1, a, 1)) if octaves else b - 1, top)
            for a, b, top in curve if top > 0 and b > 1]


def picture(subject):
    """Lines of max |error| by position, one for all that coincide."""
    groups = [(subject.curve(g[0][0]), *g) for g in subject.groups(alike(subject))]
    drawn = [(dots(curve, bool(subject.verify.get("profile"))), words, index) for curve, _, words, index in groups]
    drawn = [d for d in drawn if d[0]]
    if not drawn:
        return None
    tops = [y for points, _, _ in drawn for _, y in points]
    first, last = (f(x for points, _, _ in drawn for x, _ in points) for f in (min, max))

    def draw(figure, narrow):
        room = 100 if narrow else 190
        axes = axes_at(figure, 46 if narrow else 52, 44, room + 22, 26)
        low, high, ticks = min(0.8, first), last * 1.15, [2 ** e for e in range(0, 48, 4 if narrow else 2)]
        if subject.start() > 1:  # far out: where octaves and ranges begin, and the end
            ticks = sorted({a for curve, *_ in groups for a, *_ in curve} | ({subject.end()} if last > first else set()))
            low, high = subject.start() / 1.02, subject.end() * 1.02
        log_axis(axes.xaxis, low, high, lambda x, _: short(int(x)), ticks)
        log_axis(axes.yaxis, 10 ** math.floor(math.log10(min(tops)) - 0.1), 10 ** math.ceil(math.log10(max(tops)) + 0.05))
        axes.grid(axis="y")
        axes.set_xlabel(subject.position_word())
        axes.set_title("max |error|", fontsize=axes.xaxis.label.get_size())
        for points, _, index in drawn:
            axes.plot(*zip(*points), color=colour(index), marker=marker(index), markersize=3.5 if narrow else 4.5)
        ends(axes, [(points[-1], words, colour(index)) for points, words, index in drawn], room)
    by = f"octave of {subject.position_word('s')}" if subject.verify.get("profile") else (
        "range of positions, with dots at its end, for want of octaves in this report")
    caption = (f"Largest |error| in each {by}, {subject.table_name()}, {subject.whole_reach()}, against {subject.reference()}; "
               f"both axes logarithmic. Implementations within {100 * (SAME - 1):.0f} % of each other everywhere share a "
               f"line.{sampled(subject)}")
    return both("growth", grown(subject), caption, draw, (340, 380))


def sampled(subject):
    """How many rows of each octave were compared: all of the first ones, then fewer."""
    rows = (subject.verify.get("profile") or {}).get("rows", [])
    whole = next((i for i, count in enumerate(rows) if count < 1 << max(i - 1, 0)), len(rows))  # octaves 0, 1, 2-3, 4-7, ...
    signed = subject.position_word() != "position"
    counts = sorted(count for count in rows[0 if signed else whole:] if count)
    if not counts:
        return ""
    many = f"{counts[0]} to {counts[-1]}" if counts[0] < counts[-1] else f"{counts[0]}"
    if signed or not whole:
        rows = "row was" if counts[-1] == 1 else "rows were"
        return f" In an octave of {subject.position_word('s')}, {many} {rows} compared, where any was."
    return f" All positions below {1 << max(whole - 1, 0)} were compared, then {many} in an octave."


def grown(subject):
    """The one sentence: who stays as good as the best of all, who grows worse, and who is worse from the start."""
    curves = {n: subject.curve(n) for n in subject.judged()}
    curves = {n: curve for n, curve in curves.items() if curve}
    if not curves:
        return "Nothing was judged."
    tops = {n: max(top for *_, top in curve) for n, curve in curves.items()}
    firsts, lasts = ({n: curve[i][2] for n, curve in curves.items()} for i in (0, -1))
    least, reached = min(tops.values()), max(b for curve in curves.values() for _, b, _ in curve)
    flat = [n for n in curves if tops[n] <= GROWN * least]
    rising = [n for n in curves if n not in flat and lasts[n] > GROWN * max(firsts[n], least)]
    bad = [n for n in curves if n not in flat + rising and firsts[n] > GROWN * least]
    between_them = [n for n in curves if n not in flat + rising + bad]
    single = all(len(curve) == 1 for curve in curves.values())
    words, parts = subject.call(flat), []
    to = (f"to {subject.position_word()} {subject.upto(reached)}" if subject.start() == 0 and reached > 1 else
          f"at {subject.whole_reach()}")
    most = max(tops[n] for n in flat)
    parts.append(f"{listed(words)} {verb('stay', words)} within {error(most)} {to}" if most else
                 f"{listed(words)} {verb('show', words)} no error {to}")
    if rising:
        words = subject.call(rising)
        parts.append(f"{listed(words)} {verb('grow', words)} with the {subject.position_word()}, to "
                     f"{between(subject, rising, lasts)} at {subject.upto(reached)}")
    if bad:
        words = subject.call(bad)
        be = "is" if len(words) == 1 else "are"
        if single:
            parts.append(f"{listed(words)} {be} {between(subject, bad, lasts)} wrong there")
        else:
            first, end = min((a, b) for a, b, _ in (curves[n][0] for n in bad))
            where = f"{subject.position_word('s')} {first} to {end - 1}" if end > first + 1 else f"position {first}"
            parts.append(f"{listed(words)} {be} already {between(subject, bad, firsts)} wrong at the first positions compared "
                         f"({where}), and {between(subject, bad, lasts)} at the end")
    if between_them:
        words = subject.call(between_them)
        parts.append(f"{listed(words)} {verb('reach', words)} {between(subject, between_them, tops)} on the way")
    return "; ".join(parts) + "."


def between(subject, names, errors):
    """ "1.2e-4 (naive) to 5.0e-3 (other)", or one number where that is all."""
    least, most = min(names, key=errors.get), max(names, key=errors.get)
    if error(errors[least]) == error(errors[most]):
        return error(errors[most])
    return f"{error(errors[least])} ({subject.call([least])[0]}) to {error(errors[most])} ({subject.call([most])[0]})"


def verb(word, subjects):
    return word + ("" if len(subjects) > 1 else "es" if word.endswith("ch") else "s")


def table(subject):
    names = subject.judged()
    curves = {n: {(a, b): e for a, b, e in subject.curve(n)} for n in names}
    spans = sorted({s for c in curves.values() for s in c})
    head = ["implementation"] + [str(a) if b == a + 1 else f"to {b - 1}" for a, b in spans]
    rows = [[n] + [error(curves[n][s]) if s in curves[n] else "-" for s in spans] for n in names]
    caption = f"Largest |error| by {subject.position_word()}, each column from the end of the one before; {subject.table_name()}"
    kind = "octave" if subject.verify.get("profile") else "range"
    return Table(caption, head, rows, folded=f"The numbers, {plural(len(spans), kind)}")
