"""posenc.torch on a GPU: values, no synchronisation, CUDA graphs, kernels, memory. Not run by ./scripts/test:

    python -m pytest python/tests_index/test_gpu.py          needs CUDA, PyTorch 2.11 or later, transformers 5.17 or later
"""

import re

import pytest
import torch
import torch._dynamo.testing
from kinds import kinds

transformers = pytest.importorskip("transformers", minversion="5.17")
if not torch.cuda.is_available():
    pytest.skip("no CUDA", allow_module_level=True)
if tuple(map(int, re.findall(r"\d+", torch.__version__)[:2])) < (2, 11):
    pytest.skip(f"PyTorch {torch.__version__} is older than 2.11", allow_module_level=True)

import posenc.torch  # noqa: E402
import test_calls  # noqa: E402
from posenc.torch import RotaryEmbedding, replace_rotary, timestep_embedding  # noqa: E402
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding  # noqa: E402

CUDA = torch.device("cuda")
KINDS = {kind: said for kind, said in kinds(64, 512).items() if kind != "proportional"}
STATIC = [kind for kind in KINDS if kind != "dynamic"]
DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64]


def config(kind, **more):
    return transformers.LlamaConfig(
        head_dim=128, max_position_embeddings=2048, rope_parameters=dict(KINDS[kind], rope_theta=500000.0), **more
    )


def modules(kind, dtype):
    """Returns their module and ours on the GPU, and x."""
    made = (cls(config(kind)).to(CUDA) for cls in (LlamaRotaryEmbedding, RotaryEmbedding))
    return *made, torch.zeros(1, dtype=dtype, device=CUDA)


def assert_near(found, want, factor):
    """Compares with the C library. At most one value in 10^7 may differ, so here all are equal."""
    assert all(part.is_cuda for part in found)
    test_calls.assert_near([part.cpu() for part in found], want, factor)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_values(kind, dtype, is_compiled):
    torch._dynamo.reset()
    _, ours, x = modules(kind, dtype)
    call = torch.compile(ours) if is_compiled else ours
    on_cpu = RotaryEmbedding(config(kind))
    for first in (0, 1000, 131000):
        at = torch.arange(first, first + 200)[None]
        assert_near(call(x, at.to(CUDA)), on_cpu(x.cpu(), at), ours.attention_scaling)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("kind", [torch.int64, torch.float32, torch.float64, torch.bfloat16])
def test_timesteps(dtype, is_compiled, kind):
    torch._dynamo.reset()
    at = (torch.rand(500) * 1000).to(kind)

    def steps(t):
        return timestep_embedding(t, 320, True, 0, dtype=dtype)

    assert_near([(torch.compile(steps) if is_compiled else steps)(at.to(CUDA))], [steps(at)], 1)


def test_gradients_of_timesteps():
    at = torch.tensor([0.5, 3, 999], device=CUDA, requires_grad=True)
    timestep_embedding(at, 8, True, 0, dtype=torch.float64).sum().backward()
    w = 10000.0 ** (-torch.arange(4, dtype=torch.float64, device=CUDA) / 4)
    angles = at.detach().double()[:, None] * w
    assert torch.allclose(at.grad.double(), ((angles.cos() - angles.sin()) * w).sum(1), rtol=0, atol=1e-6)


def test_three_axes():
    said = dict(rope_type="default", mrope_section=[16, 24, 24], rope_theta=1e6)
    ours = RotaryEmbedding(transformers.models.qwen2_vl.Qwen2VLTextConfig(rope_parameters=said))
    at = torch.randint(0, 4000, (3, 2, 50))
    assert_near(ours(torch.zeros(1, device=CUDA), at.to(CUDA)), ours(torch.zeros(1), at), 1)


@pytest.mark.parametrize("kind", STATIC)
def test_nothing_is_waited_for(kind):
    _, ours, x = modules(kind, torch.bfloat16)
    at = torch.arange(7, device=CUDA)[None]
    ours(x, at), timestep_embedding(at[0], 320)
    torch.cuda.set_sync_debug_mode("error")
    try:
        ours(x, at + 1), timestep_embedding(at[0] + 1, 320)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("kind", STATIC)
