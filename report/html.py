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
    said = f"Each family by its fastest version; {at}. Dotted: the limit."
    errors = plots.errors(run), "Largest error by position", "A step is the largest error in a range of positions."
    speeds = plots.speeds(run), "Speed by size of the table", said
    return [(plots.svg(heading, draw), heading, caption) for draw, heading, caption in (errors, speeds) if draw]


def wrong(run):
    """How wrong the recipe is that most people copy, far from the start."""
    span = next((s for s in run.spans if s[0] <= 100000 < s[1] and run.error(RECIPE, [s])), None)
    error = span and f"{number(run.error(RECIPE, [span]))} at positions {span[0]:,} to {span[1] - 1:,}"
    return f"{RECIPE}, the PyTorch tutorial's recipe, is wrong by up to {error}." if span else ""


def report(run, files=(), commits=None):
    """files: names of the data beside the page; commits: {"verify" and "bench": the commit that was run}"""
    (said, shown), drawn = answer.cards(run), figures(run)
    pictures = [Section("Error and speed", wrong(run), figures=drawn)] * bool(drawn)
    title, warnings = f"posenc on {processor(run.context or run.machine)}", list(checks.of_run(run))
    found = [*sections.opened(run), *pictures, *sections.folded(run, commits or {})]
    return page(title, lead=[said], warnings=warnings, cards=shown, sections=found, files=files)
