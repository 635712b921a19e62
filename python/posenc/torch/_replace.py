"""Replaces the rotary and timestep modules of a model by those of posenc."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from .._audit import base_of_frequencies
from .._plan import name_of
from ._calls import check_type
from ._diffusers import FluxPosEmbed, Timesteps, WanRotaryPosEmbed
from ._rotary_embedding import RotaryEmbedding
from ._sines import computing_method
from ._tensors import constant

_SEE = "docs/recipes.md has the calls for many models"


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
    """Replaces the rotary modules of a model of transformers or diffusers, and the `Timesteps` of diffusers.

        >>> model = AutoModelForCausalLM.from_pretrained(...)
        >>> print(posenc.torch.replace_rotary(model).left)     # what was not replaced, with reasons
        >>> model = torch.compile(model)

    Call it after ``from_pretrained`` and before ``torch.compile``. It returns a `Replaced`, whose `undo` puts the
    original modules back. A rotary module is replaced if all of this holds:

    - A new instance of its class, made from its config, returns the same layout and dtype as posenc's module, and the
      same values within the rounding errors of float32, at positions 0 to 15 and on both sides of the original length.
    - The module's own frequencies and attention factor are those of that instance. The frequencies may have been rounded
      to 16 bits, or computed in 16 bits, as DeepSpeed's zero.Init does.
    - Its `forward` is that of its class. (accelerate replaces the `forward` of modules.)

    Modules of diffusers that have the arguments of `FluxPosEmbed`, `WanRotaryPosEmbed` or `Timesteps` are replaced if
    they return the same values.

    The `left` of the result has the reasons for all other rotary modules. It also lists modules and objects in their
    attributes whose class calls both `sin` and `cos`, itself or in a function that it names.

    A module that is used in several places is still one module afterwards. Its hooks move to the new module.
    """
    check_type("model", model, nn.Module)
    found = Replaced([], {}, [])
    if _may_replace(model):
        why = "it is the model itself; assign its replacement, as RotaryEmbedding(model.config), where it is used"
        found.left[""] = why
    elif reason := _reason(model):
        found.left[""] = reason
    ours: dict[nn.Module, nn.Module | str] = {}
    for path, parent in list(model.named_modules(remove_duplicate=False)):
        if type(parent).__module__.startswith("posenc."):
            continue
        for child, value in vars(parent).items():
            if reason := _reason(value):
                found.left[f"{path}.{child}".lstrip(".")] = reason
        for child, module in parent._modules.items():
            if module is None:
                continue
            if module not in ours:
                ours[module] = probe(module) if _may_replace(module) else _reason(module)
            new, name = ours[module], f"{path}.{child}".lstrip(".")
            if isinstance(new, str):
                found.left.update({name: new} if new else {})
                continue
            for key, value in vars(module).items():
                is_new = key not in vars(new) and not key.startswith("_") and not key.endswith("inv_freq")
                if key.endswith("_hooks") or "_hooks_" in key or is_new and not callable(value):  # a model may read it
                    vars(new)[key] = value
            found._originals.append((parent, child, module))
            found.replaced.append(name)
    for parent, child, module in found._originals:
        new = ours[module]
        assert isinstance(new, nn.Module)
        parent._modules[child] = new.train(module.training).to(_device(module))
    return found


def _may_replace(module: nn.Module) -> bool:
    """Whether it is a rotary module, by its buffers and its class's name, or may be one that _diffusers.py replaces."""
    name = type(module).__name__
    if type(module).__module__.startswith("posenc."):
        return False
    has_frequencies = any(name.endswith("inv_freq") for name, _ in module.named_buffers(recurse=False))
    return has_frequencies or "RotaryEmbedding" in name or _of_diffusers(module) is not None


def _of_diffusers(module: Any) -> type[nn.Module] | None:
    """Returns the class of _diffusers.py whose `forward` has the argument of this module of diffusers, if there is one."""
    kinds = {"timesteps": Timesteps, "ids": FluxPosEmbed, "hidden_states": WanRotaryPosEmbed}
    if not type(module).__module__.startswith("diffusers.") or not computing_method(type(module)):
        return None
    return kinds.get(" ".join([*inspect.signature(type(module).forward).parameters][1:]))


