"""The answer of ./scripts/bench and of ./scripts/pick: a table of the families of implementations, and at most a few lines
on what to use. The text and the page show the same objects."""
import math
import textwrap
from typing import NamedTuple

from . import checks, judge, text
from .load import BENCH, VERIFY, fail, load
from .processors import processor
from .run import STANDARD, Run
from .tables import Table, reached
from .words import called, listed, number, plural, position, three, times, ulps

DEFAULT = "exact"  # the library's, where no name is given
WIDTH, NOTE = 100, 30  # columns of the text, and of a note


class Answer(NamedTuple):
    title: str
    legend: str  # what the columns are
    table: Table
    lines: list


def families(run):
    """{family: (its fastest member, its fastest one without AVX-512; None where there is none)}, those within the budget
    first, each kind by speed. The judge decides which member is the fastest; the one with the widest vectors is it until
    another one is faster."""
    found, members = {}, {}
    for name in (n for n in run.entries if n in run.timed and run.error(n) is not None):
        members.setdefault(run.families[name], {})[name] = run.timed[name].values
    for family, measured in members.items():
        narrow = {name: values for name, values in measured.items() if run.entries[name]["isa"] != "avx512"}
        found[family] = fastest(measured), fastest(narrow)
    best = {family: name for family, (name, _) in found.items()}
    order = sorted(found, key=lambda family: (not within(run, best[family]), run.timed[best[family]].ns))
    return {family: found[family] for family in order}


def fastest(times):
    return judge.pick(times, next(iter(times))).name if times else None


def within(run, name):
    end = math.inf if run.one else run.work.n
    return judge.keeps(run.entries[name], run.budget, run.work.dtype, end)


def note(run, family, name):
    """What an implementation is: the beginning of the library's summary."""
    said = run.entries[name]["summary"].partition(":")[0]
    if family == DEFAULT:
        said += "; the default"
    return said if len(said) <= NOTE else said[: NOTE - 3].rsplit(" ", 1)[0] + "..."


def table(run):
    """A row for each family, by its fastest member. The member is named where it is not the one with the widest vectors,
    which the family's name selects."""
    found = families(run)
    has_avx512 = any(run.entries[best]["isa"] == "avx512" for best, _ in found.values())
    spans, rows = reached(run), []
    for family, (best, narrow) in found.items():
        name = family if run.request(best) == family else f"{family} ({best.removeprefix(family + '_')})"
        speeds = [best, narrow] if has_avx512 else [best]
        row = [name, *(three(run.timed[n].gb_s) if n else "-" for n in speeds)]
        if run.limit:
            row.append(of_stores(run.limit.ns / run.timed[best].ns))
        if run.one:
            row.append(ulps(run.ulp(best)))
        errors = ["-" if run.another_table() else number(run.error(best, s)) for s in spans]
        rows.append([*row, *errors, note(run, family, best)])
    head = ["implementation", "GB/s"]
    if has_avx512:
        head.append("AVX2")
    if run.limit:
        head.append("of stores")
    head += ["ULP", "largest error"] if run.one else [heading(run, s, s is spans[0]) for s in spans]
    accurate = sum(within(run, best) for best, _ in found.values())
    return Table("", [*head, "what it is"], rows, text=(len(head),), gap=accurate % max(len(rows), 1))


def of_stores(share):
    return f"{share:.{2 if share >= 0.1 else 3}f}"


def heading(run, spans, is_first):
    """ "error to 5k", and "131k sampled" beside it"""
    end = position(spans[-1][1])
    if is_first:
        return f"error to {end}"
    return f"{end} sampled" if run.is_sampled(spans) else end


def title(run):
    found = [run.measured_table()]
    if run.one:
        found += [f"{key.replace('_', ' ')} {value}" for key, value in run.options.items() if key != "dtype"]
        if run.spans[0][0] != 0:
            found.append(f"positions from {run.spans[0][0]}")
        found.append(str(run.budget))
    elif run.base() != STANDARD["base"]:
        found.append(f"base {run.base():g}")
    return ", ".join([*found, "one thread", processor(run.machine | run.context)])


