"""What PyTorch programs call again and again, posenc's beside what it replaces: eager and compiled, for each shape and dtype. Both
are called by turns in one process, by one thread, without gradients. Writes FILE; what is not installed is named there.

    python3 -B bench/peers/python/calls.py --output FILE [--quick]
"""
import argparse
import importlib
import json
import math
import random
import statistics
import sys
import time
from typing import Callable, NamedTuple

sys.dont_write_bytecode = True  # leave no __pycache__ in the tree
import torch  # noqa: E402
from torch import nn  # noqa: E402

import posenc.torch  # noqa: E402
from torch_recipes import fresh  # noqa: E402

DTYPES = (torch.float32, torch.bfloat16, torch.float16)
TURNS, QUICK_TURNS, SEED = 31, 6, 1
CALLS_TAKE = 0.002  # seconds in a turn, at least
LEAST, TIE, NOISY = 0.01, 0.03, 0.1  # as in bench/shim/compare.h, which has the rule
NAMES = {torch.float32: "float32", torch.bfloat16: "bfloat16", torch.float16: "float16"}


class Case(NamedTuple):
    what: str
    against: str
    shape: str
    dtype: torch.dtype
    compiles: bool  # a call that makes a module is not compiled
    make: Callable  # returns (ours, theirs), functions of no arguments


class Tutorial(nn.Module):
    """PyTorch's tutorial, from its formula."""

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("pe", fresh(max_len, d_model))

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


def forward_case(shape, dtype):
    def make():
        x = torch.randn(shape).to(dtype)
        modules = posenc.torch.SinusoidalPositionalEncoding(shape[-1]), Tutorial(shape[-1])
        return [bound(module.to(dtype).eval(), x) for module in modules]

    return Case("forward of the module", "the tutorial's module", shape, dtype, True, make)


def construction_case(shape, dtype):
    def make():
        ours = posenc.torch.SinusoidalPositionalEncoding
        return lambda: ours(shape[1], max_len=shape[0], dtype=dtype), lambda: Tutorial(shape[1], 0.1, shape[0]).to(
            dtype
        )

    return Case("making the module", "the tutorial's module", shape, dtype, False, make)


def table_case(shape, dtype):
    def make():
        return lambda: posenc.torch.table(*shape, dtype=dtype), lambda: fresh(*shape).to(dtype)

    return Case("table", "the tutorial's lines", shape, dtype, True, make)


def timesteps_case(shape, dtype):
    def make():
        theirs = importlib.import_module("diffusers.models.embeddings").get_timestep_embedding
        t = torch.rand(shape[0]) * 1000
        ours = posenc.torch.timestep_embedding
        return lambda: ours(t, shape[1], dtype=dtype), lambda: theirs(t, shape[1]).to(dtype)

    return Case("timestep_embedding", "diffusers' get_timestep_embedding", shape, dtype, True, make)


def rotary_case(shape, dtype):
    def make():
        llama = importlib.import_module("transformers.models.llama.modeling_llama")
        config = importlib.import_module("transformers").LlamaConfig(
            hidden_size=512, num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=8192
        )
        x, positions = torch.zeros(1, 1, dtype=dtype), torch.arange(shape[0]).unsqueeze(0)
        modules = posenc.torch.RotaryEmbedding(config), llama.LlamaRotaryEmbedding(config)
        return [bound(module.eval(), x, positions) for module in modules]

    return Case("forward of RotaryEmbedding", "transformers' LlamaRotaryEmbedding", shape, dtype, True, make)


def bound(function, *arguments):
    return lambda: function(*arguments)


def cases(quick):
    found = []
    for dtype in DTYPES[:1] if quick else DTYPES:
        found += [forward_case(s, dtype) for s in [(1, 1, 512), (35, 20, 200), (128, 32, 512), (1024, 8, 1024)]]
        found += [construction_case(s, dtype) for s in [(5000, 512)]]
        found += [table_case(s, dtype) for s in [(64, 128), (512, 512), (5000, 512)]]
        found += [timesteps_case(s, dtype) for s in [(2, 320), (64, 320), (1000, 320)]]
        found += [rotary_case(s, dtype) for s in [(1, 128), (512, 128), (8192, 128)]]
    return found


def seconds(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def verdict(ours, theirs):
    """(behind, unsure, word): the median ratio less 1, how far its 95 % interval of the sign test reaches towards 0, and what they say."""
    ratios = sorted(a / b - 1 for a, b in zip(ours, theirs))
    n, k, chance = len(ratios), 0, 0.5 ** len(ratios)
    below = chance
    while below <= 0.025:
        k += 1
        chance *= (n - k + 1) / k
        below += chance
    behind = statistics.median(ratios)
    below, above = behind - ratios[k - 1], ratios[n - k] - behind
    unsure = max(LEAST, below if behind > 0 else above if behind < 0 else max(below, above))
    if abs(behind) < min(unsure, TIE) and max(below, above) < NOISY:
        return behind, unsure, "tie"
    return behind, unsure, "unclear" if abs(behind) < unsure else "faster" if behind < 0 else "slower"


def measure(case, compiled, turns, order):
    """A row. Both are called once before they are timed, which is where compilers work."""
    calls = case.make()
    if compiled:
        torch._dynamo.reset()
        calls = [torch.compile(call, fullgraph=True, dynamic=False) for call in calls]
    for call in calls:
        call()
    counts = [max(1, math.ceil(CALLS_TAKE / min(seconds(call, 1) for _ in range(3)))) for call in calls]
    times = [], []
    for _ in range(turns):
        for i in order.sample((0, 1), 2):
            seconds(calls[i], 1)  # the other one has worked since
            times[i].append(seconds(calls[i], counts[i]))
    behind, unsure, word = verdict(*times)
    return {
        "what": case.what, "against": case.against, "shape": " x ".join(map(str, case.shape)), "dtype": NAMES[case.dtype],
        "mode": "compiled" if compiled else "eager", "turns": turns, "seconds": statistics.median(times[0]),
        "theirs": statistics.median(times[1]), "behind": behind, "unsure": unsure, "verdict": word,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", metavar="FILE", required=True)
    parser.add_argument("--quick", action="store_true", help="float32 only, few turns")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    order, rows, not_run = random.Random(SEED), [], {}
    for case in cases(args.quick):
        for compiled in (False, True) if case.compiles and hasattr(torch, "compile") else (False,):
            mode = "compiled" if compiled else "eager"
            print(f"calls: {case.what}, {case.shape}, {NAMES[case.dtype]}, {mode}", file=sys.stderr, flush=True)
            try:
                rows.append(measure(case, compiled, QUICK_TURNS if args.quick else TURNS, order))
            except ImportError as error:
                not_run[case.against] = str(error)
    document = {"calls": rows, "not_run": [{"name": name, "reason": reason} for name, reason in not_run.items()]}
    with open(args.output, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)


if __name__ == "__main__":
    main()
