"""posenc.torch.RotaryEmbedding: its values, and what it refuses."""

import copy
import math
import pickle
import re

import pytest
import torch
from kinds import kinds
from patched import on_meta, zero_init
from versions import inductor, needs

import posenc
import posenc.torch
from posenc.torch import _formula, _rows
from posenc.torch import RotaryEmbedding
from posenc.torch._rotary_embedding import RotaryEmbeddings

SCALINGS = {kind: scaling for kind, scaling in kinds(8, 2048).items() if kind != "proportional"}
YARN, LLAMA3, LONGROPE = (SCALINGS[kind] for kind in ("yarn", "llama3", "longrope"))


def rotary(scaling=None, **more):
    return RotaryEmbedding(16, **{**dict(base=500000.0, scaling=scaling, max_position_embeddings=8192), **more})


def frequencies(scaling, length=0):
    r = posenc.rotary_frequencies(16, 500000.0, scaling=scaling, length=length, max_position_embeddings=8192)
    return r, dict(freqs=r.freqs, freqs_low=r.freqs_low)


def check(cos_sin, positions, scaling, dtype, length=0):
    """Values rounded once from the real numbers, or from float64 values times the factor if there is one."""
    r, spec = frequencies(scaling, length)
    once = dtype if r.attention_factor == 1 else torch.float64
    pair = posenc.torch.pair(positions=positions.reshape(-1), d_model=16, dtype=once, **spec)
    for ours, half in zip(cos_sin, pair):
        want = torch.cat((half, half), -1).reshape(*positions.shape, 16)
        assert ours.shape == want.shape and ours.dtype == dtype
        if r.attention_factor == 1:
            assert torch.equal(ours, want)
        else:
            want = want * r.attention_factor
            least = {torch.float16: 2.0**-24, torch.bfloat16: 2.0**-133}.get(dtype, 2.0**-149)
            unit = torch.clamp(torch.finfo(dtype).eps * 2.0 ** (torch.frexp(want)[1] - 1), min=least)
            assert bool(((ours.double() - want).abs() <= unit / 2 + 2.0**-49 * r.attention_factor).all())


AT = torch.tensor([[0, 1, 2047, 5], [3000, 17, 17, 2]])


@pytest.mark.parametrize("name", SCALINGS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_values(name, dtype):
    module, x = rotary(SCALINGS[name]), torch.zeros(2, 4, 64, dtype=dtype)
    assert module.attention_scaling == frequencies(SCALINGS[name])[0].attention_factor
    one = torch.tensor(7)
    for at in (AT, AT - 5, AT + 100000, AT[:, :0], AT.int(), one, one + 8185):  # some beyond max_position_embeddings
        module = copy.deepcopy(module)
        length = int(at.max()) + 1 if at.numel() else 0
        check(module(x, at), at, SCALINGS[name], dtype, length)


@pytest.mark.parametrize("name, turning", [("dynamic", 8192), ("longrope", 2048)])
def test_the_length_of_the_sequence(name, turning):
    module, x = rotary(SCALINGS[name]), torch.zeros(1)
    for end in (turning, turning + 1, turning + 500, 5, turning + 1):
        at = torch.tensor([[1, end - 1]])
        check(module(x, at), at, SCALINGS[name], torch.float32, end)
    if name == "dynamic":  # a longer length is kept until a sequence is shorter than the model's own length
        module(x, torch.tensor([[9000]]))
        at = torch.tensor([[1, 8500]])
        check(module(x, at), at, SCALINGS[name], torch.float32, 9001)


def test_nothing_is_kept():
    module, x = rotary(), torch.zeros(1)
    want = module(x, AT)
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), module.half(), module.to(torch.float64)):
        assert all(torch.equal(a, b) for a, b in zip(other(x, AT), want))
        assert not other.state_dict() and not [*other.buffers()] and not [*other.parameters()]


