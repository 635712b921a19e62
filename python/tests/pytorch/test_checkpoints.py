"""posenc.torch.SinusoidalPositionalEncoding: its own checkpoints, and those of other classes."""

import pytest
import torch
from torch import nn
from tutorial import Annotated, Tutorial

from posenc.torch import SinusoidalPositionalEncoding as Encoding
from posenc.torch import table as rows


@pytest.mark.parametrize("shape", [(9, 16), (9, 1, 16), (1, 9, 16)])
@pytest.mark.parametrize("name", ["pe", "pos_embedding", "positional_encoding_matrix", "mine"])
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("max_len", [5, 9, 12])
def test_checkpoints(shape, name, persistent, batch_first, max_len):
    e = Encoding(16, 0, max_len, persistent=persistent, buffer_name="mine", batch_first=batch_first)
    values = torch.randn(9, 16)
    model = nn.ModuleDict({"encode": e, "linear": nn.Linear(2, 2)})
    state = {"linear." + key: value for key, value in nn.Linear(2, 2).state_dict().items()}
    state["encode." + name] = values.reshape(shape).clone()
    model.load_state_dict(state, strict=True)
    assert torch.equal(e.mine.squeeze(), values if persistent else rows(max_len, 16))
    assert e.mine.dtype == torch.float32 and e.mine.dim() == 3 and e.mine.shape[0 if batch_first else 1] == 1
    assert torch.equal(state["encode." + name], values.reshape(shape))
    e.mine.fill_(1)
    assert torch.equal(state["encode." + name], values.reshape(shape))
    if persistent:  # loaded rows stay, and later rows are computed
        model.load_state_dict(state, strict=True)
        y = e(torch.zeros(12, 16))
        assert torch.equal(y[:9], values) and torch.equal(y[9:], rows(12, 16)[9:])
        model.load_state_dict(model.state_dict(), strict=True)


ZEROS = torch.zeros(9, 16)


@pytest.mark.parametrize(
    "value", [ZEROS[:, 1:], torch.zeros(9, 2, 16), ZEROS[0], ZEROS.int(), ZEROS * 1j, ZEROS.to_sparse(), 3]
)
@pytest.mark.parametrize("persistent", [False, True])
def test_checkpoints_that_do_not_fit(value, persistent):
    e = Encoding(16, persistent=persistent)
    with pytest.raises(RuntimeError, match="pe has shape .*expected|pe is .*; allowed: a (dense t|PyTorch T)ensor"):
        e.load_state_dict({"pe": value})
    assert torch.equal(e.pe[:, 0], rows(5000, 16))


def test_missing_and_unexpected_keys():
    with pytest.raises(RuntimeError, match='Missing key.*"pe"'):
        Encoding(16).load_state_dict({})
    with pytest.raises(RuntimeError, match='Unexpected key.*"other"'):
        Encoding(16).load_state_dict({"pe": ZEROS, "other": torch.zeros(1)})
    Encoding(16, persistent=False).load_state_dict({})
    Encoding(16).load_state_dict({"other": torch.zeros(1)}, strict=False)
    lists = dict(missing_keys=[], unexpected_keys=[], error_msgs=[])  # by name, as direct callers may do
    Encoding(16)._load_from_state_dict(state_dict={"pe": ZEROS}, prefix="", local_metadata={}, strict=True, **lists)
    assert not any(lists.values())


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_checkpoints_of_other_dtypes(dtype):
    e, other, values = Encoding(16, 0, 9, dtype=dtype), Encoding(16, 0, 9), torch.randn(9, 1, 16)
    assert e.state_dict()["pe"].dtype == dtype
    e.load_state_dict({"pe": values})
    assert e.pe.dtype == dtype and torch.equal(e.pe, values.to(dtype))
    other.load_state_dict(e.state_dict())
    assert other.pe.dtype == torch.float32 and torch.equal(other.pe, e.pe.float())


@pytest.mark.parametrize("batch_first, theirs", [(False, Tutorial(16, 0, 30)), (True, Annotated(16, 0, 30))])
def test_checkpoints_of_the_class_that_is_replaced(batch_first, theirs):
    """Checkpoints load strictly in both directions. The buffer stays the same tensor, as PyTorch's do."""
    ours = Encoding(16, max_len=30, batch_first=batch_first)
    exact = ours.state_dict()["pe"].clone()
    place = ours.pe.data_ptr()
    assert exact.shape == theirs.pe.shape
    ours.load_state_dict(theirs.state_dict(), strict=True)
    assert torch.equal(ours.pe, theirs.pe) and not torch.equal(ours.pe, exact) and ours.pe.data_ptr() == place
    ours.reset_buffers()
    theirs.load_state_dict(ours.state_dict(), strict=True)
    assert torch.equal(theirs.pe, exact) and torch.equal(exact.squeeze(), rows(30, 16))


def test_rows_by_which_a_call_made_the_table_grow_are_not_saved():
    e = Encoding(16, 0, max_len=30)
    e(torch.zeros(40, 1, 16))
    assert e.state_dict()["pe"].shape == (30, 1, 16)
    Tutorial(16, max_len=30).load_state_dict(e.state_dict(), strict=True)
    for n in (50, 5):  # a smaller number changes nothing
        e.reserve(n)
        assert torch.equal(e.state_dict()["pe"][:, 0], rows(50, 16))
    e.load_state_dict(Tutorial(16, max_len=9).state_dict())
    e(torch.zeros(40, 1, 16))
    assert e.state_dict()["pe"].shape == (9, 1, 16)


def test_a_subclass_with_a_table_of_its_own():
    class Two(Encoding):
        def __init__(self):
            super().__init__(16, max_len=9, buffer_name="table")
            self.pe = nn.Parameter(torch.randn(3))

    one, other = Two(), Two()
    other.load_state_dict(one.state_dict(), strict=True)
    assert torch.equal(one.pe, other.pe)
