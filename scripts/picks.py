"""Which implementation to use: the fastest within a budget of error; for scripts/summary and scripts/report."""

DEFAULT_SHAPE = "transformer"
TIE = 0.03  # closer than this, and closer than their spread: the simpler one is picked


def short(position):
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if position >= size:
            return f"{position // size}{unit}"
    return str(position)


def number(value):
    return "?" if value is None else "0" if value == 0 else f"{value:.1e}".replace("e-0", "e-")


def pick(candidates, rows, order):
    """The fastest of the names, or the simplest (earliest in the list) of those that tie with it; who it is or ties with, as
    (name, by how much it is slower than the fastest), the fastest first."""
    fastest = min(candidates, key=lambda i: rows[i].ns)
    slower = {i: rows[i].ns / rows[fastest].ns - 1.0 for i in candidates}
    ties = [i for i in candidates
            if i == fastest or slower[i] < min(TIE, max(rows[i].spread or 0.0, rows[fastest].spread or 0.0))]
    return min(ties, key=order.index), [(i, slower[i]) for i in sorted(ties, key=slower.get)]


def choice_of(impl, ties, many):
    """ "the fastest of the 9", "one of the 9"."""
    return "the only one" if many == 1 else f"{'the fastest' if impl == ties[0][0] else 'one'} of the {many}"


def remark(impl, ties):
    """On who is as fast, to be put after a sentence about the one that is picked."""
    (fastest, _), *others = ties
    text = ""
    if impl != fastest:
        text = f"; as fast as {fastest} ({100 * dict(ties)[impl]:.1f} % apart, within the spread) and simpler"
    others, whom = [t for t in others if t[0] != impl], "it" if impl == fastest else fastest
    if len(others) == 1:
        return f"{text}; {others[0][0]} ties with {whom} ({100 * others[0][1]:.1f} % apart)"
    named = [f"{name} ({100 * slower:.1f} %)" for name, slower in others]
    return f"{text}; {', '.join(named[:-1])} and {named[-1]} tie with {whom}" if named else text


def pick_within(budget, accuracy, rows, order, spans):
    _, key, most, show = budget
    errors = {i: accuracy[i].worst(key, spans) for i in order if i in rows and i in accuracy}
    errors = {i: e for i, e in errors.items() if e is not None}
    within = [i for i in errors if errors[i] <= most]
    if within:
        impl, ties = pick(within, rows, order)
        return (f"{impl}, {choice_of(impl, ties, len(within))} within it: {rows[impl].gb_s:.2f} GB/s, "
                f"worst error {show(errors[impl])}{remark(impl, ties)}")
    if errors:
        impl = min(errors, key=errors.get)
        return f"none: the best is {impl} at {show(errors[impl])}"
    return "none: no implementation was both verified and run"


def pick_recipe(accuracy, rows, order):
    """Frameworks form angle and sine with a float32 libm; the summary says in which order."""
    recipes = [i for i in order if i in rows and i in accuracy and accuracy[i].arithmetic == "float32 libm"]
    if not recipes:
        return "none: no float32 libm recipe was both verified and run"
    impl, ties = pick(recipes, rows, order)
    text = f"{impl}, {rows[impl].gb_s:.2f} GB/s: {accuracy[impl].summary}{remark(impl, ties)}"
    return text + "".join(f"; else {i}, {rows[i].gb_s:.2f} GB/s: {accuracy[i].summary}" for i in recipes if i != impl)


BUDGETS = (("at most 1 ULP", "ulp_max", 1.0, lambda e: f"{e:.4g} ULP"),
           ("at most 1e-6 absolute", "max_abs", 1e-6, number))


def picks(accuracy, rows, order, spans):
    """[(budget, which and why)]"""
    chosen = [(b[0], pick_within(b, accuracy, rows, order, spans)) for b in BUDGETS]
    return chosen + [("the framework's own float32 rounding", pick_recipe(accuracy, rows, order))]
