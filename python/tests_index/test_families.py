"""posenc.torch with every rotary class of the installed transformers that takes a config: replacement and audit.

families.py finds the classes. The results are compared with those of the classes. The tests of C prove the frequencies,
and the tests of RotaryEmbedding the bits."""

import collections
import copy
import re

import pytest
import torch
from kinds import kinds

transformers = pytest.importorskip("transformers")

import families  # noqa: E402

import posenc.torch  # noqa: E402
from posenc.torch import replace_rotary, rotary_like  # noqa: E402

#: Why classes are left: their results, arguments or state are not those of a rotary module. posenc must know the
#: frequencies of all others.
REASONS = (
    "its forward takes|it has parameters|it has buffers|it has no inv_freq|it returns the shapes|at position 130 it"
)
TRAINED_LENGTH, LENGTH = 1024, 4096


def instances():
    """The families whose class can be made from their config, with an instance."""
    for family in families.families()[0]:
        try:
            yield family, family.rotary(family.config())
        except Exception:  # the config is not the one of the class, or its defaults do not fit the class
            continue


INSTANCES = dict(instances())
COUNTS = collections.Counter()


def layer_types(rotary):
    names = [name[: -len("inv_freq")] for name, _ in rotary.named_buffers() if not name.endswith("original_inv_freq")]
    return [name.rstrip("_") or None for name in names]


def name_of(layer_type):
    return "inv_freq" if layer_type is None else f"{layer_type}_inv_freq"


def results(module, at, layer_type, dtype=torch.float32):
    result = module(torch.zeros(1, 1, 1, dtype=dtype), at, *([] if layer_type is None else [layer_type]))
    return (result.real, result.imag) if isinstance(result, torch.Tensor) else tuple(result)


def positions(rotary, layer_type, at):
    """Yields these positions in the shapes that the class takes: it returns a row for each token, which depends on all
    numbers of the token."""
    for count in (1, 2, 3):
        each = torch.stack([at.roll(2 * axis) for axis in range(count)])  # of shape (numbers, tokens)
        other = torch.cat((each[:-1], each[-1:] + 1))
        for shape in (lambda x: x[:, None], lambda x: x.T, lambda x: x.T[None]) if count > 1 else (lambda x: x,):
            try:
                (cos, _), (changed, _) = (results(copy.deepcopy(rotary), shape(x), layer_type) for x in (each, other))
            except Exception:  # it does not take this shape
                continue
            is_row = (
                cos.shape[:-1] in ((len(at),), (1, len(at)))
                and cos.shape[-1] >= getattr(rotary, name_of(layer_type)).numel()
            )
            if is_row and not torch.equal(cos, changed):
                yield shape(each)


def check(rotary, ours, at, bound):
    """Compares the module and its replacement, each as new."""
    for layer_type in layer_types(rotary):
        shapes = [*positions(rotary, layer_type, at)]
        assert shapes
        for places in shapes:
            for dtype in (torch.float32, torch.bfloat16):
                pairs = zip(*(results(copy.deepcopy(module), places, layer_type, dtype) for module in (rotary, ours)))
                for a, b in pairs:
                    assert a.dtype == b.dtype and a.shape == b.shape
                    assert (a.float() - b.float()).abs().max() <= bound + 2 * torch.finfo(a.dtype).eps


@pytest.mark.parametrize("family", INSTANCES, ids=str)
def test_replaced_or_left(family):
    """It is replaced by a module with the same results and frequencies, or left for a reason."""
    rotary = INSTANCES[family]
    model = torch.nn.Sequential(rotary)
    findings = posenc.torch.audit(model)
    done = replace_rotary(model)
    if not done.replaced:
        assert model[0] is rotary and re.match(REASONS, done.left["0"]), done.left
        COUNTS[re.match(REASONS, done.left["0"])[0]] += 1
        return
    COUNTS["replaced"] += 1
    types = layer_types(rotary)
    assert [f.replacement for f in findings] == ["posenc.torch.replace_rotary(model)"] * len(types)
    assert done.left == {} and not posenc.torch.audit(model)
    check(rotary, model[0], torch.arange(7), 2.0**-17)
    for name in map(name_of, types):
        assert torch.allclose(getattr(model[0], name), getattr(rotary, name), rtol=3e-6, atol=0)


