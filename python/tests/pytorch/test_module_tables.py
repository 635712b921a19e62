"""posenc.torch.SinusoidalPositionalEncoding: its table, the rows that a call adds, and what it refuses."""

import copy
import pytest
import torch
from torch import nn
from versions import has_assign

import posenc.torch
from posenc.torch import SinusoidalPositionalEncoding as Encoding

rows = posenc.torch.table
W = [1.0, 0.1, 0.01, 1 / 3]
X = torch.randn(6, 3, 8)


@pytest.mark.parametrize(
    "spec",
    [
        dict(preset="guided_diffusion", base=77.0),
        dict(layout="split", order="cos_first", denominator=3.0, d_model=7, odd="zero"),
        dict(freqs=torch.tensor(W, dtype=torch.float64), freqs_low=[1e-19] * 4, position_scale=0.5),
    ],
)
def test_tables(spec):
    spec = {"d_model": 8, **spec}
    e, x = Encoding(dropout=0, max_len=5, batch_first=False, **spec), X[..., : spec["d_model"]]
    assert torch.equal(e.pe[:, 0], rows(5, **spec))
    assert torch.equal(e(x, start=2), x + rows(8, **spec)[2:, None])  # it grew
    at = torch.tensor([-1.0, 0.5, 3, 4, 5, 6])
    assert torch.equal(e(x, positions=at), x + rows(positions=at, **spec)[:, None])
    other = copy.deepcopy(e).bfloat16()
    assert torch.equal(other.pe[:, 0], rows(len(e.pe), dtype=torch.bfloat16, **spec))
    e.pe.fill_(7)
    e.reset_buffers()
    assert torch.equal(e.pe, rows(len(e.pe), **spec)[:, None])


