"""posenc.torch.table, pair and add: tensors of every dtype, and PyTorch's own bits."""

import math
import re

import numpy as np
import pytest
import torch
from formulas import assert_rounded_once, from_bfloat16, guided_diffusion, round_to_odd, whisper

import posenc
import posenc.torch

DTYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16, "float16": torch.float16}


def same(a, b):
    """All bits, of numbers; NaN are NaN."""
    nan = torch.isnan(a)
    bits = {2: torch.int16, 4: torch.int32}[a.element_size()]
    equal = a.contiguous().view(bits) == b.contiguous().view(bits)
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(nan, torch.isnan(b)) and bool((equal | nan).all())


def bits(tensor):
    """As posenc.table has it."""
    return tensor.view(torch.int16).numpy().view(np.uint16) if tensor.dtype == torch.bfloat16 else tensor.numpy()


# ---- tables


@pytest.mark.parametrize("name, dtype", DTYPES.items())
@pytest.mark.parametrize(
    "spec", [{}, dict(preset="whisper", base=500.0), dict(layout="split", order="cos_first", first=7)]
)
def test_they_are_the_arrays(name, dtype, spec):
    want = posenc.table(90, 34, dtype=name, **spec)
    for asked in (dtype, name):
        table = posenc.torch.table(90, 34, dtype=asked, **spec)
        assert table.dtype == dtype and np.array_equal(bits(table), want)
    if name == "float32":
        assert np.array_equal(posenc.torch.table(90, 34, **spec).numpy(), want)
    first, second = posenc.torch.pair(90, 34, dtype=dtype)
    assert first.dtype == dtype and np.array_equal(bits(second), posenc.pair(90, 34, dtype=name)[1])


def test_bfloat16_is_pytorchs_of_one_rounding():
    p = np.arange(500.0)
    odd = torch.from_numpy(round_to_odd(whisper(p, 64)))  # so that torch's is the only rounding
    table = posenc.torch.table(500, 64, preset="whisper", dtype=torch.bfloat16)
    assert (table == odd.to(torch.bfloat16)).float().mean() > 0.9999  # but where float64 itself is off
    assert_rounded_once(bits(table), whisper(p, 64), p, "bfloat16")
    assert np.array_equal(table.float().numpy(), from_bfloat16(bits(table)))


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_timesteps(kind):
    steps = (torch.rand(16, generator=torch.Generator().manual_seed(1)) * 999).to(kind)
    p = steps.double().numpy()
    table = posenc.torch.table(steps, preset="guided_diffusion", d_model=320)
    assert table.dtype == torch.float32
    assert_rounded_once(table.numpy(), guided_diffusion(p, 320), p)
    half = posenc.torch.table(steps.reshape(4, 4), 320, preset="guided_diffusion", dtype=kind)
    assert half.dtype == kind and half.shape == (4, 4, 320)


@pytest.mark.parametrize("kind", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])
def test_integers(kind):
    whole = posenc.torch.table(100, 16)
    at = torch.tensor([[3, 99, 0]], dtype=kind)
    assert torch.equal(posenc.torch.table(at, 16), whole[at.long()])
    assert torch.equal(posenc.torch.table([3, 4], 16), whole[3:5])


def test_freqs():
    w = torch.tensor([1.0, 0.1, 0.01])
    assert np.array_equal(posenc.torch.table(20, 6, freqs=w).numpy(), posenc.table(20, 6, freqs=w.numpy()))
    rounded = w.bfloat16()
    assert np.array_equal(
        posenc.torch.table(20, 6, freqs=rounded).numpy(), posenc.table(20, 6, freqs=rounded.double().numpy())
    )


def test_devices():
    assert posenc.torch.table(9, 8, device="meta").device.type == "meta"
    assert posenc.torch.pair(9, 8, device=torch.device("meta"))[0].device.type == "meta"
    assert posenc.torch.table(9, 8, device="cpu").device.type == "cpu"
    if torch.cuda.is_available():
        steps = torch.rand(5, device="cuda")
        assert posenc.torch.table(steps, 8).device == steps.device


def test_tables_are_not_copied():
    assert posenc.torch.table(3000, 512).data_ptr() % (2 << 20) == 0
    assert posenc.torch.table(3000, 512, dtype=torch.bfloat16, impl="anchored").data_ptr() % (2 << 20) == 0


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (
            dict(dtype=torch.int32),
            TypeError,
            "dtype is torch.int32; allowed: torch.float32, torch.float64, torch.bfloat16, ",
        ),
        (dict(dtype="f32"), TypeError, "dtype is 'f32'"),
        (dict(positions=torch.zeros(3, dtype=torch.bool)), TypeError, "positions have dtype torch.bool"),
        (dict(positions=torch.zeros(3, dtype=torch.complex64)), TypeError, "positions have dtype torch.complex64"),
        (dict(positions=torch.tensor(5)), TypeError, "positions is 5, without axes; write int() for a count"),
        (dict(positions=torch.tensor(0.5)), TypeError, "without axes"),
        (dict(positions=torch.tensor([0.0, math.nan])), ValueError, "positions[1] is"),
        (dict(positions=torch.tensor([0.5], requires_grad=True)), RuntimeError, "positions requires a gradient"),
        (dict(freqs=torch.ones(4, requires_grad=True)), RuntimeError, "freqs requires a gradient"),
        (dict(preset="t2"), ValueError, 'preset is "t2"'),
        (dict(shift=1), TypeError, "shift"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=re.escape(text)):
        posenc.torch.table(**{"positions": 9, "d_model": 8, **arguments})