@pytest.mark.parametrize("name", ["default", "dynamic", "longrope"])
@pytest.mark.parametrize("beyond", [2**32 + 1, -(2**32) - 1, -(2**63), 2**63 - 1, math.nan, math.inf])
def test_positions_beyond(beyond, name):
    """They give NaN, and none is refused, as in transformers."""
    module, x = rotary(SCALINGS[name]), torch.zeros(1)
    at = torch.tensor([5, 2**32, -(2**32), beyond])
    for by_module, by_formula in zip(module(x, at), _rows._by_formula(at, module._spec, torch.float32)):
        for values in (by_module, by_formula):
            assert not values[:3].isnan().any() and values[3].isnan().all()
    by_c, by_formula = module(x, at[:3]), _rows._by_formula(at[:3], module._spec, torch.float32)
    assert all((a[:, : b.shape[1]] - b).abs().max() < 2.0**-22 for a, b in zip(by_c, by_formula))


@pytest.mark.filterwarnings("ignore:position_ids have dtype")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.bool, torch.uint8])
def test_positions_of_other_types(dtype):
    """All that transformers' modules accept, and real positions too."""
    module, x, at = rotary(YARN), torch.zeros(1), torch.tensor([[0.0, 1], [1, 0]])
    assert all(torch.equal(a, b) for a, b in zip(module(x, at.to(dtype)), module(x, at.long())))
    at = torch.tensor([[0.5, 2.75]], dtype=torch.float64)
    check(module(x, at), at, YARN, torch.float32)


@pytest.mark.parametrize("layout", ["halves", "pairs", "half", "complex"])
@pytest.mark.parametrize("is_in_turn, axes", [(False, (0, 0, 1, 1, 1, 2, 2, 2)), (True, (0, 1, 2, 0, 1, 2, 0, 0))])
def test_three_numbers(layout, is_in_turn, axes):
    sections = [4, 2, 2] if is_in_turn else [2, 3, 3]
    module = rotary(layout=layout, sections=sections, interleaved=is_in_turn)
    scaling = dict(rope_type="default", mrope_section=sections, mrope_interleaved=is_in_turn)
    assert repr(module) == repr(rotary(scaling, layout=layout))
    assert "(16, base=500000, scaling={'rope_type'" in repr(module)
    one, x = rotary(), torch.zeros(1)

    def sines(result):
        return result.imag if layout == "complex" else result[1]

    at = torch.stack((AT, AT + 1000, AT * 2))
    each = torch.stack([one(x, positions)[1][..., :8] for positions in at])
    want = torch.stack([each[axis, ..., k] for k, axis in enumerate(axes)], -1)
    want = {"pairs": want.repeat_interleave(2, -1), "halves": torch.cat((want, want), -1)}.get(layout, want)
    for each in (module, copy.deepcopy(module), pickle.loads(pickle.dumps(module)).to(torch.float16)):
        assert torch.equal(sines(each(x, at)), want)
    for same in (torch.stack((AT, AT, AT)), AT[None]):
        assert torch.equal(sines(module(x, same)), sines(module(x, AT)))
    with pytest.raises(ValueError, match=r"allowed: \(3, batch, sequence\)"):
        module(x, at[:2])


def test_interleaved_sections_that_exceed_the_frequencies():
    """Small configs of tests have them. As in transformers, axis i then has every third frequency from i on."""
    module, at = RotaryEmbedding(8, sections=[16, 8, 8], interleaved=True), torch.tensor([1, 2, 3])[:, None, None]
    right = torch.stack(
        [posenc.torch.pair(positions=at[i], d_model=8).sin[0, ..., k] for k, i in enumerate((0, 1, 2, 0))]
    )
    assert torch.equal(module(torch.zeros(1), at)[1].flatten()[:4], right.flatten())


