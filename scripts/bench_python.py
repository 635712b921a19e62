"""The measurements of scripts/bench-python."""

import ctypes
import math
import statistics
import time

import numpy
import torch

import posenc
from posenc._library import library
from posenc._plan import plan


def seconds(work, calls, repetitions):
    """Median time of a call, over interleaved repetitions of several works."""
    times = [[] for _ in work]
    for _ in range(repetitions):
        for each, function in zip(times, work):
            start = time.perf_counter()
            for _ in range(calls):
                function()
            each.append((time.perf_counter() - start) / calls)
    return [statistics.median(each) for each in times]


def c_calls():
    """Those of posenc.table(512, 512), whose plan is kept."""
    memory = ctypes.c_void_p()
    library.posenc_table_create(ctypes.byref(memory), handle, 0, 512, 0)
    library.posenc_table_destroy(memory)


def tutorial(length=131072, d_model=1024):
    """The tutorial's table, from its formula."""
    p = torch.arange(length).unsqueeze(1)
    w = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(length, 1, d_model)
    pe[:, 0, 0::2] = torch.sin(p * w)
    pe[:, 0, 1::2] = torch.cos(p * w)
    return pe


kept = plan(512, 10000.0, None, None)
handle = kept.handle
print(f"posenc {posenc.__version__} (one thread), NumPy {numpy.__version__}, PyTorch {torch.__version__} ({torch.get_num_threads()} threads)")
with_python, without = seconds([lambda: posenc.table(512, 512), c_calls], 1000, 15)
print(f"table(512, 512): {1e6 * with_python:.1f} us, its C calls {1e6 * without:.1f} us: {1e6 * (with_python - without):.1f} us over them")
# One after the other: a virtual machine may give memory that was freed back to its host within a second, and what it costs to get
# it again is neither's.
(ours,), (theirs,) = seconds([lambda: posenc.table(131072, 1024)], 1, 9), seconds([tutorial], 1, 5)
print(f"fresh 131072 x 1024: {1e3 * ours:.0f} ms, the tutorial's code {1e3 * theirs:.0f} ms: {theirs / ours:.1f} times")
