"""Lists of the implementations and presets of the library."""

from __future__ import annotations

from typing import NamedTuple, SupportsIndex

import numpy.typing as npt

from ._library import library
from ._plan import plan


class Implementation(NamedTuple):
    """One algorithm for one instruction set, as the library describes it."""

    name: str  #: the name that `impl=` takes
    family: str  #: its name without the instruction set, which `impl=` takes too
    isa: str  #: the instruction set: "any", "fma", "avx2", "avx512" or "neon"
    arithmetic: str  #: the arithmetic of angle and sine, such as "float32 libm"
    summary: str  #: what it computes, in one line
    bound: str  #: upper bound of |output - real value|, in symbols
    evidence: str  #: what the bound rests on: "proved", "upstream" or "measured"
    dtypes: tuple[str, ...]  #: the dtypes that it computes
    correctly_rounded: bool  #: whether every output is the number of the dtype nearest to the real value
    supported: bool  #: whether this machine can run it


class Preset(NamedTuple):
    """The table of a real system, as the library describes it."""

    name: str  #: the name that `preset=` takes
    formula: str  #: frequencies, layout and odd widths, in one line
    users: str  #: the systems that compute this table
    starts: str  #: the first position that these systems use; presets never shift positions


def implementations() -> list[Implementation]:
    """Returns all implementations of the loaded library, in its order."""
    rows = []
    for i in range(library.posenc_impl_count()):
        row = library.posenc_impl_by_index(i)
        *texts, dtypes, correctly_rounded = [getattr(row.contents, name) for name, _ in row.contents._fields_]
        found = [text.decode() for text in texts] + [tuple(dtypes.decode().split()), bool(correctly_rounded)]
        rows.append(Implementation._make([*found, bool(library.posenc_impl_supported(row))]))
    return rows


def implementation(
    d_model: SupportsIndex = 512,
    *,
    preset: str | None = None,
    dtype: npt.DTypeLike | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: npt.ArrayLike | None = None,
    freqs_low: npt.ArrayLike | None = None,
    position_scale: float | None = None,
    layout: str | None = None,
    order: str | None = None,
    odd: str | None = None,
    impl: str | None = None,
) -> Implementation:
    """Returns the implementation that `table` uses on this machine with these arguments.

    Arguments and errors are those of `table`.
    """
    p = plan(
        d_model, preset=preset, dtype=dtype, base=base, denominator=denominator, freqs=freqs, freqs_low=freqs_low,
        position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl,
    )  # fmt: skip
    name = library.posenc_plan_impl(p.handle).decode()
    return next(row for row in implementations() if row.name == name)


def presets() -> list[Preset]:
    """Returns all presets of the loaded library, in its order."""
    rows = [library.posenc_preset_by_index(i).contents for i in range(library.posenc_preset_count())]
    return [Preset(*(getattr(row, name).decode() for name, _ in row._fields_)) for row in rows]
