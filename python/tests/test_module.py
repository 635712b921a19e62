"""SinusoidalPositionalEncoding with presets and dtypes."""

import copy
import math
import pickle

import pytest
import torch
from torch import nn

import posenc
import posenc.torch
from posenc.torch import SinusoidalPositionalEncoding as Encoding

HALVES = [torch.bfloat16, torch.float16]


@pytest.mark.parametrize("row", posenc.presets(), ids=lambda row: row.name)
def test_presets(row):
    e = Encoding(16, max_len=40, dropout=0, preset=row.name)
    table = posenc.torch.table(90, 16, preset=row.name)
    assert torch.equal(e.pe, table[:40])
    x = torch.randn(60, 3, 16)
    assert torch.equal(e(x, start=2), x + table[2:62, None])  # it grew
    e.pe.fill_(7)
    e.reset_buffers()
    assert torch.equal(e.pe, posenc.torch.table(len(e.pe), 16, preset=row.name))
    assert f"preset={row.name}" in repr(e)


def test_a_presets_base():
    e = Encoding(16, base=500000.0, preset="rope", dropout=0)
    assert torch.equal(e.pe, posenc.torch.table(5000, 16, base=500000, preset="rope"))
    assert "base=500000" in repr(e) and "base" not in repr(Encoding(16)) and "dtype" not in repr(Encoding(16))
    with pytest.raises(ValueError, match='preset "whisper" allows'):
        Encoding(7, preset="whisper")
    with pytest.raises(ValueError, match='preset is "fair"; known'):
        Encoding(16, preset="fair")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, *HALVES])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64, *HALVES])
@pytest.mark.parametrize("scale", [None, 22.6])
def test_one_rounding_of_the_wider_sum(dtype, kind, scale):
    e = Encoding(16, max_len=9, dropout=0, dtype=dtype, scale=scale)
    table = posenc.torch.table(20, 16, dtype=dtype)
    assert e.pe.dtype == dtype and torch.equal(e.pe, table[:9])
    x = torch.randn(20, 3, 16).to(kind)
    wide = torch.float64 if torch.float64 in (dtype, kind) else torch.float32
    want = (x.to(wide) * (1.0 if scale is None else scale) + table[:, None].to(wide)).to(kind)
    y = e(x)
    assert y.dtype == kind and torch.equal(y, want) and e.pe.dtype == dtype


@pytest.mark.parametrize("dtype", [torch.float64, *HALVES])
def test_the_table_keeps_its_dtype(dtype):
    e = Encoding(16, max_len=20, dropout=0, dtype=dtype)
    table = posenc.torch.table(20, 16, dtype=dtype)
    for other in (copy.deepcopy(e).float(), copy.deepcopy(e).half(), nn.Sequential(copy.deepcopy(e)).double()[0],
                  pickle.loads(pickle.dumps(e)), copy.deepcopy(e).to("cpu", torch.bfloat16)):  # fmt: skip
        assert other.pe.dtype == dtype and torch.equal(other.pe, table)
    meta = nn.Sequential(copy.deepcopy(e)).float().to("meta").to_empty(device="cpu")
    meta[0].reset_buffers()
    assert meta[0].pe.dtype == dtype and torch.equal(meta[0].pe, table)
    assert f"dtype={str(dtype)[6:]}" in repr(e)


@pytest.mark.parametrize("dtype", [torch.float64, *HALVES])
def test_checkpoints(dtype):
    e = Encoding(16, max_len=9, dropout=0, dtype=dtype, persistent=True)
    assert e.state_dict()["pe"].dtype == dtype
    values = torch.randn(9, 1, 16)
    e.load_state_dict({"pe": values})
    assert e.pe.dtype == dtype and torch.equal(e.pe, values[:, 0].to(dtype))
    other = Encoding(16, max_len=9, dropout=0, persistent=True)
    other.load_state_dict(e.state_dict())
    assert other.pe.dtype == torch.float32 and torch.equal(other.pe, e.pe.float())


def test_names_of_dtypes():
    assert Encoding(16, dtype="bfloat16").pe.dtype == torch.bfloat16
    with pytest.raises(TypeError, match="dtype is torch.int8; allowed: torch.float32, torch.float64, torch.bfloat16"):
        Encoding(16, dtype=torch.int8)


# ---- with a scale and no gradient, sums of large batches are made in one pass: with the same bits


