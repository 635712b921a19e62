"""How figures are written: errors, positions, speeds, ratios, shares, lists. A cell of a table is a text, or a pair: a
value, and half the interquartile range that follows its ±."""
import math

IN_A_ROW = "in_a_row"  # in the kind of a case


def position(value):
    """5k of 5000, 131k of 2^17, 1M of 2^20, but 1500."""
    if value >= 10000 or value % 1000 == 0 or value & (value - 1) == 0:
        for unit, size in (("M", 10**6), ("k", 10**3)):
            if value >= size:
                return f"{value // size}{unit}"
    return str(value)


def number(value):
    return "?" if value is None else "0" if value == 0 else f"{value:.1e}".replace("e-0", "e-")


def ulps(value):
    if value is None or math.isinf(value):
        return "∞" if value else "?"
    return f"{value:.1e}".replace("e+0", "e").replace("e+", "e") if value >= 1e4 else f"{value:.4g}"


def share(count, of):
    """In per cent; 100 % only when it is all of them."""
    if count == of:
        return "100 %"
    return f"{min(100 * count / of, 99.9999):.{2 if count / of < 0.999 else 4}f} %"


def pair(value, spread, digits):
    """A cell; spread: the interquartile range, or None."""
    return f"{value:.{digits}f}", "" if spread is None else f"{spread / 2:.{digits}f}"


def speed(row):
    return pair(row.gb_s, row.spread and row.gb_s * row.spread, 2 if row.gb_s >= 0.1 else 4) if row else "-"


def three(value):
    """To about three digits, without an exponent."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def percent(row, limit):
    """A speed as a share of the limit's."""
    share = limit.ns / row.ns if row and limit else None
    return "-" if share is None else f"{100 * share:.1f} %" if share < 1 else "as fast"


def scaled(row, scale, digits):
    """Its time per element, times scale."""
    return pair(row.ns * scale, row.spread and row.ns * scale * row.spread, digits)


def medians(rows):
    """What a caption says of its figures."""
    counts = [len(row.values) for row in rows.values()] or [0]
    few = all(row.spread is None for row in rows.values())
    spread = "too few for a spread" if few else "±: half the interquartile range"
    return f"median of {span(counts)} {'turn' if {*counts} == {1} else 'turns'}, {spread}"


def times(c, brief=False):
    """How fast the fastest is beside another one, in words. c: the judge's comparison of that other one with it:
    "1.25 times as fast (at least 1.1)"; brief: without the brackets, and without a ratio that is not certain"""
    if c.verdict == "tie" or (c.verdict == "undecided" and brief):
        return "about as fast"
    if c.verdict == "undecided":
        cannot = "this run cannot tell: " + " to ".join(map(three, c.interval)) if c.interval else ""
        return f"{three(c.ratio)} times as fast ({cannot or 'too few turns to tell'})"
    said = f"{three(c.ratio)} times as fast"
    if brief:
        return said
    if c.ratio > 1:
        return f"{said} (at least {three(c.ratio - c.unsure)})"
    return f"{said} (at most {three(c.ratio + c.unsure)})"


def when(date):
    """2026-11-21T20:00:00+00:00 as people write it."""
    return (date or "").replace("T", " ").replace("+00:00", " UTC")


def plural(count, word):
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def details(case):
    """What distinguishes a case from others of its call and size, in words."""
    parts = [part for part in case.kind.split("/")[1:] if part not in (IN_A_ROW, "uncached")]
    if case.dtype != "float32":
        parts.append(case.dtype)
    if case.call == "row" and case.end:
        parts.append(f"positions below {position(case.end)}")
    if case.offset is not None:
        parts.append(f"output {case.offset} bytes after a multiple of 64" if case.offset else "aligned output")
    return parts


def called(case):
    """What a case does, in words: "single rows, positions below 4096"."""
    words = {"fill": "tables", "fill_at": "random positions", "fill_at_real": "real positions"}
    words |= {"fill_pair": "sines and cosines apart", "row": "single rows"}
    words |= {"fill/uncached": "uncached memory", f"fill_at/{IN_A_ROW}": "a list of consecutive positions"}
    return ", ".join([words.get(case.kind, words.get(case.call, case.call)), *details(case)])


def case_name(case):
    if case.call == "row":
        return called(case).replace("rows", f"rows of {case.d}")
    return f"{called(case)}, {f'd_model {case.d}' if case.n == 1 else f'{case.n} x {case.d}'}"


def span(numbers):
    """ "3 to 5", or "3" where they are one."""
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def listed(words):
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
