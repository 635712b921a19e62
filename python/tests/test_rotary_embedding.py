"""posenc.torch.RotaryEmbedding in the place of a Hugging Face model's own, and its values."""

import copy
import pickle
import types

import numpy as np
import pytest
import torch
from reference import inductor

import posenc
import posenc.torch
from posenc.torch import RotaryEmbedding

YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=2048)
LLAMA3 = dict(
    rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=2048
)
LONGROPE = dict(
    rope_type="longrope",
    short_factor=[1.0 + i / 7 for i in range(8)],
    long_factor=[1.5 + i for i in range(8)],
    original_max_position_embeddings=2048,
)
SCALINGS = {
    "none": None,
    "linear": dict(rope_type="linear", factor=3.0),
    "dynamic": dict(rope_type="dynamic", factor=2.0),
    "yarn": YARN,
    "longrope": LONGROPE,
    "llama3": LLAMA3,
}


def config(scaling=None, **more):
    fields = dict(head_dim=16, max_position_embeddings=8192, rope_theta=500000.0, rope_scaling=scaling)
    return types.SimpleNamespace(**{**fields, **more})


def frequencies(scaling, length=0):
    found = posenc.rotary_frequencies(16, 500000.0, scaling=scaling, length=length, max_position_embeddings=8192)
    return found, dict(freqs=found.freqs, freqs_low=found.freqs_low)


def check(found, positions, scaling, dtype, length=0):
    """Values rounded once, or within the roundings of value, factor, product and dtype of float64 values times the factor."""
    told, spec = frequencies(scaling, length)
    once = dtype if told.attention_factor == 1 else torch.float64
    pair = posenc.torch.pair(positions=positions.reshape(-1), d_model=16, dtype=once, **spec)
    for ours, half in zip(found, (pair.cos, pair.sin)):
        want = torch.cat((half, half), -1).reshape(*positions.shape, 16)
        assert ours.shape == want.shape and ours.dtype == dtype
        if told.attention_factor == 1:
            assert torch.equal(ours, want)
        else:
            wide = torch.finfo(torch.float64 if dtype == torch.float64 else torch.float32).eps / 2
            last = 0 if dtype in (torch.float32, torch.float64) else torch.finfo(dtype).eps / 2
            want = want * told.attention_factor
            bound = want.abs() * (3.001 * wide + 1.001 * last) + 2.0**-25  # half the least of float16
            bound -= 0 if dtype == torch.float16 else 2.0**-25
            assert bool(((ours.double() - want).abs() <= bound).all())


AT = torch.tensor([[0, 1, 2047, 5], [3000, 17, 17, 2]])


