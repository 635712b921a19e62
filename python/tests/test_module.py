"""SinusoidalPositionalEncoding with presets and dtypes."""

import copy
import pickle

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

import posenc
import posenc.torch
from posenc.torch import SinusoidalPositionalEncoding as Encoding

HALVES = [torch.bfloat16, torch.float16]
ANCHORED = any(row.supported for row in posenc.implementations() if row.name.startswith("anchored_"))


def rows(count, d, dtype):
    impl = "anchored" if dtype == torch.float64 and ANCHORED else None
    return posenc.torch.table(count, d, dtype=dtype, impl=impl)


@pytest.mark.parametrize("row", posenc.presets(), ids=lambda row: row.name)
def test_presets(row):
    e = Encoding(16, max_len=40, dropout=0, preset=row.name)
    table = posenc.torch.table(90, 16, preset=row.name)
    assert torch.equal(e.pe, table[:40, None])
    x = torch.randn(60, 3, 16)
    assert torch.equal(e(x, start=2), x + table[2:62, None])  # it grew
    e.pe.fill_(7)
    e.reset_buffers()
    assert torch.equal(e.pe, posenc.torch.table(len(e.pe), 16, preset=row.name)[:, None])
    assert f"preset={row.name}" in repr(e)


def test_a_presets_base():
    e = Encoding(16, base=500000.0, preset="rope", dropout=0)
    assert torch.equal(e.pe[:, 0], posenc.torch.table(5000, 16, base=500000, preset="rope"))
    assert "base=500000" in repr(e) and "base" not in repr(Encoding(16)) and "dtype" not in repr(Encoding(16))
    with pytest.raises(ValueError, match='preset "whisper" allows'):
        Encoding(7, preset="whisper")
    with pytest.raises(ValueError, match='preset is "fair"; known'):
        Encoding(16, preset="fair")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, *HALVES])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64, *HALVES])
@pytest.mark.parametrize("scale", [None, 22.6])
def test_pytorch_adds_in_the_wider_type(dtype, kind, scale):
    e = Encoding(16, 0, max_len=9, dtype=dtype, scale=scale)
    table = rows(20, 16, dtype)
    assert e.pe.dtype == dtype and torch.equal(e.pe[:, 0], table[:9])
    x = torch.randn(20, 3, 16).to(kind)
    wide = x.to(torch.promote_types(dtype, kind))
    want = ((wide if scale is None else wide * scale) + table[:, None]).to(kind)
    for arguments in ({}, dict(positions=torch.arange(20))):
        y = e(x, **arguments)
        assert y.dtype == kind and torch.equal(y, want) and e.pe.dtype == dtype


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, *HALVES])
def test_conversions_round_once(dtype, batch_first):
    """From the real numbers: float32 values that are rounded again to 16 bits are others."""
    e = Encoding(64, 0, batch_first=batch_first)
    tables = {kind: rows(5000, 64, kind) for kind in (torch.float32, dtype)}
    assert not torch.equal(tables[torch.float32].to(dtype), tables[dtype])
    for other, kind in [
        (copy.deepcopy(e).to(dtype), dtype),
        (nn.Sequential(copy.deepcopy(e)).to("cpu", dtype)[0], dtype),
        (pickle.loads(pickle.dumps(copy.deepcopy(e).to(dtype))), dtype),
        (copy.deepcopy(e).half().bfloat16().to(dtype).float(), torch.float32),
        (Encoding(64, 0, batch_first=batch_first, dtype=dtype).float(), torch.float32),
    ]:
        assert other.pe.dtype == kind and torch.equal(other.pe.squeeze(), tables[kind])
        x = torch.randn(6, 6, 64).to(kind)
        at = tables[kind][:6] if batch_first else tables[kind][:6, None]
        assert torch.equal(other(x), x + at)
    e.to(dtype).reserve(6000)
    assert e.pe.dtype == dtype and torch.equal(e.pe.squeeze(), rows(6000, 64, dtype))
    assert f"dtype={str(dtype)[6:]}" in repr(e)


@pytest.mark.parametrize("change", ["load", "write", "assign"])
def test_other_values_are_converted_like_any(change):
    e = Encoding(64, 0)
    values = posenc.torch.table(5000, 64)[:, None].clone()
    values[4999, 0, 63] += 1e-3
    if change == "load":
        e.load_state_dict({"pe": values})
    elif change == "write":
        e.pe.copy_(values)
    else:
        e.pe = values
    assert torch.equal(copy.deepcopy(e).half().pe, values.half())
    assert torch.equal(copy.deepcopy(e).bfloat16().float().pe, values.bfloat16().float())
    e.reset_buffers()
    assert torch.equal(e.half().pe[:, 0], posenc.torch.table(5000, 64, dtype=torch.float16))


def test_other_dtypes_are_pytorchs():
    e = Encoding(64, 0)
    want = e.pe.to(torch.int8)
    assert torch.equal(e.type(torch.int8).pe, want) and e.pe.dtype == torch.int8
    assert torch.equal(e.type(torch.float32).pe, want.to(torch.float32))


def test_tensors_without_values():
    if hasattr(torch, "compile"):  # before, modules cannot be made of fake tensors
        with FakeTensorMode():
            e = Encoding(16)
            assert isinstance(e.half().pe, FakeTensor) and e.pe.dtype == torch.float16
    assert Encoding(16).to("meta").half().pe.dtype == torch.float16
    assert Encoding(16).to("meta", torch.half).pe.dtype == torch.float16


@pytest.mark.parametrize("dtype", [torch.float64, *HALVES])
def test_checkpoints(dtype):
    e = Encoding(16, 0, max_len=9, dtype=dtype)
    assert e.state_dict()["pe"].dtype == dtype
    values = torch.randn(9, 1, 16)
    e.load_state_dict({"pe": values})
    assert e.pe.dtype == dtype and torch.equal(e.pe, values.to(dtype))
    other = Encoding(16, 0, max_len=9)
    other.load_state_dict(e.state_dict())
    assert other.pe.dtype == torch.float32 and torch.equal(other.pe, e.pe.float())


def test_pytorchs_default_dtype():
    torch.set_default_dtype(torch.float64)
    try:
        assert Encoding(16).pe.dtype == torch.float64 and Encoding(16, dtype="float32").pe.dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


def test_names_of_dtypes():
    assert Encoding(16, dtype="bfloat16").pe.dtype == torch.bfloat16
    with pytest.raises(TypeError, match="dtype is torch.int8; allowed: torch.float32, torch.float64, torch.bfloat16"):
        Encoding(16, dtype=torch.int8)


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("scale", [None, 3.0])
def test_transforms(scale):
    e = Encoding(96, 0, batch_first=True, scale=scale)
    x = torch.randn(4, 64, 96)
    want = x * (scale or 1.0) + posenc.torch.table(64, 96)
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
