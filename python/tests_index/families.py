"""Calls every rotary embedding of the installed transformers, and prints python/posenc/torch/_families.py.

python families.py >../posenc/torch/_families.py
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import glob
import importlib
import inspect
import itertools
import logging
import os
import re
import textwrap
from typing import Any, Iterable, Iterator

import torch
import transformers
from transformers import PreTrainedConfig
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

AXIAL = ["axial blocks 0 1 2", "axial blocks 0 1", "axial blocks 1 0", "axial blocks 0 0 1 1", "axial turns 1 0"]
AXIAL += ["axial shares 0 1"]
DEFAULT = {"rope_type": "default", "rope_theta": 1e4}
# Arguments that these configs need. With their defaults, the rotary class cannot be made or called, or has an odd number
# of columns, which no model has.
GIVEN: dict[str, dict[str, Any]] = {
    "CohereCompassTextConfig": {
        "num_hidden_layers": 2,
        "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": {"sliding_attention": DEFAULT, "full_attention": {**DEFAULT, "rope_theta": 1e6}},
    },
    "Glm4MoeConfig": {"head_dim": 128},
    "Glm4vTextConfig": {"rope_parameters": {**DEFAULT, "partial_rotary_factor": 0.5}},
    "Glm4vMoeTextConfig": {"rope_parameters": {**DEFAULT, "partial_rotary_factor": 0.5}, "head_dim": 128},
    "GlmImageTextConfig": {"rope_parameters": {**DEFAULT, "partial_rotary_factor": 0.5}},
    "HunYuanVLTextConfig": {"rope_parameters": {**DEFAULT, "mrope_section": [16, 16, 16, 16]}},
    "Qwen3OmniMoeTextConfig": {"head_dim": 128},
}


FILE = '''"""What the rotary classes of transformers <version> return, by the model_type of their config.

