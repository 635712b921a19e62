"""Reference values for the tests: the formula in longer arithmetic."""

import numpy as np

DTYPES = {"float32": np.float32, "float64": np.float64, "float16": np.float16, "bfloat16": np.uint16}


def rows(positions, d_model=512, base=10000.0, denominator=None, freqs=None, freqs_low=0, position_scale=1.0,
         layout="interleaved", order="sin_first", odd="half_pair"):  # fmt: skip
    """The values of posenc.table, in long double."""
    n, half = d_model // 2 if odd == "zero" else (d_model + 1) // 2, d_model // 2
    w = (
        np.longdouble(base) ** (-np.arange(n) / np.longdouble(denominator or d_model / 2))
        if freqs is None
        else np.add(freqs, freqs_low, dtype=np.longdouble)
    )
    angles = np.asarray(positions, np.longdouble)[..., None] * np.longdouble(position_scale) * w
    first, second = (np.sin(angles), np.cos(angles))[:: 1 if order == "sin_first" else -1]
    table = np.zeros((*angles.shape[:-1], d_model), np.longdouble)
    table[..., slice(n) if layout == "split" else slice(0, 2 * n, 2)] = first
    table[..., slice(n, n + half) if layout == "split" else slice(1, 2 * half, 2)] = second[..., :half]
    return table


def from_bfloat16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def assert_rounded_once(table, reference, positions):
    """Checks that values are within half a unit in the last place, plus the reference's error. uint16 is bfloat16."""
    assert table.shape == reference.shape
    numbers, wider = (from_bfloat16(table), 1 << 16) if table.dtype == np.uint16 else (table, 1)
    unit = np.spacing(np.abs(numbers)).astype(np.longdouble) * wider
    slack = 4 * np.finfo(np.longdouble).eps * (1 + np.abs(np.asarray(positions, np.longdouble)))[..., None]
    assert np.all(np.abs(numbers - reference) <= 0.5 * unit + slack)


def assert_fills_only(write, expected):
    """Checks that write(out) returns `out`, some columns of a wider array, and writes to no other columns."""
    wide = np.full((*expected.shape[:-1], expected.shape[-1] + 8), 7, expected.dtype)
    out = wide[..., 3:-5]
    assert write(out) is out and np.array_equal(out, expected)
    assert np.all(wide[..., :3] == 7) and np.all(wide[..., -5:] == 7)


def halves(pair):
    return pair.cos, pair.sin
