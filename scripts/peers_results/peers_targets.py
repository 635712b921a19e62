"""What posenc promises against its peers, and whether a run of scripts/peers keeps it; for peers_text.py.

A target is held against medians at face value; "ahead" is more: beyond the spread. A figure that was reached is rounded down, so
that nothing looks met that is not.
"""
import dataclasses
import math

from peers_cases import Column, Group, standing

SMALLEST, LARGEST = (64, 128), (131072, 1024)  # every size between them
CACHED, ANCHORED, IN_MEMORY, OF_LIMIT, FRESH, REFILLED = 2.0, 3.0, 2.0, 0.88, 20.0, 60.0
TUTORIAL = "torch_tutorial"
MET, MISSED, OPEN, REPORTED = "met", "missed", "open", "no target"


@dataclasses.dataclass
class Target:
    what: str
    demanded: str
    reached: str
    verdict: str


def digits_of(value):
    return 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 4


def down(value, digits=None):
    """Rounded down to the digits that are shown. What is a hair below a figure by binary fractions alone is that figure."""
    digits = digits_of(value) if digits is None else digits
    return f"{math.floor(value * 10 ** digits + 1e-9) / 10 ** digits:.{digits}f}"


def times(pair):
    return down(pair[0]) + ("" if pair[1] is None else f" ± {pair[1]:.{digits_of(pair[0])}f}")


def size(column):
    return f"{column.n} x {column.d}"


def threads(count):
    return "one thread" if count == 1 else f"{count} threads"


def levels(peers):
    """(bytes of the L2 cache, of the last level), or None where the run does not say."""
    caches = peers.machine.get("caches", [])
    second = [c["size"] for c in caches if c["level"] == 2]
    return (max(second), max(caches, key=lambda c: c["level"])["size"]) if second else None


def least(cases, ours):
    """(pair, Column, case) of the peer that comes closest, or None where one has no ratio or there is none."""
    if not cases or any(case[ours] is None for _, case in cases):
        return None
    column, case = min(cases, key=lambda c: c[1][ours][0])
    return case[ours], column, case


def closest(found):
    pair, column, case = found
    return f"{times(pair)} ({case['peer']}, {size(column)})"


def ahead(peers, group, what):
    """exact in front of everybody at every size."""
    cases, demanded = peers.theirs(group), "above 1, beyond the spread"
    if not cases:
        return Target(what, demanded, "not measured", OPEN)
    found = least(cases, "exact")
    if not found:
        return Target(what, demanded, "exact was not run at every size", OPEN)
    behind = {column for column, case in cases if standing(case["exact"]) != "ours"}
    sizes = {column for column, _ in cases}
    reached = f"ahead at {len(sizes - behind)} of {len(sizes)} sizes; least {closest(found)}"
    lacking = [wanted for wanted in (SMALLEST, LARGEST) if wanted not in {c[:2] for c in sizes}]
    if not behind and lacking:
        return Target(what, demanded, f"{reached}; not run: {', '.join(f'{n} x {d}' for n, d in lacking)}", OPEN)
    return Target(what, demanded, reached, MISSED if behind else MET)


def at_least(cases, ours, factor, what):
    found, demanded = least(cases, ours), f"at least {factor:g}" if factor else "-"
    if not found:
        return Target(what, demanded, f"{ours} was not run at every size" if cases else "not measured", OPEN)
    return Target(what, demanded, closest(found), REPORTED if not factor else MET if found[0][0] >= factor else MISSED)


def in_memory(peers, group, cases):
    """Twice the fastest peer, or so near to what stores reach that nobody could be much faster: at every such size."""
    what, demanded = "exact x the fastest C peer, fill, in memory", f"at least {IN_MEMORY:g}, or {OF_LIMIT} of the limit"
    if not least(cases, "exact"):
        return Target(what, demanded, "exact was not run at every size" if cases else "not measured", OPEN)
    parts, missed = [], False
    for column in sorted({c for c, _ in cases}):
        found = least([c for c in cases if c[0] == column], "exact")
        limit = peers.column(group, column).get("exact", {}).get("of_limit")
        share = f"{down(limit[0], 3)}{'' if limit[1] is None else f' ± {limit[1]:.3f}'} of the limit" if limit else ""
        parts.append(f"{closest(found)}, {share or 'limit not measured'}")
        missed |= found[0][0] < IN_MEMORY and not (limit and limit[0] >= OF_LIMIT)
    return Target(what, demanded, "; ".join(parts), MISSED if missed else MET)


def in_caches(peers):
    """Of fills, by where a table fits."""
    group, known = Group("c", "fill", 1), levels(peers)
    cases = peers.theirs(group)
    if cases and not known:
        return [Target("exact and anchored x the fastest C peer, fill, by cache", f"{CACHED:g}, {ANCHORED:g}",
                       "the run does not say how large the caches are", OPEN)]
    l2, last = known or (0, 0)
    bytes_of = {column: 4 * column.n * column.d for column, _ in cases}
    cached = [c for c in cases if bytes_of[c[0]] <= l2]
    between = [c for c in cases if l2 < bytes_of[c[0]] <= last]
    found = [at_least(cached, "exact", CACHED, "exact x the fastest C peer, fill, in cache (to L2)"),
             at_least(cached, "anchored", ANCHORED, "anchored x the fastest C peer, fill, in cache (to L2)")]
    if between:
        found += [at_least(between, ours, None, f"{ours} x the fastest C peer, fill, beyond L2, to the last level")
                  for ours in ("exact", "anchored")]
    return found + [in_memory(peers, group, [c for c in cases if bytes_of[c[0]] > last])]


def tutorial(peers, job, factor, what):
    """PyTorch's, eager, at the largest size: of each number of threads."""
    counts = [g.threads for g in peers.groups if (g.world, g.job) == ("python", job)] or [1]
    for count in counts:
        cases = peers.groups.get(Group("python", job, count), {})
        case = cases.get((TUTORIAL, Column(*LARGEST, None)))
        yield at_least([(Column(*LARGEST, None), case)] if case else [], "exact", factor, f"{what}, {threads(count)}")


def targets(peers):
    """[Target], as the issue lists them."""
    found = [ahead(peers, Group("c", "fill", 1), "exact ahead of every C peer, fill")]
    fresh = [g for g in peers.groups if (g.world, g.job) == ("python", "fresh")] or [Group("python", "fresh", 1)]
    found += [ahead(peers, g, f"exact ahead of every Python peer, fresh table, {threads(g.threads)}") for g in fresh]
    found += in_caches(peers)
    found += tutorial(peers, "fresh", FRESH, "exact x PyTorch eager, fresh 131072 x 1024")
    found += tutorial(peers, "refill", REFILLED, "exact x PyTorch eager, 131072 x 1024 in place")
    if peers.emulated:
        found = [dataclasses.replace(t, reached=f"{t.reached}; emulated, so it says nothing", verdict=OPEN) for t in found]
    return found


def proviso(peers):
    """Whom the targets are set for, where this run is another's."""
    member = peers.members().get("exact")
    if member and not member.endswith("_avx512"):
        return f"The targets are set for a processor with AVX-512; this run's exact is {member}."
    return ""
