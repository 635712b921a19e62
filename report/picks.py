"""Which implementation to use: the fastest within a budget of error."""
from .stats import between, standing
from .words import number

DEFAULT_SHAPE = "transformer"


def pick(candidates, rows, order):
    """The fastest of the names, or the simplest (earliest in the list) of those that tie with it; who it is or ties
    with, as (name, by how much it is slower than the fastest), the fastest first."""
    fastest = min(candidates, key=lambda i: rows[i].ns)
    slower = {i: rows[i].ns / rows[fastest].ns - 1.0 for i in candidates}
    ties = [i for i in candidates if i == fastest or standing(1 + slower[i], between(rows[i], rows[fastest])) == "tie"]
    return min(ties, key=order.index), [(i, slower[i]) for i in sorted(ties, key=slower.get)]


def choice_of(impl, ties, many):
    """ "the fastest of the 9", "one of the 9"."""
    return "the only one" if many == 1 else f"{'the fastest' if impl == ties[0][0] else 'one'} of the {many}"


def remark(impl, ties):
    """On who is as fast, to follow a sentence about the one that is picked."""
    others = [f"{name} ({100 * slower:.1f} %)" for name, slower in ties[impl == ties[0][0] :] if name != impl]
    text = "" if impl == ties[0][0] else f"; as fast as {ties[0][0]} ({100 * dict(ties)[impl]:.1f} % apart) and simpler"
    others = [o for o in others if not o.startswith(ties[0][0] + " ")]
    return text + (f"; tied: {', '.join(others)}" if others else "")


def pick_within(budget, run):
    _, key, most, show = budget
    errors = {i: run.accuracy[i].worst(key, run.spans) for i in run.order if i in run.here and i in run.accuracy}
    errors = {i: e for i, e in errors.items() if e is not None}
    within = [i for i in errors if errors[i] <= most]
    if within:
        impl, ties = pick(within, run.here, run.order)
        return (
            f"{impl}, {choice_of(impl, ties, len(within))} within it: {run.here[impl].gb_s:.2f} GB/s, "
            f"worst error {show(errors[impl])}{remark(impl, ties)}"
        )
    if errors:
        impl = min(errors, key=errors.get)
        return f"none: the best is {impl} at {show(errors[impl])}"
    return "none: no implementation was both verified and run"


def recipes(run):
    """Those that do a framework's arithmetic, which forms angle and sine with a float32 libm."""
    return [
        i for i in run.order if i in run.here and i in run.accuracy and run.accuracy[i].arithmetic == "float32 libm"
    ]


def pick_recipe(run):
    found = recipes(run)
    if not found:
        return "none: no float32 libm recipe was both verified and run"
    impl, ties = pick(found, run.here, run.order)
    text = f"{impl}, {run.here[impl].gb_s:.2f} GB/s: {run.accuracy[impl].summary}{remark(impl, ties)}"
    return text + "".join(
        f"; else {i}, {run.here[i].gb_s:.2f} GB/s: {run.accuracy[i].summary}" for i in found if i != impl
    )


BUDGETS = (
    ("at most 1 ULP", "ulp_max", 1.0, lambda e: f"{e:.4g} ULP"),
    ("at most 1e-6 absolute", "max_abs", 1e-6, number),
)


def picks(run):
    """[(budget, which and why)]"""
    return [(b[0], pick_within(b, run)) for b in BUDGETS] + [("the framework's own float32 rounding", pick_recipe(run))]
