"""The tables of a run: what to use for each work, errors, speeds, and what has no figures."""
import math

from . import decisions, document
from .case_names import case_name
from .document import Table
from .formats import at_positions, listed, number, position, share, three, times_as_fast, ulps
from .speeds import STORES

RECIPE = "explog"  # the framework's recipe that most people copy, as a loop in C
NEAREST = "For a size that is not listed, take the answer of the nearest one."
VALUE = "ns/value"


def named(name):
    """An implementation, with where the recipe comes from."""
    return f"{name} (PyTorch tutorial)" if name == RECIPE else name


def cell(value, spread, digits):
    """spread: the relative interquartile range, or None"""
    return f"{value:.{digits}f}", "" if spread is None else f"{value * spread / 2:.{digits}f}"


def speed(result):
    return cell(result.gb_s, result.spread, 2 if result.gb_s >= 0.1 else 4) if result else "-"


def of_limit(result, limit):
    """A speed as a share of the limit's."""
    share = limit.ns / result.ns
    return f"{100 * share:.1f} %" if share < 1 else "as fast"


def limit_text(limit):
    kind = "plain" if limit.case.call == "store" else "non-temporal"
    return f"limit: {limit.gb_s:.1f} GB/s, {kind} stores of {limit.case.who[2:]} bytes"


def works(run):
    """What to use for each work, beside the fastest of another family."""
    rows = []
    for work in (work for work in works_of(run) if work.offset is None and work in run.picks):
        pick = run.picks[work]
        rivals = [name for name in pick.against if run.families[name] != run.families[pick.name]]
        if rivals:
            rival = min(rivals, key=lambda name: pick.against[name].ratio)
            c = decisions.compare(*(run.results[work.by(name)].times for name in (pick.name, rival)))
            use, beside = run.accuracy.request(pick.name), run.accuracy.request(rival)
            rows.append([case_name(work), use, times_as_fast(c, f"as fast as {beside}")])
    title = f"Within {run.budget.ulp:g} ULP at the positions of the work, on this machine"
    return Table(title, ["work", "use", "how fast"], rows, NEAREST, (1, 2))


def wrong_values(run, names):
    """How many values of each family, or of its members where they differ, are not correctly rounded: what an
    implementation other than exact may give up."""
    by_count = {}
    for name in names:
        by_count.setdefault((run.families[name], *run.accuracy.correctly_rounded(name, run.ranges)), []).append(name)
    families, counts = [family for family, *_ in by_count], []
    for (family, right, of), members in by_count.items():
        who = family if families.count(family) == 1 else listed(members)
        guaranteed = " (guaranteed)" if family == "exact" else ""
        counts.append(f"{who} {of - right:,} of {of:,}{guaranteed}")
    return f"Values that are not correctly rounded: {', '.join(counts)}"


def judged_table(run):
    return ", ".join([f"{run.accuracy.table['d_model']} columns", *run.accuracy.differences()])


def error_cells(run, names, ranges):
    return [number(run.accuracy.largest_error(name, ranges)) for name in names]


def ulps_to(run, names, ranges):
    """A column."""
    return f"ULP to {position(ranges[-1].end)}", [ulps(run.accuracy.largest_ulp(name, ranges)) for name in names]


def implementations(run):
    """A table for each class of accuracy, fastest first, with bars for the speeds."""
    within = f"Within {run.budget.ulp:g} ULP {at_positions(run.ranges)}"
    ran, classes, pick = run.timed if run.ranked else {}, {within: []}, run.picks.get(run.table)
    for name in sorted(run.judged, key=lambda name: ran[name].ns if name in ran else math.inf):
        if run.accuracy.largest_ulp(name, run.ranges) <= run.budget.ulp:
            title = within
        elif run.entries[name]["arithmetic"].startswith("float32"):
            title = "Float32 angles: the error grows with the position"
        else:
            title = "Others"
        classes.setdefault(title, []).append(name)
    top = max((result.gb_s for result in ran.values()), default=1)
    for title, names in ((title, names) for title, names in classes.items() if names):
        columns = [("implementation", map(named, names))]
        columns += [(f"error to {position(r[-1].end)}", error_cells(run, names, r)) for r in run.shown_ranges]
        columns += [ulps_to(run, names, run.shown_ranges[-1])]
        columns += [(VALUE, [three(ran[name].ns) if name in ran else "-" for name in names])]
        columns += [("GB/s", [speed(ran.get(name)) for name in names])]
        bars = [ran[name].gb_s / top if name in ran else 0 for name in names]
        note = wrong_values(run, names) if title == within else ""
        yield document.of_columns(title, columns, note=note, bold=(pick.name,) if pick else (), bars=bars)


def left_out(run):
    reasons, lacking = run.left_out(), run.accuracy.lacking
    title = f"Not run here: {len(reasons)}"
    if {*reasons} <= {*lacking}:
        title += f", for want of {listed(dict.fromkeys(lacking.values()))}"
    return Table(title, ["what", "why"], [list(item) for item in reasons.items()], text=(1,))


def error_table(run):
    """The largest error up to the end of each range."""
    names, all_ranges = run.judged, run.accuracy.ranges
    columns = [("implementation", names)]
    for i, range_ in enumerate(all_ranges):
        columns.append((f"to {position(range_.end)}", error_cells(run, names, all_ranges[: i + 1])))
    rounded = [share(*run.accuracy.correctly_rounded(name, run.ranges)) for name in names]
    columns += [(f"correctly rounded, to {position(run.ranges[-1].end)}", rounded)]
    columns += [ulps_to(run, names, ranges) for ranges in run.shown_ranges]
    bounds = (run.entries[name]["bound"] for name in names)
    columns += [("stated bound", [f"{bound['law']} ({bound['evidence']})" for bound in bounds])]
    title = f"Largest error up to each position, {judged_table(run)}"
    return document.of_columns(title, columns, text=(len(columns) - 1,))


def speed_table(run, work):
    """One work, fastest first."""
    results = sorted((r for case, r in run.results.items() if case.work == work), key=lambda result: result.ns)
    limit, recipe = run.speeds.limit(work), run.results.get(work.by(RECIPE))
    units = {"plan": ("us", 1e-3, 2), "fresh": ("ms", work.n * work.d * 1e-6, 1), "row": ("ns/row", work.d, 1)}
    columns = [("implementation", [result.case.who for result in results])]
    if work.call in units:
        unit, scale, digits = units[work.call]
        columns.append((unit, [cell(result.ns * scale, result.spread, digits) for result in results]))
    else:
        columns += [(VALUE, [three(result.ns) for result in results]), ("GB/s", map(speed, results))]
    if limit:
        columns.append(("of limit", [of_limit(result, limit) for result in results]))
    if recipe:
        columns.append((f"times {RECIPE}", [three(recipe.ns / result.ns) for result in results]))
    return document.of_columns(case_name(work), columns, note=limit_text(limit) if limit else "")


def works_of(run):
    """All works but limits: float32 tables first; small ones first."""

    def by_kind_and_size(work):
        kind = not work.is_table, work.call, work.offset is not None, work.kind, work.dtype
        return *kind, work.end or 0, work.n * work.d, work.d

    others = "convert", *STORES  # recorded runs may have conversions, which posenc-bench no longer measures
    return sorted({case.work for case in run.results if case.call not in others}, key=by_kind_and_size)
