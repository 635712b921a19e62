"""The sections of the report, for the HTML page and the text of ./scripts/bench, which has no pictures and runs without
Matplotlib."""
import dataclasses

from . import checks, headlines, peers_tables, tables
from .picks import said
from .stats import pages, quartiles
from .tables import Section, Table
from .words import caches_text, repetitions, when

EMULATED = "Emulated: these times say nothing about a real machine, and are not ranked."
HOW = (
    "Errors: each output is compared with a value computed to more digits than can matter (MPFR, precision raised "
    "until the rounding is certain, unless another reference is named below). |error| is the distance to the real "
    "value, not to its nearest number; a ULP is the spacing of the format's numbers at that value, so that correct "
    "rounding is an error of at most 0.5 ULP. Every implementation states a bound for its error and is held to it.",
    "Speeds: one thread, CPU time where nothing else is said. A figure is the median of its repetitions, which are "
    "taken in random order when scripts/bench runs them; after ± stands half the interquartile range, for a ratio the"
    " root of the sum of squares of both relative ones. The limit is the best median of plain and of non-temporal "
    "stores to the same memory in the same run, for sums a plain loop over the same arrays; GB/s count the bytes of "
    "the table (10⁹ of them). Who is faster, and the picks, are said by posenc-bench.",
)


def choice(run, picture=None):
    pick = run.pick()
    chosen = f"{pick.budget}: {said(run, pick)}" if pick else f"None is picked: {run.unpicked()}."
    heading = f"Which implementation to use ({run.reach()}, {run.table_name()})"
    found = [tables.final(run, [pick.name] if pick else []), *tables.left_aside(run)]
    return Section(heading, [chosen], found, picture)


def of_speeds(run, picture=None, by_width=None):
    notes = [EMULATED] if run.emulated else []
    if run.bench:
        found = [tables.matrix(run), *tables.levels(run)]
        yield Section("Speed by table size", notes, found, picture)
        if tables.widths(run):
            yield Section("Speed by width", notes or tables.cliffs(run), [tables.by_width(run)], by_width)
        yield Section("Single rows, plans and fresh memory", notes, list(tables.single(run)))
        yield Section("Random positions, other dtypes, sums and conventions", notes, list(tables.others(run)))


def sections(run):
    """Of the page."""
    from . import plots

    found, notes, code = headlines.choice(run)
    said = {"heading": "Which implementation to use", "finding": found, "notes": notes, "code": code}
    yield dataclasses.replace(choice(run, plots.choice(run) if run.ranked else None), **said)
    yield Section("Errors by position", [], [tables.curves(run)], plots.growth(run), headlines.error_growth(run))
    maps = plots.maps(run)
    if maps:
        found = headlines.error_places(run, maps)
        yield Section("Errors by position and column", picture=plots.where(run), finding=found)
    shares = [tables.distribution(run)]
    yield Section("Errors in units in the last place", [], shares, plots.ulps(run), headlines.correctly_rounded(run))
    pictures = (plots.speed(run), plots.by_width(run)) if run.bench and not run.emulated else ()
    for section in of_speeds(run, *pictures):
        found, notes = ("", section.notes) if run.emulated else headlines.OF_SPEEDS[section.heading](run)
        yield dataclasses.replace(section, finding=found, notes=notes)
    if run.peers:
        yield peers_tables.section(run.peers)
    yield Section("How it was measured", list(HOW if run.bench else HOW[:1]), [conditions(run)])


def conditions(run):
    c, v, times = run.context, run.verify, checks.clock(run.bench or {})
    found = {
        key.replace("_", " "): run.machine.get(key) or c.get(key)
        for key in ("cpu", "architecture", "compiler", "build_type")
    }
    found |= {"emulated": "yes" if run.emulated else "no", "flags": c.get("c_flags"), "SLEEF": c.get("sleef")}
    found |= {"posenc": v.get("version") or c.get("posenc"), "verified": when(v.get("date"))}
    found |= {"reference": v.get("reference"), "seed": v.get("seed")}
    if run.bench:
        found |= {
            "measured": when(c.get("date")),
            "processors": c.get("num_cpus"),
            "data caches": caches_text(c.get("caches")),
        }
        found |= {"pages": pages(run.rows), "transparent huge pages": c.get("transparent_huge_pages")}
        found |= {"output at": f"{c.get('offset', '16')} modulo 64", "figures": f"medians of {repetitions(run.rows)}"}
        found |= {"frequency scaling": {True: "enabled", False: "not enabled"}.get(c.get("cpu_scaling_enabled"))}
        found |= {"load average": ", ".join(f"{x:.2f}" for x in c.get("load_avg") or [])}
    if times:
        low, high = quartiles(times)
        found["clock"] = f"a fixed chain of operations took {low:.4g} to {high:.4g} ns (quartiles)"
    rows = [[what, str(value)] for what, value in found.items() if value not in (None, "")]
    return Table("Conditions", ["what", "value"], rows, text=(1,))