def legend(run, head):
    said = {"error": "error: the largest below that position"}
    if run.limit:
        said["of"] = f"of stores: of {three(run.limit.gb_s)} GB/s by stores alone"
    said |= {"AVX2": "AVX2: no AVX-512", "ULP": "errors and ULP: the largest of all"}
    return "; ".join(what for key, what in said.items() if any(name.split(" ")[0] == key for name in head))


def spec(options, columns):
    """The statements in C that make a spec with these fields; none where it is the paper's."""
    if not options:
        return ""
    fields = dict(options)
    preset = f'"{fields.pop("preset")}"' if "preset" in options else "NULL"
    found = [f"posenc_spec_init(&spec, {columns}, {preset});"]
    for key, value in fields.items():
        short = {"float32": "F32", "float64": "F64", "bfloat16": "BF16", "float16": "F16"}.get(value, value.upper())
        is_named = key in ("dtype", "layout", "order", "odd")
        found.append(f"spec.{key} = {f'POSENC_{key.upper()}_{short}' if is_named else value};")
    return " ".join(found)


def code(run, name):
    """The calls in C and Python that make the table, with how to request the implementation; in one line if it fits."""
    promised = "" if run.families[name] == DEFAULT else f" ({promise(run, name)})"
    options = run.options or ({} if run.one or run.base() == STANDARD["base"] else {"base": f"{run.base():g}"})
    name = run.request(name)
    first, end = (run.spans[0][0], run.spans[-1][1]) if run.one else (0, run.work.n)
    named = {"first": first or None} | options | {"impl": None if name == DEFAULT else name}
    named = [f"{key}={quoted(value)}" for key, value in named.items() if value is not None]
    python = f"posenc.table({', '.join([str(end - first), str(run.work.d), *named])})"
    chosen = "NULL" if name == DEFAULT else f'"{name}"'
    fields = spec(options, run.work.d)
    c = f"posenc_fill_once(&spec, {chosen}, {first}, {end - first}, table, {run.work.d})"
    lines = [f"Use {name}{promised}: {fields}", c] if fields else [f"Use {name}{promised}: {c}"]
    fits = not fields and len(lines[0] + python) < WIDTH - 1
    return [f"{lines[0]}; {python}"] if fits else [*lines, f"In Python: {python}"]


def quoted(value):
    """As in Python."""
    try:
        float(value)
        return str(value)
    except ValueError:
        return f'"{value}"'


def promise(run, name):
    """What an implementation promises of its values (posenc_impl in posenc.h)."""
    family, is_short = run.families[name], run.work.dtype in ("bfloat16", "float16")
    is_rounded = family == DEFAULT or (family == "anchored" and is_short)
    return "every value correctly rounded" if is_rounded else "rounding not guaranteed"


def use(run):
    """The lines on what to use, the default for ./scripts/bench and its pick for ./scripts/pick, and on the fastest other
    implementation within the budget."""
    pick = run.pick()
    if not pick:
        return [f"Use: no answer, {run.unpicked()}"]
    name = pick.name if run.one or run.default not in pick.against else run.default
    lines = code(run, name)
    others = [best for best, _ in families(run).values() if best != name and best in pick.against]
    for best in others[:1]:
        beside = judge.compare(run.timed[name].values, run.timed[best].values)
        said = times(beside).replace("as fast", "as fast here", 1)
        lines.append(f"{run.request(best)}: {said}, {promise(run, best)}")
    return lines


def other_work(run):
    """On other kinds of work: which family is faster than the default or, where the default is the fastest, how much
    faster that is than the next one. Each kind has its largest difference."""
    if not run.pick():
        return []
    found = {}
    for work, pick in run.picks.items():
        other = run.other(pick)
        if other and work != run.work and work.offset is None:
            c, kind = pick.against[other], (work.kind, work.dtype)
            if kind not in found or rank(c) > rank(found[kind][0]):
                found[kind] = c, *names(run, pick.fastest, other), where(work)
    shown = sorted(found.values(), key=lambda item: rank(item[0]), reverse=True)
    while shown and len(wrapped(joined(shown))) > 2:
        shown.pop()
    return [joined(shown)] if shown else []


