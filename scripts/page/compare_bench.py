"""Two runs of posenc-bench: the tables of what both measured."""
from compare_cases import LIMITS, WRITES, mean, means_of, pairs_of
from compare_parts import NAMED, Section, context_section, counted
from compare_picture import ratios
from further import speed, value
from render import Table
from results import fail

HOW = """Cases are paired by their names. After each ± stands half an interquartile range. A ratio is the speed in B over the
speed in A, of medians; its spread is the root of the sum of squares of the relative interquartile ranges of both. It is
called faster or slower when it differs from 1 by more than that spread, which is twice what stands after ±, and by more than
3 %; of fewer than three repetitions nothing is said. A share is the speed over that of plain stores to the same memory in its
own run (sums: over that of a plain loop), so that it tells more of the program and less of the memory. A mean is the
geometric one, and its spread takes the cases as independent. Where one machine lacks the other's instructions, NAME / NAME
are the fastest of a family in A and in B."""


def means_table(means):
    table = Table("Geometric mean of the ratios B/A of an implementation's cases, of speeds and of shares of the limit",
                  ["implementation", "cases", "speed B/A", "", "least", "most", "share B/A", "", "of cases"], [])
    for name, pairs in means.items():
        ratio, shares = mean([p.ratio for p in pairs]), [p.share for p in pairs if p.share]
        all_of = [p.ratio.value for p in pairs]
        share = mean(shares) if shares else None
        table.rows.append([name, str(len(pairs)), ratio.cell(), ratio.mark, f"{min(all_of):.3f}", f"{max(all_of):.3f}",
                           share.cell() if share else "-", share.mark if share else "", str(len(shares))])
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
    if pair.call == "row":
        return tuple(value(row, d, 1))
    if pair.call == "plan":
        return tuple(value(row, 1e-3, 2))
    return tuple(value(row, n * d * 1e-6, 1)) if pair.call == "fresh" else tuple(speed(row))


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
    return threads, calls.index(kind.split("/")[threads]), kind


def case_table(pairs, title):
    unit = unit_of(pairs[0].call)
    shares = any(pair.share for pair in pairs)
    table = Table(title, ["case", f"A, {unit}", f"B, {unit}", "speed B/A", ""] + ["share B/A", ""] * shares, [])
    for pair in sorted(pairs, key=lambda p: p.a.ns):
        name = f"{pair.call} {pair.key[1][2:]}-byte vectors" if pair.call in LIMITS else pair.key[1]
        row = [name, figure(pair, pair.a), figure(pair, pair.b), pair.ratio.cell(), pair.ratio.mark]
        if shares:
            row += [pair.share.cell(), pair.share.mark] if pair.share else ["-", ""]
        table.rows.append(row)
        if pair.ratio.mark in ("faster", "slower"):
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
    """The sentence that it comes to, and the sections."""
    pairs = pairs_of(a, b)
    if not pairs:
        fail(f"{names[0]} and {names[1]} have no case in common")
    sections = [context_section(a.context, b.context)]
    if a.clock and b.clock:
        sections[0].notes.append(f"the clock, by a chain of dependent operations: in B {a.clock / b.clock:.3f} times that in A")
    sections[0].notes += only_in(a, b, "A") + only_in(b, a, "B")
    means = means_of(pairs)
    if means:
        sections.append(Section("How much faster is B?", means_sentence(means), tables=[means_table(means)],
                                picture=ratios(means)))
    folded = [(f"{kind}: {counted(sum(len(t.rows) for t in tables), 'case')}", tables)
              for kind, tables in case_tables(pairs, a.known | b.known)]
    sections.append(Section("Case by case", folded=folded))
    return marks_sentence([p for of_one in means.values() for p in of_one] or pairs), sections


def means_sentence(means):
    said = []
    for name in (next(iter(means)), next(reversed(means))):
        ratio = mean([p.ratio for p in means[name]])
        said.append(f"{name} {' ± '.join(ratio.cell())}" + (f" ({ratio.mark})" if ratio.mark else ""))
    return "Speed in B over speed in A, mean of the cases: " + (f"from {said[0]} down to {said[1]}." if len(means) > 1
                                                               else f"{said[0]}.")


def marks_sentence(pairs):
    marks = [p.ratio.mark for p in pairs]
    text = f"Of {counted(len(pairs), 'case')} that both ran, B is faster in {marks.count('faster')}, slower in "
    text += f"{marks.count('slower')}, and the same within the spread in {marks.count('')}"
    return text + (f"; {marks.count('not judged')} not judged." if "not judged" in marks else ".")
