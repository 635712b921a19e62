"""posenc.torch.table and pair have the bits of the arrays."""

import contextlib
import math
import re

import numpy as np
import pytest
import torch
from patched import zero_init

import posenc
import posenc.torch as P
from posenc.torch import _diffusers, _formula

DTYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16, "float16": torch.float16}


def same(a, b):
    """Whether all bits are equal."""
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    return a.dtype == b.dtype and torch.equal(a.contiguous().view(bits), b.contiguous().view(bits))


def tensor(array):
    """Returns an array of posenc as a tensor; uint16 means bfloat16."""
    return (
        torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        if array.dtype == np.uint16
        else torch.from_numpy(array)
    )


def parts(made):
    """The result of a function as real arrays or tensors."""
    if isinstance(made, posenc.Pair):
        return [*made]
    return [made.real, made.imag] if "complex" in str(made.dtype) else [made]


def as_arrays(argument):
    if isinstance(argument, tuple):
        return tuple(as_arrays(each) for each in argument)
    if isinstance(argument, torch.Tensor):
        return (argument.double() if argument.is_floating_point() else argument).numpy()
    return argument


STEPS, FAR, W = torch.tensor([[999, 0.5, 3]]), torch.tensor([2**31, 5]), torch.tensor([1.0, 0.1, 0.01])
TABLES = [
    dict(count=90, d_model=34),
    dict(count=9, d_model=34, preset="whisper", base=500.0, first=7),
    dict(positions=FAR, d_model=4, freqs=[1.0, 0.1], freqs_low=[5e-17, 6e-18]),
    dict(positions=STEPS, d_model=6, freqs=W, position_scale=-2.0),
    dict(positions=[3, 1], d_model=6, freqs=W.bfloat16()),
]
CASES = [
    *((function, arguments) for function in ("table", "pair", "cis") for arguments in TABLES),
    ("table", dict(count=9, d_model=7, layout="split", order="cos_first", odd="zero", impl="anchored")),
    ("pair", dict(count=9, d_model=8, duplicated="pairs")),
    ("grid", dict(shape=(2, 3), d_model=(4, 8))),
    ("grid", dict(positions=(FAR, STEPS[0]), d_model=8, axes=(1, 0), class_tokens=1, layout="split")),
    ("timestep_embedding", dict(timesteps=STEPS, embedding_dim=9, flip_sin_to_cos=True, scale=2.0, max_period=500)),
]


@pytest.mark.parametrize(
    "function, arguments, name",
    [(*case, name) for case in CASES for name in DTYPES if case[0] != "cis" or name in ("float32", "float64")],
)
def test_they_are_the_arrays(function, arguments, name):
    """With a dtype of PyTorch, its name, the default, and `out`, beside whose rows nothing is written."""
    ours, dtype = getattr(P, function), DTYPES[name]
    arrays = {key: as_arrays(value) for key, value in arguments.items()}
    want = [tensor(part) for part in parts(getattr(posenc, function)(**arrays, dtype=name))]
    n, kind = want[0].shape[-1], dtype
    if function == "cis":
        kind = torch.complex64 if name == "float32" else torch.complex128
    wide = torch.full((*want[0].shape[:-1], 80), 7.0, dtype=kind)
    out = wide[..., 1 : n + 1] if function != "pair" else posenc.Pair(wide[..., 1 : n + 1], wide[..., 41 : n + 41])
    for more in (dict(dtype=dtype), dict(dtype=name), dict(out=out), *([{}] if name == "float32" else [])):
        made = ours(**arguments, **more)
        assert len(parts(made)) == len(want) and all(same(a, b) for a, b in zip(parts(made), want))
        assert made is out or "out" not in more
    assert bool((wide[..., [0, 40, 79]] == 7).all())


UNSIGNED = [getattr(torch, name) for name in ("uint16", "uint32", "uint64") if hasattr(torch, name)]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, *UNSIGNED]


