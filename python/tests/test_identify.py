"""`python3 -m posenc identify` finds the call for tables of every preset, in each arithmetic, and for other files."""

import io
import json
import subprocess
import sys

import numpy as np
import pytest

import posenc
from posenc.__main__ import document, load
from posenc._identify import Table, distance, identify, rounded

PRESETS = ["paper", "marian", "t2t", "guided_diffusion", "rope", "rothman"]  # one of each kind of table
RECIPES = ["exact", "naive", "explog", "float64", "recurrence"]


def kept(x, kind):
    """Returns the table as a file stores it, for np.save."""
    return (rounded(x, "bfloat16").view("u4") >> 16).astype("u2") if kind == "bfloat16" else x.astype(kind)


def check(x, preset, base, first, impl=None, dtype="float32"):
    found = identify(t := Table(x))
    assert not isinstance(found, str), found
    assert found.spec["first"] == first
    if base == 1e4:  # other bases of one preset may give the table of another
        assert preset in found.presets and found.spec["base"] == base
    if impl:
        assert distance(t, found, dtype, impl)[0] == 1


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("impl", RECIPES)
def test_every_preset(preset, impl):
    for d, rows, first, base in ((8, 500, 0, 1e6), (64, 200, -100, 150000.0), (512, 2000, 0, 5e5)):
        check(posenc.table(rows, d, preset=preset, first=first, base=base, impl=impl), preset, base, first)
    x = posenc.table(300, 64, preset=preset, first=2, impl=impl)
    check(x, preset, 1e4, 2, impl)
    for kind in ("bfloat16", "f2", "f8"):
        check(kept(x, kind), preset, 1e4, 2, impl if kind == "f8" else None)


@pytest.mark.parametrize("preset", PRESETS)
def test_few_rows_odd_widths_and_late_ones(preset):
    for d, rows, first, base in (
        (7, 16, 0, 1e4),
        (33, 300, 2, 1e4),
        (64, 16, 2, 1e4),
        (512, 16, 0, 1e4),
        (128, 100, 131072, 1e6),
    ):
        if d % 2 == 0 or preset not in ("rope", "rothman"):
            check(posenc.table(rows, d, preset=preset, first=first, base=base), preset, base, first, "exact")


@pytest.mark.parametrize("preset", ["paper", "t2t", "rope"])
@pytest.mark.parametrize("kind", ["f4", "bfloat16"])
@pytest.mark.parametrize("rows, first", [(600, 2), (5000, 0)])
def test_rounded_positions(preset, kind, rows, first):
    """Positions in bfloat16, above 256 multiples of 2 and more: most early rows decide, and the error is large."""
    at = rounded(np.arange(first, first + rows), "bfloat16")
    x = kept(posenc.table(positions=at, d_model=64, preset=preset, base=5e5, impl="explog"), kind)
    check(x, preset, 5e5, first)
    t = Table(x)
    assert distance(t, identify(t), t.dtype)[1] > 0.5


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
@pytest.mark.parametrize("preset", PRESETS)
def test_what_the_library_writes(dtype, preset):
    check(posenc.table(100, 36, preset=preset, first=3, dtype=dtype), preset, 1e4, 3, "exact", dtype)


def test_a_wrong_value():
    x = posenc.table(5000, 512)
    x[1234, 56] += 0.25
    t = Table(x)
    equal, error, row, column = distance(t, identify(t), "float32")
    assert (error, row, column) == (0.25, 1234, 56) and equal == 1 - 1 / x.size


def test_no_value_depends_on_the_base():
    found = identify(Table(posenc.table(9, 2)))
    assert "base" not in found.spec and "paper" in found.presets


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
    assert identify(load(io.BytesIO(file.getvalue()))).presets == ["paper"]


def test_a_first_row_of_zeros():
    """fairseq has such a row for padding_idx 0. The other rows keep their positions."""
    x = posenc.table(40, 36, preset="fairseq", first=7)
    x[0] = 0
    check(x, "fairseq", 1e4, 7, "exact")


def test_text_and_json(array, tmp_path):
    array[1] = 0
    np.save(tmp_path / "x.npy", array.astype("f8"))
    done = run("identify", tmp_path / "x.npy", text=True)
    assert done.returncode == 0 and not done.stderr
    for line in (
        f"{tmp_path}/x.npy: shape (40, 36), float32, stored as float64",
        "row 1 is all zeros, like fairseq's",
        "preset         paper\nbase           10000\nfirst          0\nlargest error  0, at position 0, column 0",
        'call           posenc.table(40, 36, preset="paper", base=10000.0, first=0)',
        "  exact             all",
    ):
        assert line in done.stdout
    np.save(tmp_path / "row.npy", array[:1])
    assert ": shape (1, 36), " in run("identify", tmp_path / "row.npy", text=True).stdout
    done = run("identify", "-", "--format", "json", input=(tmp_path / "x.npy").read_bytes())
    answer = json.loads(done.stdout)
    assert answer["identified"] and answer["padding_row"] == 1 and answer["presets"] == ["paper"]
    assert (answer["base"], answer["first"], answer["largest_error"]["error"], answer["equal_bits"]["exact"]) == (
        10000,
        0,
        0,
        1,
    )


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda x: np.random.default_rng(1).random((40, 36), np.float32), ""),
        (np.zeros_like, ""),
        (lambda x: x[::-1], ""),
        (lambda x: posenc.table(positions=np.arange(40) + 0.25, d_model=36), ""),
        (lambda x: np.roll(x, 1, 1), ""),
        (lambda x: np.where(np.arange(36) == 5, np.roll(x, 1, 0), x), ""),
        (lambda x: x[::2], "nearest table is posenc.table(20, 36, "),
    ],
)
def test_not_identified(change, said, array):
    answer = document("x", Table(np.ascontiguousarray(change(array))))
    assert not answer["identified"] and answer["reason"] and said in answer["reason"]


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
    assert done.returncode == 1 and "not identified: " in done.stdout
    shown = run("--help", text=True).stdout
    assert "identify" in shown and "presets" in shown
    assert (
        run("identify", "no/such.npy", text=True).stderr == "posenc identify: no/such.npy: No such file or directory\n"
    )
    assert run("presets", text=True).stdout.startswith("paper: 10000^(-2k/d), interleaved")
    assert run("nothing").returncode == run("identify", "x", "--format", "xml").returncode == 2
    done = run("--nope", text=True)
    assert done.returncode == 2 and "unrecognized arguments: --nope" in done.stderr and not done.stdout
