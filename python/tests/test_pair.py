"""The cosines and sines of posenc.pair and cis are the columns of a table."""

import numpy as np
import pytest
from reference import DTYPES, assert_fills_only

import posenc

SPECS = [
    {},
    dict(base=500000.0),
    dict(freqs=[1.0, 0.25, -0.5], position_scale=0.3),
    dict(preset="whisper", denominator=5),
]
ROWS = [
    dict(count=300, first=-100),
    dict(positions=[[7, -3], [0, 2**31]]),
    dict(positions=[0.5, 999.9]),
    dict(count=0),
]


def columns(rows, spec, dtype):
    """Returns the cosines and sines from the columns of the table."""
    table = posenc.table(d_model=6, layout="split", order="cos_first", dtype=dtype, **rows, **spec)
    return table[..., :3], table[..., 3:]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("rows", ROWS)
def test_pair(rows, spec, dtype):
    want = columns(rows, spec, dtype)
    repeated = {
        None: want,
        "halves": [np.concatenate([x, x], -1) for x in want],
        "pairs": [x.repeat(2, -1) for x in want],
    }
    for duplicated, (cos, sin) in repeated.items():
        result = posenc.pair(d_model=6, duplicated=duplicated, dtype=dtype, **rows, **spec)
        assert result.cos.dtype == result.sin.dtype == DTYPES[dtype]
        assert np.array_equal(result.cos, cos) and np.array_equal(result.sin, sin)
        wide = np.full((*cos.shape[:-1], 20), 7, DTYPES[dtype])
        n = cos.shape[-1]
        out = posenc.Pair(wide[..., 1 : 1 + n], wide[..., 10 : 10 + n])
        assert posenc.pair(d_model=6, duplicated=duplicated, dtype=dtype, out=out, threads=2, **rows, **spec) is out
        assert np.array_equal(out.cos, cos) and np.array_equal(out.sin, sin)
        assert np.all(wide[..., 1 + n : 10] == 7) and np.all(wide[..., 10 + n :] == 7) and np.all(wide[..., 0] == 7)


def test_a_pair_unpacks_to_cosines_and_sines():
    result = posenc.pair(3, 8)
    cos, sin = result
    assert cos is result.cos and sin is result.sin and list(result) == [cos, sin]
    with pytest.raises(AttributeError):
        posenc.pair(3, 8).cos = 1


@pytest.mark.parametrize(
    "dtype, complex_dtype",
    [(None, "c8"), ("float32", "c8"), (np.complex64, "c8"), (float, "c16"), ("complex128", "c16")],
)
@pytest.mark.parametrize("rows", ROWS)
def test_cis(rows, dtype, complex_dtype):
    for spec in SPECS:
        cos, sin = columns(rows, spec, "float32" if complex_dtype == "c8" else "float64")
        result = posenc.cis(d_model=6, dtype=dtype, **rows, **spec)
        assert result.dtype == complex_dtype and np.array_equal(result.real, cos) and np.array_equal(result.imag, sin)
        assert_fills_only(lambda out: posenc.cis(d_model=6, out=out, **rows, **spec), result)
