"""posenc: the sinusoidal position tables of the Transformer and its kin, right to the last bit.

    >>> import posenc
    >>> posenc.table(5000, 512)                          # float32, shape (5000, 512)
    >>> posenc.table(1500, 1280, preset="whisper")       # what a real system computes
    >>> posenc.add(x, scale=512**0.5, batch_first=True)  # scale * x + table, in one pass

`table` and `fill_at` make tables as NumPy arrays, `grid` those of two and more dimensions, `timestep_embedding` those
of diffusion, `pair` and `cis` caches of rotary embeddings, which `rotary_frequencies` scales for long contexts; `add`
adds a table to embeddings. `presets` and `implementations` list what there is to ask for, `implementation` tells what
runs. `posenc.torch`, which needs an import of its own, makes tensors, and has modules.
"""

from ._add import add
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
    "add",
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