@pytest.mark.parametrize("d", [1, 7, 8])
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("first, padding", [(0, None), (-2, None), (2**30, None), (0, 1), (1, 1), (-3, 1)])
def test_rows_of_calls(first, padding, batch_first, d):
    """Wherever the table begins, each embedding gets the row of its position; the row of the padding is zeros."""
    e = Encoding(d, 0, 4, first=first, padding_idx=padding, batch_first=batch_first)
    begin, x = first if padding is None else padding + 1, X[..., :d]

    def along(values):
        return values.transpose(0, 1) if batch_first else values

    def check(at, x=x, **arguments):
        table = rows(positions=at, d_model=d)
        table[at == padding] = 0
        assert torch.equal(e(along(x), **arguments), along(x + table))

    steps = torch.arange(6)[:, None]
    check(begin + steps)  # it grows
    for start in (begin + 3, begin + 1, first):
        check(start + steps, start=start)
        check(start + steps, start=torch.tensor(start))
        check(start + steps[:2], x[:2], start=start)
    for at in (begin + steps * 5 % 7, first + torch.randint(0, 40, (6, 3)), first + torch.tensor([[1, 0, 2]])):
        for positions in (at, at.int(), at.double(), at - 0.25, at - 50):
            check(positions, positions=along(positions))
    assert torch.equal(e(along(x), begin + 2), e(along(x), start=begin + 2))
    assert torch.equal(e(x[:, 0]), along(e(along(x)))[:, 0]) and torch.equal(e(x[:0]), x[:0])  # without a batch
    assert torch.equal(e(along(x), positions=steps[:, 0] + begin), e(along(x)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_positions_beyond_the_table(dtype):
    """Their rows are computed for the call, and get gradients."""
    e, x = Encoding(8, 0, 10, dtype=dtype), X.to(dtype)
    for at in (torch.rand(6, 1) * 99 - 50, torch.rand(6, 3, dtype=torch.float64) * 1e6):
        assert torch.equal(e(x, positions=at), x + rows(positions=at, d_model=8, dtype=dtype))
    assert len(e.pe) == 10
    learned = torch.ones(6, requires_grad=True)
    e(x, positions=learned).sum().backward()
    assert learned.grad.abs().min() > 0.1


ANY = torch.zeros(5, 3, 8)


@pytest.mark.parametrize(
    "arguments, call, error, text",
    [
        (dict(max_len=-1), {}, ValueError, "max_len is -1"),
        (dict(dropout=10), {}, ValueError, "^dropout is 10; allowed: .* For a table of 10 positions write max_len=10$"),
        (dict(dropout="0.1"), {}, TypeError, "^dropout is '0.1'; allowed: a probability from 0 to 1$"),
        (dict(first=2**32 + 1), {}, ValueError, "first is 4294967297"),
        (dict(padding_idx=1, first=5), {}, ValueError, r"first is 5; allowed: at most padding_idx \+ 1 = 2"),
        (dict(batch_first=1), {}, TypeError, "batch_first is 1; allowed: True, False or None"),
        (dict(scale=float("nan")), {}, ValueError, "scale is nan"),
        (dict(buffer_name="dropout"), {}, TypeError, "dropout is the table's buffer, not a Dropout; use another"),
        (dict(buffer_name="alpha", learned_scale=True), {}, TypeError, "alpha is the table's buffer, not a Parameter"),
        ({}, dict(x=ANY[:, :, :7]), ValueError, r"\(5, 3, 7\); expected \(sequence, batch, d_model\).*d_model = 8"),
        (dict(batch_first=True), dict(x=ANY[0, 0]), ValueError, r"\(8,\); expected \(batch, sequence, d_model\)"),
        ({}, dict(x=ANY.long()), TypeError, "int64"),
        ({}, dict(x=ANY.numpy()), TypeError, "x is of type ndarray; allowed: a PyTorch Tensor"),
        (dict(first=-2), dict(start=-3), ValueError, "start is -3; allowed: -2 or more"),
        ({}, dict(start=3000000), ValueError, r"start is 3000000, far beyond the table's 5000 .*reserve\(n\)"),
        ({}, dict(start=2.7), TypeError, "start is 2.7; allowed: an integer"),
        ({}, dict(start=torch.tensor(2.0)), TypeError, r"dtype torch.float32 and shape \(\); allowed: one integer"),
        ({}, dict(start=torch.arange(5) > 2), TypeError, "start has dtype torch.bool and shape .*positions="),
        ({}, dict(start=torch.arange(3)), TypeError, r"dtype torch.int64 and shape \(3,\).* write positions="),
        ({}, dict(positions=torch.arange(4)), ValueError, r"\(4,\); expected \(5,\), or \(5, 3\)"),
        ({}, dict(positions=torch.zeros(5, 2, dtype=int)), ValueError, "positions have shape"),
        ({}, dict(positions=torch.arange(5) + 2**31), ValueError, r"up to 2147483652.*reserve\(n\)"),
        ({}, dict(positions=[0, 1, 2, 3, 4]), TypeError, "positions is of type list; allowed: a PyTorch"),
        ({}, dict(positions=torch.arange(5) > 2), TypeError, "positions have dtype torch.bool"),
        ({}, dict(positions=torch.arange(5), start=2), ValueError, "2; allowed: None, since positions are given"),
    ],
)
def test_refused(arguments, call, error, text):
    with pytest.raises(error, match=text):
        Encoding(**{"d_model": 8, **arguments})(**{"x": ANY, **call})


def test_arguments_by_name_and_repr():
    with pytest.raises(TypeError, match="positional"):
        Encoding(6, 0.1, 10, True)
    text = repr(Encoding(16, scale=4.0, base=77.0, preset="rope", dtype=torch.float16))
    assert all(part in text for part in ("max_len=5000", "scale=4", "base=77", "preset=rope", "dtype=float16"))
    text = repr(Encoding(16, first=2, padding_idx=1, learned_scale=True, layout="split"))
    assert all(part in text for part in ("first=2", "padding_idx=1", "learned_scale=True", "layout=split"))
    assert not any(part in repr(Encoding(16)) for part in ("scale", "base", "preset", "dtype"))


def test_a_learned_scale():
    e = Encoding(8, 0, learned_scale=True, scale=2.0)
    assert torch.equal(e(X), 2 * X + rows(6, 8)[:, None]) and e.alpha.shape == (1,)
    nn.init.constant_(e.alpha, 0.25)
    assert torch.equal(e(X), 2 * X + rows(6, 8)[:, None] * 0.25) and e.half()(X.half()).dtype == torch.float16
    e.float()(X).sum().backward()
    assert torch.allclose(e.alpha.grad, 3 * rows(6, 8).sum())
    other = Encoding(8, learned_scale=True)
    other.load_state_dict(e.state_dict())
    assert other.alpha == 0.25 and not [*Encoding(8).parameters()]
    for assign in ({}, {"assign": True}) if has_assign else ({},):  # as saved by ESPnet
        other.load_state_dict({**e.state_dict(), "alpha": nn.Parameter(torch.tensor(0.5))}, **assign)
        assert other.alpha == 0.5 and other.alpha.shape == (1,) and other.alpha.is_leaf
    half = Encoding(8, 0, learned_scale=True, dtype=torch.float16)  # the scale does not change the dtype
    nn.init.constant_(half.alpha, 0.3)
    x, table = X.half(), rows(6, 8, dtype=torch.float16)[:, None]
    assert torch.equal(half(x), x + table * half.alpha.item())
    half.reset_parameters()
    assert half.alpha == 1


def test_fsdp_shards_a_learned_scale(tmp_path):
    try:
        from torch.distributed.fsdp import fully_shard
    except (ImportError, ValueError):  # PyTorch 1.13 raises a ValueError with Python 3.11
        pytest.skip(f"PyTorch {torch.__version__} has no fully_shard")
    torch.distributed.init_process_group("gloo", init_method=(tmp_path / "store").as_uri(), rank=0, world_size=1)
    try:
        e = fully_shard(Encoding(8, 0, learned_scale=True).to("meta")).to_empty(device="cpu")
        e.reset_parameters()
        assert torch.equal(e(X), X + rows(6, 8)[:, None])
    finally:
        torch.distributed.destroy_process_group()


# ---- which axis is the sequence


def test_a_batch_first_input_is_not_summed_over_the_batch():
    x = torch.zeros(64, 50, 8)
    text = r"\(64, 50, 8\), and the table 50 positions: give batch_first=True for .* or batch_first=False"
    e = Encoding(8, 0, max_len=50)
    with pytest.raises(ValueError, match=text):
        e(x)
    assert len(e.pe) == 50
    assert torch.equal(Encoding(8, 0, max_len=50, batch_first=True)(x)[63], rows(50, 8))
    assert torch.equal(Encoding(8, 0, max_len=50, batch_first=False)(x)[:, 49], rows(64, 8))
    for y in (x[:, 0], x[:, :1], torch.zeros(64, 65, 8)):  # no batch, a batch of one, and an input that does not fit
        assert len(Encoding(8, 0, max_len=50)(y)) == 64
    with pytest.raises(ValueError, match=r"expected \(64,\), or \(64, 50\), whose axes may be 1; batch_first is False"):
        e(x, positions=torch.arange(50))
