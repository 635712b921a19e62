"""The answer of ./scripts/compare: the cases of posenc-bench that became slower or faster between two builds."""
import math

from . import decisions, document
from .document import Table
from .formats import plural, three
from .load import BENCH, fail, load
from .speeds import nanoseconds

NAMED = 1.05  # a case is named if its interval lies beyond this change
FAILS = 1.1  # and the exit status is 1 if the intervals of both runs lie above this


def times(path):
    """{the name of a case: nanoseconds of a row, or of a pass that writes none, of each turn}"""
    by_case = {}
    for b in load(path, BENCH)["benchmarks"]:
        if b.get("run_type") == "iteration" and not b.get("error_occurred"):
            by_case.setdefault(b["run_name"], []).append(nanoseconds(b) / (b.get("rows") or 1))
    return by_case


def compared(before, after):
    """{name: how the case before compares with the case after}: a ratio above 1 means that it has become slower."""
    old, new = times(before), times(after)
    for name in sorted({*old} ^ {*new}):
        fail(f"{name} was measured in one of the builds only")
    return {name: decisions.compare(old[name], new[name]) for name in new}


def is_slower(c, than):
    return c.interval is not None and c.interval[0] > than


def is_named(c):
    return is_slower(c, NAMED) or c.interval is not None and c.interval[1] < 1 / NAMED


def ratio_text(c):
    return f"{three(c.ratio)} ({' to '.join(map(three, c.interval))})" if c.interval else "-"


def main(args):
    comparisons, again = compared(*args.files), compared(*args.again) if args.again else {}
    named = {
        n: c for n, c in sorted(comparisons.items(), key=lambda item: -abs(math.log(item[1].ratio))) if is_named(c)
    }
    if args.names:
        print("|".join(named))
        return 0
    rows = []
    for name, c in named.items():
        once_more = ratio_text(again[name]) if name in again else "-"
        rows.append([name, "slower" if c.ratio > 1 else "faster", ratio_text(c), once_more])
    if rows:
        print(*document.lines(Table("", ["case", "now", "times as long", "measured again"], rows, text=(1,))), sep="\n")
    others = plural(len(comparisons) - len(named), "other case" if rows else "case")
    print(f"{others}: no interval beyond a change of {100 * (NAMED - 1):.0f} %")
    return int(any(is_slower(c, FAILS) and n in again and is_slower(again[n], FAILS) for n, c in named.items()))
