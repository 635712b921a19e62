"""Rotary modules of made-up classes, whose results are those of their frequencies."""

import types

import posenc
import torch
from torch import nn


def config(**more):
    fields = dict(model_type="of_nobody", head_dim=64, max_position_embeddings=4096, rope_theta=500000.0)
    return types.SimpleNamespace(**{**fields, **more})


def frequencies(config, base=None):
    d = config.head_dim
    return 1.0 / (base or config.rope_theta) ** (torch.arange(0, d, 2).float() / d)


class Rotary(nn.Module):
    """As in transformers' models: columns in halves, and the dtype of x."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.register_buffer("inv_freq", frequencies(config), persistent=False)
        self.attention_scaling = 1.0

    def arranged(self, angles):
        return torch.cat((angles, angles), -1)

    def forward(self, x, position_ids):
        angles = self.arranged(position_ids[..., None].float() * self.inv_freq.float())
        factor = self.attention_scaling
        return (angles.cos() * factor).to(x.dtype), (angles.sin() * factor).to(x.dtype)


class Pairs(Rotary):
    def arranged(self, angles):
        return angles.repeat_interleave(2, -1)


class Half(Rotary):
    def arranged(self, angles):
        return angles


class Mixed(Rotary):
    """Columns in an order of its own."""

    def arranged(self, angles):
        return torch.cat((angles, angles.flip(-1)), -1)[..., 5:]


class Wide(Rotary):
    def forward(self, x, position_ids):
        return super().forward(x.float(), position_ids)


class Complex(Half):
    def forward(self, x, position_ids):
        return torch.complex(*super().forward(x.float(), position_ids))


class NoConfig(Rotary):
    def __init__(self, config, base=None):
        super().__init__(config)
        self.inv_freq = frequencies(config, base)
        del self.config


class Partial(Rotary):
    """Rotates a quarter of the columns."""

    def __init__(self, config):
        super().__init__(config)
        self.inv_freq = frequencies(types.SimpleNamespace(head_dim=16, rope_theta=config.rope_theta))


class Sections(Rotary):
    """Time, height and width on the first axis of the positions."""

    axes = [0] * 8 + [1] * 12 + [2] * 12

    def forward(self, x, position_ids):
        if position_ids.dim() == 2:
            position_ids = position_ids.expand(3, -1, -1)
        angles = (position_ids[..., None].float() * self.inv_freq)[self.axes, :, :, range(32)].movedim(0, -1)
        return tuple(self.arranged(v).to(x.dtype) for v in (angles.cos(), angles.sin()))


class InTurn(Sections):
    axes = [k % 3 for k in range(32)]


class InAnotherOrder(Sections):
    axes = [(2, 0, 1, 1)[k % 4] for k in range(32)]


class LastAxis(Rotary):
    """Height and width on the last axis of the positions, without a batch; bfloat16 rounds the frequencies."""

    def forward(self, x, position_ids):
        angles = self.arranged((position_ids[..., None].float() * self.inv_freq.float()).transpose(-1, -2).flatten(-2))
        return angles.cos(), angles.sin()

    def arranged(self, angles):
        assert angles.dim() == 2
        return angles


class Layers(nn.Module):
    def __init__(self, config, factors=(1.0, 1.0)):
        super().__init__()
        self.config = config
        for (name, kind), factor in zip(config.rope_parameters.items(), factors):
            self.register_buffer(f"{name}_inv_freq", frequencies(config, kind["rope_theta"]), persistent=False)
            self.register_buffer(f"{name}_original_inv_freq", frequencies(config, kind["rope_theta"]), persistent=False)
            setattr(self, f"{name}_attention_scaling", factor)

    def forward(self, x, position_ids, layer_type):
        self.inv_freq = getattr(self, f"{layer_type}_inv_freq")  # must not remain in the model's own module
        self.attention_scaling = getattr(self, f"{layer_type}_attention_scaling")
        return Rotary.forward(self, x, position_ids)

    arranged = Rotary.arranged


class ByLength(Rotary):
    """Its frequencies depend on the length of the sequence."""

    def __init__(self, config):
        super().__init__(config)
        self.set_frequencies(torch.zeros(1))
        self.original_inv_freq = self.inv_freq

    def set_frequencies(self, positions):
        c = self.config
        more = dict(length=int(positions.max()) + 1, max_position_embeddings=c.max_position_embeddings)
        r = posenc.rotary_frequencies(c.head_dim, c.rope_theta, scaling=c.rope_scaling, **more)
        self.inv_freq, self.attention_scaling = torch.tensor(r.freqs).float(), r.attention_factor

    def forward(self, x, position_ids):
        self.set_frequencies(position_ids)
        return super().forward(x, position_ids)


class Kept(ByLength):
    """As in transformers: the frequencies of a longer sequence stay, until one is shorter than the original length."""

    def __init__(self, config):
        super().__init__(config)
        self.longest = config.max_position_embeddings

    def forward(self, x, position_ids):
        length, most = int(position_ids.max()) + 1, self.config.max_position_embeddings
        if length > self.longest:
            self.set_frequencies(position_ids)
            self.longest = length
        if length < most < self.longest:
            self.inv_freq, self.longest = self.original_inv_freq, most
        return Rotary.forward(self, x, position_ids)


class Sines(Rotary):
    def forward(self, x, position_ids):
        return super().forward(x, position_ids)[::-1]


LAYERS = dict(rope_parameters={"far": dict(rope_theta=500000.0), "near": dict(rope_theta=10000.0)})
