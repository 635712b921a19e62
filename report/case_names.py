"""Cases and works in words."""
from .formats import position

CALLS = {
    "fill": "tables",
    "fill_at": "random positions",
    "fill_at_real": "real positions",
    "fill_pair": "sines and cosines apart",
    "row": "single rows",
    "fill/uncached": "uncached memory",
    "fill_at/in_a_row": "a list of consecutive positions",
}
PLACES = {"fill/uncached": "in uncached memory", "fill_at": "at random positions"}


def details(case):
    """What distinguishes a case from others of its call and size."""
    parts = case.formula
    if case.dtype != "float32":
        parts.append(case.dtype)
    if case.call == "row" and case.end:
        parts.append(f"positions below {position(case.end)}")
    if case.offset is not None:
        parts.append(f"output {case.offset} bytes after a multiple of 64" if case.offset else "aligned output")
    return parts


def called(case):
    """What a case does: "single rows, positions below 4096"."""
    return ", ".join([CALLS.get(case.kind, CALLS.get(case.call, case.call)), *details(case)])


def case_name(case):
    """What a case does, and the size."""
    if case.call == "row":
        return ", ".join([f"{CALLS['row']} of {case.d}", *details(case)])
    return f"{called(case)}, {f'd_model {case.d}' if case.n == 1 else f'{case.n} x {case.d}'}"


def place(work):
    """Where one implementation is faster than another: "at 64 x 512", "for single rows" at any positions."""
    if work.is_table:
        return f"at {work.n} x {work.d}"
    if work.kind == "fill":
        return f"for {work.dtype} tables"
    work = work._replace(end=None)
    return PLACES[work.kind] if work.kind in PLACES and not details(work) else f"for {called(work)}"
