"""`python3 -m posenc identify` names tables of every preset in each arithmetic, transcribed here once more, and others."""

import ctypes
import ctypes.util
import io
import json
import math
import subprocess
import sys

import numpy as np
import pytest

import posenc
from posenc._arithmetics import ARITHMETICS, rounded
from posenc._identify import Table, identify, load

libm = ctypes.CDLL(ctypes.util.find_library("m"))
EXACT, DOUBLE, EXPLOG, POW, BF16 = ARITHMETICS
T_EVEN, T_ODD = "t2t ddpm fairseq whisper diffusers", "t2t ddpm fairseq diffusers"
#: Presets with that table at even widths, at odd widths (None: refused), denominator, layout, whether an odd width
#: ends in zero.
SYSTEMS = {
    "paper": ("paper", "paper", lambda d: d / 2, "pairs", False),
    "marian": ("marian", "marian", lambda d: d / 2, "sines first", False),
    "t2t": (T_EVEN, T_ODD, lambda d: d // 2 - 1, "sines first", True),
    "guided_diffusion": ("guided_diffusion rope", "guided_diffusion", lambda d: d // 2, "cosines first", True),
    "rope": ("guided_diffusion rope", None, lambda d: d / 2, "cosines first", True),
    "rothman": ("rothman", None, lambda d: d / 4, "pairs", True),
}


def c(name, *arrays):
    """A function of the C library, element by element."""
    single = all(np.asarray(a).dtype == np.float32 for a in arrays)
    f = getattr(libm, name + "f" * single)
    f.restype, f.argtypes = (t := ctypes.c_float if single else ctypes.c_double), [t] * len(arrays)
    return np.vectorize(lambda *x: f(*x), otypes=["f4" if single else "f8"])(*arrays)


def bfloat16(x):
    bits = np.asarray(x, "f4").view("u4")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype("u4").view("f4")


def made(system, arithmetic, d, rows, first=0, base=1e4):
    """The table, float64 or float32, as that system makes it in that arithmetic."""
    _, _, denominator, layout, zero = SYSTEMS[system]
    n, columns = (d // 2 if zero else (d + 1) // 2), np.arange(d)
    den, k, p = denominator(d), np.arange(n), np.arange(first, first + rows)[:, None]
    if arithmetic == EXACT:
        angle = p.astype(np.longdouble) * np.longdouble(base) ** (-k.astype(np.longdouble) / den)
        sines, cosines = np.sin(angle), np.cos(angle)
    elif arithmetic == DOUBLE:
        angle = p / c("pow", base, k / den)
        sines, cosines = np.sin(angle), np.cos(angle)
    else:
        f, p = np.float32, (bfloat16(p) if arithmetic == BF16 else p.astype("f4"))
        if arithmetic == POW and system == "rope":
            angle = p * (f(1) / c("pow", f(base), (2 * k).astype("f4") / f(d)))
        elif arithmetic == POW:
            angle = p / c("pow", f(base), k.astype("f4") / f(den))
        elif system == "guided_diffusion":
            angle = p * c("exp", f(-math.log(base)) * k.astype("f4") / f(den))
        else:
            angle = p * c("exp", k.astype("f4") * f(-math.log(base) / den))
        sines, cosines = c("sin", angle), c("cos", angle)
    out = np.zeros((rows, d), sines.dtype)
    if layout == "pairs":
        out[:, : 2 * n : 2], out[:, 1::2] = sines[:, : (d + 1) // 2], cosines[:, : d // 2]
    else:
        halves = (sines, cosines[:, : d // 2]) if layout == "sines first" else (cosines, sines[:, : d // 2])
        both = np.concatenate(halves, 1)
        out[:, : both.shape[1]] = both
    return out


def kept(x, kind):
    """As a file has it, for np.save."""
    if kind == "bf16":
        return (rounded(x.astype("f8"), "bfloat16").astype("f4").view("u4") >> 16).astype("u2")
    return x.astype(kind)


def check(system, arithmetic, kind="f4", *, d, rows, first=0, base=1e4, sharp=False):
    """That table is identified, as nothing else; its arithmetic is named, and where `sharp`, none with other bits."""
    x = kept(made(system, arithmetic, d, rows, first, base), kind)
    found, others, reason = identify(Table(x))
    assert found, reason
    (f,) = [f for f in found if " ".join(f.reading.presets) == SYSTEMS[system][d % 2]]
    assert (f.candidate.base, f.first) == (base, first) and f.all_equal() and arithmetic in f.named()
    if len(found) > 1:  # a base b with one denominator is a base c with another: the same table
        assert base != 10000 and all(g.first == first and g.candidate.base > 10000 for g in found)
    for other in (EXACT, DOUBLE, EXPLOG, POW):
        same = np.array_equal(kept(made(system, other, d, rows, first, base), kind), x)
        assert other in f.named() if same else not sharp or other not in f.named(), other


CASES = [(s, a) for s in SYSTEMS for a in (EXACT, DOUBLE, EXPLOG, POW)]


@pytest.mark.parametrize("system, arithmetic", CASES)
def test_every_preset(system, arithmetic):
    for d, rows, first in ((7, 16, 0), (8, 300, 2), (33, 300, 0), (64, 16, 2), (96, 300, 2), (512, 16, 0)):
        if d % 2 == 0 or SYSTEMS[system][1]:
            check(system, arithmetic, d=d, rows=rows, first=first, sharp=d >= 33 and rows >= 300)


@pytest.mark.parametrize("system, arithmetic", CASES)
def test_other_places(system, arithmetic):
    for d, rows, first, base in (
        (64, 200, -100, 1e4),
        (64, 200, 1000, 5e5),
        (128, 100, 131072, 1e6),
        (8, 500, 0, 1e6),
        (33, 300, 2, 5e5),
        (64, 300, 5, 150000),
    ):
        if d % 2 == 0 or SYSTEMS[system][1]:
            check(system, arithmetic, d=d, rows=rows, first=first, base=base)


@pytest.mark.parametrize("system, arithmetic", CASES)
def test_other_kinds(system, arithmetic):
    check(system, arithmetic, "bf16", d=64, rows=300)
    check(system, arithmetic, "f2", d=8, rows=100, first=2)
    if arithmetic != EXACT:  # long double does not round well enough to float64; float32 values stay what they are
        check(system, arithmetic, "f8", d=64, rows=100, sharp=True)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("kind", ["f4", "bf16"])
def test_rounded_positions(system, kind):
    check(system, BF16, kind, d=64, rows=600, first=2, base=5e5, sharp=True)
    check(system, BF16, kind, d=128, rows=300, first=1000, sharp=True)


def test_a_long_table_and_a_late_one():
    check("paper", EXPLOG, d=64, rows=5000, sharp=True)
    for first in (4294967247, -(1 << 32)):
        (f,), _, _ = identify(Table(posenc.table(50, 512, first=first)))
        assert f.first == first and f.named() == [EXACT] and f.all_equal()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_what_the_library_writes(dtype):
    for preset in posenc.presets():
        found, _, _ = identify(Table(posenc.table(100, 36, preset=preset.name, first=3, dtype=dtype)))
        assert found[0].first == 3 and preset.name in found[0].reading.presets and EXACT in found[0].named()


# ---- files, and what is said of them
# -------------------------------------------------------------------------------------------


def run(*arguments, **more):
    return subprocess.run([sys.executable, "-m", "posenc", *map(str, arguments)], capture_output=True, **more)


@pytest.fixture
def array():
    return posenc.table(40, 36)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.astype(">f4"),
        np.asfortranarray,
        lambda x: np.asfortranarray(x.astype(">f8")),
        lambda x: x[None],
        lambda x: x[:, None],
        lambda x: x.astype("f2"),
        lambda x: x.astype(">f2"),
        lambda x: (x.view("u4") >> 16).astype("u2"),
        lambda x: (x.view("u4") >> 16).astype("<u2").view("V2"),
        lambda x: (x.view("u4") >> 16).astype(">u2"),
        lambda x: np.asfortranarray(x)[None],
        lambda x: x[5],
    ],
)
def test_files_of_other_makes(change, array):
    file = io.BytesIO()
    np.save(file, change(array))
    (f, *_), _, _ = identify(load(io.BytesIO(file.getvalue())))
    assert f.reading.presets == ["paper"]


def test_a_first_row_of_zeros():
    """As fairseq has it for padding_idx 0: the others are at their positions all the same."""
    x = posenc.table(40, 36, preset="fairseq", first=7)
    x[0] = 0
    (f, *_), _, _ = identify(Table(x))
    assert f.first == 7 and "fairseq" in f.reading.presets and f.all_equal()


def test_text_and_json(array, tmp_path):
    array[1] = 0
    np.save(tmp_path / "x.npy", array.astype("f8"))
    done = run("identify", tmp_path / "x.npy", text=True)
    assert done.returncode == 0 and not done.stderr
    for line in (
        f"{tmp_path}/x.npy: 40 rows of 36 columns, float64 with float32 values",
        "row 1 is all zeros, like fairseq's",
        "preset      paper\nbase        10000\nfirst       0\narithmetic  correctly rounded",
        ": all bits are equal",
    ):
        assert line in done.stdout
    done = run("identify", "-", "--format", "json", input=(tmp_path / "x.npy").read_bytes())
    answer = json.loads(done.stdout)
    assert answer["schema"] == 1 and answer["identified"] and answer["padding_row"] == 1
    (candidate,) = answer["candidates"]
    assert candidate["presets"] == ["paper"] and candidate["base"] == 10000 and len(candidate["distances"]) == 5


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda x: 3 * x, "not pairs"),
        (lambda x: np.random.default_rng(1).random((40, 36), np.float32), "not pairs"),
        (np.zeros_like, "not pairs"),
        (lambda x: x[::-1], ""),
        (lambda x: posenc.table(np.arange(40) + 0.25, 36), "not a whole number"),
        (
            lambda x: np.where(np.arange(1440).reshape(40, 36) == 17 * 36 + 5, -x, x),
            "nearest is paper, base 10000, first position 0, but row 17, column 5",
        ),
    ],
)
def test_not_identified(change, said, array):
    found, _, reason = identify(Table(np.ascontiguousarray(change(array))))
    assert not found and reason and said in reason


def test_not_identified_ends_with_1(array, tmp_path):
    np.save(tmp_path / "x.npy", 3 * array)
    done = run("identify", tmp_path / "x.npy", text=True)
    assert done.returncode == 1 and "not identified: its columns are not pairs" in done.stdout


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda raw: b"", ""),
        (lambda raw: b"PK\3\4" + bytes(100), "magic string"),
        (lambda raw: raw[:60], ""),
        (lambda raw: raw[:-1], ""),
        (lambda raw: raw + b"x", "more bytes"),
        (lambda raw: raw.replace(b"<f4", b"<i4"), "dtype is int32"),
        (lambda raw: raw.replace(b"(40, 36)", b"(2,2,360)"[:8]), ""),
        (lambda raw: raw[:-4] + b"\0\0\xc0\x7f", "row 39, column 35 is nan"),
        (lambda raw: raw.replace(b"(40, 36), }", b"(0, 36), } "), ""),
    ],
)
def test_files_that_are_not_tables(change, said, array, tmp_path):
    np.save(tmp_path / "x.npy", array)
    (tmp_path / "x.npy").write_bytes(change((tmp_path / "x.npy").read_bytes()))
    done = run("identify", tmp_path / "x.npy", text=True)
    assert done.returncode == 2 and not done.stdout and "x.npy: " in done.stderr and said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_usage():
    assert "identify" in run("--help", text=True).stdout
    assert (
        run("identify", "no/such.npy", text=True).stderr.strip()
        == "posenc identify: no/such.npy: No such file or directory"
    )
    assert run().returncode == run("identify", "x", "--format", "xml").returncode == 2
