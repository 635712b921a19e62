"""Writes what is generated in README.md and docs/: the picture docs/error.svg, and in the pages the lines between two
markers. The rest of the pages is written by hand.

    <!-- table: NAME -->            of the recorded runs; measured() has the names
    <!-- example: FILE PART -->     the lines of examples/FILE between [part: PART] and [end: PART]
    <!-- end -->

docs/recorded/PROCESSOR/{verify,bench,peers}.json are recorded runs: the files that ./scripts/bench and ./scripts/peers
write into build/, with the commit of the run. Files of Google Benchmark are shortened to the times of their cases."""
import json
import re
import sys
import textwrap

from . import answer, document, peers, plots
from .document import Table
from .formats import number, position, three
from .load import BENCH, TOP, VERIFY, fail, load, write
from .processors import microarchitecture, processor
from .run import Run
from .speeds import Case, Speeds

RECORDED, SHOWN = TOP / "docs/recorded", "zen-4"  # the pages show the runs of this processor
TOOLS = {"verify": VERIFY, "bench": BENCH, "peers": BENCH}
TURNS = 9
CASE = ("label", "positions", "columns", "end", "offset")  # what distinguishes a case from others
KEPT = (*CASE, "wall", "rows", "huge_pages", "error", "not_nearest")
NOT_KEPT = ("host_name", "executable", "date", "tool", "schema", "library_build_type")  # of the context
LANGUAGES = {".c": "c", ".h": "c", ".cpp": "cpp", ".py": "python", ".txt": "cmake"}
MEMBERS = ("anchored_avx512", "exact_avx512", "anchored_avx2", "exact_avx2")
FILLS = {
    "fill 256 x 512 (L2), GB/s": Case("fill", None, 256, 512),
    "fill 5000 x 512 (reused memory), GB/s": Case("fill", None, 5000, 512),
    "fill 5000 x 512 (uncached memory), GB/s": Case("fill/uncached", None, 5000, 512),
    "fill 131072 x 1024 (memory), GB/s": Case("fill", None, 131072, 1024),
    "bfloat16, 131072 x 1024, GB/s": Case("fill", None, 131072, 1024, "bfloat16"),
}


def short(run):
    """The implementations, for the README: as in the answer, but the errors before the speeds."""
    rows, (near, far) = [], run.shown_ranges
    for best, narrow in answer.families(run).values():
        errors = (number(run.accuracy.largest_error(best, ranges)) for ranges in (near, far))
        speeds = (three(run.timed[name].gb_s) for name in (best, narrow))
        rows.append([answer.shown_name(run, best), answer.note(run, best), *errors, *speeds])
    ends = f"error below {position(near[-1].end)}", f"{position(far[-1].end)} (some rows)"
    note = f"{answer.measured_table(run)}, one thread; the largest errors below these positions. AVX2: the fastest version without AVX-512. sleef: with `-DPOSENC_WITH_SLEEF=ON`."
    return Table("", ["implementation", "what it is", *ends, "GB/s", "AVX2"], rows, note, text=(1,))


def today(speeds):
    """What programs use today, at one size of each job; in C only the rotation."""
    shown = peers.chosen(speeds)
    fill = Case("fill", None, 5000, 512)
    rotation, rows = next(p for p in shown if p.work == fill and p.name.startswith(peers.ROTATION)), []
    python = Case("table", None, 5000, 512), Case("rotary", None, 8192, 128)
    others = (peer for peer in shown if peer.work in python and not peer.name.startswith("jax"))
    for work, name, theirs, _, ours, comparison in (rotation, *others):
        figures = [text(result) for result in (theirs, ours) for text in (peers.error, peers.clock)]
        rows.append([f"{peers.what(speeds, name)}, {work.n} x {work.d}", *figures, three(comparison.ratio)])
    head = ["what people use", "error", "time", "error of posenc", "time", "times as fast"]
    note = (
        f"{peers.not_nearest(rotation.result)} of the rotation's {5000 * 512:,} values are not the nearest. One thread, "
        "float32; the largest errors of all values; medians of nine turns."
    )
    return Table("", head, rows, note)


def speed(speeds):
    """What exact and anchored reach beside the limits, by cache level and kind of work."""
    rows, results = [], speeds.results
    for what, work in FILLS.items():
        limit, members = speeds.limit(work), [results[work.by(name)].gb_s for name in MEMBERS]
        rows.append([what, f"{limit.case.call} {limit.gb_s:.1f}", *(f"{gb_s:.1f}" for gb_s in members)])
    times = [results[Case("row", name, 1, 512, end=4096)].ns * 512 for name in MEMBERS]
    rows.append(["a single row of 512 below position 4096, ns", "-", *(f"{ns:.0f}" for ns in times)])
    members = [results[Case("fill_at", name, 2048, 512, end=2**20)].gb_s for name in MEMBERS]
    rows.append(["2048 random positions, GB/s", "-", *(f"{gb_s:.1f}" for gb_s in members)])
    return Table("", ["what", "limit", *MEMBERS], rows)


def beside_rotation(speeds):
    """How fast anchored is beside the fastest rotation, in each table."""
    ratios, works = {}, peers.works(speeds)
    for peer in peers.compared(speeds):  # the fastest first
        if peer.work.kind == "fill" and peer.name.startswith(peers.ROTATION):
            ratio = peer.result.ns / works[peer.work]["anchored"].ns
            ratios.setdefault(peer.work, f"{three(ratio)} ({peer.work.n} x {peer.work.d})")
    return f"Times as fast as the rotation, anchored: {', '.join(ratios.values())}."


