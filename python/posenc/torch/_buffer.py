"""A position table as a module's buffer: how it is computed, grown, converted, saved and loaded.

The table always has values that posenc computed or that somebody loaded, before the first call too. Each event that
leaves uninitialized memory computes the table again, at once:

    event                                                                    table
    the module is made, on the meta device too                               computed
    reset_buffers, reset_parameters                                          computed
    to_empty, and any other conversion from meta to a device with memory     computed
    load_state_dict, with assign=True too                                    loaded
    a tensor is assigned to the buffer                                       the tensor
    a marked tensor (_is_hf_initialized) replaces a table on meta            the tensor
    an unmarked tensor replaces a table on meta, as transformers'            the tensor if it is near posenc's
        from_pretrained does with what a checkpoint lacks                    values, else computed
    copy, pickle, .to(), growth; a replica of DataParallel; tensors
        swapped in `_buffers`, as accelerate's offload and
        functional_call do                                                   unchanged
"""

from __future__ import annotations

import os
import threading
from typing import Any, Callable

import torch
from torch import nn

from .._plan import MAX_POSITION, dtype_name, index
from .._positions import warn
from ._calls import check_dense, check_type, is_traced, is_transformed, joined
from ._table import table
from ._tensors import TORCH_DTYPES

# Names of such tables in checkpoints: from two of PyTorch's tutorials, and from one of the notebooks.
_KNOWN_NAMES = ("pe", "pos_embedding", "positional_encoding_matrix")

# The table does not grow by itself for a position beyond this many bytes, which may be a mistake.
_FAR_BYTES = 64 << 20

_COMPUTED = frozenset(TORCH_DTYPES.values())  # the dtypes that the library computes; PyTorch rounds to all others

_growing = threading.Lock()  # one for all modules, since modules are copied and pickled


def _replace_lock() -> None:
    """Makes a new lock in a forked child, which lacks the thread that may hold the old one."""
    global _growing
    _growing = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_replace_lock)


def _has_values(rows: torch.Tensor) -> bool:
    """Whether these are values, real or complex. Meta tensors and subclasses may have none."""
    return type(rows) is torch.Tensor and not rows.is_meta and (rows.is_floating_point() or rows.is_complex())