@pytest.fixture
def passes(monkeypatch):
    """How many sums were made in one pass."""
    counted = []
    monkeypatch.setattr(posenc.torch, "add", lambda *arguments, **named: counted.append(1) or _add(*arguments, **named))
    return counted


_add = posenc.torch.add


def sums(e, x, **arguments):
    """With a gradient, which is PyTorch's arithmetic, and without."""
    with torch.no_grad():
        free = e(x, **arguments)
    return e(x.clone().requires_grad_(), **arguments).detach(), free


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("shape", [(64, 64, 96), (9, 400, 96), (400, 9, 96), (4000, 96), (4, 0, 96), (0, 4, 96), (1, 3000, 96)])
def test_without_a_gradient(shape, batch_first, passes):
    e = Encoding(96, max_len=100, scale=math.sqrt(96), batch_first=batch_first, preset="marian").eval()
    x = torch.randn(shape)
    for arguments in ({}, dict(start=41), dict(positions=torch.randint(0, 50, shape[:-1]))):
        their, free = sums(e, x, **arguments)
        assert torch.equal(their, free)
    length = shape[1] if batch_first and len(shape) == 3 else shape[0]
    large = x.numel() >= 1 << 18 and x.numel() >= 8 * 96 * length
    assert len(passes) == (2 if large else 0)
    views = torch.randn(*shape[:-1], 200)
    for view in (views[..., 5:101], torch.randn(96, *shape[:-1]).movedim(0, -1)):
        their, free = sums(e, view)
        assert torch.equal(their, free)
    assert len(passes) == (4 if large else 0)


def test_a_table_that_was_changed(passes):
    e = Encoding(96, scale=3.0, batch_first=True, dropout=0)
    x = torch.randn(64, 64, 96)
    x[:, 0] = 0
    for change, same in [
        (lambda: None, 1),
        (lambda: e.pe.data.mul_(2), 0),
        (lambda: e.reset_buffers(), 1),
        (lambda: e.pe[0, 0].fill_(-0.0), 0),  # which equals 0
        (lambda: e.pe.numpy().fill(9), 0),
        (lambda: e.reset_buffers(), 1),
        (lambda: e.pe[64:].fill_(9), 1),  # not of these rows
    ]:
        change()
        passes.clear()
        their, free = sums(e, x)
        assert torch.equal(their, free) and torch.equal(free, x * 3.0 + e.pe[:64]) and len(passes) == same


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
def test_where_pytorch_is_asked_for(passes):
    x = torch.randn(64, 64, 96)
    want = x * 3.0 + posenc.torch.table(64, 96)
    with torch.no_grad():
        e = Encoding(96, scale=3.0, batch_first=True, dropout=0)
        traced = torch.jit.trace(e, x, check_trace=False)
        assert torch.equal(traced(x), want) and torch.equal(traced(2 * x), e(2 * x)) and len(passes) == 1  # not of the traced
        passes.clear()
        for other in (dict(scale=3), dict(scale=None), dict(scale=3.0, dtype=torch.float64)):
            Encoding(96, batch_first=True, dropout=0, **other)(x)
        e(x.double()), e(x.bfloat16()), e(x.to("meta"))
        assert not passes
        if torch.set_flush_denormal(True):
            tiny = torch.full((64, 64, 96), 1e-39)
            assert torch.equal(e(tiny)[:, 0, 0], torch.zeros(64)) and not passes
            torch.set_flush_denormal(False)
        assert torch.equal(torch.vmap(e)(x[None].expand(2, -1, -1, -1))[1] if hasattr(torch, "vmap") else want, want) and not passes
    with torch.autograd.forward_ad.dual_level():
        dual = e(torch.autograd.forward_ad.make_dual(x, torch.ones_like(x)))
        assert torch.equal(torch.autograd.forward_ad.unpack_dual(dual).tangent, torch.full_like(x, 3.0)) and not passes
    e.pe.requires_grad_()
    assert e(x).requires_grad and not passes
    with torch.no_grad():
        assert torch.equal(e(x), want) and passes


def test_dropout_is_still_there(passes):
    e = Encoding(96, scale=3.0, batch_first=True, dropout=0.5)
    with torch.no_grad():
        torch.manual_seed(1)
        dropped = e(torch.ones(64, 64, 96)) == 0
        assert 0.4 < dropped.float().mean() < 0.6 and passes
        assert (e.eval()(torch.ones(64, 64, 96)) == 0).float().mean() < 0.01
