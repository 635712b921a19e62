"""Reads the files of `python3 -m posenc audit`. They may be hostile: sizes are checked before memory is allocated."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import Any, Iterator

import numpy as np
import numpy.typing as npt

from ._audit import is_shape
from ._identify import Table

MOST = 1 << 24  # bytes of JSON
#: The dtypes of safetensors that tables have; those of bfloat16 are read as uint16.
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def load(name: str) -> Table:
    """Maps an .npy file, or reads standard input."""
    try:
        if os.path.isfile(name):
            array: Any = np.lib.format.open_memmap(name, mode="r")
            surplus = os.path.getsize(name) - array.offset - array.nbytes
        else:
            with io.BytesIO(sys.stdin.buffer.read()) if name == "-" else open(name, "rb") as file:
                array, surplus = np.lib.format.read_array(file, allow_pickle=False), len(file.read(1))
    except OSError:
        raise
    except Exception as error:  # a damaged header may cause errors of many types
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise ValueError(f"not a readable .npy file: {why}") from None
    if surplus:
        raise ValueError("it has more bytes than its header says")
    return Table(array)


def mapping(raw: bytes) -> dict[str, Any]:
    """Returns the JSON object in some bytes."""
    if len(raw) > MOST:
        raise ValueError(f"it has more than {MOST} bytes")
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its JSON is not readable: {error}") from None
    if not isinstance(found, dict):
        raise ValueError("its JSON is no object")
    return found


def config(name: str) -> dict[str, Any]:
    """Reads a config.json."""
    with open(name, "rb") as file:
        return mapping(file.read(MOST + 1))


def tensors(name: str) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Maps a .safetensors file, and yields the tensors that may be tables, and all inv_freq, with their names."""
    with open(name, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(size - 8, MOST):
            raise ValueError(f"a header of {length} bytes is claimed; the file has {size}, and {MOST} are allowed")
        header = mapping(file.read(length))
    data, start, left = np.memmap(name, mode="r"), 8 + length, size - 8 - length
    header.pop("__metadata__", None)
    for key, entry in header.items():
        try:
            kind, (begin, end) = DTYPES.get(entry["dtype"]), entry["data_offsets"]
            if kind is None:  # of no table
                continue
            x: npt.NDArray[Any] = np.ndarray(entry["shape"], kind, data, start + begin)
            left -= x.nbytes  # tensors that overlap may be read many times
            fits = 0 <= begin == end - x.nbytes and left >= 0
        except Exception:  # NumPy checks the header's numbers, and has many types of errors
            fits = False
        if not fits:
            raise ValueError(
                f"{key!r}: its shape, dtype and offsets in the header do not fit the file, or it overlaps another tensor"
            ) from None
        if is_shape(x.shape) or x.ndim == 1 and key.endswith("inv_freq"):
            yield key, x
