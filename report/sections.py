"""The sections of the report, for the HTML page and the text of ./scripts/bench, which has no pictures and runs without
Matplotlib; and the headlines of the page, which say what was found."""
import dataclasses

from . import checks, peers_tables, tables
from .picks import answer, busy, code, front, pick, picks, within, wrong
from .stats import call_of, limit_of, pages, quartiles, sizes_of
from .tables import Section, Table
from .words import about, caches_text, called, listed, number, repetitions, share, span, when

EMULATED = "Emulated: these times say nothing about a real machine, and are not ranked."
HOW = (
    "Errors: each output is compared with a value computed to more digits than can matter (MPFR, precision raised "
    "until the rounding is certain, unless another reference is named below). |error| is the distance to the real "
    "value, not to its nearest number; a ULP is the spacing of the format's numbers at that value, so that correct "
    "rounding is an error of at most 0.5 ULP. Every implementation states a bound for its error and is held to it.",
    "Speeds: one thread, CPU time where nothing else is said. A figure is the median of its repetitions, which are "
    "taken in random order when scripts/bench runs them; after ± stands half the interquartile range, for a ratio the"
    " root of the sum of squares of both relative ones. The limit is the best median of plain and of non-temporal "
    "stores to the same memory in the same run, for sums a plain loop over the same arrays; GB/s count the bytes of "
    "the table (10⁹ of them). Ties are those of posenc-bench.",
)


def choice(run, picture=None):
    chosen = (
        [f"{budget}: {said}" for budget, said in picks(run)] if run.ranked else [f"None is picked: {run.unranked()}."]
    )
    heading = f"Which implementation to use ({run.reach()}, {run.table_name()})"
    return Section(
        heading, chosen, [tables.final(run, front(run) if run.ranked else ()), *tables.left_aside(run)], picture
    )


def of_speeds(run, picture=None, by_width=None):
    notes = [EMULATED] if run.emulated else []
    if run.bench:
        found = [tables.matrix(run), *tables.levels(run)]
        yield Section("Speed by table size", notes, found, picture)
        if tables.widths(run):
            yield Section("Speed by width", notes or tables.cliffs(run), [tables.by_width(run)], by_width)
        yield Section("Single rows, plans and fresh memory", notes, list(tables.single(run)))
        yield Section("Random positions, other dtypes, sums and conventions", notes, list(tables.others(run)))


def sections(run):
    """Of the page."""
    from . import plots

    chosen, (found, notes) = choice(run, plots.choice(run) if run.ranked else None), answer(run)
    said = {"finding": found, "notes": notes, "code": code(run), "heading": "Which implementation to use"}
    yield dataclasses.replace(chosen, **said)
    yield Section("Errors by position", [], [tables.curves(run)], plots.growth(run), error_growth(run))
    maps = plots.maps(run)
    if maps:
        yield Section("Errors by position and column", picture=plots.where(run), finding=error_places(run, maps))
    found = tables.distribution(run)
    yield Section("Errors in units in the last place", [], [found], plots.ulps(run), correctly_rounded(run))
    pictures = (plots.speed(run), plots.by_width(run)) if run.bench and not run.emulated else ()
    headlines = {"Speed by table size": fills, "Speed by width": slow, "Single rows, plans and fresh memory": rows}
    headlines["Random positions, other dtypes, sums and conventions"] = rest
    for section in of_speeds(run, *pictures):
        found, notes = ("", section.notes) if run.emulated else headlines[section.heading](run)
        yield dataclasses.replace(section, finding=found, notes=notes)
    if run.peers:
        yield peers_tables.section(run.peers)
    yield Section("How it was measured", list(HOW if run.bench else HOW[:1]), [conditions(run)])


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
    """Of one kind and size: the rows by name, and the fastest with those that tie with it."""
    found = {k[1]: r for k, r in run.verified.items() if (k[0], *k[2:]) == (kind, *shape) and k[1] in run.order}
    best = min(found, key=lambda n: found[n].ns, default=None)
    ties = [n for n in found if n != best and run.verdicts.get((found[n].name, found[best].name)) == "tie"]
    return found, [best, *ties] if best else []