@pytest.mark.parametrize(
    "arguments, error",
    [
        (dict(head_dim=1), "head_dim is 1; allowed: 2 to "),
        (dict(head_dim=15), "15 of 15 columns of a head would be rotated; allowed: an even number"),
        (dict(layout="split"), "layout is 'split'; allowed: 'halves', 'pairs', 'half', 'complex'"),
        (dict(dtype=torch.float64), "dtype is torch.float64; allowed: torch.float32, or None"),
        (dict(sections=(2, 3)), "are (2, 3); allowed: three numbers whose sum is 8"),
        (dict(sections=8), "are 8; allowed: three numbers whose sum is 8"),
        (dict(sections=(2, 3, 4)), "are (2, 3, 4); allowed: three numbers whose sum is 8"),
        (dict(interleaved=True), "interleaved is True; it needs sections"),
        (dict(base=1e4, scaling=dict(rope_theta=2e4)), "give one of them"),
        (dict(scaling="yarn"), "scaling is 'yarn'; allowed: a mapping"),
        (dict(scaling=dict(rope_type="dynamic", factor=2.0)), "max_position_embeddings is missing"),
        *((dict(head_dim=wrong), f"head_dim is {wrong!r}; allowed: an integer") for wrong in (128.0, None)),
    ],
)
def test_what_is_refused(arguments, error):
    kind = TypeError if error.endswith(("an integer", "a mapping")) else ValueError
    with pytest.raises(kind, match=re.escape(error)):
        RotaryEmbedding(**{"head_dim": 16, **arguments})


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
        rotary()(x, at)


def test_proportional():
    """Gemma 4: the first frequencies, then zeros."""
    cos, sin = rotary(dict(rope_type="proportional", partial_rotary_factor=0.25))(torch.zeros(1), AT)
    want = rotary()(torch.zeros(1), AT)
    assert torch.equal(cos[..., :2], want[0][..., :2]) and torch.equal(sin[..., 8:10], want[1][..., :2])
    assert bool((cos[..., 2:8] == 1).all()) and bool((sin[..., 2:8] == 0).all())


@needs("compile")
@inductor
def test_compiled():
    """Compiled by inductor, a module whose calls name the type of layer."""
    torch._dynamo.reset()
    module, x = RotaryEmbeddings({"far": rotary(YARN), "near": rotary()}), torch.zeros(1, dtype=torch.bfloat16)
    compiled = torch.compile(lambda x, at: (module(x, at, "far"), module(x, at, "near")), fullgraph=True)
    for at in (AT, AT[:, :3] + 5000, torch.tensor(7)):
        far, near = compiled(x, at)
        check(far, at, YARN, torch.bfloat16)
        check(near, at, None, torch.bfloat16)


@pytest.mark.parametrize("patched", [lambda: zero_init(torch.bfloat16), lambda: zero_init(torch.float16), on_meta])
def test_functions_of_pytorch_that_were_replaced(patched):
    """Neither memory for C nor a constant of the formula comes from a function that other packages replace."""
    _formula._kept.clear()
    x = torch.zeros(1)
    with patched():
        module = rotary(YARN)
        by_c, by_formula = module(x, AT), _rows._by_formula(AT, module._spec, torch.float64)
    check(by_c, AT, YARN, torch.float32)
    assert all((a[..., :8] - b).abs().max() < 2.0**-23 for a, b in zip(by_c, by_formula))


def test_ties_of_16_bits():
    """The cosine at 0 is the factor: a tie, which rounds to even, or a value just above a tie, which rounds up."""
    for factor, want in ((1 + 2.0**-8, 1.0), (1 + 2.0**-8 + 2.0**-50, 1 + 2.0**-7)):
        module, at = rotary({**YARN, "attention_factor": factor}), torch.tensor([0])
        by_c, _ = module(torch.zeros(1, dtype=torch.bfloat16), at)
        by_formula, _ = _rows._by_formula(at, module._spec, torch.bfloat16)
        assert by_c[0, 0] == by_formula[0, 0] == want
