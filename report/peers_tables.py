"""The tables and sentences of a run of scripts/peers, for its text, docs/peers.md and the report."""
import math

from .peers import JOBS, OURS, REMARKS, WORDS, WORLDS, Column, Group, interval, standing
from .tables import Table
from .words import binary, listed, number, plural, position, when

QUICK = "few repetitions and sizes: its figures show that it runs, not how fast anything is"
PEERS_FLAGS = "-O3 and those of their instruction set; libmvec's also -ffast-math, without which GCC does not use it"
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
MARKED = {"faster": " (peer wins)", "tie": " (tie)"}
MARKS = 'below 1 the peer is faster: "peer wins" where the rule says so, "tie" where it cannot tell'


def rounded(value):
    """Three digits of what is from 0.1 to 100, and two of a little less."""
    digits = 0 if value >= 100 or value <= 0 else 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    return f"{value:.{digits}f}"


def figure(value, spread, between=None, tail=""):
    """(value, what stands after ±); one cell without a spread, and with quartiles where ± would reach 0."""
    text = rounded(value)
    if spread is None:
        return text + tail
    if spread >= value and between:
        return f"{text} ({rounded(max(between[0], 0))} to {rounded(between[1])}){tail}"
    return text, f"{spread:.{len(text.partition('.')[2])}f}{tail}"


def ratio(case, ours, marks=MARKED):
    """(value, what stands after ±), marked where the peer wins or ties."""
    return figure(*case[ours], interval(case, ours), marks.get(standing(case, ours), "")) if case[ours] else "-"


def duration(seconds, spread=None, between=None):
    scale, unit = next((u for u in UNITS if seconds >= u[0]), UNITS[-1])
    return figure(seconds / scale, spread and spread / scale, between and [t / scale for t in between], f" {unit}")


def share(case):
    found = case["of_limit"]
    return "-" if found is None else (f"{100 * found[0]:.1f} %", "" if found[1] is None else f"{100 * found[1]:.1f}")


def size(column):
    return f"{column.n} x {column.d}" if column.below is None else f"d {column.d}, below {column.below}"


def threads(count):
    return "one thread" if count == 1 else f"{count} threads"


def named(group, name=None):
    return ", ".join(filter(None, (group.job, WORLDS[group.world], threads(group.threads), name)))


def title(group):
    return f"{group.job}: {JOBS[group.job]}; {WORLDS[group.world]}, {threads(group.threads)}, " + (
        "CPU time" if group.world == "c" else "wall time"
    )


def conditions(peers):
    """[(what, value)] of the machine, the versions and how it was measured."""
    m, run, measured = peers.machine, peers.run, []
    caches = [
        f"L{c['level']} {binary(c['size'])}"
        for c in sorted(m.get("caches", []), key=lambda c: c["level"])
        if c.get("type") != "Instruction"
    ]
    if run.get("repetitions"):
        measured.append(f"{' to '.join(str(n) for n in sorted(set(run['repetitions'])))} repetitions (C)")
    if run.get("turns"):
        large = f", of large tables {run['large_turns']}" if run.get("large_turns") not in (None, run["turns"]) else ""
        measured.append(f"{run['turns']} turns{large}, seed {run.get('seed')} (Python)")
    found = [
        ("a quick run", QUICK if run.get("quick") else None),
        ("measured", "; ".join(measured)),
        ("date", when(peers.data["date"])),
        ("commit", peers.data.get("commit")),
        ("processor", m.get("cpu")),
        ("architecture", m.get("architecture")),
        ("emulated", "yes" if peers.emulated else None),
        ("processors", m.get("processors")),
        ("data caches", ", ".join(caches)),
        ("compiler", m.get("compiler")),
        ("build type", m.get("build_type")),
        ("posenc's flags", m.get("c_flags")),
        ("peers' flags", PEERS_FLAGS if any(w == "c" and n not in OURS for w, n in peers.rows) else None),
        ("huge pages", m.get("transparent_huge_pages")),
        ("ours", listed(peers.members().values())),
        ("versions", ", ".join(f"{name} {version}" for name, version in peers.versions.items())),
        (
            "compared",
            listed(
                plural(sum(w == world and n not in OURS for w, n in peers.rows), f"{name} peer")
                for world, name in WORLDS.items()
            ),
        ),
    ]
    return [(what, str(value)) for what, value in found if value not in (None, "")]


def remarks(peers, group):
    """What is to be known beside a job's times."""
    cases, found = peers.groups[group].values(), []
    if any(case["rows"] < case["n"] for case in cases):
        found.append("* made fewer rows; its time is scaled to the whole table")
    single = dict.fromkeys(case["peer"] for case in cases if case.get("single"))
    found += [f"of one thread only, beside ours with all: {listed(single)}"] if single else []
    return "; ".join(filter(None, [*found, REMARKS.get(group.job)]))


