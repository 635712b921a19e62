"""posenc.torch.audit: what it finds in models, and that its replacement lines make all bits right."""

import math
import re

import pytest
import torch
from kinds import kinds
from torch import nn
from rotary_classes import LAYERS, ByLength, LastAxis, Layers, NoConfig, Rotary, Sines, config
from tutorial import Annotated, Tutorial, table

import posenc.torch
from posenc.torch import audit


class Caches(nn.Module):
    """As in old versions of Llama, GPT-NeoX and GPT-J."""

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
    findings = {finding.name: finding for finding in audit(model)}
    assert [*findings] == [
        "0.pe",
        "3.weight",
        "5.pe",
        "6.cos_cached",
        "6.sin_cached",
        "6.embed_positions",
        "6.freqs_cis",
    ]
    pe = findings["0.pe"]
    want = posenc.torch.table(5000, 64, dtype=torch.float64)
    off = (table(64, 5000) - want).abs()
    assert pe.error == pytest.approx(float(off.max()), rel=1e-3) and off[pe.position, pe.column] == off.max()
    assert "paper, base 10000.0, first 0" in pe.recipe and pe.replacement in str(pe)
    assert findings["6.cos_cached"].recipe == findings["6.sin_cached"].recipe
    assert "fairseq" in findings["3.weight"].recipe
    for finding in findings.values():
        assert finding.error > 0
        exec(finding.replacement, {"model": model, "posenc": posenc})
    assert not model[3].weight[1].any()
    for finding in audit(model):
        assert finding.error == 0 and not finding.replacement and str(finding).endswith("all bits right")
    assert len(audit(model)) == len(findings)
    assert torch.equal(model[0].pe[:, 0], posenc.torch.table(5000, 64))


def test_a_model_in_bfloat16():
    (finding,) = audit(nn.Sequential(Tutorial(64)).bfloat16())
    assert 2.0**-9 < finding.error < 2.0**-7 and "bfloat16" in finding.replacement
    holder = nn.Module()
    holder.pe = posenc.torch.table(90, 64, dtype=torch.bfloat16).float()
    assert 2.0**-10 < audit(holder)[0].error < 2.0**-8
    assert not audit(nn.Sequential(posenc.torch.SinusoidalPositionalEncoding(64)).bfloat16())[0].error


def test_frequencies():
    model = nn.ModuleDict(
        {
            "a": nn.Sequential(Rotary(config(max_position_embeddings=131072))),
            "b": nn.Sequential(Rotary(config())),
            "c": Sines(config(max_position_embeddings=131072)).bfloat16(),
        }
    )
    far, near, other = audit(model)
    assert (far.name, near.name, other.name) == ("a.0.inv_freq", "b.0.inv_freq", "c.inv_freq")
    assert 2e-3 < far.error < 2e-2 and far.position > 65536 and "rotary, default, base 500000.0" in str(far)
    assert [count for count, _ in far.below] == [512, 2048, 131072] and far.below[2][1] == far.error
    below = r": right for most uses, off by up to \S+ below position 512, \S+ below position 2,048, 0.00\d+ below position 131,072"
    assert re.search(below, str(far))
    assert 1e-5 < near.error < 1e-3 and other.error > 0.1 and ": wrong, off by" in str(other)
    assert "rotary" not in other.recipe and not other.replacement  # its class returns something else
    assert "does not replace this module: at position 0 it does not return" in other.note and other.note in str(other)
    exec(near.replacement, {"model": model, "posenc": posenc})
    assert all(isinstance(model[name][0], posenc.torch.RotaryEmbedding) for name in "ab")
    assert [finding.name for finding in audit(model)] == ["c.inv_freq"]


def test_frequencies_of_layers():
    model = nn.Sequential(Layers(config(**LAYERS)))
    far, near = audit(model)
    assert (far.name, near.name) == ("0.far_inv_freq", "0.near_inv_freq")
    assert "base 500000.0" in far.recipe and "base 10000.0" in near.recipe
    assert all(finding.error > 1e-5 and finding.replacement for finding in (far, near))


def test_positions_of_patches():
    """Rows and columns of patches are small numbers."""
    (finding,) = audit(nn.Sequential(LastAxis(config(max_position_embeddings=131072))))
    assert [count for count, _ in finding.below] == [512, 2048] and finding.replacement


@pytest.mark.parametrize("kind", ["longrope", "dynamic"])
def test_frequencies_that_depend_on_the_length(kind):
    """Each length has its own. (The audit takes those that transformers would compute, whose errors are larger.)"""
    module = ByLength(config(rope_scaling=kinds(32, 1024)[kind]))
    (finding,) = audit(nn.Sequential(module))
    assert f"rotary, {kind}" in finding.recipe and [count for count, _ in finding.below] == [512, 2048, 4096]
    for count, error in finding.below:
        more = dict(scaling=module.config.rope_scaling, length=count, max_position_embeddings=4096)
        r = posenc.rotary_frequencies(64, 500000.0, **more)
        right = posenc.torch.pair(count, 64, freqs=r.freqs, freqs_low=r.freqs_low, dtype=torch.float64)
        theirs = module(torch.zeros(1), torch.arange(count)[None])
        off = max(float((a[0, :, :32] - r.attention_factor * b).abs().max()) for a, b in zip(theirs, right))
        assert off / 4 < error < 4 * off


