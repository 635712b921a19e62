"""Which implementation to use: the fastest within a budget of error."""
from .checks import NOISE
from .stats import ISAS, noise
from .words import about, listed, number, pm, speed

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
    """The names that ran and are at most 1 ULP wrong."""
    found = {n: run.accuracy[n].worst("ulp_max", spans or run.compared) for n in run.here if n in run.accuracy}
    return [n for n, ulp in found.items() if ulp is not None and ulp <= 1]


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


def portable(run, name):
    """The name to ask for: the family's, where it is this member that the library then chooses here."""
    members = [n for n, e in run.entries.items() if e.get("supported", True) and run.families[n] == run.families[name]]
    best = min(members, key=lambda n: next((i for i, isa in enumerate(ISAS) if isa in n.split("_")), len(ISAS)))
    return run.families[name] if name == best else name


def front(run):
    """The names that no other beats in both error (as shown) and speed."""
    merits = {n: (-float(number(run.error(n))), run.here[n].gb_s) for n in run.judged() if n in run.here}
    return {n for n, m in merits.items() if not any(o != m and o[0] >= m[0] and o[1] >= m[1] for o in merits.values())}


def picks(run):
    """[(budget, which and why)]"""
    found = [(what, pick_within(run, key, most, show)) for what, key, most, show in BUDGETS]
    return [*found, ("the framework's own float32 rounding", pick_recipe(run))]


def busy(run):
    """Whether the run is too noisy to be believed."""
    return (noise(run.rows) or 0) > NOISE


def wrong(run, name):
    error = run.error(name)
    return "of unknown error" if error is None else f"wrong by up to {number(error)}"


def answer(run):
    """What to use, in a sentence; and what else one should know before using it, in sentences."""
    near = within(run) if run.ranked else []
    if not near:
        return f"None is picked: {'none that ran is within 1 ULP' if run.ranked else run.unranked()}", []
    name, ties = pick(run, near)
    row, asked = run.here[name], portable(run, name)
    reached = f"{pm(speed(row)) if busy(run) else about(row.gb_s)} GB/s on {run.context.get('cpu', 'this processor')}"
    if run.limit:
        reached += f", {100 * row.share_of(run.limit)[0]:.0f} % of what plain stores reach"
    if busy(run):
        found = f"The machine was too busy to decide. Within 1 ULP {asked} came out first: {reached}"
    elif len(ties) > 1:
        found = f"{asked} is as fast as any within 1 ULP, and the simplest of {len(ties)} that are: {reached}"
    else:
        found = f"{asked} is the fastest within 1 ULP: {reached}"
    return found, list(beside(run, name, ties, near))


def beside(run, name, ties, near):
    def each(names):
        return listed(f"{n} ({about(run.here[n].gb_s)} GB/s)" for n in names)

    asked, fastest_first = portable(run, name), sorted(run.here, key=lambda n: run.here[n].ns)
    if asked != name:
        yield f"{asked} is {name} on this processor; on another it is the best of its family there."
    if len(ties) > 1:
        yield f"It ties with {each(n for n in ties if n != name)}."
    unclear = [n for n in near if "unclear" in (v for (case, _), v in run.verdicts.items() if case == run.here[n].name)]
    if unclear:
        yield f"This run does not tell whether {each(unclear)} may be as fast."
    less = [n for n in fastest_first if n not in near]
    faster = less[: sum(run.here[n].ns < run.here[name].ns for n in less)]
    if faster:
        yield f"Faster, but not within 1 ULP: {listed(f'{each([n])}, {wrong(run, n)}' for n in faster)}."
    elif less:
        yield f"None of the less accurate ones ({len(less)}) is faster."
    default = [n for n in near if portable(run, n) == "exact"]
    if default and asked != "exact":
        yield f"With no name given, posenc uses {each(default)}, which is correctly rounded everywhere."
    for n in (n for n in recipes(run) if n not in near):
        ratio = about(run.here[name].share_of(run.here[n])[0])
        yield f"{asked} is {ratio} times as fast as {n}, a framework's recipe in float32 ({run.entries[n].get('summary', '')})."


def code(run):
    """[(language, lines)] that fill the table with the pick."""
    if not run.ranked or not within(run):
        return []
    (n, d), name, base = run.size, portable(run, pick(run, within(run))[0]), run.base()
    other = base != 10000
    c = f"""posenc_spec spec;
posenc_spec_init(&spec, {d}, NULL);
{f"spec.base = {base:g};" if other else ""}
posenc_plan *plan;
posenc_status status = posenc_plan_create(
  &plan, &spec, "{name}");
if (status == POSENC_OK) {{
  /* float table[{n} * {d}] */
  posenc_fill(plan, 0, {n}, table, {d});
  posenc_plan_destroy(plan);
}}"""
    python = f"""import posenc

table = posenc.table(
    {n}, {d}{f", base={base:g}" if other else ""}, impl="{name}"
)"""
    return [("C", c.replace("\n\n", "\n")), ("Python", python)]
