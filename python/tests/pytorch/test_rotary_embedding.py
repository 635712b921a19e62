"""posenc.torch.RotaryEmbedding as the replacement of a Hugging Face model's own module, and its values."""

import copy
import math
import pickle
import re
import types

import pytest
import torch
from kinds import kinds
from patched import on_meta, zero_init
from versions import inductor, needs

import posenc
import posenc.torch
from posenc.torch import _formula, _rows
from posenc.torch import RotaryEmbedding

SCALINGS = {kind: said for kind, said in kinds(8, 2048).items() if kind != "proportional"}
YARN, LLAMA3, LONGROPE = (SCALINGS[kind] for kind in ("yarn", "llama3", "longrope"))


def config(scaling=None, **more):
    fields = dict(head_dim=16, max_position_embeddings=8192, rope_theta=500000.0, rope_scaling=scaling)
    fields["model_type"] = "llama"
    return types.SimpleNamespace(**{**fields, **more})


def frequencies(scaling, length=0):
    found = posenc.rotary_frequencies(16, 500000.0, scaling=scaling, length=length, max_position_embeddings=8192)
    return found, dict(freqs=found.freqs, freqs_low=found.freqs_low)


def check(found, positions, scaling, dtype, length=0):
    """Values rounded once from the real numbers, or from float64 values times the factor if there is one."""
    told, spec = frequencies(scaling, length)
    once = dtype if told.attention_factor == 1 else torch.float64
    pair = posenc.torch.pair(positions=positions.reshape(-1), d_model=16, dtype=once, **spec)
    for ours, half in zip(found, (pair.cos, pair.sin)):
        want = torch.cat((half, half), -1).reshape(*positions.shape, 16)
        assert ours.shape == want.shape and ours.dtype == dtype
        if told.attention_factor == 1:
            assert torch.equal(ours, want)
        else:
            want = want * told.attention_factor
            least = {torch.float16: 2.0**-24, torch.bfloat16: 2.0**-133}.get(dtype, 2.0**-149)
            unit = torch.clamp(torch.finfo(dtype).eps * 2.0 ** (torch.frexp(want)[1] - 1), min=least)
            assert bool(((ours.double() - want).abs() <= unit / 2 + 2.0**-49 * told.attention_factor).all())


AT = torch.tensor([[0, 1, 2047, 5], [3000, 17, 17, 2]])


@pytest.mark.parametrize("name", SCALINGS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_values(name, dtype):
    module, x = RotaryEmbedding(config(SCALINGS[name])), torch.zeros(2, 4, 64, dtype=dtype)
    assert module.attention_scaling == frequencies(SCALINGS[name])[0].attention_factor
    one = torch.tensor(7)
    for at in (AT, AT - 5, AT + 100000, AT[:, :0], AT.int(), one, one + 8185):  # some beyond max_position_embeddings
        module = copy.deepcopy(module)
        length = int(at.max()) + 1 if at.numel() else 0
        check(module(x, at), at, SCALINGS[name], dtype, length)


@pytest.mark.parametrize("name, turning", [("dynamic", 8192), ("longrope", 2048)])
def test_the_length_of_the_sequence(name, turning):
    module, x = RotaryEmbedding(config(SCALINGS[name])), torch.zeros(1)
    for end in (turning, turning + 1, turning + 500, 5, turning + 1):
        at = torch.tensor([[1, end - 1]])
        check(module(x, at), at, SCALINGS[name], torch.float32, end)
    if name == "dynamic":  # a longer length is kept until a sequence is shorter than the model's own length
        module(x, torch.tensor([[9000]]))
        at = torch.tensor([[1, 8500]])
        check(module(x, at), at, SCALINGS[name], torch.float32, 9001)


def test_nothing_is_kept():
    module, x = RotaryEmbedding(config()), torch.zeros(1)
    want = module(x, AT)
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), module.half(), module.to(torch.float64)):
        assert all(torch.equal(a, b) for a, b in zip(other(x, AT), want))
        assert not other.state_dict() and not [*other.buffers()] and not [*other.parameters()]


