"""What the library has to offer, by name."""

from __future__ import annotations

from typing import NamedTuple

from ._library import library


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
        rows.append(Implementation(*texts, tuple(dtypes.split()), bool(library.posenc_impl_supported(row))))
    return rows


def presets() -> list[Preset]:
    """All presets of the library that is loaded, in its order."""
    rows = [library.posenc_preset_by_index(i).contents for i in range(library.posenc_preset_count())]
    return [Preset(*(getattr(row, name).decode() for name, _ in row._fields_)) for row in rows]
