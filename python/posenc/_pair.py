"""Cosines and sines of rotary embeddings, in two arrays or in one array of complex numbers."""

from __future__ import annotations

import dataclasses
import operator
from typing import Generic, Iterator, SupportsIndex, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from ._arrays import Array, elements, fresh, inferred, rows, rows_of, run
from ._plan import DTYPES, DtypeName, Duplicated, PresetName, name_of, numpy_dtype, plan, unknown
from ._table import filled

Values = TypeVar("Values")
_PARTS = {"complex64": "float32", "complex128": "float64"}  # the dtype of both parts of complex numbers


@dataclasses.dataclass(frozen=True, eq=False)
class Pair(Generic[Values]):
    """Cosines and sines: two arrays or tensors of the same shape. It unpacks as ``cos, sin = posenc.pair(...)``."""

    cos: Values
    sin: Values

    def __iter__(self) -> Iterator[Values]:
        return iter((self.cos, self.sin))


def half_of(d_model: SupportsIndex) -> int:
    """Returns half of d_model, which must be even."""
    if (number := operator.index(d_model)) % 2:
        raise ValueError(f"d_model is {number}; allowed: even numbers, two columns for each frequency")
    return number // 2


def check_duplicated(duplicated: str | None) -> None:
    if duplicated not in (None, *get_args(Duplicated)):
        raise ValueError(unknown("duplicated is", duplicated, get_args(Duplicated)) + " or None")


def part_of(dtype: str) -> str:
    """Returns the dtype of the real and the imaginary parts; `dtype` is theirs already, or a complex one."""
    part_dtype = _PARTS.get(dtype, dtype)
    if part_dtype not in _PARTS.values():
        message = unknown("dtype is", dtype, [*_PARTS, *_PARTS.values()])
        raise TypeError(f"{message}; a float type means that of both parts")
    return part_dtype


def duplicated_columns(columns: Array, duplicated: str | None) -> Array:
    """Returns contiguous columns, each once or twice."""
    if duplicated == "halves":
        return np.concatenate((columns, columns), -1)
    if duplicated == "pairs":
        return np.repeat(columns, 2, -1)
    return np.ascontiguousarray(columns)


def _addresses(out: Pair[Array], shape: tuple[int, ...], dtype: str) -> tuple[int, int, int]:
    """Checks both arrays, and returns their addresses and the distance between rows in elements."""
    cos_address, stride = rows_of("out.cos", out.cos, shape, dtype)
    sin_address, sin_stride = rows_of("out.sin", out.sin, shape, dtype)
    if stride != sin_stride and out.cos.size > shape[-1]:
        distances = f"rows of cosines {stride} elements apart, and of sines {sin_stride}"
        raise ValueError(f"out has {distances}; allowed: equal distances")
    if np.shares_memory(out.cos, out.sin):
        allowed = "separate arrays, or the halves of each row of one"
        raise ValueError(f"out has two arrays with elements in common; allowed: {allowed}")
    return cos_address, sin_address, stride


