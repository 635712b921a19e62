"""All kinds of calls of all functions and modules give the values of the eager call on the CPU, which C computes."""

import math
import subprocess
import sys

import numpy as np
import posenc
import posenc.torch as P
import pytest
import torch
import torch._dynamo.testing
from kinds import kinds
from posenc.torch import RotaryEmbedding, timestep_embedding
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

KINDS = kinds(8, 64)
ARGUMENTS = {
    **{layout: dict(layout=layout) for layout in ("pairs", "half", "complex")},
    "float32": dict(dtype=torch.float32),
    "sections": dict(sections=[2, 3, 3]),
    "interleaved": dict(sections=[2, 3, 2], interleaved=True),
}
DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64]
AT = torch.tensor([[0, 1, 63, 5, 64], [300, 17, 17, 2, 131071]])


def rotary(kind):
    arguments = ARGUMENTS.get(kind, dict(scaling=KINDS.get(kind)))
    return RotaryEmbedding(16, base=500000.0, max_position_embeddings=128, **arguments)


class Call(torch.nn.Module):
    """Functions of posenc.torch, in place of a rotary module."""

    attention_scaling = 1.0

    def __init__(self, *calls):
        super().__init__()
        self.calls = calls

    def forward(self, x, at):
        results = [call(at, x.dtype) for call in self.calls]
        return tuple(part for each in results for part in (each if isinstance(each, (tuple, posenc.Pair)) else (each,)))


PATCHES = RotaryEmbedding(16, layout="half")
PATCHES.arrange(-1, {2: [(k % 2, k) for k in range(8)] * 2}, range(8))
FLUX, WAN = P._diffusers.FluxPosEmbed(10000, [8, 8]), P._diffusers.WanRotaryPosEmbed(16, (1, 1, 1), 64)
W = [1.0, 0.1, 0.01, 1 / 3, -2.5]
FUNCTIONS = {
    "table": [lambda at, dtype: P.table(positions=at, d_model=9, base=500000.0, dtype=dtype)],
    "real table": [
        lambda at, dtype: P.table(positions=at.double() / 3, d_model=9, freqs=W, position_scale=-7.0, dtype=dtype),
        lambda at, dtype: P.table(
            positions=at * 1e3, d_model=10, freqs=W, freqs_low=[0, 6e-18, 0, 2e-17, 0], order="cos_first", dtype=dtype
        ),
    ],
    "pair": [
        lambda at, dtype: P.pair(positions=at / 8, d_model=8, duplicated="pairs", dtype=dtype),
        lambda at, dtype: P.pair(positions=at, d_model=8, duplicated="halves", dtype=dtype),
    ],
    "grid": [
        lambda at, dtype: P.grid(positions=(at[0], at[0] / 4), d_model=12, axes=(1, 0), class_tokens=1, dtype=dtype)
    ],
    "counts": [
        lambda at, dtype: P.table(at.shape[-1], 8, first=7, dtype=dtype),
        lambda at, dtype: P.table(positions=[2**24 + 1, 5], d_model=at.dim() + 4, dtype=dtype),
        lambda at, dtype: P.pair(at.shape[-1], 8, base=500000.0, dtype=dtype),
        lambda at, dtype: P.grid((at.shape[-1], 3), 8, layout="split", dtype=dtype),
    ],
    "several axes": [
        lambda at, dtype: PATCHES(at.new_zeros(1, dtype=dtype), torch.stack((at / 2, at / 3), -1)),
        lambda at, dtype: FLUX(torch.stack((at.flatten() / 2, at.flatten() / 3), -1)),
        lambda at, dtype: WAN(at[None, None, None]),
    ],
    "steps": [
        lambda at, dtype: timestep_embedding(at, 33, True, 0.5, 7.0, dtype=dtype),
        lambda at, dtype: P.Timesteps(33, True, 0)(at / 3),
        lambda at, dtype: timestep_embedding(at.double() / 3, 33, True, 0.5, 7.0, dtype=dtype),
    ],
}
CIS = [  # has no 16 bits
    lambda at, dtype: P.cis(positions=at, d_model=8, dtype=dtype),
    lambda at, dtype: P.cis(at.shape[-1], d_model=8, first=-3, dtype=dtype),
]
CALLS = {**FUNCTIONS, "cis": CIS}
ALL = [*KINDS, *ARGUMENTS, *CALLS]
TRACED = [kind for kind in ALL if kind != "dynamic"]
# Kinds differ in frequencies and layouts, and dtypes only in the last rounding, so only some kinds run with every dtype.
EVERY_DTYPE = ("default", "steps", "pair")
KINDS_AND_DTYPES = pytest.mark.parametrize(
    "kind, dtype", [(kind, dtype) for kind in TRACED for dtype in (DTYPES if kind in EVERY_DTYPE else DTYPES[:1])]
)


