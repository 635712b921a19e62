"""posenc.torch on a GPU: values, no synchronisation, CUDA graphs, compiled code. ./scripts/maintain/gpu runs it."""

import posenc.torch
import pytest
import test_calls
import torch

if not torch.cuda.is_available():
    pytest.skip("no CUDA", allow_module_level=True)

CUDA = torch.device("cuda")
AT = torch.stack([torch.arange(first, first + 200) for first in (0, 1000, 131000)])
#: Real positions are sums here. A GPU rounds a quotient in another way, and compiled code may not round a product.
REALS = [
    lambda at, dtype: posenc.torch.timestep_embedding(at.double() + 1 / 3, 320, True, 0, dtype=dtype),
    lambda at, dtype: posenc.torch.Timesteps(33, True, 0)(at + 0.25),
]
#: With the rope_type "dynamic", a module reads the length of the sequence from the device.
STATIC = [kind for kind in test_calls.KINDS if kind != "dynamic"]
ROTARY = [*STATIC, *test_calls.ARGUMENTS]
KINDS = [*ROTARY, "dynamic", "table", "pair", "grid", "reals"]


def module(kind):
    return test_calls.Call(*REALS) if kind == "reals" else test_calls.module(kind)


def check(kind, call, dtype, at=AT):
    """Compares results on the GPU with those of C. At most one value in 10^7 may differ, so here all are equal."""
    at, on_cpu, x = test_calls.positions(kind, at), module(kind), torch.zeros(1, dtype=dtype)
    on_gpu, want = test_calls.parts(call(x.to(CUDA), at.to(CUDA))), test_calls.parts(on_cpu(x, at))
    assert all(part.is_cuda for part in on_gpu)
    test_calls.assert_near([part.cpu() for part in on_gpu], want, on_cpu.attention_scaling)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", test_calls.DTYPES)
def test_values(kind, dtype):
    check(kind, module(kind).to(CUDA), dtype)


@pytest.mark.parametrize("kind", ["default", "longrope", "sections", "table", "reals"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_compiled(kind, dtype):
    check(kind, torch.compile(module(kind).to(CUDA), fullgraph=True), dtype)


@pytest.mark.parametrize("kind", [*ROTARY, "table", "reals"])
def test_nothing_is_waited_for(kind):
    call, x = module(kind).to(CUDA), torch.zeros(1, dtype=torch.bfloat16, device=CUDA)
    at = test_calls.positions(kind, AT).to(CUDA)
    call(x, at)  # the first call on a device copies constants to it
    torch.cuda.set_sync_debug_mode("error")
    try:
        call(x, at + 1)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("kind", [*STATIC, "sections"])
def test_cuda_graphs(kind):
    """A graph that was captured at one position computes those that are written to its input later."""
    ours, x = module(kind).to(CUDA), torch.zeros(1, dtype=torch.bfloat16, device=CUDA)
    at = torch.zeros_like(test_calls.positions(kind, AT[:1, :1]), device=CUDA)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = ours(x, at)

    def replayed(x, positions):
        at.copy_(positions)
        graph.replay()
        return captured

    reduced = torch.compile(ours, mode="reduce-overhead", fullgraph=True)
    for position in (5, 63, 64, 2047):
        one = torch.tensor([[position]])
        check(kind, replayed, torch.bfloat16, one)
        torch.compiler.cudagraph_mark_step_begin()
        check(kind, reduced, torch.bfloat16, one)
