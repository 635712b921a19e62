"""posenc computes the sinusoidal position tables of Transformer models, with every value correctly rounded.

    >>> import posenc
    >>> posenc.table(5000, 512)                     # float32, shape (5000, 512)
    >>> posenc.table(1500, 1280, preset="whisper")  # the table of a real system

Tables as NumPy arrays:
    table               a row for each position
    fill_at             the same, written into an existing array
    grid                tables of two and more dimensions
    timestep_embedding  timesteps of diffusion models
    pair, cis           caches of rotary embeddings
    rotary_frequencies  frequencies of rotary embeddings, scaled for long contexts

Names to choose from:
    presets             the tables of real systems
    implementations     the algorithms, with their error bounds
    implementation      the one that runs on this machine

`import posenc.torch` for the same functions with PyTorch tensors, and for modules.
"""

from ._grid import grid
from ._library import VERSION as __version__
from ._lists import Implementation, Preset, implementation, implementations, presets
from ._pair import Pair, cis, pair
from ._rotary import RotaryFrequencies, rotary_frequencies
from ._table import fill_at, table
from ._timesteps import timestep_embedding

__all__ = [
    "Implementation",
    "Pair",
    "Preset",
    "RotaryFrequencies",
    "__version__",
    "cis",
    "fill_at",
    "grid",
    "implementation",
    "implementations",
    "pair",
    "presets",
    "rotary_frequencies",
    "table",
    "timestep_embedding",
]
