"""What posenc promises against its peers, and whether a run of scripts/peers keeps it. The median decides."""
import math

from .peers import Column, Group
from .peers_tables import size, threads
from .tables import Table

CACHED, ANCHORED, IN_MEMORY, OF_LIMIT, FRESH, REFILLED = 2.0, 3.0, 2.0, 0.88, 20.0, 60.0
LARGEST = Column(131072, 1024, None)
TUTORIAL = "torch_tutorial"
MET, MISSED, OPEN = "met", "missed", "open"


def down(value):
    """Rounded down, so that nothing looks met that is not."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{math.floor(value * 10 ** digits + 1e-9) / 10 ** digits:.{digits}f}"


def at_least(peers, group, cases, ours, factor, what, limited=False):
    """A row of the table: whether the peers' times are that many times ours at every size; limited: or ours so near to what stores reach
    that nobody could be much faster. It names the closest peer, and that of every size that falls short."""
    demanded = f"{'above 1' if factor == 1 else f'at least {factor:g}'}" + (f", or {OF_LIMIT} of the limit" if limited else "")
    if not cases or not all(case[ours] for _, case in cases):
        return [what, demanded, OPEN, f"{ours} was not run at every size" if cases else "not measured"]
    short, closest = [], {}
    for column in sorted({c for c, _ in cases}, key=lambda c: (c.n * c.d, c.d)):
        case = min((case for c, case in cases if c == column), key=lambda case: case[ours][0])
        limit = peers.column(group, column).get(ours, {}).get("of_limit") if limited else None
        closest[column] = f"{down(case[ours][0])} ({case['peer']}, {size(column)}" + (
            f"; {math.floor(1000 * limit[0]) / 1000:.3f} of the limit)" if limit else ")")
        reached = case[ours][0] > 1 if factor == 1 else case[ours][0] >= factor
        if not reached and not (limit and limit[0] >= OF_LIMIT):
            short.append(column)
    least = min(cases, key=lambda c: c[1][ours][0])[0]
    reached = f"least {closest[least]}" + (f"; short at {len(short)} of {len(closest)} sizes: "
                                           f"{'; '.join(closest[c] for c in short)}" if short and len(closest) > 1 else "")
    return [what, demanded, MISSED if short else MET, reached]


def rows(peers):
    fill, caches = Group("c", "fill", 1), peers.machine.get("caches", [])
    cases = peers.theirs(fill)
    yield at_least(peers, fill, cases, "exact", 1, "exact ahead of every C peer, fill")
    for group in peers.groups:
        if (group.world, group.job) == ("python", "fresh"):
            yield at_least(peers, group, peers.theirs(group), "exact", 1,
                           f"exact ahead of every Python peer, fresh table, {threads(group.threads)}")
    l2 = max((c["size"] for c in caches if c["level"] == 2), default=0)
    last = max(caches, key=lambda c: c["level"])["size"] if caches else 0
    for what, low, high, limited, demands in (("in cache (to L2)", 0, l2, False, (CACHED, ANCHORED)),
                                              ("beyond L2, to the last level", l2, last, True, (CACHED, ANCHORED)),
                                              ("in memory", last, math.inf, True, (IN_MEMORY,))):
        there = [(c, case) for c, case in cases if low < 4 * c.n * c.d <= high]
        for ours, factor in zip(("exact", "anchored"), demands):
            yield at_least(peers, fill, there, ours, factor, f"{ours} x the fastest C peer, fill, {what}", limited)
    for job, factor, what in (("fresh", FRESH, "fresh"), ("refill", REFILLED, "in place")):
        for count in [g.threads for g in peers.groups if (g.world, g.job) == ("python", job)] or [1]:
            group = Group("python", job, count)
            case = peers.groups.get(group, {}).get((TUTORIAL, LARGEST))
            yield at_least(peers, group, [(LARGEST, case)] if case else [], "exact", factor,
                           f"exact x PyTorch eager, 131072 x 1024 {what}, {threads(count)}")


def targets(peers):
    found, member, notes = list(rows(peers)), peers.members().get("exact"), []
    if peers.emulated:
        found = [[what, demanded, OPEN, f"{reached}; emulated"] for what, demanded, _, reached in found]
    if member and not member.endswith("_avx512"):
        notes.append(f"The targets are set for a processor with AVX-512; this run's exact is {member}.")
    if peers.run.get("quick"):
        notes.append("A quick run: its figures show that it runs, not how fast anything is.")
    notes.append(f"Sizes of caches are as the system reports them. PyTorch eager is {TUTORIAL}, the tutorial's code.")
    return Table("Targets", ["target", "demanded", "verdict", "reached"], found, (1, 2, 3), " ".join(notes))
