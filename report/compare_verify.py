"""Two reports of posenc-verify: every implementation's errors by range of positions, and whether they are equal."""
from . import checks
from .stats import family_of
from .tables import Section, Table

HOW = """Equal means equal to the last bit of the figures. They are compared where both reports judged the same
outputs against the same reference. exact rounds correctly and anchored runs one sequence of operations everywhere, so
their figures must depend neither on the machine nor on the instruction set: all members of these two are compared
with each other. The others use the machine's libm, SLEEF, or operations in the order of the instruction set."""
FIGURES = ("max_abs", "ulp_max", "correctly_rounded")
ALSO = ("ulp_p50", "ulp_p99", "ulp_bands")  # compared, but not shown
SAME_BITS = ("exact", "anchored")
WHERE = ("shape", "dtype", "from", "to")
SPEC = "d_model base denominator explicit_frequencies preset position_scale layout order odd outputs rows".split()


class Side:
    """ranges: {name: {where: range}} of what was judged."""

    def __init__(self, data):
        self.warnings, self.root = list(checks.of_verify(data)), data
        self.context = {key: value for key, value in data.items() if isinstance(value, (str, int, float))}
        self.context |= data.get("machine") or {}
        self.isas = {e["name"]: e.get("isa") or "" for e in data["implementations"]}
        self.ranges = {
            e["name"]: {tuple(r.get(key) for key in WHERE): r for r in e["ranges"]}
            for e in data["implementations"]
            if e.get("ranges")
        }


def shown(value):
    return "infinite" if value is None else f"{value:.6g}"


def mark(a, b, ra, rb):
    """Whether the same outputs of the same table were compared with the same reference, and are equal."""
    whole = ra.get("rows", 0) >= ra["to"] - ra["from"]
    if (
        a.root.get("reference") != b.root.get("reference")
        or any(ra[key] != rb[key] for key in SPEC if key in ra and key in rb)
        or (not whole and a.root.get("seed") != b.root.get("seed"))
    ):
        return "other outputs"
    return "differs" if any(key in ra and key in rb and ra[key] != rb[key] for key in FIGURES + ALSO) else "equal"


def members(a, b):
    """Sentences on exact and anchored, which must be the same for all their members."""
    for name in SAME_BITS:
        found = [
            (report, letter, n)
            for report, letter in ((a, "A"), (b, "B"))
            for n in report.ranges
            if family_of(n, report.isas[n]) == name
        ]
        odd, compared = [], 0
        for report, letter, n in found[1:]:
            for where, r in report.ranges[n].items():
                first = found[0][0].ranges[found[0][2]].get(where)
                said = mark(found[0][0], report, first, r) if first else "other outputs"
                compared += said != "other outputs"
                odd += [f"{n} in {letter}, {where[2]} to {where[3]}"] if said == "differs" else []
        if odd:
            yield f"{name}: NOT the same everywhere, which it must be: {'; '.join(odd[:6])}"
        elif compared:
            yield f"{name}: the same in A and B, whatever the instruction set, as it must be ({compared} ranges)"


def compare(a, b):
    """(sentences, what only one has, sections), or None where they have no range in common."""
    found, totals = [], {"equal": 0, "differs": 0, "other outputs": 0}
    overview = Table("Ranges by implementation", ["implementation", *totals], [])
    head = ["range", *(f"{key.replace('_', ' ')} {letter}" for key in FIGURES for letter in "AB"), "mark"]
    for name in [n for n in a.ranges if n in b.ranges]:
        table, counts = Table(name, head, []), dict.fromkeys(totals, 0)
        for where in [where for where in a.ranges[name] if where in b.ranges[name]]:
            ra, rb = a.ranges[name][where], b.ranges[name][where]
            word = mark(a, b, ra, rb)
            counts[word] += 1
            cells = [shown(r.get(key)) for key in FIGURES for r in (ra, rb)]
            table.rows.append(["{}, {}, {} to {}".format(*where), *cells, word])
        if table.rows:
            overview.rows.append([name, *map(str, counts.values())])
            found.append(table)
            totals = {word: n + counts[word] for word, n in totals.items()}
    if not found:
        return None
    sides = ((a, b, "A"), (b, a, "B"))
    only = [
        f"only in {letter}: {name}" for one, other, letter in sides for name in one.ranges if name not in other.ranges
    ]
    sentence = f"Of {sum(totals.values())} ranges of {len(found)} implementations, "
    sentence += f"{totals['equal']} are equal, {totals['differs']} differ"
    if totals["other outputs"]:
        sentence += f", {totals['other outputs']} cannot be compared, because other outputs were judged"
    equal = Section("Are the errors equal?", list(members(a, b)), [overview])
    return [f"{sentence}."], only, [equal, Section("Range by range", [], found)]
