"""A position table as a module's buffer: how it is computed, grown, converted, saved and loaded.

A table is used only if posenc computed it or somebody loaded it. The module knows whether its table is set or unset:

    event                                                                    table
    the module is made, on the meta device too                               set
    reset_buffers, reset_parameters                                          set
    load_state_dict, with assign=True too                                    set
    a tensor is assigned to the buffer                                       set
    a marked tensor (_is_hf_initialized) replaces a table on meta            set
    an unmarked tensor replaces a table on meta, as transformers'
        from_pretrained does with what a checkpoint lacks                    unset
    to_empty, and any other conversion from meta to a device with memory     unset
    copy, pickle, .to(), growth; a replica of DataParallel; tensors
        swapped in `_buffers`, as accelerate's offload and
        functional_call do                                                   unchanged

An unset table is checked before its first use, and before it is saved. Values near the exact ones are kept, since a
loader probably wrote them. A table with other values is computed again. The table stays unset, so that a tensor that
replaces it is checked too. Compiled code checks the table when it is compiled, and after each later event. It does not
see tensors that are swapped in `_buffers`.
"""

from __future__ import annotations

import itertools
import os
import threading
import warnings
from typing import Any, Callable

import torch
from torch import nn

from .._plan import MAX_POSITION, dtype_name, index
from ._calls import is_exporting, is_traced, is_transformed, joined
from ._tensors import TORCH_DTYPES, table

# Names of such tables in checkpoints: from two of PyTorch's tutorials, and from one of the notebooks.
_KNOWN_NAMES = ("pe", "pos_embedding", "positional_encoding_matrix")

# The table does not grow by itself for a position beyond this many bytes, which may be a mistake.
_FAR_BYTES = 64 << 20

_losses = itertools.count(1)  # a number for each loss of a table; after each, compiled code must check again

_growing = threading.Lock()  # one for all modules, since modules are copied and pickled


def _replace_lock() -> None:
    """Makes a new lock in a forked child, which lacks the thread that may hold the old one."""
    global _growing
    _growing = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_replace_lock)


def _has_values(rows: torch.Tensor) -> bool:
    """Whether these are values of a dtype that the library computes. Meta tensors and subclasses may have none."""
    return type(rows) is torch.Tensor and rows.device.type != "meta" and rows.dtype in TORCH_DTYPES.values()


