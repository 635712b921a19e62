"""The modules that replace those of diffusers: timesteps, and the rotary modules of Flux and Wan."""

from __future__ import annotations

import inspect
from typing import Any, Sequence

import torch
from torch import nn

from .._table import table_arguments
from ._calls import check_type
from ._observe import copied
from ._rows import constant_number, rows, spec_of
from ._sines import computing_method
from ._table import pair
from ._tensors import check_positions, constant, of_module

SEE = "docs/recipes.md has the calls for many models"


class Timesteps(nn.Module):
    """Computes timestep embeddings: replaces diffusers' module of this name, and has its arguments."""

    __module__ = "posenc.torch"

    def __init__(self, num_channels: int, flip_sin_to_cos: bool, downscale_freq_shift: float, scale: float = 1) -> None:
        super().__init__()
        self.num_channels, self.flip_sin_to_cos = num_channels, flip_sin_to_cos
        self.downscale_freq_shift, self.scale = downscale_freq_shift, scale
        self._spec()  # checks the arguments

    def _spec(self) -> str:
        shift, scale = constant_number(self.downscale_freq_shift), constant_number(self.scale)
        return spec_of(**table_arguments(self.num_channels, self.flip_sin_to_cos, shift, scale, 10000.0))

    def forward(self, timesteps: torch.Tensor) -> torch.Tensor:
        """Returns the embeddings in float32, of shape (timesteps, num_channels).

        Timesteps that are not finite, or whose product with `scale` is beyond 2^32, give NaN.
        Timesteps in bfloat16 and float16, which round integers above 256 and 2048, give a warning once in a process."""
        check_type("timesteps", timesteps, torch.Tensor)
        timesteps = of_module("timesteps", timesteps)
        check_positions("timesteps", timesteps)
        return rows(timesteps, self._spec(), torch.float32)


class FluxPosEmbed(nn.Module):
    """Computes cosines and sines for each axis of positions: replaces diffusers' module of this name."""

    def __init__(self, theta: float, axes_dim: Sequence[int]) -> None:
        super().__init__()
        self.theta, self.axes_dim = theta, axes_dim

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Returns two float32 tensors of shape (tokens, columns) for positions of shape (tokens, axes)."""
        check_type("ids", ids, torch.Tensor)
        each = [(width, at) for width, at in zip(self.axes_dim, of_module("ids", ids).unbind(-1)) if width]
        both = [pair(positions=at, d_model=width, base=self.theta, duplicated="pairs") for width, at in each]
        return tuple(torch.cat(parts, -1) for parts in zip(*both))


class WanRotaryPosEmbed(nn.Module):
    """Computes cosines and sines of time, height and width: replaces diffusers' module of this name."""

    def __init__(self, attention_head_dim: int, patch_size: Any, max_seq_len: int, theta: float = 1e4) -> None:
        super().__init__()
        self.attention_head_dim, self.patch_size, self.max_seq_len = attention_head_dim, patch_size, max_seq_len
        self.theta, self.h_dim, self.w_dim = theta, 2 * (attention_head_dim // 6), 2 * (attention_head_dim // 6)
        self.t_dim = attention_head_dim - self.h_dim - self.w_dim

    def forward(self, hidden_states: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Returns two float32 tensors of shape (1, tokens, 1, columns) for (batch, channels, frames, height, width)."""
        check_type("hidden_states", hidden_states, torch.Tensor)
        sizes = [size // patch for size, patch in zip(hidden_states.shape[2:], self.patch_size)]
        where = dict(base=self.theta, duplicated="pairs", device=hidden_states.device)
        each = [pair(n, d, **where) for n, d in zip(sizes, (self.t_dim, self.h_dim, self.w_dim))]
        at = torch.cartesian_prod(*[torch.arange(n, device=hidden_states.device) for n in sizes]).unbind(-1)
        return tuple(torch.cat([table[i] for table, i in zip(tables, at)], -1)[None, :, None] for tables in zip(*each))


def counterpart(module: nn.Module) -> type[nn.Module] | None:
    """Returns the class above whose `forward` has the argument of this module of diffusers, if there is one."""
    theirs = type(module)
    if not str(theirs.__module__).startswith("diffusers.") or not computing_method(theirs):
        return None
    classes = {"timesteps": Timesteps, "ids": FluxPosEmbed, "hidden_states": WanRotaryPosEmbed}
    return classes.get(" ".join([*inspect.signature(theirs.forward).parameters][1:]))


def like(module: Any, cls: type[nn.Module]) -> nn.Module:
    """Returns a module of this class, if it has the attributes and returns the values of the module of diffusers."""
    fields, parameters = vars(module), inspect.signature(cls).parameters
    if not all(name in fields or each.default is not each.empty for name, each in parameters.items()):
        raise ValueError(f"it has not the attributes of {cls.__name__}; {SEE}")
    ours = cls(**{name: fields[name] for name in parameters if name in fields})
    if not {name for name in fields if name[0] != "_"} <= {*vars(ours)}:
        raise ValueError(f"it has other attributes than {cls.__name__}; {SEE}")
    inputs = at = constant([0, 0.5, 1, 999], "float32")
    largest: Any = at[:, None] * abs(getattr(module, "scale", 1))  # the largest position of each row
    if cls is FluxPosEmbed:
        inputs = torch.stack([at.roll(axis) for axis in range(len(module.axes_dim))], -1)
        largest = inputs.amax(-1, keepdim=True)
    elif cls is WanRotaryPosEmbed:
        inputs = at.new_zeros((1, 1, *(n * patch for n, patch in zip((2, 3, 4), module.patch_size))))
        largest = 4
    results = [type(module).forward(copied(module), inputs), ours(inputs)]
    results = [result if isinstance(result, tuple) else (result,) for result in results]
    for theirs, values in zip(*results):
        bound = largest * 2.0**-22 + torch.finfo(theirs.dtype).eps  # they may have been rounded to 16 bits
        if theirs.shape != values.shape or not bool(((theirs.float().cpu() - values).abs() <= bound).all()):
            raise ValueError(f"it returns other values than {cls.__name__}; {SEE}")
    return ours
