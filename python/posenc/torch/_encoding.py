"""The module that adds a position table to embeddings."""

from __future__ import annotations

import numbers
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .._plan import MAX_POSITION, DtypeName, Layout, Odd, Order, PresetName, index, real
from ._buffer import TableBuffer
from ._calls import is_traced, is_transformed
from ._tensors import INTEGERS, table


class SinusoidalPositionalEncoding(TableBuffer):
    """``dropout(scale * x + table)``: adds the row of its position to each embedding.

    Parameters
    ----------
    d_model
        Size of the last axis of the input; may be odd.
    dropout
        Probability of the dropout that follows, 0 to 1.
    max_len
        So many positions are tabulated. Later ones make the table grow, outside of compiled code; see `reserve`.
    batch_first
        False: inputs are (sequence, batch, d_model), as in `torch.nn`. True: (batch, sequence, d_model). None: as
        False, but an input that is longer than the table, and would not be if it were (batch, sequence, d_model), is
        refused: the tutorial's class has an error there, too. Inputs without a batch, (sequence, d_model), are fine
        with either.
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
        ``first=``. None: the paper's.
    dtype
        Of the table: torch.float32, float64, bfloat16 or float16; None: PyTorch's default dtype.
    denominator, freqs, freqs_low, position_scale, layout, order, odd
        What else the table is, as in `posenc.table`.
    first
        Position of the table's first row, and of the first embedding where a call does not say otherwise.
    padding_idx
        A position whose row is zeros, as in fairseq and `torch.nn.Embedding`; embeddings then begin at padding_idx + 1
        where a call does not say otherwise. None: there is none.
    learned_scale
        Whether the table is multiplied by a parameter of shape (), `alpha`, that is 1 at first, as in ESPnet's
        ScaledPositionalEncoding and in SpeechT5.

    The first three arguments are those of the class in PyTorch's tutorial and in the Annotated Transformer; the
    others are given by name.

    The table is a buffer of shape (positions, 1, d_model), or (1, positions, d_model) with batch_first, as in those
    classes, and checkpoints load in both directions. ``load_state_dict`` accepts either shape, (positions, d_model)
    too, and any number of positions. Loaded values are used as they are; `reset_buffers` replaces them by the exact
    ones. Rows by which a call has made the table grow are not saved; those from `reserve` are.

    If a table's memory has no valid values, the first call computes the table again. This happens after ``to_empty``,
    and after Hugging Face's ``from_pretrained`` if the checkpoint lacks the table or persistent=False. A tensor that is
    assigned to a module on the meta device counts as such memory, unless its values are near the exact ones: load other
    tables by ``load_state_dict(..., assign=True)``. Export such a module after its first call.

    Each value is rounded once, to the table's dtype: ``.to(dtype)``, ``.half()`` and ``.bfloat16()`` compute the table
    again in the new dtype. A table with other values, loaded or written, is converted like any buffer.

    PyTorch does the arithmetic, in the dtype to which those of the input and the table promote; the result has the
    input's dtype. With a scale, ``scale * x`` is rounded to that dtype before the sum.

    Where copies of a module work for it (`torch.nn.DataParallel`), or when it is compiled or exported, give `max_len`
    or call `reserve` first: a copy's growth is lost with it.
    """

    __module__ = "posenc.torch"  # what pickles say
    _batch_first: bool | None = None  #: where it is not told

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
        batch_first = self._batch_first if batch_first is None else batch_first
        allowed = "a probability from 0 to 1"
        if not 0 <= real("dropout", dropout, allowed) <= 1:
            if isinstance(dropout, numbers.Integral) and dropout > 1:
                allowed += f". For a table of {dropout} positions write max_len={dropout}"
            raise ValueError(f"dropout is {dropout}; allowed: {allowed}")
        spec = {
            "preset": preset, "base": base, "denominator": denominator, "freqs": numbers_of(freqs),
            "freqs_low": numbers_of(freqs_low), "position_scale": position_scale, "layout": layout, "order": order, "odd": odd,
        }  # fmt: skip
        super().__init__(
            d_model, max_len, first=first, padding_idx=padding_idx, batch_first=bool(batch_first), buffer_name=buffer_name,
            persistent=persistent, dtype=dtype, spec=spec,
        )  # fmt: skip
        self.dropout = nn.Dropout(dropout)
        self.scale = None if scale is None else real("scale", scale)
        self.learned_scale = learned_scale
        if learned_scale:
            self.alpha = nn.Parameter(torch.ones(()))
        if padding_idx is not None and padding_idx + 1 < first:
            raise ValueError(
                f"first is {first}; allowed: at most padding_idx + 1 = {padding_idx + 1}, where embeddings begin"
            )
        self._axes_told = batch_first is not None
        self._row = 0 if padding_idx is None else padding_idx + 1 - first  #: where embeddings begin

    def forward(
        self, x: torch.Tensor, start: int | torch.Tensor | None = None, positions: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Embeddings plus their positions' rows, of the dtype and on the device of x.

        Parameters
        ----------
        x
            (sequence, batch, d_model), or (batch, sequence, d_model) with batch_first, or (sequence, d_model).
        start
            Position of the first one, `first` or more: for decoding piece by piece. None: `first`, or padding_idx + 1.
            One far beyond the table is an error, as it is in `positions`, unless `reserve` was called. A tensor of
            shape () with an integer is fine; compiled code does not look at it, and where the table ends before start +
            sequence is PyTorch's index error.
        positions
            Numbers instead of start, start + 1, ...: of shape (sequence,), or of x's without its last axis, whose axes
            may be 1. Integers from `first` on are rows of the table. Real numbers, and integers below, are computed by
            the formula, whatever the table has been loaded with. Compiled code cannot look at integers: there all those
            that are not in the table are PyTorch's index error.
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
            if start is not None:
                raise ValueError(f"start is {start}; allowed: None, where positions are given")
            rows = self._rows_at(positions, shape[:-1], length)
        elif start is None:
            rows = self._rows_from(self._row, shape, length)
        elif isinstance(start, torch.Tensor) and (start.is_floating_point() or start.dtype == torch.bool):
            raise TypeError(f"start has dtype {start.dtype}; allowed: integers")
        elif isinstance(start, torch.Tensor) and is_traced():
            pe = self._table()
            at = torch.arange(length, device=pe.device) + (start.to(pe.device) - self.first)
            rows = functional.embedding(at, pe.flatten(0, 1)).unsqueeze(1 - axis)
        else:
            row = index("start", start, -2 * MAX_POSITION, 2 * MAX_POSITION) - self.first
            if row < 0:
                raise ValueError(f"start is {row + self.first}; allowed: {self.first} or more")
            rows = self._rows_from(row, shape, length)
        if axes == 2 and rows.dim() == 3:
            rows = rows.squeeze(1 - axis)
        if self.learned_scale:
            rows = rows * self.alpha
        dropout = self._modules["dropout"]  # self.dropout takes half as long as adding a row
        dtype = x.dtype
        if dtype == rows.dtype and x.device == rows.device:
            return dropout((x if self.scale is None else x * self.scale) + rows)
        if not x.is_floating_point():
            raise TypeError(f"the input has dtype {dtype}; expected a floating-point type")
        wide = x.to(torch.promote_types(dtype, rows.dtype))
        return dropout(((wide if self.scale is None else wide * self.scale) + rows.to(x.device)).to(dtype))

    def reset_parameters(self) -> None:
        """What FSDP calls after to_empty: the table is computed, and the learned scale is 1."""
        self.reset_buffers()
        if self.learned_scale:
            nn.init.ones_(self.alpha)

    def _rows_from(self, row: int, shape: torch.Size, length: int) -> torch.Tensor:
        pe, axis = self._table(), self._axis()
        have, end = pe.shape[axis], row + length
        if end > have:
            if not self._axes_told and len(shape) == 3 and length > have >= shape[1] > 1:
                raise ValueError(
                    f"the input has shape {tuple(shape)}, and the table {have} positions: say batch_first=True for (batch, "
                    f"sequence, d_model), or batch_first=False for (sequence, batch, d_model), and the table grows"
                )
            pe = self._grown("start is", self.first + row, end)
        return pe[:, row:end] if axis else pe[row:end]

    def _rows_at(self, positions: torch.Tensor, batch: torch.Size, length: int) -> torch.Tensor:
        if not isinstance(positions, torch.Tensor):
            raise TypeError(f"positions are a {type(positions).__name__}; expected a tensor of numbers")
        if positions.dtype not in INTEGERS and not positions.is_floating_point():
            raise TypeError(f"positions have dtype {positions.dtype}; expected integers or a floating-point type")
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
            if has_values and positions.numel() > 0:  # on a GPU, this waits for it
                least, most = (int(bound) for bound in torch.aminmax(positions))
                if self.first <= least and most >= self.first + pe.shape[self._axis()]:
                    pe = self._grown("positions go up to", most, most + 1 - self.first)
            if least >= self.first:
                row = positions.to(pe.device, torch.int64)
                return functional.embedding(row - self.first if self.first else row, pe.flatten(0, 1))
        rows = table(positions=positions, d_model=self.d_model, dtype=pe.dtype, device=pe.device, **self._spec)
        return rows if self.padding_idx is None else rows.masked_fill((positions == self.padding_idx)[..., None], 0)

    def extra_repr(self) -> str:
        pe = self._stored()
        text = f"{self.d_model}, max_len={pe.shape[self._axis()]}, batch_first={self.batch_first}"
        said = {"scale": self.scale, "first": self.first or None, "padding_idx": self.padding_idx, **self._spec}
        said["learned_scale"] = self.learned_scale or None
        text += "".join(
            f", {name}={value}" for name, value in said.items() if value is not None and "freqs" not in name
        )
        return text if pe.dtype == torch.float32 else f"{text}, dtype={str(pe.dtype).removeprefix('torch.')}"


class BatchFirstPositionalEncoding(SinusoidalPositionalEncoding):
    """`SinusoidalPositionalEncoding` with batch_first=True: takes the place of the Annotated Transformer's class."""

    __module__ = "posenc.torch"
    _batch_first = True


def numbers_of(values: Any) -> tuple[float, ...] | None:
    """Frequencies as a module keeps them: it is copied and pickled."""
    if isinstance(values, torch.Tensor):
        values = values.detach().to("cpu", torch.float64).tolist()
    return None if values is None else tuple(map(float, values))
