"""Identifies the preset, base, first position and arithmetic of a table: ``python3 -m posenc identify FILE.npy``.

Each preset that has the table's width is tried with its own base, and with the base that the table's frequencies show.
The frequencies are geometric, so a table of base b and one denominator is also a table of base c and another
denominator. The rounder of the two bases is the likely one.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Dict, Iterator, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arithmetics import FORMS, KINDS, Form, bfloat16_frequencies, exact, rounded
from ._library import Spec, library
from ._lists import presets
from ._plan import MAX_POSITION

Array = npt.NDArray[Any]
TURN = 2 * math.pi
NEAR, MOST_TRIALS, BLOCK = 1 << 17, 1 << 22, 1 << 20
#: The dtype that each kind of array stores, and the narrower dtypes whose values it may have.
STORED = {"f8": "float64", "f4": "float32", "f2": "float16", "u2": "bfloat16", "V2": "bfloat16"}
NARROWER = {"float64": ["bfloat16", "float16", "float32"], "float32": ["bfloat16", "float16"]}
ROUND = 17  # a base with more decimal digits is not round, or the table does not show whether it is


# ---- The table, and its properties that do not depend on a preset


class Table:
    """A table in an array. `dtype` is the narrowest that has all its values: float64 may store a float32 table."""

    def __init__(self, array: Array) -> None:
        kind = array.dtype.str[1:]
        if kind not in STORED:
            raise ValueError(
                f"its dtype is {array.dtype}; allowed: float64, float32, float16, and uint16 or V2 for bfloat16"
            )
        if array.ndim == 3 and 1 in array.shape[:2]:
            array = array.reshape(-1, array.shape[2])
        elif array.ndim == 1:
            array = array.reshape(1, -1)
        if array.ndim != 2 or not array.size or array.shape[1] > 1 << 20:
            raise ValueError(
                f"its shape is {array.shape}; allowed: (rows, columns), (1, rows, columns), (rows, 1, columns) and "
                "(columns,), with at least one element and at most 2^20 columns"
            )
        self.stored = STORED[kind]
        if self.stored == "bfloat16":
            array = array.view("<u2") if kind == "V2" else array
            array = (array.astype(np.uint32) << 16).view(np.float32)
        self.values, (self.rows, self.columns) = array, array.shape
        self.dtype, self.blank = self.stored, -1
        narrow = NARROWER.get(self.stored, [])
        zeros, tells = [], False
        for rows, x in self.blocks(np.arange(self.rows)):
            if not np.isfinite(x).all():
                row, column = np.argwhere(~np.isfinite(x))[0]
                raise ValueError(f"row {rows[row]}, column {column} is {x[row, column]}; allowed: finite values")
            zeros += list(rows[~x.any(1)])
            tells = tells or not np.isin(x, (0, 1, -1)).all()
            narrow = [kind for kind in narrow if (x == rounded(x, kind)).all()]
        if narrow and tells:
            self.dtype = narrow[0]
        if (
            len(zeros) == 1 and self.rows > 1 and self.columns > 1
        ):  # fairseq's row for padding, which is not a row of the table
            self.blank = int(zeros[0])

    def blocks(self, rows: Array) -> Iterator[tuple[Array, Array]]:
        step = max(1, BLOCK // self.columns)
        for i in range(0, len(rows), step):
            yield rows[i : i + step], self.values[rows[i : i + step]].astype(float)


def load(file: BinaryIO) -> Table:
    try:
        array = np.lib.format.read_array(file, allow_pickle=False)
    except Exception as error:  # a damaged header may cause errors of many types
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise ValueError(f"not a readable .npy file: {why}") from None
    if file.read(1):
        raise ValueError("it has more bytes than its header says")
    return Table(array)


@dataclass
class Reading:
    """A way to read a table of this width: presets that have the same table, and the meaning of each column."""

    presets: list[str]
    base: float
    denominator: float
    function: Array  #: of each column: 0 sine, 1 cosine, -1 zero
    k: Array  #: of each column: the index of its frequency

    def __post_init__(self) -> None:
        self.n = int(self.k.max()) + 1
        self.pairs = min((self.function == 0).sum(), (self.function == 1).sum())
        self.sines, self.cosines = (np.flatnonzero(self.function == f)[: self.pairs] for f in (0, 1))

    def same(self, other: Reading) -> bool:
        scale = self.n == 1 or (self.base, self.denominator) == (other.base, other.denominator)
        return scale and (self.function == other.function).all() and (self.k == other.k).all()


def readings(d: int) -> list[Reading]:
    found: list[Reading] = []
    for preset in presets():
        spec = Spec()
        if library.posenc_spec_init(ctypes.byref(spec), d, preset.name.encode()):
            continue
        columns, n = np.arange(d), d // 2 + (d % 2 and spec.odd == 0)
        if n == 0:
            continue
        second = columns >= n if spec.layout else columns % 2 == 1
        k = columns - n * second if spec.layout else columns // 2
        zero = columns >= n + d // 2
        function = np.where(zero, -1, second ^ bool(spec.order))
        new = Reading([preset.name], spec.base, spec.denominator or d / 2, function, np.where(zero, 0, k))
        known = next(filter(new.same, found), None)
        if known:
            known.presets += new.presets
        else:
            found.append(new)
    return found


# ---- The base: a pair's angle advances by its frequency from row to row, and the frequencies' logarithms lie on a line


def base_shown(t: Table, r: Reading) -> tuple[float, float] | None:
    """Returns the base and the standard error of its logarithm, or (nan, inf) if the table does not show the base.

    Returns None if the columns are not pairs of a sine and a cosine."""
    bits, least = KINDS[t.dtype]
    unit, behind = 2.0**-bits, t.rows - t.blank - 1
    first = 0 if t.blank < 0 or behind < t.blank else t.blank + 1
    count = min(t.rows if t.blank < 0 else max(behind, t.blank), 4096)
    step = max(1, r.pairs // 512)
    k = np.arange((r.pairs - 1) % step, r.pairs, step)
    sine, cosine = (t.values[first : first + count, columns[k]].astype(float) for columns in (r.sines, r.cosines))
    spoilt = (np.abs(sine * sine + cosine * cosine - 1) > 16 * unit).sum(0)
    if (spoilt > count // 8).any():
        return None
    if count < 2:
        return math.nan, math.inf
    now = np.arctan2(sine, cosine)
    spread = count * (count * count - 1) / 12
    slope = (np.arange(count) - (count - 1) / 2) @ np.unwrap(now, axis=0) / spread
    doubt = (unit * np.minimum(1, np.abs(now)).max(0, initial=0) + 2.0 ** max(least - bits, -1074)) / math.sqrt(spread)
    doubt = np.where(spoilt > 0, np.inf, doubt)
    if (slope < -8 * doubt).sum() > (slope > 8 * doubt).sum():  # if sine and cosine are exchanged, angles decrease
        return None
    noise = 2.0**-51 if t.dtype == "float64" else 2.0**-23  # relative error of a frequency: a few roundings
    use = (k > 0) & (slope > 8 * doubt) & (slope < 1)
    k, slope, doubt = k[use], slope[use], doubt[use]
    if not k.size:
        return math.nan, math.inf
    ln = -np.log(slope)
    doubt = (doubt / slope + noise * (2 + ln)) / k
    ln = ln / k
    order = np.argsort(ln)
    weight = np.cumsum(1 / doubt[order])
    centre = order[np.searchsorted(weight, weight[-1] / 2)]  # the weighted median; rounded positions hardly move it
    use = np.abs(ln - ln[centre]) <= 10 * (doubt + doubt[centre])
    weight = 1 / doubt[use] ** 2
    mean = float(weight @ ln[use] / weight.sum())
    misfit = math.sqrt(weight @ (ln[use] - mean) ** 2 / (use.sum() - 1)) if use.sum() > 1 else 1.0
    base, error = math.exp(min(mean * r.denominator, 709)), r.denominator / math.sqrt(weight.sum()) * max(1.0, misfit)
    return (base, error) if base > 1 and error < 1 else (math.nan, math.inf)


class Candidate(NamedTuple):
    base: float
    digits: int  #: decimal digits of the base; 0 for the preset's own, more than ROUND if it is not round
    usual: bool  #: it is the preset's own base
    near: bool  #: it is near the base that the frequencies show


def candidates(r: Reading, base: float, doubt: float) -> list[Candidate]:
    shown = base == base and r.n > 1
    found = [Candidate(r.base, 0, True, not shown or abs(math.log(base / r.base)) <= max(0.01, 12 * doubt))]
    if not shown:
        return found

    def add(x: float, digits: int, near: bool) -> None:
        if x not in [c.base for c in found]:  # a number of so few digits must be unlikely to be near by chance
            found.append(Candidate(x, digits if 12 * doubt * 10**digits <= 0.05 else ROUND + 1, False, near))

    for digits in (1, 2):  # with rounded positions, the base that the table shows is a little off
        x = float(f"{base:.{digits - 1}e}")
        if x > 1 and abs(math.log(base / x)) < 0.03:
            add(x, digits, False)
    for errors in (6, 2, 0):
        for digits in range(1, 18):
            x = float(f"{base:.{digits - 1}e}")
            if digits == 17 or x > 1 and abs(math.log(x / base)) <= errors * doubt:
                add(x, digits, True)
                break
    return found


# ---- The first position: the one that all rows fit, within the errors of some arithmetic


#: Reasons why a near fit is none. The key is how informative the reason is: NEAREST, BETWEEN, or BETWEEN + 1, which is
#: BETWEEN with the preset's own base.
Misses = Dict[int, str]
NEAREST, BETWEEN = 0, 1


class Fit:
    """A table, a reading and a base, with the tolerance of an arithmetic.

    `care` names it: "float64", "float32", "bfloat16 positions", "bfloat16", "between" for positions that are not whole
    numbers, or "little" for a loose tolerance."""

    def __init__(self, t: Table, r: Reading, base: float, care: str) -> None:
        self.t, self.r, self.base, self.care = t, r, base, care
        k = np.arange(r.n)
        exponent = k / r.denominator
        self.w = (np.longdouble(base) ** (-k.astype(np.longdouble) / r.denominator)).astype(float)
        ln = np.abs(np.log(self.w))
        # The relative errors of an angle, to first order, that cover all forms of the arithmetic. float64's are
        # doubled, since the computation here has the same errors.
        self.slack = {
            "float64": (4 + ln) * 2.0**-51,
            "between": (8 + 3 * ln + exponent) * 2.0**-24,
            "bfloat16": np.where(k == 0, 0, 2.0**-20),
            "little": np.full(r.n, 2.0**-14),
        }.get(care, np.where(k == 0, 0, (6 + 3 * ln + exponent) * 2.0**-24))
        if care == "bfloat16":
            self.w = bfloat16_frequencies(base, k, r.denominator)
        self.start = 1 if t.blank == 0 else 0
        self.row = t.values[self.start].astype(float)

    def values(self, positions: Array, columns: Any = slice(None)) -> tuple[Array, Array]:
        """Returns the expected columns, a row for each position, and the errors that the angles may cause."""
        function, k = self.r.function[columns], self.r.k[columns]
        if self.care.startswith("bfloat16"):
            positions = rounded(positions.astype(float), "bfloat16")
        angle = positions[:, None] * self.w[k]
        if self.care == "bfloat16":
            angle = rounded(angle, "bfloat16")
        drift = np.abs(angle) * self.slack[k]
        if self.care != "float64":  # float32 rounds positions above 2^24
            drift += np.abs(angle) * np.where(np.abs(positions[:, None]) > 1 << 24, 2.0**-24, 0)
        return np.where(function < 0, 0, np.where(function == 0, np.sin(angle), np.cos(angle))), drift

    def fits(self, x: Array, positions: Array, columns: Any = slice(None)) -> Array:
        value, drift = self.values(positions, columns)
        bits, least = KINDS[self.t.dtype]
        size = np.abs(value) + drift
        rounding = 2.0**-bits * size + 2.0 ** max(least - bits + 1, -1074)  # at least half a unit in the last place
        rounding += (
            2.0**-bits if self.care == "float64" else 2.0**-21
        ) * size  # vector functions are off by up to four units
        rounding += {"between": 8 * 2.0**-bits + 2.0**-18, "little": 2.0**-12}.get(self.care, 0)
        result: Array = np.where(self.r.function[columns] < 0, x == 0, np.abs(x - value) <= drift + rounding)
        return result

    def misfit(self, rows: Array, first: float) -> tuple[int, int] | None:
        """Returns the first row and column, among these rows, that does not fit."""
        for some, x in self.t.blocks(rows[rows != self.t.blank]):
            fits = self.fits(x, first + some)
            if not fits.all():
                row, column = np.argwhere(~fits)[0]
                return int(some[row]), int(column)
        return None

    def slowest(self) -> tuple[int, float]:
        """Returns the slowest pair that shows an angle, and its angle in the start row; -1 if there is no pair."""
        for k in range(self.r.pairs - 1, -1, -1):
            if k == 0 or self.w[k] > 2.0 ** (KINDS[self.t.dtype][1] + 2):
                return k, math.atan2(self.row[self.r.sines[k]], self.row[self.r.cosines[k]])
        return -1, 0.0

    def positions(self, reach: int) -> Iterator[Array]:
        """Yields positions where the slowest pair may have its angle of the start row, in blocks, from 0 outwards."""
        k, angle = self.slowest()
        w = self.w[k] if k >= 0 else 1.0
        bits, least = KINDS[self.t.dtype]
        error = 8 * 2.0**-bits * min(1, abs(angle)) + 2.0 ** max(least - bits, -1074) + 2.0**-20 * abs(angle)
        if self.care == "little":
            error += min(1, abs(angle)) * 2.0**-7
        share = 2 * self.slack[k] + (2.0**-7 if self.care.startswith("bfloat16") else 0)
        low = trials = 0
        while low <= reach and trials < MOST_TRIALS:
            width = error / w + share * (2 * low + NEAR) + 1
            windows = k >= 0 and 2 * width + 3 < TURN / w  # else the windows overlap, and all integers are tried
            high = min(
                2 * low + NEAR,
                reach + 1,
                low + max(NEAR, int(TURN / w * (1 << 16) / (2 * width + 3)) if windows else 0),
            )
            if windows:
                turns = np.arange(low * w / TURN - 2, high * w / TURN + 2).astype(np.int64)
                at = np.rint((angle + TURN * np.concatenate((turns, -turns))) / w).astype(np.int64)
                p = np.unique(at[:, None] + np.arange(-math.ceil(width), math.ceil(width) + 1))
                p = p[(np.abs(p) >= low) & (np.abs(p) < high)]
            else:
                p = np.arange(low, high)
                p = np.concatenate((-p[p > 0], p))
            yield p[np.argsort(np.abs(p), kind="stable")]
            trials += p.size
            low = high

    def first(self, reach: int, misses: Misses) -> int | None:
        """Returns the integer that all rows fit as the first position."""
        sample = np.unique(np.linspace(0, self.t.rows - 1, 16).astype(int))
        for p in self.positions(reach):
            done, step = 0, 1
            while done < self.t.columns and p.size:  # a few columns exclude nearly all positions
                columns = slice(done, done + step)
                p = p[self.fits(self.row[columns], p, columns).all(1)]
                done, step = done + step, 2 * step
            for first in p - self.start:
                first = int(first)
                if not -MAX_POSITION <= first <= MAX_POSITION - self.t.rows + 1 or abs(first) > reach:
                    continue
                bad = [m for row in sample if (m := self.misfit(np.array([row]), first))]
                if len(bad) > len(sample) // 2:
                    continue
                wrong = bad[0] if bad else self.misfit(np.arange(self.t.rows), first)
                if not wrong:
                    return first
                row, column = wrong
                value = self.values(np.array([first + row]))[0][0, column]
                reason = (
                    f"nearest is {self.r.presets[0]}, base {self.base:g}, first position {first}, but row {row}, "
                    f"column {column} is {self.t.values[row, column]:.9g} instead of {value:.9g}"
                )
                misses.setdefault(NEAREST, reason)
        return None

    def between(self) -> float | None:
        """Returns the first row's position, if it is near 0 and not a whole number, and all rows fit."""
        k, angle = self.slowest()
        if k < 0:
            return None
        position = float(angle / self.w[k])
        for k in range(k - 1, -1, -1):  # each faster pair refines it; the slower pairs determine the turn
            angle = math.atan2(self.row[self.r.sines[k]], self.row[self.r.cosines[k]])
            position += math.remainder(angle - position * self.w[k], TURN) / self.w[k]
        position -= self.start
        if abs(position - round(position)) < 2.0**-6 or self.misfit(np.arange(self.t.rows), position):
            return None
        return position


