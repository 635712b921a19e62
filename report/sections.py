"""The sections of the report: a question, its answer in one sentence, a picture and tables."""
import dataclasses
import math

from . import conditions, peers_tables, plots, plots_speed, tables
from .peers import JOBS, OURS, UNFIT
from .picks import choice_of, pick, picks, remark
from .stats import PLAIN_LOOP, best_limit, sizes_in
from .tables import Table
from .words import listed, medians, number, of_limit, plural, pm, share, share_text, speed, ulps

EMULATED = "Emulated: these times say nothing about a real machine, and are not ranked."
BUDGET = 1e-6


@dataclasses.dataclass
class Section:
    key: str
    question: str
    answer: str
    picture: object = None
    tables: tuple = ()
    items: tuple = ()  # [(what, text)]
    facts: tuple = ()
    note: str = ""


def sections(run):
    def section(key, question, answer, picture, found, **more):
        said = EMULATED if run.emulated and key in ("speed", "single", "more") else answer(run)
        drawn = picture(run, said) if picture and said != EMULATED else None
        return Section(key, question, said, drawn, list(found), **more)

    chosen, first = picks(run) if run.ranked else (), [t for t in (final_table(run), left_aside(run)) if t]
    drawn = plots.choice if run.ranked else None
    yield section("choice", "Which implementation should I use?", choice, drawn, first, items=chosen)
    yield section("growth", "How wrong does each get as positions grow?", growth, plots.growth, [curves(run)])
    yield section("where", "Where in the table are the errors?", where, plots.where, [])
    yield section("ulps", "How is the error distributed?", rounded, plots.ulps, [distribution(run)])
    if run.bench:
        found = [tables.matrix(run), *tables.levels(run)]
        yield section("speed", "How fast by table size, against the limits?", speeds, plots_speed.speed, found)
        question = "And one row, random positions, a fresh table?"
        yield section("single", question, single, plots_speed.single, tables.single(run))
        yield section("more", "What of other dtypes, sums and conventions?", others, None, tables.others(run))
    if run.peers:
        question = "Is it faster than what people use instead, and are those right?"
        faster = () if run.peers.emulated else peers_tables.tally(run.peers)
        found = peers_found(run.peers)
        yield section("peers", question, peers, plots_speed.peers, found, items=faster, note=peers_note(run))
    question = "On what, and how, was it measured?"
    more = {"facts": conditions.facts(run), "note": conditions.lacking(run)}
    yield section("conditions", question, conditions.answer, None, [], **more)


def choice(run):
    """The fastest within 1 ULP, else the most accurate."""
    judged = run.judged()
    if not judged:
        return "No implementation was verified, so none can be recommended."
    if run.ranked and run.within():
        within = run.within()
        name, ties = pick(within, run.here, run.order)
        return (
            f"{name}: {choice_of(name, ties, len(within))} that ran and are at most 1 ULP wrong, "
            f"{pm(speed(run.here[name]))} GB/s"
            f"{share_text(run.here[name], run.limit, 'what stores reach')}, max |error| {number(run.error(name))}, "
            f"{ulps(run.ulp(name))} ULP{remark(name, ties)}."
        )
    if run.ranked and run.best():
        return (
            f"None of those that ran stays within 1 ULP; the closest is {run.best()}, {ulps(run.ulp(run.best()))} ULP."
        )
    within, least = [n for n in judged if run.ulp(n) <= 1], min(map(run.ulp, judged))
    closest = run.call([n for n in judged if run.ulp(n) == least])
    return (
        f"{len(within)} of {plural(len(judged), 'implementation')} {'is' if len(within) == 1 else 'are'} at most 1 "
        "ULP wrong at "
        f"{run.reach()}, closest {listed(closest)} with {ulps(least)} ULP; which is fastest is open: {run.unranked()}."
    )


def final_table(run):
    """Everything that was verified or measured, fastest first where speeds are ranked."""
    best = plots.front(run) if run.ranked else ()
    names = [n for n in run.order if n in run.here or n in run.judged()]
    if run.ranked:
        names.sort(key=lambda n: run.here[n].ns if n in run.here else math.inf)
    rows = []
    for n in names:
        judged, row = n in run.judged(), run.here.get(n)
        rows.append([n, *([number(run.error(n)), ulps(run.ulp(n)), share(*run.correct(n))] if judged else ["?"] * 3)])
        if run.here:
            rows[-1] += [f"{row.ns:.3f}", speed(row), of_limit(row, run.limit)] if row else ["-"] * 3
    head = ["implementation", f"max |error| {run.reach().removeprefix('positions ')}", "max ULP", "correctly rounded"]
    head += ["ns/element", "GB/s", "% of limit"] if run.here else []
    caption = f"Errors: {run.table_name()}, {run.reach()}."
    if run.here:
        caption += f" Speeds: {'' if run.ranked else 'not ranked; '}{run.size[0]} × {run.size[1]}, float32, {medians(run.here)}."
    return Table(caption, head, rows, marks={n: "front" for n in best})


