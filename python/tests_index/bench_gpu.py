"""RotaryEmbedding and timestep_embedding beside transformers' and diffusers' own on a GPU; prints a table in Markdown.

python bench_gpu.py
"""

import statistics

import torch
from diffusers.models.embeddings import get_timestep_embedding
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

import posenc.torch

CUDA = torch.device("cuda")
REPETITIONS, CALLS = 15, 50


def microseconds(calls):
    """Medians of repetitions that take turns."""
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(REPETITIONS):
        for call, found in zip(calls, times):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(CALLS):
                call()
            end.record()
            end.synchronize()
            found.append(1000 * begin.elapsed_time(end) / CALLS)
    return [statistics.median(found) for found in times]


def row(name, size, dtype, theirs, ours):
    torch._dynamo.reset()
    found = microseconds([theirs, ours, torch.compile(theirs), torch.compile(ours)])
    print(f"| {name} | {size} | {str(dtype)[6:]} | " + " | ".join(f"{each:.1f}" for each in found) + " |")


def main():
    x = {dtype: torch.rand(1 << 24, dtype=dtype, device=CUDA) for dtype in (torch.float32, torch.float64)}
    narrow, wide = microseconds([lambda: x[torch.float32].sin(), lambda: x[torch.float64].sin()])
    print(
        f"{torch.cuda.get_device_name()}; PyTorch {torch.__version__}; a float64 sine takes {wide / narrow:.1f} times"
    )
    print("as long as a float32 one. Microseconds.\n")
    print("| call | size | dtype | theirs, eager | posenc, eager | theirs, compiled | posenc, compiled |")
    print("|---|---|---|---|---|---|---|")
    config = LlamaConfig(head_dim=128, rope_parameters=dict(rope_type="default", rope_theta=500000.0))
    theirs, ours = LlamaRotaryEmbedding(config).to(CUDA), posenc.torch.RotaryEmbedding(config).to(CUDA)
    with torch.no_grad():
        for dtype in (torch.float32, torch.bfloat16):
            for n in (1, 512, 8192):
                at, like = torch.arange(n, device=CUDA)[None], torch.zeros(1, dtype=dtype, device=CUDA)
                row("rotary", f"{n} x 128", dtype, lambda: theirs(like, at), lambda: ours(like, at))
        for n in (8, 1000):
            t = torch.rand(n, device=CUDA) * 1000
            calls = get_timestep_embedding, posenc.torch.timestep_embedding
            row("timesteps", f"{n} x 320", torch.float32, *(lambda f=f: f(t, 320, True, 0) for f in calls))


if __name__ == "__main__":
    main()
