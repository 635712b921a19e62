"""Which implementation should I use? Error against speed."""
import dataclasses
import math

import numpy as np

import labels
from drawing import (INK, PAPER, SOFT, axes_at, both, colour, label, log_axis, marker, pixels, plain, text_size, thin)
from picks import number, pick, picks
from render import Table
from subject import error, listed, of_limit, per_element, repetitions, share, share_text, speed, ulps

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
            found.append(Point(name, subject.index[subject.families[name]], row.gb_s, row.gb_s * row.spread / 2,
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
    errors = [max(p.error, 1e-12) for p in points]
    axes = axes_at(figure, 50 if narrow else 58, 44, 10, 26)
    fastest, slowest = max([p.gb_s for p in points] + [limit or 0]), min(p.gb_s for p in points)
    log_axis(axes.xaxis, slowest / 1.9, fastest * 1.45, plain,
             [m * 10.0 ** e for e in range(-4, 4) for m in ((1,) if narrow and fastest / slowest > 300 else (1, 2, 5))])
    log_axis(axes.yaxis, min(errors) / 10, max(*errors, 2 * ABSOLUTE) * 4)
    axes.grid(axis="y")
    axes.set_xlabel("GB/s (better to the right)")
    axes.set_title("max |error| (better downwards)", fontsize=axes.xaxis.label.get_size(), x=0, ha="left", loc="left")
    frame = axes.get_window_extent().extents
    taken = [frame_note(axes, p, text) for p, text in ((ABSOLUTE, f"budget: {ABSOLUTE:.0e}".replace("e-0", "e-")),
                                                       (ONE_ULP, f"1 ULP near 1: {error(ONE_ULP)}"))
             if axes.get_ylim()[0] < p < axes.get_ylim()[1]]
    if limit:
        taken.append(limit_note(axes, limit))
    front = sorted((p for p in points if p.front), key=lambda p: p.gb_s)
    corners = [(axes.get_xlim()[0], front[0].error)] if front else []
    for p, above in zip(front, [*(f.error for f in front[1:]), axes.get_ylim()[1]]):
        corners += [(p.gb_s, p.error), (p.gb_s, above)]
    if corners:
        axes.plot(*zip(*corners), color=INK, linewidth=1, zorder=2)
    for p, e in zip(points, errors):
        axes.errorbar(p.gb_s, e, xerr=[[min(p.half_iqr, 0.9 * p.gb_s)], [p.half_iqr]], fmt=marker(p.family),
                      color=colour(p.family), markerfacecolor=colour(p.family) if p.exact else PAPER, markersize=7,
                      elinewidth=1, zorder=3)
    at = [pixels(axes, p.gb_s, e) for p, e in zip(points, errors)]
    size = axes.xaxis.label.get_size()
    sizes = [text_size(p.name, size, p.front) for p in points]
    inner = (frame[0] + 2, frame[1] + 2, frame[2] + 8, frame[3] - 2)
    for p, dot, (w, h), (x, y) in zip(points, at, sizes, labels.around(at, sizes, inner, taken)):
        to = labels.nearest(dot, np.array([[x, y + 2, x + w, y + h - 2]]))[0]
        if math.dist(dot, to) > 9:
            thin(figure, dot, to, colour(p.family), zorder=1)
        label(axes, x, y + h / 2, p.name, color=colour(p.family), fontsize=size, fontweight="bold" if p.front else "normal")


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
    x, middle = pixels(axes, limit, 10 * ABSOLUTE)
    text = f"limit of stores: {limit:.1f}"
    width, height = text_size(text, axes.xaxis.label.get_size())
    label(axes, x + 5 + height / 2, middle, text, color=SOFT, ha="center", rotation=90)
    return x + 5, middle - width / 2, x + 5 + height, middle + width / 2


def picture(subject):
    points = points_of(subject)
    front = ", ".join(p.name for p in points if p.front)
    caption = (f"Largest error of an output at {subject.reach()}, {subject.table_name()}, against the speed of the float32 "
               f"table {subject.size[0]} × {subject.size[1]}; both axes logarithmic. Speed: median of "
               f"{repetitions(subject.here)} repetitions, CPU time, bars half the interquartile range to either side. Filled: "
               f"at most 1 ULP wrong everywhere. Black line and bold: the Pareto front, beyond which nothing is both faster "
               f"and closer.")
    said = f"Scatter plot of error against speed. On the Pareto front: {front}."
    return both("choice", said, caption,
                lambda figure, narrow: draw(figure, narrow, points, subject.limit.gb_s if subject.limit else None), (400, 470))


def answer(subject):
    """The one sentence: the fastest within 1 ULP, else the most accurate."""
    judged = subject.judged()
    if not judged:
        return "No implementation was verified, so none can be recommended."
    if subject.ranked and subject.within():
        name, tie = pick(subject.within(), subject.here, subject.order)
        value, pm = speed(subject.here[name])
        part = share_text(subject.here[name], subject.limit, "what stores reach")
        return (f"{name}: {'one' if tie else 'the fastest'} of the {len(subject.within())} that are at most 1 ULP wrong, "
                f"{value} ± {pm} GB/s{part}, max |error| {error(subject.error(name))}, {ulps(subject.ulp(name))} ULP{tie}.")
    if subject.ranked and subject.best():
        name = subject.best()
        return f"None of those that ran stays within 1 ULP; the closest is {name}, {ulps(subject.ulp(name))} ULP."
    within = [n for n in judged if subject.ulp(n) <= 1]
    least = min(map(subject.ulp, judged))
    closest = subject.call([n for n in judged if subject.ulp(n) == least])
    why = "the run was emulated" if subject.emulated else "speeds were not measured"
    return (f"{len(within)} of {len(judged)} implementations are at most 1 ULP wrong at {subject.reach()}, closest "
            f"{listed(closest)} with {ulps(least)} ULP; which is fastest is open: {why}.")


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
        ranked = "" if subject.ranked else "emulated: not ranked; "
        caption += (f" Speeds: {ranked}{subject.size[0]} × {subject.size[1]}, float32, median of {repetitions(subject.here)} "
                    f"repetitions ± half the interquartile range.")
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
