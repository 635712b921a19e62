"""The tables of a run of scripts/peers, for its text, docs/peers.md and the report. A cell is a text, or a value and what stands
after its ±."""
import collections

from peers_cases import standing
from peers_figures import MARKS, duration, memory, ratio
from peers_targets import proviso, targets
from peers_verdict import size, threads
from peers_words import JOBS, OURS, REMARKS, WORDS, WORLDS
from words import error, listed, plural, position

# caption: the title, where it stands below a heading that says which job it is about.
Table = collections.namedtuple("Table", "title head rows note caption", defaults=("",))


def named(group, name=None):
    return ", ".join(filter(None, (group.job, WORLDS[group.world], threads(group.threads), name)))


def title(group):
    clock = "CPU time" if group.world == "c" else "wall time"
    return f"{group.job}: {JOBS[group.job]}; {WORLDS[group.world]}, {threads(group.threads)}, {clock}"


def heading(column):
    return size(column) if column.below is None else f"d {column.d}, below {column.below}"


def remarks(peers, group):
    """What is to be known beside a job's times."""
    cases = peers.groups[group].values()
    single = dict.fromkeys(case["peer"] for case in cases if case.get("single"))
    return "; ".join(filter(None, (
        "* made fewer rows; its time is scaled to the whole table" if any(case["rows"] < case["n"] for case in cases) else "",
        f"of one thread only, beside ours with all: {listed(single)}" if single else "", REMARKS.get(group.job))))


def of_group(peers, group):
    """The tables of one job: times, ratios to each of ours, and what else is known."""
    columns, names = peers.columns(group), peers.names(group)
    heads = [heading(c) for c in columns]
    every = [(name, case) for (name, _), case in peers.groups[group].items()]
    at = {column: peers.column(group, column) for column in columns}

    def rows(cell, who):
        found = [[name] + [cell(at[c][name]) if name in at[c] else "-" for c in columns] for name in who]
        return [row for row in found if set(row[1:]) != {"-"}]

    def time(case):
        between = (case.get("quartiles") or {}).get("seconds")
        cell, mark = duration(case["seconds"], case["spread"], between), "*" if case["rows"] < case["n"] else ""
        return cell + mark if isinstance(cell, str) else (cell[0], cell[1] + mark)

    def limit(case):
        pair = case["of_limit"]
        if pair is None:
            return "-"
        value = f"{100 * pair[0]:.1f} %"
        return value if pair[1] is None else (f"{100 * pair[0]:.1f}", f"{100 * pair[1]:.1f} %")

    def table(what, head, found, note=""):
        return Table(f"{named(group)}: {what}", [head, *heads], found, note, what)

    yield table("time", "who", rows(time, names), remarks(peers, group))
    others = [n for n in names if n not in OURS]
    for ours in OURS:
        found = rows(lambda case, o=ours: ratio(case, o), others)
        marked = any(standing(case, ours) in ("peer", "tie") for name, case in every if name not in OURS)
        if found:
            yield table(f"the peer's time divided by that of {ours}", "peer", found,
                        MARKS if marked else "")
    shares = rows(limit, names) if group.job == "fill" else []
    if shares:
        yield table("share of what stores to the same memory reach", "who", shares)
    used = rows(lambda case: "-" if case.get("memory") is None else memory(case["memory"]), names)
    if used:
        yield table("memory used at most beyond the table itself", "who", used)


def speeds(peers):
    """[(Group, its tables)]"""
    return [(group, list(of_group(peers, group))) for group in peers.groups]


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
    of = sampled(peers)
    return Table(f"Largest |error| against MPFR by position, each column from the end of the one before{of and f'; {of}'}",
                 head, rows, note)


def sampled(peers):
    """ "of 256 rows of each range, width 512", of what was compared with MPFR; nothing where that is not known."""
    rows = sorted({r["rows"] for row in peers.rows.values() for r in row["ranges"] if r.get("rows")})
    widths = sorted({row["d_model"] for row in peers.rows.values() if row["ranges"] and row.get("d_model")})
    many = f"of {rows[0]}{f' to {rows[-1]}' if len(rows) > 1 else ''} rows of each range" if rows else ""
    return ", ".join(filter(None, (many, f"width {listed(map(str, widths))}" if widths else "")))


def who(peers):
    rows = [[row["name"], WORLDS[row["world"]], row.get("version") or "-", row.get("preset") or "-", row.get("what") or "-"]
            for row in peers.rows.values()]
    return Table("Who", ["name", "world", "version", "preset", "what"], rows, "")


def target_table(peers):
    found = targets(peers)
    return Table("Targets", ["target", "demanded", "verdict", "reached"],
                 [[t.what, t.demanded, t.verdict, t.reached] for t in found], proviso(peers, found))
