"""What scripts/peers prints of build/peers.json: what decides first, then one table a job. docs/peers.md and the report have the
rest: ratios to anchored, shares of the limit, memory, and what each peer is."""
import re
import textwrap

from further import columns
from peers_cases import standing
from peers_conditions import conditions
from peers_figures import duration, ratio, together
from peers_losses import by_size, nowhere
from peers_tables import errors, heading, remarks, target_table, title
from peers_words import OURS

WIDTH = 130  # of a terminal


BOUND = "\u00a0"  # a space that no line ends at


def show_left(table):
    """With its texts beginning one below the other."""
    print(f"\n{table.title}")
    widths = [max(len(line[i]) for line in [table.head, *table.rows]) for i in range(len(table.head))]
    for line in [table.head, *table.rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    if table.note:
        show_text(table.note)


def show_text(text, first="", later=""):
    """In lines of a terminal, none of which ends within a figure or a size."""
    text = re.sub(r" (±|x|/|to) (?=\d|-)", lambda m: f"{BOUND}{m[1]}{BOUND}", text)
    print(textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False,
                        break_on_hyphens=False).replace(BOUND, " "))


def show_items(items):
    for what, text in items:
        show_text(f"{what}: {text}", "  ", "    ")


def cells(case):
    """Its time, and that by exact's."""
    time = duration(case["seconds"]) + ("*" if case["rows"] < case["n"] else "")
    if case["peer"] in OURS:
        return time, "-"
    mark = {"peer": " wins", "tie": " tie"}.get(standing(case, "exact"), "")
    return time, together(ratio(case, "exact", marks={}), "+-") + mark


def show_job(peers, group):
    """Its times and ratios, in as many parts, one below the other, as its sizes need."""
    print(f"\n{title(group)}")
    sizes, names = peers.columns(group), peers.names(group)
    at = {column: peers.column(group, column) for column in sizes}
    blocks, marks = [], set()
    for column in sizes:
        block = [(heading(column), "/ exact")] + [cells(at[column][n]) if n in at[column] else ("-", "-") for n in names]
        if {line[1] for line in block[1:]} == {"-"}:
            block = [line[:1] for line in block]  # exact was not run
        marks |= {standing(at[column][n], "exact") for n in names if n in at[column] and n not in OURS}
        blocks.append([list(line) for line in block])
    wide = [sum(max(len(line[i]) for line in block) + 2 for i in range(len(block[0]))) for block in blocks]
    first, start = max(map(len, names)), 0
    while start < len(blocks):
        end = start + 1
        while end < len(blocks) and first + sum(wide[start:end + 1]) <= WIDTH:
            end += 1
        columns([[name] + [cell for block in blocks[start:end] for cell in block[i]] for i, name in enumerate(["who", *names])])
        start = end
    told = [remarks(peers, group),
            "below 1 the peer is faster: it wins where the quartiles are apart" if marks & {"peer", "tie"} else ""]
    if any(told):
        show_text("; ".join(filter(None, told)))


def text(peers):
    for what, value in conditions(peers):
        show_text(f"{what}: {value}", later="  ")
    for entry in peers.not_run:
        print(f"not run: {entry['name']}: {entry['reason']}")
    if peers.emulated:
        print("\nEmulated: these times say nothing about a real machine.")
    judged = errors(peers)
    if judged:
        show_left(judged)
    promised = target_table(peers)
    print("\nTargets")
    show_items((f"{verdict}: {what} (demanded: {demanded})", reached) for what, demanded, verdict, reached in promised.rows)
    if promised.note:
        show_text(promised.note)
    print("\nWhere a peer is faster: its time by that of exact / of anchored")
    show_items(by_size(peers, "peer"))
    if nowhere(peers):
        print(f"  {nowhere(peers)}")
    ties = by_size(peers, "tie")
    if ties:
        print("Not decided: the quartiles, in parentheses, are not apart")
    show_items(ties)
    for group in peers.groups:
        show_job(peers, group)
    print("\nRatios to anchored, shares of the limit, memory, and what each peer is: with --markdown, and in the report.")