@pytest.mark.filterwarnings("ignore:positions have dtype")
@pytest.mark.parametrize("kind", [*DTYPES.values(), *INTEGERS])
def test_positions(kind):
    at = (torch.rand(4, 4, generator=torch.Generator().manual_seed(1)) * 99).to(kind)
    want = torch.from_numpy(posenc.table(positions=at.double().numpy(), d_model=320, preset="guided_diffusion"))
    assert same(P.table(positions=at, d_model=320, preset="guided_diffusion"), want)
    assert same(P.table(positions=at[0].tolist(), d_model=320, preset="guided_diffusion"), want[0])


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_in_modules(kind):
    at, x = torch.tensor([[3, 1, 90]]), torch.zeros(1, 3, 8)
    encode = P.SinusoidalPositionalEncoding(8, dropout=0.0, max_len=50, batch_first=True)
    assert same(encode(x, positions=at.to(kind)), encode(x, positions=at))
    assert same(encode(x, start=at[0, 0].to(kind)), encode(x, start=3))
    assert same(P.Timesteps(8, True, 0)(at.to(kind)), P.Timesteps(8, True, 0)(at))
    for more in ({}, dict(scaling=dict(rope_type="dynamic", factor=2.0), max_position_embeddings=16)):
        turn = P.RotaryEmbedding(8, **more)
        assert all(same(a, b) for a, b in zip(turn(x, at.to(kind)), turn(x, at)))


@pytest.mark.skipif(torch.uint8 is INTEGERS[-1], reason="there is torch.uint64 since PyTorch 2.3")
def test_integers_that_int64_lacks():
    at = torch.from_numpy(np.array([[5, 2**64 - 5]], np.uint64))  # as int64, the second is -5
    with pytest.raises(ValueError, match="positions go up to 18446744073709551611; allowed"):
        P.table(positions=at, d_model=8)
    cos, _ = P.RotaryEmbedding(8)(torch.zeros(1, 2, 8), at)
    assert cos.isnan().any(-1).tolist() == [[False, True]]


def test_unaligned_positions_are_for_c_too(monkeypatch):
    monkeypatch.setattr(P._rows, "_by_formula", None)
    turn, x = P.RotaryEmbedding(8), torch.zeros(1, 9, 8)
    for kind in (torch.int64, torch.float64):
        at = torch.frombuffer(bytearray(8 * 9 + 1), dtype=kind, offset=1)
        at.copy_(torch.arange(9))
        assert all(same(a, b) for a, b in zip(turn(x, at[None]), turn(x, torch.arange(9)[None])))
        assert same(P.table(positions=at, d_model=8), P.table(9, 8))


@pytest.mark.parametrize("d_model", [1, 6, 7])
@pytest.mark.parametrize("odd", ["half_pair", "zero"])
@pytest.mark.parametrize("order", ["sin_first", "cos_first"])
@pytest.mark.parametrize("layout", ["interleaved", "split"])
def test_columns_by_the_formula(layout, order, odd, d_model):
    """A gradient is wanted, so PyTorch computes the rows."""
    at, spec = torch.arange(9.0), {"d_model": d_model, "layout": layout, "order": order, "odd": odd}
    made = P.table(positions=at.requires_grad_(), **spec)
    want = torch.from_numpy(posenc.table(positions=np.arange(9.0), **spec))
    assert made.requires_grad and made.shape == want.shape
    assert (made - want).abs().max() < 2.0**-23


AT = torch.tensor([[0, 5, 99999]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: P.table(90, 34),
        lambda: P.timestep_embedding(AT.double().requires_grad_(), 34).detach(),
        lambda: P.SinusoidalPositionalEncoding(34, 0, 3)(torch.linspace(0, 1, 170).reshape(5, 34)),
        lambda: P.SinusoidalPositionalEncoding(34, 0, 3).to("meta").to_empty(device="cpu").pe[:, 0],
    ],
)
def test_the_values_do_not_depend_on_what_zero_init_replaces(call):
    _formula._kept.clear()
    with zero_init(torch.bfloat16):
        inside = call()
    _formula._kept.clear()
    assert same(inside, call())