@dataclass
class Distance:
    form: Form
    most: float = 0.0  #: the largest |difference|
    equal: int = 0  #: the number of elements with equal bits; zeros of either sign are equal
    among: int = 0  #: the number of elements that were compared


@dataclass
class Finding:
    reading: Reading
    candidate: Candidate
    first: int
    care: str
    distances: dict[str, Distance] = field(default_factory=dict)

    def rank(self) -> int:
        small = self.candidate.base < self.reading.base  # hardly anybody uses a base below the preset's own
        return 1000 * (self.care == "little") + (self.candidate.digits if self.reading.n > 1 else 0) + 2 * small

    def named(self) -> list[str]:
        """Returns the nearest arithmetics. If none has equal bits, those within chance of the nearest count too."""
        unequal = {name: d.among - d.equal for name, d in self.distances.items()}
        least = min(unequal.values())
        return [a for a, n in unequal.items() if n == least or least > 0 and n - least <= 3 * math.sqrt(n + least)]

    def all_equal(self) -> bool:
        return any(d.equal == d.among for d in self.distances.values())


def distance(t: Table, f: Finding, form: Form, step: int) -> Distance | None:
    """Returns the distance of every step-th row, or None if the form cannot have this base."""
    r, base = f.reading, f.candidate.base
    rows = np.arange((t.rows - 1) % step, t.rows, step)
    found = Distance(form)
    if form.kind is not None and form.kind is not np.float64 and base > np.finfo("f4").max:
        return None
    for some, x in t.blocks(rows[rows != t.blank]):
        if form.kind is None:
            try:
                want = exact(f.first + some, t.columns, base, r.presets[0], t.dtype)
            except ValueError:
                return None
        else:
            sines, cosines = form.values(f.first + some, base, r.n, r.denominator)
            want = np.where(r.function == 0, sines[:, r.k], np.where(r.function == 1, cosines[:, r.k], 0))
            want = rounded(want, t.dtype)
        found.most = max(found.most, float(np.abs(x - want).max()))
        found.equal += int((x == want).sum())
        found.among += x.size
    return found


