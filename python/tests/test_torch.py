"""posenc.torch.SinusoidalPositionalEncoding: values, shapes, growth, conversions, compilation."""

import concurrent.futures
import copy
import io
import math
import pickle

import pytest
import torch
from torch import nn
from tutorial import Tutorial, rows

import posenc.torch
from posenc.torch import SinusoidalPositionalEncoding as Encoding


def test_the_tutorials_call_gives_the_tutorials_values():
    x = torch.randn(35, 20, 200)  # sequence length, batch
    theirs, ours = Tutorial(200, 0.2).eval(), Encoding(200, 0.2).eval()
    assert torch.allclose(theirs(x), ours(x), rtol=0, atol=1e-5)
    assert torch.equal(ours(x), x + rows(35, 200)[:, None])
    for module in (theirs, ours):
        module.train()
        torch.manual_seed(1)
        module.dropped = module(torch.ones_like(x)) == 0
    assert torch.equal(theirs.dropped, ours.dropped)
    for arguments in ((8,), (8, 0), (8, 0.5, 20), (8, 1)):
        theirs, ours = Tutorial(*arguments), Encoding(*arguments)
        assert ours.dropout.p == theirs.dropout.p and ours.pe.shape == theirs.pe.shape


@pytest.mark.parametrize("d", [1, 7, 64])
def test_shapes(d):
    table = rows(50, d)
    x = torch.randn(12, 3, d)
    assert torch.equal(Encoding(d, dropout=0)(x), x + table[:12, None])
    assert torch.equal(Encoding(d, dropout=0, batch_first=True)(x), x + table[:3])
    assert torch.equal(Encoding(d, dropout=0)(x[:, 0]), x[:, 0] + table[:12])
    assert torch.equal(Encoding(d, dropout=0, batch_first=True)(x[:, 0]), x[:, 0] + table[:12])
    assert torch.equal(Encoding(d, dropout=0)(x[:0]), x[:0])


def test_start_and_positions():
    e, b = Encoding(16, dropout=0), Encoding(16, dropout=0, batch_first=True)
    x, table = torch.randn(6, 3, 16), rows(100, 16)
    assert torch.equal(e(x, start=40), x + table[40:46, None])
    assert torch.equal(e(x, 40), e(x, start=40))
    at = torch.tensor([5, 0, 99, 7, 7, 1])
    assert torch.equal(e(x, positions=at), x + table[at][:, None])
    both = torch.randint(0, 100, (6, 3))
    assert torch.equal(e(x, positions=both), x + table[both])
    assert torch.equal(b(x.transpose(0, 1), positions=both.T.int()), x.transpose(0, 1) + table[both.T])
    assert torch.equal(b(x.transpose(0, 1), positions=at), x.transpose(0, 1) + table[at])
    assert torch.equal(e(x, positions=at[:, None]), x + table[at][:, None])
    assert torch.equal(e(x, positions=at[None, :3]), x + table[at[:3]])
    whole = e(torch.zeros(50, 1, 16))
    pieces = [e(torch.zeros(1, 1, 16), start=i) for i in range(50)]
    assert torch.equal(whole, torch.cat(pieces))


@pytest.mark.parametrize(
    "x, arguments, error, text",
    [
        (torch.zeros(5, 3, 9), {}, ValueError, r"\(5, 3, 9\); expected \(sequence, batch, d_model\).*d_model = 8"),
        (torch.zeros(8), {}, ValueError, r"\(8,\); expected"),
        (torch.zeros(2, 5, 3, 8), {}, ValueError, "expected"),
        (torch.zeros(5, 3, 8, dtype=torch.int64), {}, TypeError, "int64"),
        (torch.zeros(5, 3, 8), dict(start=-1), ValueError, "start is -1"),
        (torch.zeros(5, 3, 8), dict(positions=torch.arange(4)), ValueError, r"\(4,\); expected \(5,\), or \(5, 3\)"),
        (torch.zeros(5, 3, 8), dict(positions=torch.arange(5) - 2), ValueError, "down to -2"),
        (torch.zeros(5, 3, 8), dict(positions=torch.zeros(3, 5, dtype=int)), ValueError, "positions have shape"),
        (
            torch.zeros(5, 3, 8),
            dict(positions=torch.arange(5) + 2**31),
            ValueError,
            r"up to 2147483652.*reserve\(n\)",
        ),
        (torch.zeros(5, 3, 8), dict(positions=[0, 1, 2, 3, 4]), TypeError, "a list"),
        (torch.zeros(5, 3, 8), dict(positions=torch.arange(5.0)), TypeError, "float32"),
        (torch.zeros(5, 3, 8), dict(positions=torch.arange(5), start=2), ValueError, "start"),
    ],
)
def test_bad_input(x, arguments, error, text):
    with pytest.raises(error, match=text):
        Encoding(8)(x, **arguments)


