"""The report of ./scripts/report: the answer and the sections of a run, as one page or as text."""
import pathlib

from . import answer, as_csv, checks, document, peers, tables
from .document import Section, Table
from .formats import at_positions, number
from .load import BENCH, PEERS, TOP, VERIFY, fail, load, write
from .processors import caches, processor, short_name
from .run import Run
from .speeds import Speeds

HOW = (
    "Errors: MPFR computes each value to so many digits that its rounding is certain. An error is the distance to the "
    "true value. A ULP is the spacing of the format's numbers at that value, so a correctly rounded value is wrong by "
    "at most 0.5 ULP. Every implementation states a bound for its error and is held to it.",
    "Speeds: one thread and CPU time, unless another clock is named. Each is the median of nine turns. In a turn the "
    "implementations of one work are measured side by side, in an order drawn anew. 1 GB is 10⁹ bytes of the table. Slow "
    "implementations write only a part of a large table, spread over it. The limit is the faster of two loops that only "
    "store, plain or non-temporal, to the same memory in the same run. Uncached memory: each pass writes to memory that is in no "
    "cache, as a table that is made once; the kernel's work for fresh pages is not included.",
    "± after a value is half its interquartile range: the middle half of the turns lies about so close to it.",
    '"1.54 times as fast (at least 1.42)": 1.54 is the median of the ratios of the two times, turn by turn. 1.42 is the '
    'nearer end of the 95 % interval of this median, or 1.53 if that end is higher. "This run cannot tell": the interval '
    "contains 1, or the ratio is less than 1.01; the numbers after it are the ends of the interval.",
)


TOOLS = {"verify": [VERIFY], "bench": [BENCH], "peers": [BENCH, PEERS]}  # peers: or only those in Python ran


def machine(run, commits):
    """A line on what ran where, of which version, and when."""
    date = run.speeds.context.get("date") or run.accuracy.report["date"]
    known = {commit: "errors" if name == "verify" else "speeds" for name, commit in commits.items() if commit}
    parts = [f"{of}: commit {commit}" if len(known) > 1 else f"commit {commit}" for commit, of in known.items()]
    parts = [short_name(run.machine), run.machine.get("compiler"), *parts, f"run of {date[:10]}"]
    return " · ".join(filter(None, parts))


def conditions(run):
    c, m, v = run.speeds.context, run.machine, run.accuracy.report
    conditions = {"processor": processor(m), "architecture": m.get("architecture"), "CPUs": c.get("num_cpus")}
    conditions |= {"caches": caches(m), "emulated": "yes" if run.emulated else "no", "compiler": m.get("compiler")}
    conditions |= {"build type": m.get("build_type"), "flags": c.get("c_flags")}
    conditions |= {"posenc": v["version"], "SLEEF": c.get("sleef"), "seed": v["seed"]}
    conditions |= {"verified": when(v["date"]), "measured": when(c.get("date", ""))}
    if c:
        conditions |= {
            "memory of the output": pages(run.speeds),
            "huge pages (setting)": c.get("transparent_huge_pages"),
        }
        conditions |= {"output starts": f"{c.get('offset', '16')} bytes after a multiple of 64"}
        conditions |= {"load average": ", ".join(f"{x:.2f}" for x in c.get("load_avg") or [])}
    rows = [[what, str(value)] for what, value in conditions.items() if value not in (None, "")]
    return Table("Conditions of the run", ["what", "value"], rows, text=(1,))


def when(date):
    """2026-11-21T20:00:00+00:00 as people write it."""
    return date.replace("T", " ").replace("+00:00", " UTC")


def pages(speeds):
    """The share of the output that lay on huge pages, in words."""
    known = [result.huge_pages for result in speeds.results.values() if result.huge_pages is not None]
    if not known:
        return "pages of unknown size"
    return "huge pages" if min(known) > 0.995 else f"{100 * min(known):.0f} % huge pages"


def medians(results):
    """What a speed and its ± are."""
    counts = {len(result.times) for result in results} or {0}
    turns = "turn" if counts == {1} else "turns"
    few = all(result.spread is None for result in results)
    spread = "too few for a spread" if few else "±: half the interquartile range"
    return f"median of {' to '.join(map(str, sorted({min(counts), max(counts)})))} {turns}, {spread}"


def wrong(run):
    """How wrong the recipe is that most people copy: in the table, and far from the start."""
    errors = []
    for ranges in [run.ranges, *([range_] for range_ in run.accuracy.ranges if range_.first <= 100000 < range_.end)]:
        error = run.accuracy.largest_error(tables.RECIPE, ranges)
        if error:
            errors.append(f"by up to {number(error)} {at_positions(ranges)}")
    return f"The PyTorch tutorial's recipe, {tables.RECIPE}, is wrong {', and '.join(errors)}." if errors else ""