# ---- sums


@pytest.mark.parametrize("scale", [1.0, math.sqrt(48), 0.1, -3])
def test_the_bits_of_pytorch(scale):
    table = posenc.torch.table(70, 48)
    x = torch.randn(5, 70, 48)
    x[0, 0, :3] = torch.tensor([math.inf, math.nan, 1e-40])
    assert same(posenc.torch.add(x, scale, batch_first=True), x * scale + table)
    assert same(posenc.torch.add(x[0], scale), x[0] * scale + table)
    swapped, part = x.transpose(0, 1), x[:, 3:, :32]
    assert same(posenc.torch.add(swapped, scale, batch_first=False, threads=2), swapped * scale + table[:, None])
    assert same(posenc.torch.add(part, scale, 3, batch_first=True), part * scale + posenc.torch.table(67, 32, first=3))
    spec = dict(preset="guided_diffusion", base=77.0, impl="anchored")
    assert same(posenc.torch.add(x, scale, batch_first=True, **spec), x * scale + posenc.torch.table(70, 48, **spec))
    y = x.clone()
    assert posenc.torch.add(y, scale, batch_first=True, out=y) is y and same(y, x * scale + table)


def test_bfloat16_sums():
    table = posenc.torch.table(70, 48, dtype=torch.bfloat16)
    x = torch.randn(5, 70, 48).bfloat16()
    x[0, 0, 0] = math.nan
    product = (x.float() * math.sqrt(48)).bfloat16()
    want = (product.float() + table.float()).bfloat16()
    assert same(posenc.torch.add(x, math.sqrt(48), batch_first=True), want)
    out = torch.zeros_like(x)
    posenc.torch.add(x, math.sqrt(48), batch_first=True, out=out)
    assert same(out, want)
    assert same(posenc.torch.add(x[1]), x[1] + table)


def test_gradients_are_refused():
    x = torch.randn(9, 8, requires_grad=True)
    for arguments in (dict(x=x), dict(x=x * 2), dict(x=x.detach(), out=x), dict(x=torch.nn.Parameter(x.detach()))):
        with pytest.raises(
            RuntimeError, match="requires a gradient, and posenc.torch.add has none; for training use Sinus"
        ):
            posenc.torch.add(**arguments)
    with torch.no_grad():
        y = posenc.torch.add(x, 2.0)
        assert not y.requires_grad and same(y, x * 2.0 + posenc.torch.table(9, 8))
    with torch.inference_mode():
        assert same(posenc.torch.add(x, 2.0), y)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(9, 8))
        with pytest.raises(RuntimeError, match="requires a gradient"):
            posenc.torch.add(dual)


def test_autograd_is_told_of_what_is_written():
    x, y = torch.randn(9, 8, requires_grad=True), torch.randn(9, 8)
    product = (x * y).sum()  # saves y
    posenc.torch.add(y, out=y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
    with torch.inference_mode():
        z = torch.randn(9, 8)
    before = z.clone()
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        posenc.torch.add(z, out=z)
    assert torch.equal(z, before)


class Subclass(torch.Tensor):
    pass


X = torch.ones(4, 3, 8)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(batch_first=None), TypeError, "batch_first is None; with three axes it must be True"),
        (dict(x=X.numpy()), TypeError, "x is of type ndarray; allowed: torch.Tensor"),
        (dict(x=X.as_subclass(Subclass)), TypeError, "x is of type Subclass"),
        (dict(x=X.to("meta")), ValueError, "x is on meta"),
        (dict(x=X[0].to_sparse()), ValueError, "layout torch.sparse_coo"),
        (dict(x=X.double()), TypeError, "x has dtype torch.float64; allowed: torch.float32 and torch.bfloat16"),
        (dict(x=X.half()), TypeError, "x has dtype torch.float16"),
        (dict(x=X[0, 0]), ValueError, "x has shape (8,)"),
        (dict(out=X.bfloat16()), TypeError, "out has dtype torch.bfloat16; allowed: that of x, torch.float32"),
        (dict(out=X[:2].clone()), ValueError, "out has shape (2, 3, 8); allowed: that of x, (4, 3, 8)"),
        (dict(out=torch.ones(8).expand(4, 3, 8)), ValueError, "out has strides"),
        (dict(dtype=torch.float32), TypeError, "the table's is that of x"),
        (dict(scale=torch.tensor(2.0)), TypeError, "scale is tensor(2.)"),
        (dict(preset="whisper", base=0.5), ValueError, "base is 0.5"),
    ],
)
def test_bad_sums(arguments, error, text):
    arguments = {"x": X, "batch_first": True, "out": torch.full((4, 3, 8), 7.0), **arguments}
    before = arguments["out"].clone()
    with pytest.raises(error, match=re.escape(text)):
        posenc.torch.add(**arguments)
    assert torch.equal(arguments["out"], before)
    assert bool((X == 1).all())


def test_a_lazily_negated_view():
    x = torch.randn(9, 8, dtype=torch.complex64).conj().imag
    assert x.is_neg() and same(posenc.torch.add(x), x.clone() + posenc.torch.table(9, 8))
    with pytest.raises(ValueError, match="out is a lazily negated view"):
        posenc.torch.add(torch.zeros(9, 8), out=x)