def test_counts(capsys):
    """Runs after the test above, and prints what it counted."""
    if COUNTS.total() < len(INSTANCES):
        pytest.skip("only some classes were tried")
    replaced = COUNTS.pop("replaced")
    text = f"\ntransformers {transformers.__version__}: {len(INSTANCES)} rotary classes can be made from a config; "
    with capsys.disabled():
        print(f"{text}{replaced} were replaced, and {COUNTS.total()} left:", *COUNTS.items(), sep="\n  ")
    assert replaced >= 0.8 * len(INSTANCES)


def one_of_each():
    """The first family of each arrangement of columns and layer types."""
    first = {}
    for family, rotary in INSTANCES.items():
        try:
            ours = rotary_like(rotary)
        except ValueError:
            continue
        types = layer_types(rotary)
        one = ours if types == [None] else ours.per_type[types[0]]
        if one.axis != -1:  # the frequencies of patches are not scaled
            first.setdefault((one.layout, one.dtype, len(types), one.axis, one.order[0] == 0), family)
    return list(first.values())


def with_parameters(family, kind):
    """The default config with other rotary parameters."""
    config, rotary = family.config(), INSTANCES[family]
    field = "rope_parameters" if hasattr(config, "rope_parameters") else "rope_scaling"  # transformers 5 and 4
    for layer_type in layer_types(rotary):
        parameters = getattr(config, field) or {}
        parameters = parameters if layer_type is None else parameters[layer_type]
        kept = {key: parameters[key] for key in ("partial_rotary_factor", "mrope_section") if key in parameters}
        n = getattr(rotary, name_of(layer_type)).numel()
        scaling = {"rope_theta": 10000.0, **kept, **kinds(n, TRAINED_LENGTH)[kind]}
        parameters.clear()
        parameters.update(scaling)
        if not getattr(config, field):
            setattr(config, field, parameters)
    config.max_position_embeddings = LENGTH
    return config


@pytest.mark.parametrize("kind", [kind for kind in kinds(1, 1) if kind != "default"])
@pytest.mark.parametrize("family", one_of_each(), ids=str)
def test_scaled(family, kind):
    """On both sides of the lengths at which frequencies change."""
    try:
        rotary = family.rotary(with_parameters(family, kind))
        assert [*positions(rotary, layer_types(rotary)[0], torch.arange(7))]
    except Exception:
        pytest.skip("the model refuses this kind")
    ours = rotary_like(rotary)
    findings = posenc.torch.audit(torch.nn.Sequential(rotary))
    assert findings and all(kind in finding.recipe and finding.error > 1e-6 for finding in findings)
    for length in (TRAINED_LENGTH, LENGTH):
        for end in (length, length + 1, length + 500):
            check(rotary, ours, torch.tensor([0, 1, 5, end - 2, end - 1]), 4e-3)


@pytest.mark.parametrize(
    "name, kind, parameters",
    [
        ("PhimoeRotaryEmbedding", "longrope", dict(short_mscale=1.25, long_mscale=1.5)),
        ("HunYuanDenseV1RotaryEmbedding", "dynamic", dict(alpha=1000.0)),
    ],
)
def test_formulas_of_one_model(name, kind, parameters):
    """Where a model departs from the kind of scaling that its config names, posenc does the same or leaves it."""
    family = next(family for family in INSTANCES if family.name == name)
    if not layer_types(INSTANCES[family]):
        pytest.skip("in this release it has no inv_freq")
    config = with_parameters(family, kind)
    config.head_dim = 128
    getattr(config, "rope_parameters" if hasattr(config, "rope_parameters") else "rope_scaling").update(parameters)
    rotary = family.rotary(config)
    try:
        ours = rotary_like(rotary)
    except ValueError as refused:
        assert re.search("factor|frequencies", str(refused))
        return
    for end in (7, TRAINED_LENGTH + 5, LENGTH + 5):
        check(rotary, ours, torch.tensor([0, 1, 5, end - 2, end - 1]), 4e-3)
