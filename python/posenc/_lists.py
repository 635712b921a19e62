"""Lists of the implementations and presets of the library."""

from __future__ import annotations

from typing import NamedTuple

from ._library import library


class Implementation(NamedTuple):
    """One algorithm for one instruction set. `implementations` describes the fields."""

    name: str
    family: str
    isa: str
    arithmetic: str
    summary: str
    bound: str
    evidence: str
    dtypes: tuple[str, ...]
    correctly_rounded: bool
    supported: bool
    default: bool


class Preset(NamedTuple):
    """The table of a real system. `presets` describes the fields."""

    name: str
    formula: str
    users: str
    starts: str


def implementations() -> list[Implementation]:
    """Returns the implementations in the loaded library: each is one algorithm for one instruction set.

    The members of a family follow each other, those with the widest vectors first. The name of a family means its first
    supported member. Each implementation is a named tuple:

    - name: the name that `impl=` takes
    - family: its name without the instruction set, which `impl=` takes too
    - isa: the instruction set, "avx2", for example, or "any"
    - arithmetic: the arithmetic of angle and sine, such as "float32 libm"
    - summary: what it computes, in one line
    - bound: an upper bound of the distance between output and real value, as a formula
    - evidence: the basis of the bound: "proved", "upstream" (claims of libm or SLEEF) or "measured"
    - dtypes: the dtypes that it computes
    - correctly_rounded: whether every output is the number of the dtype that is nearest to the real value
    - supported: whether this machine can run it
    - default: whether this machine runs it with ``impl=None``
    """
    default = library.posenc_impl_find(None).contents.name
    rows = []
    for i in range(library.posenc_impl_count()):
        row = library.posenc_impl_by_index(i)
        *texts, dtypes, correctly_rounded = [getattr(row.contents, name) for name, _ in row.contents._fields_]
        flags = correctly_rounded, library.posenc_impl_supported(row), row.contents.name == default
        texts = [text.decode() for text in texts]
        rows.append(Implementation(*texts, tuple(dtypes.decode().split()), *map(bool, flags)))
    return rows


def presets() -> list[Preset]:
    """Returns the presets: the tables of real systems that `preset=` names.

    Each preset is a named tuple with the fields name, formula, users and starts; ``python3 -m posenc presets`` prints
    them. In formulas, d is d_model and n is ``d // 2``. `starts` is the position at which the users start. Presets
    never shift positions: give that position as ``first=``.
    """
    rows = [library.posenc_preset_by_index(i).contents for i in range(library.posenc_preset_count())]
    return [Preset(*(getattr(row, name).decode() for name, _ in row._fields_)) for row in rows]
