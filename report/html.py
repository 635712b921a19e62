"""Renders the report, and comparisons, as one HTML page."""
import jinja2
from markupsafe import Markup

from . import answer, checks, plots, sections
from .load import TOP
from .processors import processor
from .tables import RECIPE, Section
from .words import number


def page(title, **values):
    templates = TOP / "report/templates"
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(templates), autoescape=True, trim_blocks=True)
    style = Markup((templates / "style.css").read_text(encoding="utf-8"))
    return env.get_template("page.html").render(values, title=title, style=style, drawn_by=Markup(plots.drawn_by()))


def figures(run):
    """[(picture, its heading, its caption)]"""
    at = f"the output starts {run.context.get('offset', 16)} bytes after a multiple of 64"
    said = f"Each family by its fastest version; {at}. Dotted: the limit, a loop that only stores."
    errors = plots.errors(run), "Largest error by position", "A step is the largest error in a range of positions."
    speeds = plots.speeds(run), "Speed by size of the table", said
    return [(plots.svg(heading, draw), heading, caption) for draw, heading, caption in (errors, speeds) if draw]


def wrong(run):
    """How wrong the recipe is that most people copy: in the table, and far from the start."""
    spans = [run.compared, *([s] for s in run.spans if s[0] <= 100000 < s[1])]
    errors = [f"by up to {number(run.error(RECIPE, s))} {run.reach(s)}" for s in spans if run.error(RECIPE, s)]
    return f"The PyTorch tutorial's recipe, {RECIPE}, is wrong {', and '.join(errors)}." if errors else ""


def report(run, files=(), commits=None):
    """files: names of the data beside the page; commits: {"verify" and "bench": the commit that was run}"""
    (said, shown), drawn = answer.cards(run), figures(run)
    pictures = [Section("Error and speed", figures=drawn)] * bool(drawn)
    title, warnings = f"posenc on {processor(run.context or run.machine)}", list(checks.of_run(run))
    found = [*sections.opened(run), *pictures, *sections.folded(run, commits or {})]
    return page(title, lead=[said, wrong(run)], warnings=warnings, cards=shown, sections=found, files=files)
