"""The tables of a run of scripts/peers, for its text, docs/peers.md and the report."""
from .peers import JOBS, OURS, WORDS, WORLDS
from .tables import Section, Table
from .words import binary, caches_text, listed, number, pm, position, when

QUICK = "few repetitions and sizes: its figures show that it runs, not how fast anything is"
PEERS_FLAGS = "-O3 and those of their instruction set; libmvec's also -ffast-math, without which GCC does not use it"
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
MAIN = (5000, 512)  # the table of the pages and of the text; the report has all


def figure(found, scale=1.0, tail=""):
    """A cell of [value, half an interquartile range or None], or of None; three digits."""
    if found is None:
        return "-"
    value, spread = found[0] * scale, found[1]
    digits = 0 if value >= 100 or value <= 0 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}{tail}", "" if spread is None else f"{spread * scale:.{digits}f}"


def time(case):
    scale, unit = next((u for u in UNITS if case["seconds"] >= u[0]), UNITS[-1])
    # Of a slow peer fewer rows are made.
    return figure([case["seconds"], case.get("spread")], 1 / scale, f" {unit}{'*' * (case['rows'] < case['n'])}")


def size(column):
    return f"{column.n} x {column.d}" if column.below is None else f"d {column.d}, below {column.below}"


def named(group):
    return f"{group.job}, {WORLDS[group.world]}, {'one thread' if group.threads == 1 else f'{group.threads} threads'}"


def conditions(peers):
    """The machine, the versions and how it was measured."""
    m, run, versions = peers.machine, peers.run, peers.data["versions"].items()
    found = {
        "a quick run": QUICK if run.get("quick") else None,
        "repetitions": " to ".join(str(n) for n in sorted(set(run.get("repetitions") or []))),
        "turns in Python": run.get("turns")
        and f"{run['turns']}, of large tables {run.get('large_turns')}, seed {run.get('seed')}",
        "date": when(peers.data["date"]),
        "commit": peers.data.get("commit"),
        "processor": f"{m.get('cpu')}, {m.get('architecture')}, {m.get('processors')} CPUs",
        "emulated": "yes" if peers.emulated else None,
        "data caches": caches_text(m.get("caches")),
        "compiler": f"{m.get('compiler')}, {m.get('build_type')}",
        "posenc's flags": m.get("c_flags"),
        "peers' flags": PEERS_FLAGS,
        "huge pages": m.get("transparent_huge_pages"),
        "ours": listed(peers.members()),
        "versions": ", ".join(f"{name} {version}" for name, version in versions),
    }
    found |= {f"not run: {entry['name']}": entry["reason"] for entry in peers.not_run}
    return Table(
        "Conditions", ["what", "value"], [[k, str(v)] for k, v in found.items() if v not in (None, "")], text=(1,)
    )


def fitness(row):
    """Whether it is the table that it should be, in a few words."""
    if row.get("right") is None:
        return "not judged"
    if not row["right"]:
        return "no"
    if row.get("wrong_from") is not None:
        return f"wrong from position {row['wrong_from']}"
    drifts = [r["from"] for r in row["ranges"] if r["word"] == "drifting"]
    return f"drifts from position {min(drifts)}" if drifts else "yes"


def who(peers):
    rows = [
        [row["name"], WORLDS[row["world"]], row.get("version") or "-", row.get("preset") or "-", row.get("what") or "-"]
        for row in peers.rows.values()
    ]
    return Table("Who", ["name", "world", "version", "preset", "what"], rows, text=(1, 2, 3, 4))


def errors(peers, described=False):
    """described: with what each is."""
    spans, rows = sorted({(r["from"], r["to"]) for row in peers.rows.values() for r in row["ranges"]}), []
    for row in peers.rows.values():
        there = {(r["from"], r["to"]): f"{number(r['max_abs'])} {r['word']}" for r in row["ranges"]}
        rows.append([row["name"], *(there.get(s, "-") for s in spans), fitness(row)])
        rows[-1] += [row.get("what") or "-"] * described
    used = {r["word"] for row in peers.rows.values() for r in row["ranges"]}
    note = "; ".join(f"{word}: {what}" for word, what in WORDS.items() if word in used)
    head = ["who", *(f"to {position(end)}" for _, end in spans), "the right table?", *["what it is"] * described]
    title = "Largest |error| against MPFR by position, each column from the end of the one before"
    return Table(title, head, rows, note, tuple(range(1, len(head))))


