"""posenc.torch.table, pair and add have the bits of the arrays, and those of PyTorch's sums."""

import math
import re

import numpy as np
import pytest
import torch
from patched import zero_init

import posenc
import posenc.torch
from posenc.torch import _timesteps

DTYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16, "float16": torch.float16}


def same(a, b):
    """Whether all bits are equal, where any NaN equals any other."""
    nan = torch.isnan(a)
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    equal = a.contiguous().view(bits) == b.contiguous().view(bits)
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(nan, torch.isnan(b)) and bool((equal | nan).all())


def tensor(array):
    """Returns an array of posenc as a tensor; uint16 means bfloat16."""
    return (
        torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        if array.dtype == np.uint16
        else torch.from_numpy(array)
    )


@pytest.mark.parametrize("name, dtype", DTYPES.items())
@pytest.mark.parametrize(
    "spec", [{}, dict(preset="whisper", base=500.0), dict(layout="split", order="cos_first", first=7)]
)
def test_they_are_the_arrays(name, dtype, spec):
    want = tensor(posenc.table(90, 34, dtype=name, **spec))
    assert want.dtype == dtype
    for asked in (dtype, name, *([None] if name == "float32" else [])):
        assert same(posenc.torch.table(90, 34, dtype=asked, **spec), want)
    spec = {name: value for name, value in spec.items() if name not in ("layout", "order")}
    ours, arrays = posenc.torch.pair(90, 34, dtype=dtype, **spec), posenc.pair(90, 34, dtype=name, **spec)
    assert same(ours.cos, tensor(arrays.cos)) and same(ours.sin, tensor(arrays.sin))


@pytest.mark.filterwarnings("ignore:positions have dtype")
@pytest.mark.parametrize("kind", [*DTYPES.values(), *(getattr(torch, f"int{n}") for n in (64, 32, 16, 8)), torch.uint8])
def test_positions(kind):
    at = (torch.rand(4, 4, generator=torch.Generator().manual_seed(1)) * 99).to(kind)
    want = torch.from_numpy(posenc.table(positions=at.double().numpy(), d_model=320, preset="guided_diffusion"))
    assert same(posenc.torch.table(positions=at, d_model=320, preset="guided_diffusion"), want)
    assert same(posenc.torch.table(positions=at[0].tolist(), d_model=320, preset="guided_diffusion"), want[0])


AT = torch.tensor([[0, 5, 99999]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: posenc.torch.table(90, 34),
        lambda: posenc.torch.table(positions=AT, d_model=34, dtype=torch.float64),
        lambda: posenc.torch.pair(90, 34).cos,
        lambda: posenc.torch.cis(positions=AT, d_model=34).real,
        lambda: posenc.torch.grid((3, 4), 36),
        lambda: posenc.torch.timestep_embedding(AT, 34),
        lambda: posenc.torch.timestep_embedding(AT.double().requires_grad_(), 34).detach(),
        lambda: posenc.torch.add(torch.linspace(0, 1, 68).reshape(2, 34)),
        lambda: posenc.torch.SinusoidalPositionalEncoding(34, 0, 3)(torch.linspace(0, 1, 170).reshape(5, 34)),
        lambda: posenc.torch.SinusoidalPositionalEncoding(34, 0, 3).to("meta").to_empty(device="cpu").pe[:, 0],
    ],
)
def test_the_values_do_not_depend_on_what_zero_init_replaces(call):
    _timesteps._ladder.cache_clear()
    with zero_init(torch.bfloat16):
        inside = call()
    _timesteps._ladder.cache_clear()
    assert same(inside, call())


def test_freqs():
    w = torch.tensor([1.0, 0.1, 0.01])
    for freqs in (w, w.bfloat16()):
        assert np.array_equal(posenc.torch.table(9, 6, freqs=freqs), posenc.table(9, 6, freqs=freqs.double().numpy()))


def test_pairs_unpack():
    def turned(at):
        cos, sin = posenc.torch.pair(positions=at, d_model=8)
        return cos + 2 * sin

    at = torch.arange(5)
    made = posenc.torch.pair(5, 8)
    calls = [turned]
    if hasattr(torch.library, "custom_op"):
        calls.append(torch.compile(turned, backend="eager", fullgraph=True))
    assert all(torch.equal(call(at), made.cos + 2 * made.sin) for call in calls)


def test_low_parts_of_frequencies():
    w = dict(freqs=[1.0, 0.1], freqs_low=[5e-17, 6e-18])
    for function in ("table", "cis"):
        call, ours = getattr(posenc, function), getattr(posenc.torch, function)
        found = ours(positions=[2**31], d_model=4, dtype="float64", **w).numpy()
        assert np.array_equal(found, call(positions=[2**31], d_model=4, dtype="float64", **w))
        assert not np.array_equal(found, call(positions=[2**31], d_model=4, dtype="float64", freqs=w["freqs"]))
    pair, turns = (
        ours(positions=[2**31], d_model=4, dtype="float64", **w) for ours in (posenc.torch.pair, posenc.torch.cis)
    )
    assert same(pair.cos, turns.real)


