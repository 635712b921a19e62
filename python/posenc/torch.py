"""For PyTorch: a module that adds a position table to embeddings, and tables, pairs and sums as tensors.

    >>> import posenc.torch
    >>> encode = posenc.torch.SinusoidalPositionalEncoding(512)      # for (sequence, batch, 512), dropout 0.1
    >>> posenc.torch.table(timesteps, 320, preset="guided_diffusion", dtype=torch.bfloat16)
"""

from __future__ import annotations

import threading
from typing import Any, Callable

import torch
from torch import nn

from ._plan import MAX_POSITION, index
from ._tensors import TORCH_DTYPES, add, is_plain, pair, table, torch_dtype_name

__all__ = ["SinusoidalPositionalEncoding", "add", "pair", "table"]

# Names under which checkpoints hold such tables: the tutorial's, and one of the notebooks'.
_KNOWN_NAMES = ("pe", "positional_encoding_matrix")


# From so many elements on, and so many to each of the table's, a sum in one pass is worth looking whether it is the same.
_LARGE, _BATCH = 1 << 18, 8

# A position this far beyond the table is taken for a mistake, not for a wish.
_FAR = 1 << 20

_growing = threading.Lock()  # of the module's file, not of a module: those are copied and pickled


def _is_compiling() -> bool:
    """Whether this call is being traced: values of tensors are not at hand then."""
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
        The frequencies are ``base**(-2 k / d_model)``, or as the preset has them; None: its base, the paper's being 10000.
    scale
        What inputs are multiplied by; None for nothing. The Transformer has ``math.sqrt(d_model)`` here.
    persistent
        Whether the table is part of the `state_dict`. If not, a table found in a checkpoint is dropped.
    buffer_name
        Under which name.
    preset
        What a real system computes, by name; `posenc.presets` lists them, and says where their users begin: ``start=`` of a
        call. None: the paper's.
    dtype
        Of the table: torch.float32, float64, bfloat16 or float16. Each of its values is rounded once.

    The table is a buffer of shape (positions, d_model), also in a `state_dict`, and keeps its dtype in a module that is
    converted; ``scale * x + table`` is computed in float32, or float64 for such inputs or tables, and rounded to the input's type.

    Where copies of a module work for it (`torch.nn.DataParallel`), or when it is compiled or exported, give `max_len` or call
    `reserve` first: a copy's growth is lost with it.
    """

    def __init__(
        self,
        d_model: int,
        max_len: int = 5000,
        dropout: float = 0.1,
        batch_first: bool = False,
        base: float | None = None,
        scale: float | None = None,
        persistent: bool = False,
        buffer_name: str = "pe",
        preset: str | None = None,
        dtype: torch.dtype | str = torch.float32,
    ) -> None:
        super().__init__()
        self.d_model = index("d_model", d_model, 1, 1 << 20)
        self.batch_first = batch_first
        self.base = base
        self.scale = scale
        self.persistent = persistent
        self.buffer_name = buffer_name
        self.preset = preset
        self.table_dtype = torch_dtype_name(dtype)
        self.dropout = nn.Dropout(dropout)
        rows = self._rows(0, index("max_len", max_len, 0, MAX_POSITION))
        self.register_buffer(buffer_name, rows.to(torch.empty(0).device), persistent=persistent)

    def _rows(self, first: int, count: int) -> torch.Tensor:
        with torch.inference_mode(False):
            return table(count, self.d_model, first=first, dtype=self.table_dtype, device="cpu", **self._spec())

    def _spec(self) -> dict[str, Any]:
        return {"base": self.base, "preset": self.preset}

    def _table(self) -> torch.Tensor:
        rows = self._buffers[self.buffer_name]
        assert rows is not None
        return rows

    def reset_buffers(self, device: torch.device | str | None = None) -> None:
        """Computes the table again, as after ``to_empty``, as long as it is, on its device or another. What was loaded is lost."""
        old = self._table()
        target = torch.device(device) if device is not None else old.device
        if target.type == "meta":
            raise RuntimeError("the table is on the meta device; name another, or call to_empty first")
        with torch.inference_mode(False):
            self._buffers[self.buffer_name] = self._rows(0, old.shape[0]).to(target)

    reset_parameters = reset_buffers  # what FSDP calls after to_empty

    def reserve(self, n: int) -> None:
        """Makes positions 0 .. n - 1 available; rows that are there stay as they are. Not in compiled code."""
        n = index("n", n, 0, MAX_POSITION)
        with _growing, torch.inference_mode(False), torch.no_grad():
            old = self._table()
            if n > old.shape[0]:
                more = self._rows(old.shape[0], n - old.shape[0]).to(old.device)
                self._buffers[self.buffer_name] = torch.cat([old, more])

    def _with(self, n: int) -> torch.Tensor:
        """The table, with positions 0 .. n - 1 at least."""
        rows = self._table()
        have = rows.shape[0]
        if n <= have:
            return rows
        if _is_compiling():
            raise RuntimeError(
                f"the table has {have} positions and cannot grow in compiled code; call reserve(n) with the number "
                f"of positions you need, or give max_len, before compiling"
            )
        self.reserve(max(n, min(2 * have, n + _FAR)))
        return self._table()

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
            Integers instead of start, start + 1, ...: of shape (sequence,), or of x's without its last axis, whose axes may
            be 1. Compiled code cannot look at them: there those beyond the table are PyTorch's index error, and negative
            ones count from its end.
        """
        self._check(x)
        sequence_axis = 1 if self.batch_first and x.dim() == 3 else 0
        length = x.shape[sequence_axis]
        if positions is None:
            if start < 0:
                raise ValueError(f"start is {start}; allowed: 0 or more")
            rows = self._with(start + length)[start : start + length]
        elif start != 0:
            raise ValueError(f"start is {start}; allowed: 0, where positions are given")
        else:
            rows = self._rows_at(positions, x, length)
        if positions is None and self._allows_one_pass(x, rows, start):
            batch_first = sequence_axis == 1
            threads = max(1, min(torch.get_num_threads(), x.numel() >> 21))
            return self.dropout(add(x, self.scale, start, batch_first=batch_first, threads=threads, **self._spec()))
        if rows.dim() < x.dim():
            rows = rows.unsqueeze(1 - sequence_axis)
        dtype = x.dtype
        if self.scale is not None:
            x = x.to(torch.promote_types(torch.promote_types(dtype, rows.dtype), torch.float32)) * self.scale
        return self.dropout((x + rows.to(x.device)).to(dtype))

    def _allows_one_pass(self, x: torch.Tensor, rows: torch.Tensor, start: int) -> bool:
        """Whether `add` gives the bits of ``x * scale + rows``, and no more is asked. It computes the rows itself, so they are
        compared: they may have been loaded, or changed in ways that leave no trace."""
        if _is_compiling() or x.numel() < max(_LARGE, _BATCH * rows.numel()):
            return False
        if not isinstance(self.scale, float) or not abs(self.scale) < 1e38 or not is_plain(x, rows):
            return False
        if torch.tensor(1e-40).mul(1.0).item() == 0.0:  # torch.set_flush_denormal, which the library does not follow
            return False
        fresh = table(rows.shape[0], self.d_model, first=start, device="cpu", **self._spec())
        return torch.equal(rows.view(torch.int32), fresh.view(torch.int32))

    def _rows_at(self, positions: torch.Tensor, x: torch.Tensor, length: int) -> torch.Tensor:
        if not isinstance(positions, torch.Tensor):
            raise TypeError(f"positions are a {type(positions).__name__}; expected a tensor of integers")
        if positions.dtype not in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
            raise TypeError(f"positions have dtype {positions.dtype}; expected int64, or a smaller integer")
        batch = x.shape[:-1]
        same = positions.dim() == len(batch) and all(p == n or p == 1 for p, n in zip(positions.shape, batch))
        if positions.shape != (length,) and not same:
            raise ValueError(
                f"positions have shape {tuple(positions.shape)}; expected {(length,)}, or {tuple(batch)}, whose axes may be 1"
            )
        rows = self._table()
        if not _is_compiling() and positions.numel() > 0:  # on a GPU, this waits for it
            least, most = int(positions.min()), int(positions.max())
            if least < 0:
                raise ValueError(f"positions go down to {least}; allowed: 0 or more")
            if most >= max(_FAR, 2 * rows.shape[0]):
                raise ValueError(
                    f"positions go up to {most}, far beyond the table's {rows.shape[0]}; if that is meant, call reserve(n) first"
                )
            rows = self._with(most + 1)
        return rows[positions.to(device=rows.device, dtype=torch.int64)]

    # ---- the table keeps its dtype, whatever the module is converted to

    def _apply(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> SinusoidalPositionalEncoding:
        old = self._table()
        super()._apply(fn, *args, **kwargs)
        new = self._table()
        if new.dtype != old.dtype:
            on_meta = new.device.type == "meta"
            self._buffers[self.buffer_name] = torch.empty_like(old, device="meta") if on_meta else old.to(new.device)
        return self

    # ---- checkpoints: tables of several names and shapes

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
        keys = [prefix + name for name in dict.fromkeys((self.buffer_name, *_KNOWN_NAMES)) if prefix + name in state_dict]
        rest = {key: value for key, value in state_dict.items() if key not in keys}
        for key in keys[:1]:
            values = self._values(key, state_dict[key], error_msgs)
            if values is not None and self.persistent:
                on_meta = self._table().device.type == "meta"
                device = values.device if on_meta else self._table().device
                with torch.inference_mode(False), torch.no_grad():
                    values = values.detach().to(device=device, dtype=TORCH_DTYPES[self.table_dtype], copy=True)
                self._buffers[self.buffer_name] = values
        if keys and self.persistent:
            rest[prefix + self.buffer_name] = self._table()  # loaded already, or an error already
        super()._load_from_state_dict(rest, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    def _values(self, key: str, value: Any, error_msgs: list[str]) -> torch.Tensor | None:
        d = self.d_model
        shape = tuple(getattr(value, "shape", ()))
        right = len(shape) in (2, 3) and shape[-1] == d and (len(shape) == 2 or 1 in shape[:2])
        if isinstance(value, torch.Tensor) and value.is_floating_point() and right:
            return value.reshape(-1, d)
        error_msgs.append(
            f"{key} has shape {shape} and is of type {getattr(value, 'dtype', type(value).__name__)}; expected a floating-point "
            f"tensor of shape (positions, {d}), (positions, 1, {d}) or (1, positions, {d})"
        )
        return None

    def extra_repr(self) -> str:
        text = f"{self.d_model}, max_len={self._table().shape[0]}, batch_first={self.batch_first}"
        said = {"base": self.base, "scale": self.scale, "preset": self.preset}
        text += "".join(f", {name}={value}" for name, value in said.items() if value is not None)
        return text if self.table_dtype == "float32" else f"{text}, dtype={self.table_dtype}"
