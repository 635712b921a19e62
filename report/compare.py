"""Two runs of posenc-bench or two reports of posenc-verify side by side: as text on stdout, and as a page."""
import json
import os

from . import compare_bench, compare_verify, html, load, text
from .tables import Section, Table

SILENT = {"executable", "host_name", "library_build_type", "load_avg", "schema", "verified", "tool", "caches"}
KINDS = {"benchmarks": ("bench", compare_bench), "implementations": ("verify", compare_verify)}


def read(path):
    """(kind, what the file holds)"""
    data = load.google_benchmark(path, load.read(path))
    for key, (form, _) in KINDS.items():
        if isinstance(data.get(key), list):
            load.check(path, data, form)
            return key, data
    return load.fail(f"{path}: this is neither a run of posenc-bench nor a report of posenc-verify")


def contexts(a, b):
    """What differs between two runs beside their results."""

    def plain(value):
        return "-" if value is None else value if isinstance(value, str) else json.dumps(value)

    keys = [key for key in dict.fromkeys([*a, *b]) if key not in SILENT and not key.startswith(("shape.", "level."))]
    rows = [[key.replace("_", " "), plain(a.get(key)), plain(b.get(key))] for key in keys if a.get(key) != b.get(key)]
    return Table("Context", ["what", "A", "B"], rows or [["nothing that the files tell", "-", "-"]], text=(1, 2))


def main(a, b, path):
    (kind, data_a), (kind_b, data_b) = read(a), read(b)
    a, b = (os.fsencode(name).decode(errors="backslashreplace") for name in (a, b))
    if kind != kind_b:
        load.fail(f"{a} and {b}: two runs of posenc-bench or two reports of posenc-verify are needed")
    form, module = KINDS[kind]
    runs = module.Side(data_a), module.Side(data_b)
    found = module.compare(*runs)
    if not found:
        load.fail(f"{a} and {b} have nothing in common that could be compared")
    sentences, only, sections = found
    sections = [
        Section("What differs beside the results?", only, [contexts(runs[0].context, runs[1].context)]),
        *sections,
    ]
    method = Section("How it was compared", [module.HOW])
    warnings = [f"{letter}: {said}" for letter, run in zip("AB", runs) for said in run.warnings]
    title = f"{'Two runs' if form == 'bench' else 'Two reports'} of posenc-{form} compared"
    lead = [f"A: {a}", f"B: {b}", *sentences]
    load.write(path, html.page(title, lead, warnings, [*sections, method], ()))
    print("\n".join([title, *lead, *(f"warning: {said}" for said in warnings)]))
    for section in sections:
        text.show_section(section)
    print(f"\n{path}", flush=True)
    return 0
