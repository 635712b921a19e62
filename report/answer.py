"""The answer of ./scripts/bench and of ./scripts/pick: a table of the families of implementations, and at most a few lines
on what to use. The text and the page show the same objects."""
import math
import textwrap
from typing import NamedTuple

from . import checks, decisions, document
from .accuracy import PAPER, Accuracy
from .case_names import place
from .formats import listed, number, plural, position, three, times_as_fast, ulps
from .load import BENCH, VERIFY, fail, load
from .processors import processor
from .run import Run

DEFAULT_FAMILY = "exact"  # the library uses it when no name is given
WIDTH, NOTE = 100, 30  # columns of the text, and of a note


class Answer(NamedTuple):
    title: str
    legend: str  # what the columns are
    table: document.Table
    lines: list


def families(run):
    """{family: (its fastest member, its fastest member without AVX-512 or None)}. Families within the budget come first.
    Both groups are sorted by speed."""
    times, best = {}, {}
    for name in (name for name in run.judged if name in run.timed):
        times.setdefault(run.families[name], {})[name] = run.timed[name].times
    for family, measured in times.items():
        narrow = {name: its_times for name, its_times in measured.items() if run.entries[name]["isa"] != "avx512"}
        best[family] = fastest(measured), fastest(narrow)

    def by_budget_and_speed(family):
        name, _ = best[family]
        return not run.is_within_budget(name, run.table), run.timed[name].ns

    return {family: best[family] for family in sorted(best, key=by_budget_and_speed)}


def fastest(times):
    """Returns the member that stands for its family. By the family's name the library chooses the first member, which
    has the widest vectors. So that one is the default of the pick: another member needs a certain lead over it."""
    if not times:
        return None
    widest = next(iter(times))
    return decisions.pick(times, default=widest).name


def shown_name(run, name):
    """The family's name. The member is named too where it is not the one with the widest vectors, which the family's name
    selects."""
    family = run.families[name]
    return family if run.accuracy.request(name) == family else f"{family} ({name.removeprefix(family + '_')})"


def note(run, name):
    """What an implementation is: the beginning of the library's summary."""
    text = run.entries[name]["summary"].partition(":")[0]
    if run.families[name] == DEFAULT_FAMILY:
        text += "; the default"
    return text if len(text) <= NOTE else text[: NOTE - 3].rsplit(" ", 1)[0] + "..."


def table(run):
    """A row for each family, by its fastest member."""
    by_family, near = families(run), run.shown_ranges[0]
    names, narrow = [best for best, _ in by_family.values()], [narrow for _, narrow in by_family.values()]
    columns = [("implementation", [shown_name(run, name) for name in names]), ("GB/s", speed_cells(run, names))]
    if any(run.entries[name]["isa"] == "avx512" for name in names):
        columns.append(("AVX2", speed_cells(run, narrow)))
    if run.limit:
        shares = [run.limit.ns / run.timed[name].ns for name in names]
        columns.append(("of stores", [f"{share:.{2 if share >= 0.1 else 3}f}" for share in shares]))
    if run.is_one_table:
        columns.append(("ULP", [ulps(run.accuracy.largest_ulp(name, near)) for name in names]))
        columns.append(("largest error", error_cells(run, names, near)))
    else:
        columns.append((f"error to {position(near[-1].end)}", error_cells(run, names, near)))
        for far in run.shown_ranges[1:]:
            sampled = " sampled" if run.accuracy.is_sampled(far) else ""
            columns.append((position(far[-1].end) + sampled, error_cells(run, names, far)))
    columns.append(("what it is", [note(run, name) for name in names]))
    accurate = sum(run.is_within_budget(name, run.table) for name in names)
    return document.of_columns("", columns, text=(len(columns) - 1,), gap=accurate % max(len(names), 1))


def speed_cells(run, names):
    return [three(run.timed[name].gb_s) if name else "-" for name in names]


def error_cells(run, names, ranges):
    return ["-" if run.mismatch else number(run.accuracy.largest_error(name, ranges)) for name in names]


def measured_table(run):
    if run.table:
        return f"{run.table.n} x {run.table.d}, {run.table.dtype}"
    if not run.is_one_table:
        return "no table"
    judged, rows = run.accuracy.table, run.ranges[-1].end - run.ranges[0].first
    return f"{rows} x {judged['d_model']}, {judged['dtype']}"


def title(run):
    parts = [measured_table(run)]
    if run.is_one_table:
        parts += [f"{key.replace('_', ' ')} {value}" for key, value in run.options.items() if key != "dtype"]
        if run.ranges[0].first != 0:
            parts.append(f"positions from {run.ranges[0].first}")
        parts.append(str(run.budget))
    elif run.base != PAPER["base"]:
        parts.append(f"base {run.base:g}")
    return ", ".join([*parts, "one thread", processor(run.machine)])