def _same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors of one shape and dtype are equal. torch.equal does not have every dtype."""
    return torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8))


class TableBuffer(nn.Module):
    """A module with a table in a buffer, of shape (rows, 1, d_model), or (1, rows, d_model) with batch_first."""

    d_model: int
    first: int  #: the position of row 0
    padding_idx: int | None  #: the position whose row is zeros
    batch_first: bool
    buffer_name: str
    persistent: bool
    _spec: dict[str, Any]  #: arguments of `table`

    def _make_table(self, count: int, dtype: torch.dtype | str | None) -> None:
        """Makes the buffer, when the module has the attributes above."""
        kind = torch.get_default_dtype() if dtype is None else TORCH_DTYPES[dtype_name(dtype)]
        values = self._rows(0, index("max_len", count, 0, MAX_POSITION), kind, torch.empty(0).device)
        self.register_buffer(self.buffer_name, values, persistent=self.persistent)
        self._saved = count  # the number of rows in a state_dict

    def _axis(self) -> int:
        """The table's axis of positions. The batch axis has length 1."""
        return 1 if self.batch_first else 0

    def _rows(self, row: int, count: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
        """Computes `count` rows of the table from row `row`, in the shape of the table."""
        kind = dtype if dtype in _COMPUTED else torch.float64
        with torch.inference_mode(False):
            rows = table(count, self.d_model, first=self.first + row, dtype=kind, device="cpu", **self._spec)
            if self.padding_idx is not None and 0 <= (padding := self.padding_idx - self.first - row) < count:
                rows[padding] = 0
            return rows.unsqueeze(1 - self._axis()).to(dtype).to(device)

    def _table(self) -> torch.Tensor:
        rows = self._buffers[self.buffer_name]
        assert rows is not None
        return rows

    def _loaded(self, values: torch.Tensor) -> torch.Tensor:
        """Returns values that replace a table on meta. If they are not near posenc's own: computes the table.

        The bound allows bfloat16, and angles that were rounded to float32."""
        if values.is_meta or is_transformed() or getattr(values, "_is_hf_initialized", False):
            return values
        if not _has_values(values) or values.dtype not in _COMPUTED:
            raise RuntimeError(
                f"a {type(values).__name__} of {values.dtype} replaces the table on the meta device, and may have "
                f"uninitialized memory; call reset_buffers(device) first"
            )
        axis = self._axis()
        if values.dim() != 3 or (values.shape[1 - axis], values.shape[2]) != (1, self.d_model):
            want = f"(1, rows, {self.d_model})" if axis else f"(rows, 1, {self.d_model})"
            raise TypeError(f"{self.buffer_name} gets a tensor of shape {tuple(values.shape)}; allowed: {want}")
        with torch.no_grad():
            count, device = values.shape[axis], values.device
            exact = self._rows(0, count, torch.float32, device)
            at = (self.first + torch.arange(count, device=device)).abs().unsqueeze(-1)
            bound = (2.0**-6 + 2.0**-23 * at).unsqueeze(1 - axis)
            if bool(((values.float() - exact).abs() <= bound).all()):
                return values
            if 0 < float(values.abs().max()) < float("inf"):
                warn("posenc: a position table that was probably never loaded is replaced by posenc's own")
            return self._rows(0, count, values.dtype, device)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == self.__dict__.get("buffer_name") and not self.__dict__.get("_is_replica"):  # DataParallel's copies
            if not isinstance(value, torch.Tensor) or isinstance(value, nn.Parameter):
                raise TypeError(f"{name} is the table's buffer, not a {type(value).__name__}; use another buffer_name")
            check_dense(name, value)
            if self._table().is_meta:
                value = self._loaded(value)
        super().__setattr__(name, value)

    def reset_buffers(self, device: torch.device | str | None = None) -> None:
        """Computes the table again, with its length and dtype, on its device or on `device`. Loaded values are lost."""
        old = self._table()
        target = torch.device(device) if device is not None else old.device
        if target.type == "meta":
            raise RuntimeError("the table is on the meta device; give another device, or call to_empty first")
        self._buffers[self.buffer_name] = self._rows(0, old.shape[self._axis()], old.dtype, target)

    def reserve(self, n: int) -> None:
        """Makes n rows available, from position `first` on. Existing rows keep their values.

        Call it outside of compiled code."""
        n = index("n", n, 0, MAX_POSITION)
        self._grow(n)
        self._saved = max(self._saved, n)

    def _grow(self, n: int) -> None:
        with _growing, torch.inference_mode(False), torch.no_grad():
            old, axis = self._table(), self._axis()
            have = old.shape[axis]
            if n > have:
                more = self._rows(have, n - have, old.dtype, old.device)
                self._buffers[self.buffer_name] = joined(torch.cat, [old, more], axis)

    def _grown(self, name: str, position: int, end: int) -> torch.Tensor:
        """Returns the table, with at least `end` rows. `name` and `position` are the request, for error messages."""
        pe = self._table()
        have, far = pe.shape[self._axis()], _FAR_BYTES // (self.d_model * pe.element_size())
        if is_traced():
            raise RuntimeError(
                f"the table has {have} positions and cannot grow in compiled code; call reserve(n) with the number "
                f"of positions you need, or give max_len, before compiling"
            )
        if position - self.first >= max(far, 2 * have):
            raise ValueError(
                f"{name} {position}, far beyond the table's {have} positions; if it is intended, call reserve(n) first"
            )
        self._grow(int(max(end, min(2 * have, end + far))))
        return self._table()

    # ---- conversions

    def _apply(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> TableBuffer:
        old = self._table()
        super()._apply(fn, *args, **kwargs)
        new = self._table()
        if not new.is_meta and (old.is_meta or "to_empty" in getattr(fn, "__qualname__", "")):
            self.reset_buffers()
        elif new.dtype != old.dtype and _has_values(old) and _has_values(new) and not old.requires_grad:
            count = old.shape[self._axis()]
            # Only a comparison of values shows whether somebody has written to the buffer.
            if _same_bits(old, self._rows(0, count, old.dtype, old.device)):
                self.reset_buffers()
        return self

    # ---- checkpoints, whose tables have several names and shapes

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
        taken = {*self._parameters, *self._buffers, *self._modules}
        names = self.buffer_name, *(name for name in _KNOWN_NAMES if name not in taken)
        key = next((prefix + name for name in names if prefix + name in state_dict), None)
        if key is not None:
            values = self._in_shape(key, state_dict[key], error_msgs)
            state_dict = {name: value for name, value in state_dict.items() if name != key}
            if self.persistent:
                state_dict[prefix + self.buffer_name] = values
                old = self._table()
                self._saved = values.shape[self._axis()]
                if local_metadata.get("assign_to_params_buffers"):  # these values are not checked
                    self._buffers[self.buffer_name] = values
                elif values.shape != old.shape:
                    with torch.inference_mode(False):
                        self._buffers[self.buffer_name] = values.to(old.device, old.dtype, copy=True)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _in_shape(self, key: str, value: Any, error_msgs: list[str]) -> torch.Tensor:
        """Returns a checkpoint's table in our shape. If it is not a table: our table, and adds an error message."""
        try:
            check_type(key, value, torch.Tensor)
        except TypeError as refused:
            error_msgs.append(str(refused))
            return self._table()
        d, shape = self.d_model, tuple(value.shape)
        right = len(shape) in (2, 3) and shape[-1] == d and (len(shape) == 2 or 1 in shape[:2])
        if value.is_floating_point() and right:
            return value.detach().reshape((1, -1, d) if self.batch_first else (-1, 1, d))
        error_msgs.append(
            f"{key} has shape {shape} and is of type {value.dtype}; expected a floating-point tensor "
            f"of shape (positions, {d}), (positions, 1, {d}) or (1, positions, {d})"
        )
        return self._table()
