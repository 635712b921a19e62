"""What posenc promises against its peers, and whether a run of scripts/peers keeps it; for peers_text.py and the report."""
import dataclasses

from peers_cases import Column, Group, standing
from peers_verdict import (MET, OPEN, WITHIN, Target, closest, down, either, held, known, size, threads, times, verdict)
from words import listed, plural

SMALLEST, LARGEST = (64, 128), (131072, 1024)  # every size between them
CACHED, ANCHORED, IN_MEMORY, OF_LIMIT, FRESH, REFILLED = 2.0, 3.0, 2.0, 0.88, 20.0, 60.0
TUTORIAL, IN_PLACE = "torch_tutorial", "torch_out"


def levels(peers):
    """(bytes of the L2 cache, of the last level), or None where the run does not say."""
    caches = peers.machine.get("caches", [])
    second = [c["size"] for c in caches if c["level"] == 2]
    return (max(second), max(caches, key=lambda c: c["level"])["size"]) if second else None


def without(peers, group, columns, target):
    """The same, open where it is met only because somebody was not there."""
    lost = peers.lacking(group, columns)
    if not lost or target.verdict == OPEN:
        return target
    return dataclasses.replace(target, reached=f"{target.reached}; without {listed(lost)}",
                               verdict=OPEN if target.verdict.startswith(MET) else target.verdict)


def ahead(peers, group, what):
    """exact in front of everybody at every size."""
    cases, demanded = peers.theirs(group), "above 1"
    if not known(cases, "exact"):
        return Target(what, demanded, "exact was not run at every size" if cases else "not measured", OPEN)
    sizes = sorted({column for column, _ in cases}, key=lambda c: (c.n * c.d, c.d))
    stand = {kind: [(c, case) for c, case in cases if standing(case, "exact") == kind] for kind in ("peer", "tie")}
    clear = [c for c in sizes if c not in {column for found in stand.values() for column, _ in found}]
    parts = [f"ahead at {len(clear)} of {plural(len(sizes), 'size')}"]
    for kind, word in (("peer", "behind"), ("tie", "not apart")):
        by_size = {c: [f"{case['peer']} {times(case, 'exact')}" for column, case in stand[kind] if column == c] for c in sizes}
        parts += [f"{word} at {size(c)}: {', '.join(who)}" for c, who in by_size.items() if who]
    parts.append(f"least {closest(cases, 'exact')}")
    result = verdict([(case["exact"][0] > 1, standing(case, "exact") != "tie") for _, case in cases])
    lacking = [f"{n} x {d}" for n, d in (SMALLEST, LARGEST) if (n, d) not in {c[:2] for c in sizes}]
    if lacking:
        parts.append(f"not run: {', '.join(lacking)}")
        result = OPEN if result.startswith(MET) else result
    return without(peers, group, sizes, Target(what, demanded, "; ".join(parts), result))


def of_limit(pair):
    return f"{down(pair[0], 3)}{'' if pair[1] is None else f' ± {pair[1]:.3f}'} of the limit" if pair else "limit not measured"


def at_least(peers, group, cases, ours, factor, what, limited=False):
    """At every size at least that; limited: or so near to what stores reach that nobody could be much faster. Names the
    fastest peer at every size that falls short; of the limited, at every size."""
    demanded = f"at least {factor:g}" + (f", or {OF_LIMIT} of the limit" if limited else "")
    if not known(cases, ours):
        return Target(what, demanded, f"{ours} was not run at every size" if cases else "not measured", OPEN)
    parts, found, short = [], [], []
    sizes = sorted({column for column, _ in cases}, key=lambda c: (c.n * c.d, c.d))
    for column in sizes:
        there, mine = [c for c in cases if c[0] == column], peers.column(group, column).get(ours, {})
        limit = mine.get("of_limit") if limited else None
        share = held(mine, "of_limit", OF_LIMIT) if limit else (False, True)
        each = [either(held(case, ours, factor), share) for _, case in there]
        part = closest(there, ours) + (f", {of_limit(limit)}" if limited else "")
        parts.append(part)
        short += [part] if not all(met for met, _ in each) else []
        found += each
    shown = "; ".join(parts) if limited else closest(cases, ours)
    if short and len(sizes) > 1:
        shown = (f"{shown}; short at {len(short)} of {len(sizes)} sizes" if limited else
                 f"short at {len(short)} of {len(sizes)} sizes: {'; '.join(short)}")
    return Target(what, demanded, shown, verdict(found))


def in_caches(peers):
    """Of fills, by where a table fits."""
    group, sizes = Group("c", "fill", 1), levels(peers)
    cases = peers.theirs(group)
    if cases and not sizes:
        return [Target("exact and anchored x the fastest C peer, fill, by cache", f"{CACHED:g}, {ANCHORED:g}",
                       "the run does not say how large the caches are", OPEN)]
    l2, last = sizes or (0, 0)
    bytes_of = {column: 4 * column.n * column.d for column, _ in cases}
    cached = [c for c in cases if bytes_of[c[0]] <= l2]
    between = [c for c in cases if l2 < bytes_of[c[0]] <= last]
    memory = [c for c in cases if bytes_of[c[0]] > last]
    both = (("exact", CACHED), ("anchored", ANCHORED))
    what = "x the fastest C peer, fill,"
    wanted = [(cached, o, factor, f"{o} {what} in cache (to L2)", False) for o, factor in both]
    wanted += [(between, o, factor, f"{o} {what} beyond L2, to the last level", True) for o, factor in both if between]
    wanted.append((memory, "exact", IN_MEMORY, f"exact {what} in memory", True))
    return [without(peers, group, sorted({c for c, _ in there}), at_least(peers, group, there, *rest)) for there, *rest in wanted]


def tutorial(peers, job, factor, what):
    """PyTorch's, eager, at the largest size: of each number of threads. Beside it the best of its eager forms in place."""
    counts = [g.threads for g in peers.groups if (g.world, g.job) == ("python", job)] or [1]
    for count in counts:
        group, column = Group("python", job, count), Column(*LARGEST, None)
        cases = peers.groups.get(group, {})
        case, other = cases.get((TUTORIAL, column)), cases.get((IN_PLACE, column))
        target = at_least(peers, group, [(column, case)] if case else [], "exact", factor, f"{what}, {threads(count)}")
        if other and other["exact"] and case:
            target = dataclasses.replace(target, reached=f"{target.reached}; {IN_PLACE} {times(other, 'exact')}")
        yield target


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


def proviso(peers, found):
    """What is to be known beside the verdicts."""
    member, notes = peers.members().get("exact"), []
    if member and not member.endswith("_avx512"):
        notes.append(f"The targets are set for a processor with AVX-512; this run's exact is {member}.")
    if peers.run.get("quick"):
        notes.append("A quick run: its figures show that it runs, not how fast anything is.")
    if any("last level" in t.what for t in found):
        notes.append("The last level is as large as the system says: on a virtual machine the host's, which others use too.")
    if any(TUTORIAL in t.reached for t in found):
        notes.append(f"PyTorch eager is {TUTORIAL}, the tutorial's code, which asks for no huge pages; {IN_PLACE} is the best "
                     "eager form in place.")
    if any(t.verdict.endswith(WITHIN) for t in found):
        notes.append("Within the spread: the median decides, and the spread reaches across what is demanded.")
    return " ".join(notes)