def legend(run, head):
    parts = [] if run.is_one_table else ["error: the largest below that position"]
    if run.limit:
        parts.append(f"of stores: of {three(run.limit.gb_s)} GB/s by stores alone")
    if "AVX2" in head:
        parts.append("AVX2: no AVX-512")
    if run.is_one_table:
        parts.append("errors and ULP: the largest of all")
    return "; ".join(parts)


NAMED = ("dtype", "layout", "order", "odd")  # options whose values are names
SHORT = {"float32": "F32", "float64": "F64", "bfloat16": "BF16", "float16": "F16"}  # the names of enumerators


def spec(options, columns):
    """The statements in C that make a spec with these fields; none where it is the paper's."""
    if not options:
        return ""
    fields = dict(options)
    preset = f'"{fields.pop("preset")}"' if "preset" in options else "NULL"
    statements = [f"posenc_spec_init(&spec, {columns}, {preset});"]
    for key, value in fields.items():
        enumerator = f"POSENC_{key.upper()}_{SHORT.get(value, value.upper())}"
        statements.append(f"spec.{key} = {enumerator if key in NAMED else value};")
    return " ".join(statements)


def code(run, name):
    """The calls in C and Python that make the table, with how to request the implementation; in one line if it fits."""
    promised = "" if run.families[name] == DEFAULT_FAMILY else f" ({promise(run, name)})"
    if run.is_one_table:
        options, first, end = run.options, run.ranges[0].first, run.ranges[-1].end
    else:
        options, first, end = {} if run.base == PAPER["base"] else {"base": f"{run.base:g}"}, 0, run.table.n
    name, rows, columns = run.accuracy.request(name), end - first, run.table.d
    arguments = [f"{rows}, {columns}"] + ([f"first={first}"] if first else [])
    for key, value in (options | ({} if name == DEFAULT_FAMILY else {"impl": name})).items():
        arguments.append(f'{key}="{value}"' if key in (*NAMED, "preset", "impl") else f"{key}={value}")
    python = f"posenc.table({', '.join(arguments)})"
    chosen, fields = "NULL" if name == DEFAULT_FAMILY else f'"{name}"', spec(options, columns)
    c = f"posenc_fill_once(&spec, {chosen}, {first}, {rows}, table, {columns})"
    lines = [f"Use {name}{promised}: {fields}", c] if fields else [f"Use {name}{promised}: {c}"]
    fits = not fields and len(lines[0] + python) < WIDTH - 1
    return [f"{lines[0]}; {python}"] if fits else [*lines, f"In Python: {python}"]


def promise(run, name):
    """What an implementation promises of its values (posenc_impl in posenc.h)."""
    family, is_short = run.families[name], run.table.dtype in ("bfloat16", "float16")
    is_rounded = family == DEFAULT_FAMILY or (family == "anchored" and is_short)
    return "every value correctly rounded" if is_rounded else "rounding not guaranteed"


def why_no_pick(run):
    if run.emulated:
        return "the run was emulated"
    if run.speeds.failed and run.is_one_table:
        return f"the measurement failed: {next(iter(run.speeds.failed.values()))}"
    if run.mismatch:
        return "errors and speeds are of different tables"
    return "none is within the budget" if run.timed else "no speed was measured"


def use(run):
    """The lines on what to use, the default for ./scripts/bench and its pick for ./scripts/pick, and on the fastest other
    implementation within the budget."""
    pick = run.picks.get(run.table)
    if not pick:
        return [f"Use: no answer, {why_no_pick(run)}"]
    name = pick.name if run.is_one_table or run.default_member not in pick.against else run.default_member
    lines = code(run, name)
    others = [best for best, _ in families(run).values() if best != name and best in pick.against]
    for best in others[:1]:
        speed = times_as_fast(decisions.compare(run.timed[best].times, run.timed[name].times), "as fast here")
        lines.append(f"{run.accuracy.request(best)}: {speed}, {promise(run, best)}")
    return lines


def rival(run, pick):
    """Which implementation the fastest one of a pick is compared with: the default, or, if it is the default's family
    itself, the nearest of another family; or None."""
    if run.default_member in pick.against and run.default_member != pick.fastest:
        return run.default_member
    others = [name for name in pick.against if run.families[name] != run.families[pick.fastest]]
    return min(others, key=lambda name: pick.against[name].ratio, default=None)