def time(case):
    cell = duration(case["seconds"], case["spread"], (case.get("quartiles") or {}).get("seconds"))
    if case["rows"] == case["n"]:
        return cell
    return cell + "*" if isinstance(cell, str) else (cell[0], cell[1] + "*")


def of_group(peers, group):
    """The tables of one job: times, ratios to each of ours, and what else is known."""
    columns, names = peers.columns(group), peers.names(group)
    at = {column: peers.column(group, column) for column in columns}

    def table(what, cell, first="who", who=names, note=""):
        found = [[name] + [cell(at[c][name]) if name in at[c] else "-" for c in columns] for name in who]
        return Table(what, [first, *map(size, columns)], [row for row in found if set(row[1:]) != {"-"}], note=note)

    yield table("time", time, note=remarks(peers, group))
    for ours in OURS:
        what, others = f"the peer's time divided by that of {ours}", [n for n in names if n not in OURS]
        yield table(what, lambda case, o=ours: ratio(case, o), "peer", others, MARKS)
    if group.job == "fill":
        yield table("share of what stores to the same memory reach", share)
    yield table(
        "memory used at most beyond the table itself",
        lambda case: "-" if case.get("memory") is None else binary(case["memory"]),
    )


def speeds(peers):
    """[(Group, its tables)]"""
    return [(group, [table for table in of_group(peers, group) if table.rows]) for group in peers.groups]


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


def errors(peers):
    spans = sorted({(r["from"], r["to"]) for row in peers.rows.values() for r in row["ranges"]})
    if not spans:
        return None
    rows = []
    for row in peers.rows.values():
        there = {(r["from"], r["to"]): r for r in row["ranges"]}
        cells = [
            f"{'not finite' if there[s]['max_abs'] is None else number(there[s]['max_abs'])} {there[s]['word']}"
            if s in there
            else "-"
            for s in spans
        ]
        rows.append([row["name"], *cells, fitness(row), row.get("preset") or "-"])
    compared = sorted({r["rows"] for row in peers.rows.values() for r in row["ranges"] if r.get("rows")})
    many = (
        f"; of {compared[0]}{f' to {compared[-1]}' if len(compared) > 1 else ''} rows of each range" if compared else ""
    )
    used = {r["word"] for row in peers.rows.values() for r in row["ranges"]}
    head = ["who", *(f"to {position(b)}" if a in {0, *(e for _, e in spans)} else f"{a} to {b - 1}" for a, b in spans)]
    return Table(
        f"Largest |error| against MPFR by position, each column from the end of the one before{many}",
        [*head, "the right table?", "preset"],
        rows,
        tuple(range(1, len(head) + 2)),
        "; ".join(f"{word}: {what}" for word, what in WORDS.items() if word in used),
    )


def who(peers):
    rows = [
        [row["name"], WORLDS[row["world"]], *(row.get(key) or "-" for key in ("version", "preset", "what"))]
        for row in peers.rows.values()
    ]
    return Table("Who", ["name", "world", "version", "preset", "what"], rows, (1, 2, 3, 4))


def tally(peers):
    """[(job, who is faster in it)], of every job in which anybody is."""
    found = {}
    for loss in peers.compared("faster"):
        found.setdefault(loss.group, {})[loss.case["peer"]] = None
    return [
        (named(group), f"{len(names)} of {plural(len(set(peers.names(group)) - set(OURS)), 'peer')}: {listed(names)}")
        for group, names in found.items()
    ]


def by_size(peers, wanted):
    """[(job and size, all who stand so there)]: "quick 0.500 / 0.250 (the right table? no)" is the peer's time by that
    of exact, and by that of anchored, each where it stands so."""
    found = {}
    for group, column, case, against in peers.compared(wanted):
        found.setdefault((group, column), {}).setdefault(case["peer"], {})[against] = rounded(case[against][0])

    def shown(group, name, there):
        told = fitness(peers.row(group, name))
        told = "" if told in ("yes", "not judged") else f" (the right table? {told})"
        return f"{name}\u00a0{' / '.join(there.get(ours, '-') for ours in OURS)}{told}"

    lines = {key: [shown(key[0], *each) for each in who.items()] for key, who in found.items()}
    return [(named(group, size(column)), ", ".join(each)) for (group, column), each in lines.items()]


def nowhere(peers):
    """What stands in place of losses, or nothing."""
    if not any(case[o] for group in peers.groups for _, case in peers.theirs(group) for o in OURS):
        return "Nothing was compared."
    return (
        "" if peers.compared("faster") else "Nowhere: in no job and at no size is a peer faster than exact or anchored."
    )


