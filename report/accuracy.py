"""What posenc-verify found: which implementations passed, and how large their errors are."""
import math
from typing import NamedTuple

DEFAULT_D_MODEL = 512  # of the default report, whose errors are used for every width
PAPER = {"preset": None, "dtype": "float32", "base": 10000, "position_scale": 1}
PAPER |= {"layout": "interleaved", "order": "sin_first", "odd": "half_pair"}


class Range(NamedTuple):
    """Positions first .. end - 1."""

    first: int
    end: int


class Accuracy:
    """A report of posenc-verify; verify/README.md describes its fields.
    entries: {name: its entry in the report}, in the order of impl/list.inc
    families: {name: its family}
    lacking: {name: the instruction set that this CPU lacks}
    failed: {NAME or NAME/DTYPE: why}: implementations that failed verification, and implementations, and dtypes of them,
    that were not judged. They are neither measured nor picked
    table: the fields of the first table of the report
    ranges: the ranges of positions in which that table was judged
    findings: {name: {range: the figures of the report}}, for implementations that passed verification"""

    def __init__(self, report):
        self.report, self.machine = report, report["machine"]
        self.entries = {e["name"]: e for e in report["implementations"]}
        self.families = {name: e["family"] for name, e in self.entries.items()}
        lacking = {name: e["isa"] for name, e in self.entries.items() if not e["supported"]}
        self.lacking = {name: "AVX-512" if isa == "avx512" else isa.upper() for name, isa in lacking.items()}
        self.failed = {}
        for name in (name for name in self.entries if name not in lacking):
            self.failed |= self.failures(name)
        self.table = next((e["ranges"][0] for e in self.entries.values() if e["ranges"]), {})
        self.findings = {}
        for name in (name for name, e in self.entries.items() if e["verified"]):
            ranges = self.entries[name]["ranges"]
            of_table = [r for r in ranges if all(r[key] == self.table[key] for key in ("shape", "dtype", "preset"))]
            self.findings[name] = {Range(r["from"], r["to"]): r for r in of_table}
        self.ranges = sorted({range_ for by_range in self.findings.values() for range_ in by_range})

    def failures(self, name):
        """What `failed` says of one implementation."""
        e = self.entries[name]
        if not e["verified"]:
            return {name: f"failed verification: {e['failure']}" if e["failure"] else "not judged by posenc-verify"}
        missing = {*e["dtypes"].split()} - {r["dtype"] for r in e["ranges"]}
        return {f"{name}/{dtype}": "not judged by posenc-verify in this dtype" for dtype in sorted(missing)}

    def request(self, name):
        """The name to request: the family's, where the library then chooses this implementation on this processor."""
        family = self.families[name]
        members = [n for n in self.entries if n not in self.lacking and self.families[n] == family]
        return family if members[:1] == [name] else name

    def differences(self, base=PAPER["base"]):
        """How the table differs from the paper's with that base, in words."""
        usual = PAPER | {"base": base}
        fields = [field for field in usual if self.table[field] != usual[field]]
        return [f"{field} {self.table[field]}".replace("_", " ") for field in fields]

    def errors_below(self, name, dtype, end=math.inf):
        """(ULP, absolute): the largest errors at positions below `end`, of the implementation's first table of this dtype.
        None where it failed or nothing was judged. A null in the report is infinite."""
        if name not in self.findings:
            return None
        of_dtype = [r for r in self.entries[name]["ranges"] if r["dtype"] == dtype]
        below = [r for r in of_dtype if r["shape"] == of_dtype[0]["shape"] and r["from"] < end]
        if not below:
            return None
        largest = [[r[key] for r in below] for key in ("ulp_max", "max_abs")]
        return tuple(math.inf if None in values else max(values) for values in largest)

    def largest_error(self, name, ranges):
        """None where a range is missing or has no number."""
        by_range = self.findings.get(name, {})
        errors = [by_range.get(range_, {}).get("max_abs") for range_ in ranges]
        return None if not errors or None in errors else max(errors)

    def largest_ulp(self, name, ranges):
        """Infinite where JSON has null: an output is not 0 where 0 is correct."""
        values = [r["ulp_max"] for r in self.figures(name, ranges)]
        return math.inf if None in values else max(values)

    def correctly_rounded(self, name, ranges):
        """(how many outputs, of how many). The report has the share of each range: a double, which gives the exact count."""
        figures = self.figures(name, ranges)
        return sum(round(r["correctly_rounded"] * r["outputs"]) for r in figures), sum(r["outputs"] for r in figures)

    def figures(self, name, ranges):
        """The figures of the report for these ranges."""
        return [self.findings[name][range_] for range_ in ranges if range_ in self.findings[name]]

    def is_sampled(self, ranges):
        """Whether only some rows of these ranges were compared."""
        return any(r["rows"] < r["to"] - r["from"] for name in self.findings for r in self.figures(name, ranges))
