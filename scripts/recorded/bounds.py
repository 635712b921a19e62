"""Whether every stated bound is there and fits what was found: a recorded report of posenc-verify has every row of impl/list.inc,
each with a bound that nothing broke; and one that rests on measurement is at most LOOSE times the worst found on its platform."""
import re

import store
import whole
from results import load_object
from store import TOP

LOOSE = 2.0
NOTHING = 2  # a bound of so much says nothing of a sine, and its error nothing of the bound
EVIDENCE = ("proved", "upstream", "measured")
# What must have been recorded, and by which command.
REQUIRED = {"verify": "bench and ./scripts/record", "bench": "bench and ./scripts/record", "peers": "peers --all --record",
            "error": "plot-error --record", "exhaustive": "exhaustive --record", "budget": "budget-worst --record",
            "stack": "budget-worst --record", "fuzz": "fuzz --minutes 30 --record", "mutants": "mutants --record",
            "aarch64": "cross-aarch64 --record", "verify-aarch64": "cross-aarch64 --record", "old-cpus": "old-cpus --record",
            "single-file": "single-file --record"}


def of_entry(where, e):
    bound = e.get("bound") or {}
    if not bound.get("law"):
        yield f"{where}: there is no bound"
    if bound.get("evidence") not in EVIDENCE:
        yield f"{where}: its bound rests on {bound.get('evidence')!r}: allowed are {', '.join(EVIDENCE)}"
    if e.get("supported") is False:
        return  # listed, and judged where its instructions are
    if not e.get("ranges"):
        yield f"{where}: nothing of it was judged"
    closest = 0.0
    for r in e.get("ranges", []):
        span = f"{where}: {r.get('shape')}, positions {r.get('from')} to {r.get('to')}"
        for key in ("worst", "closest_to_bound"):
            found = r.get(key) or {}
            if not isinstance(found.get("bound"), (int, float)) or not isinstance(found.get("error"), (int, float)):
                yield f"{span}: {key} has no error or no bound"
            elif found["error"] > found["bound"]:
                yield f"{span}: an error of {found['error']:g} breaks the bound of {found['bound']:g}"
            elif 0 < found["bound"] < NOTHING:
                closest = max(closest, found["error"] / found["bound"])
        if r.get("bound_ok") is not True:
            yield f"{span}: the bound was broken"
    if bound.get("evidence") == "measured" and closest * LOOSE < 1:
        times = 1 / closest if closest else float("inf")
        yield f"{where}: its measured bound is {times:.3g} times the worst found; allowed are {LOOSE:g}"


def of_report(name, data):
    rows = whole.rows_of_the_list(data.get("machine", {}).get("architecture"))
    there = {e["name"]: e for e in data["implementations"]}
    if not rows:
        yield f"{name}: no row of impl/list.inc is built for {data.get('machine', {}).get('architecture')!r}"
    for row in rows:
        if row not in there:
            yield f"{name}: {row}, a row of impl/list.inc, is not in it"
    for row, e in there.items():
        if row not in rows:
            yield f"{name}: {row} is no row of impl/list.inc on that platform"
        yield from of_entry(f"{name}: {row}", e)


# What verify/tests/bits/test_budget.c allows each: a constant of impl/budget.inc, less what that has for the ends of the interval.
ALLOWED = {"sine": ("ANGLE", 0), "cosine": ("ANGLE", 0), "sum of three angles": ("ERROR", 0.5),
           "sine of a small one, relative": ("RELATIVE", 1), "single row": ("SINGLE", 0),
           "its sine where no quarter is taken, relative": ("SINGLE_RELATIVE", 0)}
BUDGETS = {"test_budget": ALLOWED, "test_budget_fused": ALLOWED | {"sum of three angles": ("ANCHORED", 0)}}


def of_budget(data):
    """The worst that scripts/budget-worst found is within the budget; how it adds up is for scripts/error-budget."""
    text = (TOP / "impl/budget.inc").read_text(encoding="utf-8")
    constants = {name: float(v) for name, v in re.findall(r"^#define POSENC_BUDGET_(\w+) ([\d.]+)", text, re.M)}
    there = {(found["program"], found["what"]): found for found in data["found"]}
    for program, budget in BUDGETS.items():
        for what, (constant, less) in budget.items():
            where, found = f"docs/recorded/budget.json: {program}: {what}", there.pop((program, what), None)
            if found is None:
                yield f"{where} is not in it"
                continue
            if found["worst"] > found["most"]:
                yield f"{where}: {found['worst']:g} is more than {found['most']:g}"
            if found["most"] != constants.get(constant, 0) - less:
                yield (f"{where}: {found['most']:g} was allowed; POSENC_BUDGET_{constant} of impl/budget.inc is "
                       f"{constants.get(constant, 0):g}, of which this has all but {less:g}")
    yield from (f"docs/recorded/budget.json: {program}: {what}: no constant of impl/budget.inc is known for it"
                for program, what in there)


def of_stack(data):
    """What the header says of it was measured."""
    text = (TOP / "include/posenc.h").read_text(encoding="utf-8")
    stated = re.search(r"uses less than (\d+) KiB of stack", text)
    if not stated:
        yield "include/posenc.h does not say what stack a call uses"
        return
    most = max(row["bytes"] for row in data["used"])
    bound = int(stated[1]) << 10
    if most >= bound:
        yield f"docs/recorded/stack.json: {most} bytes of stack are not less than {stated[1]} KiB, as include/posenc.h has it"
    if bound > LOOSE * most:
        yield (f"include/posenc.h: {stated[1]} KiB of stack are {bound / most:.3g} times the most that was found; allowed are "
               f"{LOOSE:g}")


def of_reports():
    """Of all platforms; together they have judged every row."""
    judged = set()
    for path in sorted(store.DIRECTORY.glob("verify*.json")):
        data = store.recorded(path.stem, "implementations")
        judged |= {e["name"] for e in data["implementations"] if e.get("ranges")}
        yield from of_report(f"docs/recorded/{path.name}", data)
    rows = {row: None for architecture in whole.SETS for row in whole.rows_of_the_list(architecture)}
    yield from (f"{row}, a row of impl/list.inc, was judged in no docs/recorded/verify*.json" for row in rows if row not in judged)


def of_one_run():
    """Pages join them."""
    verify, bench = store.commit_of("verify"), store.commit_of("bench")
    if verify != bench:
        yield (f"docs/recorded/verify.json is of commit {verify}, bench.json of {bench}: ./scripts/bench leaves both, and "
               "./scripts/record takes both")


def complaints():
    missing = [name for name in REQUIRED if not store.path_of(name).exists()]
    yield from (f"docs/recorded/{name}.json is not there; ./scripts/{REQUIRED[name]} makes it" for name in missing)
    if missing:
        return
    yield from of_reports()
    yield from of_one_run()
    yield from of_budget(load_object(store.path_of("budget")))
    yield from of_stack(load_object(store.path_of("stack")))
