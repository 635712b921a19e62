"""posenc.torch.audit: what it finds in models, and that the lines it gives make all bits right."""

import math
import types

import pytest
import torch
from torch import nn
from tutorial import Annotated, Tutorial, table

import posenc.torch
from posenc.torch import audit


class Rotary(nn.Module):
    def __init__(self, d=64, base=500000.0, **config):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / base ** (torch.arange(0, d, 2).float() / d), persistent=False)
        if config:
            self.config = types.SimpleNamespace(head_dim=d, rope_theta=base, **config)

    def forward(self, x, position_ids):
        angles = position_ids[..., None].float() * self.inv_freq.float()
        both = torch.cat((angles, angles), -1)
        return both.cos().to(x.dtype), both.sin().to(x.dtype)


class Caches(nn.Module):
    """Of old versions of Llama, GPT-NeoX and GPT-J."""

    def __init__(self, rows=300, d=16):
        super().__init__()
        angles = torch.outer(torch.arange(rows).float(), 1.0 / 10000 ** (torch.arange(0, d, 2).float() / d))
        both = torch.cat((angles, angles), -1)
        self.register_buffer("cos_cached", both.cos()[None, None])
        self.register_buffer("sin_cached", both.sin()[None, None])
        self.freqs_cis = torch.polar(torch.ones_like(angles), angles)
        self.register_buffer("embed_positions", torch.cat((angles.sin(), angles.cos()), 1))