@pytest.mark.parametrize("name, dtype", DTYPES.items())
def test_out(name, dtype):
    at, wide = torch.tensor([[3.5, -2.0]]), torch.full((1, 2, 20), 7.0, dtype=dtype)
    part, want = wide[..., 2:10], posenc.torch.table(positions=at, d_model=8, dtype=name)
    assert posenc.torch.table(positions=at, d_model=8, out=part) is part and same(part, want)
    part.zero_()
    assert posenc.torch.fill_at(part, at) is part and same(part, want) and bool((wide[..., :2] == 7).all())
    out = posenc.Pair(wide[0, :, :4], wide[0, :, 4:8])
    assert posenc.torch.pair(2, 8, out=out) is out
    assert same(wide[0, :, :4], posenc.torch.pair(2, 8, dtype=dtype).cos)


def test_cis():
    for dtype, kind in (None, torch.complex64), ("float64", torch.complex128):
        turns, pair = posenc.torch.cis(9, 8, dtype=dtype), posenc.torch.pair(9, 8, dtype=dtype)
        assert turns.dtype == kind and same(turns.real, pair.cos) and same(turns.imag, pair.sin)
        assert posenc.torch.cis(9, 8, out=torch.empty_like(turns)).equal(turns)


def test_timesteps_and_grids():
    steps = torch.tensor([999, 0.5, 3])
    want = posenc.timestep_embedding(steps.numpy(), 9, True, 0, scale=2.0, max_period=500)
    for out in (None, torch.empty(3, 9)):
        assert same(posenc.torch.timestep_embedding(steps, 9, True, 0, 2.0, 500, out=out), torch.from_numpy(want))
    at, spec = (torch.tensor([3, 1]), steps), dict(axes=(1, 0), class_tokens=1, layout="split")
    want = torch.from_numpy(posenc.grid(positions=[p.numpy() for p in at], d_model=8, **spec))
    for out in (None, torch.empty(7, 8)):
        assert same(posenc.torch.grid(positions=at, d_model=8, out=out, **spec), want)
    assert posenc.torch.grid((2, 3), (4, 8), dtype="bfloat16").dtype == torch.bfloat16


def test_devices():
    assert posenc.torch.table(9, 8, device="meta").device.type == "meta"
    assert posenc.torch.pair(9, 8, device=torch.device("meta")).cos.device.type == "meta"
    if torch.cuda.is_available():
        steps = torch.rand(5, device="cuda")
        assert posenc.torch.table(positions=steps, d_model=8).device == steps.device


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_tables_are_not_copied(dtype):
    assert posenc.torch.table(3000, 512, dtype=dtype, impl="anchored").data_ptr() % (2 << 20) == 64


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
    x = torch.randn(5, 70, 48).bfloat16()
    x[0, 0, 0] = math.nan
    product = (x.float() * math.sqrt(48)).bfloat16()
    want = (product.float() + posenc.torch.table(70, 48, dtype=torch.bfloat16).float()).bfloat16()
    for out in (None, torch.zeros_like(x)):
        assert same(posenc.torch.add(x, math.sqrt(48), batch_first=True, out=out), want)


def test_gradients_are_refused():
    x = torch.randn(9, 8, requires_grad=True)
    for arguments in (dict(x=x), dict(x=x * 2), dict(x=x.detach(), out=x), dict(x=torch.nn.Parameter(x.detach()))):
        with pytest.raises(RuntimeError, match="requires a gradient, and posenc.torch.add has none; for training use"):
            posenc.torch.add(**arguments)
    for without in (torch.no_grad, torch.inference_mode):
        with without():
            y = posenc.torch.add(x, 2.0)
            assert not y.requires_grad and same(y, x * 2.0 + posenc.torch.table(9, 8))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(9, 8))
        with pytest.raises(RuntimeError, match="requires a gradient"):
            posenc.torch.add(dual)


def test_autograd_is_told_of_what_is_written():
    for write in (lambda y: posenc.torch.add(y, out=y), lambda y: posenc.torch.fill_at(y, torch.arange(9))):
        x, y = torch.randn(9, 8, requires_grad=True), torch.randn(9, 8)
        product = (x * y).sum()  # saves y
        write(y)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.backward()
    with torch.inference_mode():
        z = torch.randn(9, 8)
    before = z.clone()
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        posenc.torch.add(z, out=z)
    assert torch.equal(z, before)


def test_a_lazily_negated_view():
    x = torch.randn(9, 8, dtype=torch.complex64).conj().imag
    assert x.is_neg() and same(posenc.torch.add(x), x.clone() + posenc.torch.table(9, 8))
    with pytest.raises(ValueError, match="out is a lazy view"):
        posenc.torch.add(torch.zeros(9, 8), out=x)


# ---- refusals, and warnings


class Subclass(torch.Tensor):
    pass


