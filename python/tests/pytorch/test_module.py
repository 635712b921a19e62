"""posenc.torch.SinusoidalPositionalEncoding: growth, dtypes, conversions, copies, compilation."""

import concurrent.futures
import copy
import io
import pickle
import pydoc

import pytest
import torch
from torch import nn
from tutorial import Tutorial
from versions import inductor, needs

import posenc
import posenc.torch
from posenc.torch import SinusoidalPositionalEncoding as Encoding

HALVES = [torch.bfloat16, torch.float16]


def rows(count, d, dtype=torch.float32, **spec):
    return posenc.torch.table(count, d, dtype=dtype, **spec)


def test_help_does_not_print_what_classes_inherit():
    """The longer text has about 300 lines; from Python 3.13 on about 390, because each argument has its own line."""
    texts = [pydoc.render_doc(module) for module in (posenc, posenc.torch)]
    assert all(len(text.splitlines()) < 450 and not ("inherited from" in text or "sleef" in text) for text in texts)


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


@pytest.mark.parametrize("kind", [int, torch.tensor])
def test_a_start_far_beyond_the_table(kind):
    e, x, far = Encoding(512, 0), torch.zeros(1, 1, 512), 1 << 15  # 64 MiB of rows lie before it
    with pytest.raises(ValueError, match=f"start is {far}, far beyond"):
        e(x, start=kind(far))
    assert e.pe.shape == (5000, 1, 512)
    assert torch.equal(e(x, start=kind(far - 1))[0], posenc.torch.table(1, 512, first=far - 1))
    e.reserve(70001)
    assert torch.equal(e(x, start=kind(70000))[0], posenc.torch.table(1, 512, first=70000))
    long = torch.zeros(far + 9, 1, 512)
    assert torch.equal(Encoding(512, 0, max_len=2)(long)[:, 0], rows(far + 9, 512))  # the call starts in the table


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


@needs("set_default_device")
def test_a_table_made_in_inference_mode_is_like_any():
    for device in ("cpu", "meta"):
        with torch.inference_mode(), torch.device(device):
            e = Encoding(16, max_len=4)
        assert e.pe.device.type == device and not e.pe.is_inference()


def test_growth_by_many_threads():
    e, want = Encoding(16, max_len=1, dropout=0), rows(400, 16)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        lengths = [1 + i * 37 % 400 for i in range(400)]
        sums = pool.map(lambda n: e(torch.zeros(n, 1, 16))[:, 0], lengths)
    assert all(torch.equal(y, want[:n]) for n, y in zip(lengths, sums))


# ---- dtypes and conversions


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, *HALVES])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64, *HALVES])
@pytest.mark.parametrize("scale", [None, 22.6])
def test_pytorch_adds_in_the_wider_type(dtype, kind, scale):
    e, table = Encoding(16, 0, max_len=9, dtype=dtype, scale=scale, batch_first=False), rows(20, 16, dtype)
    assert e.pe.dtype == dtype and torch.equal(e.pe[:, 0], table[:9])
    x = torch.randn(20, 3, 16).to(kind)
    wide = x.to(torch.promote_types(dtype, kind))
    want = ((wide if scale is None else wide * scale) + table[:, None]).to(kind)
    for arguments in ({}, dict(positions=torch.arange(20))):
        y = e(x, **arguments)
        assert y.dtype == kind and torch.equal(y, want) and e.pe.dtype == dtype


OTHERS = ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "complex32", "complex64")  # older releases have no float8


@pytest.mark.filterwarnings("ignore:Complex modules|Casting complex values|ComplexHalf support")
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, *HALVES])
def test_conversions_round_once(dtype, batch_first):
    """They are rounded from the real numbers. Rounding float32 values again to 16 bits gives other values."""
    e = Encoding(64, 0, batch_first=batch_first)
    tables = {kind: rows(5000, 64, kind) for kind in (torch.float32, dtype)}
    assert not torch.equal(tables[torch.float32].to(dtype), tables[dtype])
    for other, kind in [
        (copy.deepcopy(e).to(dtype), dtype),
        (nn.Sequential(copy.deepcopy(e)).to("cpu", dtype)[0], dtype),
        (copy.deepcopy(e).half().bfloat16().to(dtype).float(), torch.float32),
        (Encoding(64, 0, batch_first=batch_first, dtype=dtype).float(), torch.float32),
        *((copy.deepcopy(e).to(getattr(torch, n)).to(dtype), dtype) for n in OTHERS if hasattr(torch, n)),
    ]:
        assert other.pe.dtype == kind and torch.equal(other.pe.squeeze(), tables[kind])
    e.to(dtype).reserve(6000)
    assert e.pe.dtype == dtype and torch.equal(e.pe.squeeze(), rows(6000, 64, dtype))


def test_other_values_are_converted_like_any():
    e, values = Encoding(64, 0), rows(5000, 64)[:, None].clone()
    values[4999, 0, 63] += 1e-3
    e.pe.copy_(values)
    assert torch.equal(copy.deepcopy(e).half().pe, values.half())
    assert torch.equal(copy.deepcopy(e).bfloat16().float().pe, values.bfloat16().float())
    e.reset_buffers()
    assert torch.equal(e.half().pe[:, 0], rows(5000, 64, torch.float16))


