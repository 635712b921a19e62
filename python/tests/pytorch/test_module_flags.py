"""posenc.torch.SinusoidalPositionalEncoding: which tables are used as they are, and which were lost and are computed again."""

import copy
import inspect
import pickle

import pytest
import torch
from torch import nn

import posenc.torch
from posenc.torch import SinusoidalPositionalEncoding as Encoding

EXACT = posenc.torch.table(30, 16)[:, None]
NEAR = EXACT.bfloat16().float()  # within 2^-8, as a table that was trained in bfloat16
OTHER = torch.randn(30, 1, 16, generator=torch.Generator().manual_seed(1))
X = torch.zeros(20, 2, 16)
has_assign = "assign" in inspect.signature(nn.Module.load_state_dict).parameters  # since PyTorch 2.1


def encoding(**more):
    return Encoding(16, 0, 30, **more)


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
    e.to_empty(device="cpu").pe.copy_(values)  # what the memory happened to hold
    return e


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


# A row of the table in _buffer.py: what happens, the flag after it, and the table that is used then.
EVENTS = {
    "made": (encoding, "made", EXACT),
    "reset_buffers": (lambda: (e := loaded(encoding(), OTHER), e.reset_buffers())[0], "made", EXACT),
    "reset_parameters": (lambda: (e := loaded(encoding(), OTHER), e.reset_parameters())[0], "made", EXACT),
    "load_state_dict": (lambda: loaded(encoding(), OTHER), "loaded", OTHER),
    "load_state_dict to memory without values": (
        lambda: loaded(encoding().to_empty(device="cpu"), OTHER),
        "loaded",
        OTHER,
    ),
    "assigned": (lambda: assigned(encoding(), OTHER), "loaded", OTHER),
    "assigned, marked": (lambda: assigned(encoding().to("meta"), marked(OTHER.clone())), "loaded", OTHER),
    "assigned in place of meta, unmarked": (lambda: assigned(encoding().to("meta"), OTHER), "unset", EXACT),
    "assigned in place of meta, zeros": (
        lambda: assigned(encoding().to("meta"), torch.zeros_like(EXACT)),
        "unset",
        EXACT,
    ),
    "assigned in place of meta, not persistent": (
        lambda: assigned(encoding(persistent=False).to("meta"), OTHER),
        "unset",
        EXACT,
    ),
    "assigned in place of meta, in bfloat16": (
        lambda: assigned(encoding(dtype=torch.bfloat16).to("meta"), OTHER.bfloat16()),
        "unset",
        EXACT.bfloat16(),
    ),
    "to_empty": (lambda: emptied(encoding(), OTHER), "unset", EXACT),
    "to_empty from meta": (lambda: emptied(encoding().to("meta"), OTHER), "unset", EXACT),
    "to_empty of a parent": (
        lambda: nn.Sequential(nn.Sequential(encoding().to("meta"))).to_empty(device="cpu")[0][0],
        "unset",
        EXACT,
    ),
    "deepcopy": (lambda: copy.deepcopy(emptied(encoding(), OTHER)), "unset", EXACT),
    "deepcopy, loaded": (lambda: copy.deepcopy(loaded(encoding(), OTHER)), "loaded", OTHER),
    "pickle": (lambda: pickle.loads(pickle.dumps(emptied(encoding(), OTHER))), "unset", EXACT),
    "pickle, loaded": (lambda: pickle.loads(pickle.dumps(loaded(encoding(), OTHER))), "loaded", OTHER),
    "to": (lambda: loaded(encoding(), OTHER).to(torch.float64).float(), "loaded", OTHER),
    "to, unset": (lambda: emptied(encoding(), OTHER).to(torch.float64).float(), "unset", EXACT),
    "growth": (lambda: (e := loaded(encoding(), OTHER), e.reserve(40))[0], "loaded", OTHER),
    "offload": (lambda: offloaded(loaded(encoding(), OTHER)), "loaded", OTHER),
    "offload of a table that was made": (lambda: offloaded(encoding()), "made", EXACT),
    "replica": (lambda: replicated(encoding(), EXACT), "made", EXACT),
    "replica, loaded": (lambda: replicated(loaded(encoding(), OTHER), OTHER), "loaded", OTHER),
    "replica, unset": (lambda: replicated(emptied(encoding(), OTHER), OTHER), "unset", EXACT),
    "failed load": (lambda: failed(emptied(encoding(), OTHER)), "unset", EXACT),
    "converted from meta": (
        lambda: encoding().to("meta")._apply(lambda t: OTHER.clone() if t.is_meta else t),
        "unset",
        EXACT,
    ),
    "checked, near": (lambda: emptied(encoding(), NEAR), "unset", NEAR),
    "checked, zeros": (lambda: emptied(encoding(), EXACT * 0), "unset", EXACT),
    "checked, NaN": (lambda: emptied(encoding(), EXACT * float("nan")), "unset", EXACT),
    "checked, one value": (
        lambda: emptied(encoding(), torch.cat((EXACT[:29], EXACT[29:] + 0.1))),
        "unset",
        EXACT,
    ),
    "checked before it is saved": (
        lambda: loaded(encoding(), emptied(encoding(), OTHER).state_dict()["pe"]),
        "loaded",
        EXACT,
    ),
    "written after it was checked": (lambda: written(emptied(encoding(), OTHER)).double().float(), "unset", OTHER),
    "written after it was checked, grown": (
        lambda: (e := written(emptied(encoding(), OTHER)), e.reserve(40))[0],
        "unset",
        OTHER,
    ),
}
if hasattr(torch, "func"):
    EVENTS["functional_call"] = (lambda: functional(encoding(), OTHER), "made", EXACT)
    EVENTS["functional_call, unset"] = (lambda: functional(emptied(encoding(), OTHER), NEAR), "unset", EXACT)
