"""What `python3 -m posenc audit` and `posenc.torch.audit` share: tables, and errors of rotary embeddings."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, NamedTuple, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._identify import BITS, LEAST, STORED, rounded, widened
from ._pair import pair
from ._rotary import RotaryFrequencies, rotary_frequencies

Array = npt.NDArray[Any]
Kind = Union[Array, str]
BLOCK = 1 << 17  # values of cosines that are computed at a time: 2,048 positions of 64 frequencies
LENGTHS = (512, 2048)  # of sequences, beside the longest
MOST = 1 << 20  # positions; of more, the first and the last half of this are compared
VALUES = 1 << 25  # values of all rotary embeddings in a file that are compared, in 2 to 4 seconds
#: Larger errors are wrong: it is a tenth of the angle by which the fastest pair tells a position from the next one.
WRONG = 0.1


@dataclasses.dataclass
class Part:
    """A rotary embedding of a model, with what errors and texts need."""

    name: str  #: the path in the file or in the model, and the type of layers; "" for the only one
    #: The exact frequencies in a sequence of some length, and the float32 ones that the model uses.
    exact: Callable[[int], RotaryFrequencies]
    used: Callable[[int], Array]
    columns: str = ""  #: whose frequencies they are, such as "of heads of 128 (head_dim)"
    head: int = 0  #: the columns of a head, or of an axis of positions
    base: float = 0.0
    is_about: bool = False  #: whether the base is a guess
    scaling: dict[str, Any] = dataclasses.field(default_factory=dict)
    positions: int = 0
    dtype: str = "float32"  #: of the model; "" if only the frequencies are known
    model_type: str = ""
    read: dict[str, str] = dataclasses.field(default_factory=dict)  #: the key of each number, by its name in the JSON
    assumed: dict[str, str] = dataclasses.field(default_factory=dict)  #: what was assumed in place of a key, in words
    unread: list[str] = dataclasses.field(default_factory=list)  #: keys

    def note(self, number: str, key: str, assumed: str) -> None:
        """Notes the key that a number was read from, or what was assumed because there is no key ("")."""
        if key:
            self.read[number] = key
        else:
            self.assumed[number] = assumed


def is_shape(shape: Sequence[int]) -> bool:
    """Whether an array has the shape of a table: two rows and columns or more, and perhaps axes of size 1."""
    if len(shape) < 2 or not 2 <= shape[-1] <= 1 << 20:
        return False
    return 1 < max(shape[:-1]) == math.prod(shape[:-1])


def may_be_table(x: Array) -> bool:
    """Whether the sums of squares of most of some rows are those of sines and cosines. Most parameters are none."""
    half, some = x.shape[1] / 2, widened(x[:: len(x) // 8 + 1])
    squares = some.astype("f8").clip(-2, 2) ** 2
    return bool((abs(squares.sum(1) - half) <= 0.51 + 0.02 * half).mean() >= 0.6)  # not in a row of padding


class Base(NamedTuple):
    value: float
    is_about: bool  #: whether other bases have the same frequencies, and this one is not round

    def __str__(self) -> str:
        return f"about {self.value!r}" if self.is_about else repr(self.value)


def base_of_frequencies(w: Array, stored: str) -> Base | None:
    """Returns the base such that frequency k is base^(-k / n), for k below n, but for rounding; else None.

    Rounding leaves an interval of possible bases for each frequency. The result is the shortest decimal number in all
    intervals. It counts as the base itself if a number with so few digits is unlikely to lie there by chance.
    Frequencies count as rounded to the narrowest dtype that holds all of them, `stored` at most, and perhaps to float32
    before. Bases below 2, which `rotary_frequencies` refuses, are none."""
    w, n = w.astype("f8"), w.size
    if stored not in BITS or w.ndim != 1 or n < 2 or not ((w > 1e-30) & (w < 2)).all() or w[-1] >= 1:
        return None
    kind = next(dtype for dtype in ("bfloat16", "float16", stored) if (rounded(w, dtype) == w).all() or dtype == stored)
    unit = np.ldexp(1.0, np.maximum(np.frexp(w)[1] - BITS[kind], LEAST[kind]))
    half = unit / 2 + w * 2.0**-21
    share = n / np.arange(1, n)  # log(base) / -log(frequency k)
    least = (-np.log(w + half)[1:] * share).max()
    most = (-np.log(np.maximum(w - half, 1e-31))[1:] * share).min()
    if most > 300:
        return None
    for digits in range(1, 17) if abs(w[0] - 1) <= half[0] and least <= most else ():
        value = float(f"{math.exp((least + most) / 2):.{digits}g}")
        if least <= math.log(value) <= most:
            return Base(value, bool((most - least) * 10.0**digits > 0.2)) if value >= 2 else None
    value = float(f"{math.exp(-math.log(w[-1]) * share[-1]):.3g}")  # perhaps they were computed in 16 bits
    is_near = np.allclose(np.log(w), np.arange(n) / n * -math.log(value), rtol=0, atol=0.01)
    return Base(value, True) if is_near and value >= 2 else None


def float32_frequencies(r: RotaryFrequencies, base: float) -> Array:
    """Returns the frequencies r as transformers computes them: by float32 powers of the base, which are then scaled.

    NumPy's own powers in float32 depend on the machine. PyTorch's are the nearest float32 numbers, with few exceptions.
    """
    d = 2 * len(r.freqs)
    power = (base ** (np.arange(0, d, 2, dtype="f4") / np.float32(d)).astype("f8")).astype("f4")
    with np.errstate(divide="ignore"):  # frequencies that are 0
        w: Array = np.float32(1) / (power * (base ** -(np.arange(0, d, 2) / d) / r.freqs).astype("f4"))
    return w


@dataclasses.dataclass
class Errors:
    """The errors of cosines and sines."""

    largest: float = -1.0
    position: int = 0  #: of the largest
    column: int = 0
    first: int | None = None  #: the first position with an error above the rounding of `dtype`, of the first ones
    unequal: int = 0  #: the number of values that differ from the right ones when both are rounded to `dtype`


def ranges(count: int, most: int) -> list[tuple[int, int]]:
    """Returns the ranges of positions below `count` that are compared: all, or the first and the last ones."""
    half = max(1, most // 2)
    return [(0, count)] if count <= 2 * half else [(0, half), (count - half, count)]


def errors(kinds: Sequence[Kind], r: RotaryFrequencies, count: int, most: int = MOST, dtype: str = "") -> list[Errors]:
    """Returns the errors of each kind at positions below `count`, of which at most so many are compared.

    A kind is an array of float32 frequencies, whose cosines and sines are those of float32 products with positions, or
    the name of a dtype: the right cosines and sines, rounded to it. r has the right frequencies, and the factor of all.
    dtype: that of the model, for which the first kind is compared; "" leaves `first` and `unequal` out."""
    n, factor, result = len(r.freqs), r.attention_factor, [Errors() for _ in kinds]
    step, spans = max(1, BLOCK // n), ranges(count, most)
    # Rounding a value to the dtype gives an error of half a unit in its last place at most, which is that of `factor`.
    limit = 2.0 ** (math.ceil(math.log2(factor)) - BITS[dtype] - 1) if dtype else math.inf
    for start, end in [(i, min(i + step, stop)) for begin, stop in spans for i in range(begin, stop, step)]:
        right = pair(end - start, 2 * n, first=start, dtype="float64", freqs=r.freqs, freqs_low=r.freqs_low)
        at = np.arange(start, end).astype("f4")[:, None]
        for kind, worst in zip(kinds, result):
            if isinstance(kind, str):
                both = [rounded(factor * x, kind) / factor for x in right]
            else:
                both = [np.cos(at * kind), np.sin(at * kind)]
            off = factor * np.maximum(*(abs(x - y) for x, y in zip(both, right)))
            if off.max() > worst.largest:
                row, worst.column = divmod(int(off.argmax()), n)
                worst.largest, worst.position = float(off[row, worst.column]), start + row
            if dtype and kind is kinds[0]:
                unequal = [rounded(factor * x, dtype) != rounded(factor * y, dtype) for x, y in zip(both, right)]
                worst.unequal += np.count_nonzero(unequal)
                if worst.first is None and start < spans[0][1] and off.max() > limit:
                    worst.first = start + int((off > limit).any(1).argmax())
    return result


def part_of_frequencies(name: str, w: Array) -> Part | None:
    """Returns a rotary embedding of which only the frequencies are known, or None if no base gives them."""
    stored = STORED[w.dtype.str[1:]]
    with np.errstate(over="ignore"):
        v = widened(w).astype("f4")
    base = base_of_frequencies(v, stored)
    if base is None:
        return None
    r = rotary_frequencies(2 * len(w), base.value)
    about = dict(columns=f"in {stored}", head=2 * len(w), base=base.value, is_about=base.is_about)
    return Part(name, lambda _: r, lambda _: v, **about, positions=1 << 17, dtype="")


def of_parts(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Returns what the JSON says of rotary embeddings. Equal ones are compared once."""
    keys = []
    for part in parts:
        each = [(part.exact(length), part.used(length)) for length in (*LENGTHS, part.positions)]
        arrays = [x.tobytes() for r, w in each for x in (r.freqs, r.freqs_low, np.array(r.attention_factor), w)]
        keys.append((part.positions, part.dtype, *arrays))
    different = dict(zip(keys, parts))
    answers = {key: compared(part, VALUES // len(different)) for key, part in different.items()}
    return [{**description(part), **answers[key]} for part, key in zip(parts, keys)]


def compared(part: Part, values: int) -> dict[str, Any]:
    """Returns the largest errors in sequences of some lengths, and whether models are right for most uses."""
    below = sorted({min(count, part.positions) for count in (*LENGTHS, part.positions)})
    n = len(part.exact(0).freqs)
    most = min(MOST, values // n)
    count = sum(end - begin for begin, end in ranges(below[-1], most))
    narrow, cast = "bfloat16", "model.to(torch.bfloat16)"
    if part.dtype == "float16":
        narrow, cast = "float16", "model.half()"
    models = {"float32": f"as from_pretrained loads it, in {part.dtype}", narrow: f"converted later, by {cast}"}
    if not part.dtype:  # they are not known to be a model's
        models = {"float32 angles": "with float32 angles of these"}
    worst = []
    for length in below:
        w = part.used(length)
        kinds = [w, rounded(w, narrow).astype("f4"), narrow] if part.dtype else [w, narrow]
        worst.append(errors(kinds, part.exact(length), length, most, part.dtype))
    names = [*models, f"cosines in {narrow}"]
    rows = {name: [each.largest for each in of_kind] for name, of_kind in zip(names, zip(*worst))}
    verdicts: list[dict[str, Any]] = []
    for model, row in zip(models.values(), rows.values()):
        i = next((i for i, error in enumerate(row) if error > WRONG), len(row) - 1)
        verdicts.append({"model": model, "right": row[i] <= WRONG, "error": row[i], "below": below[i]})
    last = worst[-1][0]
    verdicts[0] |= {"dtype": part.dtype, "rounding_exceeded_from": last.first}
    verdicts[0]["share_unequal"] = last.unequal / (2 * n * count)
    answer = {"below": below, "errors": rows, "position": last.position, "column": last.column}
    return {**answer, "verdicts": verdicts, "compared": count}


def description(part: Part) -> dict[str, Any]:
    """Returns what the JSON says of a rotary embedding without its errors. The call is Python that makes the pair."""
    most, scaling, r = part.positions, part.scaling, part.exact(part.positions)
    call = "" if part.is_about else f"cos, sin = posenc.pair({most}, {part.head}, base={part.base!r})"
    if len({*scaling} - {"mrope_section", "mrope_interleaved"}) > 1:  # it has more than its rope_type
        arguments = f"scaling={scaling!r}, max_position_embeddings={most}, length={most}"
        call = f"posenc.pair({most}, {2 * len(r.freqs)}, freqs=r.freqs, freqs_low=r.freqs_low)"
        call = f"(r.attention_factor * x for x in {call})" if r.attention_factor != 1 else call
        call = f"r = posenc.rotary_frequencies({part.head}, {part.base!r}, {arguments}); cos, sin = {call}"
    fields = ("name", "model_type", "columns", "base", "is_about", "scaling", "dtype", "read", "assumed", "unread")
    answer = {field: getattr(part, field) for field in fields}
    numbers = {"head_dim": part.head, "frequencies": len(r.freqs), "attention_factor": r.attention_factor}
    return {**answer, **numbers, "call": call}
