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


def case_row(case, name, among, member):
    mine = among[name]
    times = list(mine.seconds.values())
    row = {
        "job": case.job, "world": "python", "peer": name, "n": case.n, "d": case.d, "threads": case.threads, "rows": mine.rows,
        "turns": len(times), "seconds": statistics.median(times), "spread": half_range(times), "of_limit": None,
        "memory": None if mine.memory is None else round(mine.memory * case.n / mine.rows),
        **{ours: ratio(mine, among.get(ours)) for ours in OURS},
        "quartiles": {"seconds": quartiles(times), **{ours: quartiles(quotients(mine, among.get(ours))) for ours in OURS}},
    }  # fmt: skip
    if member:
        row["member"] = member
    if case.threads > 1 and not BY_NAME[name].threads:
        row["single"] = True  # it used one of them
    return row


def among_of(run, case):
    """{name: what it measured} of those who had a turn. Who can use one thread only takes part with its times of the same turns
    where others use several."""
    cases = {name: case if BY_NAME[name].threads else case._replace(threads=1) for name in run.names}
    found = {name: run.measured.get((of, name)) for name, of in cases.items()}
    return {name: measured for name, measured in found.items() if measured and measured.seconds}


def document(run, **more):
    """The whole of it. A peer that measured nothing and was not judged is only in not_run."""
    versions, members, cases = {}, {}, []
    for (name, _), said in run.said.items():
        versions.update(said["versions"])
        members[name] = said["member"]
    for case in run.cases:
        among = among_of(run, case)
        cases += [case_row(case, name, among, members[name]) for name in among]
    there = {row["peer"] for row in cases} | run.judged.keys()
    peers = [
        {"name": s.name, "world": "python", "what": s.what, "version": versions.get(s.library), "preset": s.preset,
         "file": f"{s.name}.npy" if s.name in run.judged else None}
        for s in map(BY_NAME.get, run.names) if s.name in there and s.name not in OURS
    ]  # fmt: skip
    about = {"schema": 1, "tool": "posenc-peers-python", **more, "versions": versions, "not_run": run.not_run}
    return about | {"peers": peers, "cases": cases}
