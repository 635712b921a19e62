"""What the library has to offer, by name."""

from __future__ import annotations

from typing import NamedTuple, SupportsIndex

import numpy.typing as npt

from ._library import library
from ._plan import plan


class Implementation(NamedTuple):
    """One algorithm for one instruction set, as the library describes it."""

    name: str  #: what `impl=` takes
    isa: str  #: "any", "fma", "avx2", "avx512" or "neon"
    arithmetic: str  #: where angle and sine are formed
    summary: str  #: what it computes, in a line
    bound: str  #: of |output - real value|, in symbols
    evidence: str  #: what the bound rests on: "proved", "upstream" or "measured"
    dtypes: tuple[str, ...]  #: what `dtype=` may be with it
    supported: bool  #: whether this machine runs it


class Preset(NamedTuple):
    """A table that real systems compute, as the library describes it."""

    name: str  #: what `preset=` takes
    formula: str  #: frequencies, layout and odd widths, in a line
    users: str  #: who computes this
    starts: str  #: the first position they use: presets never shift positions


def implementations() -> list[Implementation]:
    """All implementations of the library that is loaded, in its order."""
    rows = []
    for i in range(library.posenc_impl_count()):
        row = library.posenc_impl_by_index(i)
        *texts, dtypes = [getattr(row.contents, name).decode() for name, _ in row.contents._fields_]
        rows.append(Implementation._make([*texts, tuple(dtypes.split()), bool(library.posenc_impl_supported(row))]))
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
    """What runs on this machine for `table` with these arguments, which are its own, as are the errors."""
    p = plan(
        d_model, preset=preset, dtype=dtype, base=base, denominator=denominator, freqs=freqs, freqs_low=freqs_low,
        position_scale=position_scale, layout=layout, order=order, odd=odd, impl=impl,
    )  # fmt: skip
    name = library.posenc_plan_impl(p.handle).decode()
    return next(row for row in implementations() if row.name == name)


def presets() -> list[Preset]:
    """All presets of the library that is loaded, in its order."""
    rows = [library.posenc_preset_by_index(i).contents for i in range(library.posenc_preset_count())]
    return [Preset(*(getattr(row, name).decode() for name, _ in row._fields_)) for row in rows]
