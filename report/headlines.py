"""The headlines of the page, which say what was found, and the sentences below them."""
from . import tables
from .answer import DEFAULT, chosen, noisy, portable
from .picks import fastest_of, recipes, within
from .stats import call_of, limit_of, sizes_of
from .words import about, called, listed, number, pm, share, span, speed

NAMED = 4  # so many sizes are named, more are counted


def gb_s(run, names):
    return listed(f"{n} ({about(run.here[n].gb_s)} GB/s)" for n in names)


def wrong(run, name):
    error = run.error(name)
    return "of unknown error" if error is None else f"wrong by up to {number(error)}"


def choice(run):
    """What to use, in a sentence; what else one should know before using it, in sentences; the lines to copy."""
    found = chosen(run)
    if not found:
        return f"None is picked: {'none that ran is within 1 ULP' if run.ranked else run.unranked()}", [], []
    near, asked = [n for n in within(run) if n in run.here], found.asked
    doubtful = found.unsure or noisy(run)
    reached = f"{pm(speed(found.row)) if doubtful else about(found.row.gb_s)} GB/s"
    reached += f" on {run.context.get('cpu', 'this processor')}"
    if run.limit:
        reached += f", {100 * found.row.share_of(run.limit)[0]:.0f} % of what plain stores reach"
    if found.unsure:
        undecided = "The machine was too busy to decide between" if noisy(run) else "Not told apart are"
        said = f"{undecided} {listed([asked, *found.unsure])}; {asked}: {reached}"
    elif found.how.startswith("not decided"):
        said = f"Too few repetitions to decide; {asked}: {reached}"
    elif found.name != fastest_of(run, near, run.here):
        said = f"{asked} is as fast as any within 1 ULP: {reached}"
    else:
        said = f"{asked} is the fastest within 1 ULP: {reached}"
    return said, [*beside(run, found, near)], code(run, asked)


def beside(run, found, near):
    yield f"How sure: {found.how}."
    if found.asked != found.name:
        yield f"{found.asked} is {found.name} on this processor; on another it is the best of its family there."
    less = sorted((n for n in run.here if n not in near), key=lambda n: run.here[n].ns)
    faster = [n for n in less if run.here[n].ns < found.row.ns]
    if faster:
        yield f"Faster, but not within 1 ULP: {listed(f'{gb_s(run, [n])}, {wrong(run, n)}' for n in faster)}."
    elif less:
        yield f"None of the less accurate ones ({len(less)}) is faster."
    default = [n for n in near if portable(run, n) == DEFAULT]
    if default and found.asked != DEFAULT:
        yield f"With no name given, posenc uses {gb_s(run, default)}, which is correctly rounded everywhere."
    for n in (n for n in recipes(run) if n not in near):
        ratio = about(found.row.share_of(run.here[n])[0])
        what = f"a framework's recipe in float32 ({run.entries[n].get('summary', '')})"
        yield f"{found.asked} is {ratio} times as fast as {n}, {what}."


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


def first(run, kind, shape):
    """Of one kind and size: the rows by name; the fastest with those that tie with it; and those not told apart from it."""
    found = {k[1]: r for k, r in run.verified.items() if (k[0], *k[2:]) == (kind, *shape) and k[1] in run.order}
    if not found:
        return found, [], []
    best, other = min(found, key=lambda n: found[n].ns), fastest_of(run, found, found)
    if (found[best].name, found[other].name) in run.verdicts:  # faster by the median ratio
        best = other
    said = {n: run.verdicts.get((found[n].name, found[best].name)) for n in found if n != best}
    return found, [best, *(n for n in said if said[n] == "tie")], [n for n in said if said[n] == "unclear"]


