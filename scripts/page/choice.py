"""Which implementation should I use? Error against speed."""
import dataclasses
import math

import numpy as np

import labels
from drawing import (INK, PAPER, SOFT, axes_at, both, colour, label, log_axis, marker, pixels, plain, power, text_size,
                     thin)
from picks import choice_of, number, pick, picks, remark
from render import Table
from words import bar, error, listed, medians, of_limit, per_element, plural, pm, share, share_text, speed, ulps

ABSOLUTE = 1e-6  # the budget of picks.BUDGETS that is an error, so that it is a line here
ONE_ULP = 2.0 ** -24  # of float32, below 1


@dataclasses.dataclass
class Point:
    name: str
    family: int  # its number
    gb_s: float
    half_iqr: float
    error: float
    exact: bool  # at most 1 ULP wrong
    front: bool = False


def points_of(subject):
    found = []
    for name, row in subject.here.items():
        if name in subject.accuracy and subject.error(name) is not None:
            found.append(Point(name, subject.index[subject.families[name]], row.gb_s, bar(row.gb_s, row.spread),
                               subject.error(name), subject.ulp(name) <= 1))
    mark_front(found)
    return found


def mark_front(points):
    """Those that no other beats, errors being compared by the two digits that are shown."""
    def merits(p):
        return -float(number(p.error)), p.gb_s
    for p in points:
        p.front = not any(merits(o) != merits(p) and all(a >= b for a, b in zip(merits(o), merits(p))) for o in points)


def draw(figure, narrow, points, limit):
    """Also the README's picture. limit: what stores reach, in GB/s, or None."""
    lowest, errors = drawn_at([p.error for p in points])
    at_zero = [lowest] if 0 in [p.error for p in points] else []
    axes = axes_at(figure, 50 if narrow else 58, 44, 10, 26)
    fastest, slowest = max([p.gb_s for p in points] + [limit or 0]), min(p.gb_s for p in points)
    log_axis(axes.xaxis, slowest / 1.9, fastest * 1.45, plain,
             [m * 10.0 ** e for e in range(-4, 4) for m in ((1,) if narrow and fastest / slowest > 300 else (1, 2, 5))])
    log_axis(axes.yaxis, lowest, max(*errors, 2 * ABSOLUTE) * 4, lambda v, _: "0" if v in at_zero else power(v),
             at_zero + [10.0 ** e for e in range(math.floor(math.log10(lowest)) + bool(at_zero), 3)])
    axes.grid(axis="y")
    axes.set_xlabel("GB/s (better to the right)")
    axes.set_title("max |error| (better downwards)", fontsize=axes.xaxis.label.get_size(), x=0, ha="left", loc="left")
    frame = axes.get_window_extent().extents
    taken = [frame_note(axes, p, text) for p, text in ((ABSOLUTE, f"budget: {ABSOLUTE:.0e}".replace("e-0", "e-")),
                                                       (ONE_ULP, f"1 ULP near 1: {error(ONE_ULP)}"))
             if axes.get_ylim()[0] < p < axes.get_ylim()[1]]
    if limit:
        taken.append(limit_note(axes, limit))
    corners = front_line(points, errors, axes.get_xlim()[0], axes.get_ylim()[1])
    if corners:
        axes.plot(*zip(*corners), color=INK, linewidth=1, zorder=2, clip_on=not at_zero)
    for p, e in zip(points, errors):
        axes.errorbar(p.gb_s, e, xerr=p.half_iqr or None, fmt=marker(p.family), color=colour(p.family), elinewidth=1, zorder=3,
                      markerfacecolor=colour(p.family) if p.exact else PAPER, markersize=7, clip_on=e > lowest)
    at = [pixels(axes, p.gb_s, e) for p, e in zip(points, errors)]
    size = axes.xaxis.label.get_size()
    sizes = [text_size(p.name, size, p.front) for p in points]
    inner = (frame[0] + 2, frame[1] + 2, frame[2] + 8, frame[3] - 2)
    for p, dot, (w, h), (x, y) in zip(points, at, sizes, labels.around(at, sizes, inner, taken)):
        to = labels.nearest(dot, np.array([[x, y + 2, x + w, y + h - 2]]))[0]
        if math.dist(dot, to) > 9:
            thin(figure, dot, to, colour(p.family), zorder=1)
        label(axes, x, y + h / 2, p.name, color=colour(p.family), fontsize=size, fontweight="bold" if p.front else "normal")


def drawn_at(errors):
    """The lower edge of the axis, and where each error is on it: 0, which no logarithm has, at the edge."""
    least = min((e for e in errors if e > 0), default=ABSOLUTE)
    lowest = 10.0 ** math.floor(math.log10(least / 10)) if 0 in errors else least / 10
    return lowest, [e or lowest for e in errors]


def front_line(points, errors, left, top):
    """Corners of the line around what the front leaves to others."""
    front = sorted((p.gb_s, e) for p, e in zip(points, errors) if p.front)
    corners = [(left, front[0][1])] if front else []
    for (x, y), above in zip(front, [*(e for _, e in front[1:]), top]):
        corners += [(x, y), (x, above)]
    return corners


