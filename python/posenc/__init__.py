"""posenc: the sinusoidal position table of the Transformer, right to the last bit.

    >>> import posenc
    >>> posenc.table(5000, 512)                  # float32, shape (5000, 512)

`table` and `fill_at` make tables as NumPy arrays, `implementations` lists the ways to compute them, and
`posenc.torch`, which needs an import of its own, holds a module that adds a table to embeddings.
"""

from ._library import VERSION as __version__
from ._table import Implementation, fill_at, implementations, table

__all__ = ["Implementation", "__version__", "fill_at", "implementations", "table"]