def rank(comparison):
    """What is certain first."""
    return comparison.verdict == "slower", comparison.ratio


def names(run, *members):
    """Their families, or the names to request where both are of one family."""
    families = [run.families[name] for name in members]
    return families if len({*families}) == len(members) else [run.request(name) for name in members]


def joined(found):
    """found: [(the comparison, the faster one, the other one, where)]"""
    said, same = {}, []
    for c, name, other, place in found:
        if c.verdict != "slower":
            same.append(place)
        elif (name, other) in said:
            said[name, other].append(f"{three(c.ratio)} {place}")
        else:
            said[name, other] = [f"{name} is {three(c.ratio)} times as fast as {other} {place}"]
    parts = [", ".join(cases) for cases in said.values()]
    if same:
        parts.append(f"about as fast {', '.join(same)}")
    return f"Other work: {'; '.join(parts)}"


def wrapped(line):
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ")


def where(work):
    if work.kind == "fill":
        return f"at {work.n} x {work.d}" if work.is_table else f"for {work.dtype} tables"
    said = called(work._replace(end=None))
    return {"uncached memory": f"in {said}", "random positions": f"at {said}"}.get(said, f"for {said}")


def left_out(run):
    """A line for each reason why implementations or cases failed, and why implementations were not run."""
    failures, found = {n: e["failure"] for n, e in run.entries.items() if e.get("failure")} | run.errors, {}
    for name, why in failures.items():
        found.setdefault(("Failed", why), []).append(name)
    for name, why in run.left_out().items():
        if name in run.entries and name not in failures:
            isa = run.lacking().get(name)
            reason = f"this CPU lacks {'AVX-512' if isa == 'avx512' else isa.upper()}" if isa else why
            found.setdefault(("Not run", reason.removeprefix("not run: ")), []).append(name)
    return [f"{what}: {few(names)} ({why})" for (what, why), names in found.items()]


def few(names):
    return listed(names) if len(names) < 3 else f"{names[0]} and {plural(len(names) - 1, 'other')}"


def answer(run):
    lines = use(run)
    if not run.one:
        lines += other_work(run)
    lines += left_out(run)
    if run.one:
        judged, of = sum(r["rows"] for r in run.over(next(iter(run.accuracy)))), run.spans[-1][1] - run.spans[0][0]
        if judged < of:
            lines.append(f"Errors: of a sample, {judged:,} of {of:,} rows")
        if run.work and run.work.n < of:
            lines.append(f"Speeds: of the first {run.work.n:,} of {of:,} rows")
    found = table(run)
    return Answer(title(run), legend(run, found.head), found, lines)


def lines(run):
    """The answer as text."""
    found = answer(run)
    return [found.title, found.legend, "", *text.lines(found.table), "", *sum(map(wrapped, found.lines), [])]


def show(run, end=()):
    print("\n".join([*(f"Warning: {said}" for said in checks.of_run(run)), "", *lines(run), *end]))


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
    budget = judge.Budget(*(math.inf if x is None else x for x in (args.max_ulp, args.max_abs)))
    budget = judge.Budget() if budget == (math.inf, math.inf) else budget
    run = Run(load(args.verify, VERIFY), load(args.bench, BENCH), budget, one=True)
    given = (option.partition("=")[::2] for option in args.table)
    run.options = {key.replace("-", "_"): value for key, value in given if key not in ("positions", "d-model")}
    if not run.spans:
        fail("; ".join(left_out(run)) or f"{args.verify}: no implementation makes this table")
    show(run)
    return 2 if run.errors else 0 if run.pick() else 1


def failed(args):
    """Prints the names that posenc-bench must skip."""
    entries = {e["name"]: e for e in load(args.verify, VERIFY)["implementations"]}
    print("".join(f"{name}\n" for name in judge.failed(entries)), end="")