def left_aside(run):
    rows = [[name, why] for name, why in run.left_aside().items()]
    return Table("Not run, or left out of what is compared", ["what", "why"], rows, (1,)) if rows else None


def growth(run):
    """Who stays as good as the best of all, and how wrong the others get."""
    tops = {n: max(top for *_, top in run.curve(n)) for n in run.judged() if run.curve(n)}
    if not tops:
        return "Nothing was judged."
    flat = [n for n in tops if tops[n] <= 2 * min(tops.values())]
    rest = sorted((n for n in tops if n not in flat), key=tops.get)
    said = f"{listed(run.call(flat))}: at most {number(max(tops[n] for n in flat))} at {run.whole_reach()}"
    if rest:
        ends = f" to {number(tops[rest[-1]])} ({rest[-1]})" if len(rest) > 1 else ""
        said += f"; {listed(run.call(rest))}: up to {number(tops[rest[0]])} ({rest[0]}){ends}"
    return f"{said}."


def curves(run):
    found = {n: {(a, b): e for a, b, e in run.curve(n)} for n in run.judged()}
    spans = sorted({s for c in found.values() for s in c})
    rows = [[n] + [number(c[s]) if s in c else "-" for s in spans] for n, c in found.items()]
    return Table(
        f"Largest |error| by {run.position_word()}, each column from the end of the one before; {run.table_name()}",
        ["implementation"] + [str(a) if b == a + 1 else f"to {b - 1}" for a, b in spans],
        rows,
        folded="The numbers",
    )


def where(run):
    """Where the largest error is, and up to which column anybody is more than 1e-6 wrong."""
    cells = [
        (e, n, i, g) for n in run.judged() for i, row in enumerate(run.profile(n) or []) for g, e in enumerate(row)
    ]
    cells = [cell for cell in cells if cell[0] is not None]
    if not cells:
        return "This report has no errors by column."
    edges, positions = run.verify["profile"]["column_edges"], run.verify["profile"]["position_edges"]
    value, name, i, g = max(cells)
    last = max((cell[3] for cell in cells if cell[0] > BUDGET), default=None)
    said = f"The largest error, {number(value)}, is {name}'s in columns {edges[g]} to {edges[g + 1] - 1} at "
    said += f"{run.position_word('s')} {positions[i]} to {positions[i + 1] - 1}; "
    if last is None:
        return f"{said}nobody is more than 1e-6 wrong in any column."
    return f"{said}errors above 1e-6 go as far as column {edges[last + 1] - 1}."


def rounded(run):
    shares = {n: run.correct(n) for n in run.judged()}
    whole = [n for n, (c, of) in shares.items() if c == of]
    rest = sorted((n for n in shares if n not in whole), key=lambda n: shares[n][0] / shares[n][1])
    parts = [f"all outputs of {listed(run.call(whole))}"] if whole else []
    if rest:
        low = f" to {share(*shares[rest[0]])} ({rest[0]})" if len(rest) > 1 else ""
        parts.append(f"of the others {share(*shares[rest[-1]])} ({rest[-1]}){low}")
    return f"Correctly rounded: {'; '.join(parts)}." if parts else "Nothing was judged."


def distribution(run):
    edges = run.verify.get("ulp_band_edges") or []
    edges = edges if all(run.bands(n) for n in run.judged()) else []
    head, rows = [
        "implementation",
        "correctly rounded",
        "median ULP",
        "99 % within",
        "max ULP",
        "max |error|",
        "bound",
    ], []
    for n in run.judged():
        bound = run.entries[n].get("bound", {})
        found = [ulps(run.ulp(n, key)) for key in ("ulp_p50", "ulp_p99", "ulp_max")]
        said = f"{bound.get('law', '?')} ({bound.get('evidence', '?')})"
        beyond = [str(sum(run.bands(n)[i + 1 :])) for i in range(len(edges))]
        rows.append([n, share(*run.correct(n)), *found, number(run.error(n)), said, *beyond])
    caption = f"{run.table_name()}, {run.reach()}; > ULP: how many outputs are further off"
    return Table(caption, [*head, *(f"> {e:g} ULP" for e in edges)], rows, (6,), folded="The numbers and the bounds")


def speeds(run):
    rows, name = run.verified[run.offset], run.best()
    shapes = [s for s in plots_speed.level_shapes(run) if ("fill", name, *s) in rows]
    if not shapes:
        return (
            f"{run.unranked().capitalize()}."
            if run.ran and run.table[1] != "f32"
            else "No speeds of these tables were measured."
        )
    known = {s: w[0] for s, w in (sizes_in(run.context, "level") | sizes_in(run.context, "shape")).items()}
    called = {"l1": "L1", "l2": "L2", "llc": "the last-level cache", tables.MEMORY: "memory"}
    cases = [
        f"{pm(speed(rows['fill', name, *s]))} GB/s in {called.get(known.get(s), f'{s[0]} × {s[1]}')}"
        f"{share_text(rows['fill', name, *s], best_limit(run.rows, s)[1])}"
        for s in (shapes if len(shapes) <= 4 else (shapes[0], shapes[-1]))
    ]
    return f"{name} writes {listed(cases)}."


