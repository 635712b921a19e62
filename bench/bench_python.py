"""The measurements of scripts/maintain/bench-python."""
import math
import statistics
import time

import numpy
import torch

import posenc
import posenc.torch
from posenc._library import library
from posenc._plan import plan


def report(what, work, calls=1, repetitions=15):
    """Prints the median time of a call of each of {name: function}, over interleaved repetitions, and returns them."""
    times = {name: [] for name in work}
    for _ in range(repetitions):
        for name, function in work.items():
            start = time.perf_counter()
            for _ in range(calls):
                function()
            times[name].append((time.perf_counter() - start) / calls)
    medians = {name: 1e3 * statistics.median(each) for name, each in times.items()}
    print(f"{what}: " + ", ".join(f"{name} {median:.4g} ms" for name, median in medians.items()))
    return medians


def c_call():
    """That of posenc.table(512, 512), whose plan is kept, in one piece and with fresh memory."""
    memory = numpy.empty((512, 512), numpy.float32)
    library.posenc_fill(kept.handle, 0, 512, memory.ctypes.data, 512)


def sums(*shape):
    """scale * x + table of (sequence, d_model) or (batch, sequence, d_model), into fresh memory and into memory that is there."""
    x = numpy.random.default_rng(1).standard_normal(shape, numpy.float32)
    tensor, scale, out = torch.from_numpy(x), numpy.float32(math.sqrt(shape[-1])), numpy.zeros_like(x)
    table = posenc.table(shape[-2], shape[-1])
    options = {"scale": scale, "batch_first": True if len(shape) == 3 else None}
    report(f"scale * x + table, {' x '.join(map(str, shape))}", {
        "posenc": lambda: posenc.add(x, **options), "NumPy": lambda: x * scale + table,
        "posenc.torch": lambda: posenc.torch.add(tensor, **options),
        "PyTorch": lambda: tensor * float(scale) + torch.from_numpy(table), "posenc, out": lambda: posenc.add(x, out=out, **options),
        "NumPy, out": lambda: numpy.add(numpy.multiply(x, scale, out=out), table, out=out),
    })  # fmt: skip


kept = plan(512)
versions = f"NumPy {numpy.__version__}, PyTorch {torch.__version__} ({torch.get_num_threads()} threads)"
print(f"posenc {posenc.__version__} (one thread), {versions}; medians")
both = report("table(512, 512)", {"posenc.table": lambda: posenc.table(512, 512), "its C call": c_call}, 1000)
print(f"  Python adds {1e3 * (both['posenc.table'] - both['its C call']):.1f} us")
for shape in [(5000, 512), (131072, 512), (32, 512, 768)]:
    sums(*shape)