def test_cuda_graphs(kind):
    _, ours, x = modules(kind, torch.bfloat16)
    at = torch.zeros(1, 1, dtype=torch.int64, device=CUDA)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = ours(x, at)
    reduced = torch.compile(ours, mode="reduce-overhead", fullgraph=True)
    for position in (5, 511, 512, 2047):
        at.fill_(position)
        graph.replay()
        assert_near(captured, RotaryEmbedding(config(kind))(x.cpu(), at.cpu()), 1)
        torch.compiler.cudagraph_mark_step_begin()
        assert_near(reduced(x, at), RotaryEmbedding(config(kind))(x.cpu(), at.cpu()), 1)


def kernels(call):
    call()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    return sum(event.count for event in profile.key_averages() if event.self_device_time_total > 0)


@pytest.mark.parametrize("kind", STATIC)
@pytest.mark.parametrize("dtype", DTYPES[:3])
def test_kernels_of_a_decode_step(kind, dtype):
    theirs, ours, x = modules(kind, dtype)
    at = torch.tensor([[700]], device=CUDA)
    assert kernels(lambda: ours(x, at)) <= kernels(lambda: theirs(x, at)) + 4


def test_peak_memory():
    """The memory besides the results is at most eight float64 for each position and frequency."""
    _, ours, x = modules("default", torch.bfloat16)
    at = torch.arange(8192, device=CUDA)[None]
    ours(x, at)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    cos, sin = ours(x, at)
    results = cos.nbytes + sin.nbytes
    assert torch.cuda.max_memory_allocated() - before <= results + 8 * 8 * at.numel() * 64


@pytest.mark.parametrize("kind", KINDS)
def test_never_more_graphs(kind):
    theirs, ours, x = modules(kind, torch.bfloat16)
    calls = [(x, torch.tensor([[first]], device=CUDA)) for first in (0, 1, 2, 600, 3000, 0)]
    assert test_calls.graphs(ours, calls) <= test_calls.graphs(theirs, calls)


def test_a_move_that_changes_nothing_costs_no_graph():
    _, ours, x = modules("default", torch.bfloat16)
    torch._dynamo.reset()
    counter = torch._dynamo.testing.CompileCounter()
    compiled = torch.compile(ours, backend=counter)
    for _ in range(3):
        compiled(x, torch.tensor([[7]], device=CUDA))
        ours.to(CUDA)
    assert counter.frame_count == 1


def test_timesteps_of_diffusers():
    diffusers = pytest.importorskip("diffusers")
    model = torch.nn.Sequential(diffusers.models.embeddings.Timesteps(320, True, 0)).to(CUDA)
    assert replace_rotary(model).replaced == ["0"]
    at = torch.rand(50) * 1000
    assert torch.equal(model(at.to(CUDA)).cpu(), timestep_embedding(at, 320, True, 0))


def test_a_model():
    sizes = dict(vocab_size=97, hidden_size=256, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2)
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(config("llama3", **sizes)).to(CUDA).eval()
    tokens = torch.arange(1, 31, device=CUDA).reshape(2, 15)
    told = dict(do_sample=False, pad_token_id=0, max_new_tokens=9, cache_implementation="static")
    with torch.no_grad():
        want = model(tokens).logits
        assert replace_rotary(model).replaced == ["model.rotary_emb"]
        assert torch.allclose(model(tokens).logits, want, rtol=0, atol=1e-4)
        assert model.generate(tokens, **told).shape == (2, 24)


def test_a_position_table():
    encode, x = posenc.torch.SinusoidalPositionalEncoding(64, 0).to(CUDA), torch.zeros(50, 3, 64, device=CUDA)
    assert torch.equal(encode(x)[:, 1].cpu(), posenc.torch.table(50, 64))
    lost = posenc.torch.SinusoidalPositionalEncoding(64, 0).to("meta").to_empty(device=CUDA)
    assert torch.equal(lost(x), encode(x))
