"""A PyTorch module that adds the position table to embeddings.

    >>> from posenc.torch import SinusoidalPositionalEncoding
    >>> encode = SinusoidalPositionalEncoding(512)      # for (sequence, batch, 512), dropout 0.1
"""

from __future__ import annotations

import torch
from torch import nn

from ._table import table

__all__ = ["SinusoidalPositionalEncoding"]

# Names under which checkpoints hold such tables: the tutorial's, and one of the notebooks'.
_KNOWN_NAMES = ("pe", "positional_encoding_matrix")


def _is_compiling() -> bool:
    """Whether this call is being traced; Python's own control flow over data must not be."""
    compiler = getattr(torch, "compiler", None)
    if compiler is not None and getattr(compiler, "is_compiling", bool)():
        return True
    return torch.jit.is_tracing() or torch.jit.is_scripting()


class SinusoidalPositionalEncoding(nn.Module):
    """``dropout(scale * x + table)``: adds the row of its position to each embedding.

    Parameters
    ----------
    d_model
        Size of the last axis of the input; may be odd.
    max_len
        Positions 0 .. max_len - 1 are tabulated. Later ones make the table grow, outside of compiled code; see `reserve`.
    dropout
        Probability of the dropout that follows; 0 for none.
    batch_first
        False: inputs are (sequence, batch, d_model), as in `torch.nn`. True: (batch, sequence, d_model).
        Inputs without a batch, (sequence, d_model), are fine with either.
    base
        The frequencies are ``base**(-2 k / d_model)``.
    scale
        What inputs are multiplied by; None for nothing. The Transformer has ``math.sqrt(d_model)`` here.
    persistent
        Whether the table is part of the `state_dict`. If not, a table found in a checkpoint is dropped.
    buffer_name
        Under which name.

    The table is a float32 buffer of shape (positions, d_model) and stays float32 in a module that is converted; sums are
    formed in the wider of the two types and rounded to the input's.
    """

    def __init__(
        self,
        d_model: int,
        max_len: int = 5000,
        dropout: float = 0.1,
        batch_first: bool = False,
        base: float = 10000.0,
        scale: float | None = None,
        persistent: bool = False,
        buffer_name: str = "pe",
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.batch_first = batch_first
        self.base = base
        self.scale = scale
        self.persistent = persistent
        self.buffer_name = buffer_name
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(buffer_name, self._rows(0, max_len), persistent=persistent)

    def _rows(self, first: int, count: int) -> torch.Tensor:
        return torch.from_numpy(table(count, self.d_model, self.base, first=first))

    def _table(self) -> torch.Tensor:
        return self._buffers[self.buffer_name]

    def reset_buffers(self) -> None:
        """Fills the table again, as after ``to_empty``, on its device and as long as it is."""
        old = self._table()
        if old.device.type != "meta":
            self._buffers[self.buffer_name] = self._rows(0, old.shape[0]).to(old.device)

    def reserve(self, n: int) -> None:
        """Makes positions 0 .. n - 1 available; rows that are there stay as they are. Not in compiled code."""
        old = self._table()
        if n > old.shape[0]:
            more = self._rows(old.shape[0], n - old.shape[0]).to(old.device)
            self._buffers[self.buffer_name] = torch.cat([old, more])

    def _need(self, n: int) -> None:
        have = self._table().shape[0]
        if n <= have:
            return
        if _is_compiling():
            raise RuntimeError(
                f"the table has {have} positions and cannot grow in compiled code; call reserve(n) with the number "
                f"of positions you need, or give max_len, before compiling"
            )
        self.reserve(max(n, 2 * have))

    def _check(self, x: torch.Tensor) -> None:
        if x.dim() not in (2, 3) or x.shape[-1] != self.d_model:
            axes = "(batch, sequence, d_model)" if self.batch_first else "(sequence, batch, d_model)"
            raise ValueError(
                f"the input has shape {tuple(x.shape)}; expected {axes} or (sequence, d_model) with d_model = {self.d_model}"
            )
        if not x.is_floating_point():
            raise TypeError(f"the input has dtype {x.dtype}; expected a floating-point type")

    def forward(self, x: torch.Tensor, start: int = 0, positions: torch.Tensor | None = None) -> torch.Tensor:
        """Embeddings plus their positions' rows, of the dtype and on the device of x.

        Parameters
        ----------
        x
            (sequence, batch, d_model), or (batch, sequence, d_model) with batch_first, or (sequence, d_model).
        start
            Position of the first one, 0 or more: for decoding piece by piece.
        positions
            Integers instead of start, start + 1, ...: of shape (sequence,), or of x's without its last axis.
        """
        self._check(x)
        sequence_axis = 1 if self.batch_first and x.dim() == 3 else 0
        length = x.shape[sequence_axis]
        if positions is None:
            if start < 0:
                raise ValueError(f"start is {start}; allowed: 0 or more")
            self._need(start + length)
            rows = self._table()[start : start + length]
        else:
            if start != 0:
                raise ValueError(f"start is {start}; allowed: 0, where positions are given")
            rows = self._rows_at(positions, x, length)
        if rows.dim() < x.dim():
            rows = rows.unsqueeze(1 - sequence_axis)
        if self.scale is not None:
            x_scaled = x * self.scale
        else:
            x_scaled = x
        return self.dropout((x_scaled + rows.to(x.device)).to(x.dtype))

    def _rows_at(self, positions: torch.Tensor, x: torch.Tensor, length: int) -> torch.Tensor:
        if positions.dtype not in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
            raise TypeError(f"positions have dtype {positions.dtype}; expected integers")
        if positions.shape != x.shape[:-1] and positions.shape != (length,):
            raise ValueError(
                f"positions have shape {tuple(positions.shape)}; expected {(length,)} or {tuple(x.shape[:-1])}"
            )
        if not _is_compiling() and positions.numel() > 0:  # on a GPU, this waits for it
            least, most = int(positions.min()), int(positions.max())
            if least < 0:
                raise ValueError(f"positions go down to {least}; allowed: 0 or more")
            self._need(most + 1)
        table = self._table()
        return table[positions.to(device=table.device, dtype=torch.int64)]

    # ---- the table stays float32, whatever the module is converted to

    def _apply(self, fn, *args, **kwargs):
        old = self._table()
        super()._apply(fn, *args, **kwargs)
        new = self._table()
        if new.dtype != torch.float32:
            self._buffers[self.buffer_name] = (
                old.to(new.device) if new.device.type != "meta" else torch.empty_like(old, device="meta")
            )
        return self

    # ---- checkpoints: tables of several names and shapes

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ) -> None:
        names = [name for name in dict.fromkeys((self.buffer_name, *_KNOWN_NAMES)) if prefix + name in state_dict]
        for key in state_dict:
            name = key[len(prefix) :].split(".", 1)[0]
            if strict and key.startswith(prefix) and name not in names and name not in self._modules:
                unexpected_keys.append(key)
        if not names:
            if strict and self.persistent:
                missing_keys.append(prefix + self.buffer_name)
            return
        key = prefix + names[0]
        value = state_dict[key]
        d = self.d_model
        shape = tuple(value.shape)
        if shape[-1:] != (d,) or len(shape) not in (2, 3) or (len(shape) == 3 and 1 not in shape[:2]):
            error_msgs.append(
                f"{key} has shape {shape}; expected (positions, {d}), (positions, 1, {d}) or (1, positions, {d})"
            )
            return
        if self.persistent:
            old = self._table()
            device = value.device if old.device.type == "meta" else old.device
            loaded = value.detach().reshape(-1, d)
            self._buffers[self.buffer_name] = loaded.to(device=device, dtype=torch.float32, copy=True)

    def extra_repr(self) -> str:
        text = f"{self.d_model}, max_len={self._table().shape[0]}, batch_first={self.batch_first}, base={self.base:g}"
        return text if self.scale is None else f"{text}, scale={self.scale:g}"
