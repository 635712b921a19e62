"""The tables of a run of scripts/peers, for its text, docs/peers.md and the report. A cell is a text, or a value and what stands
after its ±."""
import collections

from peers_cases import JOBS, OURS, WORDS, WORLDS, standing
from peers_targets import proviso, size, targets, threads
from words import error, listed, plural, position

# caption: the title, where it stands below a heading that says which job it is about.
Table = collections.namedtuple("Table", "title head rows note caption", defaults=("",))

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (0.0, "ns"))
WINS, TIES = "peer wins", "tie"


def digits_of(value):
    """Decimals: three digits of what is from 0.1 to 100, and two of a little less."""
    return 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4


def ratio(pair):
    """(value, what stands after ±), marked where the peer wins or ties; without a spread one cell."""
    if pair is None:
        return "-"
    digits, mark = digits_of(pair[0]), {"peer": f" ({WINS})", "tie": f" ({TIES})"}.get(standing(pair), "")
    if pair[1] is None:
        return f"{pair[0]:.{digits}f}{mark}"
    return f"{pair[0]:.{digits}f}", f"{pair[1]:.{digits}f}{mark}"


def duration(seconds, spread=None):
    scale, unit = next((s, u) for s, u in UNITS if seconds >= s)
    scale = scale or 1e-9
    digits = digits_of(seconds / scale)
    if spread is None:
        return f"{seconds / scale:.{digits}f} {unit}"
    return f"{seconds / scale:.{digits}f}", f"{spread / scale:.{digits}f} {unit}"


def memory(count):
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << shift:
            return f"{count / (1 << shift):.3g} {unit}"
    return f"{count:g} B"


def together(cell, mark="±"):
    return cell if isinstance(cell, str) else f"{cell[0]} {mark} {cell[1]}"


def named(group, name=None):
    return ", ".join(filter(None, (group.job, WORLDS[group.world], threads(group.threads), name)))


def title(group):
    clock = "CPU time" if group.world == "c" else "wall time"
    return f"{group.job}: {JOBS[group.job]}; {WORLDS[group.world]}, {threads(group.threads)}, {clock}"


def heading(column):
    return size(column) if column.below is None else f"d {column.d}, below {column.below}"


def of_group(peers, group):
    """The tables of one job: times, ratios to each of ours, and what else is known."""
    columns, names = peers.columns(group), peers.names(group)
    heads = [heading(c) for c in columns]
    at = {column: peers.column(group, column) for column in columns}

    def rows(cell, who):
        found = [[name] + [cell(at[c][name]) if name in at[c] else "-" for c in columns] for name in who]
        return [row for row in found if set(row[1:]) != {"-"}]

    def time(case):
        cell, mark = duration(case["seconds"], case["spread"]), "*" if case["rows"] < case["n"] else ""
        return cell + mark if isinstance(cell, str) else (cell[0], cell[1] + mark)

    def limit(case):
        pair = case["of_limit"]
        if pair is None:
            return "-"
        value = f"{100 * pair[0]:.1f} %"
        return value if pair[1] is None else (f"{100 * pair[0]:.1f}", f"{100 * pair[1]:.1f} %")

    def table(what, head, found, note=""):
        return Table(f"{named(group)}: {what}", [head, *heads], found, note, what)

    partial = any(case["rows"] < case["n"] for case in peers.groups[group].values())
    yield table("time", "who", rows(time, names), "* made fewer rows; its time is scaled to the whole table" if partial else "")
    others = [n for n in names if n not in OURS]
    for ours in OURS:
        found = rows(lambda case, o=ours: ratio(case[o]), others)
        marked = any(standing(case[ours]) in ("peer", "tie") for case in peers.groups[group].values())
        if found:
            yield table(f"the peer's time divided by that of {ours}", "peer", found,
                        f"below 1 the peer is faster: \"{WINS}\" beyond the spread, \"{TIES}\" within it" if marked else "")
    shares = rows(limit, names) if group.job == "fill" else []
    if shares:
        yield table("share of what stores to the same memory reach", "who", shares)
    used = rows(lambda case: "-" if case.get("memory") is None else memory(case["memory"]), names)
    if used:
        yield table("memory used at most beyond the table itself", "who", used)


def speeds(peers):
    """[(what a job is, its tables)]"""
    return [(title(group), list(of_group(peers, group))) for group in peers.groups]


def wording(r):
    return f"{'not finite' if r['max_abs'] is None else error(r['max_abs'])} {r['word']}"


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
    starts = {0, *(b for _, b in spans)}  # where a column goes on from another, or from the first position
    head = ["who", *(f"to {position(b)}" if a in starts else f"{a} to {b - 1}" for a, b in spans), "the right table?", "preset"]
    rows = []
    for row in peers.rows.values():
        there = {(r["from"], r["to"]): r for r in row["ranges"]}
        rows.append([row["name"]] + [wording(there[s]) if s in there else "-" for s in spans]
                    + [fitness(row), row.get("preset") or "-"])
    used = {r["word"] for row in peers.rows.values() for r in row["ranges"]}
    note = "; ".join(f"{word}: {what}" for word, what in WORDS.items() if word in used)
    return Table("Largest |error| against MPFR by position, each column from the end of the one before", head, rows, note)


def who(peers):
    rows = [[row["name"], WORLDS[row["world"]], row.get("version") or "-", row.get("preset") or "-", row.get("what") or "-"]
            for row in peers.rows.values()]
    return Table("Who", ["name", "world", "version", "preset", "what"], rows, "")


def target_table(peers):
    return Table("Targets", ["target", "demanded", "verdict", "reached"],
                 [[t.what, t.demanded, t.verdict, t.reached] for t in targets(peers)], proviso(peers))


def conditions(peers):
    """[(what, value)] of the machine and the versions."""
    m = peers.machine
    caches = [f"L{c['level']} {memory(c['size'])}" for c in sorted(m.get("caches", []), key=lambda c: c["level"])
              if c.get("type") != "Instruction"]
    found = [("date", peers.data["date"].replace("T", " ").replace("+00:00", " UTC")), ("processor", m.get("cpu")),
             ("architecture", m.get("architecture")), ("emulated", "yes" if peers.emulated else None),
             ("processors", m.get("processors")), ("data caches", ", ".join(caches)), ("compiler", m.get("compiler")),
             ("build type", m.get("build_type")), ("flags", m.get("c_flags")), ("huge pages", m.get("transparent_huge_pages")),
             ("ours", listed(peers.members().values())),
             ("versions", ", ".join(f"{name} {version}" for name, version in peers.versions.items())),
             ("compared", listed(plural(sum(w == world and n not in OURS for w, n in peers.rows), f"{name} peer")
                                 for world, name in WORLDS.items()))]
    return [(what, str(value)) for what, value in found if value not in (None, "")]
