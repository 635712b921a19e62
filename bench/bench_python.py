"""The measurements of scripts/bench-python."""

import math
import statistics
import time

import numpy
import torch

import posenc
import posenc.torch
from posenc._library import library
from posenc._plan import plan


def seconds(work, calls, repetitions, before=lambda: None):
    """Median time of a call, over interleaved repetitions of several works; `before` each repetition, which is not timed."""
    times = [[] for _ in work]
    for _ in range(repetitions):
        before()
        for each, function in zip(times, work):
            start = time.perf_counter()
            for _ in range(calls):
                function()
            each.append((time.perf_counter() - start) / calls)
    return [statistics.median(each) for each in times]


def c_call():
    """That of posenc.table(512, 512), whose plan is kept, in one piece and with fresh memory."""
    memory = numpy.empty((512, 512), numpy.float32)
    library.posenc_fill(handle, 0, 512, memory.ctypes.data, 512)


def tutorial(length=131072, d_model=1024):
    """The tutorial's table, from its formula."""
    p = torch.arange(length).unsqueeze(1)
    w = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(length, 1, d_model)
    pe[:, 0, 0::2] = torch.sin(p * w)
    pe[:, 0, 1::2] = torch.cos(p * w)
    return pe


def sums(*shape):
    """scale * x + table of (sequence, d_model) or (batch, sequence, d_model): by posenc, and as NumPy and PyTorch have it, into
    fresh memory and in place; and how many times as long as posenc each of them takes."""
    x = numpy.random.default_rng(1).standard_normal(shape, numpy.float32)
    tensor, scale = torch.from_numpy(x), math.sqrt(shape[-1])
    factor, table = numpy.float32(scale), posenc.table(shape[-2], shape[-1])
    rows, out, y, z = torch.from_numpy(table), numpy.zeros_like(x), numpy.zeros_like(x), torch.zeros(shape)
    options = dict(scale=scale, batch_first=True if len(shape) == 3 else None)

    def numpy_in_place():
        numpy.multiply(y, factor, out=y)
        numpy.add(y, table, out=y)

    def restart():  # in place, each call's sums are the next one's x: they grow
        y[:], z[:] = 0, 0

    fresh = {
        "posenc": lambda: posenc.add(x, **options),
        "posenc.torch": lambda: posenc.torch.add(tensor, **options),
        "NumPy": lambda: x * factor + table,
        "PyTorch": lambda: tensor * scale + rows,
    }
    there = {
        "posenc, out": lambda: posenc.add(x, out=out, **options),
        "posenc in place": lambda: posenc.add(y, out=y, **options),
        "NumPy in place": numpy_in_place,
        "PyTorch in place": lambda: z.mul_(scale).add_(rows),
    }
    times = {name: seconds([work], 1, 15)[0] for name, work in fresh.items()}  # one after the other, as said below
    times.update(zip(there, seconds(list(there.values()), 1, 15, restart)))
    each = ", ".join(f"{name} {1e3 * time:.2f} ms" for name, time in times.items())
    print(f"scale * x + table, {' x '.join(map(str, shape))}: {each}")
    for theirs, ours in [
        ("NumPy", "posenc"), ("NumPy", "posenc, out"), ("PyTorch", "posenc.torch"), ("PyTorch", "posenc, out"),
        ("NumPy in place", "posenc in place"), ("PyTorch in place", "posenc in place"),
    ]:  # fmt: skip
        print(f"  {theirs}: {times[theirs] / times[ours]:.2f} times {ours}")


kept = plan(512)
handle = kept.handle
versions = f"NumPy {numpy.__version__}, PyTorch {torch.__version__} ({torch.get_num_threads()} threads)"
print(f"posenc {posenc.__version__} (one thread), {versions}")
with_python, without = seconds([lambda: posenc.table(512, 512), c_call], 1000, 15)
over = with_python - without
print(f"table(512, 512): {1e6 * with_python:.1f} us, its C call {1e6 * without:.1f} us: {1e6 * over:.1f} us over that")
# One after the other: a virtual machine may give memory that was freed back to its host within a second, and what it costs to get
# it again is neither's.
(ours,), (theirs,) = seconds([lambda: posenc.table(131072, 1024)], 1, 9), seconds([tutorial], 1, 5)
print(f"fresh 131072 x 1024: {1e3 * ours:.0f} ms, the tutorial's code {1e3 * theirs:.0f} ms: {theirs / ours:.1f} times")
for shape in [(5000, 512), (131072, 512), (32, 512, 768)]:
    sums(*shape)
