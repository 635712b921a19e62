"""posenc.torch.replace_rotary: the modules that it replaces, and those that it leaves; hooks, and undo."""

import functools
import types

import pytest
import torch
from patched import zero_init
from torch import nn
from versions import needs

import posenc.torch
from posenc.torch import RotaryEmbedding, _replace, replace_rotary


def config(**more):
    fields = dict(model_type="llama", head_dim=64, max_position_embeddings=4096, rope_theta=500000.0)
    return types.SimpleNamespace(**{**fields, **more})


def frequencies(config, base=None):
    d = config.head_dim
    return 1.0 / (base or config.rope_theta) ** (torch.arange(0, d, 2).float() / d)


class Rotary(nn.Module):
    """As in transformers' models."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.register_buffer("inv_freq", frequencies(config), persistent=False)
        self.attention_scaling = 1.0

    def forward(self, x, position_ids):
        angles = position_ids[..., None].float() * self.inv_freq.float()
        both = torch.cat((angles, angles), -1)
        return both.cos().to(x.dtype), both.sin().to(x.dtype)


class Pairs(Rotary):
    def forward(self, x, position_ids):
        return tuple(v[..., : v.shape[-1] // 2].repeat_interleave(2, -1) for v in super().forward(x, position_ids))


class Half(Rotary):
    def forward(self, x, position_ids):
        return tuple(v[..., : v.shape[-1] // 2] for v in super().forward(x, position_ids))


class Wide(Rotary):
    def forward(self, x, position_ids):
        return super().forward(x.float(), position_ids)


class Complex(Half):
    def forward(self, x, position_ids):
        return torch.complex(*super().forward(x.float(), position_ids))


class Sines(Rotary):
    def forward(self, x, position_ids):
        return super().forward(x, position_ids)[::-1]


class Other(Rotary):
    def __init__(self, config, base=10000.0):
        super().__init__(config)
        self.inv_freq = frequencies(config, base)


class Short(Rotary):
    """Correct up to its original length."""

    def forward(self, x, position_ids):
        return super().forward(x, position_ids.clamp(max=self.config.max_position_embeddings))


class TrainedRotaryEmbedding(Rotary):
    def __init__(self, config):
        super().__init__(config)
        del self.inv_freq
        self.inv_freq = nn.Parameter(frequencies(config))


class Scaled(Rotary):
    def __init__(self, config, position_scale=1.0):
        super().__init__(config)
        self.position_scale = position_scale

    def forward(self, x, position_ids):
        return super().forward(x, position_ids * self.position_scale)


class Pixels(Rotary):
    def forward(self, pixel_values):
        return super().forward(pixel_values, AT)


class Floats(Rotary):
    """Uses a function that DeepSpeed's zero.Init replaces, as Llama's module does."""

    def __init__(self, config):
        super().__init__(config)
        self.inv_freq = 1.0 / config.rope_theta ** (torch.arange(0, 64, 2, dtype=torch.float) / 64)


class NoConfig(Rotary):
    def __init__(self, config, base=None):
        super().__init__(config)
        self.inv_freq = frequencies(config, base)
        del self.config


class Layers(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        for name, kind in config.rope_parameters.items():
            self.register_buffer(f"{name}_inv_freq", frequencies(config, kind["rope_theta"]), persistent=False)
            self.register_buffer(f"{name}_original_inv_freq", frequencies(config, kind["rope_theta"]), persistent=False)

    def forward(self, x, position_ids, layer_type):
        self.inv_freq = getattr(self, f"{layer_type}_inv_freq")  # must not remain in the model's own module
        return Rotary.forward(self, x, position_ids)


LAYERS = dict(rope_parameters={"far": dict(rope_theta=500000.0), "near": dict(rope_theta=10000.0)})
AT, X = torch.arange(50)[None], torch.zeros(1)


@pytest.mark.parametrize(
    "module",
    [
        Rotary(config()),
        Rotary(config()).bfloat16(),  # its frequencies are rounded, but a new instance is probed
        Pairs(config(model_type="cohere")),
        Pairs(config(model_type="unknown")),
        Rotary(config(model_type="unknown")),
        Half(config(model_type="gpt_oss")),
        Wide(config(model_type="olmo")),
        Complex(config(model_type="llama4_text")),
    ],
)
def test_replaced(module):
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(module)).eval()
    want = type(module)(module.config)(X, AT)
    done = replace_rotary(model)
    assert done.replaced == ["1.0"] and done.left == {} and isinstance(model[1][0], RotaryEmbedding)
    assert not model[1][0].training
    for a, b in zip(want, model[1][0](X, AT)):
        assert a.dtype == b.dtype and torch.allclose(a, b, rtol=0, atol=1e-5)
    done.undo()
    assert model[1][0] is module and replace_rotary(model).replaced == ["1.0"]
    assert replace_rotary(model) == type(done)([], {}, [])


def test_layers():
    model = nn.Sequential(Layers(config(**LAYERS)))
    want = [model[0](X, AT, name) for name in LAYERS["rope_parameters"]]
    model[0].inv_freq = None
    assert replace_rotary(model).replaced == ["0"]
    for name, values in zip(LAYERS["rope_parameters"], want):
        assert all(torch.allclose(a, b, rtol=0, atol=1e-5) for a, b in zip(model[0](X, AT, name), values))


UNKNOWN = f"it has no config, and posenc does not know its class; {{}}{_replace._SEE}"
RETURNS = "it returns {}, {}, and RotaryEmbedding {}, {}"


@pytest.mark.parametrize(
    "module, why",
    [
        (Half(config()), RETURNS.format(*2 * ["float32 of shape (1, 16, 32)"], *2 * ["float32 of shape (1, 16, 64)"])),
        (Wide(config()), RETURNS.format(*2 * ["float32 of shape (1, 16, 64)"], *2 * ["bfloat16 of shape (1, 16, 64)"])),
        (Sines(config()), "it returns other values"),
        (Short(config()), "it returns other values"),
        (Sines(config(model_type="unknown")), "it returns other values"),
        (Other(config()), "it returns other values"),
        (
            NoConfig(config()),
            UNKNOWN.format("its frequencies are those of posenc.torch.RotaryEmbedding(64, base=500000.0); "),
        ),
        (NoConfig(config(), 501234.5), UNKNOWN.format("")),  # no round number
        (NoConfig(config(), 0.5), UNKNOWN.format("")),
        (Pixels(config(model_type="unknown")), "its forward takes (pixel_values), not (x, position_ids)"),
        (
            Rotary(config(model_type="sam3_vit_model")),
            "the model_type 'sam3_vit_model' is not supported: its rotary embedding has a result with one axis more than "
            f"position_ids; {_replace._SEE}",
        ),
        (Scaled(config(), 0.25), "its position_scale is 0.25, and 1.0 according to its config"),
        (Rotary(config(**LAYERS)), "it has no frequencies of the config's layer types"),
        (Rotary(config(head_dim=63)), "63 of 63 columns of a head would be rotated; allowed: an even number from 2 on"),
    ],
)
def test_left(module, why):
    model = nn.Sequential(module)
    done = replace_rotary(model)
    assert done.replaced == [] and done.left == {"0": why} and model[0] is module


class Foreign:
    """As a proxy, or a module that is imported late: it runs code when it is asked for anything."""

    def __getattr__(self, name):
        raise RuntimeError(name)


FOREIGN = Foreign()


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


class OwnSine(nn.Embedding, PlainObject):
    """A class of PyTorch stands before the one that computes."""


class OfPosenc(nn.Module):
    """Reads fields of these names, and calls nothing of them."""

    def forward(self, x):
        return posenc.torch.pair(3, 8).cos + posenc.torch.pair(3, 8).sin


def test_what_is_not_known_is_left():
    """Modules and attributes of modules count, by the code of their class. No other code runs."""
    model = nn.Sequential(
        InOneFunction(), nn.Linear(2, 2), nn.Sequential(posenc.torch.Timesteps(8, True, 0)), OfPosenc()
    )
    model[1].rope, model[1].weights, model[2].fn, model[1].foreign = PlainObject(), {"pos": 1}, torch.cos, FOREIGN
    model.add_module("4", OwnSine(2, 2))
    model.add_module("5", torch.jit.script(nn.Linear(2, 2)))
    done = replace_rotary(model)
    said = "its {} computes sines and cosines, and posenc does not know its class "
    said += "(SinusoidalPositionalEncoding replaces PyTorch's tutorial's); " + _replace._SEE
    left = {"0": said.format("forward"), "1.rope": said.format("both"), "4": said.format("both")}
    assert done.replaced == [] and done.left == left
    assert replace_rotary(InOneFunction()).left == {"": said.format("forward")}
    assert replace_rotary(nn.Transformer(16, 2, 1, 1, 16)).left == {}


def test_frequencies_and_factors_can_be_read():
    """As in transformers' modules. No cast rounds them."""
    model = nn.Sequential(Rotary(config()), Layers(config(**LAYERS)))
    want = model[0].inv_freq, model[1].far_inv_freq, model[1].near_inv_freq
    replace_rotary(model)
    model.bfloat16()
    found = model[0].inv_freq, model[1].far_inv_freq, model[1].near_inv_freq
    assert all(a.dtype == b.dtype and torch.allclose(a, b, rtol=1e-6, atol=0) for a, b in zip(found, want))
    assert model[0].attention_scaling == model[1].near_attention_scaling == 1
    with pytest.raises(AttributeError, match="inv_freq is read-only"):
        model[0].inv_freq = want[0] / 2
    for module, name in (model[0], "far_inv_freq"), (model[1], "inv_freq"), (model[1], "mid_inv_freq"):
        assert not hasattr(module, name)


