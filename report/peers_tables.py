"""The tables of a run of scripts/peers, for its text, docs/peers.md and the report."""
import re

from . import text
from .peers import CALLS, IN_C, OURS, JOBS, WORDS, read, work_of
from .processors import caches, processor
from .stats import SIZES
from .tables import Section, Table
from .words import details, listed, number, pm, position, span, when

QUICK = "few repetitions and sizes: the figures show that it runs, not how fast anything is"
EMULATED = "The run was emulated: these times say nothing about a real machine."
PEERS_FLAGS = "-O3 and those of their instruction set; libmvec's also -ffast-math, without which GCC does not use it"
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
MAIN = (5000, 512)  # the size that the pages and the text show; the report shows all


def figure(found, scale=1.0, tail=""):
    """A cell of [value, half an interquartile range or None], or of None; three digits."""
    if found is None:
        return "-"
    value, spread = found[0] * scale, found[1]
    digits = 0 if value >= 100 or value <= 0 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}{tail}", "" if spread is None else f"{spread * scale:.{digits}f}"


def time(case):
    scale, unit = next((u for u in UNITS if case["seconds"] >= u[0]), UNITS[-1])
    # A slow peer makes fewer rows.
    return figure([case["seconds"], case.get("spread")], 1 / scale, f" {unit}{'*' * (case['rows'] < case['n'])}")


def named(work):
    words = [work.call, "C" if work.call in IN_C else "Python", *["one thread"] * ("threads:" not in work.kind)]
    return ", ".join(words + details(work))


def conditions(peers):
    """The machine, the versions and how it was measured."""
    m, counts = peers.machine, {}
    for case in peers.data["cases"]:
        counts.setdefault("C" if work_of(case).call in IN_C else "Python", []).append(case["repetitions"])
    versions = [f"Python {m['python']}"] if "python" in m else []
    versions += dict.fromkeys(row["version"] for row in peers.rows.values() if row.get("version"))
    found = {
        "a quick run": QUICK if peers.data.get("quick") else None,
        "repetitions": ", ".join(f"{world} {span(found)}" for world, found in counts.items()),
        "date": when(peers.data["date"]),
        "commit": peers.data.get("commit"),
        "processor": f"{processor(m)}, {m.get('architecture')}, {m.get('num_cpus')} CPUs",
        "emulated": "yes" if peers.emulated else None,
        "caches": caches(m),
        "compiler": f"{m.get('compiler')}, {m.get('build_type')}",
        "posenc's flags": m.get("c_flags"),
        "peers' flags": PEERS_FLAGS,
        "huge pages": m.get("transparent_huge_pages"),
        "ours": listed(peers.members()),
        "versions": ", ".join(versions),
    }
    found |= {f"not run: {entry['name']}": entry["reason"] for entry in peers.not_run}
    rows = [[what, str(value)] for what, value in found.items() if value not in (None, "")]
    return Table("Conditions", ["what", "value"], rows, text=(1,))


def fitness(row):
    """Whether the peer makes the right table, in a few words."""
    if row.get("right") is None:
        return "not judged"
    if not row["right"]:
        return "no"
    if row.get("wrong_from") is not None:
        return f"wrong from position {row['wrong_from']}"
    drifts = [r["from"] for r in row["ranges"] if r["word"] == "drifting"]
    return f"drifts from position {min(drifts)}" if drifts else "yes"


def errors(peers, described=False):
    """described: with a description of each peer."""
    spans, rows = sorted({(r["from"], r["to"]) for row in peers.rows.values() for r in row["ranges"]}), []
    for row in (row for row in peers.rows.values() if row["ranges"]):
        there = {(r["from"], r["to"]): f"{number(r['max_abs'])} {r['word']}" for r in row["ranges"]}
        rows.append([row["name"], *(there.get(s, "-") for s in spans), fitness(row)])
        rows[-1] += [row.get("what") or "-"] * described
    used = {r["word"] for row in peers.rows.values() for r in row["ranges"]}
    note = "; ".join(f"{word}: {what}" for word, what in WORDS.items() if word in used)
    head = ["who", *(f"to {position(end)}" for _, end in spans), "the right table?", *["what it is"] * described]
    title = "Largest |error| by range of positions"
    return Table(title, head, rows, note, tuple(range(1, len(head))))