def pair(
    count: SupportsIndex | None = None,
    d_model: SupportsIndex = 512,
    *,
    positions: npt.ArrayLike | None = None,
    first: SupportsIndex = 0,
    duplicated: Duplicated | None = None,
    preset: PresetName | None = None,
    dtype: DtypeName | npt.DTypeLike | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: npt.ArrayLike | None = None,
    freqs_low: npt.ArrayLike | None = None,
    position_scale: float | None = None,
    impl: str | None = None,
    out: Pair[Array] | None = None,
    threads: SupportsIndex | None = None,
) -> Pair[Array]:
    """Computes cosines and sines in two arrays, as caches of rotary embeddings have them.

    ``pair(...).cos[i, k]`` is the cosine and ``pair(...).sin[i, k]`` the sine of ``p * position_scale * w_k``, where p
    is the position of row i. Arguments and errors are those of `table`, except for:

    Parameters
    ----------
    d_model
        The number of columns of a head that are rotated: even, two for each of the n frequencies w_0 .. w_(n-1).
    duplicated
        None: n columns. "halves": 2 n columns, all n and then all n again, as in Llama and GPT-NeoX of Hugging Face's
        transformers. "pairs": 2 n columns, each of the n twice in succession, as in GPT-J and RoFormer.
    out
        A `Pair` of arrays to write into. The distance between rows is the same in both.

    Returns
    -------
    A `Pair` of arrays of shape ``(count, columns)`` or ``positions.shape + (columns,)``, or `out` if it was given.
    `Pair(cos, sin)` has these two fields, and unpacks to them.
    """
    if out is not None and not isinstance(out, Pair):
        raise TypeError(f"out is of type {type(out).__name__}; allowed: a posenc.Pair of arrays")
    check_duplicated(duplicated)
    dtype = inferred(dtype, out and out.cos)
    p = plan(
        d_model, preset=preset, dtype=dtype, base=base, denominator=denominator, freqs=freqs,
        freqs_low=freqs_low, position_scale=position_scale, layout="split", order="cos_first", impl=impl,
    )  # fmt: skip
    requested, n = rows(count, positions, first), half_of(p.d_model)
    shape, array_dtype = (*requested.shape, n if duplicated is None else p.d_model), numpy_dtype(dtype)
    if requested.at is None and duplicated != "pairs":  # C writes both arrays
        if out is None:
            out = Pair(fresh(shape, array_dtype), fresh(shape, array_dtype))
        cos_address, sin_address, stride = _addresses(out, shape, p.dtype)
        run(p, requested, (out.sin, out.cos), (sin_address, cos_address), stride, threads)
        if duplicated:
            out.cos[:, n:], out.sin[:, n:] = out.cos[:, :n], out.sin[:, :n]
        return out
    if out is not None:
        _addresses(out, shape, p.dtype)
    both = filled(p, requested, DTYPES[p.dtype], None, threads)
    cos, sin = (duplicated_columns(half, duplicated) for half in (both[..., :n], both[..., n:]))
    if out is None:
        return Pair(cos.view(array_dtype), sin.view(array_dtype))
    elements("out.cos", out.cos, p.dtype)[...] = cos
    elements("out.sin", out.sin, p.dtype)[...] = sin
    return out


def cis(
    count: SupportsIndex | None = None,
    d_model: SupportsIndex = 512,
    *,
    positions: npt.ArrayLike | None = None,
    first: SupportsIndex = 0,
    preset: PresetName | None = None,
    dtype: DtypeName | npt.DTypeLike | None = None,
    base: float | None = None,
    denominator: float | None = None,
    freqs: npt.ArrayLike | None = None,
    freqs_low: npt.ArrayLike | None = None,
    position_scale: float | None = None,
    impl: str | None = None,
    out: Array | None = None,
    threads: SupportsIndex | None = None,
) -> Array:
    """Computes ``cos + 1j * sin`` of ``p * position_scale * w_k``, as in the ``freqs_cis`` of Llama.

    Arguments and errors are those of `table`. d_model is even, and twice the number of frequencies. The result, and
    `out`, have the shape ``(count, d_model // 2)`` or ``positions.shape + (d_model // 2,)``. The dtype is complex64, or
    complex128 with dtype="float64" or "complex128". Both parts are rounded once.
    """
    if dtype is None and isinstance(out, np.ndarray):
        dtype = out.dtype
    part_dtype = part_of("complex64" if dtype is None else name_of(dtype) or repr(dtype))
    p = plan(
        d_model, preset=preset, dtype=part_dtype, base=base, denominator=denominator, freqs=freqs,
        freqs_low=freqs_low, position_scale=position_scale, layout="interleaved", order="cos_first", impl=impl,
    )  # fmt: skip
    requested, n = rows(count, positions, first), half_of(p.d_model)
    complex_dtype = np.dtype("c8" if part_dtype == "float32" else "c16")
    if out is None:
        return filled(p, requested, DTYPES[part_dtype], None, threads).view(complex_dtype)
    if not isinstance(out, np.ndarray) or out.dtype != complex_dtype or out.shape != (*requested.shape, n):
        raise ValueError(f"out must be an array of dtype {complex_dtype} and shape {(*requested.shape, n)}")
    filled(p, requested, DTYPES[part_dtype], out.view(DTYPES[part_dtype]), threads)
    return out
