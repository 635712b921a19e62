"""The cosines and sines of posenc.pair and cis are the columns of a table."""

import numpy as np
import pytest
from reference import DTYPES

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


def columns(rows, spec, **more):
    """Cosines and sines from the columns of the table."""
    table = posenc.table(d_model=6, layout="split", order="cos_first", **rows, **{**spec, **more})
    return table[..., :3], table[..., 3:]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("rows", ROWS)
def test_pair(rows, spec, dtype):
    want = columns(rows, spec, dtype=dtype)
    repeated = {
        None: want,
        "halves": [np.concatenate([x, x], -1) for x in want],
        "pairs": [x.repeat(2, -1) for x in want],
    }
    for duplicated, (cos, sin) in repeated.items():
        made = posenc.pair(d_model=6, duplicated=duplicated, dtype=dtype, **rows, **spec)
        assert made.cos.dtype == made.sin.dtype == DTYPES[dtype]
        assert np.array_equal(made.cos, cos) and np.array_equal(made.sin, sin)
        wide = np.full((*cos.shape[:-1], 20), 7, DTYPES[dtype])
        n = cos.shape[-1]
        out = posenc.Pair(wide[..., 1 : 1 + n], wide[..., 10 : 10 + n])
        assert posenc.pair(d_model=6, duplicated=duplicated, dtype=dtype, out=out, threads=2, **rows, **spec) is out
        assert np.array_equal(out.cos, cos) and np.array_equal(out.sin, sin)
        assert np.all(wide[..., 1 + n : 10] == 7) and np.all(wide[..., 10 + n :] == 7) and np.all(wide[..., 0] == 7)


def test_a_pair_unpacks_to_cosines_and_sines():
    made = posenc.pair(3, 8)
    cos, sin = made
    assert cos is made.cos and sin is made.sin and list(made) == [cos, sin]
    with pytest.raises(AttributeError):
        posenc.pair(3, 8).cos = 1


@pytest.mark.parametrize(
    "dtype, kind", [(None, "c8"), ("float32", "c8"), (np.complex64, "c8"), (float, "c16"), ("complex128", "c16")]
)
@pytest.mark.parametrize("rows", ROWS)
def test_cis(rows, dtype, kind):
    for spec in SPECS:
        cos, sin = columns(rows, spec, dtype="float32" if kind == "c8" else "float64")
        made = posenc.cis(d_model=6, dtype=dtype, **rows, **spec)
        assert made.dtype == kind and np.array_equal(made.real, cos) and np.array_equal(made.imag, sin)
        wide = np.full((*cos.shape[:-1], 8), 7, kind)
        out = wide[..., 2:5]
        assert posenc.cis(d_model=6, out=out, **rows, **spec) is out
        assert np.array_equal(out, made) and np.all(wide[..., 5:] == 7) and np.all(wide[..., :2] == 7)