def _reason(value: Any) -> str:
    """Returns why this object stays, if its class computes sines and cosines; else ""."""
    method = computing_method(type(value))
    said = "posenc does not know its class (SinusoidalPositionalEncoding replaces PyTorch's tutorial's)"
    return f"its {method} computes sines and cosines, and {said}; {_SEE}" if method else ""


def _device(module: nn.Module) -> torch.device:
    """Returns the device of its frequencies, or the CPU if it has none."""
    return next((buffer.device for buffer in module.buffers() if not buffer.is_meta), torch.device("cpu"))


def probe(module: nn.Module) -> nn.Module | str:
    """Returns the replacement of the module, or the reason why it has none.

    It calls a new instance of the class, because the module's frequencies may have been rounded to 16 bits, or computed
    in 16 bits, or may have changed with the length of a sequence. It compares the module's frequencies and attention
    factor with those of the new instance."""
    if "forward" in vars(module):
        return "its forward was replaced, as accelerate does"
    if torch.empty(0).is_meta:
        return "new tensors are on the meta device; call replace_rotary outside of that context"
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        config = getattr(module, "config", None)
        if config is None or _of_diffusers(module):
            return _probe_without_config(module)
        try:
            fresh = type(module)(config)
        except Exception as error:
            return f"its class cannot be called with the config alone: {type(error).__name__}: {error}"
        why = _differs(module, fresh)
        if why and all(_differs(module, _made_in(dtype, module)) for dtype in (torch.bfloat16, torch.float16)):
            return why
        try:
            ways = [RotaryEmbedding(config)]
        except ValueError as error:
            if "is unknown" not in str(error):
                return f"{error}; {_SEE}" if "is not supported" in str(error) else str(error)
            ways = [RotaryEmbedding(config, layout=layout) for layout in ("halves", "pairs")]
        takes = [*inspect.signature(fresh.forward).parameters]
        if takes not in (["x", "position_ids"], ["x", "position_ids", "layer_type"]):
            return f"its forward takes ({', '.join(takes)}), not (x, position_ids)"
        for own in ways:
            for batch in (False, True) if own._is_axial else (True,):
                why = _compared(fresh, own, batch)
                if not why:
                    return own
                fresh = type(module)(config)  # the first calls may have changed it
        return why
    except Exception as error:  # the module takes other arguments, or the config has errors
        return f"it could not be tried: {type(error).__name__}: {error}"
    finally:
        torch.set_default_dtype(default)


class _Conversion(TorchFunctionMode):
    """Converts new tensors to a dtype, as DeepSpeed's zero.Init does."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        is_new = function in (torch.tensor, torch.empty, torch.zeros, torch.ones, torch.full, torch.arange)
        return result.to(self.dtype) if is_new and result.is_floating_point() else result


def _made_in(dtype: torch.dtype, module: nn.Module) -> nn.Module:
    """Returns a new instance, made as in DeepSpeed's zero.Init, whose frequencies have the errors of 16 bits."""
    with _Conversion(dtype):
        return type(module)(module.config)


def _probe_without_config(module: Any) -> nn.Module | str:
    """Compares a module that has no config with the module of _diffusers.py that has the same arguments and attributes."""
    at, kind, own = constant([0, 0.5, 1, 999], "float32"), _of_diffusers(module), None
    if kind is not None:
        named, wanted = vars(module), inspect.signature(kind).parameters
        if all(name in named or each.default is not each.empty for name, each in wanted.items()):
            own = kind(**{name: named[name] for name in wanted if name in named})
    if own is None or not {name for name in vars(module) if name[0] != "_"} <= {*vars(own)}:
        return _said_of_frequencies(module) or _reason(module)
    if kind is WanRotaryPosEmbed:
        inputs = at.new_zeros((1, 1, *(n * patch for n, patch in zip((2, 3, 4), module.patch_size))))
    else:
        inputs = at if kind is Timesteps else at[:, None].repeat(1, len(module.axes_dim))
    size = 4 if kind is WanRotaryPosEmbed else at[:, None] * abs(getattr(module, "scale", 1))
    for theirs, ours in zip(_parts(module(inputs)), _parts(own(inputs))):
        bound = size * 2.0**-22 + torch.finfo(theirs.dtype).eps  # they may have been rounded to 16 bits
        if theirs.shape != ours.shape or not _near(theirs.float().cpu(), ours, bound):
            return f"it returns other values; {_SEE}"
    return own


