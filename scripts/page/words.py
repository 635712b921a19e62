"""How numbers are written on a page: errors, speeds with what stands after their ±, shares, repetitions, lists."""
import math

from picks import number, short
from results import half


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


def with_spread(value, spread, digits):
    """(the value, what stands after ±, or nothing)"""
    return f"{value:.{digits}f}", "" if spread is None else half(value, spread, digits)


def pm(pair):
    """ "12.3 ± 0.1", for sentences."""
    return " ± ".join(filter(None, pair))


def bar(value, spread):
    """Half of an error bar: none without a spread, and on an axis without 0."""
    return 0.0 if spread is None else min(0.9, spread / 2) * value


def speed(row):
    digits = max(2, digits_of(row.gb_s))
    return with_spread(row.gb_s, row.spread, digits)


def per_element(row):
    return with_spread(row.ns, row.spread, 3)


def of_limit(row, limit):
    """In per cent."""
    if not limit:
        return "-"
    ratio, spread = row.share_of(limit)
    digits = digits_of(100 * ratio)
    return f"{100 * ratio:.{digits}f}", "" if spread is None else half(100, spread, digits)


def share_text(row, limit, what="the limit"):
    """ " (65.7 ± 0.6 % of the limit)", for sentences; nothing where there is no limit."""
    return f" ({pm(of_limit(row, limit))} % of {what})" if limit else ""


def noise(rows):
    """Median of the relative interquartile ranges of the fills, or None."""
    spreads = sorted(r.spread for k, r in rows.items() if k[0] == "fill" and r.spread is not None)
    return spreads[len(spreads) // 2] if spreads else None


def repetitions(rows):
    """How many each figure is the median of, "7 repetitions" or "3 to 7 repetitions"."""
    counts = sorted({len(r.values) for r in rows.values()}) or [0]
    return f"{counts[0]} to {counts[-1]} repetitions" if len(counts) > 1 else plural(counts[0], "repetition")


def plural(count, word):
    return f"{count} {word}{'s' * (count != 1)}"


def medians(rows, mark="±"):
    """What a caption says of its figures; mark: what shows the spread."""
    spread = any(r.spread is not None for r in rows.values())
    return f"median of {repetitions(rows)}" + (f" {mark} half the interquartile range" if spread else ", too few for a spread")


def listed(words, last="and"):
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""
