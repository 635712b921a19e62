"""posenc.torch.SinusoidalPositionalEncoding: which tables are used unchanged, and which are computed again."""

import pickle
import unittest.mock
import warnings

import pytest
import torch
from torch import nn
from versions import has_assign

import posenc.torch
from posenc.torch import SinusoidalPositionalEncoding as Encoding

EXACT = posenc.torch.table(30, 16)[:, None]
NEAR = EXACT.bfloat16().float()  # within 2^-8, as a table from training in bfloat16
ONE_ROW = torch.cat((EXACT[:29], EXACT[29:] + 0.1))  # is not near
OTHER = torch.randn(30, 1, 16, generator=torch.Generator().manual_seed(1))
X = torch.zeros(20, 2, 16)


def encoding(**more):
    return Encoding(16, 0, 30, **more)


def on_meta(**more):
    return encoding(**more).to("meta")


def marked(values):
    values._is_hf_initialized = True
    return values


def loaded(e, values):
    e.load_state_dict({"pe": values})
    return e


def assigned(e, values):
    e.pe = values
    return e


def swapped(e, values):
    """As accelerate's offload does."""
    e._buffers["pe"] = values
    return e


def emptied(e, values):
    """Calls to_empty, whose new memory has these values."""
    with unittest.mock.patch("torch.empty_like", lambda tensor, device: values.clone()):
        return e.to_empty(device="cpu")


def functional(e, values):
    assert torch.equal(torch.func.functional_call(e, {"pe": values}, (X,)), X + values[:20])
    return e


def failed(e):
    with pytest.raises(RuntimeError, match="has shape"):
        e.load_state_dict({"pe": torch.zeros(3, 5)})
    return e


def written(e):
    e(X)
    e.pe.copy_(OTHER)
    return e


def offloaded(e):
    values = e.pe.clone()
    swapped(e, values.to("meta"))
    return swapped(e, values)


def replicated(e, values):
    """As torch.nn.parallel.replicate makes a copy for another device."""
    replica = e._replicate_for_data_parallel()
    replica.pe = values
    return replica


# For each row of the table in _encoding.py: the event, and the table that is used.
EVENTS = {
    "made": (encoding, EXACT),
    "reset_buffers": (lambda: (e := loaded(encoding(), OTHER), e.reset_buffers())[0], EXACT),
    "reset_parameters": (lambda: (e := loaded(encoding(), OTHER), e.reset_parameters())[0], EXACT),
    "load_state_dict": (lambda: loaded(encoding(), OTHER), OTHER),
    "assigned": (lambda: assigned(encoding(), OTHER), OTHER),
    "assigned, marked": (lambda: assigned(on_meta(), marked(OTHER.clone())), OTHER),
    "assigned in place of meta, unmarked": (lambda: assigned(on_meta(), OTHER), EXACT),
    "assigned in place of meta, near": (lambda: assigned(on_meta(), NEAR), NEAR),
    "assigned in place of meta, NaN": (lambda: assigned(on_meta(), EXACT * float("nan")), EXACT),
    "assigned in place of meta, one row": (lambda: assigned(on_meta(), ONE_ROW), EXACT),
    "assigned in place of meta, not persistent": (lambda: assigned(on_meta(persistent=False), OTHER), EXACT),
    "to_empty": (lambda: emptied(encoding(), OTHER), EXACT),
    "to_empty from meta": (lambda: emptied(on_meta(), OTHER), EXACT),
    "to_empty of a parent": (lambda: emptied(nn.Sequential(nn.Sequential(on_meta())), OTHER)[0][0], EXACT),
    "to_empty, written": (lambda: written(emptied(encoding(), OTHER)).double().float(), OTHER),
    "to_empty, then a failed load": (lambda: failed(emptied(encoding(), OTHER)), EXACT),
    "converted from meta": (lambda: on_meta()._apply(lambda t: OTHER.clone() if t.is_meta else t), EXACT),
    "pickle, loaded": (lambda: pickle.loads(pickle.dumps(loaded(encoding(), OTHER))), OTHER),
    "offload": (lambda: offloaded(loaded(encoding(), OTHER)), OTHER),
    "replica, loaded": (lambda: replicated(loaded(encoding(), OTHER), OTHER), OTHER),
}
if hasattr(torch, "func"):
    EVENTS["functional_call"] = (lambda: functional(encoding(), OTHER), EXACT)
    EVENTS["functional_call, on meta"] = (lambda: emptied(functional(on_meta(), OTHER), OTHER), EXACT)
if has_assign:
    EVENTS["load_state_dict, assign"] = (
        lambda: (e := on_meta(), e.load_state_dict({"pe": OTHER}, assign=True))[0],
        OTHER,
    )


@pytest.mark.parametrize("event", EVENTS)
def test_events(event):
    """The attribute has the table before the first call, too: the forward of a subclass may read it."""
    make, table = EVENTS[event]
    e = make()
    assert torch.equal(e.pe[:30], table)
    assert torch.equal(e(X), X + table[:20]) and torch.equal(e.pe[:30], table)


def test_the_bound_grows_with_positions():
    """A table of a loader that rounds angles to float32 is kept. One that is off by twice the bound is not."""
    e = Encoding(16, 0, 10, first=1 << 22)
    exact = e.pe.clone()
    for share, is_kept in (0.9, True), (1.1, False):
        bound = 2.0**-6 + 2.0**-23 * (1 << 22)
        assigned(e.to("meta"), exact + share * bound)
        assert torch.equal(e.pe, exact) != is_kept


def test_a_table_of_another_type_is_refused():
    """The values cannot be read, as in a DTensor."""

    class Other(torch.Tensor):
        pass

    e = on_meta()
    with pytest.raises(RuntimeError, match="a Other of torch.float32 replaces .* call reset_buffers"):
        assigned(e, OTHER.as_subclass(Other))


def test_a_table_that_is_replaced_is_announced():
    """The warning names the line that assigns."""
    for values, files in (OTHER, [__file__]), (EXACT * 0, []), (EXACT * float("nan"), []):
        with warnings.catch_warnings(record=True) as announced:
            warnings.simplefilter("always")
            assigned(on_meta(), values)
        assert [each.filename for each in announced] == files


@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("has_table", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_from_pretrained(tmp_path, persistent, has_table, dtype):
    transformers = pytest.importorskip("transformers")

    class Model(transformers.PreTrainedModel):
        config_class = transformers.PretrainedConfig
        _keys_to_ignore_on_load_missing = ["encode.pe"]

        def __init__(self, config):
            super().__init__(config)
            self.encode, self.linear = encoding(persistent=config.persistent), nn.Linear(16, 4)
            self.post_init()

        def _init_weights(self, module):
            pass

    model = Model(transformers.PretrainedConfig(persistent=persistent))
    if persistent and has_table:
        model.encode.pe = OTHER.clone()
    state = model.state_dict() if has_table else {k: v for k, v in model.state_dict().items() if "pe" not in k}
    model.save_pretrained(tmp_path, state_dict=state)
    other = Model.from_pretrained(tmp_path, dtype=dtype)
    kept = persistent and has_table
    want = OTHER.to(dtype) if kept else posenc.torch.table(30, 16, dtype=dtype)[:, None]
    x = X.to(dtype)
    assert torch.equal(other.encode.pe, want) and torch.equal(other.encode(x), x + want[:20])


def test_a_table_of_another_shape_is_refused_in_place_of_meta():
    with pytest.raises(TypeError, match=r"pe gets a tensor of shape \(30, 16\); allowed: \(rows, 1, 16\)"):
        assigned(on_meta(), OTHER[:, 0])
