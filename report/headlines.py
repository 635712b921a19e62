"""The headlines of the page, which say what was found, and the sentences below them."""
from . import tables
from .answer import DEFAULT, RECIPE, WHOSE, lead, noisy, portable
from .stats import call_of, limit_of, sizes_of
from .words import about, called, listed, number, pm, share, span, speed


def choice(run):
    """What to use, in a sentence; what else one should know before using it, in sentences; the lines to copy."""
    pick = run.pick()
    if not pick:
        return f"None is picked: {run.unpicked()}", [], []
    row, name = run.here[pick.name], portable(run, pick.name)
    how = "the fastest" if pick.name == pick.fastest else "as fast as any"
    said = f"{name}, the default" if pick.undecided else f"{name} is {how} with errors of {pick.budget}"
    reached = f"{pm(speed(row)) if pick.undecided else about(row.gb_s)} GB/s"
    reached += f" on {run.context.get('cpu', 'this processor')}"
    if run.limit:
        reached += f", {100 * row.share_of(run.limit)[0]:.0f} % of what plain stores reach"
    return f"{said}: {reached}", [*beside(run, pick, name)], code(run, name)


def beside(run, pick, name):
    yield f"Lead: {lead(run, pick)}."
    if name != pick.name:
        yield f"{name} is {pick.name} on this processor; on another it is the best of its family there."
    default = [n for n in run.here if portable(run, n) == DEFAULT != name]
    if default:
        at = about(run.here[default[0]].gb_s)
        yield f"With no name given, posenc uses {DEFAULT} ({at} GB/s), which is correctly rounded everywhere."
    if RECIPE in run.here and RECIPE != pick.name:
        ratio = about(run.here[pick.name].share_of(run.here[RECIPE])[0])
        yield f"{name} is {ratio} times as fast as {RECIPE}, {WHOSE}."


def code(run, name):
    """[(language, lines)] that fill the table."""
    (n, d), base = run.size, run.base()
    base = f"{base:g}" if base != 10000 else ""
    c = ["posenc_spec spec;", f"posenc_spec_init(&spec, {d}, NULL);", *([f"spec.base = {base};"] if base else [])]
    c += ["posenc_plan *plan;", "posenc_status status = posenc_plan_create("]
    c += ["  &plan, &spec, " + ("NULL" if name == DEFAULT else f'"{name}"') + ");"]
    c += ["if (status == POSENC_OK) {", f"  /* float table[{n} * {d}] */"]
    c += [f"  posenc_fill(plan, 0, {n}, table, {d});", "  posenc_plan_destroy(plan);", "}"]
    more = ", ".join([str(n), str(d), *([f"base={base}"] if base else [])])
    more += "" if name == DEFAULT else f', impl="{name}"'
    return [("C", "\n".join(c)), ("Python", f"import posenc\n\ntable = posenc.table(\n    {more}\n)")]


def error_growth(run):
    """Over all positions."""
    worst = {n: run.error(n, run.spans) for n in run.judged()}
    small, large = ([n for n, e in worst.items() if e is not None and (e <= 1e-6) == tiny] for tiny in (True, False))
    said = [f"{listed(run.call(small))} stay within {number(max(worst[n] for n in small))}"] if small else []
    said += [f"{listed(run.call(large))} are wrong by up to {number(max(worst[n] for n in large))}"] if large else []
    return f"{'; '.join(said)}, at {run.reach(run.spans)}" if said else ""


def error_places(run, maps):
    """maps: {name: errors by octave and group of columns}"""
    import numpy as np

    name = max(maps, key=lambda n: np.nanmax(maps[n]))
    row, column = np.unravel_index(np.nanargmax(maps[name]), maps[name].shape)
    (a, b), (c, d) = (
        run.verify["profile"][f"{of}_edges"][i : i + 2] for of, i in (("position", row), ("column", column))
    )
    at = f"at positions {a} to {b - 1} in columns {c} to {d - 1}"
    return f"The largest error is that of {name}, {number(float(maps[name][row, column]))}, {at}"


def correctly_rounded(run):
    shares = {n: run.correct(n) for n in run.judged()}
    every = [n for n, (right, of) in shares.items() if right == of]
    said = [f"Every output of {listed(run.call(every))} that was judged is correctly rounded"] if every else []
    least = min(shares, key=lambda n: shares[n][0] / shares[n][1], default=None)
    said += [f"of {least}'s outputs {share(*shares[least])} are"] if least and least not in every else []
    return "; ".join(said)


def picked(run, cases):
    """What is picked how often, and where; cases: [(what, kind, (n, d))]"""
    found, count = {}, 0
    for what, kind, shape in cases:
        pick = run.pick(kind, shape)
        if pick:
            count += 1
            at = f"{about(run.verified[kind, pick.name, *shape].gb_s)} GB/s{', undecided' if pick.undecided else ''}"
            found.setdefault(pick.name, []).append(f"{what} ({at})")
    names = sorted(found, key=lambda name: -len(found[name]))
    said = f"Of {count} cases, the pick is {listed(f'{n} in {len(found[n])}' for n in names)}" if found else ""
    return said, [f"{n}: {'; '.join(found[n])}." for n in names]


def fills(run):
    return picked(run, [(f"{n} x {d}", "fill", (n, d)) for n, d in sizes_of(run.verified, "fill")])


def slow(run):
    said = tables.cliffs(run)
    if noisy(run):
        return "The machine was too busy to compare widths", []
    if len(said) == 1:
        return said[0].rstrip("."), []
    return f"{len(said)} widths are more than {tables.CLIFF} % slower than their neighbours", said


def rows(run):
    said = []
    for kind in sorted({k[0] for k in run.verified if call_of(k[0]) == "row"}, key=lambda k: (len(k), k)):
        for n, d in sizes_of(run.verified, kind):
            pick = run.pick(kind, (n, d))
            if pick:
                took = (
                    f"{about(run.verified[kind, pick.name, n, d].ns * d)} ns{', undecided' if pick.undecided else ''}"
                )
                said.append(f"A row of {d}, {called(kind).partition(', ')[2]}: {pick.name} ({took})")
    for n, d in sizes_of(run.verified, "fresh"):
        found = {k[1]: r for k, r in run.verified.items() if (k[0], *k[2:]) == ("fresh", n, d)}
        took = (f"{how} takes {about(row.ns * n * d * 1e-6)} ms" for how, row in found.items())
        said.append(f"{listed(took)} for a table of {n} x {d} in fresh memory")
    return (said[0], [f"{text}." for text in said[1:]]) if said else ("", [])


def rest(run):
    cases = [(f"{called(kind)}, {n} x {d}", kind, (n, d)) for kind, (n, d) in tables.other_kinds(run)]
    said, notes = picked(run, cases)
    shares = []
    for _, kind, shape in cases:
        pick, limit = run.pick(kind, shape), limit_of(run.verified, (kind, "", *shape))
        if pick and limit and call_of(kind) == "add":
            shares.append(round(100 * run.verified[kind, pick.name, *shape].share_of(limit)[0]))
    if shares:
        notes.append(f"The sums reach {span(shares)} % of the speed of a plain loop over the same arrays.")
    return said, notes


OF_SPEEDS = {
    "Speed by table size": fills,
    "Speed by width": slow,
    "Single rows, plans and fresh memory": rows,
    "Random positions, other dtypes, sums and conventions": rest,
}