def fills(run):
    """Where the pick is the fastest, and everything that is faster than it somewhere."""
    name = pick(run, within(run))[0] if run.ranked and within(run) else None
    there = [(shape, *first(run, "fill", shape)) for shape in sizes_of(run.verified, "fill")]
    there = [found for found in there if name in found[1]]
    lost = [(shape, found) for shape, found, best in there if name not in best]
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
        said = "within 1 ULP too" if other in within(run) else wrong(run, other)
        notes.append(f"{other} is faster than {name} at {listed(where)}; it is {said}.")
    won = f"{len(there) - len(lost) or 'none'} of {len(there)}" if lost else f"all {len(there)}"
    return f"{name} is the fastest in {won} tables{f'; faster elsewhere: {listed(beaten)}' if lost else ''}", notes


def slow(run):
    said = tables.cliffs(run)
    if busy(run):
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
            found, best = first(run, kind, (n, d))
            accurate = min((name for name in found if name in near), key=lambda name: found[name].ns, default=None)
            took = {name: f"{name} ({about(row.ns * d)} ns)" for name, row in found.items()}
            at = kind.partition("offset:")[2]
            text = (
                f"For a row of {d} at a random position below {below}{f' (output at {at} modulo 64)' if at else ''}, "
            )
            text += f"{listed(took[name] for name in best)} {'is' if len(best) == 1 else 'are'} the fastest"
            text += f"; within 1 ULP {took[accurate]} is" if accurate not in (*best, None) else ""
            said.append(text)
    for n, d in sizes_of(run.verified, "fresh"):
        found = {k[1]: r for k, r in run.verified.items() if (k[0], *k[2:]) == ("fresh", n, d)}
        took = (f"{how} takes {about(row.ns * n * d * 1e-6)} ms" for how, row in found.items())
        said.append(f"{listed(took)} for a table of {n} x {d} in fresh memory")
    return (said[0], [f"{text}." for text in said[1:]]) if said else ("", [])


def rest(run):
    """Who is the fastest at what."""
    winners, sums = {}, []
    for kind, shape in tables.other_kinds(run):
        found, best = first(run, kind, shape)
        limit = limit_of(run.verified, (kind, "", *shape))
        if best:
            what = f"{called(kind)}, {shape[0]} x {shape[1]} ({about(found[best[0]].gb_s)} GB/s)"
            winners.setdefault(listed(sorted(best)), []).append(what)
            sums += [round(100 * found[best[0]].share_of(limit)[0])] if call_of(kind) == "add" and limit else []
    total = sum(map(len, winners.values()))
    names = sorted(winners, key=lambda names: (" and " in names, -len(winners[names])))
    said = [f"{n} {'tie in' if ' and ' in n else 'is the fastest in'} {len(winners[n])}" for n in names]
    notes = [f"{n}: {'; '.join(winners[n])}." for n in names]
    if sums:
        notes.append(f"The fastest sums reach {span(sums)} % of the speed of a plain loop over the same arrays.")
    return f"Of {total} cases, {listed(said)}" if names else "", notes


def conditions(run):
    c, v, times = run.context, run.verify, checks.clock(run.bench or {})
    found = {
        key.replace("_", " "): run.machine.get(key) or c.get(key)
        for key in ("cpu", "architecture", "compiler", "build_type")
    }
    found |= {"emulated": "yes" if run.emulated else "no", "flags": c.get("c_flags"), "SLEEF": c.get("sleef")}
    found |= {"posenc": v.get("version") or c.get("posenc"), "verified": when(v.get("date"))}
    found |= {"reference": v.get("reference"), "seed": v.get("seed")}
    if run.bench:
        found |= {
            "measured": when(c.get("date")),
            "processors": c.get("num_cpus"),
            "data caches": caches_text(c.get("caches")),
        }
        found |= {"pages": pages(run.rows), "transparent huge pages": c.get("transparent_huge_pages")}
        found |= {"output at": f"{c.get('offset', '16')} modulo 64", "figures": f"medians of {repetitions(run.rows)}"}
        found |= {"frequency scaling": {True: "enabled", False: "not enabled"}.get(c.get("cpu_scaling_enabled"))}
        found |= {"load average": ", ".join(f"{x:.2f}" for x in c.get("load_avg") or [])}
    if times:
        low, high = quartiles(times)
        found["clock"] = f"a fixed chain of operations took {low:.4g} to {high:.4g} ns (quartiles)"
    rows = [[what, str(value)] for what, value in found.items() if value not in (None, "")]
    return Table("Conditions", ["what", "value"], rows, text=(1,))