def module(kind):
    return Call(*CALLS[kind]) if kind in CALLS else rotary(kind)


def positions(kind, at=AT):
    return torch.stack((at, at + 3, 2 * at)) if "sections" in ARGUMENTS.get(kind, ()) else at


def parts(result):
    result = result if isinstance(result, (tuple, list)) else [result]
    return [part for v in result for part in ((v.real, v.imag) if v.is_complex() else (v,))]


def compiled(call, **options):
    """Compiles a call as one graph, without generating code."""
    return torch.compile(call, backend="aot_eager", fullgraph=True, **options)


def assert_near(values, want, factor=1.0):
    """Checks the stated errors. So few values are all correctly rounded in 32 and 16 bits."""
    for a, b in zip(parts(values), parts(want), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        if a.dtype == torch.float64:
            assert bool(((a - b).abs() <= factor * 2.0**-49).all())  # both are off by 2^-50
        else:
            assert torch.equal(a, b)


def check(kind, call, dtype):
    """Compares the results of `call` with those of the module."""
    x, e = torch.zeros(1, dtype=dtype), module(kind)  # rope_type "dynamic" depends on earlier calls
    for at in (AT, AT[:, :3] + 1000, AT[:1], AT[:1] % 60):  # longrope changes at 64
        assert_near(call(x, positions(kind, at)), e(x, positions(kind, at)), e.attention_scaling)


@pytest.mark.parametrize("kind", ["default", "pairs", "sections", "steps"])
@pytest.mark.parametrize("cast, dtype", [(torch.bfloat16, torch.float16), (torch.float16, torch.bfloat16)])
def test_autocast_to_the_other_16_bits(kind, cast, dtype):
    e, encode = module(kind), P.SinusoidalPositionalEncoding(8, 0, 4, batch_first=False, dtype=dtype)
    with torch.autocast("cpu", cast):
        check(kind, e, dtype)
        check(kind, compiled(e), dtype)
        assert torch.equal(encode(torch.zeros(9, 1, 8, dtype=dtype))[:, 0], P.table(9, 8, dtype=dtype))


def exported(call, x, at, strict):
    axes = {
        at.dim() - 2: torch.export.Dim("batch", min=1, max=9),
        at.dim() - 1: torch.export.Dim("length", min=2, max=99),
    }
    program = torch.export.export(call, (x, at), dynamic_shapes=(None, axes), strict=strict)
    assert not any("posenc" in str(node.target) for node in program.graph.nodes)
    return program.module()


WAYS = {
    "compiled": lambda call, x, at: compiled(call),
    "compiled, dynamic": lambda call, x, at: compiled(call, dynamic=True),
    "inductor": lambda call, x, at: torch.compile(call, fullgraph=True),
    "exported": lambda call, x, at: exported(call, x, at, strict=False),
    "exported, strict": lambda call, x, at: exported(call, x, at, strict=True),
    "traced": lambda call, x, at: torch.jit.trace(call, (x, at)),  # calls it twice and compares the results
}
BY_INDUCTOR = ("default", "longrope", "sections", "complex", *FUNCTIONS)  # which takes seconds to compile


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "way, kind, dtype",
    [
        (way, kind, dtype)
        for way in WAYS
        for kind in (BY_INDUCTOR if way == "inductor" else TRACED)
        for dtype in (DTYPES if kind in EVERY_DTYPE else DTYPES[:1])
    ],
)
def test_few_values(way, kind, dtype):
    """The formula computes them, whatever sizes a later call has."""
    check(kind, WAYS[way](module(kind), torch.zeros(1, dtype=dtype), positions(kind)), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dynamic_compiled(dtype):
    check("dynamic", torch.compile(module("dynamic"), backend="aot_eager"), dtype)


@KINDS_AND_DTYPES
def test_vmap(kind, dtype):
    e, x, at = module(kind), torch.zeros(1, dtype=dtype), positions(kind).unsqueeze(-2)  # a batch of one within each
    batch = torch.vmap(lambda p: tuple(parts(e(x, p))), in_dims=at.dim() - 3)(at)
    for i in range(2):
        assert_near([part[i] for part in batch], e(x, at.select(-3, i)), e.attention_scaling)


@KINDS_AND_DTYPES
def test_without_values(kind, dtype):
    e, x, at = module(kind), torch.zeros(1, dtype=dtype), positions(kind)
    want = parts(e(x, at))
    meta = parts(e(x.to("meta"), at.to("meta")))
    with FakeTensorMode() as mode:
        fake = parts(e(mode.from_tensor(x), mode.from_tensor(at)))
    for a, b, c in zip(want, meta, fake, strict=True):
        assert (b.is_meta or kind in ("counts", "cis")) and b.shape == a.shape and b.dtype == a.dtype
        assert isinstance(c, FakeTensor) and c.device == a.device and c.shape == a.shape and c.dtype == a.dtype


ROTARY = RotaryEmbedding(8)
REAL = {
    "table": lambda t, dtype: P.table(positions=t, d_model=7, base=3.0, dtype=dtype),
    "split": lambda t, dtype: P.table(positions=t, d_model=8, preset="whisper", position_scale=-2.0, dtype=dtype),
    "pair": lambda t, dtype: torch.cat([*P.pair(positions=t, d_model=8, duplicated="halves", dtype=dtype)], -1),
    "cis": lambda t, dtype: torch.view_as_real(
        P.cis(positions=t, d_model=8, dtype=torch.promote_types(dtype, torch.float32))
    ),
    "grid": lambda t, dtype: P.grid(positions=(t, t / 3), d_model=12, class_tokens=1, dtype=dtype),
    "steps": lambda t, dtype: timestep_embedding(t, 8, True, 0, dtype=dtype),
    "rotary": lambda t, dtype: torch.cat(ROTARY(t.new_zeros(1, dtype=dtype), t), -1),
}


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.bfloat16])
def test_gradients_and_tangents(name, dtype, kind):
    at, step = torch.tensor([0.5, 3, 99], dtype=kind), 2.0**-12

    def call(t):
        return REAL[name](t, dtype)

    above, below = (REAL[name](at.double() + each, torch.float64) for each in (step, -step))
    want = (above - below) / (2 * step)  # of C's values
    bound = 1e-6 + 8 * torch.finfo(min(dtype, kind, key=lambda d: torch.finfo(d).bits)).eps
    for function in (call, compiled(call)):
        leaf = at.clone().requires_grad_()
        values = function(leaf)
        assert_near(values.detach(), call(at))
        (slopes,) = torch.autograd.grad(values.sum(), leaf)
        assert abs(float(slopes.double().sum() - want.sum())) < bound * want.numel()

    def by_jvp(t):
        return torch.func.jvp(call, (t,), (torch.ones_like(t),))

    def by_grad(t):
        return torch.func.grad(lambda u: call(u).double().sum())(t)

    for transform in (lambda f: f, compiled):
        values, tangents = transform(by_jvp)(at)
        assert_near(values, call(at))
        assert torch.allclose(tangents.double(), want, rtol=0, atol=bound)
        assert abs(float(transform(by_grad)(at).double().sum() - want.sum())) < bound * want.numel()


