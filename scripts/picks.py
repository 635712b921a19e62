"""Which implementation to use: the fastest within a budget of error; for scripts/summary and scripts/report."""

DEFAULT_SHAPE = "transformer"
TIE = 0.03  # closer than this, and closer than their spread: the simpler one is picked


def short(position):
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if position >= size:
            return f"{position // size}{unit}"
    return str(position)


def number(value):
    return "?" if value is None else f"{value:.1e}".replace("e-0", "e-")


def pick(candidates, rows, order):
    """The fastest of the names, or one that ties with it and is simpler (earlier in the list); and a remark on that."""
    fastest = min(candidates, key=lambda i: rows[i].ns)
    for impl in sorted(candidates, key=order.index):
        slower = rows[impl].ns / rows[fastest].ns - 1.0
        if impl != fastest and slower < TIE and slower < max(rows[impl].spread, rows[fastest].spread):
            return impl, f"; as fast as {fastest} ({100 * slower:.1f} % apart, within the spread) and simpler"
        if impl == fastest:
            break
    return fastest, ""


def pick_within(budget, accuracy, rows, order, spans):
    _, key, most, show = budget
    errors = {i: accuracy[i].worst(key, spans) for i in order if i in rows and i in accuracy}
    errors = {i: e for i, e in errors.items() if e is not None}
    within = [i for i in errors if errors[i] <= most]
    if within:
        impl, tie = pick(within, rows, order)
        choice = "the only one" if len(within) == 1 else f"{'one' if tie else 'the fastest'} of the {len(within)}"
        return f"{impl}, {choice} within it: {rows[impl].gb_s:.2f} GB/s, worst error {show(errors[impl])}{tie}"
    if errors:
        impl = min(errors, key=errors.get)
        return f"none: the best is {impl} at {show(errors[impl])}"
    return "none: no implementation was both verified and run"


def pick_recipe(accuracy, rows, order):
    """Frameworks form angle and sine with a float32 libm; the summary says in which order."""
    recipes = [i for i in order if i in rows and i in accuracy and accuracy[i].arithmetic == "float32 libm"]
    if not recipes:
        return "none: no float32 libm recipe was both verified and run"
    impl, tie = pick(recipes, rows, order)
    text = f"{impl}, {rows[impl].gb_s:.2f} GB/s: {accuracy[impl].summary}{tie}"
    return text + "".join(f"; else {i}, {rows[i].gb_s:.2f} GB/s: {accuracy[i].summary}" for i in recipes if i != impl)


BUDGETS = (("at most 1 ULP", "ulp_max", 1.0, lambda e: f"{e:.4g} ULP"),
           ("at most 1e-6 absolute", "max_abs", 1e-6, number))


def picks(accuracy, rows, order, spans):
    """[(budget, which and why)]"""
    chosen = [(b[0], pick_within(b, accuracy, rows, order, spans)) for b in BUDGETS]
    return chosen + [("the framework's own float32 rounding", pick_recipe(accuracy, rows, order))]
