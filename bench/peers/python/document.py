"""What was measured, as JSON: medians over turns, and ratios of the same turn's times."""
import statistics

from subjects import BY_NAME, OURS
from turns import ENOUGH


def quartiles(values):
    """[the first, the third], or None where there are too few values for them."""
    if len(values) < ENOUGH:
        return None
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return [low, high]


def half_range(values):
    between = quartiles(values)
    return between and (between[1] - between[0]) / 2


def quotients(theirs, ours):
    """Of the turns that both have; none of one's own."""
    if ours is None or ours is theirs:
        return []
    return [seconds / ours.seconds[turn] for turn, seconds in theirs.seconds.items() if turn in ours.seconds]


def ratio(theirs, ours):
    """[median, half the interquartile range] of the quotients, or None."""
    found = quotients(theirs, ours)
    return [statistics.median(found), half_range(found)] if found else None


def case_row(case, name, measured, member):
    mine = measured[name]
    times = list(mine.seconds.values())
    seconds = statistics.median(times)
    memory = mine.memory
    row = {
        "job": case.job, "world": "python", "peer": name, "n": case.n, "d": case.d, "threads": case.threads, "rows": mine.rows,
        "turns": len(times), "seconds": seconds, "spread": half_range(times), "gb_s": 4e-9 * case.n * case.d / seconds,
        "of_limit": None, "memory": None if memory is None else round(memory * case.n / mine.rows), "memory_by": mine.memory_by,
        **{ours: ratio(mine, measured.get(ours)) for ours in OURS},
        "quartiles": {"seconds": quartiles(times), **{ours: quartiles(quotients(mine, measured.get(ours))) for ours in OURS}},
    }  # fmt: skip
    if member:
        row["member"] = member
    if case.threads > 1 and not BY_NAME[name].threads:
        row["single"] = True  # it used one of them
    return row


def document(run, **more):
    """The whole of it. A peer that measured nothing and was not judged is only in not_run."""
    versions, members, cases = {}, {}, []
    for (name, _), said in run.said.items():
        versions.update(said["versions"])
        members[name] = said["member"]
    for case, measured in run.measured.items():
        there = [name for name in run.names if name in measured and measured[name].seconds]
        cases += [case_row(case, name, measured, members[name]) for name in there]
    there = {row["peer"] for row in cases} | run.judged.keys()
    peers = []
    for name in run.names:
        if name in there and name not in OURS:
            subject = BY_NAME[name]
            peers.append({
                "name": name, "world": "python", "what": subject.what, "version": versions.get(subject.library),
                "preset": subject.preset, "file": f"{name}.npy" if name in run.judged else None,
                "judged_rows": run.judged.get(name),
            })  # fmt: skip
    return {
        "schema": 1, "tool": "posenc-peers-python", **more, "versions": versions, "not_run": run.not_run, "peers": peers,
        "cases": cases,
    }  # fmt: skip
