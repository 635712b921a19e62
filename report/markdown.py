"""The measured tables of README.md and docs/*.md, from docs/recorded: {name of a block: function that renders it}."""
import re

from . import peers_tables, tables, text
from .drawing import file
from .peers import Peers
from .picks import picks
from .record import RECORDED, recorded
from .run import Run
from .stats import best_limit, spans_of
from .tables import PLAIN_LOOP, Table, times
from .words import pm

NOTHING = 2  # a bound of so much says nothing of a sine


def escaped(cell):
    """As Markdown shows it, on one line. An underscore within a word is none of its marks."""
    return re.sub(r"([\\*|<>\[\]&]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(cell.split()))


def table(found):
    """Names as code, figures to the right."""
    lines = tables.split(found)
    texts = [
        i in found.text
        for i, name in enumerate(found.head)
        for _ in range(1 + any(isinstance(row[i], tuple) and bool(row[i][1]) for row in found.rows))
    ]
    shown = [" | ".join(map(escaped, lines[0]))] + [
        "|".join(["---", *("---" if left else "---:" for left in texts[1:])])
    ]
    shown += [
        " | ".join([escaped(line[0]) if " " in line[0] else f"`{line[0]}`", *map(escaped, line[1:])])
        for line in lines[1:]
    ]
    return "\n".join(f"|{line}|" if line.startswith("---") else f"| {line} |" for line in shown)


def items(found):
    return "\n".join(f"- {escaped(what)}: {escaped(said)}" for what, said in found)


def of_run(data):
    """Which run it is."""
    machine = data["machine"]
    return f"Run of {data['date'][:10]}, commit {data['commit']}, {machine.get('cpu')}, {machine.get('compiler')}."


class Records:
    """docs/recorded/verify.json and bench.json, and the cases that pages ask them for."""

    def __init__(self):
        self.verify, bench = recorded("verify"), recorded("bench")
        self.run = Run(self.verify, bench, RECORDED / "verify.json")
        self.said = of_run({"date": bench["context"]["date"], "commit": bench["commit"], "machine": bench["context"]})
        self.peers = Peers(recorded("peers"))
        self.rows = self.run.verified[self.run.offset]

    def member(self, family):
        """The fastest member of a family on the table of the README."""
        return min((n for n in self.run.here if self.run.families[n] == family), key=lambda n: self.run.here[n].ns)

    def both(self):
        return self.member("anchored"), self.member("exact")


def accuracy_and_speed(r):
    """The README's table and picks."""
    run = r.run
    lines = [
        f"**{text.title(run)}** on {text.conditions(run)}. Max \\|error\\| by position.",
        "",
        table(text.final_table(run)),
        "",
        f"Pick ({text.scope(run)}):",
        "",
    ]
    lines += [f"- **{budget}**: {said}" for budget, said in picks(run)]
    for kind, shape, size in tables.sums_of(r.rows):
        lines.append(
            f"- **`posenc_add`, {size}**, times the speed of a plain loop: "
            + ", ".join(f"{n} {pm(times(r.rows[kind, n, *shape], r.rows[kind, PLAIN_LOOP, *shape]))}" for n in r.both())
        )
    return "\n".join([*lines, *(f"- `{name}`: {why}" for name, why in run.left_aside().items()), "", r.said])


def error_picture(r):
    """{name: (label, its largest errors by range)}, of running maxima."""
    found = {}
    for name, label in (
        ("explog", "the tutorial's float32 arithmetic (explog)"),
        (r.member("exact"), "posenc (exact)"),
    ):
        accuracy = r.run.accuracy[name]
        found[name] = label, [(*span, accuracy.worst("max_abs", [span])) for span in spans_of(r.run.accuracy)]
    return found


def bounds(r):
    """Each bound, and the float32 output whose error is the largest part of it."""
    rows, head = (
        [],
        "implementation|bound|evidence|outputs judged|closest: error / bound|table|position, column|value|nearest",
    )
    for e in r.verify["implementations"]:
        found = [c["closest_to_bound"] | {"shape": c["shape"]} for c in e.get("ranges", []) if c["dtype"] == "f32"]
        found = [c for c in found if 0 < c["bound"] < NOTHING]
        if found:
            c, judged = max(found, key=lambda c: c["error"] / c["bound"]), sum(s["outputs"] for s in e["ranges"])
            rows.append([e["name"], e["bound"]["law"], e["bound"]["evidence"], f"{judged:,}"])
            rows[-1] += [
                f"{c['error'] / c['bound']:.4f}",
                c["shape"],
                f"{c['position']}, {c['column']}",
                c["got"],
                c["want"],
            ]
    return table(Table("", head.split("|"), rows, (1, 2, 5, 6, 7, 8))) + "\n\n" + of_run(r.verify)


def both_speeds(r, rows):
    """rows: (what, limit, a function of a name that makes a cell)"""
    rows = [[what, limit, *(cell(name) for name in r.both())] for what, limit, cell in rows]
    return table(Table("", ["what", "limit", *r.both()], rows)) + "\n\n" + r.said


def speed_limits(r):
    rows, sleef = r.rows, r.member("sleef")
    for n, d, where in ((131072, 1024, "memory"), (4096, 512, "last-level cache"), (256, 512, "L2")):
        key, limit = best_limit(rows, (n, d))
        cell = lambda name, n=n, d=d: f"{rows['fill', name, n, d].gb_s:.1f}"  # noqa: E731
        yield f"fill {n} x {d} ({where}), GB/s", f"{key[0]} {limit.gb_s:.1f}", cell
    convert = best_limit(rows, (256, 512), ("convert",))[1]
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
    key, limit = best_limit(r.rows, (131072, 1024), tables.limits_of("bf16"))
    what, limit = "bfloat16, 131072 x 1024, GB/s", f"{key[0].split('/')[0]} {limit.gb_s:.1f}"
    yield what, limit, lambda name: f"{r.rows['fill/bf16', name, 131072, 1024].gb_s:.1f}"
    for kind, shape, size in tables.sums_of(r.rows):
        loop = r.rows[kind, PLAIN_LOOP, *shape]
        what, case = f"posenc_add {size}, times the speed of a plain loop", (kind, shape)
        cell = lambda name, loop=loop, case=case: f"{loop.ns / r.rows[case[0], name, *case[1]].ns:.2f}"  # noqa: E731
        yield what, f"{loop.gb_s:.1f} GB/s", cell


def peers_conditions(r):
    who = peers_tables.who(r.peers)
    aside = [(entry["name"], entry["reason"]) for entry in r.peers.not_run]
    return "\n\n".join(
        [items(peers_tables.conditions(r.peers)), table(who), *(["Not run:", items(aside)] if aside else [])]
    )


def peers_faster(r):
    faster, ties = (peers_tables.by_size(r.peers, wanted) for wanted in ("faster", "tie"))
    parts = [items(peers_tables.tally(r.peers)) or peers_tables.nowhere(r.peers)]
    for heading, found in (("The peer's time divided by that of exact / of anchored", faster), ("Ties", ties)):
        parts += [f"{heading}:", items(found)] if found else []
    return "\n\n".join(parts)


def peers_speeds(r):
    parts = []
    for group, found in peers_tables.speeds(r.peers):
        parts.append(f"### {escaped(peers_tables.title(group))}")
        for t in found:
            joined = Table("", t.head, [[c if isinstance(c, str) else pm(c) for c in row] for row in t.rows])
            parts += [f"{t.caption[0].upper()}{t.caption[1:]}:", table(joined), *([escaped(t.note)] if t.note else [])]
    return "\n\n".join(parts)


def with_note(found):
    return table(found) + "\n\n" + escaped(found.note)


BLOCKS = {
    "accuracy-and-speed": accuracy_and_speed,
    "bounds": bounds,
    "speed-limits": lambda r: both_speeds(r, speed_limits(r)),
    "speed-others": lambda r: both_speeds(r, speed_others(r)),
    "peers-conditions": peers_conditions,
    "peers-faster": peers_faster,
    "peers-targets": lambda r: with_note(peers_tables.targets(r.peers)),
    "peers-errors": lambda r: with_note(peers_tables.errors(r.peers)),
    "peers-speeds": peers_speeds,
}


def pictures(r):
    from . import plots

    return {"docs/speed.svg": file(plots.readme(r.run)[0]), "docs/error.svg": file(plots.errors(error_picture(r)))}
