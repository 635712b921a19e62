"""Two runs of posenc-bench: the tables of what both measured."""
from compare_cases import WRITES, groups_of, pairs_of
from compare_parts import NAMED, Section, context_section, counted, some
from compare_picture import COLOURS, bars_of, name_of, picture, quartiles
from compare_rule import LIMITS, WILD, number, rule_of, spread_of
from render import Table
from results import fail

HOW = f"""Cases are paired by their names. Figures are medians of the repetitions; after each ± stands half an interquartile
range, of a ratio the root of the sum of squares of both; where the range is more than {100 * WILD:.0f} % of the median, the
quartiles are shown instead, or nothing. That spread is one within runs and decides nothing; the rule for what is called a
difference is stated at the top. The controls have a ratio, but are not judged. A share is the speed over that of the fastest
stores to the same memory in its own run, plain or non-temporal, which may be plain in A and non-temporal in B (sums: over that
of a plain loop). Medians over cases have no ±: what runs differ by is common to the cases of a run. Where one machine lacks the
other's instructions, NAME / NAME are the fastest of a family in A and in B."""


def medians_table(groups):
    table = Table("Median of the ratios B/A of an implementation's cases, and quartiles, over the cases that all of them have",
                  ["implementation", "cases", "speed B/A", "quartiles", "share B/A", "quartiles", "of cases"], [])
    for group, pairs in groups.items():
        shares = [p.share.value for p in pairs if p.share]
        cells = []
        for values in ([p.ratio.value for p in pairs], shares):
            low, middle, high = quartiles(values) if values else (0, 0, 0)
            cells += [number(middle), f"{number(low)} to {number(high)}"] if values else ["-", "-"]
        table.rows.append([name_of(group), str(len(pairs)), *cells, str(len(shares))])
    return table


def group_of(pair):
    """What a case is listed with: the limits of a table together, other cases by kind."""
    kind, _, n, d = pair.key
    parts = kind.split("/")
    if pair.call in LIMITS:
        parts[parts.index(pair.call)] = "limit"
    return "/".join(parts), n, d, pair.place


def title_of(group, known, places):
    kind, n, d, place = group
    if kind.startswith("row"):
        text = f"{kind}, d_model {d}"
    elif kind == "plan":
        text = f"plans, d_model {d}"
    else:
        text = f"{kind}, {n} x {d}" + (f", {known[n, d]}" if (n, d) in known else "")
    return text + (f"; output at {place} modulo 64" if place is not None and places > 1 else "")


def figure(pair, row):
    """The median and half its spread, in the unit of unit_of()."""
    _, _, n, d = pair.key
    others = {"row": (d, 1), "plan": (1e-3, 2), "fresh": (n * d * 1e-6, 1)}
    scale, digits = others.get(pair.call, (None, 2 if row.gb_s >= 0.1 else 4))
    low, middle, high = sorted(ns * scale if scale else row.size / ns for ns in quartiles(row.values))
    spread, text = spread_of(row), f"{middle:.{digits}f}"
    if spread is not None and spread > WILD:
        return f"{text} ({low:.{digits}f} to {high:.{digits}f})"
    return text, "" if spread is None else f"{middle * spread / 2:.{digits}f}"


def unit_of(call):
    return {"row": "ns/row", "plan": "us", "fresh": "ms"}.get(call, "GB/s")


def case_tables(pairs, known):
    """[(kind, [a table for each shape])], shapes by size."""
    groups = {}
    for pair in pairs:
        groups.setdefault(group_of(pair), []).append(pair)
    kinds = {}
    for group in sorted(groups, key=lambda g: g[1] * g[2]):
        kinds.setdefault(group[0], []).append(group)
    places = len({pair.place for pair in pairs})
    return [(kind, [case_table(groups[g], title_of(g, known, places)) for g in kinds[kind]]) for kind in sorted(kinds, key=rank)]


def rank(kind):
    """Fills first, limits last, one thread before more."""
    calls = [*WRITES, "loop", "plan", "fresh", "limit"]
    threads = kind.startswith("threads:")
    call = kind.split("/")[threads]
    return threads, calls.index(call) if call in calls else len(calls), kind