def test_scale_and_base():
    x = torch.randn(6, 3, 16)
    assert torch.equal(Encoding(16, dropout=0, scale=4.0)(x), x * 4.0 + rows(6, 16)[:, None])
    assert torch.equal(Encoding(16, dropout=0, base=77.0)(x), x + rows(6, 16, base=77.0)[:, None])
    assert "scale=4" in repr(Encoding(16, scale=4.0)) and "max_len=5000" in repr(Encoding(16))


@pytest.mark.parametrize("persistent", [False, True])
def test_growth(persistent):
    e = Encoding(16, max_len=10, dropout=0, persistent=persistent)
    x = torch.randn(25, 2, 16)
    assert torch.equal(e(x), x + rows(25, 16)[:, None])
    assert torch.equal(e(x, positions=torch.arange(25) * 9), x + rows(225, 16)[::9, None])
    e.reserve(1000)
    assert len(e.pe) >= 1000 and torch.equal(e.pe[:, 0], rows(len(e.pe), 16))
    e.reserve(5)
    assert len(e.pe) >= 1000
    assert (len(e.state_dict()) == 1) == persistent


@pytest.mark.parametrize("kind", [int, torch.tensor])
def test_a_start_far_beyond_the_table(kind):
    e = Encoding(512, 0)
    x = torch.zeros(1, 1, 512)
    for start in (1 << 15, 3000000):  # the first has 64 MiB before it
        with pytest.raises(ValueError, match=rf"start is {start}, far beyond the table's 5000 .*reserve\(n\)"):
            e(x, start=kind(start))
    assert e.pe.shape == (5000, 1, 512)
    near = (1 << 15) - 1
    assert torch.equal(e(x, start=kind(near))[0], posenc.torch.table(1, 512, first=near))
    e.reserve(70001)
    assert torch.equal(e(x, start=kind(70000))[0], posenc.torch.table(1, 512, first=70000))


def test_a_long_input_is_not_far_beyond_the_table():
    n = (1 << 15) + 9
    assert torch.equal(Encoding(512, 0, max_len=2)(torch.zeros(n, 1, 512))[:, 0], rows(n, 512))


def test_bad_arguments():
    with pytest.raises(ValueError, match="max_len is -1"):
        Encoding(16, max_len=-1)
    with pytest.raises(TypeError, match=r"max_len is \[1, 2\]"):
        Encoding(16, max_len=[1, 2])
    with pytest.raises(ValueError, match="d_model is 0"):
        Encoding(0)
    with pytest.raises(ValueError, match="^dropout is 10; allowed: .* For a table of 10 positions write max_len=10$"):
        Encoding(6, 10)
    for dropout in (-1, 1.5, 5000.0, math.nan, math.inf):
        with pytest.raises(ValueError, match=f"^dropout is {dropout}; allowed: a probability from 0 to 1$"):
            Encoding(6, dropout)
    for dropout in (True, "0.1", None, [10]):
        with pytest.raises(TypeError, match="^dropout is .*; allowed: a probability from 0 to 1$"):
            Encoding(6, dropout)
    with pytest.raises(TypeError, match="positional"):
        Encoding(6, 0.1, 10, True)


def test_growth_in_inference_mode_is_like_any():
    e = Encoding(16, max_len=4, dropout=0, persistent=True)
    with torch.inference_mode():
        e(torch.zeros(9, 1, 16))
        assert not e.pe.is_inference()
        e.reset_buffers()
        e.load_state_dict({"pe": torch.randn(9, 16)})
    assert not e.pe.is_inference()
    e.pe.fill_(3)
    e(torch.zeros(9, 1, 16, requires_grad=True)).sum().backward()


