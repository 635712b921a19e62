"""The README's picture: error against speed of a recorded run, as a file of its own. White below, since nothing tells an image
which theme it is shown in."""
import re

import markupsafe
import matplotlib
from matplotlib.figure import Figure

import choice
import drawing
from joined import pages
from picks import number, pick
from render import HERE
from results import fail
from subject import Subject
from words import medians

WIDTH, HEIGHT = 800, 430  # of the drawing; lines of text are above and below
ABOVE, BELOW = 30, 46


def subject_of(verify, bench, names):
    subject = Subject(verify, bench, names[0])
    if not choice.points_of(subject):
        fail(f"{names[0]} and {names[1]}: no implementation was both verified and run")
    if not subject.ranked:
        fail(f"{names[0]} and {names[1]}: {subject.unranked()}")
    return subject


def picture(subject):
    """The text of an SVG file."""
    title = f"Largest error of an output against speed: {table(subject)}, {subject.reach()}"
    with matplotlib.rc_context(drawing.SETTINGS | {"svg.hashsalt": "readme"}):
        figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
        choice.draw(figure, False, choice.points_of(subject), subject.limit.gb_s if subject.limit else None)
        svg = str(drawing.inline(figure, title))
    run = subject.context
    where = f"{run.get('cpu', 'unknown CPU')}, {run.get('compiler', 'unknown compiler')}, {run.get('date', 'no date')[:10]}"
    how = (f"{medians(subject.here, 'with bars of')}; "
           "filled: at most 1 ULP wrong; line: the Pareto front")
    lines = [(20, 15, "ink", title), (ABOVE + HEIGHT + 32, 12, "soft", how),
             (ABOVE + HEIGHT + 14, 12, "soft", f"{where}; one core; output at {subject.offset} modulo 64, {pages(subject.rows)}")]
    texts = "\n".join(f'<text x="10" y="{y}" font-size="{size}" fill="var(--{colour})" font-family="var(--sans)">'
                      f"{markupsafe.escape(text)}</text>" for y, size, colour, text in lines)
    whole = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{ABOVE + HEIGHT + BELOW}" '
             f'viewBox="0 0 {WIDTH} {ABOVE + HEIGHT + BELOW}">\n<rect width="100%" height="100%" fill="var(--paper)"/>\n{texts}\n'
             f'{svg.replace("<svg ", f"""<svg y="{ABOVE}" width="{WIDTH}" height="{HEIGHT}" """, 1)}\n</svg>\n')
    return re.sub(r"var\(--(\w+)\)", lambda m: light()[m[1]], whole)


def light():
    """The variables of style.css as they are by day, on white, without the fonts' quotes, which stand in quotes here."""
    day = (HERE / "style.css").read_text(encoding="utf-8").split("}")[0]
    return {name: value.replace('"', "'") for name, value in re.findall(r"--(\w+): ([^;]+);", day)} | {"paper": "#ffffff"}


def table(subject):
    return f"{subject.size[0]} x {subject.size[1]}, float32"


def words(subject):
    """The same in words, for who does not see it: in Markdown's brackets."""
    text = f"Largest error against speed, {table(subject)}, {subject.reach()}: {choice.answer(subject)}"
    recipes = [n for n in subject.judged() if n in subject.here and subject.accuracy[n].arithmetic == "float32 libm"]
    if recipes:
        name, _ = pick(recipes, subject.here, subject.order)
        text += f" A framework's float32 arithmetic ({name}): {subject.here[name].gb_s:.2f} GB/s, {number(subject.error(name))}."
    return re.sub(r"([\\\[\]])", r"\\\1", " ".join(text.split()))
