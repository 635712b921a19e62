"""Finds the call of `table` that gives the table in an array: its preset, base and first position.

A sine and a cosine give an angle. It grows from row to row by the frequency of the pair. The logarithms of a preset's
frequencies lie on a line through 0, whose slope gives the base. The angles of one row give its position. Then some rows
are compared with those of the call: most of them must be within the errors of float32 angles.

`judge` compares all rows with those of a call: their differences from `exact` in float64 are their errors to within
2^-54. The errors of most tables grow with the position, so each range of positions has its own verdict.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import math
from typing import Any, Iterable, Iterator, NamedTuple

import numpy as np
import numpy.typing as npt

from ._library import Spec, implementations, library, presets
from ._plan import column_freqs, n_freqs, plan
from ._table import table

Array = npt.NDArray[Any]
BLOCK = 1 << 20  # values of a table that are read at a time
#: The dtype that each kind of array stores.
STORED = {"f8": "float64", "f4": "float32", "f2": "float16", "u2": "bfloat16"}
#: The bits of each dtype's significand, and its least number above 0.
BITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
LEAST = {"bfloat16": -133, "float16": -24, "float32": -149, "float64": -1074}
#: The positions at which ranges begin, as in posenc-verify.
_LARGE = [512, 5000, 32768, 131072, 1 << 20, 1 << 26]
EDGES = sorted([0, *_LARGE, *(-edge for edge in _LARGE)])
MAX_FIRST, MAX_LOG_BASE = 1 << 17, 87.0  # larger first positions and bases are not identified
SLACK = 2.0**-18  # covers the relative errors of float32 angles, however they are computed
EXACT = np.unique(np.arange(-255, 256)[:, None] << np.arange(25))  # positions that bfloat16 does not round
#: The word of a range is the first of these that is true of all its values.
WORDS = {
    "exact": "each is the nearest number of the table's dtype",
    "ulp": "all are off by at most 4 units in the last place, or all by at most 2^-24",
    "float32": "each is within the error of a float32 angle: 2^-17 + (4 + 2 |ln frequency|) 2^-24 |angle|",
    "drifting": "all are off by at most 0.1",
    "wrong": "anything else",
}
RIGHT = "A file holds the table described if its first range is neither drifting nor wrong."


def rounded(x: Array, dtype: str) -> Array:
    """Returns the values rounded to this dtype; those of bfloat16 in a float32 array."""
    if dtype != "bfloat16":
        return x.astype(dtype)
    bits = x.astype("f4").view("u4")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype("u4").view("f4")


def ulp(x: Array, dtype: str) -> Array:
    """Returns the unit in the last place of each value in this dtype, as float64."""
    return np.ldexp(1.0, np.maximum(np.frexp(x)[1] - BITS[dtype], LEAST[dtype]))


def widened(x: Array) -> Array:
    """Returns the bfloat16 numbers in a uint16 array as float32, and other arrays unchanged."""
    return (x.astype("u4") << 16).view("f4") if x.dtype.str[1:] == "u2" else x


class Table:
    """A table in an array or in a file. `dtype` is the narrowest that holds all values: float64 may store float32."""

    def __init__(self, array: Any) -> None:
        """Takes an array with two axes and a dtype of STORED. Its rows are read in blocks."""
        self.array, self.stored, (self.rows, self.columns) = array, STORED[array.dtype.str[1:]], array.shape
        self.infinite: int | None = None  #: the first row with a value that is not finite
        self.padding = -1  #: fairseq's row of zeros
        zeros: list[int] = []  # the first two rows of zeros: memory must not grow with the table
        dtypes, below_1 = [*BITS] if self.stored in ("float64", "float32") else [], False
        for positions, x in self.blocks(0):
            finite = np.isfinite(x)
            if self.infinite is None and not finite.all():
                self.infinite = int(positions[finite.all(1).argmin()])
            x = np.where(finite, x, 0)
            zeros = [*zeros, *positions[~x.any(1)][:2]][:2]
            size = abs(x)
            below_1 = below_1 or bool(((0 < size) & (size < 1)).any())
            dtypes = [dtype for dtype in dtypes if size.max() <= 1 and (rounded(x, dtype) == x).all()]
        self.dtype = dtypes[0] if dtypes and below_1 else self.stored
        self.padding = int(zeros[0]) if len(zeros) == 1 < self.rows else -1

    def values(self, rows: Any) -> Array:
        """Returns the values of rows, with bfloat16 widened to float32."""
        return widened(self.array[rows])

    def blocks(self, first: int) -> Iterator[tuple[Array, Array]]:
        """Yields positions and values, block by block, if row 0 has this position. The row of padding is left out.

        The positions of a block are ascending, and lie between two neighbours of EDGES."""
        step, stop = max(1, BLOCK // self.columns), first + self.rows
        cuts = [first, *(edge for edge in EDGES if first < edge < stop), stop]
        for begin, end in zip(cuts, cuts[1:]):
            for start in range(begin, end, step):
                rows = np.arange(start, min(start + step, end)) - first
                rows = rows[rows != self.padding]
                if len(rows):
                    yield first + rows, self.values(rows)

    def arguments(self, spec: dict[str, Any], dtype: str) -> str:
        """Returns the arguments of `posenc.table` for a table of this size, as Python code."""
        named = ", ".join(f"{name}={json.dumps(value)}" for name, value in spec.items())
        return f"{self.rows}, {self.columns}, {named}" + (f', dtype="{dtype}"' if dtype != "float32" else "")


class Match(NamedTuple):
    """The call that gives a table."""

    presets: list[str]  #: all presets that give it
    spec: dict[str, Any]  #: the arguments `preset`, `base` and `first`, without `base` if no value depends on it


def wrapped(angle: Array) -> Array:
    """Returns angles without whole turns, between -pi and pi."""
    return angle - 2 * math.pi * np.rint(angle / (2 * math.pi))


class Reading:
    """One way to read the columns of a table as pairs, and the presets that have such pairs."""

    def __init__(self, t: Table, sines: Array, cosines: Array, column_k: Array) -> None:
        self.t, self.column_k = t, column_k
        self.presets: list[tuple[str, float, float]] = []  #: name, base and denominator
        self.k = np.unique(np.linspace(0, len(sines) - 1, 512).astype(int))  # 512 pairs are enough
        self.columns = np.stack((sines[self.k], cosines[self.k]))

    def angles(self, row: int) -> tuple[Array, Array]:
        """Returns the angles, NaN where two values are not sine and cosine, and bounds of their rounding errors."""
        # Sines are never larger. Without the limits, hypot would overflow.
        sine, cosine = np.minimum(2, np.maximum(-2, self.t.values(row)[self.columns].astype(float)))
        angle = np.where(abs(np.hypot(sine, cosine) - 1) < 2.0**-6, np.arctan2(sine, cosine), np.nan)
        least = {"float16": 2.0**-25, "float64": 1e-300}.get(self.t.dtype, 2.0**-126)
        return angle, 2.0 ** -BITS[self.t.dtype] * np.minimum(1, abs(angle)) + least

    def line(self, w: Array, error: Array, start: Any, steps: Iterable[tuple[int, int]]) -> tuple[float, float]:
        """Returns the slope of -log(w) over k, and four standard deviations of it.

        start: the angles of a row, and their errors. steps: other rows, and their distances from that row. Each row
        refines the frequencies w by the angles, up to whole turns, by which the pairs have advanced. Twice the distance
        gives half the error."""
        for row, distance in steps:
            angle, noise = self.angles(row)
            difference, tolerance = wrapped(angle - start[0] - distance * w), abs(distance) * error
            noise = noise + start[1] + (2.0**-52 if self.t.dtype == "float64" else 2.0**-23) * abs(distance * w)
            use = (tolerance < 1) & (abs(difference) <= 8 * noise + tolerance)
            w, error = np.where(use, w + difference / distance, w), np.where(use, noise / abs(distance), error)
        use = (self.k > 0) & (w > 4 * error)
        if not use.any():
            return 0.0, math.inf
        weight = w[use] / error[use]
        x, y = weight * self.k[use], weight * -np.log(w[use])
        slope = float(x @ y / (x @ x))
        return slope, 4 * math.sqrt(max(1, ((y - slope * x) ** 2).mean()) / (x @ x))

    def positions(self, row: int, slope: float, error: float) -> Array:
        """Returns up to 16 positions that a row may have, the most likely first."""
        p, misfit = np.arange(-MAX_FIRST, MAX_FIRST + 1), np.zeros(2 * MAX_FIRST + 1)
        for k, angle, noise in [*zip(self.k, *self.angles(row))][::-1]:
            w = math.exp(-slope * k)
            ratio = wrapped(angle - p * w) / (8 * noise + abs(p) * w * (SLACK + k * error))
            misfit, p = (misfit + ratio * ratio)[abs(ratio) <= 1], p[abs(ratio) <= 1]
        return p[np.lexsort((abs(p), misfit > len(self.k) / 16))][:16]


def readings(t: Table) -> list[Reading]:
    """Returns the ways in which the presets would read the columns. Presets with equal columns share one."""
    by_columns: dict[Any, Reading] = {}
    for preset in presets():
        spec, columns, pairs = Spec(), np.arange(t.columns), t.columns // 2
        if library.posenc_spec_init(ctypes.byref(spec), t.columns, preset.name.encode()):
            continue  # the preset has no such width
        n = n_freqs(spec)
        halves = (columns[:pairs], columns[n : n + pairs]) if spec.layout else (columns[: 2 * pairs : 2], columns[1::2])
        reading = Reading(t, *(halves[::-1] if spec.order else halves), column_freqs(spec))
        name = (preset.name, spec.base, spec.denominator or t.columns / 2)
        by_columns.setdefault((spec.layout, spec.order, n), reading).presets.append(name)
    return [*by_columns.values()]


def roundest(log: float, error: float, default: float) -> tuple[int, float]:
    """Returns the number of digits of the base with the fewest digits within the error, and that base.

    log: the logarithm of the base. default: the preset's base, which counts as having 0 digits. Float32 arithmetic may
    shift all frequencies a little, and with them the base. So a base slightly outside of the error is accepted too, if
    it is too round to lie there by chance."""
    log, error = min(log, MAX_LOG_BASE), max(error, 2.0**-44 * log)
    wide_error = max(error, 2.0**-22 * log) if error > 2.0**-40 else error
    if abs(log - math.log(default)) <= wide_error:
        return 0, default
    for digits in range(1, 18):
        base = float(f"{math.exp(log):.{digits - 1}e}")
        if abs(math.log(base) - log) <= (wide_error if 50 * wide_error * 10**digits < 1 else error):
            break
    return digits, base


def fit(t: Table, r: Reading, slope: float, error: float, first: int) -> Match | str:
    """Returns the call for a table whose row 0 has this position, or how the closest match differs."""
    rows = EXACT[(first <= EXACT) & (EXACT < first + t.rows)] - first
    rows = rows if len(rows) > 3 else np.arange(t.rows)  # EXACT has more than three rows of every large table
    rows = rows[rows != t.padding]
    count = max(8, min(64, BLOCK // t.columns))  # memory must not grow with the number of columns
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, count).astype(int))]
    w, steps = np.exp(-slope * r.k), sorted(zip(abs(first + rows), rows, first + rows))
    better = r.line(w, w * r.k * error, (0, 0), [(row, position) for _, row, position in steps if position])
    slope, error = better if better[1] < slope else (slope, error)
    candidates = []
    for name, default, denominator in r.presets:
        digits, base = roundest(slope * denominator, error * denominator, default)
        candidates.append((digits + 2 * (base < default), -denominator, base, name))

    def values_of(preset: str, **base: float) -> Array:
        return table(positions=first + rows, d_model=t.columns, preset=preset, **base)

    x, reason = t.values(rows), ""
    tolerance = SLACK * abs(first + rows)[:, None] * np.exp(-slope * r.column_k) + max(
        2.0 ** -BITS[t.dtype], 2.0**-16
    )
    for _, _, base, name in sorted(candidates, key=lambda candidate: candidate[:2]):  # bases with few digits first
        y = values_of(name, base=base)
        wrong = abs(x - y) > tolerance
        if wrong.any(1).mean() < 0.5:
            used = {"base": base} if (values_of(name, base=2 * base) != y).any() else {}
            equal = [p for reading in readings(t) for p, *_ in reading.presets if (values_of(p, **used) == y).all()]
            return Match(equal, {"preset": name, **used, "first": first})
        row, column = divmod(int(wrong.argmax()), t.columns)
        call = t.arguments({"preset": name, "base": base, "first": first}, t.dtype)
        place = f"row {rows[row]}, column {column} is {x[row, column]:.9g} instead of {y[row, column]:.9g}"
        reason = reason or f"the closest match is posenc.table({call}), but {place}"
    return reason


def identify(t: Table) -> Match | str:
    """Returns the call that gives a table, or the reason why none is known. Refuses values that are not finite."""
    if t.infinite is not None:
        x = t.values(t.infinite)
        column = int(np.isfinite(x).argmin())
        raise ValueError(f"row {t.infinite}, column {column} is {x[column]}; allowed: finite values")
    reason = ""
    for r in readings(t):
        for start in sorted({0, t.padding + 1, t.rows // 2} - {t.padding, t.rows}):
            steps = [(start + 2**i, 2**i) for i in range(32) if start + 2**i < t.rows]
            slope, error = r.line(0.0 * r.k, 0.999 + 0.0 * r.k, r.angles(start), steps)
            known = 8 * error < slope
            bases = [(roundest(slope * d, error * d, base)[1] if known else base, d) for _, base, d in r.presets]
            lines = [(math.log(base) / d, 0.0) for base, d in bases] + [(slope, error)] * known
            for line in dict.fromkeys(lines):
                for position in r.positions(start, *line):
                    result = fit(t, r, line[0], error if known else 1e-9, int(position) - start)
                    if isinstance(result, Match):
                        return result
                    reason = reason or result
    return reason or "its columns are not the sines and cosines of a preset at consecutive whole positions"


def distance(t: Table, spec: dict[str, Any], dtype: str, impl: str = "exact") -> tuple[float, float, int, int]:
    """Returns the share of values with the bits of an implementation, the largest difference, its row and its column.

    spec: the arguments of `table`, with `first`. An implementation without the dtype computes float32 values, which are
    then rounded.
    """
    has_dtype = dtype in next(i.dtypes for i in implementations() if i.family == impl)
    equal, count, worst, spec = 0, 0, (-1.0, 0, 0), dict(spec)
    first = spec.pop("first")
    for positions, x in t.blocks(first):
        y = table(positions=positions, d_model=t.columns, **spec, dtype=dtype if has_dtype else None, impl=impl)
        difference = abs(x - rounded(widened(y), dtype))
        row, column = divmod(int(difference.argmax()), t.columns)
        equal, count = equal + int((difference == 0).sum()), count + difference.size
        if difference[row, column] > worst[0]:
            worst = float(difference[row, column]), int(positions[row]) - first, column
    return (equal / count, *worst)


def float32_bounds(columns: int, spec: dict[str, Any]) -> Array:
    """Returns the error of a float32 angle for each column, divided by the position.

    The angle is off by

    - half a unit in its last place, at most 2^-24 of it;
    - some units for its frequency exp(ln w);
    - two roundings: that of ln w, and that of the step of which ln w is a multiple."""
    s = plan(columns, **spec).spec()
    k = column_freqs(s)
    log = k * -np.log(s.base) / (s.denominator or columns / 2)
    return np.where(k < n_freqs(s), np.exp(log) * (4 + 2 * abs(log)) * 2.0**-24, 0)


class Range:
    """The errors of the values in a range of positions."""

    def __init__(self) -> None:
        self.rows = self.values = self.equal = 0
        self.error = self.ulp = -1.0
        self.is_float32 = True

    def add(self, positions: Array, x: Array, dtype: str, spec: dict[str, Any], bounds: Array) -> None:
        """Compares the values of these rows."""
        y = table(positions=positions, d_model=x.shape[1], dtype="float64", impl="exact", **spec)
        nearest = y if dtype == "float64" else table(positions=positions, d_model=x.shape[1], dtype=dtype, **spec)
        nearest, x = widened(nearest), x.astype("f8")
        error, unit = abs(np.where(np.isfinite(x), x, np.inf) - y), ulp(y, dtype)
        in_units = np.full_like(error, np.inf)  # where the right value is 0, and where the quotient would overflow
        np.divide(error, unit, out=in_units, where=np.where(y == 0, error == 0, error < unit * 2.0**1000))
        # 2^-17 is added for 128 roundings of a value near 1, as in a recurrence from row to row between its anchors. An
        # angle beyond 2^21 allows any sine, which is an error and no rounding, so 0.5 is the limit.
        allowed = np.minimum(2.0**-17 + abs(positions[:, None]) * bounds, 0.5)
        self.begin = self.begin if self.rows else int(positions[0])
        self.end, self.rows, self.values = int(positions[-1]) + 1, self.rows + len(x), self.values + x.size
        self.equal += int(((x == nearest) & (np.signbit(x) == np.signbit(nearest))).sum())
        self.ulp = max(self.ulp, float(in_units.max()))
        self.is_float32 = self.is_float32 and bool((error <= allowed).all())
        if error.max() > self.error:
            row, column = divmod(int(error.argmax()), x.shape[1])
            self.error, self.position, self.column = float(error[row, column]), int(positions[row]), column
            self.got, self.want = float(x[row, column]), float(nearest[row, column])

    def word(self) -> str:
        """Returns the first of WORDS that is true of all values."""
        is_ulp = self.ulp <= 4 or self.error <= 2.0**-24
        are_true = self.equal == self.values, is_ulp, self.is_float32, self.error <= 0.1, True
        return [*WORDS][are_true.index(True)]

    def document(self) -> dict[str, Any]:
        """Returns the range for the JSON. `to` is one more than the last compared position; None means infinity."""
        worst = {"position": self.position, "column": self.column, "got": f"{self.got:.9g}", "want": f"{self.want:.9g}"}
        error, ulp = (value if np.isfinite(value) else None for value in (self.error, self.ulp))
        counts = {"from": self.begin, "to": self.end, "rows": self.rows, "outputs": self.values, "max_abs": error}
        share = self.equal / self.values
        return {**counts, "ulp_max": ulp, "correctly_rounded": share, "worst": worst, "word": self.word()}


def judge(t: Table, spec: dict[str, Any]) -> dict[str, Any]:
    """Judges the values of a table, range by range. spec: the arguments of `table` for the right values."""
    blocks = t.blocks(spec["first"])
    spec = {name: value for name, value in spec.items() if name != "first"}
    bounds, ranges = float32_bounds(t.columns, spec), []
    for _, of_range in itertools.groupby(blocks, lambda block: np.searchsorted(EDGES, block[0][0], "right")):
        r = Range()
        for positions, x in of_range:
            r.add(positions, x, t.dtype, spec, bounds)
        ranges.append(r.document())
    words = [r["word"] for r in ranges]
    wrong = ranges[words.index("wrong")]["from"] if "wrong" in words else None
    return {"ranges": ranges, "right": words[0] not in ("drifting", "wrong"), "wrong_from": wrong}