X = torch.ones(4, 3, 8)
LEARNED = torch.ones(4, requires_grad=True)
CALLS = {
    "table": lambda **more: posenc.torch.table(**{"count": None if "positions" in more else 9, "d_model": 8, **more}),
    "pair": lambda **more: posenc.torch.pair(**{"count": None if "positions" in more else 9, "d_model": 8, **more}),
    "arrays": lambda **more: posenc.table(**{"d_model": 8, **more}),
    "steps": lambda **more: posenc.torch.timestep_embedding(**{"embedding_dim": 8, **more}),
    "Timesteps": lambda **more: posenc.torch.Timesteps(8, True, 0)(**more),
    "replace_rotary": lambda **more: posenc.torch.replace_rotary(**more),
    "audit": lambda **more: posenc.torch.audit(**more),
    "add": lambda **more: posenc.torch.add(**{"x": X, "batch_first": True, **more}),
}


@pytest.mark.parametrize(
    "call, arguments, error, text",
    [
        ("table", dict(dtype=torch.int32), TypeError, "dtype is torch.int32; allowed: 'float32', 'float64', "),
        ("pair", dict(dtype="f32"), TypeError, "dtype is 'f32'"),
        ("table", dict(positions=X[0, 0].bool()), TypeError, "positions have dtype torch.bool; allowed: integers and"),
        ("table", dict(positions=torch.tensor(5)), TypeError, "(5), without axes; write count="),
        ("arrays", dict(positions=torch.tensor(5)), TypeError, "positions is tensor(5), without axes"),
        ("steps", dict(timesteps=X[0, 0, 0]), TypeError, "timesteps is a single number; write timesteps[None]"),
        ("steps", dict(timesteps=LEARNED[0]), TypeError, "timesteps is a single number; write timesteps[None]"),
        ("Timesteps", dict(timesteps=[3.0]), TypeError, "timesteps is of type list; allowed: a PyTorch Tensor"),
        ("replace_rotary", dict(model="x"), TypeError, "model is of type str; allowed: a PyTorch Module"),
        ("audit", dict(model="x"), TypeError, "model is of type str; allowed: a PyTorch Module"),
        ("table", dict(positions=torch.tensor([0.0, math.nan])), ValueError, "positions[1] is"),
        ("table", dict(positions=LEARNED), RuntimeError, "positions requires a gradient, and a table has none"),
        ("pair", dict(freqs=LEARNED), RuntimeError, "freqs requires a gradient"),
        ("table", dict(shift=1), TypeError, "shift"),
        ("add", dict(batch_first=None), TypeError, "batch_first is None; with three axes it must be True"),
        ("add", dict(x=X.numpy()), TypeError, "x is of type ndarray; allowed: torch.Tensor"),
        ("add", dict(x=X.as_subclass(Subclass)), TypeError, "x is of type Subclass"),
        ("add", dict(x=X.to("meta")), ValueError, "x is on meta"),
        ("add", dict(x=X[0].to_sparse()), ValueError, "layout torch.sparse_coo"),
        ("add", dict(x=X.double()), TypeError, "x has dtype torch.float64; allowed: torch.float32 and torch.bfloat16"),
        ("add", dict(out=X.bfloat16()), TypeError, "out has dtype torch.bfloat16; allowed: that of x, torch.float32"),
        ("add", dict(out=X[:2].clone()), ValueError, "out has shape (2, 3, 8); allowed: that of x, (4, 3, 8)"),
        ("add", dict(out=torch.ones(8).expand(4, 3, 8)), ValueError, "out has strides"),
        ("add", dict(dtype=torch.float32), TypeError, "dtype"),
    ],
)
def test_refused(call, arguments, error, text):
    if call == "add":
        arguments = {"out": torch.full((4, 3, 8), 7.0), **arguments}
        before = arguments["out"].clone()
    with pytest.raises(error, match=re.escape(text)):
        CALLS[call](**arguments)
    assert call != "add" or torch.equal(arguments["out"], before) and bool((X == 1).all())


AT = torch.arange(4.0).bfloat16()


@pytest.mark.parametrize(
    "call, times",
    [
        (lambda: posenc.torch.table(positions=AT, d_model=8), 2),
        (lambda: posenc.torch.timestep_embedding(AT, 8), 2),
        (lambda: posenc.torch.timestep_embedding(AT + LEARNED.bfloat16(), 8), 2),
        (lambda: posenc.torch.Timesteps(8, True, 0)(AT), 1),
        (lambda: posenc.torch.SinusoidalPositionalEncoding(8)(X, positions=AT), 1),
    ],
)
def test_positions_in_16_bits(call, times, monkeypatch):
    """Modules warn once in a process. Functions leave it to Python's filters, which show each place once."""
    monkeypatch.setattr(posenc.torch._tensors, "_modules_that_warned", [])
    with pytest.warns(UserWarning, match="s have dtype bfloat16, which rounds integers above 256") as told:
        call(), call()
    assert [(each.filename, each.lineno) for each in told] == times * [(__file__, call.__code__.co_firstlineno)]