def test_names_of_dtypes_and_pytorchs_default():
    assert Encoding(16, dtype="bfloat16").pe.dtype == torch.bfloat16
    torch.set_default_dtype(torch.float64)
    try:
        assert Encoding(16).pe.dtype == torch.float64 and Encoding(16, dtype="float32").pe.dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_table_on_meta_is_reset_on_another_device():
    e = Encoding(16, dtype=torch.float16).to("meta")
    with pytest.raises(RuntimeError, match="the table is on the meta device"):
        e.reset_buffers()
    e.reset_buffers("cpu")
    assert torch.equal(e.pe[:, 0], rows(5000, 16, torch.float16))


# ---- operations of PyTorch on modules


def test_autocast_and_gradients():
    e = Encoding(16, dropout=0, scale=3.0)
    with torch.autocast("cpu", torch.bfloat16):
        x = nn.Linear(16, 16)(torch.randn(6, 3, 16))
        assert x.dtype == e(x).dtype == torch.bfloat16
    x = torch.randn(6, 3, 16, requires_grad=True)
    e(x).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 3.0)) and not list(e.parameters()) and e.pe.dtype == torch.float32


def test_copies():
    e = Encoding(16, max_len=20, dropout=0, batch_first=True, buffer_name="table").eval()
    x, file = torch.randn(2, 30, 16), io.BytesIO()
    torch.save(e, file)
    file.seek(0)
    load = dict(weights_only=False) if "weights_only" in torch.load.__code__.co_varnames else {}
    for other in (copy.deepcopy(e), pickle.loads(pickle.dumps(e)), torch.load(file, **load)):
        assert torch.equal(other(x), x + rows(30, 16)) and other.table.data_ptr() != e.table.data_ptr()
        assert list(other.state_dict()) == ["table"]
    assert all(isinstance(value, (int, float, bool, str, dict, set, list, type(None))) for value in vars(e).values())


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("scale", [None, 3.0])
def test_transforms(scale):
    e = Encoding(96, 0, batch_first=True, scale=scale)
    x = torch.randn(4, 64, 96)
    want = x * (scale or 1.0) + rows(64, 96)
    with torch.no_grad():
        traced = torch.jit.trace(e, x, check_trace=False)
        assert torch.equal(traced(x), want) and torch.equal(traced(2 * x), e(2 * x))
        assert e(x.to("meta")).device.type == "meta"
        if hasattr(torch, "vmap"):
            assert torch.equal(torch.vmap(e)(x[None].expand(2, -1, -1, -1))[1], want)
    with torch.autograd.forward_ad.dual_level():
        dual = e(torch.autograd.forward_ad.make_dual(x, torch.ones_like(x)))
        tangent = torch.autograd.forward_ad.unpack_dual(dual).tangent
        assert torch.equal(tangent, torch.full_like(x, scale or 1.0))
    e.pe.requires_grad_()
    e(x).sum().backward()
    assert torch.equal(e.pe.grad[0, :64], torch.full((64, 96), 4.0)) and not e.pe.grad[0, 64:].any()


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("start", [0, 19])
def test_a_traced_table_that_ends(batch_first, start):
    """A slice would end with the table. If it had one row, PyTorch would add that row to each embedding."""
    e, x = Encoding(16, 0, start + 1, batch_first=batch_first), torch.zeros(5, 5, 16)
    traced = torch.jit.trace(lambda x: e(x, start=start), x[:, :1] if batch_first else x[:1])
    with pytest.raises(RuntimeError, match="exceeds dimension size"):
        traced(x)
    e.reserve(start + 5)
    assert torch.equal(torch.jit.trace(lambda x: e(x, start=start), x[:1, :1])(x), e(x, start=start))


@needs("compile")
@pytest.mark.parametrize("first", [0, 2])
@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=inductor)])
def test_compile(first, backend):
    torch._dynamo.reset()
    e = Encoding(16, max_len=64, dropout=0, batch_first=False, first=first)
    compiled = torch.compile(e, fullgraph=True, backend=backend)
    x, at = torch.randn(6, 3, 16), torch.randint(first, first + 64, (6, 3))
    for arguments in (
        {},
        dict(start=5),
        dict(start=6),
        dict(start=torch.tensor(first + 58)),
        dict(positions=at),
        dict(positions=at - 0.5),
        dict(positions=at, x=x.double()),
    ):
        arguments = {"x": x, **arguments}
        assert torch.equal(compiled(**arguments), e(**arguments))
    for beyond in (
        dict(start=torch.tensor(first - 3)),
        dict(start=torch.tensor(first + 59)),
        dict(positions=at - 64),
        dict(positions=at + 64),
    ):
        with pytest.raises(Exception, match="out of"):
            compiled(x, **beyond)
    with pytest.raises(Exception, match=r"reserve\(n\)"):
        compiled(torch.randn(65, 3, 16))


@needs("export")
def test_export():
    e = Encoding(16, max_len=64, dropout=0).eval()
    x = torch.randn(6, 3, 16)
    length = torch.export.Dim("length", min=2, max=64)
    exported = torch.export.export(e, (x,), dynamic_shapes=({0: length},)).module()
    assert torch.equal(exported(x), e(x)) and torch.equal(exported(x[:4]), e(x[:4]))
