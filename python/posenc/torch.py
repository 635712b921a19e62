"""For PyTorch: a module that adds a position table to embeddings, and tables, pairs and sums as tensors.

>>> import posenc.torch
>>> encode = posenc.torch.SinusoidalPositionalEncoding(512)      # for (sequence, batch, 512), dropout 0.1
>>> posenc.torch.table(positions=timesteps, d_model=320, preset="guided_diffusion", dtype=torch.bfloat16)
"""

from __future__ import annotations

import numbers
import os
import threading
from typing import Any, Callable

import torch
from torch import nn

from ._pair import Pair
from ._plan import MAX_POSITION, dtype_name, index, real
from ._tensors import TORCH_DTYPES, add, cis, fill_at, pair, table

__all__ = ["Pair", "SinusoidalPositionalEncoding", "add", "cis", "fill_at", "pair", "table"]

# Names under which checkpoints hold such tables: the tutorial's, and one of the notebooks'.
_KNOWN_NAMES = ("pe", "positional_encoding_matrix")

# For a position beyond the table and beyond so many bytes, the table does not grow by itself: it may be a mistake.
_FAR_BYTES = 64 << 20

_growing = threading.Lock()  # of this file, not of a module: modules are copied and pickled


def _replace_lock() -> None:
    """In a forked child: the thread that held the lock is not there to release it."""
    global _growing
    _growing = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_replace_lock)


def _is_compiling() -> bool:
    """Whether this call is being traced: values of tensors are not at hand then."""
    compiler = getattr(torch, "compiler", None)
    if compiler is not None and getattr(compiler, "is_compiling", bool)():
        return True
    return torch.jit.is_tracing() or torch.jit.is_scripting()


def _has_values(rows: torch.Tensor) -> bool:
    """Whether these are numbers of a type that the library computes; meta tensors and subclasses may have no values."""
    return type(rows) is torch.Tensor and rows.device.type != "meta" and rows.dtype in TORCH_DTYPES.values()


