"""Two reports of posenc-verify: every implementation's errors by range of positions, and whether they are equal."""
import checks
import valid
from compare_parts import Section, context_section, some
from render import Table
from results import fail
from subject import family_of

HOW = """Equal means equal to the last bit of the figures. They are compared where both reports judged the same outputs
against the same reference: the rows of the same seed, or all rows of a range. exact rounds correctly and anchored runs one
sequence of operations everywhere, so their figures must depend neither on the machine nor on the instruction set: all members
of these two are held against each other. The others use the machine's libm, SLEEF, or operations whose order is the
instruction set's."""
FIGURES = (("max_abs", "max |error|"), ("ulp_max", "ULP"), ("correctly_rounded", "correctly rounded"))
ALSO = ("ulp_p50", "ulp_p99", "ulp_bands")  # compared, but not shown
SAME_BITS = ("exact", "anchored")
WHERE = ("shape", "dtype", "from", "to")  # what a range is called by
SPEC = ("d_model", "base", "denominator", "explicit_frequencies", "preset", "position_scale", "layout", "order", "odd")


class Report:
    """{name: entry} and {name: {where: range}} of what was judged."""

    def __init__(self, data):
        valid.verify(data)
        self.warnings = list(checks.of_verify(data))
        self.root, self.entries = data, {e["name"]: e for e in data["implementations"]}
        self.context = {key: value for key, value in data.items() if isinstance(value, (str, int, float))}
        self.context |= data.get("machine") or {}
        self.ranges = {name: {tuple(r.get(key) for key in WHERE): r for r in e["ranges"]} for name, e in self.entries.items()
                       if e["ranges"]}
        for found in self.ranges.values():
            for r in found.values():
                rows, first, end = r["rows"], r["from"], r["to"]
                r["all"] = rows >= end - first
                shown(r["max_abs"], r["ulp_max"], r["correctly_rounded"])


def called(where):
    return "{}, {}, {} to {}".format(*where)


def shown(*values):
    """In as few digits, three or more, as tell different values apart, and others from 1: a share of 0.9999 is not all.
    cJSON has no infinity, and writes null."""
    for digits in range(3, 18):
        texts = ["infinite" if v is None else f"{v:.{digits}g}".replace("e-0", "e-") for v in values]
        if len({*texts, "1"}) == len({*values, 1}):
            break
    return texts


def judged_alike(a, b, ra, rb):
    """Whether the same outputs of the same table were held against the same truth."""
    same = [a.root.get("reference") == b.root.get("reference"), *(ra.get(key) == rb.get(key) for key in (*SPEC, "outputs"))]
    return all(same) and (ra["all"] and rb["all"] or ra["rows"] == rb["rows"] and a.root.get("seed") == b.root.get("seed"))


def differing(ra, rb):
    """The figures that both have and that are not the same."""
    return [key for key in (*(key for key, _ in FIGURES), *ALSO) if key in ra and key in rb and ra[key] != rb[key]]


class Comparison:
    """One implementation in both: rows of a table, and how many ranges are equal, differ, or cannot be compared."""

    def __init__(self, a, b, name):
        self.name, self.rows = name, []
        self.counts = {"equal": 0, "differs": 0, "other outputs": 0}
        for where, ra in a.ranges[name].items():
            rb = b.ranges[name].get(where)
            if rb is None:
                continue
            other = differing(ra, rb)
            mark = "other outputs" if not judged_alike(a, b, ra, rb) else "differs" if other else "equal"
            self.counts[mark] += 1
            cells = [text for key, _ in FIGURES for text in shown(ra[key], rb[key])]
            hidden = [key for key in other if key in ALSO]
            note = f": {', '.join(hidden)} only" if hidden == other and mark == "differs" else ""
            self.rows.append([called(where), *cells, mark + note])

    def table(self):
        head = ["range", *(cell for _, text in FIGURES for cell in (f"{text}: A", "B")), ""]
        marks = {row[0]: "front" for row in self.rows if row[-1].startswith("differs")}
        counted = ", ".join(f"{n} {what}" for what, n in self.counts.items() if n)
        return Table(f"{self.name}: {counted}", head, self.rows, marks=marks)


