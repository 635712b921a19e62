"""Every case of a run, as CSV."""
import csv
import sys

from .accuracy import PAPER

HEAD = ["kind", "implementation", "dtype", "positions", "columns", "end", "offset"]
HEAD += ["ns_per_value", "quartile_1", "quartile_3", "gb_per_s", "max_ulp", "max_abs"]


def show(run):
    """A case that writes no rows has nanoseconds per pass. end: all positions are smaller; empty if that is `positions`.
    offset: the output's address modulo 64. The errors are the largest at the positions of the case, in ULP and absolute, of
    the paper's table with 512 columns and the same dtype; empty for limits, for what failed, and for other formulas."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(HEAD)
    for case, result in run.speeds.results.items():
        is_paper = not case.formula and run.speeds.base(case.size) == PAPER["base"]
        errors = run.accuracy.errors_below(case.who, case.dtype, case.end or case.n) if is_paper else None
        figures = [result.ns, *result.quartiles(), result.gb_s if result.rows else None, *(errors or (None, None))]
        offset = run.speeds.context.get("offset") if case.offset is None else case.offset
        numbers = ["" if value is None else f"{value:.6g}" for value in figures]
        out.writerow([case.kind, case.who, case.dtype, case.n, case.d, case.end, offset, *numbers])
