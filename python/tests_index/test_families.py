"""posenc.torch for every rotary class of the installed transformers that takes a config: values, audit, replacement.

families.py finds the classes. The reference is mpmath and long double, and the layouts of this file. Frequencies are those
of rotary_frequencies, which the tests of C prove."""

import re

import numpy as np
import pytest
import torch
from kinds import kinds
from mpmath import mpf

transformers = pytest.importorskip("transformers")

import families  # noqa: E402
import real  # noqa: E402

import posenc.torch  # noqa: E402
from posenc import _families  # noqa: E402
from posenc._rotary_config import known_types  # noqa: E402

FOUND, LEFT = families.families()
SUPPORTED = [family for family in FOUND if not family.unsupported]
UNSUPPORTED = [family for family in FOUND if family.unsupported]
CASES = [(family, layer_type) for family in SUPPORTED for layer_type in family.layer_types]
SCALED_LENGTH, TRAINED_LENGTH = 4096, 1024


# ---- The values, with the parameters of the config


def parameters_of(config, layer_type):
    """The rotary parameters of a type of layer. The ESM configs have only the base."""
    said = getattr(config, "rope_parameters", None) or {"rope_theta": config.rope_theta}
    return said if layer_type is None else said[layer_type]


def head_size(config, layer_type):
    """The size of a head. In Gemma 4 each type of layer has its own."""
    if layer_type is not None:
        try:
            config = config.per_layer_config[layer_type]
        except ValueError:  # the names of DeepSeek-V4's parameters are not names of layers
            pass
    width = config.embed_dim if config.model_type == "qwen2_vl_vision" else config.hidden_size
    return getattr(config, "head_dim", None) or width // config.num_attention_heads


def formula(config, family, layer_type, length):
    """The frequencies for a sequence of this length, and the factor of cosines and sines."""
    said, head = dict(parameters_of(config, layer_type)), head_size(config, layer_type)
    kind, base = said.get("rope_type", "default"), said["rope_theta"]
    most = getattr(config, "max_position_embeddings", None)
    if kind == "axial":
        own = int(head * said.get("partial_rotary_factor", 1.0)) // 2
        own = own if "shares" in family.axes else head // (2 * axis_count(family))
        return real.ladder(own, base=base), 1
    if kind == "default" and not family.partial:
        said.pop("partial_rotary_factor", None)
    if kind == "dynamic" and "alpha" in said:  # only HunYuan
        n = head // 2
        return real.ladder(n, base=mpf(base) * mpf(said["alpha"]) ** (mpf(n) / (n - 1))), 1
    factors = said.pop("short_mscale", None), said.pop("long_mscale", None)
    if factors[1] is not None:  # only Phi-3.5-MoE, which never uses its long factors
        is_long, length = length > said["original_max_position_embeddings"], 0
    if kind == "dynamic":
        length = max(length, most)
    found = posenc.rotary_frequencies(head, scaling=said, length=length, max_position_embeddings=most)
    w = [mpf(high) + mpf(low) for high, low in zip(found.freqs.tolist(), found.freqs_low.tolist())]
    return w, found.attention_factor if factors[1] is None else mpf(factors[is_long])


def axis_count(family):
    """The number of positions of a token."""
    return max(int(axis) for axis in family.axes.split()[2:]) + 1 if "axial" in family.axes else 3


def axial_columns(words, n):
    """For each column, the axis of the position, and the index of the frequency by which it is multiplied."""
    _, rule, *names = words.split()
    order = [int(name) for name in names]
    if rule == "turns":
        return [(axis, k) for k in range(n) for axis in order]
    return [(axis, k) for axis in order for k in (range(axis, n, 2) if rule == "shares" else range(n))]


def axes(family, config, layer_type, n):
    """The axis of the position that each frequency is multiplied by."""
    name, *sections = family.axes.split()
    sections = parameters_of(config, layer_type).get("mrope_section") or [int(size) for size in sections]
    if name == "sections":
        return np.repeat(np.arange(len(sections)) % 3, sections)
    k = np.arange(n)
    if name == "interleaved":
        return np.where(k < 3 * np.take(sections, k % 3), k % 3, 0)
    assert name == "ernie"
    return np.where(k < sections[0] + sections[1], 1 + k % 2, 0)