def test_a_module_that_was_changed_is_left():
    """Frequencies that were rounded to 16 bits do not count as changed."""
    names = "rounded", "other", "scaled", "learned", "factor", "patched"
    model = nn.ModuleDict({name: Rotary(config()) for name in names})
    model["trained"] = TrainedRotaryEmbedding(config())
    model["trained"].inv_freq.data.mul_(1.003)
    model["rounded"].bfloat16()
    for name, scale in (("other", 0.5), ("scaled", 1.003), ("learned", 2.0)):
        model[name].inv_freq.mul_(scale)
        if name != "other":
            model[name].original_inv_freq = frequencies(config())
    model["scaled"].original_inv_freq.mul_(1.003)
    model["factor"].attention_scaling = 2.0
    model["patched"].forward = lambda x, position_ids: (x, x)
    done = replace_rotary(model)
    assert done.replaced == ["rounded"]
    assert done.left == {
        **dict.fromkeys(("other", "scaled", "learned", "trained"), "its frequencies are not those of its config"),
        "factor": "its attention_scaling is 2.0, and 1.0 according to its config",
        "patched": "its forward was replaced, as accelerate does",
    }


@needs("set_default_device")
def test_on_the_meta_device():
    with torch.device("meta"):
        done = replace_rotary(nn.Sequential(Rotary(config())))
    assert done.left == {"0": "new tensors are on the meta device; call replace_rotary outside of that context"}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_module_made_in_zero_init_is_replaced(dtype):
    with zero_init(dtype):
        model = nn.Sequential(Floats(config()), Floats(config()))
    assert not torch.allclose(model[0].inv_freq.float(), frequencies(config()), rtol=2.0**-10)
    model[1].inv_freq.mul_(1.1)
    assert replace_rotary(model).replaced == ["0"]


def test_the_model_itself_is_left():
    done = replace_rotary(Rotary(config()))
    assert done.replaced == [] and "the model itself" in done.left[""]


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


def test_the_default_dtype_is_left_alone():
    torch.set_default_dtype(torch.float64)
    try:
        model = nn.Sequential(Rotary(config()))
        assert replace_rotary(model).replaced == ["0"] and torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


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
        left = {} if wrong == 1 else {"0": f"it returns other values; {_replace._SEE}"}
        assert done.left == left and done.replaced == (["0"] if wrong == 1 else [])


def test_the_module_of_timesteps():
    module, at = posenc.torch.Timesteps(9, True, 0), torch.tensor([3.5])
    assert torch.equal(module(at), posenc.torch.timestep_embedding(at, 9, True, 0))
    beyond = module(torch.tensor([1.0, torch.nan, torch.inf, 1e10]))[:, :8].isnan().any(1)
    assert beyond.tolist() == [False, True, True, True]
