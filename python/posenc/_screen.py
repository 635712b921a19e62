"""``python3 -m posenc`` without arguments: what runs here, its speed and error beside a NumPy recipe, and its bits."""

from __future__ import annotations

import hashlib
import math
import os
import platform
from statistics import median
from timeit import timeit

import numpy as np
import numpy.typing as npt

from . import __version__, implementations, table

COUNT, D_MODEL, REPETITIONS = 5000, 512, 5
#: SHA-256 of table(COUNT, D_MODEL), as little-endian float32 values, row by row. It is the same on every machine.
EXPECTED = "ff884fe61d409ba3337e34fe11f1721e5d529fad93a42a2f8cd5eaa573d43164"


def recipe() -> npt.NDArray[np.float32]:
    """The table in NumPy and float32, as the PyTorch tutorial computes it."""
    position = np.arange(COUNT, dtype=np.float32)[:, np.newaxis]
    w = np.exp(np.arange(0, D_MODEL, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / D_MODEL))
    pe = np.empty((COUNT, D_MODEL), np.float32)
    pe[:, 0::2] = np.sin(position * w)
    pe[:, 1::2] = np.cos(position * w)
    return pe


def screen() -> int:
    """Prints the screen; returns 0, or 1 if the bits differ from those of every other machine."""
    ours, theirs, real = table(COUNT, D_MODEL), recipe(), table(COUNT, D_MODEL, dtype="float64")
    here = next(row for row in implementations() if row.default)
    print(f"posenc {__version__}, NumPy {np.__version__}, Python {platform.python_version()}")
    print(f"{platform.machine()}, {os.cpu_count()} processors: {here.name}, instruction set {here.isa}\n")
    print(f"{COUNT} x {D_MODEL} float32   median time   largest error   misrounded")
    times = [[timeit(call, number=1) for call in (lambda: table(COUNT, D_MODEL), recipe)] for _ in range(REPETITIONS)]
    for name, values, seconds in zip(("posenc.table", "NumPy, float32"), (ours, theirs), zip(*times)):
        # float64 is enough: no value here is that near to a midpoint
        wrong = (values != real.astype(np.float32)).mean()
        print(f"{name:18} {1000 * median(seconds):10.2f} ms {np.abs(values - real).max():15.2e} {100 * wrong:10.2f} %")
    digest = hashlib.sha256(ours.astype("<f4").tobytes()).hexdigest()
    print(f"\nSHA-256 of the table here         {digest}\n        and on every machine      {EXPECTED}")
    if digest != EXPECTED:
        print("\nThey differ: this library was built or runs wrongly. Do not use its tables. Please report this.")
    return int(digest != EXPECTED)