python/tests_index/families.py calls each of these classes and writes this file.
"""

from __future__ import annotations

# FAMILIES has the model types for each layout, dtype and axes.
#
# layout: "halves" returns the columns of all frequencies and then all of them again, "pairs" returns each column twice
# in a row, "half" returns each column once, and "complex" returns one tensor of cos + i sin.
#
# dtype: "x" is the dtype of the argument x. "float32" is float32 or complex64 for any x.
#
# axes: if there are none, a token has one position. Otherwise it has three: time, height and width (axes 0, 1 and 2).
# The numbers are the sections that apply if the config has no mrope_section. With these words, frequency k belongs to
#   "sections"     axis i % 3, where i is the section that contains k;
#   "interleaved"  axis k % 3 if k < 3 * section[k % 3], else time;
#   "ernie"        height if k is even and width if k is odd, in the first two sections, and time in the third.
# With the rope_type "axial", a token has two positions, height and width, or three, along the last axis of position_ids.
# Each of these axes has n frequencies, and the numbers are axes in the order of the columns:
#   "axial blocks" has all frequencies of the first of these axes, then all of the next;
#   "axial turns"  has the first frequency for each of these axes, then the second;
#   "axial shares" has blocks too, but axis i of two has only the frequencies i, i + 2, .. of 2 n.
FAMILIES = {
<table>}

# These types read partial_rotary_factor for every rope_type. All others ignore it if rope_type is "default".
PARTIAL = <partial>

# What posenc.torch.RotaryEmbedding does not support, and the model types that need it.
UNSUPPORTED = {
<refused>}
'''


@dataclasses.dataclass(frozen=True)
class Family:
    """A rotary class, a class of configs that a model of the same file passes to it, and what its results are like."""

    module: str  #: the module of the rotary class
    name: str
    config_class: Any
    layer_types: tuple[str | None, ...] = (None,)  #: the layer types that have their own parameters
    arguments: tuple[str, ...] = ()  #: the arguments of forward
    layout: str = ""  #: "halves", "pairs", "half" or "complex"
    dtype: str = ""  #: "x" or "float32"
    axes: str = ""  #: how columns belong to axes of the positions; "" if a token has one position
    partial: bool = False  #: whether partial_rotary_factor changes the number of unscaled frequencies
    unsupported: str = ""  #: why posenc's module cannot replace this one

    @property
    def model_type(self) -> str:
        return self.config_class.model_type

    def __str__(self) -> str:
        return f"{self.name}({self.config_class.__name__})"

    def config(self) -> Any:
        return self.config_class(**copy.deepcopy(GIVEN.get(self.config_class.__name__, {})))

    def rotary(self, config: Any) -> Any:
        return getattr(importlib.import_module(self.module), self.name)(config)

    def call(self, rotary: Any, x: Any, positions: Any, layer_type: str | None) -> Any:
        return rotary(x, positions, *([] if layer_type is None else [layer_type]))


def annotated(function: Any, module: Any) -> Any:
    """The class in the annotation of the argument `config`, if it is a class of configs."""
    for name, parameter in inspect.signature(function).parameters.items():
        if name.endswith("config"):
            found = parameter.annotation
            found = getattr(module, found, None) if isinstance(found, str) else found
            return found if inspect.isclass(found) and issubclass(found, PreTrainedConfig) else None
    return None


def config_classes(module: Any, tree: ast.Module, name: str) -> Iterator[Any]:
    """The classes of configs that models of this file pass to the rotary class.

    The rotary class's own annotation may be the config of the whole model, or of the model that it was copied from. So
    the class that calls it comes first."""
    own = annotated(getattr(module, name).__init__, module)
    for outer in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for call in ast.walk(outer):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name:
                given = ast.unparse((call.args + [keyword.value for keyword in call.keywords])[0])
                user = getattr(module, outer.name)
                theirs = user.__dict__.get("config_class") or annotated(user.__init__, module) or own
                first = [c for c in vars(module).values() if getattr(c, "config_class", None)]
                theirs = theirs or first[0].config_class
                if given in ("config", "self.config"):
                    yield from [theirs] if can_make(module, name, theirs) else theirs.sub_configs.values()
                    for model_type, model in MODEL_MAPPING_NAMES.items():
                        if outer.name in (model if isinstance(model, tuple) else (model,)):
                            yield transformers.CONFIG_MAPPING[model_type]
                elif given.startswith("config."):
                    yield type(getattr(theirs(), given[len("config.") :]))
                else:
                    yield own


def can_make(module: Any, name: str, config_class: Any) -> bool:
    """Whether the class takes this config. T5Gemma's encoder is annotated with the whole model's, but gets a part."""
    try:
        getattr(module, name)(Family(module.__name__, name, config_class).config())
    except AttributeError:
        return False
    return True


def classes() -> Iterator[tuple[Any, str, Any]]:
    """Yields modules, names of rotary classes and their configs, or None if the class takes no config."""
    for path in sorted(glob.glob(os.path.join(os.path.dirname(transformers.__file__), "models", "*", "modeling_*.py"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not re.search(r"^class \w*Rotary\w*Embedding\b", text, re.M):
            continue
        package, file_name = os.path.split(path)
        module = importlib.import_module(f"transformers.models.{os.path.basename(package)}.{file_name[:-3]}")
        tree = ast.parse(text)
        for name in [c.name for c in tree.body if isinstance(c, ast.ClassDef)]:
            if re.search(r"Rotary\w*Embedding$", name):
                arguments = inspect.signature(getattr(module, name).__init__).parameters
                if not any(argument.endswith("config") for argument in arguments):
                    yield module, name, None
                    continue
                for config in dict.fromkeys(config_classes(module, tree, name)):
                    yield module, name, config


def own_layer_types(rotary: Any, config: Any) -> tuple[str | None, ...]:
    """The types of layers that have their own frequencies. A config can name more types than its layers use."""
    said = getattr(config, "rope_parameters", None) or {}
    return tuple(name for name in said if hasattr(rotary, f"{name}_inv_freq")) or (None,)


def axes_of(family: Family, rotary: Any, layer_type: str | None) -> list[int]:
    """For each column, the axis of the positions on which it depends; empty if all columns have the same position.

    With position 1 on one axis and 0 on the others, exactly the columns of that axis have sines other than 0."""
    for count in 2, 3, 4:
        rows = []
        for axis in range(count):
            positions = torch.zeros(count, 1, 1, dtype=torch.int64)
            positions[axis] = 1
            try:
                found = family.call(rotary, torch.zeros(1), positions, layer_type)
            except (RuntimeError, IndexError):
                break
            sines = found[1] if isinstance(found, tuple) else found.imag
            if sines.shape[:-1] != (1, 1):
                return []  # the first axis is a batch
            rows.append(sines.reshape(-1) != 0)
        if len(rows) == count:
            depends = torch.stack(rows)
            assert bool((depends.sum(0) == 1).all()), family
            return depends.int().argmax(0).tolist()
    raise AssertionError(family)


def named_axes(columns: list[int], layout: str, sections: list[int] | None) -> str:
    """The name of the rule by which columns belong to axes."""
    if not columns:
        return ""
    n = len(columns) // 2
    if sections is None:
        assert columns == [k % 2 for k in range(n)] * 2, columns
        return "alternating"
    rules = {
        "sections": [i % 3 for i, m in enumerate(sections) for _ in range(m)],
        "interleaved": [k % 3 if k < 3 * sections[k % 3] else 0 for k in range(n)],
        "ernie": [1 + k % 2 if k < sections[0] + sections[1] else 0 for k in range(n)],
    }
    for name, rule in rules.items():
        if columns == (rule * 2 if layout == "halves" else [axis for axis in rule for _ in range(2)]):
            return " ".join([name, *map(str, sections)])
    assert columns == [i for i, m in enumerate(sections) for _ in range(2 * m)], columns
    return "doubled"


def axial_columns(words: str, n: int) -> list[tuple[int, int]]:
    """For each column, the axis of the position, and the index of the frequency by which it is multiplied."""
    _, rule, *names = words.split()
    order = [int(name) for name in names]
    if rule == "turns":
        return [(axis, k) for k in range(n) for axis in order]
    return [(axis, k) for axis in order for k in (range(axis, n, 2) if rule == "shares" else range(n))]


def axial(rotary: Any) -> tuple[str, str, str]:
    """The layout, the dtype and the rule of a module with the rope_type "axial"; nothing if no rule has its values."""
    w = rotary.inv_freq.double().sort(descending=True).values
    for words, shape in itertools.product(AXIAL, [(5,), (1, 5)]):
        columns = axial_columns(words, len(w))
        positions = torch.arange(5 * (max(columns)[0] + 1)).reshape(*shape, -1) * 7 % 11
        try:
            found = [rotary(torch.zeros(1, dtype=dtype), positions) for dtype in (torch.float32, torch.bfloat16)]
        except (RuntimeError, IndexError):
            continue
        want = torch.stack([torch.sin(positions[..., axis] * w[k]) for axis, k in columns], -1)
        sin, layout = found[0][1], layout_of(found[0][1])
        want = {"halves": torch.cat((want, want), -1), "pairs": want.repeat_interleave(2, -1)}.get(layout, want)
        if sin.shape == want.shape and bool(((sin - want).abs() < 1e-5).all()):
            return layout, "x" if found[1][0].dtype == torch.bfloat16 else "float32", words
    return "", "", ""


def layout_of(values: Any) -> str:
    if values.is_complex():
        return "complex"
    n = values.shape[-1] // 2
    if torch.equal(values[..., :n], values[..., n:]):
        return "halves"
    return "pairs" if torch.equal(values[..., ::2], values[..., 1::2]) else "half"


def frequency_count(rotary: Any, layer_type: str | None) -> int:
    return getattr(rotary, "inv_freq" if layer_type is None else f"{layer_type}_inv_freq").numel()


def depends_on_partial(family: Family) -> bool:
    """Whether partial_rotary_factor changes the number of frequencies with rope_type "default"."""

    def count(factor: float) -> int:
        config, parameters = family.config(), {**DEFAULT, "partial_rotary_factor": factor}
        nested = family.layer_types != (None,)
        config.rope_parameters = dict.fromkeys(config.rope_parameters, parameters) if nested else parameters
        return frequency_count(family.rotary(config), family.layer_types[0])

    return count(0.5) != count(1.0)


def unsupported(family: Family, rotary: Any, config: Any) -> str:
    if family.arguments[:2] != ("x", "position_ids") or not {"layer_type"}.issuperset(family.arguments[2:]):
        return "other arguments than x and position_ids"
    learned = [name for name in rotary.state_dict() if not name.endswith("inv_freq")]
    return f"frequencies that a checkpoint scales ({learned[0]})" if learned else ""


def probed(family: Family) -> Family:
    config = family.config()
    rotary = family.rotary(config)
    arguments = tuple(inspect.signature(rotary.forward).parameters)
    family = dataclasses.replace(family, arguments=arguments, layer_types=own_layer_types(rotary, config))
    why = unsupported(family, rotary, config)
    if why:
        return dataclasses.replace(family, unsupported=why)
    if (getattr(config, "rope_parameters", None) or {}).get("rope_type") == "axial":
        layout, dtype, axes = axial(rotary)
        why = "" if axes else "a result with one axis more than position_ids"
        return dataclasses.replace(family, layout=layout, dtype=dtype, axes=axes, unsupported=why)
    facts = set()
    for layer_type in family.layer_types:
        columns = axes_of(family, rotary, layer_type)
        positions = torch.arange(8)[None] if not columns else torch.arange(8).expand(max(columns) + 1, 1, 8)
        xs = [torch.zeros(1, dtype=dtype) for dtype in (torch.float32, torch.bfloat16)]
        found = [family.call(rotary, x, positions, layer_type) for x in xs]
        one, other = (values[0] if isinstance(values, tuple) else values for values in found)
        layout, dtype = layout_of(one), "x" if other.dtype == torch.bfloat16 else "float32"
        assert one.shape[:-1] == (1, 8)
        assert one.shape[-1] == frequency_count(rotary, layer_type) * (2 if layout in ("halves", "pairs") else 1)
        sections = getattr(rotary, "mrope_section", None)
        sections = sections[layer_type] if isinstance(sections, dict) else sections
        facts.add((layout, dtype, named_axes(columns, layout, sections)))
    ((layout, dtype, axes),) = facts
    family = dataclasses.replace(family, layout=layout, dtype=dtype, axes=axes)
    if axes in ("alternating", "doubled"):
        family = dataclasses.replace(family, unsupported="positions of two or four axes")
    partial = bool(getattr(config, "rope_parameters", None)) and depends_on_partial(family)
    return dataclasses.replace(family, partial=partial)


@functools.lru_cache(maxsize=None)
def families() -> tuple[list[Family], list[str]]:
    """All families, and the names of the rotary classes that take no config."""
    logging.disable(logging.WARNING)  # the defaults of some configs give warnings
    found, left = [], []
    for module, name, config_class in classes():
        if config_class is None:
            left.append(name)
        else:
            found.append(probed(Family(module.__name__, name, config_class)))
    return found, left


def words(names: Iterable[str], indent: str = "    ") -> str:
    text = " ".join(sorted(set(names)))
    lines = textwrap.wrap(text, 120 - len(indent) - 4, break_on_hyphens=False, break_long_words=False)
    return '"""\n' + "".join(f"{indent}    {line}\n" for line in lines) + f'{indent}"""'


def document() -> str:
    known = [family for family in families()[0] if family.model_type]  # a config without model_type is part of another
    groups: dict[tuple[str, str, str], list[str]] = {}
    reasons: dict[str, list[str]] = {}
    for family in known:
        if family.unsupported:
            reasons.setdefault(family.unsupported, []).append(family.model_type)
        else:
            groups.setdefault((family.layout, family.dtype, family.axes), []).append(family.model_type)
    said: dict[str, Any] = {}
    for facts, names in [*groups.items(), *reasons.items()]:
        for name in names:
            assert said.setdefault(name, facts) == facts, f"{name} has rotary classes that differ"
    table = "".join(
        f'    "{", ".join(filter(None, facts))}": {words(names)},\n' for facts, names in sorted(groups.items())
    )
    partial = {family.model_type for family in known if family.partial and not family.unsupported}
    refused = "".join(f'    "{reason}": {words(names)},\n' for reason, names in sorted(reasons.items()))
    values = {"version": transformers.__version__, "table": table, "partial": words(partial, ""), "refused": refused}
    return functools.reduce(lambda text, name: text.replace(f"<{name}>", values[name]), values, FILE)


if __name__ == "__main__":
    print(document(), end="")