def speeds(peers, work):
    cases = peers.groups[work]
    table = Table(f"{named(work)}, {work.n} x {work.d}: {JOBS[work.call]}", ["who"], [[name] for name in cases])

    def add(head, cell):
        cells = [cell(name, case) for name, case in cases.items()]
        if set(cells) - {"-"}:
            table.head.append(head)
            for row, found in zip(table.rows, cells):
                row.append(found)

    add("CPU time" if work.call in IN_C else "time", lambda name, case: time(case))
    for ours in OURS:
        add(f"x {ours}", lambda name, case, ours=ours: figure(case["ratios"].get(ours)))
    add("verdict", lambda name, case: case.get("verdicts", {}).get("exact") or "-")
    add("of limit", lambda name, case: figure(case.get("of_limit"), 100, " %"))
    add("the right table?", lambda name, case: fitness(peers.rows[name]))
    if any(case["rows"] < case["n"] for case in cases.values()):
        table.note = "* made fewer rows; its time is scaled to the whole table"
    return table


def main_speeds(peers, works):
    """One table of each kind: of the size that the pages show, or of the largest."""
    found = {}
    for work in works:  # small ones first
        kind = work._replace(n=0, d=0)
        if kind not in found or found[kind].size != MAIN:
            found[kind] = work
    return [speeds(peers, work) for work in found.values()]


def less_time(peers):
    """The cases in which a peer takes less time than exact or anchored, at every size."""
    rows = []
    for work, cases in peers.groups.items():
        found = []
        for name, case in ((name, case) for name, case in cases.items() if name not in OURS):
            if any(ratio < 1 for ratio, _ in case["ratios"].values()):
                told = [word for word in {*case.get("verdicts", {}).values()} - {"faster", "slower"}]
                told += ["not the right table"] if peers.rows[name].get("right") is False else []
                said = " / ".join(pm(figure(case["ratios"].get(ours))[:1]) for ours in OURS[:2])
                found.append(f"{name} {said}{f' ({listed(sorted(told))})' if told else ''}")
        rows += [[f"{named(work)}, {work.n} x {work.d}", ", ".join(found)]] if found else []
    rows = rows or [["nowhere", "-"]]
    note = "Each figure is the peer's time divided by the time of exact / of anchored."
    return Table("Where a peer takes less time", ["job and size", "peers"], rows, note, (1,))


def calls(peers):
    """Repeated calls of PyTorch programs: posenc.torch beside the module or function that it replaces."""
    rows = []
    for work in sorted(peers.calls, key=lambda work: list(SIZES).index(work.dtype)):
        batch, mode = re.findall(r"b:(\d+)", work.kind), "compiled" if work.kind.endswith("/compiled") else "eager"
        cases = peers.calls[work]
        for who, case in ((who, case) for who, case in cases.items() if who not in OURS and case["ratios"]):
            row = [CALLS[work.call], " x ".join(map(str, (work.n, *batch, work.d))), work.dtype, mode]
            (ours, ratio), *_ = case["ratios"].items()
            rows.append(row + [time(cases[ours])[0], who, time(case)[0], figure(ratio)])
    head = ["call", "shape", "dtype", "mode", "posenc", "peer", "its time", "x posenc"]
    return Table("Calls in PyTorch programs", head, rows, "One thread, no gradients", (1, 2, 3, 5))


def section(peers):
    """Of the report."""
    found = [] if peers.emulated else [less_time(peers)]
    where, of = [row for t in found for row in t.rows if row[1] != "-"], len(peers.groups)
    said = f"In {len(where)} of {of} jobs and sizes, a peer takes less time than exact or anchored, or the difference "
    said = said + "is undecided." if found else EMULATED
    said += f" This is a quick run, of {QUICK}." if peers.data.get("quick") else ""
    found += [errors(peers, described=True)] + [calls(peers)] * bool(peers.calls)
    more = [speeds(peers, work) for work in peers.groups]
    return Section("What people use today (./scripts/peers)", said, [*found, conditions(peers)], more=more)


def printed(peers):
    """What scripts/peers prints: one size of each job."""
    said = "A ratio is the peer's time divided by ours: below 1 the peer takes less time."
    said = EMULATED if peers.emulated else said
    found = [conditions(peers), errors(peers), *main_speeds(peers, peers.groups), less_time(peers)]
    notes = ["./scripts/report shows every size."]
    return Section("Peers", said, found + [calls(peers)] * bool(peers.calls), notes)


def main(args):
    text.show_section(printed(read(args.file)))
