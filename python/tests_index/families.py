"""The rotary classes of the installed transformers, with the configs that its models pass to them."""

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
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

Config = getattr(transformers, "PreTrainedConfig", None) or transformers.PretrainedConfig  # the name in transformers 4

DEFAULT = {"rope_type": "default", "rope_theta": 1e4}
#: Arguments that the configs with these names need: with their defaults, the rotary class cannot be made or called, or
#: has an odd number of columns, which no model has.
ARGUMENTS: dict[str, dict[str, Any]] = {
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
    """A rotary class, and a class of configs that a model of the same file passes to it."""

    module: str  #: the module of the rotary class
    name: str
    config_class: Any

    @property
    def model_type(self) -> str:
        return self.config_class.model_type

    def __str__(self) -> str:
        return f"{self.name}({self.config_class.__name__})"

    def config(self) -> Any:
        return self.config_class(**copy.deepcopy(ARGUMENTS.get(self.config_class.__name__, {})))

    def rotary(self, config: Any) -> Any:
        return getattr(importlib.import_module(self.module), self.name)(config)


def annotated(function: Any, module: Any) -> Any:
    """The class in the annotation of the argument `config`, if it is a class of configs."""
    for name, parameter in inspect.signature(function).parameters.items():
        if name.endswith("config"):
            kind = parameter.annotation
            kind = getattr(module, kind, None) if isinstance(kind, str) else kind
            return kind if inspect.isclass(kind) and issubclass(kind, Config) else None
    return None


def config_classes(module: Any, tree: ast.Module, name: str) -> Iterator[Any]:
    """The classes of configs that models of this file pass to the rotary class.

    The rotary class's own annotation may be the config of the whole model, or of the model that it was copied from. So
    the class that calls it comes first."""
    annotation = annotated(getattr(module, name).__init__, module)
    for outer in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for call in ast.walk(outer):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name:
                argument = ast.unparse((call.args + [keyword.value for keyword in call.keywords])[0])
                user = getattr(module, outer.name)
                theirs = user.__dict__.get("config_class") or annotated(user.__init__, module) or annotation
                first = [c for c in vars(module).values() if getattr(c, "config_class", None)]
                theirs = theirs or first[0].config_class
                if argument in ("config", "self.config"):
                    yield from [theirs] if can_make(module, name, theirs) else theirs.sub_configs.values()
                    for model_type, model in MODEL_MAPPING_NAMES.items():
                        if outer.name in (model if isinstance(model, tuple) else (model,)):
                            yield transformers.CONFIG_MAPPING[model_type]
                elif argument.startswith("config."):
                    yield type(getattr(theirs(), argument[len("config.") :]))
                elif annotation:
                    yield annotation


def can_make(module: Any, name: str, config_class: Any) -> bool:
    """Whether the class takes this config. T5Gemma's encoder is annotated with the whole model's, but gets a part."""
    try:
        Family(module.__name__, name, config_class).rotary(Family(module.__name__, name, config_class).config())
    except AttributeError:
        return False
    except Exception:  # it takes a config of this class, and refuses its default numbers
        return True
    return True


def classes() -> Iterator[tuple[Any, str, Any]]:
    """Yields modules, names of rotary classes and their configs, or None if the class takes no config."""
    for path in sorted(glob.glob(os.path.join(os.path.dirname(transformers.__file__), "models", "*", "modeling_*.py"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "_tf_" in path or "_flax_" in path or not re.search(r"^class \w*Rotary\w*Embedding\b", text, re.M):
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


@functools.lru_cache(maxsize=None)
def families() -> tuple[list[Family], list[str]]:
    """All families, and the names of the rotary classes that take no config."""
    logging.disable(logging.WARNING)  # the defaults of some configs give warnings
    rows = [*classes()]
    with_config = [Family(module.__name__, name, config) for module, name, config in rows if config is not None]
    return with_config, [name for _, name, config in rows if config is None]