@pytest.mark.parametrize("name", ["default", "dynamic", "longrope"])
@pytest.mark.parametrize("beyond", [2**32 + 1, -(2**32) - 1, -(2**63), 2**63 - 1, math.nan, math.inf])
def test_positions_beyond(beyond, name):
    """They give NaN, and none is refused, as in transformers."""
    module, x = RotaryEmbedding(config(SCALINGS[name])), torch.zeros(1)
    at = torch.tensor([5, 2**32, -(2**32), beyond])
    for by_module, by_formula in zip(module(x, at), _rows._by_formula(at, module._spec, torch.float32)):
        for found in (by_module, by_formula):
            assert not found[:3].isnan().any() and found[3].isnan().all()
    by_c, by_formula = module(x, at[:3]), _rows._by_formula(at[:3], module._spec, torch.float32)
    assert all((a[:, : b.shape[1]] - b).abs().max() < 2.0**-22 for a, b in zip(by_c, by_formula))


@pytest.mark.filterwarnings("ignore:position_ids have dtype")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.bool, torch.uint8])
def test_positions_of_other_types(dtype):
    """All that transformers' modules accept, and real positions too."""
    module, x, at = RotaryEmbedding(config(YARN)), torch.zeros(1), torch.tensor([[0.0, 1], [1, 0]])
    assert all(torch.equal(a, b) for a, b in zip(module(x, at.to(dtype)), module(x, at.long())))
    at = torch.tensor([[0.5, 2.75]], dtype=torch.float64)
    check(module(x, at), at, YARN, torch.float32)


@pytest.mark.parametrize(
    "kind, axes",
    [
        ("qwen2_vl_text", (0, 0, 1, 1, 1, 2, 2, 2)),
        ("qwen3_vl_text", (0, 1, 2, 0, 1, 2, 0, 0)),
        ("ernie4_5_vl_moe_text", (1, 2, 1, 2, 1, 0, 0, 0)),
    ],
)
def test_three_axes(kind, axes):
    section = {"qwen2_vl_text": [2, 3, 3], "qwen3_vl_text": [4, 2, 2], "ernie4_5_vl_moe_text": [2, 3, 3]}[kind]
    module = RotaryEmbedding(config({"rope_type": "default", "mrope_section": section}, model_type=kind))
    one, x = RotaryEmbedding(config()), torch.zeros(1)
    at = torch.stack((AT, AT + 1000, AT * 2))
    each = torch.stack([one(x, positions)[1][..., :8] for positions in at])
    want = torch.stack([each[axis, ..., k] for k, axis in enumerate(axes)], -1)
    want = want.repeat_interleave(2, -1) if module.layout == "pairs" else torch.cat((want, want), -1)
    assert torch.equal(module(x, at)[1], want)
    for same in (torch.stack((AT, AT, AT)), AT[None]):
        assert torch.equal(module(x, same)[0], module(x, AT)[0])
    with pytest.raises(ValueError, match=r"allowed: \(3, batch, sequence\)"):
        module(x, at[:2])


@pytest.mark.parametrize("kind", ["qwen2_vl_vision", "pixtral", "gemma4_vision"])
def test_axial(kind):
    """The last axis of the positions has height and width, and each column belongs to one of them."""
    module, x = RotaryEmbedding(config(model_type=kind, embed_dim=64, num_attention_heads=4)), torch.zeros(1)
    at, is_pixtral = torch.stack((AT, AT + 1000), -1), kind == "pixtral"
    one = RotaryEmbedding(16 if is_pixtral else 8, base=500000.0, layout="half")
    for values, height, width in zip(module(x, at), one(x, AT), one(x, AT + 1000)):
        if is_pixtral:
            height, width = height[..., ::2], width[..., 1::2]
        order = (height, height, width, width) if kind == "gemma4_vision" else (height, width) * 2
        assert torch.equal(values, torch.cat(order, -1))
    for wrong in (at[..., :1], torch.tensor(5)):
        with pytest.raises(ValueError, match=r"allowed: \(.., 2\)"):
            module(x, wrong)
    with pytest.raises(ValueError, match="is not supported with the rope_type 'linear'"):
        RotaryEmbedding(config(SCALINGS["linear"], model_type=kind))


def test_interleaved_sections_that_exceed_the_frequencies():
    """Small configs of tests have them. As in transformers, axis i then has every third frequency from i on."""
    said = dict(rope_type="default", mrope_section=[16, 8, 8])
    assert RotaryEmbedding(config(said, model_type="qwen3_vl_text", head_dim=8)).axes == (0, 1, 2, 0)


QWEN = dict(model_type="qwen3_vl_text", rope_scaling=dict(rope_type="default", mrope_section=[4, 2, 2]))


