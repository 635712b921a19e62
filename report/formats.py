"""How numbers, ratios and lists are written."""
import math


def position(value):
    """5k of 5000, 131k of 2^17, 1M of 2^20, but 1500."""
    if value >= 10000 or value % 1000 == 0 or value & (value - 1) == 0:
        for unit, size in (("M", 10**6), ("k", 10**3)):
            if value >= size:
                return f"{value // size}{unit}"
    return str(value)


def at_positions(ranges):
    """ "at positions below 5,000" """
    if not ranges:
        return "at no position"
    first, end = ranges[0].first, max(range_.end for range_ in ranges)
    return f"at positions below {end:,}" if first == 0 else f"at positions {first:,} to {end - 1:,}"


def number(value):
    return "?" if value is None else "0" if value == 0 else f"{value:.1e}".replace("e-0", "e-")


def ulps(value):
    if math.isinf(value):
        return "∞"
    return f"{value:.1e}".replace("e+0", "e").replace("e+", "e") if value >= 1e4 else f"{value:.4g}"


def share(count, of):
    """In per cent; 100 % only when it is all of them."""
    if count == of:
        return "100 %"
    return f"{min(100 * count / of, 99.9999):.{2 if count / of < 0.999 else 4}f} %"


def three(value):
    """To about three digits, without an exponent."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def times_as_fast(c, as_fast="as fast", brief=False):
    """A Comparison in words: "1.25 times as fast (at least 1.1)"
    as_fast: these two words and what follows them, such as "as fast as exact"
    brief: without the brackets, and without a ratio that is not certain"""
    if c.outcome == "tie" or (c.outcome == "undecided" and brief):
        return f"about {as_fast}"
    text = f"{three(c.ratio)} times {as_fast}"
    if brief:
        return text
    if not c.interval:
        return f"{text} (too few turns to tell)"
    if c.outcome == "undecided":
        return f"{text} (this run cannot tell: {' to '.join(map(three, c.interval))})"
    return f"{text} (at {'least' if c.outcome == 'faster' else 'most'} {three(c.near_end)})"


def plural(count, word):
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def listed(names):
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