def test_devices():
    assert P.table(9, 8, device="meta").device.type == "meta"
    assert P.pair(9, 8, device=torch.device("meta")).cos.device.type == "meta"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_tables_are_not_copied(dtype):
    assert P.table(3000, 512, dtype=dtype, impl="anchored").data_ptr() % (2 << 20) == 64


def test_arguments_of_other_types():
    """A number of NumPy where the formula computes, and a Parameter as a module's frequencies."""
    at = torch.arange(9.0)
    made = P.table(positions=at.clone().requires_grad_(), d_model=6, position_scale=np.float32(-2))
    assert same(made.detach(), P.table(positions=at, d_model=6, position_scale=-2.0))
    a, b = (P.SinusoidalPositionalEncoding(6, freqs=freqs) for freqs in (torch.nn.Parameter(W), W))
    assert same(a.pe, b.pe)


# ---- gradients


def test_gradients_are_refused():
    x = torch.randn(9, 8, requires_grad=True)
    for out in (x, x * 2, torch.nn.Parameter(x.detach())):
        with pytest.raises(RuntimeError, match="out requires a gradient, and would get none; call .detach"):
            P.table(9, 8, out=out)
    for without in (torch.no_grad, torch.inference_mode):
        with without():
            assert same(P.table(9, 8, out=x), P.table(9, 8))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(9, 8))
        with pytest.raises(RuntimeError, match="requires a gradient"):
            P.table(9, 8, out=dual)


def test_autograd_is_told_of_what_is_written():
    for rows in (dict(count=9), dict(positions=torch.arange(9))):
        x, y = torch.randn(9, 8, requires_grad=True), torch.randn(9, 8)
        product = (x * y).sum()  # saves y
        P.table(d_model=8, out=y, **rows)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.backward()
    with torch.inference_mode():
        z = torch.randn(9, 8)
    before = z.clone()
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        P.table(9, 8, out=z)
    assert torch.equal(z, before)


# ---- refusals, and warnings


class Subclass(torch.Tensor):
    pass


OUT, X = torch.full((9, 8), 7.0), torch.ones(4, 3, 8)
W53 = torch.tensor([2**53 + 1, 1, 1, 1])
LEARNED = torch.ones(4, requires_grad=True)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: P.table(9, 8, dtype=torch.int32), TypeError, "dtype is torch.int32; allowed: 'float32', 'float64', "),
        (lambda: P.table(positions=OUT[0].bool()), TypeError, "positions have dtype torch.bool; allowed: integers and"),
        (lambda: P.table(positions=torch.tensor(5)), TypeError, "(5), a single value; write positions="),
        (lambda: P.table(positions=torch.tensor([0.0, math.nan])), ValueError, "positions[1] is"),
        (lambda: P.table(positions=LEARNED, impl="exact"), TypeError, "impl is given; allowed: None, except in eager"),
        (lambda: P.table(9, 8, freqs=W53), ValueError, "freqs[0] is 9007199254740993; allowed"),
        (lambda: P.pair(9, 8, freqs=LEARNED), RuntimeError, "freqs requires a gradient"),
        (lambda: P.timestep_embedding(LEARNED[0], 8), TypeError, "timesteps is a single number; write timesteps[None]"),
        (lambda: P.Timesteps(8, True, 0)([3.0]), TypeError, "timesteps is of type list; allowed: a PyTorch Tensor"),
        (lambda: P.replace_rotary("x"), TypeError, "model is of type str; allowed: a PyTorch Module"),
        (lambda: P.audit("x"), TypeError, "model is of type str; allowed: a PyTorch Module"),
        (lambda: P.table(9, 8, out=OUT.numpy()), TypeError, "out is of type ndarray; allowed: a PyTorch Tensor"),
        (lambda: P.table(9, 8, out=OUT.as_subclass(Subclass)), TypeError, "out is of type Subclass"),
        (lambda: P.table(9, 8, out=OUT.to("meta")), ValueError, "out is on meta; allowed: cpu"),
        (lambda: P.table(9, 8, out=(OUT * 1j).conj().imag), ValueError, "out is a lazy view"),
    ],
)
def test_refused(call, error, text):
    with pytest.raises(error, match=re.escape(text)):
        call()
    assert bool((OUT == 7).all())


