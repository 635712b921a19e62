"""Two runs of posenc-bench or two reports of posenc-verify side by side: as text on stdout, and as a page.

Runs on different processors are shown and not judged. judge.py has the rule for two runs on one processor."""
import json
import os
import statistics

from . import checks, html, judge, load, text
from .processors import processor
from .stats import STORES, read_bench
from .tables import Section, Table, apart
from .words import called, case_name, plural, speed

SILENT = {"executable", "host_name", "library_build_type", "load_avg", "schema", "tool", "caches"}
FIGURES = ("max_abs", "ulp_max", "correctly_rounded")
SPEC = "d_model base denominator explicit_frequencies preset position_scale layout order odd outputs rows".split()


def machine(data):
    return data.get("context") or data.get("machine") or {}


def context(a, b):
    """What differs between two runs beside their results."""
    a, b = (machine(data) | {k: v for k, v in data.items() if isinstance(v, (str, int))} for data in (a, b))

    def plain(value):
        return "-" if value is None else value if isinstance(value, str) else json.dumps(value)

    keys = [key for key in dict.fromkeys([*a, *b]) if key not in SILENT and not key.startswith(("shape.", "level."))]
    rows = [[key.replace("_", " "), plain(a.get(key)), plain(b.get(key))] for key in keys if a.get(key) != b.get(key)]
    return Table("Conditions that differ", ["what", "A", "B"], rows or [["none", "-", "-"]], text=(1, 2))


def is_control(case):
    return case.call in (*STORES, "convert")


def benches(a, b, judged):
    """(what both have, sentences, sections)"""
    (rows_a, errors_a), (rows_b, errors_b) = read_bench(a), read_bench(b)
    both = {case: (row, rows_b[case]) for case, row in rows_a.items() if case in rows_b}
    clocks = [statistics.median(times) for times in map(checks.clock, (a, b)) if times]
    controls = [one.ns / other.ns for case, (one, other) in both.items() if is_control(case)]
    controls += [clocks[0] / clocks[1]] if len(clocks) == 2 else []
    (least, noise), tables, marks = judge.least_between_runs(controls), {}, []

    def rank(case):
        return not case.is_table, called(case), case.n * case.d, case.size, case.who

    for case in sorted(both, key=rank):
        one, other = both[case]
        head = ["case", "A, GB/s", "B, GB/s"] + ["speed B/A", "mark"] * judged
        table = tables.setdefault(case.work, Table(case_name(case), head, []))
        shown = (lambda row: f"{row.ns / 1000:.2f} us") if case.call == "plan" else speed
        marks.append("control" if is_control(case) else judge.compare_runs(one.values, other.values, least))
        table.rows.append([case.who, shown(one), shown(other)] + [f"{one.ns / other.ns:.3f}", marks[-1]] * judged)
        table.bold += (case.who,) * (judged and marks[-1] in ("faster", "slower"))
    notes = []
    for letter, one, other, errors in (("A", rows_a, rows_b, errors_a), ("B", rows_b, rows_a, errors_b)):
        missing = len({*one} - {*other})
        notes += [f"{plural(missing, 'case')} only in {letter}"] if missing else []
        notes += [f"failed in {letter}: {case}: {why}" for case, why in errors.items()]
    counts = [(word, marks.count(word)) for word in ("faster", "slower", "tie", "not judged")]
    counted = ", ".join(f"{word} in {count}" for word, count in counts if count) or "controls only"
    sentences = [
        f"B compared with A, in {plural(len(both), 'case')}: {counted}.",
        f"A difference is more than {100 * least:.1f} %, with quartiles that do not overlap.",
        f"Nine in ten of {plural(len(controls), 'control')}, which no commit changes, differed by at most "
        f"{100 * noise:.1f} %.",
    ]
    return both, sentences if judged else [], [Section("Case by case", notes=notes, folds=apart(tables.values()))]


