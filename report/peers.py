"""The table of a run of ./scripts/peers: what people use instead of posenc, in C and in Python, each beside posenc on the
same work."""
from . import judge, text
from .load import BENCH, PEERS, load
from .processors import processor
from .stats import read_bench
from .tables import Table
from .words import number, position, three, times

OURS = ("exact", "posenc.torch")  # a peer is compared with the first of these that does the same work
JOBS = {  # {kind: what it does}, in the order of the table
    "fill": "C: fill",
    "row": "C: single rows",
    "once": "C: plan and fill",
    "table": "table",
    "rotary": "rotary embedding",
    "timesteps": "timestep embedding",
    "forward": "forward of the module",
}
LONG, EARLY = 131072, 4096  # rows of a table that is judged; the end of positions
MAIN = {"fill": 5000, "table": 5000, "rotary": 8192, "timesteps": 1000}  # {kind: rows of the size that is shown}
SHOWN = (
    "rotation",
    "highway",
    "libmvec_f64",
    "libmvec",
    "eigen",
    "numpy_f32",
    "numpy_f64",
    "torch_tutorial",
    "jax",
    "transformers",
    "diffusers",
)
ROTATION = "rotation"  # as accurate, nearly: it is shown in a long table and in single rows, too
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


class Peers:
    """works: {work: {name: its row}} of posenc and others, exact under its family's name"""

    def __init__(self, data):
        (rows, self.failed), self.context, self.works = read_bench(data), data["context"], {}
        self.commit = data.get("commit")
        members = {self.context[k]: k[len("member.") :] for k in self.context if k.startswith("member.")}
        for case, row in rows.items():
            if case.call in JOBS:
                self.works.setdefault(case.work, {})[members.get(case.who, case.who)] = row

    def compared(self):
        """[(work, peer, ours, how our time compares with the peer's)] of all works"""
        for work in sorted(self.works, key=lambda w: ([*JOBS].index(w.call), w.kind, w.n * w.d, w.end or 0)):
            rows = self.works[work]
            ours = next((name for name in OURS if name in rows), None)
            for name in sorted(rows, key=lambda name: rows[name].ns):
                if ours and name not in (*OURS, "anchored"):
                    yield work, name, ours, judge.compare(rows[name].values, rows[ours].values)


def chosen(found):
    """Of the libraries in SHOWN those of the main sizes; of ROTATION some more; and of each kind of work in which a peer is
    faster, the clearest other case."""
    main, wins = {}, {}
    for row in found:  # the fastest first
        work, library = row[0], next((name for name in SHOWN if row[1].startswith(name)), None)
        is_main = work.n == MAIN.get(work.kind)
        if library and (is_main or library == ROTATION and (work.size == (LONG, 128) or work.end == EARLY)):
            main.setdefault((work, library), row)
        elif row[3].verdict == "faster" and row[3].ratio <= wins.get(work.kind, row)[3].ratio:
            wins[work.kind] = row
    keep = [*main.values(), *wins.values()]
    return [row for row in found if row in keep]


def error(row):
    """The largest of all values of the table; "-" where it was not compared."""
    return number(row.error) if row.error else "-"


def not_nearest(row):
    return "-" if row.not_nearest is None else f"{row.not_nearest:,.0f}"


def clock(row, work):
    seconds = row.ns * work.n * work.d * 1e-9
    scale, unit = next((u for u in UNITS if seconds >= u[0]), UNITS[-1])
    return f"{three(seconds / scale)} {unit}"


def job(work):
    if work.call == "row":
        return f"{JOBS['row']} below {position(work.end)}, {work.d} columns"
    compiled = ", compiled" if work.kind.endswith("/compiled") else ""
    return f"{JOBS[work.call]}{compiled}, {work.n} x {work.d}"


def what(peers, name):
    """The peer and the version of its library."""
    said, version = peers.context.get(f"peer.{name}", name), peers.context.get(f"peer_version.{name}")
    return f"{said} ({version})" if version else said


def table(peers, whole=False):
    """whole: all cases"""
    found, rows = list(peers.compared()), []
    for work, name, ours, c in found if whole else chosen(found):
        mine, theirs = peers.works[work][ours], peers.works[work][name]
        cells = [error(theirs), not_nearest(theirs), clock(theirs, work), ours, error(mine), clock(mine, work)]
        rows.append([job(work), what(peers, name), *cells, times(c, brief=True)])
    head = ["job", "what people use", "its error", "not nearest", "its time", "posenc", "error", "time", "posenc is"]
    note = f"One thread, float32, on {processor(peers.context)}. An error is the largest of all values. *Not nearest*: how many values are not the nearest float32. -: not compared."
    left = [f"{key[len('not_run.') :]} ({why})" for key, why in peers.context.items() if key.startswith("not_run.")]
    if left:
        note += f" Not run: {', '.join(left)}."
    if peers.failed:
        note += f" Failed: {', '.join(f'{name} ({why})' for name, why in peers.failed.items())}."
    return Table("What people use instead, beside posenc on the same work", head, rows, note, (1, 5, 8))


def main(args):
    """./scripts/peers"""
    text.show(table(Peers(load(args.file, BENCH, PEERS))))