def speeds(peers, group, column):
    """Everything that is known of one job and size."""
    cases = peers.groups[group][column]
    table = Table(f"{named(group)}, {size(column)}: {JOBS[group.job]}", ["who"], [[name] for name in cases])

    def add(head, cell):
        cells = [cell(name, case) for name, case in cases.items()]
        if set(cells) - {"-"}:
            table.head.append(head)
            for row, found in zip(table.rows, cells):
                row.append(found)

    def verdict(name, case):
        return case.get("verdicts", {}).get("exact") or "-"

    add("CPU time" if group.world == "c" else "time", lambda name, case: time(case))
    for ours in OURS:
        add(f"x {ours}", lambda name, case, ours=ours: figure(case[ours]))
    add("verdict", verdict)
    add("of limit", lambda name, case: figure(case.get("of_limit"), 100, " %"))
    add("more memory", lambda name, case: "-" if case.get("memory") is None else binary(case["memory"]))
    add("the right table?", lambda name, case: fitness(peers.row(group.world, name)))
    starred = any(case["rows"] < case["n"] for case in cases.values())
    single = [name for name, case in cases.items() if case.get("single")]
    notes = ["* made fewer rows; its time is scaled to the whole table"] if starred else []
    table.note = "; ".join(notes + ([f"of one thread only: {listed(single)}"] if single else []))
    return table


def main_speeds(peers, groups):
    """Of each job the table of the size that the pages are about, or the largest."""
    for group in groups:
        columns = list(peers.groups[group])
        yield speeds(peers, group, next((c for c in columns if c[:2] == MAIN), columns[-1]))


def faster(peers):
    """Where a peer takes less time than exact or anchored, at every size."""
    rows = []
    for group, columns in peers.groups.items():
        for column, cases in columns.items():
            found = []
            for name, case in ((name, case) for name, case in cases.items() if name not in OURS):
                ratios = [case[ours] for ours in OURS]
                if any(ratio and ratio[0] < 1 for ratio in ratios):
                    told = [word for word in {*case.get("verdicts", {}).values()} - {"faster", "slower"}]
                    told += ["not the right table"] if peers.row(group.world, name).get("right") is False else []
                    said = " / ".join(pm(figure(ratio)[:1] if ratio else "-") for ratio in ratios)
                    found.append(f"{name} {said}{f' ({listed(sorted(told))})' if told else ''}")
            rows += [[f"{named(group)}, {size(column)}", ", ".join(found)]] if found else []
    rows = rows or [["nowhere", "-"]]
    note = "The peer's time divided by that of exact / of anchored; in parentheses where the difference may be chance"
    return Table("Where a peer is faster", ["job and size", "peers"], rows, note, (1,))


def calls(peers):
    """What PyTorch programs call again and again, beside what it replaces."""
    rows = []
    for c in peers.calls:
        ours, theirs = (time({"seconds": c[key], "n": 0, "rows": 0})[0] for key in ("seconds", "theirs"))
        ratio = figure([1 + c["behind"], c["unsure"]])
        rows.append([c["what"], c["shape"], c["dtype"], c["mode"], ours, theirs, ratio, c["verdict"], c["against"]])
    head = ["call", "shape", "dtype", "mode", "posenc", "theirs", "posenc / theirs", "posenc is", "theirs is"]
    note = "One thread, no gradients; behind ± stands half the 95 % interval of the sign test, at least 0.01"
    return Table("Calls in PyTorch programs", head, rows, note, (1, 2, 3, 7, 8))


def section(peers):
    """Of the report."""
    found = [] if peers.emulated else [faster(peers)]
    where, of = [row for t in found for row in t.rows if row[1] != "-"], sum(map(len, peers.groups.values()))
    said = f"Some peer is faster than exact or anchored in {len(where)} of {of} jobs and sizes" if found else ""
    found += [errors(peers), who(peers)]
    found += [calls(peers)] if peers.calls else []
    found += [speeds(peers, group, column) for group, columns in peers.groups.items() for column in columns]
    return Section("What people use instead (./scripts/peers)", [], [*found, conditions(peers)], finding=said)


def text(peers):
    """What scripts/peers prints: of each job one size."""
    notes = ["Emulated: these times say nothing about a real machine."] if peers.emulated else []
    notes.append(
        "Ratios: the peer's time divided by ours, below 1 the peer is faster. ./scripts/report shows every size."
    )
    tables = [conditions(peers), errors(peers), *main_speeds(peers, peers.groups), faster(peers)]
    return Section("Peers", notes, tables + ([calls(peers)] if peers.calls else []))