def fairseq(rows=100, d=32, padding=1):
    k = torch.arange(d // 2) * -(math.log(10000) / (d // 2 - 1))
    angles = torch.arange(rows)[:, None] * k.exp()
    embedding = nn.Embedding(rows, d, padding)
    embedding.weight.data = torch.cat((angles.sin(), angles.cos()), 1)
    embedding.weight.data[padding] = 0
    return embedding


def test_tables():
    model = nn.Sequential(
        Tutorial(64),
        nn.Linear(64, 64),
        nn.Embedding(50, 32),
        fairseq(),
        nn.LayerNorm(8),
        Annotated(32, 0.1, 700),
        Caches(),
    )
    nn.init.ones_(model[1].weight)
    found = {finding.name: finding for finding in audit(model)}
    assert [*found] == ["0.pe", "3.weight", "5.pe", "6.cos_cached", "6.sin_cached", "6.embed_positions", "6.freqs_cis"]
    pe = found["0.pe"]
    want = posenc.torch.table(5000, 64, dtype=torch.float64)
    off = (table(64, 5000) - want).abs()
    assert pe.error == pytest.approx(float(off.max()), rel=1e-3) and off[pe.position, pe.column] == off.max()
    assert "preset='paper', base=10000.0 (paper), float32 exp-log" in pe.recipe and pe.replacement in str(pe)
    assert found["6.cos_cached"].recipe == found["6.sin_cached"].recipe
    assert "fairseq" in found["3.weight"].recipe
    for finding in found.values():
        assert finding.error > 0
        exec(finding.replacement, {"model": model, "posenc": posenc})
    assert not model[3].weight[1].any()
    for finding in audit(model):
        assert finding.error == 0 and not finding.replacement and str(finding).endswith("all bits right")
    assert len(audit(model)) == len(found)
    assert torch.equal(model[0].pe[:, 0], posenc.torch.table(5000, 64))


def test_a_model_in_bfloat16():
    (found,) = audit(nn.Sequential(Tutorial(64)).bfloat16())
    assert 2.0**-9 < found.error < 2.0**-7 and "bfloat16" in found.replacement
    holder = nn.Module()
    holder.pe = posenc.torch.table(90, 64, dtype=torch.bfloat16).float()
    assert 2.0**-10 < audit(holder)[0].error < 2.0**-8
    assert not audit(nn.Sequential(posenc.torch.SinusoidalPositionalEncoding(64)).bfloat16())[0].error


def test_frequencies():
    model = nn.ModuleDict(
        {
            "a": nn.Sequential(Rotary()),
            "b": nn.Sequential(Rotary(max_position_embeddings=4096)),
            "c": Rotary().bfloat16(),
        }
    )
    found = {finding.name: finding for finding in audit(model)}
    assert [*found] == ["a.0.inv_freq", "b.0.inv_freq", "c.inv_freq"]
    far = found["a.0.inv_freq"]
    assert 2e-3 < far.error < 2e-2 and far.position > 65536 and "base=500000.0" in str(far)
    assert 1e-5 < found["b.0.inv_freq"].error < 1e-3 and found["c.inv_freq"].error > 0.1
    exec(found["b.0.inv_freq"].replacement, {"model": model, "posenc": posenc})
    assert isinstance(model["b"][0], posenc.torch.RotaryEmbedding)
    assert [finding.name for finding in audit(model)] == ["a.0.inv_freq", "c.inv_freq"]


class Pairs(Rotary):
    def forward(self, x, position_ids):
        return tuple(v[..., : v.shape[-1] // 2].repeat_interleave(2, -1) for v in super().forward(x, position_ids))


class Half(Rotary):
    def forward(self, x, position_ids):
        return tuple(v[..., : v.shape[-1] // 2] for v in super().forward(x, position_ids))


class Wide(Rotary):
    def forward(self, x, position_ids):
        return super().forward(x.float(), position_ids)


class Complex(Rotary):
    def forward(self, x, position_ids):
        return torch.complex(*super().forward(x.float(), position_ids))


class Sines(Rotary):
    def forward(self, x, position_ids):
        return super().forward(x, position_ids)[::-1]


class Three(Rotary):
    def forward(self, x, position_ids):
        return super().forward(x, position_ids[0] if position_ids.dim() == 3 else position_ids)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        kinds = {"far": dict(rope_theta=500000.0), "near": dict(rope_theta=10000.0)}
        self.config = types.SimpleNamespace(head_dim=64, max_position_embeddings=4096, rope_parameters=kinds)
        for name, kind in kinds.items():
            self.register_buffer(f"{name}_inv_freq", Rotary(base=kind["rope_theta"]).inv_freq)
            self.register_buffer(f"{name}_original_inv_freq", Rotary(base=kind["rope_theta"]).inv_freq)

    def forward(self, x, position_ids, layer_type):
        self.inv_freq = getattr(self, f"{layer_type}_inv_freq")  # which an audit must not leave there
        return Rotary.forward(self, x, position_ids)


class OneOfLayers(Rotary):
    def __init__(self):
        super().__init__(base=10000.0)
        self.config = Layers().config


@pytest.mark.parametrize(
    "kind, why",
    [
        (Half, "it returns shape (1, 8, 32), not (1, 8, 64)"),
        (Wide, "it returns torch.float32 where x is torch.bfloat16"),
        (Complex, "it does not return cosines and sines"),
        (Sines, "it returns other values"),
        (Three, "it makes one row of three positions"),
    ],
)
def test_what_returns_something_else_is_not_replaced(kind, why):
    (found,) = audit(nn.Sequential(kind(max_position_embeddings=4096)))
    assert found.error > 0 and not found.replacement and why in found.note and found.note in str(found)


def test_mrope():
    kind = dict(rope_type="default", mrope_section=[8, 12, 12])
    (found,) = audit(nn.Sequential(Rotary(max_position_embeddings=4096, rope_scaling=kind)))
    assert not found.replacement and "mrope_section" in found.note


@pytest.mark.parametrize(
    "module, told",
    [
        (Pairs(max_position_embeddings=4096), ", duplicated='pairs')"),
        (Layers(), ".config)"),
        (OneOfLayers(), ", layer_type='near')"),
    ],
)
def test_lines_replace_what_returns_the_same(module, told):
    x, at = torch.zeros(1), torch.arange(50)[None]
    model = nn.Sequential(module)
    found, calls = audit(model), [("far",), ("near",)] if isinstance(module, Layers) else [()]
    want = [module(x, at, *call) for call in calls]
    assert [f.name for f in found] == [f"0.{call[0]}_inv_freq" if call else "0.inv_freq" for call in calls]
    for finding in found:
        assert told in finding.replacement and not finding.note
        exec(finding.replacement, {"model": model, "posenc": posenc})
    assert isinstance(model[0], posenc.torch.RotaryEmbedding) and not audit(model)
    for call, values in zip(calls, want):
        assert all(torch.allclose(a, b, rtol=0, atol=1e-5) for a, b in zip(model[0](x, at, *call), values))


def test_configs_that_say_too_little():
    (found,) = audit(nn.Sequential(Rotary(max_position_embeddings=None)))
    assert found.error > 1e-3 and not found.replacement and "max_position_embeddings" in found.note
    model = Rotary(max_position_embeddings=4096)
    (found,), told = audit(model), {"model": model, "posenc": posenc}
    exec(found.replacement, told)
    assert isinstance(told["model"], posenc.torch.RotaryEmbedding)
    model.inv_freq[-1] = 0
    assert audit(model) == []


def test_nothing():
    assert audit(nn.Transformer(16, 2, 1, 1, 16)) == [] == audit(Tutorial(16).to("meta"))
