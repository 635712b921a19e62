"""The measured tables and pictures of README.md and docs/*.md, from docs/recorded."""

from . import peers_tables, plots, tables
from .text import escaped, markdown as table
from .peers import Peers
from .picks import said
from .record import RECORDED, recorded
from .run import Run
from .stats import PLAIN_LOOP, limit_of
from .tables import Table
from .words import number, pm, times

NOTHING = 2  # a bound of so much says nothing of a sine
LARGE = 131072, 1024  # rows and columns of a table in memory
PLAINLY = {  # the families of the README's table
    "exact": "always the nearest float32",
    "anchored": "the nearest float32, with rare exceptions",
    "float64": "the formula in double, rounded once",
    "explog": "the PyTorch tutorial's float32 arithmetic",
    "naive": "`pow`, `sin`, `cos` in float32",
}


def of_run(data):
    """Which run it is."""
    machine = data["machine"]
    return f"Run of {data['date'][:10]}, commit {data['commit']}, {machine.get('cpu')}, {machine.get('compiler')}."


class Records:
    """docs/recorded, and the cases that pages ask for."""

    def __init__(self):
        self.verify, bench = recorded("verify"), recorded("bench")
        self.run = Run(self.verify, bench, RECORDED / "verify.json")
        self.said = of_run({"date": bench["context"]["date"], "commit": bench["commit"], "machine": bench["context"]})
        self.peers, self.rows = Peers(recorded("peers")), self.run.verified

    def member(self, family):
        """The member of a family that its name stands for on the machine of the run."""
        return next(n for n in self.run.order if self.run.families[n] == family and n in self.run.here)

    def both(self):
        return self.member("anchored"), self.member("exact")

    def ours(self):
        """The same, of every set of vector instructions; those of member() first."""
        isa = {n: self.run.entries[n]["isa"] for n in self.run.here if self.run.families[n] in ("anchored", "exact")}
        best = isa[self.member("exact")]
        return sorted((n for n in isa if isa[n] not in ("any", "fma")), key=lambda n: (isa[n] != best, isa[n], n))


def short(r):
    """What decides, for the README."""
    run, scalar = r.run, [n for n in r.run.here if r.run.families[n] in ("float64", "explog", "naive")]
    rows = []
    for name in sorted([*r.ours(), *scalar], key=lambda n: run.here[n].ns):
        row, share = run.here[name], 100 * run.here[name].share_of(run.limit)[0]
        errors = [number(run.error(name, [s for s in run.spans if s[0] < end])) for end in (5000, 131072)]
        times = run.here["explog"].ns / row.ns
        rows.append([name, PLAINLY[run.families[name]], *errors, f"{row.gb_s:.1f}", f"{share:.2g} %"])
        rows[-1].append(f"{times:.{0 if times >= 10 else 1}f}")
    head = ["implementation", "what it is", "error to position 5k", "to 131k", "GB/s", "of the limit", "x `explog`"]
    large = {n: r.rows["fill", n, *LARGE].gb_s for n in r.ours()}
    limit = limit_of(r.rows, ("fill", "", *LARGE)).gb_s
    return "\n\n".join(
        [
            f"**{tables.title(run)}**, one core of {run.context['cpu']}, {run.context['compiler']}. The limit is what plain stores "
            f"reach there, {run.limit.gb_s:.1f} GB/s.",
            table(Table("", head, rows, text=(1,))),
            f"Of a table that leaves every cache, {LARGE[0]} x {LARGE[1]}, the limit is {limit:.1f} GB/s: "
            + ", ".join(f"`{n}` {large[n]:.1f}" for n in sorted(large, key=large.get, reverse=True))
            + f". {r.said}",
        ]
    )


def accuracy_and_speed(r):
    """Every implementation, and the pick."""
    run, found = r.run, tables.final(r.run)
    pick = run.pick()
    lines = [
        f"**{tables.title(run)}** on {escaped(tables.conditions(run))}. Max \\|error\\| by position.",
        "",
        table(found),
        "",
    ]
    lines += [
        f"Pick ({run.reach()}, {run.table_name()}):",
        "",
        f"- **{pick.budget}**: {said(run, pick)}",
    ]
    for kind, shape, size in tables.sums_of(r.rows):
        ratios = {n: times(r.rows[kind, n, *shape], r.rows[kind, PLAIN_LOOP, *shape]) for n in r.both()}
        shown = ", ".join(f"{n} {pm(ratio)}" for n, ratio in ratios.items())
        lines.append(f"- **`posenc_add`, {size}**, times the speed of a plain loop: {shown}")
    return "\n".join([*lines, *(f"- `{name}`: {why}" for name, why in run.left_aside().items()), "", r.said])