@pytest.mark.parametrize("kind", ["default", "longrope", "sections", *FUNCTIONS])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_large_compiled_calls_are_those_of_c(kind, dtype):
    """They are made by the operator. Calls with a gradient or a transform have the formula, which has derivatives."""
    graphs, x, at = [], torch.zeros(1, dtype=dtype), positions(kind, torch.arange(2000)[None])

    def backend(graph, inputs):
        graphs.append(str(graph.graph))
        return graph

    call = torch.compile(module(kind), fullgraph=True, backend=backend)
    values = parts(call(x, at))
    assert "posenc.rows" in graphs[0]
    for i, (a, b) in enumerate(zip(values, parts(module(kind)(x, at)), strict=True)):
        if kind == "counts" and i in (1, 4):  # the list and the grid's short axis have few values
            assert_near(a, b)
        else:
            assert torch.equal(a, b)


@pytest.mark.parametrize("name", REAL)
def test_large_compiled_calls_have_derivatives(name):
    def call(t):
        values = REAL[name](t, torch.float32)
        return values.square().sum() + values.sum()

    t = torch.linspace(-9, 9, 40 if name == "grid" else 2000)
    want = torch.func.grad(call)(t)
    leaf = t.clone().requires_grad_()
    compiled(call)(leaf).backward()
    by_grad = compiled(torch.func.grad(call))(t)
    by_jvp = compiled(lambda u: torch.func.jvp(call, (u,), (torch.ones_like(u),))[1])(t)
    assert want.abs().max() > 0.1
    for slopes in (leaf.grad, by_grad):
        assert torch.allclose(slopes, want, rtol=1e-5, atol=1e-5)
    assert torch.allclose(by_jvp, want.sum(), rtol=1e-4)


