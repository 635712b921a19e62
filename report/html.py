"""The HTML pages, and the figures of the report as CSV."""
import csv
import io

import jinja2
import markupsafe

from . import checks
from .load import TOP
from .sections import sections
from .stats import best_limit
from .words import plural

OF_ENTRY = "isa arithmetic supported verified failure".split()
OF_RANGE = "shape d_model base preset dtype from to rows outputs".split()
OF_RANGE += "max_abs ulp_p50 ulp_p99 ulp_max correctly_rounded bound_ok".split()
OF_CASE = "kind name n d offset repetitions rows ns_per_element ns_half_iqr gb_per_s share_of_limit ranked".split()


def page(template, **values):
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TOP / "report/templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    style = markupsafe.Markup((TOP / "report/templates/style.css").read_text(encoding="utf-8"))
    return env.get_template(template).render({"style": style, "warnings": []} | values)


def report(run, files):
    """The page's text; files: [(name, what it is)] that lie beside it."""
    cpu = run.machine.get("cpu") or run.context.get("cpu") or "an unknown processor"
    if run.emulated:
        cpu = f"emulated {run.machine.get('architecture') or run.context.get('architecture') or 'processor'}, on {cpu}"
    when = (run.context.get("date") or run.verify.get("date") or "")[:10]
    return page(
        "report.html",
        title="Accuracy and speed of posenc" if run.bench else "Accuracy of posenc",
        cpu=cpu,
        when=when,
        compiler=run.context.get("compiler") or run.machine.get("compiler") or "",
        version=run.verify.get("version", ""),
        warnings=checks.of_run(run),
        sections=list(sections(run)),
        files=files,
        speeds=bool(run.bench),
        judged=f"{plural(len(run.judged()), 'implementation')} judged, {run.whole_reach()}",
    )


def text_of(head, rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()


def plain(value):
    """Text that a spreadsheet would take for a formula gets a quote."""
    if value is None:
        return ""
    if isinstance(value, str) and value[:1] in "=+-@":
        return "'" + value
    return str(value).lower() if isinstance(value, bool) else value


def accuracy(run):
    """One line for each implementation and range; one for each implementation without."""
    edges, rows = run.verify.get("ulp_band_edges") or [], []
    bands = [f"ulp_to_{e:g}" for e in edges] + [f"ulp_above_{e:g}" for e in edges[-1:]]
    for name, e in run.entries.items():
        for r in e.get("ranges") or [{}]:
            cells = [e.get(key) for key in OF_ENTRY] + [r.get(key) for key in OF_RANGE]
            rows.append([name, *map(plain, cells), *(r.get("ulp_bands") or [""] * len(bands))])
    return text_of(["implementation", *OF_ENTRY, *OF_RANGE, *bands], rows)


def speed(run):
    """One line for each case and offset of the output: what was verified, and the limits."""
    rows, ranked = [], "no, emulated" if run.emulated else "yes" if run.ranked else "no"
    for offset, at in run.verified.items():
        for (kind, name, n, d), row in sorted(at.items()):
            limit = best_limit(at, (n, d))[1] if kind == "fill" else None
            half = "" if row.spread is None else row.ns * row.spread / 2
            share = row.share_of(limit)[0] if limit else ""
            rows.append(
                [kind, plain(name), n, d, offset, len(row.values), row.rows, row.ns, half, row.gb_s, share, ranked]
            )
    return text_of(OF_CASE, rows)