def bounds(r):
    """Each bound, and the float32 output whose error is the largest part of it."""
    head = "implementation|bound|evidence|outputs judged|closest: error / bound|table|position, column|value|nearest"
    rows = []
    for e in r.verify["implementations"]:
        found = [c["closest_to_bound"] | {"shape": c["shape"]} for c in e.get("ranges", []) if c["dtype"] == "float32"]
        found = [c for c in found if 0 < c["bound"] < NOTHING]
        if found:
            c, judged = max(found, key=lambda c: c["error"] / c["bound"]), sum(s["outputs"] for s in e["ranges"])
            rows.append(
                [e["name"], e["bound"]["law"], e["bound"]["evidence"], f"{judged:,}", f"{c['error'] / c['bound']:.4f}"]
            )
            rows[-1] += [c["shape"], f"{c['position']}, {c['column']}", c["got"], c["want"]]
    return table(Table("", head.split("|"), rows, text=(1, 2, 5, 6, 7, 8))) + "\n\n" + of_run(r.verify)


def speeds_of(r, names, rows):
    """rows: (what, limit, a function of a name that makes a cell)"""
    rows = [[what, limit, *(cell(name) for name in names)] for what, limit, cell in rows]
    return table(Table("", ["what", "limit", *names], rows)) + "\n\n" + r.said


def stores(limit):
    return f"{limit.key[0].split('/')[0]} {limit.gb_s:.1f}"


def speed_limits(r):
    rows, sleef = r.rows, r.member("sleef")
    for n, d, where in ((131072, 1024, "memory"), (4096, 512, "last-level cache"), (256, 512, "L2")):
        fills = {name: rows["fill", name, n, d] for name in r.ours()}
        limit = stores(limit_of(rows, ("fill", "", n, d)))
        yield f"fill {n} x {d} ({where}), GB/s", limit, lambda name, fills=fills: f"{fills[name].gb_s:.1f}"
    convert = limit_of(rows, ("fill", "", 256, 512), ("convert",))
    yield "conversion and stores alone, 256 x 512, GB/s", f"{convert.gb_s:.1f}", lambda name: ""
    random = {name: row.ns for (kind, name, *_), row in rows.items() if kind == "fill_at"}
    what = f"fill_at, 2048 random positions, times the speed of {sleef}"
    yield what, "", lambda name: f"{random[sleef] / random[name]:.2f}"
    for below in (4096, 1048576):
        one = {name: row.ns for (kind, name, *_), row in rows.items() if kind == f"row/below:{below}"}
        what = f"a single row below {below}, in rows of the 256 x 512 fill"
        yield what, "", lambda name, one=one: f"{one[name] / rows['fill', name, 256, 512].ns:.1f}"
    made, plainly = (rows["fresh", how, 131072, 1024] for how in ("table_create", "malloc_fill"))
    what = "a fresh 131072 x 1024 table, times the speed of malloc and fill"
    yield what, "", lambda name: f"{plainly.ns / made.ns:.1f}" if name == r.member("exact") else ""


def speed_others(r):
    limit = stores(limit_of(r.rows, ("fill/bfloat16", "", 131072, 1024)))
    yield "bfloat16, 131072 x 1024, GB/s", limit, lambda name: f"{r.rows['fill/bfloat16', name, 131072, 1024].gb_s:.1f}"
    for kind, shape, size in tables.sums_of(r.rows):
        loop, sums = r.rows[kind, PLAIN_LOOP, *shape], {n: r.rows[kind, n, *shape] for n in r.both()}
        what = f"posenc_add {size}, times the speed of a plain loop"
        yield what, f"{loop.gb_s:.1f} GB/s", lambda name, loop=loop, sums=sums: f"{loop.ns / sums[name].ns:.2f}"


def noted(found, title=""):
    return "\n\n".join(filter(None, [title, table(found), escaped(found.note)]))


def peers_speeds(r):
    """Filling memory that is there in C, and making a fresh table in Python."""
    return "\n\n".join(noted(t, f"{escaped(t.title)}:") for t in peers_tables.main_speeds(r.peers, ("fill", "fresh")))


BLOCKS = {
    "short": short,
    "accuracy-and-speed": accuracy_and_speed,
    "bounds": bounds,
    "speed-limits": lambda r: speeds_of(r, r.ours(), speed_limits(r)),
    "speed-others": lambda r: speeds_of(r, r.both(), speed_others(r)),
    "peers-conditions": lambda r: "\n".join(
        f"- {escaped(what)}: {escaped(said)}" for what, said in peers_tables.conditions(r.peers).rows
    ),
    "peers-errors": lambda r: noted(peers_tables.errors(r.peers, described=True)),
    "peers-speeds": peers_speeds,
    "peers-calls": lambda r: noted(peers_tables.calls(r.peers)),
    "peers-less-time": lambda r: noted(peers_tables.less_time(r.peers)),
}


def pictures(r):
    curves = []
    for name, label in (
        ("explog", "explog (the tutorial)"),
        (r.member("exact"), "exact (posenc)"),
    ):
        spans = r.run.spans
        curves.append(({s: r.run.error(name, spans[: i + 1]) for i, s in enumerate(spans)}, label, 4 * len(curves)))
    return {"docs/speed.svg": plots.readme_choice(r.run), "docs/error.svg": plots.readme_growth(curves)}
