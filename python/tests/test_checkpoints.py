"""posenc.torch.SinusoidalPositionalEncoding: checkpoints, its own and those of others."""

import pytest
import torch
from torch import nn
from tutorial import Tutorial, rows

from posenc.torch import SinusoidalPositionalEncoding as Encoding


@pytest.mark.parametrize("persistent", [False, True])
def test_a_subclass_loads_its_own(persistent):
    class Scaled(Encoding):
        def __init__(self):
            super().__init__(16, max_len=9, dropout=0, persistent=persistent)
            self.alpha = nn.Parameter(torch.randn(1))
            self.inner = nn.Linear(2, 2)

        def get_extra_state(self):
            return {"seen": 3}

        def set_extra_state(self, state):
            self.seen = state["seen"]

    one, other = nn.ModuleList([Scaled()]), nn.ModuleList([Scaled()])
    called = []
    other[0]._register_load_state_dict_pre_hook(lambda *arguments: called.append(1))
    other.load_state_dict(one.state_dict(), strict=True)
    assert torch.equal(one[0].alpha, other[0].alpha) and torch.equal(one[0].inner.weight, other[0].inner.weight)
    assert other[0].seen == 3 and called
    assert torch.equal(other[0].pe, rows(9, 16))


SHAPES = [(9, 16), (9, 1, 16), (1, 9, 16)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["pe", "positional_encoding_matrix", "mine"])
@pytest.mark.parametrize("persistent", [False, True])
def test_checkpoints(shape, name, persistent):
    e = Encoding(16, max_len=9, dropout=0, persistent=persistent, buffer_name="mine")
    values = torch.randn(9, 16)
    model = nn.ModuleDict({"encode": e, "linear": nn.Linear(2, 2)})
    state = {"linear." + key: value for key, value in nn.Linear(2, 2).state_dict().items()}
    state["encode." + name] = values.reshape(shape)
    model.load_state_dict(state, strict=True)
    assert torch.equal(e.mine, values if persistent else rows(9, 16))
    assert e.mine.dtype == torch.float32 and e.mine.shape == (9, 16)
    assert torch.equal(state["encode." + name], values.reshape(shape))
    if persistent:  # later rows are computed, those that were loaded stay
        y = e(torch.zeros(12, 1, 16))
        assert torch.equal(y[:9, 0], values) and torch.equal(y[9:, 0], rows(12, 16)[9:])
        model.load_state_dict(model.state_dict(), strict=True)


def test_checkpoints_that_do_not_fit():
    e = Encoding(16, persistent=True)
    for value in [torch.zeros(9, 15), torch.zeros(9, 2, 16), torch.zeros(16), torch.zeros(9, 16).int(), torch.zeros(9, 16) * 1j]:
        with pytest.raises(RuntimeError, match="pe has shape .*expected"):
            e.load_state_dict({"pe": value})
    assert torch.equal(e.pe, rows(5000, 16))
    with pytest.raises(RuntimeError, match='Missing key.*"pe"'):
        e.load_state_dict({})
    with pytest.raises(RuntimeError, match='Unexpected key.*"other"'):
        e.load_state_dict({"pe": torch.zeros(9, 16), "other": torch.zeros(1)})
    with pytest.raises(RuntimeError, match="pe has shape"):
        Encoding(16).load_state_dict({"pe": torch.zeros(9, 15)})
    Encoding(16).load_state_dict({})
    Encoding(16, persistent=True).load_state_dict({"other": torch.zeros(1)}, strict=False)


def test_the_tutorials_checkpoint():
    theirs = nn.Sequential(Tutorial(16, max_len=30), nn.Linear(16, 4))
    ours = nn.Sequential(Encoding(16, max_len=30), nn.Linear(16, 4))
    ours.load_state_dict(theirs.state_dict(), strict=True)
    assert torch.equal(ours[0].pe, rows(30, 16)) and torch.equal(ours[1].weight, theirs[1].weight)