class OfPositions(torch.nn.Module):
    """Has one input, and returns float32 in place of 16 bits, because NumPy has no bfloat16."""

    def __init__(self, call, dtype):
        super().__init__()
        self.call, self.dtype = call, dtype

    def forward(self, at):
        results = self.call(torch.zeros(1, dtype=self.dtype), at)
        return tuple(part.float() for part in parts(results))


@pytest.mark.parametrize(
    "kind, dtype",
    [(kind, DTYPES[0]) for kind in ("longrope", "sections", *CALLS)] + [("table", dtype) for dtype in DTYPES[1:3]],
)
def test_onnx(tmp_path, kind, dtype):
    onnxruntime = pytest.importorskip("onnxruntime")
    at, call, path = positions(kind), OfPositions(module(kind), dtype).eval(), str(tmp_path / "model.onnx")
    sizes = ({at.dim() - 1: torch.export.Dim("length", min=2, max=99)},)
    torch.onnx.export(call, (at,), dynamo=True, dynamic_shapes=sizes).save(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for each in (at, at[..., :3] + 1000):
        results = session.run(None, {session.get_inputs()[0].name: each.numpy()})
        for a, b in zip(results, call(each), strict=True):
            assert a.shape == tuple(b.shape) and np.array_equal(a, b.numpy())


# ---- caches, and the number of graphs


def rotated(at):
    return REAL["rotary"](at, torch.float32)


def in_fake_mode(at):
    with FakeTensorMode() as mode:
        rotated(mode.from_tensor(at))


@torch.inference_mode()
def in_inference_mode(at):
    rotated(at + 2.0**33)  # C does not compute it


@pytest.mark.parametrize("call", [in_fake_mode, in_inference_mode, torch.vmap(rotated)])
def test_constants_of_other_calls(call):
    """Those of a mode or a transform would fail in the next call. Others are kept, since a CUDA graph may use them."""
    kept, at = P._formula._kept, torch.arange(3.0)[:, None]
    kept.clear()
    call(at)
    rotated(at.requires_grad_()).sum().backward()
    before = {**kept}
    assert_near(rotated(at).detach(), rotated(at.detach()))
    assert before and all(kept[key] is tensor for key, tensor in before.items())


@pytest.mark.parametrize("pre_dispatch", [False, True])
@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_make_fx(mode, pre_dispatch):
    """The graph computes its results: none is a constant from the traced call."""
    from torch.fx.experimental.proxy_tensor import make_fx

    for kind in ("default", "table", "pair", "steps"):
        call, x = module(kind), torch.zeros(1)
        graph = make_fx(call, tracing_mode=mode, pre_dispatch=pre_dispatch)(x, AT)
        assert_near(graph(x, AT + 5), call(x, AT + 5))


def test_dynamic_is_refused_where_it_would_be_a_constant():
    with pytest.raises(RuntimeError, match="length of the sequence"):
        torch.jit.trace(rotary("dynamic"), (torch.zeros(1), AT))
    with pytest.raises(Exception, match="length of the sequence|data-dependent"):
        torch.export.export(rotary("dynamic"), (torch.zeros(1), AT))
    with pytest.raises(Exception, match="length of the sequence"):
        compiled(rotary("dynamic"))(torch.zeros(1), AT)


def graphs(call, arguments):
    torch._dynamo.reset()
    counter = torch._dynamo.testing.CompileCounter()
    counted = torch.compile(call, backend=counter)
    for each in arguments:
        counted(*each)
        call.to("cpu")  # a move that changes nothing costs no graph
    return counter.frame_count


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "proportional"])
def test_never_more_graphs_than_the_module_that_is_replaced(kind):
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    parameters = dict(KINDS[kind], rope_theta=500000.0)
    theirs = LlamaRotaryEmbedding(LlamaConfig(head_dim=16, max_position_embeddings=128, rope_parameters=parameters))
    calls = [
        (torch.zeros(1, dtype=dtype), torch.arange(n)[None] + first)
        for dtype in (torch.float32, torch.bfloat16)
        for n, first in [(5, 0), (1, 5), (1, 6), (9, 0), (70, 0), (1, 70), (200, 0), (1, 200), (5, 0)]
    ]
    assert graphs(P.rotary_like(theirs), calls) <= graphs(theirs, calls)