def expected(config, family, layer_type, positions):
    """Cosines and sines of shape (2, positions, columns), and the largest allowed error."""
    w, factor = formula(config, family, layer_type, int(positions.max()) + 1)
    moving = [x for x in w if x]
    z = np.ones((*positions.shape, len(w)), np.clongdouble)
    z[..., : len(moving)] = real.cis(positions, moving)
    if family.axes:
        n, is_axial = len(w), "axial" in family.axes
        of = axial_columns(family.axes, n) if is_axial else zip(axes(family, config, layer_type, n), range(n))
        z = np.stack([z[axis, :, k] for axis, k in of], -1)
    arranged = {"halves": real.halves, "pairs": real.pairs, "half": real.pair, "complex": real.pair}[family.layout](z)
    return arranged * np.longdouble(float(factor)), 2.0**-24 * max(1.0, float(factor)) + 2.0**-40


def calls(config, family, layer_type):
    """Positions of two calls: within the length for which the frequencies are made, and beyond it."""
    most = getattr(config, "max_position_embeddings", 8192)  # RecurrentGemma's has none
    length = parameters_of(config, layer_type).get("original_max_position_embeddings") or most
    for positions in [*range(16), length - 1], [length, length + 1, max(most - 1, length + 1)]:
        positions = np.array(positions)
        yield np.stack([np.roll(positions, axis) for axis in range(axis_count(family))]) if family.axes else positions


def call(family, module, positions, layer_type, dtype=torch.float32):
    position_ids = torch.from_numpy(positions)[..., None, :]  # a batch of one
    if "axial" in family.axes:
        position_ids = position_ids.movedim(0, -1)
        if family.model_type != "gemma4_vision":  # others have no batch
            found = family.call(module, torch.zeros(1, dtype=dtype), position_ids[0], layer_type)
            return [part[None] for part in found]
    found = family.call(module, torch.zeros(1, dtype=dtype), position_ids, layer_type)
    return (found.real, found.imag) if isinstance(found, torch.Tensor) else tuple(found)


def numbers(found):
    return np.stack([values[0].numpy() for values in found])


# ---- The tests


def ids(value):
    return str(value)


def test_every_type_is_listed():
    """After an update of transformers, list new types in _families.py. The other tests show whether the lists are right."""
    listed = {*known_types(), *" ".join(_families.UNSUPPORTED.values()).split()}
    assert {family.model_type for family in FOUND} - {""} == listed
    assert f"transformers {transformers.__version__} " in _families.__doc__


def test_partial_rotary_factor():
    depends = {family.model_type for family in SUPPORTED if families.depends_on_partial(family)}
    assert depends - {""} == {*_families.PARTIAL.split()}


def test_every_class_takes_a_config():
    assert LEFT == []


@pytest.mark.parametrize("family, layer_type", CASES, ids=ids)
def test_theirs(family, layer_type):
    """The formulas of this file are those of transformers: at small positions the values are near."""
    config = family.config()
    positions = next(calls(config, family, layer_type))
    small = positions.max(0) < 16 if family.axes else positions < 16
    want, _ = expected(config, family, layer_type, positions)
    got = numbers(call(family, family.rotary(config), positions, layer_type))
    assert got.shape == want.shape and np.abs(got - want)[:, small].max() < 1e-4


def our_rotary(config, family):
    """Configs that are only parts of others have no model_type, which would determine their columns."""
    said = {} if family.model_type else {"layout": family.layout}
    return posenc.torch.RotaryEmbedding(config, **said)


def check_ours(config, family, layer_type):
    for positions in calls(config, family, layer_type):
        ours, theirs = our_rotary(config, family), family.rotary(config)
        want, bound = expected(config, family, layer_type, positions)
        got = numbers(call(family, ours, positions, layer_type))
        assert got.dtype == np.float32 and got.shape == want.shape
        assert np.abs(got - want).max() <= bound
        for dtype in torch.float32, torch.bfloat16:
            for a, b in zip(*(call(family, module, positions, layer_type, dtype) for module in (ours, theirs))):
                assert a.dtype == b.dtype and a.shape == b.shape


@pytest.mark.parametrize("family, layer_type", CASES, ids=ids)
def test_ours(family, layer_type):
    check_ours(family.config(), family, layer_type)


