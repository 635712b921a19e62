"""The tables of a run of scripts/peers, for its text, docs/peers.md and the report."""
import re

from . import text
from .peers import CALLS, IN_C, OURS, JOBS, WORDS, read, work_of
from .processors import caches, processor
from .stats import SIZES
from .tables import Section, Table
from .words import details, listed, number, of_limit, position, span, three, when

QUICK = "few repetitions and sizes: the figures show that it runs, not how fast anything is"
EMULATED = "The run was emulated: these times say nothing about a real machine."
PEERS_FLAGS = "-O3 and those of their instruction set; libmvec's also -ffast-math, without which GCC does not use it"
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
MAIN = (5000, 512)  # the size that the pages and the text show; the report shows all


def ratio(case, ours):
    return three(case["ratios"][ours]) if ours in case["ratios"] else "-"


def time(case):
    scale, unit = next((u for u in UNITS if case["seconds"] >= u[0]), UNITS[-1])
    value, spread = three(case["seconds"] / scale), case.get("spread")
    digits = len(value.partition(".")[2])
    # A slow peer makes fewer rows.
    value += f" {unit}{'*' * (case['rows'] < case['n'])}"
    return value, "" if spread is None else f"{spread / scale:.{digits}f}"


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
        "flags of the others in C and C++": PEERS_FLAGS,
        "huge pages (setting)": m.get("transparent_huge_pages"),
        "posenc's implementations": listed(peers.members()),
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
        add(f"x {ours}", lambda name, case, ours=ours: ratio(case, ours))
    add("verdict", lambda name, case: case.get("verdicts", {}).get("exact") or "-")
    add("of limit", lambda name, case: of_limit(case.get("of_limit")))
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
    """The cases in which another library takes less time than exact or anchored, at every size."""
    rows = []
    for work, cases in peers.groups.items():
        for name, case in ((name, case) for name, case in cases.items() if name not in OURS):
            if any(found < 1 for found in case["ratios"].values()):
                told = sorted({*case.get("verdicts", {}).values()} - {"faster", "slower"})
                told += ["not the right table"] if peers.rows[name].get("right") is False else []
                ratios = [ratio(case, ours) for ours in OURS[:2]]
                rows.append([f"{named(work)}, {work.n} x {work.d}", name, *ratios, listed(told) or "-"])
    head = ["job and size", "library", "x exact", "x anchored", "note"]
    return Table("Where another library takes less time", head, rows or [["nowhere", *"----"]], text=(1, 4))


def calls(peers):
    """Repeated calls of PyTorch programs: posenc.torch beside the module or function that it replaces."""
    rows = []
    for work in sorted(peers.calls, key=lambda work: list(SIZES).index(work.dtype)):
        batch, mode = re.findall(r"b:(\d+)", work.kind), "compiled" if work.kind.endswith("/compiled") else "eager"
        cases = peers.calls[work]
        for who, case in ((who, case) for who, case in cases.items() if who not in OURS and case["ratios"]):
            row = [CALLS[work.call], " x ".join(map(str, (work.n, *batch, work.d))), work.dtype, mode]
            ours = next(iter(case["ratios"]))
            rows.append(row + [time(cases[ours])[0], who, time(case)[0], ratio(case, ours)])
    head = ["call", "shape", "dtype", "mode", "posenc", "in place of", "its time", "x posenc"]
    return Table("Calls in PyTorch programs", head, rows, "One thread, no gradients", (1, 2, 3, 5))


def folds(peers):
    """Of the report."""
    found = [] if peers.emulated else [less_time(peers)]
    where = {row[0] for table in found for row in table.rows if row[1] != "-"}
    said = f"Another library takes less time than exact or anchored in {len(where)} of {len(peers.groups)} cases."
    said = said if found else EMULATED
    said += f" This is a quick run, of {QUICK}." if peers.data.get("quick") else ""
    found += [errors(peers, described=True)] + [calls(peers)] * bool(peers.calls)
    return {said: [*found, conditions(peers)], "Other libraries: all times": [speeds(peers, w) for w in peers.groups]}


def printed(peers):
    """What scripts/peers prints: one size of each job."""
    said = "x exact: the time of another library divided by that of exact. Below 1 the other library takes less time."
    said = EMULATED if peers.emulated else said
    found = [conditions(peers), errors(peers), *main_speeds(peers, peers.groups), less_time(peers)]
    notes = ["./scripts/report shows every size."]
    return Section("Other libraries", said, found + [calls(peers)] * bool(peers.calls), notes)


def main(args):
    text.show_section(printed(read(args.file)))
