"""Renders the report, and comparisons, as one HTML page."""
import jinja2
import markupsafe

from . import answer, checks, plots, sections, tables
from .load import TOP
from .processors import processor


def page(title, **values):
    templates = TOP / "report/templates"
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(templates), autoescape=True, trim_blocks=True)
    style = markupsafe.Markup((templates / "style.css").read_text(encoding="utf-8"))
    drawn_by = markupsafe.Markup(plots.drawn_by())
    return env.get_template("page.html").render(values, title=title, style=style, drawn_by=drawn_by)


def report(run, files=(), commit=None):
    """files: names of the data beside the page."""
    shown, pick = list(sections.sections(run)), run.pick()
    for section in shown:
        draw = plots.errors(run) if section.picture == "errors" else None
        section.picture = draw and plots.svg("Largest error by position", draw, height=300)
    error = [("Error", answer.error(run, pick))] if pick else []
    others = [("Except" if i == 0 else "", text) for i, text in enumerate(answer.other_cases(run, None))]
    return page(
        f"posenc on {processor(run.context or run.machine)}",
        warnings=list(checks.of_run(run)),
        verdict=[*answer.verdict(run), *error, *others],
        facts=sections.facts(run, commit),
        scatter=plots.svg("Speed against largest error", lambda f: plots.scatter(f, run)) if run.ranked else None,
        legend=tables.legend(run) if run.ranked else None,
        left_out=tables.left_out(run),
        sections=shown,
        files=files,
    )
