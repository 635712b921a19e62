"""Replaces the rotary and timestep modules of a model by those of posenc."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch import nn

from ._calls import check_type
from ._diffusers import SEE, counterpart
from ._rotary_like import rotary_like
from ._sines import computing_method

_HINT = f"(SinusoidalPositionalEncoding replaces PyTorch's tutorial's); {SEE}"
ITSELF = "it is the model itself; where it is used, assign posenc.torch.rotary_like(module)"


@dataclasses.dataclass
class Replaced:
    """The result of `replace_rotary`."""

    replaced: list[str]  #: the names of the modules that were replaced
    left: dict[str, str]  #: the names of modules and attributes that were not replaced, with the reasons
    _originals: list[tuple[nn.Module, str, nn.Module]] = dataclasses.field(repr=False)

    def undo(self) -> None:
        """Puts the original modules back."""
        for parent, child, module in self._originals:
            parent._modules[child] = module


def replace_rotary(model: nn.Module) -> Replaced:
    """Replaces the rotary modules of a model, such as those of transformers and diffusers, and diffusers' `Timesteps`.

        >>> model = AutoModelForCausalLM.from_pretrained(...)
        >>> print(posenc.torch.replace_rotary(model).left)     # what was not replaced, with reasons
        >>> model = torch.compile(model)

    Call it after ``from_pretrained`` and before ``torch.compile``. It returns a `Replaced`, whose `undo` puts the
    original modules back.

    A rotary module is one with a buffer `inv_freq`. It is replaced if `rotary_like` finds its replacement. Modules of
    diffusers that have the arguments of `FluxPosEmbed`, `WanRotaryPosEmbed` or `Timesteps` are replaced if they return
    the same values.

    The `left` of the result has the reasons for all other rotary modules. It also lists modules and objects in their
    attributes whose class computes sines and cosines, as the names in its code show.

    A module that is used in several places is still one module afterwards. Its hooks move to the new module.
    """
    check_type("model", model, nn.Module)
    result = Replaced([], {}, [])
    if reason := ITSELF if is_candidate(model) else _reason(model):
        result.left[""] = reason
    outcomes: dict[nn.Module, nn.Module | str] = {}  # as `replacement` returns
    for path, parent in list(model.named_modules(remove_duplicate=False)):
        if _is_ours(parent):
            continue
        for name, value in vars(parent).items():
            if reason := _reason(value):
                result.left[f"{path}.{name}".lstrip(".")] = reason
        for child, module in parent._modules.items():
            if module is None:
                continue
            if module not in outcomes:
                outcomes[module] = replacement(module) if is_candidate(module) else _reason(module)
            new, name = outcomes[module], f"{path}.{child}".lstrip(".")
            if isinstance(new, nn.Module):
                _move_attributes(module, new)
                result._originals.append((parent, child, module))
                result.replaced.append(name)
            elif new:
                result.left[name] = new
    for parent, child, module in result._originals:
        new = outcomes[module]
        assert isinstance(new, nn.Module)
        parent._modules[child] = new.train(module.training).to(_device(module))
    return result


def _is_ours(module: nn.Module) -> bool:
    return str(type(module).__module__).startswith("posenc.")


def is_candidate(module: nn.Module) -> bool:
    """Whether it is a rotary module, by its buffers or its class's name, or one that _diffusers.py may replace."""
    has_frequencies = any(name.endswith("inv_freq") for name, _ in module.named_buffers(recurse=False))
    is_rotary = has_frequencies or "RotaryEmbedding" in type(module).__name__ or counterpart(module) is not None
    return is_rotary and not _is_ours(module)


def replacement(module: nn.Module) -> nn.Module | str:
    """Returns the module that takes its place, or the reason why there is none."""
    try:
        return rotary_like(module)
    except ValueError as error:
        return str(error)


def _move_attributes(module: nn.Module, new: nn.Module) -> None:
    """Gives the new module the hooks of the old one, and the values that a model may read."""
    for key, value in vars(module).items():
        is_value = key not in vars(new) and not key.startswith("_") and not key.endswith("inv_freq")
        if key.endswith("_hooks") or "_hooks_" in key or is_value and not callable(value):
            vars(new)[key] = value


def _device(module: nn.Module) -> torch.device:
    """Returns the device of its frequencies, or the CPU if it has none."""
    return next((buffer.device for buffer in module.buffers() if not buffer.is_meta), torch.device("cpu"))


def _reason(value: Any) -> str:
    """Returns why an object is left whose class computes sines and cosines, or "" if its class does not."""
    method = computing_method(type(value))
    return f"its {method} computes sines and cosines, and posenc does not know its class {_HINT}" if method else ""
