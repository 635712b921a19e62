"""How figures are written: errors, positions, speeds, shares, sizes, lists."""
import math

from .stats import pair


def short(position):
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if position >= size:
            return f"{position // size}{unit}"
    return str(position)


def position(value):
    """5k of 5000, 1M of 2^20, but 1500."""
    return short(value) if value >= 10000 or value % 1000 == 0 or value & (value - 1) == 0 else str(value)


def number(value):
    return "?" if value is None else "0" if value == 0 else f"{value:.1e}".replace("e-0", "e-")


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
    """Decimals that give it three digits, one at least."""
    return 1 if value >= 100 or value <= 0 else max(1, 2 - math.floor(math.log10(value)))


def pm(cell):
    """ "12.3 ± 0.1", for sentences."""
    return cell if isinstance(cell, str) else " ± ".join(filter(None, cell))


def speed(row):
    return pair(row.gb_s, row.spread and row.gb_s * row.spread, max(2, digits_of(row.gb_s)))


def of_limit(row, limit):
    """In per cent."""
    if not limit:
        return "-"
    ratio, spread = row.share_of(limit)
    return pair(100 * ratio, spread and 100 * spread, digits_of(100 * ratio))


def share_text(row, limit, what="the limit"):
    """ " (65.7 ± 0.6 % of the limit)", for sentences; nothing where there is no limit."""
    return f" ({pm(of_limit(row, limit))} % of {what})" if limit else ""


def noise(rows):
    """Median of the relative interquartile ranges of the fills, or None."""
    spreads = sorted(r.spread for k, r in rows.items() if k[0] == "fill" and r.spread is not None)
    return spreads[len(spreads) // 2] if spreads else None


def repetitions(rows):
    """ "7 repetitions" or "3 to 7 repetitions"."""
    counts = sorted({len(r.values) for r in rows.values()}) or [0]
    return f"{counts[0]} to {counts[-1]} repetitions" if len(counts) > 1 else plural(counts[0], "repetition")


def medians(rows, mark="±"):
    """What a caption says of its figures; mark: what shows the spread."""
    spread = any(r.spread is not None for r in rows.values())
    return f"median of {repetitions(rows)}" + (
        f" {mark} half the interquartile range" if spread else ", too few for a spread"
    )


def binary(size):
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift:
            return f"{size / (1 << shift):.3g} {unit}"
    return f"{size:g} B"


def when(date):
    """2026-11-21T20:00:00+00:00 as people write it."""
    return (date or "").replace("T", " ").replace("+00:00", " UTC")


def plural(count, word):
    return f"{count} {word}{'s' * (count != 1)}"


def listed(words, last="and"):
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""