class SinusoidalPositionalEncoding(nn.Module):
    """``dropout(scale * x + table)``: adds the row of its position to each embedding.

    Parameters
    ----------
    d_model
        Size of the last axis of the input; may be odd.
    dropout
        Probability of the dropout that follows, 0 to 1.
    max_len
        Positions 0 to max_len - 1 are tabulated. Later ones make the table grow, outside of compiled code; see
        `reserve`.
    batch_first
        False: inputs are (sequence, batch, d_model), as in `torch.nn`. True: (batch, sequence, d_model).
        Inputs without a batch, (sequence, d_model), are fine with either.
    base
        The frequencies are ``base**(-2 k / d_model)``, or as the preset has them; None: its base, the paper's being
        10000.
    scale
        What inputs are multiplied by; None for nothing. The Transformer has ``math.sqrt(d_model)`` here.
    persistent
        Whether the table is part of the `state_dict`, as the tutorial's is. If not, a table found in a checkpoint is
        ignored.
    buffer_name
        Name of the buffer, and of its entry in a `state_dict`.
    preset
        What a real system computes, by name; `posenc.presets` lists them, and says where their users begin:
        ``start=`` of a call. None: the paper's.
    dtype
        Of the table: torch.float32, float64, bfloat16 or float16; None: PyTorch's default dtype.

    The first three arguments are those of the class in PyTorch's tutorial and in the Annotated Transformer; the
    others are given by name.

    The table is a buffer of shape (positions, 1, d_model), or (1, positions, d_model) with batch_first, as in those
    classes, and checkpoints load in both directions. ``load_state_dict`` accepts either shape, (positions, d_model)
    too, and any number of positions. Loaded values are used as they are; `reset_buffers` replaces them by the exact
    ones. Rows by which a call has made the table grow are not saved; those from `reserve` are.

    A model that is made on the meta device gets memory without values (``to_empty``, and ``from_pretrained`` of
    Hugging Face for what the checkpoint lacks or for persistent=False). Where no table is loaded into it, call
    `reset_buffers`.

    Each value is rounded once, to the table's dtype: ``.to(dtype)``, ``.half()`` and ``.bfloat16()`` compute the table
    again in the new dtype. A table with other values, loaded or written, is converted like any buffer.

    PyTorch does the arithmetic, in the dtype to which those of the input and the table promote; the result has the
    input's dtype. With a scale, ``scale * x`` is rounded to that dtype before the sum.

    Where copies of a module work for it (`torch.nn.DataParallel`), or when it is compiled or exported, give `max_len`
    or call `reserve` first: a copy's growth is lost with it.
    """

    def __init__(
        self,
        d_model: int,
        dropout: float = 0.1,
        max_len: int = 5000,
        *,
        batch_first: bool = False,
        base: float | None = None,
        scale: float | None = None,
        persistent: bool = True,
        buffer_name: str = "pe",
        preset: str | None = None,
        dtype: torch.dtype | str | None = None,
    ) -> None:
        super().__init__()
        self.d_model = index("d_model", d_model, 1, 1 << 20)
        allowed = "a probability from 0 to 1"
        if not 0 <= real("dropout", dropout, allowed) <= 1:
            if isinstance(dropout, numbers.Integral) and dropout > 1:
                allowed += f". For a table of {dropout} positions write max_len={dropout}"
            raise ValueError(f"dropout is {dropout}; allowed: {allowed}")
        self.dropout = nn.Dropout(dropout)
        self.batch_first = batch_first
        self.base = base
        self.scale = scale
        self.persistent = persistent
        self.buffer_name = buffer_name
        self.preset = preset
        kind = torch.get_default_dtype() if dtype is None else TORCH_DTYPES[dtype_name(dtype)]
        rows = self._rows(0, index("max_len", max_len, 0, MAX_POSITION), kind)
        self.register_buffer(buffer_name, rows.to(torch.empty(0).device), persistent=persistent)
        self._saved = rows.shape[self._axis()]  # rows of the table that a state_dict has

    def _axis(self) -> int:
        """The table's axis of positions; its other one, of length 1, is that of the batch."""
        return 1 if self.batch_first else 0

    def _rows(self, first: int, count: int, dtype: torch.dtype) -> torch.Tensor:
        """Rows of the table as they are computed, in its shape."""
        with torch.inference_mode(False):
            rows = table(
                count, self.d_model, first=first, base=self.base, preset=self.preset, dtype=dtype, device="cpu"
            )
            return rows.unsqueeze(1 - self._axis())

    def _table(self) -> torch.Tensor:
        rows = self._buffers[self.buffer_name]
        assert rows is not None
        return rows

    def reset_buffers(self, device: torch.device | str | None = None) -> None:
        """Computes the table: as long as it is and of its dtype, on its device or another. Loaded values are lost."""
        old = self._table()
        target = torch.device(device) if device is not None else old.device
        if target.type == "meta":
            raise RuntimeError("the table is on the meta device; name another, or call to_empty first")
        with torch.inference_mode(False):
            self._buffers[self.buffer_name] = self._rows(0, old.shape[self._axis()], old.dtype).to(target)

    reset_parameters = reset_buffers  # what FSDP calls after to_empty

    def reserve(self, n: int) -> None:
        """Makes positions 0 to n - 1 available; rows that are there stay as they are. Not in compiled code."""
        n = index("n", n, 0, MAX_POSITION)
        self._grow(n)
        self._saved = max(self._saved, n)

    def _grow(self, n: int) -> None:
        with _growing, torch.inference_mode(False), torch.no_grad():
            old, axis = self._table(), self._axis()
            have = old.shape[axis]
            if n > have:
                more = self._rows(have, n - have, old.dtype).to(old.device)
                self._buffers[self.buffer_name] = torch.cat([old, more], axis)

    def _grown(self, name: str, position: int, end: int) -> torch.Tensor:
        """The table, with positions 0 to end - 1 at least. What was asked for is `position`; errors call it `name`."""
        pe = self._table()
        have, far = pe.shape[self._axis()], _FAR_BYTES // (self.d_model * pe.element_size())
        if _is_compiling():
            raise RuntimeError(
                f"the table has {have} positions and cannot grow in compiled code; call reserve(n) with the number "
                f"of positions you need, or give max_len, before compiling"
            )
        if position >= max(far, 2 * have):
            raise ValueError(
                f"{name} {position}, far beyond the table's {have} positions; if that is meant, call reserve(n) first"
            )
        self._grow(int(max(end, min(2 * have, end + far))))
        return self._table()

    def forward(self, x: torch.Tensor, start: int = 0, positions: torch.Tensor | None = None) -> torch.Tensor:
        """Embeddings plus their positions' rows, of the dtype and on the device of x.

        Parameters
        ----------
        x
            (sequence, batch, d_model), or (batch, sequence, d_model) with batch_first, or (sequence, d_model).
        start
            Position of the first one, 0 or more: for decoding piece by piece. One far beyond the table is an error,
            as it is in `positions`, unless `reserve` was called.
        positions
            Integers instead of start, start + 1, ...: of shape (sequence,), or of x's without its last axis, whose
            axes may be 1. Compiled code cannot look at them: there those beyond the table are PyTorch's index error,
            and negative ones count from its end.
        """
        shape = x.shape
        axes = len(shape)
        if axes not in (2, 3) or shape[-1] != self.d_model:
            expected = "(batch, sequence, d_model)" if self.batch_first else "(sequence, batch, d_model)"
            raise ValueError(
                f"the input has shape {tuple(shape)}; expected {expected} or (sequence, d_model) "
                f"with d_model = {self.d_model}"
            )
        axis = 1 if self.batch_first else 0
        length = shape[axis if axes == 3 else 0]
        if positions is not None:
            if start != 0:
                raise ValueError(f"start is {start}; allowed: 0, where positions are given")
            rows = self._rows_at(positions, shape[:-1], length)
        else:
            if start < 0:
                raise ValueError(f"start is {start}; allowed: 0 or more")
            pe, end = self._table(), start + length
            if end > pe.shape[axis]:
                pe = self._grown("start is", start, end)
            rows = pe[:, start:end] if axis else pe[start:end]
            if axes == 2:
                rows = rows.squeeze(1 - axis)
        dropout = self._modules["dropout"]  # self.dropout takes half as long as adding a row
        dtype = x.dtype
        if dtype == rows.dtype and x.device == rows.device:
            return dropout((x if self.scale is None else x * self.scale) + rows)
        if not x.is_floating_point():
            raise TypeError(f"the input has dtype {dtype}; expected a floating-point type")
        wide = x.to(torch.promote_types(dtype, rows.dtype))
        return dropout(((wide if self.scale is None else wide * self.scale) + rows.to(x.device)).to(dtype))

    def _rows_at(self, positions: torch.Tensor, batch: torch.Size, length: int) -> torch.Tensor:
        if not isinstance(positions, torch.Tensor):
            raise TypeError(f"positions are a {type(positions).__name__}; expected a tensor of integers")
        if positions.dtype not in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
            raise TypeError(f"positions have dtype {positions.dtype}; expected int64, or a smaller integer")
        same = positions.dim() == len(batch) and all(p == n or p == 1 for p, n in zip(positions.shape, batch))
        if positions.shape != (length,) and not same:
            raise ValueError(
                f"positions have shape {tuple(positions.shape)}; expected {(length,)}, or {tuple(batch)}, "
                f"whose axes may be 1"
            )
        pe = self._table()
        if not _is_compiling() and positions.numel() > 0:  # on a GPU, this waits for it
            least, most = int(positions.min()), int(positions.max())
            if least < 0:
                raise ValueError(f"positions go down to {least}; allowed: 0 or more")
            if most >= pe.shape[self._axis()]:
                pe = self._grown("positions go up to", most, most + 1)
        rows = pe.flatten(0, 1)[positions.to(device=pe.device, dtype=torch.int64)]
        return rows.unsqueeze(1 - self._axis()) if positions.dim() < len(batch) else rows

    # ---- conversions

    def _apply(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> SinusoidalPositionalEncoding:
        old = self._table()
        super()._apply(fn, *args, **kwargs)
        new = self._table()
        if new.dtype != old.dtype and _has_values(old) and _has_values(new) and not old.requires_grad:
            count = old.shape[self._axis()]
            # The values are compared, since nothing else tells whether somebody has written to a buffer.
            if torch.equal(old, self._rows(0, count, old.dtype).to(old.device)):
                with torch.inference_mode(False):
                    self._buffers[self.buffer_name] = self._rows(0, count, new.dtype).to(new.device)
        return self

    # ---- checkpoints: tables of several names and shapes

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        key, axis = prefix + self.buffer_name, self._axis()
        if key in destination and destination[key].shape[axis] > self._saved:
            destination[key] = destination[key].narrow(axis, 0, self._saved).clone()

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        own = {*self._parameters, *self._buffers, *self._modules}
        names = (self.buffer_name, *(name for name in _KNOWN_NAMES if name not in own))
        found = next((prefix + name for name in names if prefix + name in state_dict), None)
        if found is not None:
            values = self._in_shape(found, state_dict[found], error_msgs)
            state_dict = {key: value for key, value in state_dict.items() if key != found}
            if self.persistent:
                state_dict[prefix + self.buffer_name] = values
                old = self._table()
                self._saved = values.shape[self._axis()]
                if values.shape != old.shape:
                    with torch.inference_mode(False):
                        self._buffers[self.buffer_name] = values.to(old.device, old.dtype, copy=True)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _in_shape(self, key: str, value: Any, error_msgs: list[str]) -> torch.Tensor:
        """A checkpoint's table in the shape of ours; ours, and an error message, where it is none."""
        d = self.d_model
        shape = tuple(getattr(value, "shape", ()))
        right = len(shape) in (2, 3) and shape[-1] == d and (len(shape) == 2 or 1 in shape[:2])
        if isinstance(value, torch.Tensor) and value.is_floating_point() and right:
            return value.detach().reshape((1, -1, d) if self.batch_first else (-1, 1, d))
        kind = getattr(value, "dtype", type(value).__name__)
        error_msgs.append(
            f"{key} has shape {shape} and is of type {kind}; expected a floating-point tensor "
            f"of shape (positions, {d}), (positions, 1, {d}) or (1, positions, {d})"
        )
        return self._table()

    def extra_repr(self) -> str:
        pe = self._table()
        text = f"{self.d_model}, max_len={pe.shape[self._axis()]}, batch_first={self.batch_first}"
        said = {"base": self.base, "scale": self.scale, "preset": self.preset}
        text += "".join(f", {name}={value}" for name, value in said.items() if value is not None)
        return text if pe.dtype == torch.float32 else f"{text}, dtype={str(pe.dtype).removeprefix('torch.')}"
