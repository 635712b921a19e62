"""Renders sections as one HTML page, and the figures of the report as CSV."""
import csv
import io

import jinja2
import markupsafe

from .load import TOP
from .stats import limit_of

OF_ENTRY = "isa arithmetic supported verified failure".split()
OF_RANGE = "shape d_model base preset dtype from to rows outputs".split()
OF_RANGE += "max_abs ulp_p50 ulp_p99 ulp_max correctly_rounded bound_ok".split()
OF_CASE = "kind name n d repetitions rows ns_per_element ns_half_iqr gb_per_s share_of_limit ranked".split()


def page(title, lead, warnings, sections, files):
    """lead: sentences; files: names of what lies beside the page."""
    templates = TOP / "report/templates"
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates), autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    style = markupsafe.Markup((templates / "style.css").read_text(encoding="utf-8"))
    values = {"title": title, "lead": lead, "warnings": warnings, "sections": sections, "files": files}
    return env.get_template("page.html").render(values, style=style)


def text_of(head, rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()


def accuracy(run):
    """One line for each implementation and range; one for each implementation without."""
    edges, rows = run.verify.get("ulp_band_edges") or [], []
    bands = [f"ulp_to_{e:g}" for e in edges] + [f"ulp_above_{e:g}" for e in edges[-1:]]
    for name, e in run.entries.items():
        for r in e.get("ranges") or [{}]:
            cells = [e.get(key) for key in OF_ENTRY] + [r.get(key) for key in OF_RANGE]
            rows.append([name, *cells, *(r.get("ulp_bands") or [""] * len(bands))])
    return text_of(["implementation", *OF_ENTRY, *OF_RANGE, *bands], rows)


def speed(run):
    """One line for each case: what was verified, and the limits."""
    rows, ranked = [], "no, emulated" if run.emulated else "yes" if run.ranked else "no"
    for key, row in sorted(run.verified.items()):
        limit, half = limit_of(run.verified, key), "" if row.spread is None else row.ns * row.spread / 2
        share = row.share_of(limit)[0] if limit else ""
        rows.append([*key, len(row.values), row.rows, row.ns, half, row.gb_s, share, ranked])
    return text_of(OF_CASE, rows)