def fills(run):
    """Where the pick is the fastest, and everything that is faster than it somewhere."""
    picked = chosen(run)
    name = picked.name if picked else None
    there = [(shape, *first(run, "fill", shape)) for shape in sizes_of(run.verified, "fill")]
    there = [found for found in there if name in found[1]]
    lost = [(shape, found) for shape, found, best, _ in there if name not in best]
    undecided = sum(name in best and bool(unclear) for _, _, best, unclear in there)
    if not there:
        return "", []
    beaten = {}
    for (n, d), found in lost:
        for other, row in found.items():
            if row.ns < found[name].ns:
                both = f"{about(row.gb_s)} against {about(found[name].gb_s)} GB/s"
                both += ", not for certain" if run.verdicts.get((found[name].name, row.name)) == "unclear" else ""
                beaten.setdefault(other, []).append(f"{n} x {d} ({both})")
    notes = []
    for other, where in beaten.items():
        where = [*where[:NAMED], f"{len(where) - NAMED} more sizes"] if len(where) > NAMED + 1 else where
        said = "within 1 ULP too" if other in within(run) else wrong(run, other)
        notes.append(f"{other} is faster than {name} at {listed(where)}; it is {said}.")
    won = len(there) - len(lost) - undecided
    said = [f"{name} is the fastest in {won or 'none'} of {len(there)} tables"]
    said += [f"not told apart from others in {undecided}"] if undecided else []
    said += [f"faster elsewhere: {listed(beaten)}"] if lost else []
    return "; ".join(said), notes


def slow(run):
    said = tables.cliffs(run)
    if noisy(run):
        return "The machine was too busy to compare widths", []
    if len(said) == 1:
        return said[0].rstrip("."), []
    return f"{len(said)} widths are more than {tables.CLIFF} % slower than their neighbours", said


def rows(run):
    """Of each kind of row the fastest, and the fastest within 1 ULP, where it is another one."""
    said = []
    for kind in sorted({k[0] for k in run.verified if call_of(k[0]) == "row"}, key=lambda k: (len(k), k)):
        below = int(kind.partition("below:")[2].split("/")[0] or 0)
        near = within(run, [s for s in run.spans if s[0] < below] or run.spans)
        for n, d in sizes_of(run.verified, kind):
            found, best, unclear = first(run, kind, (n, d))
            accurate = min((name for name in found if name in near), key=lambda name: found[name].ns, default=None)
            took = {name: f"{name} ({about(row.ns * d)} ns)" for name, row in found.items()}
            at = kind.partition("offset:")[2]
            text = (
                f"For a row of {d} at a random position below {below}{f' (output at {at} modulo 64)' if at else ''}, "
            )
            text += f"{listed(took[name] for name in best)} {'is' if len(best) == 1 else 'are'} the fastest"
            text += f", not told apart from {listed(took[name] for name in unclear)}" if unclear else ""
            text += f"; within 1 ULP it is {took[accurate]}" if accurate not in (*best, None) else ""
            said.append(text)
    for n, d in sizes_of(run.verified, "fresh"):
        found = {k[1]: r for k, r in run.verified.items() if (k[0], *k[2:]) == ("fresh", n, d)}
        took = (f"{how} takes {about(row.ns * n * d * 1e-6)} ms" for how, row in found.items())
        said.append(f"{listed(took)} for a table of {n} x {d} in fresh memory")
    return (said[0], [f"{text}." for text in said[1:]]) if said else ("", [])


def rest(run):
    """Who is the fastest at what."""
    winners, sums, undecided = {}, [], []
    for kind, shape in tables.other_kinds(run):
        found, best, unclear = first(run, kind, shape)
        limit = limit_of(run.verified, (kind, "", *shape))
        if best:
            what = f"{called(kind)}, {shape[0]} x {shape[1]} ({about(found[best[0]].gb_s)} GB/s)"
            if unclear:
                undecided.append(f"{what}: {listed(sorted([*best, *unclear]))}")
            else:
                winners.setdefault(listed(sorted(best)), []).append(what)
            sums += [round(100 * found[best[0]].share_of(limit)[0])] if call_of(kind) == "add" and limit else []
    total = sum(map(len, winners.values())) + len(undecided)
    names = sorted(winners, key=lambda names: (" and " in names, -len(winners[names])))
    said = [f"{n} {'tie in' if ' and ' in n else 'is the fastest in'} {len(winners[n])}" for n in names]
    said += [f"{len(undecided)} are undecided"] if undecided else []
    notes = [f"{n}: {'; '.join(winners[n])}." for n in names]
    notes += [f"Not told apart: {'; '.join(undecided)}."] if undecided else []
    if sums:
        notes.append(f"The fastest sums reach {span(sums)} % of the speed of a plain loop over the same arrays.")
    return f"Of {total} cases, {listed(said)}" if said else "", notes


OF_SPEEDS = {
    "Speed by table size": fills,
    "Speed by width": slow,
    "Single rows, plans and fresh memory": rows,
    "Random positions, other dtypes, sums and conventions": rest,
}
