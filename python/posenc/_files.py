"""Reads the files of `python3 -m posenc audit`. They may be hostile: sizes are checked before memory is allocated."""

from __future__ import annotations

import io
import json
import math
import os
import re
from typing import Any, Iterator

import numpy as np
import numpy.typing as npt

from ._audit import is_shape
from ._identify import STORED, Table

#: Bytes of JSON, of the header of an .npy file, and of an array in Fortran order, which is read as a whole.
MAX_JSON, MAX_HEADER, MAX_FORTRAN = 1 << 24, 1 << 14, 1 << 28
MAX_FREQUENCIES = 2048  # larger tensors do not hold frequencies
#: The dtypes of safetensors that tables have, and NumPy's names. bfloat16 is read as uint16.
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def resolved(path: str) -> str:
    """Returns the file to which a path on the command line leads, such as the config.json of a folder."""
    is_file = os.path.exists(path) or path.endswith((".json", ".npy", ".safetensors"))
    if not is_file and re.fullmatch(r"[\w.-]+/[\w.-]+", path):
        folder = f"~/.cache/huggingface/hub/models--{path.replace('/', '--')}"
        raise ValueError(f"no such folder; a model of the hub is in {folder} once it was downloaded")
    snapshots = os.path.join(path, "snapshots")
    if os.path.isdir(snapshots):  # the folder of a model in the hub's cache
        names = os.listdir(snapshots)
        if len(names) != 1:
            with open(os.path.join(path, "refs", "main"), "rb") as file:
                names = [os.fsdecode(file.read(256)).strip()]
        path = os.path.join(snapshots, names[0])
    if os.path.isdir(path):
        pipeline = os.path.join(path, "model_index.json")
        path = pipeline if os.path.exists(pipeline) else os.path.join(path, "config.json")
    return path


class Stored:
    """A table in a file. Only the requested rows are read.

    The file is not mapped: if another process truncated a mapped file, this process would be killed."""

    def __init__(self, name: str, offset: int, shape: tuple[int, ...], dtype: Any) -> None:
        self.name, self.offset, self.shape, self.dtype = name, offset, shape, np.dtype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> npt.NDArray[Any]:
        """Reads a row, a slice of rows, or an array of ascending rows."""
        rows = np.asarray(np.arange(*rows.indices(len(self))) if isinstance(rows, slice) else rows)
        flat, columns, read = rows.reshape(-1), self.shape[1], []
        for consecutive in np.split(flat, np.flatnonzero(np.diff(flat) != 1) + 1):
            offset = self.offset + int(consecutive[0]) * columns * self.dtype.itemsize
            read.append(np.fromfile(self.name, self.dtype, len(consecutive) * columns, offset=offset))
            if read[-1].size < len(consecutive) * columns:
                raise ValueError("it became shorter while it was read")
        return np.concatenate(read).reshape(*rows.shape, columns)


def load(name: str) -> Table:
    """Opens an .npy file, or reads standard input."""
    with open(0 if name == "-" else name, "rb", closefd=name != "-") as file:
        begin = io.BytesIO(file.read(MAX_HEADER))
        try:
            is_version_1 = np.lib.format.read_magic(begin) == (1, 0)
            read_header = np.lib.format.read_array_header_1_0 if is_version_1 else np.lib.format.read_array_header_2_0
            shape, is_fortran, dtype = read_header(begin)
        except Exception as error:  # a damaged header may cause errors of many types
            raise ValueError(f"not a readable .npy file: {error}") from None
        dtype = np.dtype("<u2") if dtype == "V2" else dtype
        rows, columns = max(shape[:-1], default=1), shape[-1] if shape else 0
        if dtype.str[1:] not in STORED:
            raise ValueError(f"its dtype is {dtype}; allowed: float64, float32, float16, bfloat16 as uint16 or V2")
        if not 2 <= columns <= 1 << 20 or not 0 < math.prod(shape) == rows * columns:
            raise ValueError(f"its shape is {shape}; allowed: (rows, 2 to 2^20 columns), and more axes of size 1")
        offset, size = begin.tell(), rows * columns * dtype.itemsize
        if is_fortran and size > MAX_FORTRAN:
            raise ValueError("it has more than 2^28 bytes in Fortran order; save np.ascontiguousarray(x)")
        is_lazy = name != "-" and os.path.isfile(name) and not is_fortran
        data = b"" if is_lazy else begin.read() + file.read(max(0, offset + size + 1 - MAX_HEADER))
        present = os.fstat(file.fileno()).st_size - offset if is_lazy else len(data)
    if present != size:
        raise ValueError(f"it has {'more' if present > size else 'fewer'} bytes than its header says")
    if is_lazy:
        return Table(Stored(name, offset, (rows, columns), dtype))
    return Table(np.frombuffer(data, dtype).reshape(shape, order="F" if is_fortran else "C").reshape(rows, columns))


def mapping(raw: bytes) -> dict[str, Any]:
    """Returns the JSON object in some bytes."""
    if len(raw) > MAX_JSON:
        raise ValueError(f"it has more than {MAX_JSON} bytes")
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its JSON is not readable: {error}") from None
    if not isinstance(content, dict):
        raise ValueError("its JSON is no object")
    return content


def config(name: str) -> dict[str, Any]:
    """Reads a config.json."""
    with open(name, "rb") as file:
        content = mapping(file.read(MAX_JSON + 1))
    if "_class_name" in content or "_diffusers_version" in content:
        raise ValueError("it is a file of diffusers; load the pipeline, and call posenc.torch.audit(pipe.transformer)")
    return content


def tensors(name: str) -> Iterator[tuple[str, Stored]]:
    """Yields the tensors of a .safetensors file that may be tables, and all inv_freq, with their names."""
    with open(name, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(size - 8, MAX_JSON):
            raise ValueError(f"a header of {length} bytes is claimed; the file has {size}, and {MAX_JSON} are allowed")
        header = mapping(file.read(length))
    # The mapped data are never read. They only let NumPy check the header's numbers.
    data, start, left = np.memmap(name, mode="r"), 8 + length, size - 8 - length
    header.pop("__metadata__", None)
    for key, entry in header.items():
        try:
            dtype, (begin, end) = DTYPES.get(entry["dtype"]), entry["data_offsets"]
            if dtype is None:  # tables have other dtypes
                continue
            x: npt.NDArray[Any] = np.ndarray(entry["shape"], dtype, data, start + begin)
            left -= x.nbytes  # tensors that overlap may be read many times
            fits = 0 <= begin == end - x.nbytes and left >= 0
        except Exception:  # NumPy has many types of errors
            fits = False
        if not fits:
            raise ValueError(f"{key!r}: its dtype, shape and offsets do not fit, or overlap another tensor") from None
        if is_shape(x.shape) or x.ndim == 1 and 1 < x.size <= MAX_FREQUENCIES and key.endswith("inv_freq"):
            yield key, Stored(name, start + begin, (x.size // x.shape[-1], x.shape[-1]), dtype)