CACHED, ANCHORED, IN_MEMORY, OF_LIMIT, FRESH, REFILLED = 2.0, 3.0, 2.0, 0.88, 20.0, 60.0
LARGEST = Column(131072, 1024, None)
TUTORIAL = "torch_tutorial"
MET, MISSED, OPEN = "met", "missed", "open"


def down(value):
    """Rounded down, so that nothing looks met that is not."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{math.floor(value * 10 ** digits + 1e-9) / 10 ** digits:.{digits}f}"


def at_least(peers, group, cases, ours, factor, what, limited=False):
    """A row of the table: whether the peers' times are that many times ours at every size; limited: or ours so near to
    what stores reach that nobody could be much faster. It names the closest peer, and that of every size that falls
    short."""
    demanded = f"{'above 1' if factor == 1 else f'at least {factor:g}'}" + (
        f", or {OF_LIMIT} of the limit" if limited else ""
    )
    if not cases or not all(case[ours] for _, case in cases):
        return [what, demanded, OPEN, f"{ours} was not run at every size" if cases else "not measured"]
    short, closest = [], {}
    for column in sorted({c for c, _ in cases}, key=lambda c: (c.n * c.d, c.d)):
        case = min((case for c, case in cases if c == column), key=lambda case: case[ours][0])
        limit = peers.column(group, column).get(ours, {}).get("of_limit") if limited else None
        closest[column] = f"{down(case[ours][0])} ({case['peer']}, {size(column)}" + (
            f"; {math.floor(1000 * limit[0]) / 1000:.3f} of the limit)" if limit else ")"
        )
        reached = case[ours][0] > 1 if factor == 1 else case[ours][0] >= factor
        if not reached and not (limit and limit[0] >= OF_LIMIT):
            short.append(column)
    least = min(cases, key=lambda c: c[1][ours][0])[0]
    reached = f"least {closest[least]}" + (
        f"; short at {len(short)} of {len(closest)} sizes: " f"{'; '.join(closest[c] for c in short)}"
        if short and len(closest) > 1
        else ""
    )
    return [what, demanded, MISSED if short else MET, reached]


def target_rows(peers):
    fill, caches = Group("c", "fill", 1), peers.machine.get("caches", [])
    cases = peers.theirs(fill)
    yield at_least(peers, fill, cases, "exact", 1, "exact ahead of every C peer, fill")
    for group in peers.groups:
        if (group.world, group.job) == ("python", "fresh"):
            what = f"exact ahead of every Python peer, fresh table, {threads(group.threads)}"
            yield at_least(peers, group, peers.theirs(group), "exact", 1, what)
    l2 = max((c["size"] for c in caches if c["level"] == 2), default=0)
    last = max(caches, key=lambda c: c["level"])["size"] if caches else 0
    for what, low, high, limited, demands in (
        ("in cache (to L2)", 0, l2, False, (CACHED, ANCHORED)),
        ("beyond L2, to the last level", l2, last, True, (CACHED, ANCHORED)),
        ("in memory", last, math.inf, True, (IN_MEMORY,)),
    ):
        there = [(c, case) for c, case in cases if low < 4 * c.n * c.d <= high]
        for ours, factor in zip(("exact", "anchored"), demands):
            yield at_least(peers, fill, there, ours, factor, f"{ours} x the fastest C peer, fill, {what}", limited)
    for job, factor, what in (("fresh", FRESH, "fresh"), ("refill", REFILLED, "in place")):
        for count in [g.threads for g in peers.groups if (g.world, g.job) == ("python", job)] or [1]:
            group = Group("python", job, count)
            case = peers.groups.get(group, {}).get((TUTORIAL, LARGEST))
            what_of = f"exact x PyTorch eager, 131072 x 1024 {what}, {threads(count)}"
            yield at_least(peers, group, [(LARGEST, case)] if case else [], "exact", factor, what_of)


def targets(peers):
    found, member, notes = list(target_rows(peers)), peers.members().get("exact"), []
    if peers.emulated:
        found = [[what, demanded, OPEN, f"{reached}; emulated"] for what, demanded, _, reached in found]
    if member and not member.endswith("_avx512"):
        notes.append(f"The targets are set for a processor with AVX-512; this run's exact is {member}.")
    if peers.run.get("quick"):
        notes.append("A quick run: its figures show that it runs, not how fast anything is.")
    notes.append(f"Sizes of caches are as the system reports them. PyTorch eager is {TUTORIAL}, the tutorial's code.")
    return Table("Targets", ["target", "demanded", "verdict", "reached"], found, (1, 2, 3), " ".join(notes))