@pytest.mark.parametrize(
    "arguments, fields",
    [(dict(scaling=scaling), dict(rope_scaling=scaling)) for scaling in [None, *SCALINGS.values()]]
    + [
        (dict(layout="pairs"), dict(model_type="cohere")),
        (dict(layout="half", scaling=dict(partial_rotary_factor=1)), dict(model_type="gpt_oss")),
        (dict(layout="complex"), dict(model_type="llama4_text")),
        (dict(dtype=torch.float32), dict(model_type="olmo")),
        (dict(sections=(4, 2, 2)), dict(QWEN, model_type="qwen2_vl_text")),
        (dict(sections=(4, 2, 2), interleaved=True), QWEN),
        (dict(scaling=dict(mrope_section=[4, 2, 2], mrope_interleaved=True)), QWEN),
    ],
)
def test_without_a_config(arguments, fields):
    """The same modules as with a config."""
    theirs = RotaryEmbedding(config(**fields))
    ours = RotaryEmbedding(16, base=500000.0, max_position_embeddings=8192, **arguments)
    assert repr(ours) == repr(theirs) and "(16, base=500000, scaling={'rope_type': " in repr(ours)
    x, at = torch.zeros(1, dtype=torch.bfloat16), torch.stack((AT, AT + 5, AT + 7000)) if ours.axes else AT + 7000
    for module in (ours, copy.deepcopy(ours), pickle.loads(pickle.dumps(ours)).to(torch.float16)):
        assert all(torch.equal(a, b) for a, b in zip(module(x, at), copy.deepcopy(theirs)(x, at)))


MROPE = dict(rope_type="default", mrope_section=[2, 3, 3])


@pytest.mark.parametrize(
    "arguments, error",
    [
        (dict(config=1), "head_dim is 1; allowed: 2 to "),
        (dict(config=config(head_dim=15)), "15 of 15 columns of a head would be rotated; allowed: an even number"),
        (dict(layout="split"), "layout is 'split'; allowed: 'halves', 'pairs', 'half', 'complex' or None"),
        (dict(dtype=torch.float64), "dtype is torch.float64; allowed: torch.float32, or None"),
        (dict(sections=(2, 3)), "are (2, 3); allowed: three numbers whose sum is 8"),
        (dict(sections=8), "are 8; allowed: three numbers whose sum is 8"),
        (dict(config=config(dict(MROPE, mrope_section=[2, 3, 4]), model_type="qwen2_vl_text")), "whose sum is 8"),
        (dict(config=config(MROPE)), "the config has mrope_section [2, 3, 3]; allowed: None for this model_type"),
        (dict(base=1e4, scaling=dict(rope_theta=2e4)), "give one of them"),
        (dict(config=config(), base=1e4), "allowed: None with a config"),
        *((dict(config=config(model_type=name)), "is unknown; give layout=") for name in (None, "no such model")),
        *((dict(config=wrong), f"config is of type {type(wrong).__name__}; allowed: ") for wrong in (128.0, None)),
    ],
)
def test_what_is_refused(arguments, error):
    with pytest.raises(TypeError if "is of type" in error else ValueError, match=re.escape(error)):
        RotaryEmbedding(**{"config": 16, **arguments})


@pytest.mark.parametrize(
    "x, at, error",
    [
        (torch.zeros(1, dtype=torch.int64), AT, "x has dtype torch.int64"),
        (5, AT, "x is of type int; allowed: a PyTorch Tensor"),
        (torch.zeros(1), AT.numpy(), "position_ids is of type ndarray; allowed: a PyTorch Tensor"),
        (torch.zeros(1), AT.to(torch.complex64), "position_ids have dtype"),
    ],
)
def test_calls_that_are_refused(x, at, error):
    with pytest.raises(TypeError, match=error):
        RotaryEmbedding(config())(x, at)


def test_configs():
    old = RotaryEmbedding(config(dict(LLAMA3)))
    new = types.SimpleNamespace(head_dim=16, max_position_embeddings=8192, model_type="llama")
    new.rope_parameters = dict(LLAMA3, rope_theta=500000.0)
    parts = types.SimpleNamespace(**{**vars(new), "head_dim": None, "hidden_size": 128, "num_attention_heads": 4})
    parts.rope_parameters = dict(new.rope_parameters, partial_rotary_factor=0.5)
    phi = dict(rope_type="longrope") | {key: value for key, value in LONGROPE.items() if key.endswith("_factor")}
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
    with pytest.raises(ValueError, match="layer_type is 'mid'; allowed: 'far', 'near' .this config's layer types"):
        RotaryEmbedding(layers, layer_type="mid")
    new.model_type = "no such model"
    pairs = RotaryEmbedding(new, layout="pairs")(x, AT)[0]
    assert torch.equal(pairs[..., ::2], old(x, AT)[0][..., :8]) and torch.equal(pairs[..., 1::2], pairs[..., ::2])


