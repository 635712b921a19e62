"""The measured tables and pictures of README.md and docs/*.md, from docs/recorded."""
import functools
import textwrap

from . import answer, peers, plots, text
from .processors import processor
from .record import recorded
from .run import Run
from .stats import Case, limit_of, sizes_in
from .tables import RECIPE, Table
from .words import three, times

SHOWN = "zen-4"  # whose runs the pages show
LARGE = 131072, 1024  # rows and columns of a table in memory


def of_run(machine, commit):
    """Names the run."""
    return f"Run of {machine['date'][:10]}, commit {commit}, on {processor(machine)}, {machine.get('compiler')}."


class Records:
    """The recorded runs of the processor that the pages show."""

    def __init__(self):
        self.bench = recorded(SHOWN, "bench")
        self.run = Run(recorded(SHOWN, "verify"), self.bench)
        self.source = of_run(self.bench["context"], self.bench["commit"])
        self.rows = self.run.verified

    @functools.cached_property
    def peers(self):
        return peers.Peers(recorded(SHOWN, "peers"))

    def members(self):
        """anchored and exact with each set of vector instructions; those that their names select first."""
        entries = self.run.entries
        found = [
            n
            for n in self.run.timed
            if entries[n]["family"] in ("anchored", "exact") and entries[n]["isa"][:3] == "avx"
        ]
        return sorted(found, key=lambda n: (self.run.request(n) == n, entries[n]["isa"], n))


def printed(r):
    """The answer of ./scripts/bench."""
    return textwrap.indent("\n".join(answer.lines(r.run)), "    ") + f"\n\n{r.source}"


def short(r):
    """The implementations, for the README: the table of the answer, with the errors before the speeds."""
    found = answer.answer(r.run).table
    speeds = [i for i, name in enumerate(found.head) if name in ("GB/s", "AVX2")]
    errors = [i for i in range(1 + len(speeds), len(found.head) - 1) if found.head[i] != "of stores"]
    rows = [[row[0], row[-1], *(row[i] for i in errors + speeds)] for row in found.rows]
    head = [
        found.head[i].replace("error to", "error below").replace(" sampled", " (some rows)") for i in errors + speeds
    ]
    head = [found.head[0], "what it is", *head]
    has_avx512 = " AVX2: the fastest version without AVX-512." * ("AVX2" in head)
    note = f"{r.run.measured_table()}, one thread; the largest errors below these positions.{has_avx512} sleef: with `-DPOSENC_WITH_SLEEF=ON`."
    return f"{text.markdown(Table('', head, rows, text=(1,)))}\n\n{note} {r.source}"


def rotation(r):
    """What the table does not say of the rotation in float64, in the version that is the fastest there."""
    works = {(work.kind, work.n, work.end): work for work in r.peers.works if work.size != (peers.LONG, 1024)}
    table, long, one = works["fill", 5000, None], works["fill", peers.LONG, None], works["row", 1, peers.EARLY]
    name = next(name for work, name, *_ in r.peers.compared() if work == table and name.startswith(peers.ROTATION))
    row, long, single = (r.peers.works[work][name] for work in (table, long, one))
    mine = r.peers.works[one]["exact"]
    return (
        f"The rotation: {peers.not_nearest(row)} of {table.n * table.d:,} values are not the nearest, its largest error to "
        f"position {peers.LONG:,} is {peers.error(long)}, and a single row takes {peers.clock(single, one)}, where exact "
        f"takes {peers.clock(mine, one)}."
    )


def today(r):
    """What programs use today, at one size of each job; of those in C, only a rotation in float64."""
    sizes, rows = {"fill": 5000, "table": 5000, "rotary": 8192}, []
    shown = [row for row in r.peers.compared() if row[0].n == sizes.get(row[0].kind)]
    shown = [row for row in shown if row[0].kind != "fill" or row[1].startswith(peers.ROTATION)]
    for work, name, ours, c in peers.chosen(shown):
        theirs, mine = (r.peers.works[work][n] for n in (name, ours))
        cells = [peers.error(theirs), peers.clock(theirs, work), peers.error(mine), peers.clock(mine, work)]
        is_sure = c.verdict not in ("tie", "undecided")
        ratio = three(1 + c.behind) if is_sure else " to ".join(three(1 + end) for end in c.interval)
        rows.append([f"{peers.what(r.peers, name)}, {work.n} x {work.d}", *cells, ratio])
    head = ["what people use", "error", "time", "error of posenc", "time", "times as fast"]
    note = f"{rotation(r)} One thread, float32; the largest errors of all values; times and ratios are medians of nine turns. {of_run(r.peers.context, r.peers.commit)}"
    return f"{text.markdown(Table('', head, rows))}\n\n{note}"


def beside_anchored(r):
    """How fast anchored is beside the fastest rotation, in each table."""
    found = {}
    for work, name, *_ in r.peers.compared():
        if work.kind == "fill" and name.startswith(peers.ROTATION):  # the fastest first
            found.setdefault(work, three(r.peers.works[work][name].ns / r.peers.works[work]["anchored"].ns))
    said = ", ".join(f"{ratio} ({work.n} x {work.d})" for work, ratio in found.items())
    return f"Times as fast as the rotation, anchored: {said}."


def peer_table(r):
    return f"{rendered(peers.table(r.peers), r.peers)} {beside_anchored(r)}"


def rendered(table, peer):
    return "\n\n".join([text.markdown(table), f"{table.note} {of_run(peer.context, peer.commit)}"])


def speed(r):
    """What exact and anchored reach beside the limits, by cache level and kind of work."""
    names, rows = r.members(), r.rows
    level = {name: size for size, (name, _) in sizes_in(r.run.context, "level").items()}
    where = {level["l2"]: "L2", (5000, 512): "reused memory", LARGE: "memory"}
    works = [(f"fill {n} x {d} ({what}), GB/s", Case("fill", None, n, d)) for (n, d), what in where.items()]
    works.insert(2, ("fill 5000 x 512 (uncached memory), GB/s", Case("fill/uncached", None, 5000, 512)))
    works.append(("bfloat16, 131072 x 1024, GB/s", Case("fill", None, *LARGE, "bfloat16")))
    lines = []
    for what, work in works:
        limit, found = limit_of(rows, work), (rows.get(work.by(n)) for n in names)
        lines.append(
            [what, f"{limit.case.call} {limit.gb_s:.1f}", *(f"{row.gb_s:.1f}" if row else "-" for row in found)]
        )
    found = (rows[Case("row", n, 1, 512, end=4096)] for n in names)
    lines.append(["a single row of 512 below position 4096, ns", "-", *(f"{row.ns * 512:.0f}" for row in found)])
    found = (rows[Case("fill_at", n, 2048, 512, end=2**20)] for n in names)
    lines.append(["2048 random positions, GB/s", "-", *(f"{row.gb_s:.1f}" for row in found)])
    return text.markdown(Table("", ["what", "limit", *names], lines)) + f"\n\n{r.source}"


BLOCKS = {"answer": printed, "short": short, "today": today, "speed": speed, "peers": peer_table}


def files(r):
    """{path: content} of the pictures."""
    return {"docs/error.svg": plots.file("Largest error by position", plots.errors(r.run))}
