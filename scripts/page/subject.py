"""What a page is about: a report of posenc-verify and, if there is one, a run of posenc-bench, with the questions that its
sections ask of them."""
import math

from joined import Run
from picks import number, pick, short
from results import best_limit, spans_of

DEFAULT_POSITIONS = 5000


def family_of(name, isa):
    """exact of exact_avx2 and exact_scalar, sleef_u35 of sleef_avx2_u35; as verify/family.h has it."""
    parts = name.split("_")
    for mark in (isa, "scalar"):
        if mark in parts[1:]:
            at = parts.index(mark, 1)
            return "_".join(parts[:at] + parts[at + 1:])
    return name


class Subject(Run):
    """families: {name: its family}; index: {family: its number}, for its colour; spans: the position ranges of the table that
    speeds are compared on; shape: its (n, d), or None without speeds; here: {name: its row}; limit: what stores reach there."""

    def __init__(self, verify, bench, path):
        super().__init__(verify, bench or {"benchmarks": []}, path)
        self.verify, self.bench, self.machine = verify, bench, verify.get("machine", {})
        self.families = {n: family_of(n, self.entries.get(n, {}).get("isa", "")) for n in self.order}
        self.index = {f: i for i, f in enumerate(dict.fromkeys(self.families.values()))}
        self.emulated = self.context.get("emulated") == "yes" or self.machine.get("emulated") is True
        self.size = self.shape()
        self.here = self.fills(self.size) if self.size else {}
        self.limit_key, self.limit = best_limit(self.rows, self.size)
        self.spans = spans_of(self.accuracy, self.size[0] if self.size else DEFAULT_POSITIONS) or spans_of(self.accuracy)[:1]
        self.ranked = bool(self.here) and not self.emulated

    def judged(self):
        return [n for n in self.order if n in self.accuracy and self.error(n) is not None]

    def within(self, most=1.0):
        """Names of those that ran on the shape and are at most so many ULP wrong."""
        return [n for n in self.judged() if n in self.here and self.ulp(n) <= most]

    def best(self):
        """Whom answers are about: the pick within 1 ULP, else who comes closest; None when nobody ran."""
        names = self.within() or sorted((n for n in self.judged() if n in self.here), key=self.ulp)[:1]
        return pick(names, self.here, self.order)[0] if names else None

    def reach(self):
        """ "positions to 5k", of spans."""
        return f"positions to {position(self.spans[-1][1])}" if self.spans else "no positions"

    def end(self):
        """Of all positions that were judged."""
        return max((b for a in self.accuracy.values() for _, b in a.ranges), default=0)

    def table_name(self):
        """Of the table that errors are about."""
        d = next((r.get("d_model") for a in self.accuracy.values() for r in a.ranges.values()), None)
        shape, dtype, preset = self.table
        return (f"d_model {d}" if d else f"table {shape}") + (f", {preset}" if preset else "") + (f", {dtype}" if dtype != "f32"
                                                                                                  else "")

    def error(self, name, spans=None):
        return self.accuracy[name].worst("max_abs", spans or self.spans) if name in self.accuracy else None

    def ulp(self, name, key="ulp_max"):
        """Infinite where JSON has none: something else where 0 is exact."""
        values = [self.accuracy[name].ranges[s].get(key) for s in self.spans if s in self.accuracy[name].ranges]
        return None if not values else math.inf if None in values else max(values)

    def reference(self):
        return {"mpfr": "MPFR", "float64": "a float64 reference"}.get(self.verify.get("reference"), "the reference")

    def over(self, name):
        """The ranges of spans."""
        return [self.accuracy[name].ranges[s] for s in self.spans if s in self.accuracy[name].ranges]

    def correct(self, name):
        """(how many outputs are correctly rounded, of how many)"""
        ranges = self.over(name)
        return sum(round(r["correctly_rounded"] * r["outputs"]) for r in ranges), sum(r["outputs"] for r in ranges)

    def bands(self, name):
        """Outputs in each band of ULPs, or None where the report has none."""
        counts = [r.get("ulp_bands") for r in self.over(name)]
        return [sum(band) for band in zip(*counts)] if counts and None not in counts else None

    def profile(self, name):
        """[octave][column group] of errors, or None."""
        matrix = self.entries[name].get("profile") if self.verify.get("profile") and name in self.accuracy else None
        return matrix if any(e is not None for row in matrix or [] for e in row) else None

    def curve(self, name):
        """[(first position, end, largest error)], by octave where there is a profile, else by range."""
        matrix = self.profile(name)
        if not matrix:
            return [(*span, self.accuracy[name].ranges[span]["max_abs"]) for span in sorted(self.accuracy[name].ranges)]
        edges = self.verify["profile"]["position_edges"]
        tops = [max((e for e in row if e is not None), default=None) for row in matrix]
        return [(a, min(b, self.end()), top) for a, b, top in zip(edges, edges[1:], tops) if top is not None]

    def groups(self, same):
        """Names that same(a, b) calls alike, as [(names, label, number of the first one's family)]."""
        found = []
        for name in self.judged():
            group = next((g for g in found if same(g[0], name)), None)
            if group is None:
                found.append(group := [])
            group.append(name)
        return [(g, self.call(g), self.index[self.families[g[0]]]) for g in found]

    def call(self, names):
        """Families where all that were judged of one are there, else names."""
        words = []
        for name in names:
            family = self.families[name]
            whole = all(n in names for n in self.judged() if self.families[n] == family)
            words.append(family if whole else name)
        return list(dict.fromkeys(words))


def position(value):
    """5k of 5000, 1M of 2^20, but 1500."""
    return short(value) if value >= 10000 or value % 1000 == 0 or value & (value - 1) == 0 else str(value)


def error(value):
    return "0" if value == 0 else number(value)


def ulps(value):
    if value is None or math.isinf(value):
        return "∞" if value else "?"
    return f"{value:.1e}".replace("e+0", "e") if value >= 1e5 else f"{value:.4g}"


def share(count, of):
    """In per cent; 100 % only when it is all of them."""
    if count == of:
        return "100 %"
    return f"{min(100 * count / of, 99.9999):.{2 if count / of < 0.999 else 4}f} %"


def digits_of(value):
    """Decimals that give it three digits, or one if that is more."""
    return 1 if value >= 100 or value <= 0 else max(1, 2 - math.floor(math.log10(value)))


def speed(row):
    digits = max(2, digits_of(row.gb_s))
    return f"{row.gb_s:.{digits}f}", f"{row.gb_s * row.spread / 2:.{digits}f}"


def per_element(row):
    return f"{row.ns:.3f}", f"{row.ns * row.spread / 2:.3f}"


def of_limit(row, limit):
    """In per cent."""
    if not limit:
        return "-"
    ratio, spread = row.share_of(limit)
    digits = digits_of(100 * ratio)
    return f"{100 * ratio:.{digits}f}", f"{50 * spread:.{digits}f}"


def share_text(row, limit, what="the limit"):
    """ " (65.7 ± 0.6 % of the limit)", for sentences; nothing where there is no limit."""
    return f" ({' ± '.join(of_limit(row, limit))} % of {what})" if limit else ""


def noise(rows):
    """Median of the relative interquartile ranges of the fills, or None."""
    spreads = sorted(r.spread for k, r in rows.items() if k[0] == "fill" and len(r.values) > 1)
    return spreads[len(spreads) // 2] if spreads else None


def repetitions(rows):
    """How many each figure is the median of, "7" or "3 to 7"."""
    counts = sorted({len(r.values) for r in rows.values()})
    return "" if not counts else str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def listed(words, last="and"):
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""
