"""posenc computes the sinusoidal position tables of Transformer models, with every value correctly rounded.

    >>> import posenc
    >>> posenc.table(5000, 512)                     # float32, shape (5000, 512)
    >>> posenc.table(1500, 1280, preset="whisper")  # the table of a real system

Tables as NumPy arrays:
    table               a row for each position, in a new array or in a given one
    grid                tables of two and more dimensions
    timestep_embedding  timesteps of diffusion models
    pair, cis           caches of rotary embeddings
    rotary_frequencies  frequencies of rotary embeddings, scaled for long contexts

Names to choose from:
    presets             the tables of real systems
    implementations     the algorithms, with their error bounds, and the one that runs on this machine

`help(posenc.table)` explains the arguments that all tables share. The package posenc.torch has the same functions for
PyTorch tensors, and modules.
"""

from typing import TYPE_CHECKING

from ._library import VERSION as __version__
from ._library import implementations, presets
from ._pair import Pair, cis, pair
from ._rotary import rotary_frequencies
from ._table import grid, table, timestep_embedding

__all__ = [
    "__version__",
    "cis",
    "grid",
    "implementations",
    "pair",
    "presets",
    "rotary_frequencies",
    "table",
    "timestep_embedding",
]
if TYPE_CHECKING:  # help() prints about 70 lines for it, and `pair` describes it
    __all__ += ["Pair"]