def ranges(data):
    """{name: {where: range}}"""
    where, entries = ("shape", "dtype", "from", "to"), (e for e in data["implementations"] if e.get("ranges"))
    return {e["name"]: {tuple(r.get(key) for key in where): r for r in e["ranges"]} for e in entries}


def equal(a, b, one, other):
    """Whether two ranges of the same outputs have the same figures; None where other outputs were judged."""
    whole = one.get("rows", 0) >= one["to"] - one["from"]
    if not whole and a.get("seed") != b.get("seed"):
        return None
    if any(one[key] != other[key] for key in SPEC if key in one and key in other):
        return None
    return all(one.get(key) == other.get(key) for key in FIGURES)


def verifies(a, b, _):
    """(what both have, sentences, sections)"""
    of_a, of_b, rows, differ, marks = ranges(a), ranges(b), [], [], []
    for name in [name for name in of_a if name in of_b]:
        found = {w: equal(a, b, of_a[name][w], of_b[name][w]) for w in of_a[name] if w in of_b[name]}
        marks += found.values()
        rows.append([name, *(str([*found.values()].count(said)) for said in (True, False, None))])
        for where in (where for where, same in found.items() if same is False):
            cells = [f"{of[name][where].get(key)}" for key in FIGURES for of in (of_a, of_b)]
            differ.append([f"{name}, {where[0]}, {where[1]}, {where[2]} to {where[3]}", *cells])
    others = marks.count(None)
    sentences = [f"Of {len(marks)} ranges, {marks.count(True)} are equal and {marks.count(False)} differ."]
    sentences += [f"{others} cannot be compared, because other outputs were judged."] if others else []
    tables = [Table("Ranges by implementation", ["implementation", "equal", "differ", "other outputs"], rows)]
    head = ["range", *(f"{key.replace('_', ' ')} {letter}" for key in FIGURES for letter in "AB")]
    tables += [Table("Ranges that differ", head, differ)] if differ else []
    return rows, sentences, [Section("Are the errors equal?", folds=apart(tables))]


def main(path_a, path_b, output):
    a, b = (load.load(path, "bench", "verify") for path in (path_a, path_b))
    form, form_b = ("bench" if "benchmarks" in data else "verify" for data in (a, b))
    path_a, path_b = (os.fsencode(name).decode(errors="backslashreplace") for name in (path_a, path_b))
    if form != form_b:
        load.fail(f"{path_a} and {path_b}: give two runs of posenc-bench or two reports of posenc-verify")
    processors = [processor(machine(data)) for data in (a, b)]
    emulated = any(machine(data).get("emulated") in ("yes", True) for data in (a, b))
    judged = processors[0] == processors[1] and "unknown" not in processors[0] and not emulated
    common, found, sections = {"bench": benches, "verify": verifies}[form](a, b, judged)
    if not common:
        load.fail(f"{path_a} and {path_b} have nothing in common")
    lead = [f"A: {path_a}", f"B: {path_b}"]
    if processors[0] != processors[1]:
        lead[:0] = [f"The processors differ: A ran on {processors[0]}, B on {processors[1]}. Speeds are not judged."]
    lead += ["A run was emulated: speeds are not judged."] * emulated
    of = {"bench": lambda data: checks.of_bench(data, read_bench(data)[0]), "verify": checks.of_verify}[form]
    warnings = [f"{letter}: {said}" for letter, data in zip("AB", (a, b)) for said in of(data)]
    title = f"Two {'runs' if form == 'bench' else 'reports'} of posenc-{form} compared"
    sections = [*sections, Section("Conditions", folds=apart([context(a, b)]))]
    load.write(output, html.page(title, lead=[*lead, *found], warnings=warnings, sections=sections))
    print("\n".join([title, *lead, *found, *(f"Warning: {said}" for said in warnings)]))
    for section in sections:
        text.show_section(section)
    print(f"\n{output}", flush=True)