def other_work(run):
    """On other kinds of work: which family is faster than the default or, where the default is the fastest, how much
    faster that is than the next one. Each kind has its largest difference."""
    if run.table not in run.picks:
        return []
    largest = {}
    for work, pick in run.picks.items():
        other = rival(run, pick)
        if other and work != run.table and work.offset is None:
            c, kind = pick.against[other], (work.kind, work.dtype)
            if kind not in largest or by_certainty(c) > by_certainty(largest[kind][0]):
                largest[kind] = c, *names(run, pick.fastest, other), place(work)
    shown = sorted(largest.values(), key=lambda item: by_certainty(item[0]), reverse=True)
    while shown and len(wrapped(joined(shown))) > 2:
        shown.pop()
    return [joined(shown)] if shown else []


def by_certainty(comparison):
    """What is certain first."""
    return comparison.outcome == "faster", comparison.ratio


def names(run, *members):
    """Their families, or the names to request where both are of one family."""
    families = [run.families[name] for name in members]
    return families if len({*families}) == len(members) else [run.accuracy.request(name) for name in members]


def joined(comparisons):
    """comparisons: [(the comparison, the faster one, the other one, where)]"""
    by_pair, about_as_fast = {}, []
    for c, name, other, where in comparisons:
        if c.outcome != "faster":
            about_as_fast.append(where)
        elif (name, other) in by_pair:
            by_pair[name, other].append(f"{three(c.ratio)} {where}")
        else:
            by_pair[name, other] = [f"{name} is {three(c.ratio)} times as fast as {other} {where}"]
    parts = [", ".join(cases) for cases in by_pair.values()]
    if about_as_fast:
        parts.append(f"about as fast {', '.join(about_as_fast)}")
    return f"Other work: {'; '.join(parts)}"


def wrapped(line):
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ")


def left_out(run):
    """A line for each reason why implementations or cases failed, and why implementations were not run."""
    failures = {name: entry["failure"] for name, entry in run.entries.items() if entry["failure"]}
    failures |= run.speeds.failed
    not_run = {name: why for name, why in run.left_out().items() if name in run.entries and name not in failures}
    not_run |= {name: f"this CPU lacks {isa}" for name, isa in run.accuracy.lacking.items() if name in not_run}
    by_reason = {}
    for what, reasons in (("Failed", failures), ("Not run", not_run)):
        for name, why in reasons.items():
            by_reason.setdefault((what, why), []).append(name)
    return [f"{what}: {few(names)} ({why})" for (what, why), names in by_reason.items()]


def few(names):
    return listed(names) if len(names) < 3 else f"{names[0]} and {plural(len(names) - 1, 'other')}"


def incomplete(run):
    """What of the one table was not compared, or not measured."""
    judged = sum(r["rows"] for r in run.accuracy.figures(next(iter(run.accuracy.findings)), run.ranges))
    of = run.ranges[-1].end - run.ranges[0].first
    if judged < of:
        yield f"Errors: of a sample, {judged:,} of {of:,} rows"
    if run.table and run.table.n < of:
        yield f"Speeds: of the first {run.table.n:,} of {of:,} rows"


def answer(run):
    families_table = table(run)
    more = [*left_out(run), *incomplete(run)] if run.is_one_table else [*other_work(run), *left_out(run)]
    return Answer(title(run), legend(run, families_table.head), families_table, [*use(run), *more])


def lines(run):
    """The answer as text."""
    a = answer(run)
    return [a.title, a.legend, "", *document.lines(a.table), "", *sum(map(wrapped, a.lines), [])]


def show(run, end=()):
    print("\n".join([*(f"Warning: {warning}" for warning in checks.of_run(run)), "", *lines(run), *end]))


def main(args):
    """./scripts/bench"""
    run = Run(load(args.verify, VERIFY), load(args.bench, BENCH))
    if not run.timed:
        print("No table was filled. ./scripts/report --text prints what was measured.")
        return
    report = f"   All figures: {args.page}" if args.page else ""
    show(run, [f"Your table: ./scripts/pick --d-model 768 --positions 512{report}"])


def pick(args):
    """./scripts/pick"""
    budget = decisions.Budget(*(math.inf if x is None else x for x in (args.max_ulp, args.max_abs)))
    budget = decisions.Budget() if budget == (math.inf, math.inf) else budget
    given = (option.partition("=")[::2] for option in args.table)
    options = {key.replace("-", "_"): value for key, value in given if key not in ("positions", "d-model")}
    run = Run(load(args.verify, VERIFY), load(args.bench, BENCH), budget, options)
    if not run.ranges:
        fail("; ".join(left_out(run)) or f"{args.verify}: no implementation makes this table")
    show(run)
    return 2 if run.speeds.failed else 0 if run.table in run.picks else 1


def failed(args):
    """Prints the names that posenc-bench must skip."""
    print("".join(f"{name}\n" for name in Accuracy(load(args.verify, VERIFY)).failed), end="")
