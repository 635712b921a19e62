"""posenc.torch.replace_rotary and rotary_like: which modules of made-up classes they replace, and which they leave."""

import copy
import functools

import pytest
import torch
from kinds import kinds
from patched import on_meta, zero_init
from rotary_classes import (
    LAYERS,
    ByLength,
    Complex,
    Half,
    InAnotherOrder,
    InTurn,
    Kept,
    LastAxis,
    Layers,
    Mixed,
    NoConfig,
    Pairs,
    Partial,
    Rotary,
    Sections,
    Sines,
    Wide,
    config,
    frequencies,
)
from torch import nn
from versions import needs

import posenc.torch
from posenc.torch import RotaryEmbedding, _diffusers, replace_rotary, rotary_like


YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=1024, attention_factor=1.25)
AT, X = torch.arange(50)[None], torch.zeros(1)
THREE = torch.stack((AT, AT * 3, 7 + AT))


def exact(positions, d=64, **more):
    return posenc.torch.pair(positions=positions, d_model=d, base=500000.0, **more)


def cos_sin(result):
    return (result.real, result.imag) if isinstance(result, torch.Tensor) else result


#: For each column of a result, the index of its number of a position, and of its frequency.
HALVES = [(0, k) for k in range(32)] * 2


def of_axes(module):
    return [(axis, k) for k, axis in enumerate(module.axes)] * 2