def test_import_leaves_dynamo_alone():
    code = "import sys, posenc.torch; assert 'torch._dynamo' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def of_table(at, base, scale, freqs):
    table = P.table(positions=at, d_model=4, base=base, position_scale=scale)
    return table, P.table(positions=at, d_model=4, freqs=freqs)


#: For each call, arguments that change: they are constants of the graph, so it is compiled again.
CHANGES = {
    of_table: [(100.0, 2, W[:2]), (200.0, 3, W[:2]), (300, 0.5, [1.0, 0.25]), (400, 7, [0.125, 3])],
    P.timestep_embedding: [(8, True, 0, scale) for scale in (1.0, 1000.0, 3.5, 1.0)] + [(8, True, 0.5, 1.0, 500.0)],
}


@pytest.mark.parametrize("call", CHANGES)
@pytest.mark.parametrize("at", [torch.arange(3), torch.arange(3.0)])
@pytest.mark.parametrize("dynamic", [None, True])
def test_arguments_that_change_between_compiled_calls(call, at, dynamic):
    one_graph = compiled(call, dynamic=dynamic)
    for arguments in CHANGES[call]:
        assert_near(one_graph(at, *arguments), call(at, *arguments))


def test_modules_that_share_compiled_code():
    """They differ only in an attribute."""
    call = compiled(lambda module, *inputs: module(*inputs))
    for module, inputs in (
        *((P.Timesteps(8, True, 0, scale), (AT,)) for scale in (1.0, 1000.0, 3.5)),
        *((RotaryEmbedding(8, base=base), (torch.zeros(1), AT)) for base in (10000.0, 500.0, 10000.0)),
    ):
        assert_near(call(module, *inputs), module(*inputs))


def test_arguments_that_may_not_change():
    """What torch.compile traces is refused, since its value could be a stale one."""
    at = torch.arange(3.0)
    for arguments in ((np.float64(100), 2, W[:2]), (100.0, 2, np.array(W[:2])), (100.0, 2, torch.tensor(W[:2]))):
        with pytest.raises(Exception, match="allowed: numbers of Python|allowed: a list"):
            torch.compile(of_table, backend="aot_eager")(at, *arguments)
    for scale in math.nan, math.inf:
        with pytest.raises(Exception, match=f"scale is {scale}"):
            P.timestep_embedding(at.requires_grad_(), 8, True, 0, scale)


@pytest.mark.parametrize(
    "call",
    [
        lambda at: P.table(positions=at, d_model=8, first=3),
        lambda at: P.table(positions=at, d_model=True),
        lambda at: P.table(positions=at, d_model=4, freqs=["1.0", "2.0"]),
        lambda at: P.table(positions=at, d_model=8, threads=-5),
        lambda at: P.pair(positions=at, d_model=7),
        lambda at: P.pair(positions=at, d_model=8, duplicated="both"),
        lambda at: P.cis(positions=at, d_model=8, dtype="foo"),
        lambda at: P.grid(positions=(at, at), d_model=8, class_tokens=-1),
        lambda at: P.grid((9, 9), 8, positions=(at, at)),
    ],
)
def test_what_c_refuses_is_refused_with_a_gradient_too(call):
    with pytest.raises((TypeError, ValueError)) as refused:
        call(torch.arange(3.0))
    with pytest.raises((TypeError, ValueError), match=f"^{str(refused.value).split()[0]} "):
        call(torch.arange(3.0, requires_grad=True))


@pytest.mark.parametrize(
    "call", [P.SinusoidalPositionalEncoding(8), P.RotaryEmbedding(8), lambda x, at: P.table(positions=x, d_model=8)]
)
def test_nested_tensors_are_refused_in_compiled_code(call):
    for layout in torch.jagged, torch.strided:
        x = torch.nested.nested_tensor([torch.zeros(3, 8), torch.zeros(5, 8)], layout=layout)
        with pytest.raises(TypeError, match="(x|positions) is a nested tensor; allowed: a dense tensor"):
            torch.compile(call, backend="aot_eager")(x, torch.zeros(5))
