"""The measured tables and pictures of README.md and docs/*.md, from docs/recorded."""
import functools
import textwrap

from . import answer, peers, plots, text
from .processors import processor
from .record import recorded
from .run import Run
from .stats import Case, limit_of, sizes_in
from .tables import RECIPE, Table
from .words import three

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
    """The implementations, for the README: the table of the answer, and how fast each is beside the tutorial's arithmetic."""
    found = answer.answer(r.run).table
    best = [name for name, _ in answer.families(r.run).values()]
    rows = [
        [name, what, *cells, three(r.run.timed[RECIPE].ns / r.run.timed[n].ns)]
        for (name, *cells, what), n in zip(found.rows, best)
    ]
    head = [found.head[0], "what it is", *found.head[1:-1], f"times as fast as `{RECIPE}`"]
    said = f"A table of {r.run.measured_table()}, filled by one thread on {processor(r.run.context)}."
    has_avx512 = "AVX2: the fastest version without AVX-512, on the same processor. " * ("AVX2" in head)
    note = "Of stores: the share of the speed of a loop that only stores. "
    return "\n\n".join([said, text.markdown(Table("", head, rows, text=(1,))), f"{has_avx512}{note}{r.source}"])


def today(r):
    """What Python programs use today, at the sizes that are shown of each job."""
    return rendered(peers.table(r.peers, only={"table": 5000, "rotary": 8192}), r.peers)


def peer_table(r):
    return rendered(peers.table(r.peers), r.peers)


def rendered(table, peer):
    return "\n\n".join([text.markdown(table), f"{table.note} {of_run(peer.context, peer.commit)}"])


def speed(r):
    """What exact and anchored reach beside the limits, by cache level and kind of work."""
    names, rows, level = (
        r.members(),
        r.rows,
        {name: size for size, (name, _) in sizes_in(r.run.context, "level").items()},
    )
    where = {level["l2"]: "L2", level["llc"]: "last-level cache", (5000, 512): "the same buffer", LARGE: "memory"}
    works = [(f"fill {n} x {d} ({what}), GB/s", Case("fill", None, n, d)) for (n, d), what in where.items()]
    works.insert(3, ("fill 5000 x 512 (uncached memory), GB/s", Case("fill/uncached", None, 5000, 512)))
    works.append(("bfloat16, 131072 x 1024, GB/s", Case("fill", None, *LARGE, "bfloat16")))
    lines = []
    for what, work in works:
        limit, found = limit_of(rows, work), (rows.get(work.by(n)) for n in names)
        lines.append(
            [what, f"{limit.case.call} {limit.gb_s:.1f}", *(f"{row.gb_s:.1f}" if row else "-" for row in found)]
        )
    convert = limit_of(rows, Case("fill", None, 256, 512), ("convert",))
    lines.insert(1, ["conversion and stores alone, 256 x 512, GB/s", f"{convert.gb_s:.1f}", *["-"] * len(names)])
    for end in (4096, 1048576):
        found = (rows[Case("row", n, 1, 512, end=end)] for n in names)
        lines.append([f"a single row of 512 below position {end}, ns", "-", *(f"{row.ns * 512:.0f}" for row in found)])
    found = (rows[Case("fill_at", n, 2048, 512, end=2**20)] for n in names)
    lines.append(["2048 random positions, GB/s", "-", *(f"{row.gb_s:.1f}" for row in found)])
    return text.markdown(Table("", ["what", "limit", *names], lines)) + f"\n\n{r.source}"


BLOCKS = {"answer": printed, "short": short, "today": today, "speed": speed, "peers": peer_table}


def files(r):
    """{path: content} of the pictures."""
    return {"docs/error.svg": plots.file("Largest error by position", plots.errors(r.run))}
