"""The table of a run of ./scripts/peers: what people use instead of posenc, in C and in Python, each beside posenc on the
same work."""
from typing import NamedTuple

from . import decisions, document
from .document import Table
from .formats import number, position, three, times_as_fast
from .load import BENCH, PEERS, load
from .processors import processor
from .speeds import Case, Result, Speeds

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
LONG, EARLY = 131072, 4096  # rows of the longest table that is compared with exact; the end of positions
MAIN = {"fill": 5000, "table": 5000, "rotary": 8192, "timesteps": 1000}  # {kind: rows of the size that is shown}
SHOWN = ("rotation", "highway", "libmvec_f64", "libmvec", "eigen", "numpy_f32", "numpy_f64", "torch_tutorial")
SHOWN += ("jax", "transformers", "diffusers")
ROTATION = "rotation"  # as accurate, nearly: it is shown in a long table and in single rows, too
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


class Beside(NamedTuple):
    """A peer beside posenc on the same work."""

    work: Case
    name: str
    result: Result
    our_name: str
    our_result: Result
    comparison: decisions.Comparison  # of posenc with the peer


def works(speeds):
    """{work: {name: its result}} of posenc and others; exact and anchored under their families' names"""
    by_work = {}
    families = {member: family for family, member in speeds.named("member").items()}
    for case, result in speeds.results.items():
        if case.call in JOBS:
            by_work.setdefault(case.work, {})[families.get(case.who, case.who)] = result
    return by_work


def compared(speeds):
    """Every peer on every work; the fastest first."""
    by_work = works(speeds)
    for work in sorted(by_work, key=lambda w: ([*JOBS].index(w.call), w.kind, w.n * w.d, w.end or 0)):
        results = by_work[work]
        ours = next((name for name in OURS if name in results), None)
        for name in sorted(results, key=lambda name: results[name].ns):
            if ours and name not in (*OURS, "anchored"):
                comparison = decisions.compare(results[ours].times, results[name].times)
                yield Beside(work, name, results[name], ours, results[ours], comparison)


def chosen(speeds):
    """Of the libraries in SHOWN those of the main sizes; of ROTATION some more; and of each kind of work in which a peer is
    faster, the clearest other case."""
    peers, main, wins = list(compared(speeds)), {}, {}
    for peer in peers:
        work, comparison = peer.work, peer.comparison
        library = next((name for name in SHOWN if peer.name.startswith(name)), None)
        is_main = work.n == MAIN.get(work.kind)
        if library and (is_main or (library == ROTATION and (work.size == (LONG, 128) or work.end == EARLY))):
            main.setdefault((work, library), peer)
        elif comparison.outcome == "slower":
            if work.kind not in wins or comparison.ratio <= wins[work.kind].comparison.ratio:
                wins[work.kind] = peer
    keep = [*main.values(), *wins.values()]
    return [peer for peer in peers if peer in keep]


def error(result):
    """The largest of all values of the table; "-" where it was not compared."""
    return number(result.error) if result.error else "-"


def not_nearest(result):
    return "-" if result.not_nearest is None else f"{result.not_nearest:,.0f}"


def clock(result):
    """The time of the whole table."""
    seconds = result.ns * result.case.n * result.case.d * 1e-9
    scale, unit = next((u for u in UNITS if seconds >= u[0]), UNITS[-1])
    return f"{three(seconds / scale)} {unit}"


def job(work):
    if work.call == "row":
        return f"{JOBS['row']} below {position(work.end)}, {work.d} columns"
    compiled = ", compiled" if work.kind.endswith("/compiled") else ""
    return f"{JOBS[work.call]}{compiled}, {work.n} x {work.d}"


def what(speeds, name):
    """The peer and the version of its library."""
    text, version = speeds.context.get(f"peer.{name}", name), speeds.context.get(f"peer_version.{name}")
    return f"{text} ({version})" if version else text


def table(speeds, whole=False):
    """whole: all cases"""
    rows, shown = [], [*(compared(speeds) if whole else chosen(speeds))]
    for work, name, theirs, _, ours, comparison in shown:
        cells = [error(theirs), not_nearest(theirs), clock(theirs), clock(ours)]
        rows.append([job(work), what(speeds, name), *cells, times_as_fast(comparison, brief=True)])
    head = ["job", "what people use", "its error", "not nearest", "its time", "posenc's time", "posenc is"]
    note = f"One thread, float32, on {processor(speeds.context)}. An error is the largest of all values. *Not nearest*: how many values are not the nearest float32. -: not compared."
    if errors := [peer.our_result.error for peer in shown if peer.our_result.error]:
        note += f" posenc: exact, and in PyTorch posenc.torch; its largest error is {number(max(errors))}."
    for title, reasons in (("Not run", speeds.named("not_run")), ("Failed", speeds.failed)):
        if reasons:
            note += f" {title}: {', '.join(f'{name} ({why})' for name, why in reasons.items())}."
    return Table("What people use instead, beside posenc on the same work", head, rows, note, (1, 6))


def main(args):
    """./scripts/peers"""
    document.show(table(Speeds(load(args.file, BENCH, PEERS))))
