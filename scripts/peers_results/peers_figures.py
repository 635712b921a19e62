"""How the figures of a run of scripts/peers are written. One with a spread is a pair: the value, and what stands after its ±."""
from peers_cases import bounds, standing

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (0.0, "ns"))
WINS, TIES = "peer wins", "tie"
MARKED = {"peer": f" ({WINS})", "tie": f" ({TIES})"}
MARKS = f"below 1 the peer is faster: \"{WINS}\" where the quartiles are apart, \"{TIES}\" where they are not"


def digits_of(value):
    """Decimals: three digits of what is from 0.1 to 100, and two of a little less."""
    return 0 if value >= 100 or value <= 0 else 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4


def figure(value, spread, between, tail):
    """(value, what stands after ±); one cell without a spread, and with quartiles where ± would reach 0 or less."""
    digits = digits_of(value)
    if spread is None:
        return f"{value:.{digits}f}{tail}"
    if spread >= value and between:
        low, high = (f"{end:.{digits_of(end)}f}" for end in (max(between[0], 0), between[1]))
        return f"{value:.{digits}f} ({low} to {high}){tail}"
    return f"{value:.{digits}f}", f"{spread:.{digits}f}{tail}"


def ratio(case, ours, marks=MARKED):
    """(value, what stands after ±), marked where the peer wins or ties."""
    if case[ours] is None:
        return "-"
    return figure(*case[ours], bounds(case, ours), marks.get(standing(case, ours), ""))


def duration(seconds, spread=None, between=None):
    scale, unit = next((s, u) for s, u in UNITS if seconds >= s)
    scale = scale or 1e-9
    return figure(seconds / scale, spread and spread / scale, between and [t / scale for t in between], f" {unit}")


def memory(count):
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << shift:
            return f"{count / (1 << shift):.3g} {unit}"
    return f"{count:g} B"


def together(cell, mark="±"):
    return cell if isinstance(cell, str) else f"{cell[0]} {mark} {cell[1]}"
