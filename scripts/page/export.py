"""The numbers of a page as CSV, unrounded."""
import csv
import io

from results import best_limit


def text_of(head, rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()


def accuracy(subject):
    """One line for each implementation and range; one for each implementation without."""
    edges = subject.verify.get("ulp_band_edges") or []
    of_range = ["shape", "d_model", "base", "preset", "dtype", "from", "to", "rows", "outputs", "max_abs", "ulp_p50", "ulp_p99",
                "ulp_max",
                "correctly_rounded", "bound_ok"]
    head = ["implementation", "isa", "arithmetic", "supported", "verified", "failure", *of_range]
    head += [f"ulp_to_{e:g}" for e in edges] + [f"ulp_above_{edges[-1]:g}"] if edges else []
    rows = []
    for name, e in subject.entries.items():
        start = [name] + [plain(e.get(key)) for key in ("isa", "arithmetic", "supported", "verified", "failure")]
        rows += [start + [plain(r.get(key)) for key in of_range] + list(r.get("ulp_bands") or [])
                 for r in e.get("ranges", [])] or [start]
    return text_of(head, [row + [""] * (len(head) - len(row)) for row in rows])


def plain(value):
    """A number as Python reads it back; nothing as nothing. Text that a spreadsheet would take for a formula gets a quote."""
    if value is None:
        return ""
    if isinstance(value, str) and value[:1] in "=+-@":
        return "'" + value
    return str(value).lower() if isinstance(value, bool) else value


def half_of(value, spread):
    return "" if spread is None else value * spread / 2


def speed(subject):
    """One line for each case and place of the output: what was verified, and the limits."""
    head = ["kind", "name", "n", "d", "offset", "repetitions", "rows", "ns_per_element", "ns_half_iqr", "gb_per_s",
            "gb_per_s_half_iqr",
            "share_of_limit", "share_half_iqr", "ranked"]
    rows = []
    for offset, at in subject.verified.items():
        for (kind, name, n, d), row in sorted(at.items()):
            limit = best_limit(at, (n, d))[1] if kind == "fill" else None
            share, of_share = row.share_of(limit) if limit else ("", None)
            ranked = "no, emulated" if subject.emulated else "yes" if subject.ranked else "no"
            rows.append([kind, plain(name), n, d, offset, len(row.values), row.rows, row.ns, half_of(row.ns, row.spread),
                         row.gb_s, half_of(row.gb_s, row.spread), share, half_of(1, of_share), ranked])
    return text_of(head, rows)
