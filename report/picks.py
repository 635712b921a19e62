"""Which implementation to use: the fastest within a budget of error."""
from .words import number

BUDGETS = (
    ("at most 1 ULP", "ulp_max", 1.0, lambda e: f"{e:.4g} ULP"),
    ("at most 1e-6 absolute", "max_abs", 1e-6, number),
)


def fastest_of(run, names, rows):
    """By the verdicts of posenc-bench; by the median where it has none."""
    cases = {rows[n].name: n for n in names}
    against = [cases[other] for case, other in run.verdicts if case in cases and other in cases]
    return against[0] if against else min(names, key=lambda n: rows[n].ns)


def pick(run, names):
    """The fastest of the names, or the simplest (earliest in the list) of those that tie with it by the verdicts of
    posenc-bench; and all that tie."""
    fastest = fastest_of(run, names, run.here)
    verdicts = {n: run.verdicts.get((run.here[n].name, run.here[fastest].name)) for n in names}
    ties = [n for n in run.order if n == fastest or verdicts.get(n) == "tie"]
    return ties[0], ties


def speed_of(run, names):
    """The pick, and "exact, 19.59 GB/s (tied with ...)"."""
    name, ties = pick(run, names)
    tied = f" (tied with {', '.join(n for n in ties if n != name)}, and simpler)" if len(ties) > 1 else ""
    return name, f"{name}, {run.here[name].gb_s:.2f} GB/s{tied}"


def pick_within(run, key, most, show):
    errors = {n: run.accuracy[n].worst(key, run.compared) for n in run.order if n in run.here and n in run.accuracy}
    errors = {n: e for n, e in errors.items() if e is not None}
    within = [n for n in errors if errors[n] <= most]
    if within:
        name, said = speed_of(run, within)
        return f"{said}, the fastest of the {len(within)} within it; worst error {show(errors[name])}"
    if errors:
        name = min(errors, key=errors.get)
        return f"none: the best is {name} at {show(errors[name])}"
    return "none: no implementation was both verified and run"


def recipes(run):
    """Those that do a framework's arithmetic, which forms angle and sine with a float32 libm."""
    return [
        n
        for n in run.order
        if n in run.here and run.error(n) is not None and run.entries[n].get("arithmetic") == "float32 libm"
    ]


def pick_recipe(run):
    if not recipes(run):
        return "none: no float32 libm recipe was both verified and run"
    name, said = speed_of(run, recipes(run))
    rest = [n for n in recipes(run) if n != name]
    return "; else ".join(
        [f"{said}: {run.entries[name].get('summary', '')}"]
        + [f"{n}, {run.here[n].gb_s:.2f} GB/s: {run.entries[n].get('summary', '')}" for n in rest]
    )


def within(run, spans=None):
    """The names whose errors are at most 1 ULP, over the ranges that are compared or others."""
    _, key, most, _ = BUDGETS[0]
    errors = {n: a.worst(key, spans or run.compared) for n, a in run.accuracy.items()}
    return [n for n, error in errors.items() if error is not None and error <= most]


def accuracy_groups(run):
    """[(what its members have in common, names, fastest first)], the most accurate first."""
    groups = {
        "Correctly rounded": [],
        "Wrong by at most 1 ULP": [],
        "Wrong by at most 1e-6": [],
        "Wrong by more than 1e-6": [],
    }
    for n in sorted((n for n in run.judged() if n in run.here), key=lambda n: run.here[n].ns):
        right, of = run.correct(n)
        accurate = (right == of, run.ulp(n) <= 1, run.error(n) <= BUDGETS[1][2], True)
        groups[list(groups)[accurate.index(True)]].append(n)
    worst = {said: f", up to {number(max(map(run.error, names)))}" for said, names in groups.items() if names}
    return [(f"{said}{worst[said] if '1e-6' in said else ''}", groups[said]) for said in worst]


def front(run):
    """The names that no other beats in both error (as shown) and speed."""
    merits = {n: (-float(number(run.error(n))), run.here[n].gb_s) for n in run.judged() if n in run.here}
    return {n for n, m in merits.items() if not any(o != m and o[0] >= m[0] and o[1] >= m[1] for o in merits.values())}


def picks(run):
    """[(budget, which and why)]"""
    found = [(what, pick_within(run, key, most, show)) for what, key, most, show in BUDGETS]
    return [*found, ("the framework's own float32 rounding", pick_recipe(run))]