class TableBuffer(nn.Module):
    """A module with a table in a buffer, of shape (rows, 1, d_model), or (1, rows, d_model) with batch_first."""

    def __init__(
        self,
        d_model: int,
        rows: int,
        *,
        first: int,
        padding_idx: int | None,
        batch_first: bool,
        buffer_name: str,
        persistent: bool,
        dtype: torch.dtype | str | None,
        spec: dict[str, Any],
    ) -> None:
        """Row 0 is position `first`. The row of padding_idx is zeros. The dictionary `spec` has arguments of `table`."""
        super().__init__()
        self.d_model = index("d_model", d_model, 1, 1 << 20)
        self.first = index("first", first, -MAX_POSITION, MAX_POSITION)
        limits = -MAX_POSITION, MAX_POSITION
        self.padding_idx = None if padding_idx is None else index("padding_idx", padding_idx, *limits)
        self.batch_first = batch_first
        self.buffer_name = buffer_name
        self.persistent = persistent
        self._spec = {name: value for name, value in spec.items() if value is not None}
        kind = torch.get_default_dtype() if dtype is None else TORCH_DTYPES[dtype_name(dtype)]
        values = self._rows(0, index("max_len", rows, 0, MAX_POSITION), kind)
        self.register_buffer(buffer_name, values.to(torch.empty(0).device), persistent=persistent)
        self._loss = 0  # the number of the loss after which the table is unset; 0 if it is set
        self._checked: list[torch.Tensor] = []  # the table, if it is unset and has been checked
        self._saved = rows  # the number of rows in a state_dict

    def _axis(self) -> int:
        """The table's axis of positions. The batch axis has length 1."""
        return 1 if self.batch_first else 0

    def _rows(self, row: int, count: int, dtype: torch.dtype) -> torch.Tensor:
        """Computes `count` rows of the table from row `row`, in the shape of the table."""
        with torch.inference_mode(False):
            rows = table(count, self.d_model, first=self.first + row, dtype=dtype, device="cpu", **self._spec)
            if self.padding_idx is not None and 0 <= (padding := self.padding_idx - self.first - row) < count:
                rows[padding] = 0
            return rows.unsqueeze(1 - self._axis())

    def _table(self) -> torch.Tensor:
        if self._loss:
            self._check(self._loss)
        return self._stored()

    def _stored(self) -> torch.Tensor:
        rows = self._buffers[self.buffer_name]
        assert rows is not None
        return rows

    def _replace(self, table: torch.Tensor) -> None:
        """Replaces the table by one with the same values, which are not checked again."""
        self._buffers[self.buffer_name] = table
        self._checked = [table] if self._loss else []

    def _is_checked(self) -> bool:
        return any(table is self._stored() for table in self._checked)

    def _check(self, loss: int) -> None:
        """Checks an unset table. The bound allows bfloat16, and angles that were rounded to float32.

        torch.compile calls this when it traces, and guards on `loss`."""
        table, axis = self._stored(), self._axis()
        if self._is_checked() or table.is_meta:
            return
        is_visible = _has_values(table)
        if not self._checked and (is_exporting() or not is_visible and not is_transformed()):
            raise RuntimeError(
                f"the table, a {type(table).__name__} of {table.dtype}, may have uninitialized memory; "
                f"call reset_buffers, or call the module once before it is exported"
            )
        if is_exporting() or not is_visible:
            return
        with torch.no_grad(), torch.inference_mode(False):
            count = table.shape[axis]
            exact = self._rows(0, count, torch.float32).to(table.device)
            at = (self.first + torch.arange(count, device=table.device)).abs().unsqueeze(-1)
            bound = (2.0**-6 + 2.0**-23 * at).unsqueeze(1 - axis)
            if not bool(((table.float() - exact).abs() <= bound).all()):
                if 0 < float(table.abs().max()) < float("inf"):
                    warnings.warn("posenc: a position table that was never loaded is replaced by the exact one")
                is_float32 = table.dtype == torch.float32
                table = exact if is_float32 else self._rows(0, count, table.dtype).to(table.device)
            self._replace(table)

    _check._dynamo_marked_constant = True  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: Any) -> None:
        is_replica = self.__dict__.get("_is_replica")  # DataParallel assigns copies to it
        if name == self.__dict__.get("buffer_name") and not is_replica:
            if not isinstance(value, torch.Tensor) or isinstance(value, nn.Parameter):
                raise TypeError(f"{name} is the table's buffer, not a {type(value).__name__}; use another buffer_name")
            lost = self._stored().is_meta and not getattr(value, "_is_hf_initialized", False)
            self._loss = next(_losses) if lost else 0
        super().__setattr__(name, value)

    def reset_buffers(self, device: torch.device | str | None = None) -> None:
        """Computes the table again, with its length and dtype, on its device or on `device`. Loaded values are lost."""
        old = self._stored()
        target = torch.device(device) if device is not None else old.device
        if target.type == "meta":
            raise RuntimeError("the table is on the meta device; give another device, or call to_empty first")
        with torch.inference_mode(False):
            self._buffers[self.buffer_name] = self._rows(0, old.shape[self._axis()], old.dtype).to(target)
        self._loss = 0

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self._loss:  # compiled code has checked the original table, not this copy
            self._loss = next(_losses)

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
                more = self._rows(have, n - have, old.dtype).to(old.device)
                self._replace(joined(torch.cat, [old, more], axis))

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
        old, is_checked = self._stored(), self._is_checked()
        super()._apply(fn, *args, **kwargs)
        new = self._stored()
        self._checked = [new] if is_checked else []
        if "to_empty" in getattr(fn, "__qualname__", "") or old.is_meta and not new.is_meta:
            self._loss, self._checked = next(_losses), []
        elif new.dtype != old.dtype and _has_values(old) and _has_values(new) and not old.requires_grad:
            count = old.shape[self._axis()]
            # Only a comparison of values shows whether somebody has written to the buffer.
            if torch.equal(old, self._rows(0, count, old.dtype).to(old.device)):
                with torch.inference_mode(False):
                    self._replace(self._rows(0, count, new.dtype).to(new.device))
        return self

    # ---- checkpoints, whose tables have several names and shapes

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        self._table()  # checks the table, so that a checkpoint never contains uninitialized memory
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
        errors = len(error_msgs)
        found = next((prefix + name for name in names if prefix + name in state_dict), None)
        if found is not None:
            values = self._in_shape(found, state_dict[found], error_msgs)
            state_dict = {key: value for key, value in state_dict.items() if key != found}
            if self.persistent:
                state_dict[prefix + self.buffer_name] = values
                old = self._stored()
                self._saved = values.shape[self._axis()]
                if values.shape != old.shape:
                    with torch.inference_mode(False):
                        self._buffers[self.buffer_name] = values.to(old.device, old.dtype, copy=True)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )
        if found is not None and self.persistent and len(error_msgs) == errors:
            self._loss = 0

    def _in_shape(self, key: str, value: Any, error_msgs: list[str]) -> torch.Tensor:
        """Returns a checkpoint's table in our shape. If it is not a table: our table, and adds an error message."""
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
        return self._stored()
