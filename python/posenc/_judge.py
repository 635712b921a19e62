"""Judges the rows of a table: their differences from `exact` in float64, which are their errors to within 2^-54.

The errors of most tables grow with the position, so each range of positions has its own verdict.
"""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np
import numpy.typing as npt

from ._plan import column_freqs, n_freqs, plan
from ._table import table

Array = npt.NDArray[Any]
#: The bits of each dtype's significand, and its least number above 0.
BITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
LEAST = {"bfloat16": -133, "float16": -24, "float32": -149, "float64": -1074}
EDGES = [0, 512, 5000, 32768, 131072, 1 << 20, 1 << 26]  # between ranges of positions, as in posenc-verify
#: The word of a range is the first of these that is true of all its values.
WORDS = {
    "exact": "each is the nearest number of the table's dtype",
    "ulp": "all are off by at most 4 units in the last place, or all by at most 2^-24",
    "float32": "each is within the error of a float32 angle: 2^-17 + (4 + 2 |ln frequency|) 2^-24 |angle|",
    "drifting": "all are off by at most 0.1",
    "wrong": "anything else",
}
RIGHT = "A file holds the table described if its first range is neither drifting nor wrong."


def widened(bits: Array) -> Array:
    """Returns the bfloat16 numbers in a uint16 array as float32."""
    return (bits.astype("u4") << 16).view("f4")


def ranges(first: int, count: int) -> list[tuple[int, int]]:
    """Returns the ranges of these positions, each with its first position and the one after its last."""
    inner = [edge for edge in EDGES + [-edge for edge in EDGES] if first < edge < first + count]
    cuts = sorted({first, first + count, *inner})
    return list(zip(cuts, cuts[1:]))


def float32_bounds(columns: int, spec: dict[str, Any]) -> Array:
    """Returns the error that an angle in float32 explains, for each column and each unit of the position.

    The angle itself is off by

    - half a unit in its last place, at most 2^-24 of it;
    - some units for its frequency exp(ln w);
    - two roundings: that of ln w, and that of the step of which ln w is a multiple."""
    s = plan(columns, **spec).spec()
    k = column_freqs(s)
    log = k * -np.log(s.base) / (s.denominator or columns / 2)
    return np.where(k < n_freqs(s), np.exp(log) * (4 + 2 * abs(log)) * 2.0**-24, 0)


class Range:
    """What is known of the values of a range."""

    def __init__(self) -> None:
        self.rows = self.values = self.equal = 0
        self.error = self.ulp = -1.0
        self.is_float32 = True

    def add(self, positions: Array, x: Array, dtype: str, spec: dict[str, Any], bounds: Array) -> None:
        """Compares the values of these rows."""
        y = table(positions=positions, d_model=x.shape[1], dtype="float64", impl="exact", **spec)
        nearest = y if dtype == "float64" else table(positions=positions, d_model=x.shape[1], dtype=dtype, **spec)
        nearest = widened(nearest) if dtype == "bfloat16" else nearest
        x = x.astype("f8")
        off = abs(np.where(np.isfinite(x), x, np.inf) - y)
        unit = np.ldexp(1.0, np.maximum(np.frexp(y)[1] - BITS[dtype], LEAST[dtype]))
        ulp = np.full_like(off, np.inf)  # where the right value is 0, and where the quotient would overflow
        np.divide(off, unit, out=ulp, where=np.where(y == 0, off == 0, off < unit * 2.0**1000))
        # Every angle may have 2^-17 more: 128 roundings of a value near 1, as in a recurrence from row to row between
        # its anchors. Beyond angles of 2^21 the sine could be anything, which is wrong and not rounded: hence 0.5.
        allowed = np.minimum(2.0**-17 + abs(positions[:, None]) * bounds, 0.5)
        self.begin = self.begin if self.rows else int(positions[0])
        self.end, self.rows, self.values = int(positions[-1]) + 1, self.rows + len(x), self.values + x.size
        self.equal += int(((x == nearest) & (np.signbit(x) == np.signbit(nearest))).sum())
        self.ulp, self.is_float32 = max(self.ulp, float(ulp.max())), self.is_float32 and bool((off <= allowed).all())
        if off.max() > self.error:
            row, column = divmod(int(off.argmax()), x.shape[1])
            self.error, self.position, self.column = float(off[row, column]), int(positions[row]), column
            self.got, self.want = float(x[row, column]), float(nearest[row, column])

    def word(self) -> str:
        is_ulp = self.ulp <= 4 or self.error <= 2.0**-24
        return [*WORDS][[self.equal == self.values, is_ulp, self.is_float32, self.error <= 0.1, True].index(True)]

    def document(self) -> dict[str, Any]:
        """Returns the range for the JSON. `to` is one more than the last compared position; None means infinity."""
        worst = {"position": self.position, "column": self.column, "got": f"{self.got:.9g}", "want": f"{self.want:.9g}"}
        error, ulp = (value if np.isfinite(value) else None for value in (self.error, self.ulp))
        counts = {"from": self.begin, "to": self.end, "rows": self.rows, "outputs": self.values, "max_abs": error}
        share = self.equal / self.values
        return {**counts, "ulp_max": ulp, "correctly_rounded": share, "worst": worst, "word": self.word()}


def judge(blocks: Iterable[tuple[Array, Array]], columns: int, dtype: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Judges rows as values of this dtype. spec: the arguments of `table` for the right ones.

    A block is an array of rising positions, all in one range, and their rows."""
    by_number: dict[int, Range] = {}
    spec = {name: value for name, value in spec.items() if name != "first"}
    bounds = float32_bounds(columns, spec)
    for positions, x in blocks:
        number = int(np.searchsorted(sorted({*EDGES, *(-edge for edge in EDGES)}), positions[0], "right"))
        by_number.setdefault(number, Range()).add(positions, x, dtype, spec, bounds)
    verdicts = [r.document() for r in by_number.values()]
    words = [r["word"] for r in verdicts]
    wrong = verdicts[words.index("wrong")]["from"] if "wrong" in words else None
    return {"ranges": verdicts, "right": words[0] not in ("drifting", "wrong"), "wrong_from": wrong}
