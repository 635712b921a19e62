"""What `python3 -m posenc audit` and `posenc.torch.audit` share: tables that are sought, and errors of rotary embeddings."""

from __future__ import annotations

import math
from typing import Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from ._identify import STORED, rounded
from ._judge import BITS, LEAST, widened
from ._pair import pair
from ._plan import index
from ._rotary import RotaryFrequencies, rotary_frequencies
from ._rotary_config import RotaryConfig

Array = npt.NDArray[Any]
BLOCK = 1 << 17  # values of cosines that are computed at a time: 2,048 positions of 64 frequencies
MOST = 1 << 20  # positions; of more, the first and the last half of this are compared


def is_shape(shape: Sequence[int]) -> bool:
    """Whether an array has the shape of a table: two rows and columns or more, and perhaps axes of size 1."""
    if len(shape) < 2 or not 2 <= shape[-1] <= 1 << 20:
        return False
    return 1 < max(shape[:-1]) == math.prod(shape[:-1])


def may_be_table(x: Array) -> bool:
    """Whether the sums of squares are those of sines and cosines in most of some rows. Most parameters are no tables."""
    half, some = x.shape[1] / 2, x[:: len(x) // 8 + 1]
    squares = (widened(some) if some.dtype == "u2" else some).astype("f8").clip(-2, 2) ** 2
    return bool((abs(squares.sum(1) - half) <= 0.51 + 0.02 * half).mean() >= 0.6)  # not in a row of padding


class Base(NamedTuple):
    value: float
    is_about: bool  #: whether other bases have the same frequencies, and this one is not round

    def __str__(self) -> str:
        return f"{'about ' * self.is_about}{self.value!r}"


def base_of_frequencies(w: Array, stored: str) -> Base | None:
    """Returns the base such that frequency k is base^(-k / n), for k below n, but for rounding; else None.

    Rounding leaves an interval of possible bases for each frequency. The result is the shortest decimal number in all of
    them. It counts as the base itself if a number with so few digits is unlikely to lie there by chance. Frequencies
    count as rounded to the narrowest dtype that holds all of them, `stored` at most, and perhaps to float32 before."""
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
            return Base(value, bool((most - least) * 10.0**digits > 0.2))
    value = float(f"{math.exp(-math.log(w[-1]) * share[-1]):.3g}")  # perhaps they were computed in 16 bits
    is_near = np.allclose(np.log(w), np.arange(n) / n * -math.log(value), rtol=0, atol=0.01)
    return Base(value, True) if is_near else None


def float32_frequencies(r: RotaryFrequencies, base: float) -> Array:
    """Returns the frequencies r as transformers computes them: by float32 powers of the base, which are then scaled.

    NumPy's own powers in float32 depend on the machine. PyTorch's are the nearest float32 numbers, with few exceptions.
    """
    d = 2 * len(r.freqs)
    power = (base ** (np.arange(0, d, 2, dtype="f4") / np.float32(d)).astype("f8")).astype("f4")
    with np.errstate(divide="ignore"):  # frequencies that are 0
        w: Array = np.float32(1) / (power * (rotary_frequencies(d, base).freqs / r.freqs).astype("f4"))
    return w


def largest_errors(kinds: Sequence[Array | None], r: RotaryFrequencies, count: int) -> list[tuple[float, int, int]]:
    """Returns the largest error of cosines and sines at positions below `count`, with its position and its column.

    Each of the `kinds` has float32 frequencies; cosines and sines are those of their float32 products with positions.
    None means the right cosines and sines, rounded to bfloat16. r has the right frequencies, and the factor of all."""
    n, factor, worst = len(r.freqs), r.attention_factor, [(-1.0, 0, 0)] * len(kinds)
    step = max(1, BLOCK // n)
    for begin, end in [(0, count)] if count <= MOST else [(0, MOST // 2), (count - MOST // 2, count)]:
        for start in range(begin, end, step):
            rows = min(step, end - start)
            right = pair(rows, 2 * n, first=start, dtype="float64", freqs=r.freqs, freqs_low=r.freqs_low)
            at = np.arange(start, start + rows).astype("f4")[:, None]
            for i, w in enumerate(kinds):
                if w is None:
                    values = [rounded(factor * x, "bfloat16") / factor for x in right]
                else:
                    values = [np.cos(at * w), np.sin(at * w)]
                off = factor * np.maximum(*(abs(x - y) for x, y in zip(values, right)))
                if off.max() > worst[i][0]:
                    row, column = divmod(int(off.argmax()), n)
                    worst[i] = float(off[row, column]), start + row, column
    return worst


def _compared(most: int, right: Callable[[int], RotaryFrequencies], kinds: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the largest errors in sequences of 512, 2,048 and `most` positions, for the JSON.

    right: the frequencies for a sequence's length. kinds: functions of them, with results as in `largest_errors`."""
    below = sorted({min(count, most) for count in (512, 2048, most)})
    worst = [largest_errors([kind(r) for kind in kinds.values()], r, count) for count in below for r in [right(count)]]
    errors = {kind: [each[i][0] for each in worst] for i, kind in enumerate(kinds)}
    return {"below": below, "errors": errors, "position": worst[-1][0][1], "column": worst[-1][0][2]}


def of_config(said: RotaryConfig) -> dict[str, Any]:
    """Returns what the JSON says of a rotary embedding with these parameters. The call is Python that makes the pair."""
    most, d, base = said.max_position_embeddings or 0, index("the number of columns", said.d_model, 2, 1024), said.base
    more: dict[str, Any] = dict(scaling=said.scaling, max_position_embeddings=most)

    def right(count: int) -> RotaryFrequencies:
        return rotary_frequencies(d, base, length=count, **more)

    def own(r: RotaryFrequencies) -> Array:
        return float32_frequencies(r, base)

    call = f"cos, sin = posenc.pair({most}, {d}, base={base!r})"
    if said.scaling["rope_type"] != "default":
        given = ", ".join(f"{name}={value!r}" for name, value in {**more, "length": most}.items())
        call = f"posenc.pair({most}, {d}, freqs=r.freqs, freqs_low=r.freqs_low)"
        call = f"(r.attention_factor * x for x in {call})" if right(most).attention_factor != 1 else call
        call = f"r = posenc.rotary_frequencies({d}, {base!r}, {given}); cos, sin = {call}"
    found = {"head_dim": said.head, "frequencies": d // 2, "base": base, "scaling": said.scaling, "call": call}
    kinds = {"float32": own, "bfloat16": lambda r: rounded(own(r), "bfloat16"), "cosines in bfloat16": lambda r: None}
    return {**found, **_compared(most, right, kinds)}


def of_frequencies(w: Array) -> dict[str, Any] | None:
    """Returns what the JSON says of the frequencies of a rotary embedding, or None if no base gives them."""
    if len(w) > 2048:
        return None
    with np.errstate(over="ignore"):
        stored, values = STORED[w.dtype.str[1:]], (widened(w) if w.dtype == "u2" else w).astype("f4")
    base = base_of_frequencies(values, stored)
    if base is None:
        return None
    r, most = rotary_frequencies(2 * len(w), base.value), 1 << 17
    call = "" if base.is_about else f"cos, sin = posenc.pair({most}, {2 * len(w)}, base={base.value!r})"
    found = {"frequencies": len(w), "dtype": stored, "base": base.value, "about": base.is_about, "call": call}
    kinds = {"float32 angles": lambda r: values, "cosines in bfloat16": lambda r: None}
    return {**found, **_compared(most, lambda count: r, kinds)}