def measured(run, others):
    """{NAME: the table and what is below it}; others: the speeds of ./scripts/peers"""

    def ran(speeds):
        machine = speeds.context
        return f"Run of {machine['date'][:10]}, commit {speeds.commit}, on {processor(machine)}, {machine['compiler']}."

    def block(table, *notes):
        return f"{document.markdown(table)}\n\n{' '.join(filter(None, [table.note, *notes]))}"

    printed, ours, theirs = textwrap.indent("\n".join(answer.lines(run)), "    "), ran(run.speeds), ran(others)
    blocks = {"answer": f"{printed}\n\n{ours}", "short": block(short(run), ours)}
    blocks |= {"speed": block(speed(run.speeds), ours), "today": block(today(others), theirs)}
    return blocks | {"peers": block(peers.table(others), theirs, beside_rotation(others))}


def example(file, part):
    """The lines without common indentation."""
    path = TOP / "examples" / file
    lines = re.search(rf"\[part: {part}\].*?\n(.*?)\n[^\n]*\[end: {part}\]", path.read_text(encoding="utf-8"), re.S)
    if not lines:
        fail(f"{path}: no lines between [part: {part}] and [end: {part}]")
    return f"```{LANGUAGES[path.suffix]}\n" + textwrap.dedent(lines[1]).strip("\n") + "\n```"


def rendered(page, tables):
    def block(match):
        start, kind, name, end = match.groups()
        if kind == "table" and name not in tables:
            fail(f"<!-- table: {name} -->: no such table; the names are {', '.join(tables)}")
        return start + (tables[name] if kind == "table" else example(*name.split())) + end

    return re.sub(r"(<!-- (table|example): ([^>]*) -->\n).*?(\n<!-- end -->)", block, page, flags=re.S)


def shortened(data):
    """The times of each case's turns, by its clock. Eight digits of every number; whole ones without a point."""

    def number(digits):
        value = float(f"{float(digits):.8g}")
        return int(value) if value.is_integer() else value

    cases = {}
    for run in data["benchmarks"]:
        case = {key: run[key] for key in KEPT if key in run} | {"unit": run["time_unit"], "times": []}
        case = cases.setdefault(tuple(run.get(key, 0) for key in CASE), case)
        time = run["real_time" if run.get("wall") else "cpu_time"]
        # As if each turn had written as many rows as the first.
        case["times"].append(time * case["rows"] / run["rows"] if run.get("rows") else time)
    machine = {key: value for key, value in data["context"].items() if key not in NOT_KEPT}
    whole = {"date": data["context"]["date"], "machine": machine, "cases": [cases[key] for key in sorted(cases)]}
    return json.loads(json.dumps(whole), parse_float=number)


def record(name):
    """Copies build/NAME.json to the directory of its processor. build/NAME.commit has the commit of the run."""
    path = TOP / f"build/{name}.json"
    data, commit = load(path, TOOLS[name]), path.with_suffix(".commit")
    programs = data["implementations"] if name == "verify" else data["benchmarks"]
    if any(program.get("failure") or program.get("error_occurred") for program in programs):
        fail(f"{path} is not recorded: something failed")
    if name != "verify":
        data = shortened(data)
        if min(len(c["times"]) for c in data["cases"]) < TURNS or all(c["positions"] != 5000 for c in data["cases"]):
            fail(f"{path} is not recorded: this is not a whole run of {TURNS} turns")
    if name == "bench" and "fill exact_avx2 bfloat16" not in {c["label"] for c in data["cases"]}:
        fail(f"{path} is not recorded: run ./scripts/bench --all-cases")
    where = microarchitecture(data["machine"])
    if not where or not commit.exists():
        fail(f"{path} is not recorded: its {'processor' if commit.exists() else 'commit'} is not known")
    head = {"schema": 1, "tool": TOOLS[name], "commit": commit.read_text(encoding="utf-8").strip()}
    lines = []
    for key, value in (head | data).items():
        if isinstance(value, list):  # a line for each entry, so that differences can be read
            entries = ",\n ".join(json.dumps(entry, ensure_ascii=False) for entry in value)
            lines.append(f'"{key}": [\n {entries}\n]')
        else:
            lines.append(f'"{key}": {json.dumps(value, ensure_ascii=False)}')
    write(RECORDED / re.sub(r"\W", "-", where.lower()) / f"{name}.json", "{\n" + ",\n".join(lines) + "\n}\n")


def recorded(name):
    return load(RECORDED / SHOWN / f"{name}.json", TOOLS[name])


def main(args):
    if args.record is not None:
        for name in args.record or [name for name in TOOLS if (TOP / f"build/{name}.json").exists()]:
            record(name)
    run = Run(recorded("verify"), recorded("bench"))
    tables, picture = measured(run, Speeds(recorded("peers"))), TOP / "docs/error.svg"
    pages = [TOP / "README.md", *sorted(TOP.glob("docs/*.md"))]
    made = {page: rendered(page.read_text(encoding="utf-8"), tables) for page in pages}
    # Another Matplotlib draws another picture.
    if not args.check or picture.read_text(encoding="utf-8").endswith(plots.drawn_by()):
        made[picture] = plots.file("Largest error by position", plots.draw_errors(run))
    stale = {path: content for path, content in made.items() if path.read_text(encoding="utf-8") != content}
    for path, content in stale.items():
        name = path.relative_to(TOP)
        if args.check:
            print(f"{name} is stale: run scripts/maintain/pages", file=sys.stderr)
        else:
            write(path, content)
            print(f"pages: wrote {name}", file=sys.stderr)
    return int(args.check and bool(stale))
