"""posenc.torch.SinusoidalPositionalEncoding: its table, its first position, and the positions of a call."""

import copy
import inspect

import pytest
import torch
from torch import nn

import posenc.torch
from posenc.torch import SinusoidalPositionalEncoding as Encoding

rows = posenc.torch.table
W = [1.0, 0.1, 0.01, 1 / 3]
X = torch.randn(6, 3, 8)
has_assign = "assign" in inspect.signature(nn.Module.load_state_dict).parameters  # since PyTorch 2.1


def test_embeddings_begin_in_the_table():
    with pytest.raises(ValueError, match=r"first is 5; allowed: at most padding_idx \+ 1 = 2"):
        Encoding(8, padding_idx=1, first=5)


@pytest.mark.parametrize(
    "spec",
    [
        dict(layout="split", order="cos_first"),
        dict(denominator=3.0, base=500.0),
        dict(freqs=W, position_scale=0.5),
        dict(freqs=torch.tensor(W, dtype=torch.float64)),
        dict(preset="guided_diffusion", base=77.0),
    ],
)
def test_tables(spec):
    e = Encoding(8, 0, 5, batch_first=False, **spec)
    assert torch.equal(e(X), X + rows(6, 8, **spec)[:, None])  # it grew
    at = torch.tensor([-1.0, 0.5, 3, 4, 5, 6])
    assert torch.equal(e(X, positions=at), X + rows(positions=at, d_model=8, **spec)[:, None])
    other = copy.deepcopy(e).bfloat16()
    assert torch.equal(other.pe[:, 0], rows(len(e.pe), 8, dtype=torch.bfloat16, **spec))


def test_odd():
    assert torch.equal(Encoding(7, 0, odd="zero")(X[:, 0, :7]), X[:, 0, :7] + rows(6, 7, odd="zero"))


def test_the_first_position():
    e = Encoding(8, 0, 10, first=-2, batch_first=False)
    table = rows(40, 8, first=-2)
    assert torch.equal(e.pe[:, 0], table[:10]) and torch.equal(e(X), X + table[:6, None])
    assert torch.equal(e(X, start=3), X + table[5:11, None])  # it grew
    at = torch.tensor([-2, 0, 5, 6, 30, 37])
    assert torch.equal(e(X, positions=at), X + table[at + 2][:, None])
    far = Encoding(8, 0, 5, first=2**30, batch_first=False)
    assert torch.equal(far(X), X + rows(6, 8, first=2**30)[:, None])  # it grew
    with pytest.raises(ValueError, match="start is -3; allowed: -2 or more"):
        e(X, start=-3)
    with pytest.raises(ValueError, match="start is 0; allowed: 2 or more"):
        Encoding(8, first=2)(X, start=0)
    with pytest.raises(ValueError, match="first is 4294967297"):
        Encoding(8, first=2**32 + 1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_real_and_negative_positions(dtype):
    e, x = Encoding(8, 0, 10, dtype=dtype), X.to(dtype)
    for at in (
        torch.tensor([-3, 2, 5, 0, 0, 9]),
        torch.rand(6, 1) * 99 - 50,
        torch.rand(6, 3, dtype=torch.float64) * 1e6,
    ):
        want = rows(positions=at, d_model=8, dtype=dtype)
        assert torch.equal(e(x, positions=at), x + (want[:, None] if at.dim() == 1 else want))
    assert len(e.pe) == 10
    learned = torch.ones(6, requires_grad=True)
    e(x, positions=learned).sum().backward()
    assert learned.grad.abs().min() > 0.1


@pytest.mark.parametrize("first", [0, 1, -3])
def test_rows_of_padding(first):
    e, table = Encoding(8, 0, 4, padding_idx=1, first=first, batch_first=False), rows(40, 8)
    table[1] = 0
    assert torch.equal(e(X), X + table[2:8, None])  # it grew
    e.half().float()
    at = torch.tensor([[2, 1, 1], [3, 2, 1], [4, 3, 2], [5, 4, 3], [6, 5, 4], [7, 6, 5]])
    for positions in (at, at.double()):
        assert torch.equal(e(X, positions=positions), X + table[at])
    e.reset_buffers()
    assert torch.equal(e(X, start=1), X + table[1:7, None])


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


@pytest.mark.parametrize("kind", [int, torch.tensor])
def test_pieces(kind):
    e, x = Encoding(8, 0, 40), torch.randn(30, 3, 8)
    pieces = [e(x[i : i + 7], start=kind(i)) for i in range(0, 30, 7)]
    assert torch.equal(torch.cat(pieces), e(x))
