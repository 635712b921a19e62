"""The sections of the report, for the page and for the text of ./scripts/bench --verbose, which has no pictures and runs
without Matplotlib."""
from . import peers_tables, tables
from .processors import caches, processor
from .stats import pages
from .tables import Section, Table
from .words import medians, when

HOW = (
    "Errors: MPFR computes each value to so many digits that its rounding is certain. An error is the distance to the "
    "true value. A ULP is the spacing of the format's numbers at that value, so a correctly rounded value is wrong by "
    "at most 0.5 ULP. Every implementation states a bound for its error and is held to it.",
    "Speeds: one thread and CPU time, unless another clock or number of threads is named. Each is the median of its "
    "repetitions, which scripts/bench runs in random order. 1 GB is 10⁹ bytes of the table. Slow implementations write "
    "only a part of a large table, spread over it. The limit is the faster of two loops that only store, plain or "
    "non-temporal, to the same memory in the same run.",
    "± after a value is half its interquartile range: the middle half of the repetitions lies about so close to it.",
    '"54 % faster (at least 42 %)": 54 % is the median of the ratios of the two times, repetition by repetition. 42 % is '
    "the nearer end of the 95 % interval of this median, or 53 % if that end is higher. In "
    '"20 % faster, or up to 10 % slower", that end is below 0.',
)


def machine(run, commits):
    """A line on what ran where, of which version, and when."""
    m, date = run.machine | run.context, run.context.get("date") or run.verify.get("date")
    known = {commit: "errors: " if name == "verify" else "speeds: " for name, commit in commits.items() if commit}
    found = [f"{of * (len(known) > 1)}commit {commit}" for commit, of in known.items()]
    found = [processor(m).partition(",")[0], m.get("compiler"), *found, date and f"run of {date[:10]}"]
    return " · ".join(filter(None, found))


def conditions(run, commits):
    c, m, v = run.context, run.machine | run.context, run.verify
    found = {"processor": processor(m), "architecture": m.get("architecture"), "CPUs": c.get("num_cpus")}
    found |= {"caches": caches(m), "emulated": "yes" if run.emulated else "no", "compiler": m.get("compiler")}
    found |= {"build type": m.get("build_type"), "flags": c.get("c_flags")}
    found |= {"posenc": v.get("version"), "SLEEF": c.get("sleef"), "seed": v.get("seed")}
    for what, name, date in (("verified", "verify", v.get("date")), ("measured", "bench", c.get("date"))):
        found[what] = ", ".join(filter(None, [when(date), commits.get(name) and f"commit {commits[name]}"]))
    if run.bench:
        found |= {"memory of the output": pages(run.rows), "huge pages (setting)": c.get("transparent_huge_pages")}
        found |= {"output starts": f"{c.get('offset', '16')} bytes after a multiple of 64"}
        found |= {"load average": ", ".join(f"{x:.2f}" for x in c.get("load_avg") or [])}
    rows = [[what, str(value)] for what, value in found.items() if value not in (None, "")]
    return Table("Conditions of the run", ["what", "value"], rows, text=(1,))


def opened(run):
    """What a reader is shown at once."""
    works, found = tables.works(run), list(tables.implementations(run))
    yield from [Section("What to use for which work", tables=[works])] * bool(works.rows)
    said = f"Errors: the largest {' and '.join(map(run.reach, tables.reached(run)))}, for {run.judged_table()}."
    said += f" Speeds of {run.measured_table()}: {medians(run.timed)}." * run.ranked
    yield from [Section("Implementations", said, found)] * bool(found)


def folded(run, commits):
    speeds = [tables.speeds(run, work) for work in tables.works_of(run)]
    folds = {"All errors": [tables.accuracy(run)], "All speeds": speeds}
    folds |= tables.apart((tables.by_width(run), tables.left_out(run)))
    folds |= peers_tables.folds(run.peers) if run.peers else {}
    yield Section("All figures", folds={line: found for line, found in folds.items() if found and found[0].rows})
    folds = {machine(run, commits): [conditions(run, commits)]}
    yield Section("How it was measured", notes=list(HOW if run.bench else HOW[:1]), folds=folds)


def sections(run):
    return [*opened(run), *folded(run, {})]