@pytest.mark.parametrize("cast", [nn.Module.bfloat16, nn.Module.half, lambda module: module.bfloat16().float()])
@pytest.mark.parametrize("base, text", [(500000.0, "500000.0"), (10000.0, "10000.0"), (501234.5, "about 501")])
def test_bases_of_rounded_frequencies(cast, base, text):
    """A round number that explains all bits counts as the base. Any other is only near it."""
    (finding,) = audit(nn.ModuleDict({"a": cast(NoConfig(config(), base))}))
    assert f"frequencies, base {text}" in finding.recipe and "it has no config" in finding.note


def test_the_base_of_frequencies_computed_in_16_bits():
    module = NoConfig(config())
    module.inv_freq = 1.0 / torch.tensor(500000.0).bfloat16() ** (torch.arange(0, 64, 2).bfloat16() / 64)
    (finding,) = audit(nn.ModuleDict({"a": module}))
    assert "base about " in finding.recipe


def test_frequencies_of_two_axes():
    module = NoConfig(config(), 10000.0)
    module.inv_freq = module.inv_freq[None].expand(3, -1)
    model = nn.ModuleDict({"a": module})
    assert audit(model) == [] and posenc.torch.replace_rotary(model).left


def test_the_model_itself():
    (finding,) = audit(Rotary(config()))
    assert finding.error > 1e-5 and not finding.replacement and "posenc.torch.rotary_like(module)" in finding.note
    model = Rotary(config())
    model.inv_freq[0] = 0
    assert audit(model) == []


class Refuses(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError("not for this one\nnor another")


class Subclass(torch.Tensor):
    pass


ROWS = posenc.torch.table(40, 16)
#: For each kind: a tensor, and the text of its finding if it is a table or a list of frequencies; None if it has none.
ODD = {
    "0-dimensional": (lambda: torch.tensor(3.0), None),
    "empty": (lambda: torch.empty(0, 16), None),
    "meta": (lambda: torch.empty(40, 16, device="meta"), None),
    "uninitialized": (nn.UninitializedParameter, None),
    "complex": (lambda: torch.complex(ROWS, 2 * ROWS), None),
    "quantised": (lambda: torch.quantize_per_tensor(ROWS, 0.1, 0, torch.quint8), None),
    "integers": (lambda: ROWS.int(), None),
    "sparse": (lambda: ROWS.to_sparse(), "not audited: RuntimeError"),
    "nested": (lambda: torch.nested.nested_tensor([ROWS, ROWS[:7]]), "not audited: RuntimeError"),
    "refuses": (lambda: ROWS.as_subclass(Refuses), "not audited: RuntimeError: not for this one"),
    "a NaN": (lambda: torch.cat((ROWS[:39], ROWS[39:] * math.nan)), "not audited: ValueError: row 39, column 0 is nan"),
    "subclass": (lambda: ROWS.as_subclass(Subclass), "all bits right"),
    "parameter": (lambda: nn.Parameter(ROWS), "all bits right"),
    "with a graph": (lambda: nn.Parameter(ROWS) * 1, "all bits right"),
}


@pytest.mark.filterwarnings("ignore")  # PyTorch warns that some are prototypes
def test_odd_tensors():
    model = nn.ModuleDict({kind: nn.Module() for kind in ODD})
    for kind, (make, text) in ODD.items():
        vars(model[kind])["pe"] = make()
        if text != "all bits right":  # read by other functions: frequencies, and two tables
            vars(model[kind])["inv_freq"] = vars(model[kind])["cos"] = vars(model[kind])["sin"] = make()
    findings = {finding.name: finding for finding in audit(model)}
    for kind, (_, text) in ODD.items():
        finding = findings.get(f"{kind}.pe")
        if text is None:
            assert not any(name.startswith(f"{kind}.") for name in findings), kind
        elif text == "all bits right":
            assert finding.error == 0 and str(finding).endswith(text), kind
        else:
            assert str(finding).startswith(f"{kind}.pe: {text}") and "nor another" not in finding.note, kind
            assert not finding.recipe and math.isnan(finding.error) and not finding.replacement


def test_nothing():
    assert audit(nn.Sequential(nn.LazyLinear(8), nn.LazyBatchNorm1d())) == []
    assert audit(nn.Transformer(16, 2, 1, 1, 16)) == [] == audit(Tutorial(16).to("meta"))
