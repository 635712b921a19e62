"""The module that adds a position table to embeddings.

The table is a buffer, of shape (rows, 1, d_model), or (1, rows, d_model) with batch_first. It always has values that
posenc computed or that somebody loaded, before the first call too. Each event that leaves uninitialized memory computes
the table again, at once:

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

import numbers
import os
import threading
from typing import Any, Callable

import torch
from torch import nn
from torch.nn import functional

from .._arrays import warn
from .._plan import MAX_POSITION, DtypeName, Layout, Odd, Order, PresetName, dtype_name, index, real
from ._calls import check_dense, check_type, is_traced, is_transformed, joined
from ._rows import numbers_of
from ._table import table
from ._tensors import INTEGERS, TORCH_DTYPES, check_positions, of_module

# Names of such tables in checkpoints: from two of PyTorch's tutorials, and from one of the notebooks.
_KNOWN_NAMES = ("pe", "pos_embedding", "positional_encoding_matrix")

# A row this many bytes after the first one, and beyond twice the table, is refused: its position may be a mistake.
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


class SinusoidalPositionalEncoding(nn.Module):
    """Adds to each embedding the table row of its position: ``dropout(scale * x + table)``.

    It replaces the class PositionalEncoding of PyTorch's tutorial and, with batch_first=True, that of the Annotated
    Transformer. Both have the same first three arguments. The other arguments are given by name.

    Parameters
    ----------
    d_model
        The size of the last axis of the input. It may be odd.
    dropout
        The probability of the dropout that follows, 0 to 1.
    max_len
        The number of positions in the table. Later positions make the table grow, but not in compiled code; see
        `reserve`.
    batch_first
        False: inputs are (sequence, batch, d_model), as in `torch.nn`. True: inputs are (batch, sequence, d_model).
        None: inputs are read as with False. An input whose first axis is longer than the table but whose second is not
        is then refused, because it is probably (batch, sequence, d_model). The tutorial's class refuses it too. The
        rule does not apply to one sequence, (sequence, 1, d_model) or (sequence, d_model).
    base
        The base of the frequencies, ``base**(-2 k / d_model)`` or as in the preset. None means the preset's base: 10000
        for the paper's table.
    scale
        A factor for inputs. The Transformer uses ``math.sqrt(d_model)``. None means no factor.
    persistent
        Whether the table is part of the `state_dict`, as in the tutorial. If it is not, the module ignores a table in a
        checkpoint.
    buffer_name
        The name of the buffer, and of its entry in a `state_dict`.
    preset
        The name of a table that a real system computes. `posenc.presets` lists the names. Its field `starts` is the
        position at which the users of a preset begin: give that position as `first`. None means the paper's table.
    dtype
        The dtype of the table: torch.float32, float64, bfloat16 or float16. None means PyTorch's default dtype.
    denominator, freqs, freqs_low, position_scale, layout, order, odd
        The table, as in `posenc.table`.
    first
        The position of the table's first row. It is also the position of the first embedding, unless there is a
        `padding_idx` or a call gives another position.
    padding_idx
        A position whose row is zeros, as in fairseq and `torch.nn.Embedding`. Embeddings then begin at padding_idx + 1,
        unless a call gives another position. None means that there is no such row.
    learned_scale
        Whether the table is multiplied by a parameter `alpha` of one element, which is 1 at first, as in ESPnet's
        ScaledPositionalEncoding and in SpeechT5. `load_state_dict` accepts their checkpoints, where its shape is ().

    Notes
    -----
    **Checkpoints.** The table is a buffer of shape (positions, 1, d_model), or (1, positions, d_model) with
    batch_first, as in the classes that this one replaces, so checkpoints load in both directions. ``load_state_dict``
    accepts both shapes, and (positions, d_model), with any number of positions. Loaded values are used unchanged;
    `reset_buffers` replaces them by posenc's own. A ``state_dict`` contains the rows that `reserve` added. It does not
    contain rows that were added because a call needed them.

    **The meta device.** The buffer has valid values even before the first call, so a subclass may read it. ``to_empty``
    computes the table again. Hugging Face's ``from_pretrained`` assigns uninitialized memory to a module on the meta
    device if the checkpoint lacks the table or persistent=False. So posenc replaces a tensor that is assigned to such a
    module by its own table, unless the values are near its own: load other tables by
    ``load_state_dict(..., assign=True)``. Releases 4 of transformers load uninitialized memory in that way: call
    ``reset_buffers()`` after their ``from_pretrained``.

    **Dtypes.** Each value is rounded once, to the table's dtype: ``.to(dtype)``, ``.half()`` and ``.bfloat16()``
    compute the table again in the new dtype. So does a conversion back from a dtype that posenc does not compute, such
    as torch.float8_e4m3fn. A table with other values, loaded or written, is converted like any buffer. PyTorch promotes
    the dtypes of the input and the table to a common dtype and computes in it. The result has the input's dtype. With a
    scale, ``scale * x`` is rounded to the common dtype before the sum.

    **Copies.** Give `max_len`, or call `reserve`, before the module is compiled or exported, and before it runs in
    copies (`torch.nn.DataParallel`): a table that grows in a copy is lost with the copy.
    """

    __module__ = "posenc.torch"  # what pickles say

    def __init__(
        self,
        d_model: int,
        dropout: float = 0.1,
        max_len: int = 5000,
        *,
        batch_first: bool | None = None,
        base: float | None = None,
        scale: float | None = None,
        persistent: bool = True,
        buffer_name: str = "pe",
        preset: PresetName | None = None,
        dtype: torch.dtype | DtypeName | None = None,
        denominator: float | None = None,
        freqs: Any = None,
        freqs_low: Any = None,
        position_scale: float | None = None,
        layout: Layout | None = None,
        order: Order | None = None,
        odd: Odd | None = None,
        first: int = 0,
        padding_idx: int | None = None,
        learned_scale: bool = False,
    ) -> None:
        if not (batch_first is None or isinstance(batch_first, bool)):
            raise TypeError(f"batch_first is {batch_first!r}; allowed: True, False or None")
        allowed = "a probability from 0 to 1"
        if not 0 <= real("dropout", dropout, allowed) <= 1:
            if isinstance(dropout, numbers.Integral) and dropout > 1:
                allowed += f". For a table of {dropout} positions write max_len={dropout}"
            raise ValueError(f"dropout is {dropout}; allowed: {allowed}")
        spec = {
            "preset": preset, "base": base, "denominator": denominator, "freqs": numbers_of("freqs", freqs),
            "freqs_low": numbers_of("freqs_low", freqs_low), "position_scale": position_scale, "layout": layout,
            "order": order, "odd": odd,
        }  # fmt: skip
        super().__init__()
        limits = -MAX_POSITION, MAX_POSITION
        self.d_model, self.first = index("d_model", d_model, 1, 1 << 20), index("first", first, *limits)
        self.padding_idx = None if padding_idx is None else index("padding_idx", padding_idx, *limits)
        self.batch_first, self.buffer_name, self.persistent = bool(batch_first), buffer_name, persistent
        self._spec = {name: value for name, value in spec.items() if value is not None}
        table_dtype = torch.get_default_dtype() if dtype is None else TORCH_DTYPES[dtype_name(dtype)]
        values = self._rows(0, index("max_len", max_len, 0, MAX_POSITION), table_dtype, torch.empty(0).device)
        self.register_buffer(buffer_name, values, persistent=persistent)
        self._saved = max_len  #: the number of rows in a state_dict
        self.dropout = nn.Dropout(dropout)
        self.scale = None if scale is None else real("scale", scale)
        self.learned_scale = learned_scale
        if learned_scale:
            self.alpha = nn.Parameter(torch.ones(1))  # FSDP refuses parameters of shape ()
        if padding_idx is not None and padding_idx + 1 < first:
            allowed = f"at most padding_idx + 1 = {padding_idx + 1}, where embeddings begin"
            raise ValueError(f"first is {first}; allowed: {allowed}")
        self._axes_are_known = batch_first is not None
        self._row = 0 if padding_idx is None else padding_idx + 1 - first  #: the row of the first embedding

    def forward(
        self, x: torch.Tensor, start: int | torch.Tensor | None = None, positions: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Returns embeddings plus the rows of their positions, with the dtype and device of x.

        Parameters
        ----------
        x
            (sequence, batch, d_model), or (batch, sequence, d_model) with batch_first, or (sequence, d_model).
        start
            The position of the first embedding, `first` or more, as for decoding token by token. None means `first`, or
            padding_idx + 1. A position far beyond the table, here or in `positions`, is an error unless `reserve` was
            called. `start` may be a tensor of shape () with an integer. Compiled code does not read its value: PyTorch
            raises an index error if start + sequence exceeds the table.
        positions
            The positions of the embeddings, instead of start, start + 1, ... The shape is (sequence,), or that of x
            without its last axis; each of its axes may be 1. Integers from `first` on select rows of the table. Real
            numbers, and integers below `first`, are computed by the formula, even if the table was loaded with other
            values. posenc warns once in a process of bfloat16 and float16, which round integers above 256 and 2048.
            Compiled code cannot read integers: PyTorch raises an index error for one that is not in the table.
        """
        check_type("x", x, torch.Tensor)
        shape = x.shape
        axes = len(shape)
        if axes not in (2, 3) or shape[-1] != self.d_model:
            expected = "(batch, sequence, d_model)" if self.batch_first else "(sequence, batch, d_model)"
            raise ValueError(
                f"the input has shape {tuple(shape)}; expected {expected} or (sequence, d_model) "
                f"with d_model = {self.d_model}"
            )
        axis = self._axis()
        length = shape[axis if axes == 3 else 0]
        if isinstance(start, torch.Tensor):
            check_dense("start", start)
        if positions is not None:
            if start is not None:
                raise ValueError(f"start is {start}; allowed: None, since positions are given")
            rows = self._rows_at(positions, shape[:-1], length)
        elif start is None:
            rows = self._rows_from(self._row, shape, length)
        elif isinstance(start, torch.Tensor) and (start.dtype not in INTEGERS or start.dim() and start.numel() != 1):
            problem = f"start has dtype {start.dtype} and shape {tuple(start.shape)}"
            raise TypeError(f"{problem}; allowed: one integer. For several positions write positions=...")
        elif isinstance(start, torch.Tensor) and is_traced():
            device = self._table().device
            rows = self._looked_up(torch.arange(length, device=device) + start.to(device, torch.int64))
            rows = rows.unsqueeze(1 - axis)
        else:
            row = index("start", start, -2 * MAX_POSITION, 2 * MAX_POSITION) - self.first
            if row < 0:
                raise ValueError(f"start is {row + self.first}; allowed: {self.first} or more")
            rows = self._rows_from(row, shape, length)
        if axes == 2 and rows.dim() == 3:
            rows = rows.squeeze(1 - axis)
        if self.learned_scale:
            rows = rows * self.alpha.reshape(())  # a scalar does not change the dtype
        dropout = self._modules["dropout"]  # faster: self.dropout takes half as long as adding a row
        dtype = x.dtype
        if dtype == rows.dtype and x.device == rows.device:
            return dropout((x if self.scale is None else x * self.scale) + rows)
        if not x.is_floating_point():
            raise TypeError(f"the input has dtype {dtype}; expected a floating-point type")
        wide = x.to(torch.promote_types(dtype, rows.dtype))
        return dropout(((wide if self.scale is None else wide * self.scale) + rows.to(x.device)).to(dtype))

    def _rows_from(self, row: int, shape: torch.Size, length: int) -> torch.Tensor:
        pe, axis = self._table(), self._axis()
        have, end = pe.shape[axis], row + length
        if end > have:
            if not self._axes_are_known and len(shape) == 3 and length > have >= shape[1] > 1:
                raise ValueError(
                    f"the input has shape {tuple(shape)}, and the table {have} positions: give batch_first=True for "
                    f"(batch, sequence, d_model), or batch_first=False for (sequence, batch, d_model), "
                    f"to let the table grow"
                )
            pe = self._grown("start is", self.first + row, end)
        return pe.narrow(axis, row, length)  # in traced code, a slice would end with the table, without an error

    def _rows_at(self, positions: torch.Tensor, batch: torch.Size, length: int) -> torch.Tensor:
        check_type("positions", positions, torch.Tensor)
        check_positions("positions", positions)
        positions = of_module("positions", positions)
        same = positions.dim() == len(batch) and all(p == n or p == 1 for p, n in zip(positions.shape, batch))
        if positions.shape != (length,) and not same:
            raise ValueError(
                f"positions have shape {tuple(positions.shape)}; expected {(length,)}, or {tuple(batch)}, "
                f"whose axes may be 1; batch_first is {self.batch_first}"
            )
        rows = self._looked_up(positions)
        return rows.unsqueeze(1 - self._axis()) if positions.dim() < len(batch) else rows

    def _looked_up(self, positions: torch.Tensor) -> torch.Tensor:
        pe = self._table()
        if not positions.is_floating_point():
            least = self.first
            has_values = not (is_traced() or is_transformed() or positions.is_meta)
            if has_values and positions.numel() > 0:  # on a GPU, this waits for the result
                least, most = (int(bound) for bound in torch.aminmax(positions))
                if self.first <= least and most >= self.first + pe.shape[self._axis()]:
                    pe = self._grown("positions go up to", most, most + 1 - self.first)
            if least >= self.first:
                row = positions.to(pe.device, torch.int64)
                return functional.embedding(row - self.first if self.first else row, pe.flatten(0, 1))
        rows = table(positions=positions, d_model=self.d_model, dtype=pe.dtype, device=pe.device, **self._spec)
        return rows if self.padding_idx is None else rows.masked_fill((positions == self.padding_idx)[..., None], 0)

    def extra_repr(self) -> str:
        pe = self._table()
        text = f"{self.d_model}, max_len={pe.shape[self._axis()]}, batch_first={self.batch_first}"
        shown = {"scale": self.scale, "first": self.first or None, "padding_idx": self.padding_idx, **self._spec}
        shown["learned_scale"] = self.learned_scale or None
        for name, value in shown.items():
            if value is not None and "freqs" not in name:
                text += f", {name}={value}"
        return text if pe.dtype == torch.float32 else f"{text}, dtype={str(pe.dtype).removeprefix('torch.')}"

    # ---- the table

    def _axis(self) -> int:
        """The table's axis of positions. The batch axis has length 1."""
        return 1 if self.batch_first else 0

    def _rows(self, row: int, count: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
        """Computes `count` rows of the table from row `row`, in the shape of the table."""
        computed = dtype if dtype in _COMPUTED else torch.float64
        with torch.inference_mode(False):
            rows = table(count, self.d_model, first=self.first + row, dtype=computed, device="cpu", **self._spec)
            if self.padding_idx is not None and 0 <= (padding := self.padding_idx - self.first - row) < count:
                rows[padding] = 0
            return rows.unsqueeze(1 - self._axis()).to(dtype).to(device)

    def _table(self) -> Any:
        return self._buffers[self.buffer_name]

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

    def reset_parameters(self) -> None:
        """Computes the table and sets the learned scale to 1. FSDP calls this after to_empty."""
        self.reset_buffers()
        if self.learned_scale:
            nn.init.ones_(self.alpha)

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
            problem = f"{name} {position}, far beyond the table's {have} positions"
            raise ValueError(f"{problem}; if it is intended, call reserve(n) first")
        self._grow(int(max(end, min(2 * have, end + far))))
        return self._table()

    # ---- conversions

    def _apply(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> SinusoidalPositionalEncoding:
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
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *args: Any, **kwargs: Any
    ) -> None:
        scale = state_dict.get(prefix + "alpha")
        if self.learned_scale and isinstance(scale, torch.Tensor) and scale.dim() == 0:
            state_dict = {**state_dict, prefix + "alpha": scale.detach().reshape(1)}
        taken = {*self._parameters, *self._buffers, *self._modules}
        names = self.buffer_name, *(name for name in _KNOWN_NAMES if name not in taken)
        key = next((prefix + name for name in names if prefix + name in state_dict), None)
        if key is not None:
            try:
                values = self._in_shape(key, state_dict[key])
            except (TypeError, ValueError) as refused:
                errors = kwargs["error_msgs"] if "error_msgs" in kwargs else args[-1]
                errors.append(str(refused))
                values = self._table()
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
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args, **kwargs)

    def _in_shape(self, key: str, value: Any) -> torch.Tensor:
        """Returns a checkpoint's table in our shape, or raises an error if it is not a table."""
        check_type(key, value, torch.Tensor)
        d, shape = self.d_model, tuple(value.shape)
        right = len(shape) in (2, 3) and shape[-1] == d and (len(shape) == 2 or 1 in shape[:2])
        if not (value.is_floating_point() and right):
            raise ValueError(
                f"{key} has shape {shape} and is of type {value.dtype}; expected a floating-point tensor "
                f"of shape (positions, {d}), (positions, 1, {d}) or (1, positions, {d})"
            )
        return value.detach().reshape((1, -1, d) if self.batch_first else (-1, 1, d))