if has_assign:
    EVENTS["load_state_dict, assign"] = (
        lambda: (e := encoding().to("meta"), e.load_state_dict({"pe": OTHER}, assign=True))[0],
        "loaded",
        OTHER,
    )


@pytest.mark.parametrize("event", EVENTS)
def test_events(event):
    make, flag, table = EVENTS[event]
    e = make()
    assert e._flag == flag
    assert torch.equal(e(X), X + table[:20]) and torch.equal(e._table()[:30], table)
    assert not e.pe.isnan().any() and e._flag == flag


def test_the_bound_grows_with_positions():
    """A loader that wrote angles rounded to float32 is kept; twice the bound is not."""
    e = Encoding(16, 0, 10, first=1 << 22)
    exact = e.pe.clone()
    for share, is_kept in (0.9, True), (1.1, False):
        bound = 2.0**-6 + 2.0**-23 * (1 << 22)
        emptied(e, exact + share * bound)(X[:5])
        assert torch.equal(e.pe, exact) != is_kept


@pytest.mark.skipif(not hasattr(torch, "compile"), reason=f"PyTorch {torch.__version__} has no torch.compile")
def test_compiled():
    torch._dynamo.reset()
    e = emptied(encoding(), OTHER)
    compiled = torch.compile(e, fullgraph=True, backend="aot_eager")
    for _ in range(3):
        assert torch.equal(compiled(X), X + EXACT[:20])
    assert torch.equal(e.pe, EXACT)


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
    assert torch.equal(other.encode(x), x + want[:20]) and other.encode._flag == ("loaded" if kept else "unset")


# ---- arguments that were taken for something else


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(start=2.7), TypeError, "start is 2.7; allowed: an integer"),
        (dict(start="3"), TypeError, "start is '3'; allowed: an integer"),
        (dict(start=True), TypeError, "start is True; allowed: an integer"),
        (dict(start=torch.tensor(2.0)), TypeError, "start has dtype torch.float32; allowed: integers"),
        (dict(start=torch.ones(20, dtype=torch.bool)), TypeError, "start has dtype torch.bool; allowed: integers"),
        (dict(start=torch.arange(3)), TypeError, "start is .*; allowed: an integer"),
        (dict(positions=torch.ones(20, dtype=torch.bool)), TypeError, "positions have dtype torch.bool"),
    ],
)
def test_calls_that_are_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        encoding()(X, **arguments)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(batch_first="no"), TypeError, "batch_first is 'no'; allowed: True, False or None"),
        (dict(batch_first=1), TypeError, "batch_first is 1; allowed: True, False or None"),
        (dict(scale=float("nan")), ValueError, "scale is nan"),
        (dict(scale=float("inf")), ValueError, "scale is inf"),
        (dict(scale="2"), TypeError, "scale is '2'"),
    ],
)
def test_arguments_that_are_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        encoding(**arguments)