NOT_DENSE = {
    "nested": lambda t: torch.nested.nested_tensor([t[:4], t]),
    "sparse_coo": lambda t: t.to_sparse(),
    "sparse_csr": lambda t: t.to_sparse_csr(),
    "quantized": lambda t: torch.quantize_per_tensor(t, 0.1, 0, torch.quint8),
}
if hasattr(torch, "jagged"):
    NOT_DENSE["nested, jagged"] = lambda t: torch.nested.nested_tensor([t[:4], t], layout=torch.jagged)
Encoding, ROTARY = P.SinusoidalPositionalEncoding, P.RotaryEmbedding(8)
TAKES_A_TENSOR = [
    ("positions", lambda t: P.table(positions=t, d_model=8)),
    ("freqs", lambda t: P.table(9, 16, freqs=t)),
    ("out", lambda t: P.table(9, 8, out=t)),
    ("out.cos", lambda t: P.pair(9, 16, out=posenc.Pair(t, t))),
    ("out", lambda t: P.cis(9, 16, out=t)),
    ("positions", lambda t: P.grid(positions=(LEARNED, t), d_model=8)),
    ("timesteps", lambda t: P.timestep_embedding(t, 8)),
    ("timesteps", lambda t: P.Timesteps(8, True, 0)(t)),
    ("x", lambda t: Encoding(8)(t)),
    ("positions", lambda t: Encoding(8)(OUT, positions=t)),
    ("start", lambda t: Encoding(8)(OUT, start=t)),
    ("freqs", lambda t: Encoding(16, freqs=t)),
    ("pe", lambda t: setattr(Encoding(8), "pe", t)),
    ("x", lambda t: ROTARY(t, OUT)),
    ("position_ids", lambda t: ROTARY(OUT, t)),
    ("ids", lambda t: _diffusers.FluxPosEmbed(10000.0, [4, 4])(t)),
    ("hidden_states", lambda t: _diffusers.WanRotaryPosEmbed(16, (1, 1, 1), 64)(t)),
]


@pytest.mark.parametrize("kind", NOT_DENSE)
@pytest.mark.parametrize("name, call", TAKES_A_TENSOR)
def test_only_dense_tensors_are_allowed(name, call, kind):
    text = f"^{name} is a {kind.split(',')[0]} tensor; allowed: a dense tensor$"
    for level in (contextlib.nullcontext, torch.autograd.forward_ad.dual_level):
        with level(), pytest.raises(TypeError, match=text):
            call(NOT_DENSE[kind](torch.ones(9, 8)))


IN_16_BITS = torch.arange(4.0).bfloat16()


@pytest.mark.parametrize(
    "call, times",
    [
        (lambda: P.table(positions=IN_16_BITS, d_model=8), 2),
        (lambda: P.timestep_embedding(IN_16_BITS, 8), 2),
        (lambda: P.timestep_embedding(IN_16_BITS + LEARNED.bfloat16(), 8), 2),
        (lambda: (P.Timesteps(8, True, 0)(IN_16_BITS), ROTARY(X, IN_16_BITS)), 1),
        (lambda: P.SinusoidalPositionalEncoding(8)(X, positions=IN_16_BITS), 1),
    ],
)
def test_positions_in_16_bits(call, times, monkeypatch):
    """Modules warn once in a process. Functions leave it to Python's filters, which show each place once."""
    monkeypatch.setattr(P._tensors, "_modules_that_warned", [])
    with pytest.warns(UserWarning, match="s have dtype bfloat16, which rounds integers above 256") as announced:
        call(), call()
    assert [(each.filename, each.lineno) for each in announced] == times * [(__file__, call.__code__.co_firstlineno)]