def measure(t: Table, f: Finding) -> None:
    """Measures the distances: some rows select the form of each arithmetic, and all rows give its distance."""
    step = max(1, min(t.rows * t.columns // (1 << 21) + 1, t.rows // 16))
    for form in FORMS:
        d, best = distance(t, f, form, step), f.distances.get(form.arithmetic)
        if d and (not best or (d.equal, -d.most) > (best.equal, -best.most)):
            f.distances[form.arithmetic] = d
    if step > 1:
        f.distances = {name: distance(t, f, d.form, 1) or d for name, d in f.distances.items()}


# ---- The search


def is_between(t: Table, r: Reading, c: Candidate, misses: Misses) -> bool:
    position = Fit(t, r, c.base, "between").between()
    if position is None:
        return False
    where = f"but its first position, {position:.9g}, is not a whole number"
    misses.setdefault(BETWEEN + c.usual, f"it is {r.presets[0]}, base {c.base:g}, {where}")
    return True


def find(t: Table, r: Reading, shown: tuple[float, float], misses: Misses) -> Finding | None:
    near = [(care, NEAR) for care in ("float64", "float32", "bfloat16 positions", "bfloat16")]
    passes = [*near, ("float64", MAX_POSITION), ("float32", 1 << 24)]
    tried = candidates(r, *shown)
    # Round bases first: with few frequencies, some other base may look like a round base with an arithmetic's errors.
    for is_round in (True, False):
        for care, reach in passes:
            for c in tried:
                if (c.digits <= ROUND) != is_round or reach == MAX_POSITION and not c.near:
                    continue
                first = Fit(t, r, c.base, care).first(reach, {})
                if first is None:
                    continue
                # Far from 0, some whole number fits nearly as well as a fraction near 0. How many fit by chance?
                far = abs(first) * c.base ** -((r.pairs - 1) / r.denominator)
                chance = far * (8 * 2.0 ** -KINDS[t.dtype][0] + abs(first) * 2.0**-49)
                if reach <= NEAR or chance < 0.01 or not is_between(t, r, c, misses):
                    return Finding(r, c, first, care)
    for c in tried:
        first = None if is_between(t, r, c, misses) else Fit(t, r, c.base, "little").first(NEAR // 32, misses)
        if first is not None:
            return Finding(r, c, first, "little")
    return None


def identify(t: Table) -> tuple[list[Finding], list[Finding], str]:
    """Returns the best fits, which are equally good; other round bases of the same table; and why nothing fits."""
    found: list[Finding] = []
    misses: Misses = {}
    any_pairs = False
    with np.errstate(all="ignore"):
        for r in readings(t.columns):
            shown = base_shown(t, r)
            any_pairs = any_pairs or shown is not None
            new = find(t, r, shown, misses) if shown else None
            if new:
                found.append(new)
        found.sort(key=Finding.rank)
        tied = [f for f in found if f.rank() == found[0].rank()]
        for f in tied:
            measure(t, f)
    if not found:
        reason = "its columns are not pairs of a sine and a cosine as in any preset"
        if any_pairs:
            reason = "its columns are sines and cosines, but not of any preset's frequencies at consecutive positions "
            reason += "(position scales are not tried)"
        return [], [], misses[max(misses)] if misses else reason
    equal = [max((d.equal for d in f.distances.values()), default=0) for f in tied]
    certain = [f for f in found[len(tied) :] if "little" not in (f.care, tied[0].care)]
    others = [f for f in certain if f.candidate.base >= f.reading.base and f.candidate.digits <= 4]
    return [f for f, n in zip(tied, equal) if n == max(equal)], others, ""
