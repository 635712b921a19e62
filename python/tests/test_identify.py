"""`python3 -m posenc identify` identifies the tables of every preset in each arithmetic, and tables of other makes."""

import io
import json
import subprocess
import sys

import numpy as np
import pytest

import posenc
from posenc._arithmetics import ARITHMETICS, FORMS, rounded
from posenc._identify import Table, identify, load, readings

EXACT, DOUBLE, EXPLOG, POW, BF16 = ARITHMETICS
RECIPES = {EXACT: "exact", DOUBLE: "float64", EXPLOG: "explog", POW: "naive"}  # the implementations with these bits
PRESETS = ["paper", "marian", "t2t", "guided_diffusion", "rope", "rothman"]  # one of each kind of table


recipes = pytest.mark.skipif(
    sys.platform == "win32", reason="the recipes of the Windows wheel have Zig's sines, and not the system's"
)


def made(preset, arithmetic, d, rows, first=0, base=1e4):
    """Returns the table in this arithmetic, or None if the preset has no such width."""
    spec = dict(preset=preset, base=base, impl=RECIPES.get(arithmetic, "explog"))
    positions = np.arange(first, first + rows)
    if arithmetic == BF16:
        positions = rounded(positions.astype(float), "bfloat16")
    return (
        None
        if d % 2 and preset in ("whisper", "rope", "rothman")
        else posenc.table(positions=positions, d_model=d, **spec)
    )


def kept(x, kind):
    """Returns the table as a file stores it, for np.save."""
    if kind == "bfloat16":
        return (rounded(x.astype("f8"), "bfloat16").astype("f4").view("u4") >> 16).astype("u2")
    return x.astype(kind)


def check(preset, arithmetic, kind="f4", *, d, rows, first=0, base=1e4, sharp=False):
    """Checks that a table is identified only as itself, with its arithmetic; if `sharp`, with none of other bits."""
    if (table := made(preset, arithmetic, d, rows, first, base)) is None:
        return
    x = kept(table, kind)
    found, _, reason = identify(Table(x))
    assert found, reason
    (f,) = [f for f in found if preset in f.reading.presets]
    assert (f.candidate.base, f.first) == (base, first) and f.all_equal() and arithmetic in f.named()
    if len(found) > 1:  # base b with one denominator gives the same table as base c with another
        assert base != 10000 and all(g.first == first and g.candidate.base > 10000 for g in found)
    for other in RECIPES:
        same = np.array_equal(kept(made(preset, other, d, rows, first, base), kind), x)
        assert other in f.named() if same else not sharp or other not in f.named(), other


@recipes
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("arithmetic", RECIPES)
def test_every_preset(preset, arithmetic):
    for d, rows, first, base, sharp in (
        (7, 16, 0, 1e4, False),
        (8, 500, 0, 1e6, False),
        (33, 300, 2, 1e4, True),
        (64, 16, 2, 1e4, False),
        (64, 200, -100, 150000, False),
        (64, 200, 1000, 5e5, False),
        (128, 100, 131072, 1e6, False),
        (512, 16, 0, 1e4, False),
    ):
        check(preset, arithmetic, d=d, rows=rows, first=first, base=base, sharp=sharp)
    check(preset, arithmetic, "bfloat16", d=64, rows=300)
    check(preset, arithmetic, "f2", d=8, rows=100, first=2)
    check(preset, arithmetic, "f8", d=64, rows=100, sharp=arithmetic != EXACT)  # float32 values stay what they are


@recipes
@pytest.mark.parametrize("preset", ["paper", "t2t", "rope"])
@pytest.mark.parametrize("kind", ["f4", "bfloat16"])
def test_rounded_positions(preset, kind):
    check(preset, BF16, kind, d=64, rows=600, first=2, base=5e5, sharp=True)
    check(preset, BF16, kind, d=128, rows=300, first=1000, sharp=True)


@pytest.mark.parametrize("form", [form for form in FORMS if form.kind], ids=lambda form: form.text)
def test_every_form(form):
    """Each form of an arithmetic is identified as that arithmetic, and computes nearly the same table."""
    positions, (r, *_) = np.arange(2, 402), readings(64)
    x = np.stack(form.values(positions, 5e5, 32, r.denominator), 2).reshape(400, 64).astype("f4")
    assert np.abs(x[:8] - posenc.table(positions=positions[:8], d_model=64, base=5e5)).max() < (
        0.1 if form.arithmetic == BF16 else 1e-5
    )
    found, _, _ = identify(Table(x))
    assert any("paper" in f.reading.presets and form.arithmetic in f.named() and f.all_equal() for f in found)


