"""posenc.torch's operators return the same values compiled, exported and traced as in eager code."""

import pytest
import torch
from reference import inductor

import posenc
import posenc.torch as P

if not hasattr(torch.library, "custom_op"):
    pytest.skip(f"PyTorch {torch.__version__} has no torch.library.custom_op", allow_module_level=True)

W = [1.0, 0.1, 0.01, 1 / 3]
AT = torch.tensor([[3.5, -2.0, 131071.0]], dtype=torch.float64)

CALLS = {
    "table": lambda x: P.table(x.shape[0], x.shape[1], first=7, dtype="bfloat16"),
    "table of positions": lambda x: P.table(d_model=8, positions=x[:, 0], preset="whisper", device="cpu"),
    "table of a list": lambda x: P.table(positions=[2**24 + 1, 5], d_model=8, freqs=W, dtype=torch.float64),
    "pair": lambda x: P.pair(x.shape[0], 8, base=500000.0),
    "pair of positions": lambda x: P.pair(positions=x[:, 2].long(), d_model=8, duplicated="pairs", dtype="float64"),
    "cis": lambda x: P.cis(positions=AT, d_model=8, dtype="complex128"),
    "cis, count": lambda x: P.cis(x.shape[0], d_model=8, first=-3),
    "grid": lambda x: P.grid((x.shape[0], 3), 8, axes=(1, 0), class_tokens=1, dtype=torch.float16),
    "grid of positions": lambda x: P.grid(positions=(x[:, 0], [0.5, 1.5]), d_model=12),
    "low parts": lambda x: P.table(
        positions=x[:, 1] * 1e6, d_model=8, freqs=W, freqs_low=[0, 6e-18, 0, 2e-17], dtype="float64"
    ),
}


def parts(result):
    return (result.cos, result.sin) if isinstance(result, posenc.Pair) else (result,)


def assert_same(one, other):
    for a, b in zip(parts(one), parts(other)):
        assert a.dtype == b.dtype and a.device == b.device and torch.equal(a, b)


X = [torch.arange(8.0 * n).reshape(n, 8) * 1.7 for n in (3, 5)]


@pytest.mark.parametrize("name", CALLS)
def test_compiled(name):
    torch._dynamo.reset()
    compiled = torch.compile(CALLS[name], fullgraph=True, dynamic=True, backend="aot_eager")
    for x in X:
        assert_same(compiled(x), CALLS[name](x))


@inductor
def test_compiled_by_inductor():
    def model(x):
        return x + P.table(x.shape[0], 8) * P.pair(positions=x[:, 1], d_model=16).sin

    torch._dynamo.reset()
    assert_same(torch.compile(model, fullgraph=True)(X[0]), model(X[0]))


class Calls(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.call = CALLS[name]

    def forward(self, x):
        return parts(self.call(x))


@pytest.mark.parametrize("name", CALLS)
def test_exported(name):
    rows = {0: torch.export.Dim("rows", min=2, max=99)}
    program = torch.export.export(Calls(name), (X[0],), dynamic_shapes=(rows,))
    assert any("posenc" in str(node.target) for node in program.graph.nodes)
    for x in X:
        for a, b in zip(program.module()(x), parts(CALLS[name](x))):
            assert_same(a, b)


def test_traced():
    traced = torch.jit.trace(lambda x: P.table(positions=x, d_model=8), X[0][:, 0])
    for x in X:
        assert torch.equal(traced(x[:, 0]), P.table(positions=x[:, 0], d_model=8))


def test_without_values():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        rows = torch.ops.posenc.table(positions=torch.empty(2, 3), d_model=8, dtype=torch.float16)
    assert rows.shape == (2, 3, 8) and rows.dtype == torch.float16
    assert torch.ops.posenc.table(positions=torch.empty(2, device="meta"), d_model=8).is_meta


@pytest.mark.parametrize(
    "name, args",
    [
        ("table", (None, 8, AT)),
        ("table", (5, 7)),
        ("pair", (5, 8)),
        ("pair", (None, 8, AT, 0, "halves", None, torch.float64)),
    ],
)
def test_operators_are_what_their_schemas_say(name, args):
    torch.library.opcheck(getattr(torch.ops.posenc, name).default, args)


@pytest.mark.filterwarnings("error:.*rounds integers")
def test_no_warning_of_16_bits(monkeypatch):
    monkeypatch.setattr(P._tensors, "_modules_that_warned", [])
    torch._dynamo.reset()
    steps = P.Timesteps(8, True, 0)

    def call(at):
        return P.table(positions=at, d_model=8), P.timestep_embedding(at, 8), steps(at)

    torch.compile(call, fullgraph=True, backend="aot_eager")(AT[0].bfloat16())


def test_errors_at_run_time():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: P.table(positions=x, d_model=8), fullgraph=True, backend="aot_eager")
    with pytest.raises(ValueError, match=r"positions\[1\] is"):
        compiled(torch.tensor([0.0, float("nan")]))


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda x: P.table(5, 8, out=torch.zeros(5, 8)), "out is given; allowed: None if table is compiled"),
        (lambda x: P.timestep_embedding(x[:, 0], 8, out=x * 1), "out or impl is given; allowed: None if"),
        (lambda x: P.table(positions=x[:, 0], d_model=8), "positions requires a gradient"),
        (lambda x: P.table(None, 8, AT), "takes count, d_model by position"),
    ],
)
def test_refused_when_compiled(call, said):
    torch._dynamo.reset()
    with pytest.raises(Exception, match=said):
        torch.compile(call, fullgraph=True, backend="aot_eager")(X[0].clone().requires_grad_())
