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

OF_RANGE = [
    "shape",
    "d_model",
    "base",
    "preset",
    "dtype",
    "from",
    "to",
    "rows",
    "outputs",
    "max_abs",
    "ulp_p50",
    "ulp_p99",
    "ulp_max",
    "correctly_rounded",
    "bound_ok",
]


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
    edges = run.verify.get("ulp_band_edges") or []
    of_entry = ["isa", "arithmetic", "supported", "verified", "failure"]
    head = ["implementation", *of_entry, *OF_RANGE, *(f"ulp_to_{e:g}" for e in edges)] + [
        f"ulp_above_{e:g}" for e in edges[-1:]
    ]
    rows = [
        [
            name,
            *(plain(e.get(key)) for key in of_entry),
            *(plain(r.get(key)) for key in OF_RANGE),
            *(r.get("ulp_bands") or []),
        ]
        for name, e in run.entries.items()
        for r in e.get("ranges") or [{}]
    ]
    return text_of(head, [row + [""] * (len(head) - len(row)) for row in rows])


def speed(run):
    """One line for each case and offset of the output: what was verified, and the limits."""
    head = [
        "kind",
        "name",
        "n",
        "d",
        "offset",
        "repetitions",
        "rows",
        "ns_per_element",
        "ns_half_iqr",
        "gb_per_s",
        "share_of_limit",
        "ranked",
    ]
    rows = []
    for offset, at in run.verified.items():
        for (kind, name, n, d), row in sorted(at.items()):
            limit = best_limit(at, (n, d))[1] if kind == "fill" else None
            rows.append(
                [
                    kind,
                    plain(name),
                    n,
                    d,
                    offset,
                    len(row.values),
                    row.rows,
                    row.ns,
                    "" if row.spread is None else row.ns * row.spread / 2,
                    row.gb_s,
                    row.share_of(limit)[0] if limit else "",
                    "no, emulated" if run.emulated else "yes" if run.ranked else "no",
                ]
            )
    return text_of(head, rows)