def profile_differs(a, b):
    """How many octaves x column groups have other errors; nothing where there is no profile of the same places."""
    places = [report.root.get("profile") for report in (a, b)]
    if not places[0] or places[0] != places[1] or a.root.get("seed") != b.root.get("seed"):
        return {}
    found = {}
    for name in a.entries:
        pa, pb = a.entries[name].get("profile"), b.entries.get(name, {}).get("profile")
        if pa and pb:
            found[name] = sum(x != y for row_a, row_b in zip(pa, pb) for x, y in zip(row_a, row_b))
    return found


def odd_members(a, b):
    """{exact or anchored: (how many ranges of B were held against those of its first member in A, what differs from them)}"""
    found = {}
    for name in SAME_BITS:
        members = [(report, letter, n) for report, letter in ((a, "A"), (b, "B")) for n, e in report.entries.items()
                   if n in report.ranges and family_of(n, e.get("isa", "")) == name]
        if len({letter for _, letter, _ in members}) < 2:
            continue
        first, ranges = members[0][0], members[0][0].ranges[members[0][2]]
        held = [(letter, f"{n} in {letter}, {called(where)}", differing(ranges[where], r))
                for report, letter, n in members[1:] for where, r in report.ranges[n].items()
                if where in ranges and judged_alike(first, report, ranges[where], r)]
        found[name] = sum(letter == "B" for letter, _, _ in held), [text for _, text, differs in held if differs]
    return found


def sentences(a, b, comparisons):
    """What it comes to, and remarks."""
    counts = {what: sum(c.counts[what] for c in comparisons) for what in comparisons[0].counts}
    n = sum(counts.values())
    if counts["equal"] == n:
        whole = f"All {n} ranges of {len(comparisons)} implementations are equal."
    else:
        whole = f"Of {n} ranges of {len(comparisons)} implementations, {counts['equal']} are equal, {counts['differs']} differ"
        whole += f", {counts['other outputs']} cannot be compared: other outputs were judged" if counts["other outputs"] else ""
        whole += "."
    notes = []
    for name, (held, odd) in odd_members(a, b).items():
        if odd:
            notes.append(f"{name}: NOT the same everywhere, which it must be: {some(odd, '; ')}")
        elif held:
            notes.append(f"{name}: the same in A and B, whatever the instruction set, as it must be ({held} ranges of B)")
    differ = [f"{c.name} in {c.counts['differs']} of {len(c.rows)} ranges" for c in comparisons if c.counts["differs"]]
    notes += ["differ: " + ", ".join(differ)] if differ else []
    profiles = profile_differs(a, b)
    differ = [f"{name} in {cells}" for name, cells in profiles.items() if cells]
    if profiles:
        notes.append(f"errors by octave and columns: {'differ: ' + ', '.join(differ) if differ else 'equal'}")
    return whole, notes


def only_in(a, b):
    """What one report judged and the other did not."""
    notes = []
    for one, other, letter in ((a, b, "A"), (b, a, "B")):
        names = [name for name in one.ranges if name not in other.ranges]
        notes += [f"only in {letter}: " + ", ".join(names)] if names else []
        missing = {name: [where for where in one.ranges[name] if where not in other.ranges[name]]
                   for name in one.ranges if name in other.ranges}
        fewer = {name: ranges for name, ranges in missing.items() if ranges}
        if fewer:
            wheres = dict.fromkeys(called(w) for ranges in fewer.values() for w in ranges)
            notes.append(f"only in {letter}, of {', '.join(fewer)}: {some(wheres, '; ')}")
    return notes


def totals(comparisons):
    table = Table("Ranges by implementation", ["implementation", "equal", "differs", "other outputs"], [])
    for c in comparisons:
        table.rows.append([c.name, *(str(n) for n in c.counts.values())])
        if c.counts["differs"]:
            table.marks[c.name] = "front"
    return table


def compare(a, b, names):
    """The sentences that it comes to, and the sections."""
    comparisons = [Comparison(a, b, name) for name in a.ranges if name in b.ranges]
    if not any(c.rows for c in comparisons):
        fail(f"{names[0]} and {names[1]} have no range of an implementation in common")
    whole, notes = sentences(a, b, comparisons)
    sections = [context_section(a.context, b.context),
                Section("Are the errors equal?", notes=notes, tables=[totals(comparisons)]),
                Section("Range by range", folded=[(c.table().caption, [c.table()]) for c in comparisons])]
    sections[0].notes += only_in(a, b)
    return [whole], sections