def _said_of_frequencies(module: nn.Module) -> str:
    """Returns why a module with frequencies is not replaced, and whose frequencies they are; "" if it has none."""
    found = [buffer for name, buffer in module.named_buffers(recurse=False) if name.endswith("inv_freq")]
    is_one = len(found) == 1 and not found[0].is_meta
    base = base_of_frequencies(found[0].detach().cpu().double().numpy(), name_of(found[0].dtype)) if is_one else None
    if not found:
        return ""
    said = "it has no config, and posenc does not know its class; "
    if base is not None and not base.is_about:
        said += f"its frequencies are those of posenc.torch.RotaryEmbedding({2 * len(found[0])}, base={base.value!r}); "
    return said + _SEE


def _differs(module: nn.Module, fresh: nn.Module) -> str:
    """Returns how the module differs from the new instance: it had other arguments, or was changed; else ""."""
    for name, want in {**fresh._parameters, **fresh._buffers}.items():
        have = getattr(module, name, None)
        if want is None or not name.endswith("inv_freq") or have is not None and have.is_meta:
            continue
        rope_type = getattr(module, "rope_type", "")
        if isinstance(rope_type, dict):
            rope_type = rope_type.get(name.removesuffix("_inv_freq"), "")
        if rope_type in ("dynamic", "longrope"):  # before a longer sequence changed them
            have = getattr(module, name.replace("inv_freq", "original_inv_freq"), have)
        if have is None or have.shape != want.shape:
            return "its frequencies are not those of its config"
        have = have.float().cpu()
        is_short = any(torch.equal(have, have.to(dtype).float()) for dtype in (torch.bfloat16, torch.float16))
        bound = want.abs() * 2.0**-8 + 2.0**-24 if is_short else want.abs() * 2.0**-20
        if not _near(have, want, bound):
            return "its frequencies are not those of its config"
    for name, want in vars(fresh).items():
        is_argument = isinstance(want, (bool, int, float, str)) and name not in ("training", "max_seq_len_cached")
        if is_argument and vars(module).get(name) != want:
            return f"its {name} is {vars(module).get(name)!r}, and {want!r} according to its config"
    return ""


def _compared(fresh: nn.Module, own: RotaryEmbedding, batch: bool) -> str:
    calls: list[tuple[str, ...]] = [()]
    if own.per_type is not None:  # a config may name types that its model does not have
        calls = [(name,) for name in own.per_type if f"{name}_inv_freq" in fresh._buffers]
        if not calls:
            return "it has no frequencies of the config's layer types"
    for types in calls:
        one: Any = own.per_type[types[0]] if own.per_type is not None else own
        end = one._original or min(one.max_position_embeddings, 1 << 24)
        for places in (range(16), range(end - 2, end), range(end, end + 2)):
            at = constant(places, "int64")
            if one.axes is not None:
                at = torch.stack([at + axis for axis in range(one._positions)], -1 if one._is_axial else 0)
            at = at.unsqueeze(1 if at.dim() > 1 and not one._is_axial else 0) if batch else at
            for dtype in (torch.float32, torch.bfloat16):
                x = at.new_zeros((1, len(places), 1), dtype=dtype)
                theirs, ours = _parts(fresh(x, at, *types)), _parts(one(x, at))
                if [(v.shape, v.dtype) for v in theirs] != [(v.shape, v.dtype) for v in ours]:
                    return f"it returns {_said(theirs)}, and RotaryEmbedding {_said(ours)}"
                if dtype == torch.float32:
                    w = one._arranged(constant(one._of_length(0).freqs[[*one._columns]], "float32").abs())
                    most = at if one.axes is None else at.amax(-1 if one._is_axial else 0)
                    bound = (most[..., None] * w + 1) * 2.0**-21 * max(1.0, one.attention_scaling)
                    if not all(_near(a, b, bound) for a, b in zip(theirs, ours)):
                        return "it returns other values"
    return ""


def _parts(result: Any) -> list[torch.Tensor]:
    values = list(result) if isinstance(result, (tuple, list)) else [result]
    return [part for v in values for part in ((v.real, v.imag) if v.is_complex() else (v,))]


def _said(values: list[torch.Tensor]) -> str:
    return ", ".join(f"{str(v.dtype).removeprefix('torch.')} of shape {tuple(v.shape)}" for v in values)


def _near(a: torch.Tensor, b: torch.Tensor, bound: Any) -> bool:
    return bool(((a - b).abs() <= bound).all())
