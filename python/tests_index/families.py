"""The rotary embeddings of the installed transformers, with the configs that its models pass to them, and what
python/posenc/_families.py says of each."""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import glob
import importlib
import inspect
import logging
import os
import re
from typing import Any, Iterator

import transformers
from transformers import PreTrainedConfig
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

from posenc._families import PARTIAL, UNSUPPORTED
from posenc._rotary_config import known_types

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


@dataclasses.dataclass(frozen=True)
class Family:
    """A rotary class, a class of configs that a model of the same file passes to it, and what its results should be."""

    module: str  #: the module of the rotary class
    name: str
    config_class: Any
    layer_types: tuple[str | None, ...] = (None,)  #: the layer types that have their own parameters
    layout: str = ""  #: this and the next fields are as in _families.py
    dtype: str = ""
    axes: str = ""
    partial: bool = False
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


def frequency_count(rotary: Any, layer_type: str | None) -> int:
    return getattr(rotary, "inv_freq" if layer_type is None else f"{layer_type}_inv_freq").numel()


def depends_on_partial(family: Family) -> bool:
    """Whether partial_rotary_factor changes the number of frequencies with rope_type "default"."""
    said = getattr(family.config(), "rope_parameters", None)
    if not said or "axial" in family.axes:
        return False

    def count(factor: float) -> int:
        config, parameters = family.config(), {**DEFAULT, "partial_rotary_factor": factor}
        config.rope_parameters = parameters if family.layer_types == (None,) else dict.fromkeys(said, parameters)
        return frequency_count(family.rotary(config), family.layer_types[0])

    return count(0.5) != count(1.0)


def departs(rotary: Any) -> str:
    """Why posenc's module cannot replace this one, if its arguments or its parameters show it."""
    arguments = tuple(inspect.signature(rotary.forward).parameters)
    if arguments[:2] != ("x", "position_ids") or not {"layer_type"}.issuperset(arguments[2:]):
        return "other arguments than x and position_ids"
    learned = [name for name in rotary.state_dict() if not name.endswith("inv_freq")]
    return f"frequencies that a checkpoint scales ({learned[0]})" if learned else ""


def described(family: Family) -> Family:
    """The family with its line of _families.py. A type that is missing there, or a part of another config, which has no
    model_type, is tried as most types are."""
    config, kind = family.config(), family.model_type
    rotary = family.rotary(config)
    layout, dtype, axes = known_types().get(kind, ("halves", "x", ""))
    reasons = [reason for reason, kinds in UNSUPPORTED.items() if kind in kinds.split()]
    return dataclasses.replace(
        family, layer_types=own_layer_types(rotary, config), layout=layout, dtype=dtype, axes=axes,
        partial=kind in PARTIAL.split(), unsupported=reasons[0] if reasons else "" if kind else departs(rotary),
    )  # fmt: skip


@functools.lru_cache(maxsize=None)
def families() -> tuple[list[Family], list[str]]:
    """All families, and the names of the rotary classes that take no config."""
    logging.disable(logging.WARNING)  # the defaults of some configs give warnings
    found, left = [], []
    for module, name, config_class in classes():
        if config_class is None:
            left.append(name)
        else:
            found.append(described(Family(module.__name__, name, config_class)))
    return found, left
