"""The measured tables and pictures of README.md and docs/*.md, from docs/recorded."""
import functools
import textwrap

from . import answer, judge, peers_tables, plots, tables
from .peers import Peers
from .processors import processor
from .record import recorded
from .run import Run
from .stats import Case, limit_of, sizes_in
from .tables import RECIPE, Table
from .text import escaped, markdown as table
from .words import compared, medians, number, percent, pm, position, speed

SHOWN = "emerald-rapids"  # whose runs README.md shows, and every page that names no processor
NOTHING = 2  # a bound of so much says nothing of a sine
LARGE = 131072, 1024  # rows and columns of a table in memory
SIZE = 5000, 512  # of the README's tables
SHORT = {  # descriptions in the README's table; a family that is not here has its summary from the library
    "exact": "correctly rounded",
    "anchored": "float64 sums of angles, rounded once",
    "float64": "the formula in float64 by libm, rounded once",
    "sleef_f64": "the formula in float64 by SLEEF's vector functions, rounded once",
    "explog": "the PyTorch tutorial's float32 arithmetic, by libm, one value at a time",
    "sleef": "the PyTorch tutorial's float32 arithmetic, by SLEEF's vector functions that are within 1 ULP",
    "sleef_u35": "the PyTorch tutorial's float32 arithmetic, by SLEEF's vector functions that are within 3.5 ULP",
    "recurrence": "float32 sums of angles, from row to row",
    "naive": "`pow`, `sin`, `cos` in float32",
}
ACCURATE = 1e-6  # between the errors of float64 angles and those of float32 angles
TODAY = (  # peer, what people know it as, kind of the case, its size, what does the same work here
    ("numpy_f32", "the formula in NumPy, float32", "fresh", SIZE, "exact"),
    ("numpy_f64", "the formula in NumPy, float64", "fresh", SIZE, "exact"),
    ("torch_tutorial", "the PyTorch tutorial's recipe, float32", "table", SIZE, "posenc.torch"),
    ("transformers_rotary", "transformers' Llama rotary embedding", "rotary", (8192, 128), "posenc.torch"),
)


def of_run(data):
    """Names the run."""
    m = data["machine"]
    return f"Run of {data['date'][:10]}, commit {data['commit']}, on {processor(m)}, {m.get('compiler')}."


class Records:
    """The recorded runs of a processor, and the cases that pages show."""

    def __init__(self, where=SHOWN):
        self.where, self.verify, self.bench = where, recorded(where, "verify"), recorded(where, "bench")
        self.run = Run(self.verify, self.bench)
        machine = self.bench["context"]
        self.source = of_run({"date": machine["date"], "commit": self.bench["commit"], "machine": machine})
        same = self.verify["commit"] == self.bench["commit"]
        self.sources = self.source if same else f"{self.source} Errors: {of_run(self.verify)}"  # of errors and speeds
        self.rows = self.run.verified

    @functools.cached_property
    def peers(self):
        return Peers(recorded(self.where, "peers"))

    def fill(self, name, n, d):
        return self.rows[Case("fill", name, n, d)]

    def member(self, family):
        """The member that a family's name selects on the processor of the run."""
        return next(n for n in self.run.order if self.run.families[n] == family and n in self.run.timed)

    def both(self):
        return self.member("anchored"), self.member("exact")

    def ours(self):
        """anchored and exact with each set of vector instructions; those of member() first."""
        isas = {n: self.run.entries[n]["isa"] for n in self.run.timed if self.run.families[n] in ("anchored", "exact")}
        vectors = [n for n in isas if isas[n] not in ("any", "fma")]
        return sorted(vectors, key=lambda n: (isas[n] != isas[self.member("exact")], isas[n], n))


def box(r):
    """As ./scripts/bench printed it."""
    return textwrap.indent(answer.box(r.run, r.bench.get("seconds"), "build/report/index.html"), "    ")