def frame_note(axes, y, text):
    """A budget's line with its name above it, at the left; returns the box that the name takes."""
    axes.axhline(y, color=SOFT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    left, at = axes.get_window_extent().x0 + 4, pixels(axes, axes.get_xlim()[0], y)[1]
    width, height = text_size(text, axes.xaxis.label.get_size())
    label(axes, left, at + height / 2, text, color=SOFT)
    return left, at, left + width, at + height


def limit_note(axes, limit):
    """Likewise of what stores reach, its name along the line."""
    axes.axvline(limit, color=SOFT, linewidth=1, linestyle=(0, (1, 2)), zorder=1)
    frame = axes.get_window_extent()
    x, middle = pixels(axes, limit, ABSOLUTE)[0], (frame.y0 + frame.y1) / 2
    text = f"limit of stores: {limit:.1f}"
    width, height = text_size(text, axes.xaxis.label.get_size())
    label(axes, x + 5 + height / 2, middle, text, color=SOFT, ha="center", rotation=90)
    return x + 5, middle - width / 2, x + 5 + height, middle + width / 2


def picture(subject):
    points = points_of(subject)
    d = subject.judged_range().get("d_model")
    width = f" Errors are those of d_model {d}, speeds those of {subject.size[1]}." if d not in (None, subject.size[1]) else ""
    front = ", ".join(p.name for p in points if p.front)
    caption = (f"Largest error of an output at {subject.reach()}, {subject.table_name()}, against the speed of the float32 "
               f"table {subject.size[0]} × {subject.size[1]}; both axes logarithmic. Speed: CPU "
               f"time, {medians(subject.here, 'with bars of')}. Filled: at most 1 ULP wrong everywhere. Black line and bold: the "
               f"Pareto front, beyond which nothing is both faster and closer, medians being taken at face value.{width}")
    said = f"Scatter plot of error against speed. On the Pareto front: {front}."
    return both("choice", said, caption,
                lambda figure, narrow: draw(figure, narrow, points, subject.limit.gb_s if subject.limit else None), (400, 470))


def answer(subject):
    """The one sentence: the fastest within 1 ULP, else the most accurate."""
    judged = subject.judged()
    if not judged:
        return "No implementation was verified, so none can be recommended."
    if subject.ranked and subject.within():
        within = subject.within()
        name, ties = pick(within, subject.here, subject.order)
        part = share_text(subject.here[name], subject.limit, "what stores reach")
        that = "that ran and is" if len(within) == 1 else "that are"
        return (f"{name}: {choice_of(name, ties, len(within))} {that} at most 1 ULP wrong, {pm(speed(subject.here[name]))} "
                f"GB/s{part}, max |error| {error(subject.error(name))}, {ulps(subject.ulp(name))} ULP{remark(name, ties)}.")
    if subject.ranked and subject.best():
        name = subject.best()
        return f"None of those that ran stays within 1 ULP; the closest is {name}, {ulps(subject.ulp(name))} ULP."
    within = [n for n in judged if subject.ulp(n) <= 1]
    least = min(map(subject.ulp, judged))
    closest = subject.call([n for n in judged if subject.ulp(n) == least])
    return (f"{len(within)} of {plural(len(judged), 'implementation')} {'is' if len(within) == 1 else 'are'} at most 1 ULP wrong "
            f"at {subject.reach()}, closest {listed(closest)} with {ulps(least)} ULP; which is fastest is open: "
            f"{subject.unranked()}.")


def chosen(subject):
    """[(budget, which and why)]"""
    return picks(subject.accuracy, subject.here, subject.order, subject.spans) if subject.ranked else []


def table(subject):
    """Everything that was verified or measured, fastest first, or as the list has it where speeds are not ranked."""
    points = {p.name: p for p in points_of(subject)} if subject.ranked else {}
    names = [n for n in subject.order if n in subject.here or n in subject.judged()]
    if subject.ranked:
        names.sort(key=lambda n: subject.here[n].ns if n in subject.here else math.inf)
    reach, rows = subject.reach().removeprefix("positions "), []
    for name in names:
        judged = name in subject.judged()
        row = [name, error(subject.error(name)) if judged else "?", ulps(subject.ulp(name)) if judged else "?",
               share(*subject.correct(name)) if judged else "?"]
        if subject.here:
            run = subject.here.get(name)
            row += [per_element(run), speed(run), of_limit(run, subject.limit)] if run else ["-"] * 3
        rows.append(row)
    head = ["implementation", f"max |error| {reach}", "max ULP", "correctly rounded"]
    head += ["ns/element", "GB/s", "% of limit"] if subject.here else []
    caption = f"Errors: {subject.table_name()}, {subject.reach()}."
    if subject.here:
        ranked = "" if subject.ranked else f"{'emulated: ' if subject.emulated else ''}not ranked; "
        caption += (f" Speeds: {ranked}{subject.size[0]} × {subject.size[1]}, float32, {medians(subject.here)}.")
    return Table(caption, head, rows, marks={n: "front" for n, p in points.items() if p.front})


def left_out(subject):
    """Those with nothing in the table above, and why."""
    aside = subject.left_aside(subject.here if subject.size else None)
    for name, entry in subject.entries.items():
        if not entry.get("supported", True):
            aside.setdefault(name, "not run: this CPU lacks its instructions")
    if not aside:
        return None
    return Table("Not run, or left out of what is compared", ["what", "why"], [[n, why] for n, why in aside.items()], text=(1,))