@pytest.mark.parametrize("name", SCALINGS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_values(name, dtype):
    module, x = RotaryEmbedding(config(SCALINGS[name])), torch.zeros(2, 4, 64, dtype=dtype)
    one = torch.tensor(7)
    for at in (AT, AT - 5, AT + 100000, AT[:, :0], AT.int(), one, one + 8185):  # some beyond what is kept
        module = copy.deepcopy(module)
        length = int(at.max()) + 1 if at.numel() else 0
        check(module(x, at), at, SCALINGS[name], dtype, length)


def test_attention_factor():
    assert RotaryEmbedding(config(YARN)).attention_scaling == frequencies(YARN)[0].attention_factor > 1
    assert RotaryEmbedding(config()).attention_scaling == 1


@pytest.mark.parametrize("name, turning", [("dynamic", 8192), ("longrope", 2048)])
def test_the_length_of_the_sequence(name, turning):
    module, x = RotaryEmbedding(config(SCALINGS[name])), torch.zeros(1)
    for end in (turning, turning + 1, turning + 500, 5, turning + 1):
        at = torch.tensor([[1, end - 1]])
        check(module(x, at), at, SCALINGS[name], torch.float32, end)
    if name == "dynamic":  # a longer one is remembered while none is shorter than the model's own
        module(x, torch.tensor([[9000]]))
        at = torch.tensor([[1, 8500]])
        check(module(x, at), at, SCALINGS[name], torch.float32, 9001)


def test_rows_are_kept():
    module, x = RotaryEmbedding(config()), torch.zeros(1)
    module(x, AT)
    (tables,) = module._tables.values()
    module(x, AT // 2)
    assert [*module._tables.values()][0] is tables and len(tables.cos) == 3001
    module(x, AT + 1)
    assert [len(tables.cos) for tables in module._tables.values()] == [6004]
    assert not pickle.loads(pickle.dumps(module))._tables and not module.state_dict() and not [*module.buffers()]
    module(x.half(), AT)
    assert len(module._tables) == 2 and not module.to(torch.float64)._tables
    module.reserve(dtype=torch.bfloat16)
    assert [len(tables.cos) for tables in module._tables.values()] == [8192]


def test_configs():
    old = RotaryEmbedding(config(dict(LLAMA3)))
    new = types.SimpleNamespace(head_dim=16, max_position_embeddings=8192)
    new.rope_parameters = dict(LLAMA3, rope_theta=500000.0)
    parts = types.SimpleNamespace(**{**vars(new), "head_dim": None, "hidden_size": 128, "num_attention_heads": 4})
    parts.rope_parameters = dict(new.rope_parameters, partial_rotary_factor=0.5)
    phi = {key: value for key, value in LONGROPE.items() if key != "original_max_position_embeddings"}
    phi = RotaryEmbedding(config(phi, original_max_position_embeddings=2048))
    assert torch.equal(phi(torch.zeros(1), AT)[0], RotaryEmbedding(config(LONGROPE))(torch.zeros(1), AT)[0])
    layers = types.SimpleNamespace(**vars(new))
    layers.rope_parameters = dict(far=new.rope_parameters, near=dict(rope_type="default", rope_theta=7.0))
    x = torch.zeros(1)
    for other in (
        RotaryEmbedding(new),
        RotaryEmbedding(parts),
        RotaryEmbedding(layers, layer_type="far"),
        RotaryEmbedding(config({"type" if k == "rope_type" else k: v for k, v in LLAMA3.items()})),
    ):
        assert torch.equal(other(x, AT)[1], old(x, AT)[1])
    assert RotaryEmbedding(layers, layer_type="near").base == 7
    with pytest.raises(ValueError, match="layer_type is 'mid'; allowed for this config: 'far', 'near'"):
        RotaryEmbedding(layers, layer_type="mid")
    with pytest.raises(ValueError, match="duplicated is 'twice'"):
        RotaryEmbedding(new, duplicated="twice")
    pairs = RotaryEmbedding(new, duplicated="pairs")(x, AT)[0]
    assert torch.equal(pairs[..., ::2], old(x, AT)[0][..., :8]) and torch.equal(pairs[..., 1::2], pairs[..., ::2])


@pytest.mark.parametrize("key, value", [("mrope_section", [2, 3, 3]), ("mrope_interleaved", True)])
def test_three_positions_for_a_row_are_refused(key, value):
    with pytest.raises(ValueError, match=f"{key}.*allowed: configs without mrope_section"):
        RotaryEmbedding(config({"rope_type": "default", key: value}))


def by_layer():
    near = dict(rope_type="default", rope_theta=500000.0)
    return RotaryEmbedding(config(rope_parameters=dict(far=dict(YARN, rope_theta=500000.0), near=near, none=None)))


def test_a_layer_type_with_each_call():
    module, x = by_layer(), torch.zeros(1)
    check(module(x, AT, "far"), AT, YARN, torch.float32)
    check(module(x, AT, layer_type="near"), AT, None, torch.float32)
    module.reserve(5000)
    assert all(len(t.cos) >= 5000 for m in module.per_type.values() for t in m._tables.values())
    assert not module.state_dict() and not module.half().per_type["far"]._tables and "yarn" in repr(module)
    for wrong in (None, "none"):
        with pytest.raises(ValueError, match=f"layer_type is {wrong!r}; allowed: 'far', 'near'"):
            module(x, AT, wrong)
    with pytest.raises(ValueError, match="layer_type is 'near'; allowed: 'far'"):
        module.per_type["far"](x, AT, "near")
    check(RotaryEmbedding(config())(x, AT, "any"), AT, None, torch.float32)


compiles = pytest.mark.skipif(not hasattr(torch, "compile"), reason=f"PyTorch {torch.__version__} has no torch.compile")


@compiles
@inductor
@pytest.mark.parametrize("most", [0, 64 << 20])
def test_compiled_by_default(most, monkeypatch):
    """By inductor; a module with a type of layer for each call."""
    monkeypatch.setattr(posenc._rotary_embedding, "_MOST_BYTES", most)
    torch._dynamo.reset()
    module, x = by_layer(), torch.zeros(1, dtype=torch.bfloat16)
    compiled = torch.compile(lambda x, at: (module(x, at, "far"), module(x, at, "near")), fullgraph=True)
    for at in (AT, AT[:, :3] + 5000, torch.tensor(7)):
        far, near = compiled(x, at)
        check(far, at, YARN, torch.bfloat16)
        check(near, at, None, torch.bfloat16)


@compiles
@pytest.mark.parametrize("how", ["made when compiled", "reserved", "computed"])
def test_compiled(how, monkeypatch):
    if how != "made when compiled":
        monkeypatch.setattr(posenc._rotary_embedding, "_MOST_BYTES", 0)
    for scaling in SCALINGS.values():
        torch._dynamo.reset()
        module, x = RotaryEmbedding(config(scaling)), torch.zeros(1, dtype=torch.bfloat16)
        if how == "reserved":
            module.reserve(dtype=torch.bfloat16)
        else:
            module(x, AT // 8)  # which keeps too few rows
        compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
        is_kept = how != "computed" and module.rope_type not in ("dynamic", "longrope")
        for at in (AT, AT + 5000, AT[:, :3], AT + (5100 if is_kept else 10000)):
            check(compiled(x, at), at, scaling, torch.bfloat16, int(at.max()) + 1)
        longest = max(len(tables.cos) for tables in module._tables.values())
        assert (longest == module.max_position_embeddings) == (is_kept or how == "reserved")