def short(r):
    """The implementations, for the README: each name by the best vectors of this processor, and by AVX2; the accurate
    ones first, each kind by speed."""
    run, rows = r.run, []
    names = [r.member(family) for family in dict.fromkeys(run.families[n] for n in run.timed)]
    avx2 = {n: run.timed[f"{run.families[n]}_avx2"] for n in names if n.endswith("_avx512")}
    errors = {n: [run.error(n, [s for s in run.spans if s[0] < end]) for end in (5000, 131072)] for n in names}
    for name in sorted(names, key=lambda n: (errors[n][1] > ACCURATE, run.timed[n].ns)):
        family, factor = run.families[name], run.timed[RECIPE].ns / run.timed[name].ns
        speeds = [run.timed[name], *([avx2.get(name)] if avx2 else [])]
        what = SHORT.get(family, run.entries[name]["summary"])
        rows.append([family, what, *map(number, errors[name]), *(f"{row.gb_s:.3g}" if row else "-" for row in speeds)])
        rows[-1].append(f"{factor:.2g}")
    head = ["implementation", "what it is", "largest error, positions below 5k", "below 131k", "GB/s"]
    head += ["GB/s with AVX2 only"] * bool(avx2) + [f"times the speed of `{RECIPE}`"]
    said = f"A table of {run.measured_table()}, filled by one thread on {processor(run.context)}."
    note = "The AVX2 speeds were measured on the same processor, which also has AVX-512. Expect different speeds on "
    note += "processors without AVX-512. "
    return "\n\n".join(
        [said, table(Table("", head, rows, text=(1,))), f"{note * bool(avx2)}{anchored_beside_exact(r)} {r.sources}"]
    )


def anchored_beside_exact(r):
    """In this table and in one that is larger than every cache."""
    anchored, exact = r.both()

    def lead(size):
        found = judge.compare(r.fill(exact, *size).values, r.fill(anchored, *size).values)
        return "as fast as `exact`" if found.verdict == "tie" else compared(found, than=" than `exact`")

    said = f"`anchored` has {answer.promise(r.run, anchored)}. In this table it is {lead(r.run.size)}."
    return f"{said} In a table of {LARGE[0]} x {LARGE[1]} it is {lead(LARGE)}."


def today(r):
    """What people use today, each beside posenc on the same work."""
    rows = []
    for name, what, kind, size, ours in TODAY:
        cases = (r.peers.groups | r.peers.calls).get(Case(kind, None, *size), {})
        if name not in cases:
            continue
        theirs, mine = cases[name], cases[ours]
        # posenc.torch was judged in a table of rotary embeddings. Its other tables have the values of exact.
        alike = r.peers.rows[ours]["preset"] == r.peers.rows[name]["preset"]
        errors = [worst_error(r.peers.rows[who], size[0]) for who in (name, ours if alike else "exact")]
        work = f"{what}, {size[0]} x {size[1]}"
        times = [pm(peers_tables.time(case)) for case in (theirs, mine)]
        rows.append([work, errors[0], times[0], f"`{ours}`", errors[1], times[1], peers_tables.ratio(theirs, ours)])
    head = ["what people use", "its error", "its time", "posenc", "error", "time", "times as fast"]
    said = "Each row is one job, done by one thread. Each error is the largest in sampled rows of the position table, "
    sampled, all_rows = worst_error(r.peers.rows["torch_tutorial"], SIZE[0]), number(r.run.error(RECIPE))
    said += f"compared with `exact` in float64. Other rows can have larger errors: {all_rows} instead of {sampled} for "
    said += f"`{RECIPE}`, the tutorial's formula by libm. The times are medians ± half the interquartile range. "
    said += "*Times as fast* is the median over pairs of repetitions, so it can differ from the quotient of the times. "
    return table(Table("", head, rows, text=(3,))) + f"\n\n{said}{of_run(r.peers.data)}"


def worst_error(peer, end):
    """Over the ranges that the table reaches into."""
    found = [r["max_abs"] for r in peer["ranges"] if r["from"] < end]
    return number(max(found)) if found else "not judged"


def accuracy_and_speed(r):
    """Every implementation, and the picks."""
    run = r.run
    names = sorted(run.judged(), key=lambda n: run.timed[n].ns if n in run.timed else float("inf"))
    times = {n: run.timed.get(n) for n in names}
    rows = [[n, *map(number, run.errors_by_position(n)), speed(t), percent(t, run.limit)] for n, t in times.items()]
    head = ["implementation", *(f"to {position(end)}" for _, end in run.spans), "GB/s", "of limit"]
    pick = run.pick()
    parts = [
        f"A table of {run.measured_table()}, filled by one thread on {processor(run.context)}. The errors are the "
        f"largest up to each position, for {run.judged_table()}. Speeds: {medians(run.timed)}; "
        f"{tables.limit_text(run.limit)}.",
        table(Table("", head, rows)),
        f"The pick for {run.budget} is `{run.request(pick.name)}`: {run.lead(pick)}.",
        "\n".join(f"- `{name}`: {why}" for name, why in run.left_out().items()),
    ]
    return "\n\n".join(filter(None, [*parts, r.sources]))