def single(run):
    name = run.best()
    parts = [f"{rows[name].ns * d:.3g} ns for {title}" for title, rows, d in plots_speed.panels(run) if name in rows]
    said = [f"{name} takes {listed(parts)}"] if parts else []
    fresh = {k[1]: (k, r) for k, r in run.rows.items() if k[0] == "fresh"}
    if {"malloc_fill", "table_create"} <= set(fresh):
        (key, made), (_, plainly) = fresh["table_create"], fresh["malloc_fill"]
        said.append(
            f"a table of {key[2]} × {key[3]} in fresh memory is made {pm(tables.times(made, plainly))} times as fast "
            "by "
            "posenc_table_create as by malloc and posenc_fill"
        )
    return f"{'; '.join(said)}." if said else "Not measured in this run."


def others(run):
    """The same implementation's other dtypes and sums."""
    rows, name, said = run.verified[run.offset], run.best(), []
    for dtype, long_name in tables.LONG_NAMES.items():
        for shape in tables.sizes_of(rows, f"fill/{dtype}")[-1:]:
            row, limit = rows.get((f"fill/{dtype}", name, *shape)), best_limit(rows, shape, tables.limits_of(dtype))[1]
            size = f"{shape[0]} × {shape[1]}"
            said += [f"{pm(speed(row))} GB/s in {long_name}, {size}{share_text(row, limit)}"] if row else []
    for kind, shape, size in tables.sums_of(rows):
        row, loop = rows.get((kind, name, *shape)), rows.get((kind, PLAIN_LOOP, *shape))
        if row and loop:
            said.append(f"sums {pm(tables.times(row, loop))} times as fast as a plain loop ({size.replace('x', '×')})")
    return f"{name}: {'; '.join(said)}." if said else "Not measured of the implementation that is recommended above."


def peers(run):
    """How many times as fast as the peers exact is, where a peer is faster, and whether their tables are right."""
    found, said = run.peers, []
    for group, title in () if found.emulated else plots_speed.SHOWN:
        cases = sorted((case["exact"][0], case["peer"], size) for size, case in found.theirs(group) if case["exact"])
        ends = [f"{peers_tables.rounded(r)} ({name}, {c.n} × {c.d})" for r, name, c in cases[:1] + cases[1:][-1:]]
        if ends:
            world, job = title.split(": ")
            said.append(f"exact is {' to '.join(ends)} times as fast as the {world} peers, {job}")
    faster = {} if found.emulated else {(loss.group.world, loss.case["peer"]) for loss in found.compared("faster")}
    be = "is" if len(faster) == 1 else "are"
    nowhere = peers_tables.nowhere(found).lower().rstrip(".")
    said.append(f"{plural(len(faster), 'peer')} {be} faster somewhere" if faster else nowhere)
    rows = [row for row in found.rows.values() if row["ranges"] and row["name"] not in OURS]
    bad = [row["name"] for row in rows if row["right"] is False or any(r["word"] in UNFIT for r in row["ranges"])]
    worse = f"worse than a float32 angle makes them: {listed(bad) or 'none'}"
    said.append(f"of {plural(len(rows), 'peer')} judged, {worse}" if rows else "the peers' tables were not judged")
    return f"{'; '.join(filter(None, said))}."


def folded(table, line, caption=""):
    return dataclasses.replace(table, folded=line, caption=caption or table.caption)


def peers_found(found):
    """Targets, who is faster where, errors, who is who, and all the tables by job."""
    shown = [] if found.emulated else [folded(peers_tables.targets(found), "Targets")]
    for wanted, what in (("faster", "Where a peer is faster"), ("tie", "Ties")):
        rows = [] if found.emulated else [list(line) for line in peers_tables.by_size(found, wanted)]
        caption = "The peer's time by that of exact / of anchored"
        shown += [Table(caption, ["job and size", "peers"], rows, (1,), folded=what)] if rows else []
    judged = peers_tables.errors(found)
    shown += [folded(judged, "Errors by position")] if judged else []
    shown.append(folded(peers_tables.who(found), "Who"))
    for group, each in peers_tables.speeds(found):
        shown += [
            folded(t, f"{peers_tables.named(group)}: {t.caption}", f"{JOBS[group.job]}; {t.caption}") for t in each
        ]
    return shown


def peers_note(run):
    found, here = run.peers, run.context.get("cpu") or run.machine.get("cpu")
    cpu = found.machine.get("cpu")
    text = f"Measured by scripts/peers, {found.data['date'][:10]}, on {cpu}"
    text += f": another machine than the one above, {here}" if cpu and here and cpu != here else ""
    text += f". A quick run: {peers_tables.QUICK}" if found.run.get("quick") else ""
    aside = [f"{e['name']} ({e['reason']})" for e in found.not_run]
    return f"{text}.{f' Not run: {listed(aside)}.' if aside else ''}"