@recipes
def test_a_long_table_and_a_late_one():
    check("paper", EXPLOG, d=64, rows=5000, sharp=True)
    for first in (4294967247, -(1 << 32)):
        (f,), _, _ = identify(Table(posenc.table(50, 512, first=first)))
        assert f.first == first and f.named() == [EXACT] and f.all_equal()


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
@pytest.mark.parametrize("preset", PRESETS)
def test_what_the_library_writes(dtype, preset):
    found, _, _ = identify(Table(posenc.table(100, 36, preset=preset, first=3, dtype=dtype)))
    assert found[0].first == 3 and preset in found[0].reading.presets and EXACT in found[0].named()


# ---- files, and their messages


def run(*arguments, **more):
    return subprocess.run([sys.executable, "-m", "posenc", *map(str, arguments)], capture_output=True, **more)


@pytest.fixture
def array():
    return posenc.table(40, 36)


def upper_half(x):
    return (x.view("u4") >> 16).astype("u2")


@pytest.mark.parametrize(
    "change",
    [
        lambda x: np.asfortranarray(x.astype(">f8")),
        lambda x: np.asfortranarray(x)[None],
        lambda x: x.astype(">f2")[:, None],
        lambda x: upper_half(x).view("V2"),
        lambda x: upper_half(x).astype(">u2"),
        lambda x: x[5],
    ],
)
def test_files_of_other_makes(change, array):
    file = io.BytesIO()
    np.save(file, change(array))
    (f, *_), _, _ = identify(load(io.BytesIO(file.getvalue())))
    assert f.reading.presets == ["paper"]


def test_a_first_row_of_zeros():
    """fairseq has such a row for padding_idx 0. The other rows keep their positions."""
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
    np.save(tmp_path / "row.npy", array[:1])
    assert ": 1 row of 36 columns, " in run("identify", tmp_path / "row.npy", text=True).stdout
    done = run("identify", "-", "--format", "json", input=(tmp_path / "x.npy").read_bytes())
    answer = json.loads(done.stdout)
    assert answer["schema"] == 1 and answer["identified"] and answer["padding_row"] == 1
    (candidate,) = answer["candidates"]
    assert candidate["presets"] == ["paper"] and candidate["base"] == 10000 and len(candidate["distances"]) == 5


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda x: np.random.default_rng(1).random((40, 36), np.float32), "not pairs"),
        (np.zeros_like, "not pairs"),
        (lambda x: x[::-1], ""),
        (lambda x: posenc.table(positions=np.arange(40) + 0.25, d_model=36), "not a whole number"),
        (
            lambda x: np.where(np.arange(1440).reshape(40, 36) == 17 * 36 + 5, -x, x),
            "nearest is paper, base 10000, first position 0, but row 17, column 5",
        ),
    ],
)
def test_not_identified(change, said, array):
    found, _, reason = identify(Table(np.ascontiguousarray(change(array))))
    assert not found and reason and said in reason


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda raw: b"", ""),
        (lambda raw: b"PK\3\4" + bytes(100), "magic string"),
        (lambda raw: raw[:-1], ""),
        (lambda raw: raw + b"x", "more bytes"),
        (lambda raw: raw.replace(b"<f4", b"<i4"), "dtype is int32"),
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


def test_usage_and_status(array, tmp_path):
    np.save(tmp_path / "x.npy", 3 * array)
    done = run("identify", tmp_path / "x.npy", text=True)
    assert done.returncode == 1 and "not identified: its columns are not pairs" in done.stdout
    assert "identify" in run("--help", text=True).stdout
    assert (
        run("identify", "no/such.npy", text=True).stderr == "posenc identify: no/such.npy: No such file or directory\n"
    )
    assert run("nothing").returncode == run("identify", "x", "--format", "xml").returncode == 2
    done = run("--nope", text=True)
    assert done.returncode == 2 and "unrecognized arguments: --nope" in done.stderr and not done.stdout
