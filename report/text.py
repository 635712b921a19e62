"""Renders tables as text for a terminal, and the summary of ./scripts/bench."""
import re
import textwrap

from . import peers_tables, tables
from .picks import picks
from .stats import pages, spans_of
from .tables import Table, percent
from .words import number, short

WIDTH = 130
MARKS = {"faster": " wins", "tie": " tie"}
BOUND = "\u00a0"  # a space that no line ends at


def show(table, left=False):
    """left: every column begins at the left, as texts do."""
    if table.caption:
        show_text(table.caption)
    lines = tables.split(table)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        cells = [cell.ljust(w) if left or i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())
    if table.note:
        show_text(table.note)


def show_text(text, first="", later=""):
    """In lines of a terminal, none of which ends within a figure or a size."""
    text = re.sub(r" (±|x|/|to) (?=\d|-)", lambda m: f"{BOUND}{m[1]}{BOUND}", text)
    print(
        textwrap.fill(
            text, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
        ).replace(BOUND, " ")
    )


def final_table(run):
    """Error and speed of the table that the pick is about, fastest first."""
    spans = spans_of(run.accuracy)
    reach = [spans[: i + 1] for i in range(len(spans))]  # errors are running maxima
    rows = []
    for name in sorted(run.here, key=lambda i: run.here[i].ns):
        row = run.here[name]
        errors = [number(run.accuracy[name].worst("max_abs", r) if name in run.accuracy else None) for r in reach]
        rows.append([name, *errors, f"{row.ns:.3f}", tables.speed(row), percent(row, run.limit)])
    return Table(
        "", ["implementation", *(f"to {short(to)}" for _, to in spans), "ns/element", "GB/s", "of limit"], rows
    )


def title(run):
    return f"{run.shapes[run.size][1]}: {run.size[0]} x {run.size[1]}, float32" if run.size else "no table"


def conditions(run):
    c = run.context
    limit = (
        f"{run.limit.gb_s:.1f} GB/s ({run.limit_key[0]}, {run.limit_key[1][2:]}-byte vectors)"
        if run.limit
        else "not measured"
    )
    return (
        f"{c.get('cpu', 'unknown CPU')}, {c.get('compiler', 'unknown compiler')}, {c.get('date', '')[:10]}; one core; "
        "output at "
        f"{run.offset} modulo 64, {pages(run.rows)}; limit: {limit}"
    )


def scope(run):
    return (
        f"errors at positions to {short(run.spans[-1][1])}, d_model 512"
        if run.size and run.spans
        else "no errors known"
    )


def summary(run):
    """Speed by table, error and speed of one table, what else was measured, and which implementation to use."""
    if run.size:
        show(tables.matrix(run))
        print()
    print(f"{title(run)}\n{conditions(run)}")
    if run.size:
        print("max |error| by position, CPU time, sorted by speed; +-: half the interquartile range\n")
        show(final_table(run))
    aside = run.left_aside()
    if aside:
        print()
    for name, why in aside.items():
        print(f"{name}: {why}")
    for table in [*tables.levels(run), *tables.single(run), *tables.others(run)]:
        print()
        show(table)
    if run.size:
        print(f"\nPick ({scope(run)}):")
        for budget, text in picks(run):
            print(f"  {budget}: {text}")


def job(peers, group):
    """Its times, and those divided by that of exact, side by side; in as many parts as the sizes need."""
    print(f"\n{peers_tables.title(group)}")
    names, blocks = peers.names(group), []
    for column in peers.columns(group):
        at = peers.column(group, column)
        block = [[peers_tables.size(column), "/ exact"]]
        for name in names:
            told = (
                MARKS.get(peers_tables.standing(at[name], "exact"), "")
                if name in at and name not in peers_tables.OURS
                else ""
            )
            cell = peers_tables.ratio(at[name], "exact", {}) if name in at else "-"
            shown = (
                peers_tables.duration(at[name]["seconds"]) + "*" * (at[name]["rows"] < at[name]["n"])
                if name in at
                else "-"
            )
            block.append([shown, (cell if isinstance(cell, str) else f"{cell[0]} +- {cell[1]}") + told])
        blocks.append(block)
    wide = [sum(max(len(line[i]) for line in block) + 2 for i in (0, 1)) for block in blocks]
    first, start = max(map(len, names)), 0
    while start < len(blocks):
        end = start + 1
        while end < len(blocks) and first + sum(wide[start : end + 1]) <= WIDTH:
            end += 1
        lines = [
            [name] + [cell for block in blocks[start:end] for cell in block[i]]
            for i, name in enumerate(["who", *names])
        ]
        show(Table("", lines[0], lines[1:]))
        start = end
    if peers_tables.remarks(peers, group):
        show_text(peers_tables.remarks(peers, group))


def show_peers(peers):
    """What scripts/peers prints; docs/peers.md and the report also have ratios to anchored, shares of the limit,
    memory, who is who."""
    for what, value in peers_tables.conditions(peers):
        show_text(f"{what}: {value}", later="  ")
    for entry in peers.not_run:
        print(f"not run: {entry['name']}: {entry['reason']}")
    if peers.emulated:
        print("\nEmulated: these times say nothing about a real machine.")
    judged = peers_tables.errors(peers)
    if judged:
        print()
        show(judged, left=True)
    promised = peers_tables.targets(peers)
    print("\nTargets")
    for what, demanded, verdict, reached in promised.rows:
        show_text(f"{verdict}: {what} (demanded: {demanded}): {reached}", "  ", "    ")
    show_text(promised.note)
    for heading, wanted in (("Where a peer is faster", "faster"), ("Ties", "tie")):
        found = peers_tables.by_size(peers, wanted)
        print(f"\n{heading}: {'its time by that of exact / of anchored' if found else 'none'}")
        for what, text in found:
            show_text(f"{what}: {text}", "  ", "    ")
    for group in peers.groups:
        job(peers, group)
