"""How figures are written: errors, positions, speeds, shares, sizes, lists. A cell of a table is a text, or a pair: a
value, and half the interquartile range that follows its ±."""
import math


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
    return f"{value:.1e}".replace("e+0", "e") if value >= 1e5 else f"{value:.4g}"


def share(count, of):
    """In per cent; 100 % only when it is all of them."""
    if count == of:
        return "100 %"
    return f"{min(100 * count / of, 99.9999):.{2 if count / of < 0.999 else 4}f} %"


def pair(value, spread, digits, unit=""):
    """A cell; spread: the interquartile range, or None."""
    return f"{value:.{digits}f}{unit}", "" if spread is None else f"{spread / 2:.{digits}f}"


def pm(cell):
    """ "12.3 ± 0.1", for sentences."""
    return cell if isinstance(cell, str) else " ± ".join(filter(None, cell))


def speed(row):
    return pair(row.gb_s, row.spread and row.gb_s * row.spread, 2 if row.gb_s >= 0.1 else 4) if row else "-"


def times(row, other):
    """How many times as fast as the other."""
    if not row or not other:
        return "-"
    ratio, spread = row.share_of(other)
    return pair(ratio, spread, 1 if ratio >= 10 else 2 if ratio >= 1 else 3)


def percent(row, other):
    """Its speed in per cent of the other's."""
    if not row or not other:
        return "-"
    ratio, spread = row.share_of(other)
    return pair(100 * ratio, None if spread is None else 100 * spread, 1, " %")


def scaled(row, scale, digits):
    """Its time per element, times scale."""
    return pair(row.ns * scale, row.spread and row.ns * scale * row.spread, digits)


def medians(rows):
    """What a caption says of its figures."""
    counts = [len(row.values) for row in rows.values()] or [0]
    few = all(row.spread is None for row in rows.values())
    spread = "too few for a spread" if few else "±: half the interquartile range"
    return f"median of {span(counts)} repetition{'s' * ({*counts} != {1})}, {spread}"


def processor(machine):
    """Older records have only the name that the processor gives itself."""
    return machine.get("processor") or machine.get("cpu") or "an unknown processor"


def caches(machine):
    """In words; older records have only a list."""
    data = sorted((c["level"], c["size"]) for c in machine.get("caches", []) if c.get("type") != "Instruction")
    return machine.get("cache_sizes") or ", ".join(f"{size >> 10} KiB L{level}" for level, size in data)


def when(date):
    """2026-11-21T20:00:00+00:00 as people write it."""
    return (date or "").replace("T", " ").replace("+00:00", " UTC")


def plural(count, word):
    return f"{count} {word}{'s' * (count != 1)}"


def called(kind):
    """The kind of a case in words: "single rows, positions below 4096" of row/below:4096."""
    words = {"fill": "tables", "fill_at": "random positions", "fill_at_real": "real positions"}
    words |= {"fill_pair": "sines and cosines apart", "row": "single rows"}
    forms = {"offset": "output at {} modulo 64", "threads": "{} threads", "below": "positions below {}"}
    parts = ((part, part.partition(":")) for part in kind.split("/"))
    return ", ".join(
        forms[key].format(position(int(value)) if key == "below" else value)
        if value and key in forms
        else words.get(part, part)
        for part, (key, _, value) in parts
    )


def case_name(kind, n, d):
    if n == 1 and "row" in kind.split("/"):
        return called(kind).replace("rows", f"rows of {d}")
    return f"{called(kind)}, {f'd_model {d}' if n == 1 else f'{n} x {d}'}"


def span(numbers):
    """ "3 to 5", or "3" where they are one."""
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def listed(words):
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