@pytest.mark.parametrize("family", FOUND, ids=ids)
def test_audit_and_replace_rotary(family):
    """Exactly the modules that _families.py lists are replaced, and audit says so for each type of layer.

    The new module has the same frequencies under the same names."""
    model = torch.nn.Sequential(family.rotary(family.config()))
    theirs = {name: values for name, values in model[0].named_buffers() if not name.endswith("original_inv_freq")}
    found = [finding.replacement for finding in posenc.torch.audit(model)]
    assert family.unsupported or found == ["posenc.torch.replace_rotary(model)"] * len(family.layer_types)
    done = posenc.torch.replace_rotary(model)
    assert family.unsupported or not posenc.torch.audit(model)
    assert (done.replaced, list(done.left)) == (([], ["0"]) if family.unsupported else (["0"], []))
    for name, values in theirs.items() if done.replaced else ():
        assert torch.allclose(getattr(model[0], name), values, rtol=3e-6, atol=0)


@pytest.mark.parametrize("family", UNSUPPORTED, ids=ids)
def test_what_is_refused(family):
    assert families.departs(family.rotary(family.config())) in (family.unsupported, "")
    reason = family.unsupported if family.model_type else "is unknown"  # a config without model_type is part of another
    with pytest.raises(ValueError, match=re.escape(reason)):
        posenc.torch.RotaryEmbedding(family.config())


@pytest.mark.parametrize(
    "name, kind, key, parameters",
    [
        ("PhimoeRotaryEmbedding", "longrope", "mscale", dict(short_mscale=1.25, long_mscale=1.5)),
        ("HunYuanDenseV1RotaryEmbedding", "dynamic", "alpha", dict(alpha=1000.0)),
    ],
)
def test_formulas_of_one_model(name, kind, key, parameters):
    """Where a model departs from the kind of scaling that its config names, posenc does the same or refuses it."""
    (family,) = [family for family in SUPPORTED if family.name == name]
    config = family.config_class(
        head_dim=128,
        max_position_embeddings=SCALED_LENGTH,
        rope_parameters={**families.DEFAULT, **kinds(64, TRAINED_LENGTH)[kind], **parameters},
    )
    for positions in calls(config, family, None):
        want, _ = expected(config, family, None, positions)
        assert np.abs(numbers(call(family, family.rotary(config), positions, None)) - want).max() < 4e-3
    try:
        posenc.torch.RotaryEmbedding(config)
    except ValueError as refused:
        assert key in str(refused)
    else:
        check_ours(config, family, None)


def one_of_each():
    """The first family of each group of the table, with one type of layer and with several."""
    first = {}
    for family in SUPPORTED:
        first.setdefault((family.layout, family.dtype, family.axes, len(family.layer_types), family.partial), family)
    return list(first.values())


def scaled(family, kind):
    """The default config with other rotary parameters, or None if the rotary class refuses them."""
    config = family.config()
    if not getattr(config, "rope_parameters", None) or not hasattr(config, "max_position_embeddings"):
        return None
    for layer_type in family.layer_types:
        said = parameters_of(config, layer_type)
        partial = {name: said[name] for name in ("partial_rotary_factor",) if name in said}
        share = 1 if kind == "proportional" else partial.get("partial_rotary_factor", 1)
        n = int(head_size(config, layer_type) * share) // 2
        said_now = {"rope_theta": 10000.0, **partial, **kinds(n, TRAINED_LENGTH)[kind]}
        if family.axes:
            said_now["mrope_section"] = [n - 2 * (n // 3), n // 3, n // 3]
        said.clear()
        said.update(said_now)
    config.max_position_embeddings = SCALED_LENGTH
    try:
        family.rotary(config)
    except ValueError:
        return None
    return config


@pytest.mark.parametrize("kind", [kind for kind in kinds(1, 1) if kind != "default"])
@pytest.mark.parametrize("family", one_of_each(), ids=ids)
def test_scaled(family, kind):
    config = scaled(family, kind)
    if config is None:
        pytest.skip("the model refuses this kind")
    layer_type = family.layer_types[-1]
    found = posenc.torch.audit(torch.nn.Sequential(family.rotary(config)))
    assert found and all(kind in finding.recipe and finding.error > 1e-6 for finding in found)
    for positions in calls(config, family, layer_type):
        want, _ = expected(config, family, layer_type, positions)
        got = numbers(call(family, family.rotary(config), positions, layer_type))
        assert got.shape == want.shape and np.abs(got - want).max() < 4e-3
    check_ours(config, family, layer_type)