def case_table(pairs, title):
    unit = unit_of(pairs[0].call)
    shares = any(pair.share for pair in pairs)
    table = Table(title, ["case", f"A, {unit}", f"B, {unit}", "speed B/A", *["share B/A"] * shares, ""], [])
    for pair in sorted(pairs, key=lambda p: p.a.ns):
        name = f"{pair.call} {pair.key[1][2:]}-byte vectors" if pair.call in LIMITS else pair.key[1]
        table.rows.append([name, figure(pair, pair.a), figure(pair, pair.b), pair.ratio.cell(),
                           *[pair.share.cell() if pair.share else "-"] * shares, pair.mark])
        if pair.mark in COLOURS:
            table.marks[name] = "front"
    return table


def only_in(one, other, letter):
    """Sentences on the cases that one run has and the other has not."""
    missing = [case for case in one.cases if case not in other.cases]
    elsewhere = {key[1] for _, key in other.cases}
    strangers = {}
    for _, (_, who, *_) in missing:
        if who not in elsewhere:
            strangers[who] = strangers.get(who, 0) + 1
    said = [f"{who} ({counted(n, 'case')})" for who, n in strangers.items()]
    said = [f"only in {letter}: {', '.join(said)}"] if said else []
    rest = [one.names[case] for case in missing if case[1][1] in elsewhere]
    if len(rest) > NAMED:
        kinds = {}
        for name in rest:
            kinds[name.split("/")[0]] = kinds.get(name.split("/")[0], 0) + 1
        said.append(f"only in {letter}: {len(rest)} other cases: " + ", ".join(f"{n} of {kind}" for kind, n in kinds.items()))
    elif rest:
        said.append(f"only in {letter}: " + ", ".join(rest))
    return said + [f"failed in {letter}: {case}: {why}" for case, why in one.errors.items()]


def compare(a, b, names):
    """The sentences that it comes to, and the sections."""
    pairs = pairs_of(a, b)
    if not pairs:
        fail(f"{names[0]} and {names[1]} have no case in common")
    rule = rule_of(a, b, pairs)
    for pair in pairs:
        pair.mark = rule.mark(pair)
    sections = [context_section(a.context, b.context)]
    if a.clock and b.clock:
        sections[0].notes.append(f"the clock, by a chain of dependent operations: in B {a.clock / b.clock:.3f} times that in A")
    sections[0].notes += only_in(a, b, "A") + only_in(b, a, "B")
    groups, out = groups_of(pairs, rule.judged)
    if groups:
        bars = bars_of(groups, rule)
        notes = [f"left out, having no case in common with the others: {some(out)}"] if out else []
        sections.append(Section("How do the implementations compare?", medians_sentence(bars, rule), notes,
                                [medians_table(groups)], picture=picture(bars, rule) if bars else None))
    folded = [(f"{kind}: {counted(sum(len(t.rows) for t in tables), 'case')}", tables)
              for kind, tables in case_tables(pairs, a.known | b.known)]
    sections.append(Section("Case by case", folded=folded))
    return [marks_sentence(pairs, rule), rule.sentence()], sections


def medians_sentence(bars, rule):
    """Of tables in float32, if there are any, from the implementation that gained most to the one that lost most."""
    bars = [bar for bar in bars if bar.what == bars[0].what]
    said = [f"{bar.name} {number(bar.quartiles[1])}" for bar in bars]
    return (f"{rule.what.capitalize()} in B over that in A, median of {counted(len(bars[0].cases), 'case')}: "
            + (f"from {said[0]} down to {said[-1]}." if len(said) > 1 else f"{said[0]}.")) if bars else ""


def marks_sentence(pairs, rule):
    marks = [p.mark for p in pairs if p.mark != "control"]
    what = "B's share of the limit" if rule.machines else "B"
    counts = [f"{word} in {marks.count(word)}" for word in rule.words]
    return (f"Of {counted(len(marks), 'case')} that both ran, {what} is {' and '.join(counts)}; no difference is told in "
            f"{marks.count('')}, and {marks.count('not judged')} are not judged.")