def test_proportional():
    """Gemma 4: the first frequencies, then zeros."""
    said = dict(rope_type="proportional", partial_rotary_factor=0.25, rope_theta=500000.0)
    cos, sin = RotaryEmbedding(config(said, model_type="gemma4_text"))(torch.zeros(1), AT)
    want = RotaryEmbedding(config())(torch.zeros(1), AT)
    assert torch.equal(cos[..., :2], want[0][..., :2]) and torch.equal(sin[..., 8:10], want[1][..., :2])
    assert bool((cos[..., 2:8] == 1).all()) and bool((sin[..., 2:8] == 0).all())


def by_layer():
    near = dict(rope_type="default", rope_theta=500000.0)
    return RotaryEmbedding(config(rope_parameters=dict(far=dict(YARN, rope_theta=500000.0), near=near, none=None)))


def test_a_layer_type_with_each_call():
    module, x = by_layer(), torch.zeros(1)
    check(module(x, AT, "far"), AT, YARN, torch.float32)
    check(module(x, AT, layer_type="near"), AT, None, torch.float32)
    assert not module.state_dict() and "yarn" in repr(module)
    for wrong in (None, "none"):
        with pytest.raises(ValueError, match=f"layer_type is {wrong!r}; allowed: 'far', 'near'"):
            module(x, AT, wrong)
    with pytest.raises(ValueError, match="layer_type is 'near'; allowed: 'far'"):
        module.per_type["far"](x, AT, "near")
    check(RotaryEmbedding(config())(x, AT, "any"), AT, None, torch.float32)


@needs("compile")
@inductor
def test_compiled():
    """Compiled by inductor, a module whose calls name the type of layer."""
    torch._dynamo.reset()
    module, x = by_layer(), torch.zeros(1, dtype=torch.bfloat16)
    compiled = torch.compile(lambda x, at: (module(x, at, "far"), module(x, at, "near")), fullgraph=True)
    for at in (AT, AT[:, :3] + 5000, torch.tensor(7)):
        far, near = compiled(x, at)
        check(far, at, YARN, torch.bfloat16)
        check(near, at, None, torch.bfloat16)


@pytest.mark.parametrize("patched", [lambda: zero_init(torch.bfloat16), lambda: zero_init(torch.float16), on_meta])
@pytest.mark.parametrize("fields", [dict(rope_scaling=YARN), dict(model_type="olmo")])
def test_functions_of_pytorch_that_were_replaced(patched, fields):
    """Neither memory for C nor a constant of the formula comes from a function that other packages replace."""
    _formula._kept.clear()
    x = torch.zeros(1, dtype=torch.float32)
    with patched():
        module = RotaryEmbedding(config(**fields)).to("cpu")
        inside = module(x, AT)
    check(inside, AT, fields.get("rope_scaling"), torch.float32)
    terms = _rows.terms(module._spec, "fraction, rest, quarters, unit, parts, factor", x.device)
    assert [each.dtype for each in terms] == [getattr(torch, "int64" if i in (0, 2) else "float64") for i in range(6)]
    if hasattr(torch, "compile"):
        torch._dynamo.reset()
        compiled = torch.compile(RotaryEmbedding(config(**fields)), backend="aot_eager")
        assert all((a - b).abs().max() < 2.0**-22 for a, b in zip(compiled(x, AT), inside))


def test_ties_of_16_bits():
    """The cosine at 0 is the factor: a tie, which rounds to even, or a value just above a tie, which rounds up."""
    for factor, want in ((1 + 2.0**-8, 1.0), (1 + 2.0**-8 + 2.0**-50, 1 + 2.0**-7)):
        module = RotaryEmbedding(config(rope_scaling={**YARN, "attention_factor": factor}))
        for at in (torch.tensor([0]), torch.tensor([0], device="meta")):
            cos, _ = module(torch.zeros(1, dtype=torch.bfloat16, device=at.device), at)
            assert at.is_meta or cos[0, 0] == want
        if hasattr(torch, "vmap"):
            assert (
                torch.vmap(lambda at: module(torch.zeros(1, dtype=torch.bfloat16), at)[0])(torch.tensor([0]))[0, 0]
                == want
            )