def bounds(r):
    """Each bound, and the float32 output whose error comes closest to it."""
    head = "implementation|bound|evidence|outputs judged|closest: error / bound|table|position, column|value|nearest"
    rows = []
    for e in r.verify["implementations"]:
        found = [c["closest_to_bound"] | {"shape": c["shape"]} for c in e.get("ranges", []) if c["dtype"] == "float32"]
        found = [c for c in found if 0 < c["bound"] < NOTHING]
        if found:
            c, judged = max(found, key=lambda c: c["error"] / c["bound"]), sum(s["outputs"] for s in e["ranges"])
            at = c["shape"], f"{c['position']}, {c['column']}", c["got"], c["want"]
            said = e["name"], e["bound"]["law"], e["bound"]["evidence"], f"{judged:,}"
            rows.append([*said, f"{c['error'] / c['bound']:.4f}", *at])
    return table(Table("", head.split("|"), rows, text=(1, 2, 5, 6, 7, 8))) + "\n\n" + of_run(r.verify)


def speeds_of(r, names, rows):
    """rows: (what, limit, a function that makes the cell of a name)"""
    rows = [[what, limit, *(cell(name) for name in names)] for what, limit, cell in rows]
    return table(Table("", ["what", "limit", *names], rows)) + "\n\n" + r.source


def stores(limit):
    return f"{limit.case.call} {limit.gb_s:.1f}"


def speed_limits(r):
    rows, sleef = r.rows, r.member("sleef")
    level = {name: size for size, (name, _) in sizes_in(r.run.context, "level").items()}
    for (n, d), where in ((LARGE, "memory"), (level["llc"], "last-level cache"), (level["l2"], "L2")):
        limit = stores(limit_of(rows, Case("fill", None, n, d)))
        yield f"fill {n} x {d} ({where}), GB/s", limit, lambda name, n=n, d=d: f"{r.fill(name, n, d).gb_s:.1f}"
    convert = limit_of(rows, Case("fill", None, 256, 512), ("convert",))
    yield "conversion and stores alone, 256 x 512, GB/s", f"{convert.gb_s:.1f}", lambda name: "-"
    random = {case.who: row.ns for case, row in rows.items() if case.kind == "fill_at"}
    what = f"fill_at, 2048 random positions, times the speed of {sleef}"
    yield what, "-", lambda name: f"{random[sleef] / random[name]:.2f}"
    for end in (4096, 1048576):
        one = {case.who: row.ns for case, row in rows.items() if case.kind == "row" and case.end == end}
        what = f"a single row below position {end}: how many times as long as a row of its 256 x 512 table"
        yield what, "-", lambda name, one=one: f"{one[name] / r.fill(name, 256, 512).ns:.1f}"
    made, plainly = (rows[Case("fresh", how, 131072, 1024)] for how in ("table_create", "malloc_fill"))
    what = "a fresh 131072 x 1024 table, times the speed of malloc and fill"
    yield what, "-", lambda name: f"{plainly.ns / made.ns:.1f}" if name == r.member("exact") else "-"


def speed_others(r):
    large = Case("fill", None, *LARGE, "bfloat16")
    limit = stores(limit_of(r.rows, large))
    yield "bfloat16, 131072 x 1024, GB/s", limit, lambda name: f"{r.rows[large.by(name)].gb_s:.1f}"


def noted(found, title=""):
    return "\n\n".join(filter(None, [title, table(found), escaped(found.note)]))


def peers_speeds(r):
    """Filling existing memory in C, and making a fresh table in Python."""
    works = [work for work in r.peers.groups if work.kind in ("fill", "fresh")]
    return "\n\n".join(noted(t, f"{escaped(t.title)}:") for t in peers_tables.main_speeds(r.peers, works))


def peers_errors(r):
    found = peers_tables.errors(r.peers, described=True)
    return "\n".join(f"- {escaped(said)}" for said in found.note.split("; ")) + "\n\n" + table(found)


BLOCKS = {
    "box": box,
    "short": short,
    "today": today,
    "accuracy-and-speed": accuracy_and_speed,
    "bounds": bounds,
    "speed-limits": lambda r: speeds_of(r, r.ours(), speed_limits(r)),
    "speed-others": lambda r: speeds_of(r, r.both(), speed_others(r)),
    "peers-conditions": lambda r: "\n".join(
        f"- {escaped(what)}: {escaped(said)}" for what, said in peers_tables.conditions(r.peers).rows
    ),
    "peers-errors": peers_errors,
    "peers-speeds": peers_speeds,
    "peers-calls": lambda r: noted(peers_tables.calls(r.peers)),
    "peers-less-time": lambda r: noted(peers_tables.less_time(r.peers)),
}


def files(r):
    """{path: content} of the pictures."""
    return {"docs/error.svg": plots.file("Largest error by position", plots.errors(r.run))}
