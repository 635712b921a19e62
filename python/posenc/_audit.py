"""What `python3 -m posenc audit` and `posenc.torch.audit` share: tables, and errors of rotary embeddings."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, NamedTuple, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._identify import BITS, STORED, rounded, ulp, widened
from ._pair import pair
from ._rotary import RotaryFrequencies, rotary_frequencies

Array = npt.NDArray[Any]
Recipe = Union[Array, str]
BLOCK = 1 << 17  # cosines that are computed at a time: 2,048 positions of 64 frequencies
LENGTHS = (512, 2048)  # the lengths of sequences for which errors are stated, beside the longest
MAX_POSITIONS = 1 << 20  # if there are more, only the first half and the last half of this number are compared
MAX_VALUES = 1 << 25  # values that are compared for all rotary embeddings of a file, in 2 to 4 seconds
#: Larger errors are wrong. A position differs from the next one by an angle of 1 in the fastest pair; this is a tenth.
WRONG = 0.1


@dataclasses.dataclass
class Part:
    """A rotary embedding of a model, with all that its errors and its description depend on."""

    name: str  #: the path in the file or in the model, and the type of layers; "" for the only one
    #: The exact frequencies in a sequence of some length, and the float32 ones that the model uses.
    exact: Callable[[int], RotaryFrequencies]
    used: Callable[[int], Array]
    columns: str = ""  #: which columns have the frequencies, such as "of heads of 128 (head_dim)"
    head: int = 0  #: the columns of a head, or of an axis of positions
    base: float = 0.0
    is_about: bool = False  #: whether the base is a guess
    scaling: dict[str, Any] = dataclasses.field(default_factory=dict)
    positions: int = 0
    dtype: str = "float32"  #: of the model; "" if only the frequencies are known
    model_type: str = ""
    keeps_table: bool = False  #: whether the model keeps cosines and sines, which a conversion rounds once
    #: The key from which each number was read, or a description of what was assumed because there was no key. The
    #: numbers have their names in the JSON.
    read: dict[str, str] = dataclasses.field(default_factory=dict)
    assumed: dict[str, str] = dataclasses.field(default_factory=dict)
    unread: list[str] = dataclasses.field(default_factory=list)  #: keys that may matter, and were not read

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
    """Whether most of up to 8 rows have the sum of squares of sines and cosines. Most other parameters do not."""
    half, sample = x.shape[1] / 2, widened(x[:: len(x) // 8 + 1])
    squares = sample.astype("f8").clip(-2, 2) ** 2
    return bool((abs(squares.sum(1) - half) <= 0.51 + 0.02 * half).mean() >= 0.6)  # one row may be padding


class Base(NamedTuple):
    value: float
    is_about: bool  #: whether other bases have the same frequencies, and this one is not round

    def __str__(self) -> str:
        return f"about {self.value!r}" if self.is_about else repr(self.value)


def base_of_frequencies(w: Array, stored: str) -> Base | None:
    """Returns the base such that frequency k is base^(-k / n) for all k below n, except for rounding; None if none is.

    Rounding leaves an interval of possible bases for each frequency. The result is the shortest decimal number in all
    intervals. It is a guess (`is_about`) unless a number with so few digits is unlikely to lie there by chance. The
    frequencies are assumed to be rounded to the narrowest dtype that holds all of them, `stored` at most, and perhaps
    to float32 before. Bases below 2, which `rotary_frequencies` refuses, do not count."""
    w, n = w.astype("f8"), w.size
    if stored not in BITS or w.ndim != 1 or n < 2 or not ((w > 1e-30) & (w < 2)).all() or w[-1] >= 1:
        return None
    dtype = next(name for name in ("bfloat16", "float16", stored) if (rounded(w, name) == w).all() or name == stored)
    tolerance = ulp(w, dtype) / 2 + w * 2.0**-21
    ratio = n / np.arange(1, n)  # log(base) / -log(frequency k)
    low = (-np.log(w + tolerance)[1:] * ratio).max()  # the ends of the common interval of log(base)
    high = (-np.log(np.maximum(w - tolerance, 1e-31))[1:] * ratio).min()
    if high > 300:
        return None
    for digits in range(1, 17) if abs(w[0] - 1) <= tolerance[0] and low <= high else ():
        value = float(f"{math.exp((low + high) / 2):.{digits}g}")
        if low <= math.log(value) <= high:
            return Base(value, bool((high - low) * 10.0**digits > 0.2)) if value >= 2 else None
    value = float(f"{math.exp(-math.log(w[-1]) * ratio[-1]):.3g}")  # perhaps they were computed in 16 bits
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
    position: int = 0  #: the position and the column of the largest error
    column: int = 0
    first: int | None = None  #: in the first range, the first position with an error above the rounding to `dtype`
    unequal: int = 0  #: the number of values that differ from the right ones when both are rounded to `dtype`


def compared_ranges(count: int, max_positions: int) -> list[tuple[int, int]]:
    """Returns the ranges of positions below `count` that are compared: all, or the first and the last ones."""
    half = max(1, max_positions // 2)
    return [(0, count)] if count <= 2 * half else [(0, half), (count - half, count)]


def errors(
    recipes: Sequence[Recipe], r: RotaryFrequencies, count: int, max_positions: int = MAX_POSITIONS, dtype: str = ""
) -> list[Errors]:
    """Returns the errors of each recipe at positions below `count`, of which at most `max_positions` are compared.

    recipes: an array of float32 frequencies means the cosines and sines of their float32 products with positions. The
        name of a dtype means the right cosines and sines, rounded to the dtype.
    r: the right frequencies, and the factor of all cosines and sines.
    dtype: the dtype of the model. The values of the first recipe are compared in it, too, for `Errors.first` and
        `Errors.unequal`; not if it is ""."""
    n, factor, result = len(r.freqs), r.attention_factor, [Errors() for _ in recipes]
    step, ranges = max(1, BLOCK // n), compared_ranges(count, max_positions)
    # Rounding to the dtype gives an error of at most half a unit in the last place of `factor`, the largest value.
    limit = 2.0 ** (math.ceil(math.log2(factor)) - BITS[dtype] - 1) if dtype else math.inf
    for start, end in [(i, min(i + step, stop)) for begin, stop in ranges for i in range(begin, stop, step)]:
        right = pair(end - start, 2 * n, first=start, dtype="float64", freqs=r.freqs, freqs_low=r.freqs_low)
        positions = np.arange(start, end).astype("f4")[:, None]
        for recipe, worst in zip(recipes, result):
            if isinstance(recipe, str):
                values = [rounded(factor * x, recipe) / factor for x in right]
            else:
                values = [np.cos(positions * recipe), np.sin(positions * recipe)]
            error = factor * np.maximum(*(abs(x - y) for x, y in zip(values, right)))
            if error.max() > worst.largest:
                row, worst.column = divmod(int(error.argmax()), n)
                worst.largest, worst.position = float(error[row, worst.column]), start + row
            if dtype and recipe is recipes[0]:
                unequal = [rounded(factor * x, dtype) != rounded(factor * y, dtype) for x, y in zip(values, right)]
                worst.unequal += np.count_nonzero(unequal)
                if worst.first is None and start < ranges[0][1] and error.max() > limit:
                    worst.first = start + int((error > limit).any(1).argmax())
    return result


def part_of_frequencies(name: str, w: Array) -> Part | None:
    """Returns a rotary embedding of which only the frequencies are known, or None if no base gives them."""
    stored = STORED[w.dtype.str[1:]]
    with np.errstate(over="ignore"):
        used = widened(w).astype("f4")
    base = base_of_frequencies(used, stored)
    if base is None:
        return None
    r = rotary_frequencies(2 * len(w), base.value)
    return Part(
        name, lambda _: r, lambda _: used,
        columns=f"in {stored}", head=2 * len(w), base=base.value, is_about=base.is_about, positions=1 << 17, dtype="",
    )  # fmt: skip


def of_parts(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Returns rotary embeddings for the JSON. Equal ones are compared once."""
    keys = []
    for part in parts:
        frequencies = [(part.exact(length), part.used(length)) for length in (*LENGTHS, part.positions)]
        arrays = [x.tobytes() for r, w in frequencies for x in (r.freqs, r.freqs_low, np.array(r.attention_factor), w)]
        keys.append((part.positions, part.dtype, *arrays))
    different = dict(zip(keys, parts))
    comparisons = {key: comparison(part, MAX_VALUES // len(different)) for key, part in different.items()}
    return [{**description(part), **comparisons[key]} for part, key in zip(parts, keys)]


def comparison(part: Part, max_values: int) -> dict[str, Any]:
    """Returns the largest errors in sequences of some lengths, and whether models are right for most uses."""
    below = sorted({min(length, part.positions) for length in (*LENGTHS, part.positions)})
    n = len(part.exact(0).freqs)
    max_positions = min(MAX_POSITIONS, max_values // n)
    count = sum(end - begin for begin, end in compared_ranges(below[-1], max_positions))
    narrow, cast = "bfloat16", "model.to(torch.bfloat16)"
    if part.dtype == "float16":
        narrow, cast = "float16", "model.half()"
    models = {"float32": f"as from_pretrained loads it, in {part.dtype}", narrow: f"converted later, by {cast}"}
    if part.keeps_table:
        del models[narrow]
    if not part.dtype:  # only frequencies are known, and no model that has them
        models = {"float32 angles": "with float32 angles of these"}
    by_length = []
    for length in below:
        w = part.used(length)
        recipes = [w, rounded(w, narrow).astype("f4"), narrow] if len(models) == 2 else [w, narrow]
        by_length.append(errors(recipes, part.exact(length), length, max_positions, part.dtype))
    names = [*models, f"cosines in {narrow}"]
    largest = {name: [each.largest for each in of_recipe] for name, of_recipe in zip(names, zip(*by_length))}
    verdicts: list[dict[str, Any]] = []
    for model, of_lengths in zip(models.values(), largest.values()):
        i = next((i for i, error in enumerate(of_lengths) if error > WRONG), len(below) - 1)
        verdicts.append({"model": model, "right": of_lengths[i] <= WRONG, "error": of_lengths[i], "below": below[i]})
    longest = by_length[-1][0]
    verdicts[0] |= {"dtype": part.dtype, "rounding_exceeded_from": longest.first}
    verdicts[0]["share_unequal"] = longest.unequal / (2 * n * count)
    answer = {"below": below, "errors": largest, "position": longest.position, "column": longest.column}
    return {**answer, "verdicts": verdicts, "compared": count}


def description(part: Part) -> dict[str, Any]:
    """Returns a rotary embedding for the JSON, without its errors. `call` is the Python code that makes the pair."""
    count, scaling, r = part.positions, part.scaling, part.exact(part.positions)
    call = "" if part.is_about else f"cos, sin = posenc.pair({count}, {part.head}, base={part.base!r})"
    if len({*scaling} - {"mrope_section", "mrope_interleaved"}) > 1:  # it has more than its rope_type
        arguments = f"scaling={scaling!r}, max_position_embeddings={count}, length={count}"
        call = f"posenc.pair({count}, {2 * len(r.freqs)}, freqs=r.freqs, freqs_low=r.freqs_low)"
        call = f"(r.attention_factor * x for x in {call})" if r.attention_factor != 1 else call
        call = f"r = posenc.rotary_frequencies({part.head}, {part.base!r}, {arguments}); cos, sin = {call}"
    fields = (
        "name",
        "model_type",
        "keeps_table",
        "columns",
        "base",
        "is_about",
        "scaling",
        "dtype",
        "read",
        "assumed",
        "unread",
    )
    answer = {field: getattr(part, field) for field in fields}
    numbers = {"head_dim": part.head, "frequencies": len(r.freqs), "attention_factor": r.attention_factor}
    return {**answer, **numbers, "call": call}
