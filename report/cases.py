"""Every case of a run, as CSV."""
import csv
import sys

from .judge import errors
from .run import STANDARD
from .stats import quartiles
from .words import IN_A_ROW

HEAD = ["kind", "implementation", "dtype", "positions", "columns", "end", "offset"]
HEAD += ["ns_per_value", "quartile_1", "quartile_3", "gb_per_s", "max_ulp", "max_abs"]


def show(run):
    """A case that writes no rows has nanoseconds per pass. end: all positions are smaller; empty if that is `positions`.
    offset: the output's address modulo 64. The errors are the largest at the positions of the case, in ULP and absolute, of
    the paper's table with 512 columns and the same dtype; empty for limits, for what failed, and for other formulas."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(HEAD)
    for case, row in run.rows.items():
        entry, (_, base) = run.entries.get(case.who, {}), run.shapes.get(case.size, ("", STANDARD["base"]))
        is_paper = {*case.kind.split("/")[1:]} <= {"uncached", IN_A_ROW} and base == STANDARD["base"]
        known = errors(entry, case.dtype, case.end or case.n) if is_paper and entry.get("verified") is True else None
        times = [row.ns, *quartiles(row.values), row.gb_s if row.rows else None]
        offset = run.context.get("offset") if case.offset is None else case.offset
        numbers = ["" if value is None else f"{value:.6g}" for value in [*times, *(known or (None, None))]]
        out.writerow([case.kind, case.who, case.dtype, case.n, case.d, case.end, offset, *numbers])
