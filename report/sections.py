"""The six sections of the report, for the page and for the text of ./scripts/bench --verbose, which has no pictures and
runs without Matplotlib."""
from . import checks, peers_tables, tables
from .processors import caches, processor
from .stats import pages, quartiles
from .tables import Section, Table
from .words import listed, number, plural, share, span, when

HOW = (
    "Errors: MPFR computes each output to so many digits that its rounding is certain. |error| is the distance to the "
    "real value. A ULP is the spacing of the format's numbers at that value, so a correctly rounded output is wrong by "
    "at most 0.5 ULP. Every implementation states a bound for its error and is held to it.",
    "Speeds: one thread and CPU time, unless another clock or number of threads is named. A figure is the median of "
    "its repetitions, which scripts/bench runs in random order. After ± stands half the interquartile range. For a "
    "ratio, the relative ranges of both figures are combined: the root of the sum of their squares. The limit is the "
    "better median of plain and of non-temporal stores to the same memory in the same run. GB/s count the bytes of the "
    "table (10⁹ of them). Which implementation is faster, and the picks, follow from the ratios of their times, "
    "repetition by repetition.",
)


def families(run, names):
    return listed(dict.fromkeys(run.families[n] for n in names))


def accuracy(run):
    worst, said = {n: run.error(n, run.spans) for n in run.judged()}, []
    for small in (True, False):
        names = [n for n, e in worst.items() if e is not None and (e <= 1e-6) == small]
        how = "stay within" if small else "are wrong by up to"
        said += [f"{families(run, names)} {how} {number(max(worst[n] for n in names))}"] if names else []
    correct = {n: run.correct(n) for n in run.judged()}
    every = [n for n, (right, of) in correct.items() if right == of]
    notes = [f"Every compared output of {families(run, every)} is correctly rounded, {run.reach()}."] if every else []
    if len(every) < len(correct):
        least = min(correct, key=lambda n: correct[n][0] / correct[n][1])
        notes.append(f"{least} has the smallest share of correctly rounded outputs: {share(*correct[least])}.")
    finding = f"{'; '.join(said)}, {run.reach(run.spans)}." if said else "No errors were judged."
    return Section("Accuracy", finding, [tables.accuracy(run)], notes, picture="errors")


def counted(found):
    """How often each name is picked: `use` is the second column of tables.picks()."""
    names = [row[1] for row in found.rows]
    counts = sorted(((names.count(n), n) for n in dict.fromkeys(names)), reverse=True)
    said = listed(f"{n} in {count}" for count, n in counts)
    return f"Of {plural(len(names), 'case')}, the pick is {said}." if names else "Nothing is picked."


def of_speeds(run):
    found = tables.picks(run, tables.table_works(run))
    yield Section("Tables of other sizes", counted(found), [found, tables.matrix(run)])
    if tables.widths(run):
        noisy = [said for said in checks.of_bench(run.bench, run.rows) if "noisy" in said]
        said = ["The machine was too noisy to compare widths."] if noisy else tables.cliffs(run)
        yield Section("Tables of other widths", said[0], [tables.by_width(run)], said[1:])
    works = tables.other_works(run)
    if works:
        found = tables.picks(run, works)
        rest = [tables.speeds(run, work) for work in works]
        yield Section("Single rows, other dtypes", counted(found), [found], more=rest)


def sections(run):
    yield accuracy(run)
    yield from of_speeds(run) if run.bench else ()
    if run.peers:
        yield peers_tables.section(run.peers)
    counts = span([len(row.values) for row in run.rows.values()] or [0])
    found = "Errors are judged against MPFR" + f"; speeds are medians of {counts} repetitions" * bool(run.rows) + "."
    yield Section("How it was measured", found, [conditions(run)], list(HOW if run.bench else HOW[:1]))


def facts(run, commit=None):
    """[(what, value)] of the processor and the run, for the top of the page."""
    m = run.machine | run.context
    found = {"processor": processor(m), "caches": caches(m), "compiler": m.get("compiler")}
    found |= {"posenc": run.verify.get("version"), "commit": commit}
    found |= {"verified": when(run.verify.get("date")), "measured": when(run.context.get("date"))}
    return [(what, str(value)) for what, value in found.items() if value not in (None, "")]


def conditions(run):
    c, v, times = run.context, run.verify, checks.clock(run.bench or {})
    found = {key.replace("_", " "): run.machine.get(key) or c.get(key) for key in ("cpu", "architecture", "build_type")}
    found |= {"emulated": "yes" if run.emulated else "no", "flags": c.get("c_flags"), "SLEEF": c.get("sleef")}
    found |= {"seed": v.get("seed")}
    if run.bench:
        found |= {"CPUs": c.get("num_cpus"), "pages": pages(run.rows), "huge pages": c.get("transparent_huge_pages")}
        found |= {"output at": f"{c.get('offset', '16')} modulo 64"}
        found |= {"frequency scaling": {True: "enabled", False: "not enabled"}.get(c.get("cpu_scaling_enabled"))}
        found |= {"load average": ", ".join(f"{x:.2f}" for x in c.get("load_avg") or [])}
    if times:
        low, high = quartiles(times)
        found["clock"] = f"a fixed chain of operations took {low:.4g} to {high:.4g} ns (quartiles)"
    rows = [[what, str(value)] for what, value in found.items() if value not in (None, "")]
    return Table("Conditions", ["what", "value"], rows, text=(1,))