def sections(run, commits, figures=(), peer=None):
    """What a reader is shown at once, and behind folds all the rest. peer: a run of ./scripts/peers"""
    works, classes, not_run = tables.works(run), list(tables.implementations(run)), tables.left_out(run)
    if works.rows:
        yield Section("What is fastest for which work", tables=[works])
    if classes:
        finding = (
            f"Errors: the largest {' and '.join(map(at_positions, run.shown_ranges))}, for {tables.judged_table(run)}."
        )
        if run.ranked:
            finding += f" Speeds of {answer.measured_table(run)}: {medians(run.timed.values())}."
        yield Section("Implementations", finding, classes)
    if figures:
        yield Section("Error and speed", figures=figures)
    speeds = [tables.speed_table(run, work) for work in tables.works_of(run)]
    folds = {"All errors": [tables.error_table(run)] if classes else [], "All speeds": speeds, not_run.title: [not_run]}
    if peer:
        folds["Other libraries"] = [peers.table(peer, whole=True)]
    yield Section(
        "All figures", folds={line: of_line for line, of_line in folds.items() if of_line and of_line[0].rows}
    )
    folds = {machine(run, commits): [conditions(run)]}
    yield Section("How it was measured", notes=list(HOW if run.speeds.context else HOW[:1]), folds=folds)


def page(run, commits, peer, files):
    """HTML. files: names of the data beside the page"""
    import jinja2
    from markupsafe import Markup

    from . import plots

    templates = TOP / "report/templates"
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(templates), autoescape=True, trim_blocks=True)
    style = Markup((templates / "style.css").read_text(encoding="utf-8"))
    at = f"the output starts {run.speeds.context.get('offset', 16)} bytes after a multiple of 64"
    caption = f"Each family by its fastest version; {at}. A line goes through the medians of tables of about one size. "
    caption += "Dotted: the limit, a loop that only stores."
    errors = plots.draw_errors(run), "Largest error by position", "A step is the largest error in a range of positions."
    speeds = plots.draw_speeds(run), "Speed by size of the table", caption
    figures = [(plots.svg(heading, draw), heading, caption) for draw, heading, caption in (errors, speeds) if draw]
    values = {"title": f"posenc on {processor(run.machine)}", "warnings": list(checks.of_run(run))}
    values |= {"answer": answer.answer(run) if run.timed else None, "lead": wrong(run), "files": files, "style": style}
    values |= {"sections": list(sections(run, commits, figures, peer)), "drawn_by": Markup(plots.drawn_by())}
    return env.get_template("page.html").render(values)


def main(args):
    if args.bench and args.no_bench:
        args.parser.error("--bench and --no-bench exclude each other")
    if args.csv and args.text:
        args.parser.error("--csv and --text exclude each other")
    paths = {"verify": pathlib.Path(args.verify or TOP / "build/verify.json")}
    if not args.no_bench:
        paths["bench"] = pathlib.Path(args.bench or TOP / "build/bench.json")
    for name, path in paths.items():
        if not path.exists():
            fail(f"{path} does not exist. ./scripts/bench writes it; --verify and --bench (or --no-bench) name others")
    beside = paths["verify"].parent / "peers.json"
    if args.peers or beside.exists() and not args.no_bench:
        paths["peers"] = pathlib.Path(args.peers or beside)
    loaded = {name: load(path, *TOOLS[name]) for name, path in paths.items()}
    run = Run(loaded["verify"], loaded.get("bench"))
    commits = {}
    for name in (name for name in paths if name != "peers"):
        note = paths[name].with_suffix(".commit")
        commits[name] = note.read_text(encoding="utf-8").strip() if note.exists() else loaded[name].get("commit")
    peer = Speeds(loaded["peers"]) if "peers" in paths else None
    if args.csv:
        return as_csv.show(run)
    if args.text:
        for section in sections(run, commits, peer=peer):
            document.show_section(section)
        return
    files = {f"{name}.json": path.read_text(encoding="utf-8") for name, path in paths.items()}
    directory = pathlib.Path(args.output or TOP / "build/report")
    for name, content in (files | {"index.html": page(run, commits, peer, list(files))}).items():
        write(directory / name, content)
    for name in {"bench.json", "peers.json"} - {*files}:  # no file of an earlier page stays
        (directory / name).unlink(missing_ok=True)
    print(directory / "index.html")