def test_growth_by_many_threads():
    e = Encoding(16, max_len=1, dropout=0)
    want = rows(400, 16)

    def work(n):
        return torch.equal(e(torch.zeros(n, 1, 16))[:, 0], want[:n])

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, [1 + i * 37 % 400 for i in range(400)]))


def test_autocast():
    e = Encoding(16, dropout=0)
    with torch.autocast("cpu", torch.bfloat16):
        x = nn.Linear(16, 16)(torch.randn(6, 3, 16))
        assert x.dtype == torch.bfloat16 and e(x).dtype == torch.bfloat16
    assert e.pe.dtype == torch.float32


def test_gradients():
    x = torch.randn(6, 3, 16, requires_grad=True)
    e = Encoding(16, dropout=0, scale=3.0)
    e(x).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 3.0)) and not list(e.parameters())


def test_copies():
    e = Encoding(16, max_len=20, dropout=0, batch_first=True, buffer_name="table").eval()
    x = torch.randn(2, 30, 16)
    file = io.BytesIO()
    torch.save(e, file)
    file.seek(0)
    load = dict(weights_only=False) if "weights_only" in torch.load.__code__.co_varnames else {}
    for other in (copy.deepcopy(e), pickle.loads(pickle.dumps(e)), torch.load(file, **load)):
        assert torch.equal(other(x), x + rows(30, 16)) and other.table.data_ptr() != e.table.data_ptr()
        assert list(other.state_dict()) == ["table"]


def test_meta_and_reset():
    e = nn.Sequential(Encoding(16, max_len=20, dropout=0)).to("meta")
    e.to_empty(device="cpu")
    e[0].pe.fill_(7)
    e[0].reset_buffers()
    assert torch.equal(e[0].pe[:, 0], rows(20, 16))
    half = nn.Sequential(Encoding(16, max_len=20, dropout=0)).half().to("meta").to_empty(device="cpu")
    half[0].reset_buffers()
    assert torch.equal(half[0].pe[:, 0], rows(20, 16, dtype="float16"))

    if hasattr(torch, "get_default_device"):  # since 2.3; a default device is younger than some PyTorch we work with
        with torch.device("meta"):
            model = nn.Sequential(Encoding(16, max_len=20, dropout=0), nn.Linear(16, 2))
        assert model[0].pe.device.type == "meta" and model[1].weight.device.type == "meta"
        model.to_empty(device="cpu")
        model[0].reset_parameters()
        assert torch.equal(model[0].pe[:, 0], rows(20, 16))
    meta = Encoding(16, max_len=20, dropout=0).to("meta")
    with pytest.raises(RuntimeError, match="meta"):
        meta.reset_buffers()
    meta.reset_buffers("cpu")
    assert torch.equal(meta.pe[:, 0], rows(20, 16))


# ---- compiled code, where torch has it

needs_compile = pytest.mark.skipif(
    not hasattr(torch, "compile"), reason=f"PyTorch {torch.__version__} has no torch.compile"
)
needs_export = pytest.mark.skipif(
    not hasattr(torch, "export"), reason=f"PyTorch {torch.__version__} has no torch.export"
)


@needs_compile
def test_compile():
    e = Encoding(16, max_len=64, dropout=0)
    compiled = torch.compile(e, fullgraph=True, backend="aot_eager")
    x = torch.randn(6, 3, 16)
    assert torch.equal(compiled(x), e(x)) and torch.equal(compiled(x, start=5), e(x, start=5))
    assert torch.equal(compiled(x[:4], start=6), e(x[:4], start=6))
    at = torch.randint(0, 64, (6, 3))
    assert torch.equal(compiled(x, positions=at), e(x, positions=at))
    with pytest.raises(Exception, match=r"reserve\(n\)"):
        compiled(torch.randn(65, 3, 16))
    torch._dynamo.reset()


@needs_export
def test_export():
    e = Encoding(16, max_len=64, dropout=0).eval()
    x = torch.randn(6, 3, 16)
    length = torch.export.Dim("length", min=2, max=64)
    exported = torch.export.export(e, (x,), dynamic_shapes=({0: length},)).module()
    assert torch.equal(exported(x), e(x)) and torch.equal(exported(x[:4]), e(x[:4]))


def test_nothing_of_the_library_is_on_the_module():
    e = Encoding(16)
    assert all(isinstance(value, (int, float, bool, str, dict, set, type(None))) for value in vars(e).values())
