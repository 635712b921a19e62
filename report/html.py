"""Renders the report, and comparisons, as one HTML page."""
import jinja2
import markupsafe

from . import answer, checks, plots, sections
from .load import TOP
from .processors import processor
from .tables import RECIPE, Section
from .words import number


def page(title, **values):
    templates = TOP / "report/templates"
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(templates), autoescape=True, trim_blocks=True)
    style = markupsafe.Markup((templates / "style.css").read_text(encoding="utf-8"))
    drawn_by = markupsafe.Markup(plots.drawn_by())
    return env.get_template("page.html").render(values, title=title, style=style, drawn_by=drawn_by)


def figures(run):
    """[(picture, its heading, its caption)]"""
    at = f"the output starts {run.context.get('offset', 16)} bytes after a multiple of 64"
    versions = f"Each family by its fastest version; {at}. Dotted: the limit."
    captions = "A step is the largest error in a range of positions.", versions
    headings = ("Largest error by position", "Speed by size of the table")
    found = zip((plots.errors(run), plots.speeds(run)), headings, captions)
    return [(plots.svg(heading, draw), heading, text) for draw, heading, text in found if draw]


def wrong(run):
    """How wrong the recipe is that most people copy, far from the start."""
    for span in (s for s in run.spans if s[0] <= 100000 < s[1] and run.error(RECIPE, [s])):
        error = f"{number(run.error(RECIPE, [span]))} near position 100,000 ({span[0]} to {span[1] - 1})"
        return f"{RECIPE}, the PyTorch tutorial's recipe, is wrong by up to {error}."
    return ""


def report(run, files=(), commits=None):
    """files: names of the data beside the page; commits: {"verify" and "bench": the commit that was run}"""
    (said, shown), drawn = answer.cards(run), figures(run)
    pictures = [Section("Error and speed", wrong(run), figures=drawn)] * bool(drawn)
    return page(
        f"posenc on {processor(run.context or run.machine)}",
        lead=[said],
        warnings=list(checks.of_run(run)),
        cards=shown,
        sections=[*sections.opened(run), *pictures, *sections.folded(run, commits or {})],
        files=files,
    )