@pytest.mark.parametrize(
    "module, at, columns",
    [
        (Rotary(config()), AT, HALVES),
        (Rotary(config()).bfloat16(), AT, HALVES),
        (NoConfig(config()), AT, HALVES),
        (NoConfig(config()).double(), AT, HALVES),
        (Pairs(config()), AT, [(0, j // 2) for j in range(64)]),
        (Half(config()), AT, HALVES[:32]),
        (Mixed(config()), AT, HALVES[5:32] + HALVES[31::-1]),
        (Wide(config()), AT, HALVES),
        (Complex(config()), AT, HALVES[:32]),
        (Sections(config()), THREE, of_axes(Sections)),
        (InTurn(config()), THREE, of_axes(InTurn)),
        (InAnotherOrder(config()), THREE, of_axes(InAnotherOrder)),
        (InTurn(config()), AT, HALVES),
        (LastAxis(config()).bfloat16(), THREE[:2, 0].T, [(j % 2, j // 2) for j in range(64)]),
    ],
)
def test_replaced(module, at, columns):
    """The new module has the layout of the old one, and the bits of posenc."""
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(module)).eval()
    inputs = X, X.bfloat16()
    results = [cos_sin(module(x, at)) for x in inputs]
    done = replace_rotary(model)
    assert done.replaced == ["1.0"] and done.left == {} and isinstance(model[1][0], RotaryEmbedding)
    assert not model[1][0].training
    numbers = at if at.dim() == 3 else at.T if at.shape[1] == 2 else [at]
    for x, old_values in zip(inputs, results):
        for part, old, new in zip(("cos", "sin"), old_values, cos_sin(model[1][0](x, at))):
            assert old.dtype == new.dtype and old.shape == new.shape
            assert module.inv_freq.dtype == torch.bfloat16 or (old - new).abs().max() < 2.0**-7
            by_number = [getattr(exact(number, dtype=new.dtype), part) for number in numbers]
            assert torch.equal(new, torch.stack([by_number[i][..., k] for i, k in columns], -1))
    done.undo()
    assert model[1][0] is module and replace_rotary(model).replaced == ["1.0"]
    assert replace_rotary(model) == type(done)([], {}, [])


def test_a_layer_type_that_is_ignored():
    model = nn.Sequential(Shared(config()))
    assert replace_rotary(model).replaced == ["0"]
    assert torch.equal(model[0](X, AT, "any")[0], exact(AT, duplicated="halves").cos)


def test_a_part_of_the_head():
    cos, _ = rotary_like(Partial(config()))(X, AT)
    assert torch.equal(cos, exact(AT, 16, duplicated="halves").cos)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_scaling(dtype):
    """The frequencies and the factor are those of the scaling, not the base's."""
    module = Rotary(config(rope_scaling=YARN))
    r = posenc.rotary_frequencies(64, 500000.0, scaling=YARN)
    module.inv_freq, module.attention_scaling = torch.tensor(r.freqs).to(dtype), 1.25
    cos, _ = rotary_like(module)(X, AT)
    right = 1.25 * posenc.torch.pair(positions=AT, d_model=64, freqs=r.freqs, dtype=torch.float64).cos
    assert (cos.double() - torch.cat((right, right), -1)).abs().max() <= 2.0**-24


@pytest.mark.parametrize("kind", ["dynamic", "longrope"])
def test_frequencies_that_depend_on_the_length(kind):
    scaled = config(rope_scaling=kinds(32, 1024)[kind])
    ours, theirs = rotary_like(ByLength(scaled)), ByLength(scaled)
    for end in (50, 1024, 1025, 4096, 4097, 9000, 70):
        at = torch.tensor([[1, end - 1]])
        assert all((a - b).abs().max() < 2e-3 for a, b in zip(ours(X, at), theirs(X, at)))


def test_after_a_long_sequence():
    """Dynamic frequencies may be those of a longer sequence. A short one resets them."""
    module = Kept(config(rope_scaling=kinds(32, 1024)["dynamic"]))
    module(X, torch.tensor([[9000]]))
    assert isinstance(rotary_like(module), RotaryEmbedding)


def test_layers():
    model = nn.Sequential(Layers(config(**LAYERS)))
    want = [model[0](X, AT, name) for name in LAYERS["rope_parameters"]]
    model[0].inv_freq = None
    assert replace_rotary(model).replaced == ["0"]
    for name, values in zip(LAYERS["rope_parameters"], want):
        assert all(torch.allclose(a, b, rtol=0, atol=1e-5) for a, b in zip(model[0](X, AT, name), values))
    for wrong in (None, "mid"):
        with pytest.raises(ValueError, match=f"layer_type is {wrong!r}; allowed: 'far', 'near'"):
            model[0](X, AT, wrong)


def test_the_factor_of_a_layer_type():
    parameters = dict(far=dict(YARN, rope_theta=500000.0), near=dict(rope_theta=10000.0))
    module = Layers(config(rope_parameters=parameters), (1.25, 1.0))
    module.far_inv_freq = torch.tensor(posenc.rotary_frequencies(64, 500000.0, scaling=YARN).freqs).float()
    ours = rotary_like(module)
    assert (ours.far_attention_scaling, ours.near_attention_scaling) == (1.25, 1.0)
    assert ours(X, AT, "far")[0][0, 0, 0] == 1.25 and ours(X, AT, "near")[0][0, 0, 0] == 1
    module.near_attention_scaling = 1.25
    with pytest.raises(ValueError, match="its cosines have the factor 1.25; its scaling gives 1"):
        rotary_like(module)


# ---- Modules whose values are others


class Shared(Rotary):
    """Takes the type of layer, as others of its model do, and has the same frequencies for all."""

    def forward(self, x, position_ids, layer_type=None):
        return super().forward(x, position_ids)


def with_more(**more):
    """A rotary module with more parameters, buffers and modules."""
    module = Rotary(config())
    for name, value in more.items():
        if type(value) is torch.Tensor:
            module.register_buffer(name, value)
        else:
            setattr(module, name, value)
    return module


class TrainedRotaryEmbedding(Rotary):
    def __init__(self, config):
        super().__init__(config)
        del self.inv_freq
        self.inv_freq = nn.Parameter(frequencies(config))


class Changed(Rotary):
    """Changes the positions by a function of the module, x and the positions."""

    def __init__(self, change):
        super().__init__(config())
        self.change = change

    def forward(self, x, position_ids):
        return super().forward(x, self.change(self, x, position_ids))


class Counts(Rotary):
    """Changes itself when it is called."""

    calls = 0

    def forward(self, x, position_ids):
        self.calls += 1
        return super().forward(x, position_ids * self.calls)


class OneTangent(Rotary):
    def forward(self, x, position_ids):
        cos, sin = super().forward(x, position_ids)
        return cos, torch.cat((sin[..., :-1], (sin / cos)[..., -1:]), -1)


class Angles(Rotary):
    def forward(self, x, position_ids):
        return position_ids[..., None] * self.inv_freq


class Pixels(Rotary):
    def forward(self, pixel_values):
        return super().forward(pixel_values, AT)


class Refuses(Rotary):
    def forward(self, x, position_ids):
        raise KeyError("no positions\x1b")


class OneNumber(Sections):
    """Means time alone by one number for each token."""

    def forward(self, x, position_ids):
        if position_ids.dim() == 2:
            position_ids = torch.stack((position_ids, 0 * position_ids, 0 * position_ids))
        return super().forward(x, position_ids)


class OfAnotherBase(Rotary):
    """Its base is near that of its config: float16 tells them apart."""

    def __init__(self, config):
        super().__init__(config)
        self.inv_freq = frequencies(config, 1.002 * config.rope_theta)


NOT_THE_VALUES = "it does not return the values of"
NO_BASE = "its frequencies are not those of its config, and no base gives them"


@pytest.mark.parametrize(
    "module, why",
    [
        (with_more(log_scale=nn.Parameter(torch.tensor(0.1))), "it has parameters: log_scale"),
        (
            with_more(shift=torch.tensor(3)),
            "it has buffers other than inv_freq (posenc.torch.audit says how to replace a table): shift",
        ),
        (with_more(child=nn.Linear(1, 1)), "it has parameters: child.weight, child.bias"),
        (with_more(child=nn.Dropout()), "it has modules: child"),
        (with_more(local_inv_freq=torch.ones(32)), "it has inv_freq beside the frequencies of layer types"),
        (Changed(lambda self, x, at: at * 0.25), "at position 1 its angles are not its frequencies"),
        (Changed(lambda self, x, at: at if self.training else 2 * at), NOT_THE_VALUES),
        (Changed(lambda self, x, at: 2 * at if self.training else at).eval(), NOT_THE_VALUES),
        (Changed(lambda self, x, at: at * (1 + (len(at) > 1))), NOT_THE_VALUES),
        (Changed(lambda self, x, at: at[:1].expand(len(at), -1)), NOT_THE_VALUES),
        (Changed(lambda self, x, at: at + ((40 < at) & (at < 110))), NOT_THE_VALUES),
        (Changed(lambda self, x, at: at.clamp(max=4095)), NOT_THE_VALUES),
        (Changed(lambda self, x, at: at + (x.float().sum() > 0)), ""),
        (Changed(lambda self, x, at: at.to(x.dtype)), NOT_THE_VALUES),
        (TrainedRotaryEmbedding(config()), "it has parameters: inv_freq"),
        (Counts(config()), NOT_THE_VALUES),
        (Changed(lambda self, x, at: at + torch.randint(2, (1,))), ""),
        (Sines(config()), "at position 0 it does not return equal cosines, and sines that are 0"),
        (OneTangent(config()), NOT_THE_VALUES),
        (Angles(config()), "it returns neither cosines and sines nor a complex tensor"),
        (Pixels(config()), "its forward takes (pixel_values), not (x, position_ids)"),
        (Refuses(config()), "it cannot be called: KeyError: 'no positions\\x1b'"),
        (NoConfig(config(), 501234.5), "it has no config, and no base gives its frequencies"),  # no round number
        (NoConfig(config()).bfloat16(), "it has no config, and 16 bits do not tell its exact frequencies"),
        (OfAnotherBase(config()).half(), NO_BASE),
        (OneNumber(config()), NOT_THE_VALUES),
        (Rotary(config()).to("meta"), "its frequencies are on the meta device; load the weights first"),
    ],
)
def test_left(module, why):
    model, before = nn.Sequential(module), copy.deepcopy(vars(module))
    done = replace_rotary(model)
    assert done.replaced == [] and list(done.left) == ["0"] and model[0] is module
    assert why in done.left["0"]
    with pytest.raises(ValueError) as refused:
        rotary_like(module)
    assert why in str(refused.value)
    assert module._buffers.keys() == before["_buffers"].keys() and getattr(module, "calls", 0) == 0


def test_nothing_else_changes():
    """Neither the module nor the random state. The module is not called, and its hooks are not copied."""
    module, calls = ByLength(config(rope_scaling=kinds(32, 1024)["dynamic"])), []
    module.whole_model = [object()]
    module.register_forward_hook(lambda *arguments: calls.append(arguments))
    state, before = torch.get_rng_state(), module.inv_freq
    replace_rotary(nn.Sequential(module))
    assert torch.equal(torch.get_rng_state(), state) and module.inv_freq is before and calls == []
    torch.set_default_dtype(torch.float64)
    try:
        assert replace_rotary(nn.Sequential(Rotary(config()))).replaced == ["0"]
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_the_number_of_calls(monkeypatch):
    """A module that 80 layers share is called as often as a single one."""
    calls = []
    monkeypatch.setattr(Half, "arranged", lambda self, angles: calls.append(1) or angles)
    rotary = Half(config())
    rotary_like(rotary)
    alone = len(calls)
    layers = [nn.ModuleDict({"rotary": rotary, "norm": nn.LayerNorm(4)}) for _ in range(80)]
    assert len(replace_rotary(nn.Sequential(*layers)).replaced) == 80
    assert len(calls) == 2 * alone < 400


def test_odd_classes():
    """A class without a module, and functions that are wrapped in a circle."""

    class Nowhere(Rotary):
        __module__ = None

    def circle(self, x):
        return x.sin() + x.cosh()

    functools.wraps(circle)(circle)

    class Circle(nn.Module):
        forward = circle

    model = nn.Sequential(Nowhere(config()), Circle())
    assert replace_rotary(model).replaced == ["0"] and replace_rotary(model).left == {}


class Foreign:
    """As a proxy, or a module that is imported late: it runs code when it is asked for anything."""

    def __getattr__(self, name):
        raise RuntimeError(name)


FOREIGN = Foreign()


@torch.no_grad()
def of_angles(positions, d):
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
    return torch.polar(torch.ones_like(angles), angles)


class InOneFunction(nn.Module):
    def forward(self, x):
        return FOREIGN and [x + of_angles(torch.arange(len(x)), 2 * x.shape[1]).real for _ in range(2)]


class PlainObject:
    @functools.cached_property
    def both(self):
        return [(lambda x: x.cos_())(torch.zeros(3)), torch.zeros(3).sin_()]


class Empty(nn.Module):
    pass


class OwnSine(nn.Embedding, PlainObject):
    """Its first base class is one of PyTorch. The second one computes."""


def test_what_is_not_known_is_left():
    """Modules and attributes of modules count, by the code of their class. No other code runs."""
    model = nn.Sequential(InOneFunction(), nn.Linear(2, 2), nn.Sequential(posenc.torch.Timesteps(8, True, 0)), Empty())
    model[1].rope, model[1].weights, model[2].fn, model[1].foreign = PlainObject(), {"pos": 1}, torch.cos, FOREIGN
    model.add_module("4", OwnSine(2, 2))
    model.add_module("5", torch.jit.script(nn.Linear(2, 2)))
    done = replace_rotary(model)
    why = "its {} computes sines and cosines, and posenc does not know its class "
    why += "(SinusoidalPositionalEncoding replaces PyTorch's tutorial's); " + _diffusers.SEE
    left = {"0": why.format("forward"), "1.rope": why.format("both"), "4": why.format("both")}
    assert done.replaced == [] and done.left == left
    assert replace_rotary(InOneFunction()).left == {"": why.format("forward")}
    assert replace_rotary(nn.Transformer(16, 2, 1, 1, 16)).left == {}


def test_frequencies_and_factors_can_be_read():
    """As in transformers' modules. No cast rounds them."""
    model = nn.Sequential(Rotary(config()), Layers(config(**LAYERS)))
    want = model[0].inv_freq, model[1].far_inv_freq, model[1].near_inv_freq
    replace_rotary(model)
    model.bfloat16()
    values = model[0].inv_freq, model[1].far_inv_freq, model[1].near_inv_freq
    assert all(a.dtype == b.dtype and torch.allclose(a, b, rtol=1e-6, atol=0) for a, b in zip(values, want))
    assert model[0].attention_scaling == model[1].near_attention_scaling == 1
    with pytest.raises(AttributeError, match="inv_freq is read-only"):
        model[0].inv_freq = want[0] / 2
    for module, name in (model[0], "far_inv_freq"), (model[1], "inv_freq"), (model[1], "mid_inv_freq"):
        assert not hasattr(module, name)


def test_a_module_that_was_changed():
    """Frequencies that were rounded to 16 bits, or another base, do not count as changed."""
    names = "rounded", "base", "halved", "learned", "factor", "patched"
    model = nn.ModuleDict({name: Rotary(config()) for name in names})
    model["rounded"].bfloat16()
    model["base"].inv_freq = frequencies(config(), 10000.0)
    for name, scale in (("halved", 0.5), ("learned", 1.003)):
        model[name].inv_freq.mul_(scale)
    model["factor"].attention_scaling = 2.0
    model["patched"].forward = lambda x, position_ids: (x, x)
    done = replace_rotary(model)
    assert done.replaced == ["rounded", "base"] and model["base"].base == 10000
    assert done.left == {
        **dict.fromkeys(("halved", "learned"), NO_BASE),
        "factor": "its cosines have the factor 2; its scaling gives 1",
        "patched": "its forward was replaced, as accelerate does",
    }


@needs("set_default_device")
def test_another_default_device():
    model = nn.Sequential(Rotary(config()))
    with torch.device("meta"):
        assert replace_rotary(model).replaced == ["0"]
    with on_meta():
        done = replace_rotary(nn.Sequential(Rotary(config())))
    assert done.left == {"0": "new tensors are on the meta device; call posenc outside of that context"}


class Floats(Rotary):
    """Uses a function that DeepSpeed's zero.Init replaces, as Llama's module does."""

    def __init__(self, config):
        super().__init__(config)
        self.inv_freq = 1.0 / config.rope_theta ** (torch.arange(0, 64, 2, dtype=torch.float) / 64)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_module_made_in_zero_init_is_replaced(dtype):
    with zero_init(dtype):
        model = nn.Sequential(Floats(config()), Floats(config()))
    assert not torch.allclose(model[0].inv_freq.float(), frequencies(config()), rtol=2.0**-10)
    model[1].inv_freq.mul_(1.1)
    assert replace_rotary(model).replaced == ["0"]


def test_the_model_itself_is_left():
    done = replace_rotary(Rotary(config()))
    assert done.replaced == [] and "assign posenc.torch.rotary_like(module)" in done.left[""]


def test_shared_modules_and_hooks():
    rotary, calls = Rotary(config()), []
    model = nn.ModuleDict({"a": nn.Sequential(rotary), "b": nn.Sequential(rotary)})
    rotary.register_forward_hook(lambda module, arguments, result: calls.append(type(module)))
    rotary._register_state_dict_hook(lambda *arguments: calls.append("state_dict"))
    handle = rotary.register_forward_pre_hook(lambda module, arguments: calls.append("before"))
    assert replace_rotary(model).replaced == ["a.0", "b.0"]
    assert model["a"][0] is model["b"][0]
    model["a"][0](X, AT)
    assert calls == ["before", RotaryEmbedding]
    handle.remove()
    model["a"][0](X, AT)
    model.state_dict()
    assert calls == ["before", RotaryEmbedding, RotaryEmbedding, "state_dict", "state_dict"]  # once for each name


def test_timesteps():
    """With the name of diffusers' module."""

    class Timesteps(posenc.torch.Timesteps):
        def forward(self, timesteps):
            angles = 1000 * timesteps[:, None] * 10000.0 ** (-torch.arange(4) / 4)
            return self.wrong * torch.cat((angles.cos(), angles.sin(), 0 * timesteps[:, None]), -1)

    Timesteps.__module__ = "diffusers.models.embeddings"
    for wrong in (1.0, 1.1):
        Timesteps.wrong = wrong
        done = replace_rotary(nn.Sequential(Timesteps(9, True, 0, 1000)))
        left = {} if wrong == 1 else {"0": f"it returns other values than Timesteps; {_diffusers.SEE}"}
        assert done.left == left and done.replaced == (["0"] if wrong == 1 else [])


def test_the_module_of_timesteps():
    module, at = posenc.torch.Timesteps(9, True, 0), torch.tensor([3.5])
    assert torch.equal(module(at), posenc.torch.timestep_embedding(at, 9, True, 0))
    beyond = module(torch.tensor([1.0, torch.nan, torch.inf, 1e10]))[:, :8].isnan().any(1)
    assert beyond.tolist() == [False, True, True, True]
    scaled = posenc.torch.Timesteps(8, True, 0, scale=2.0)
    assert scaled(torch.tensor([2**31, 2**31 + 1])).isnan().all(1).tolist() == [False, True]
