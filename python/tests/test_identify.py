"""`python3 -m posenc audit FILE.npy` finds the call for tables of every preset, in each arithmetic, and for other files."""

import json
import os
import re
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from audit_command import as_bfloat16, audit, run

import posenc
from posenc._answer import table_answer
from posenc._files import load
from posenc._identify import BLOCK, Range, Table, distance, float32_bounds, identify, rounded

PRESETS = ["paper", "marian", "t2t", "guided_diffusion", "rope", "rothman"]  # one of each kind of table
RECIPES = ["exact", "naive", "explog", "float64", "recurrence"]


def stored(x, dtype):
    """Returns the table as an .npy file of this dtype has it."""
    return as_bfloat16(x) if dtype == "bfloat16" else x.astype(dtype)


def check(x, preset, base, first, impl=None, dtype="float32"):
    """Checks what is identified, and that all bits are those of the implementation."""
    match = identify(t := Table(x))
    assert not isinstance(match, str), match
    assert match.spec["first"] == first
    if base == 1e4:  # other bases of one preset may give the table of another
        assert preset in match.presets and match.spec["base"] == base
    if impl:
        assert distance(t, match.spec, dtype, impl)[0] == 1


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("impl", RECIPES)
def test_every_preset(preset, impl):
    for d, rows, first, base in ((8, 500, 0, 1e6), (64, 200, -100, 150000.0), (512, 2000, 0, 5e5)):
        check(posenc.table(rows, d, preset=preset, first=first, base=base, impl=impl), preset, base, first)
    x = posenc.table(300, 64, preset=preset, first=2, impl=impl)
    check(x, preset, 1e4, 2, impl)
    for dtype in ("bfloat16", "f2", "f8"):
        check(stored(x, dtype), preset, 1e4, 2, impl if dtype == "f8" else None)


@pytest.mark.parametrize("preset", PRESETS)
def test_few_rows_odd_widths_and_late_positions(preset):
    for d, rows, first, base in ((7, 16, 0, 1e4), (33, 300, 2, 1e4), (512, 16, 0, 1e4), (128, 100, 131072, 1e6)):
        if d % 2 == 0 or preset not in ("rope", "rothman"):
            check(posenc.table(rows, d, preset=preset, first=first, base=base), preset, base, first)


@pytest.mark.parametrize("preset", ["paper", "t2t", "rope"])
@pytest.mark.parametrize("dtype", ["f4", "bfloat16"])
@pytest.mark.parametrize("rows, first", [(600, 2), (5000, 0)])
def test_rounded_positions(preset, dtype, rows, first):
    """bfloat16 rounds positions above 256. The early rows identify the table, and its errors are large."""
    positions = rounded(np.arange(first, first + rows), "bfloat16")
    x = stored(posenc.table(positions=positions, d_model=64, preset=preset, base=5e5, impl="explog"), dtype)
    check(x, preset, 5e5, first)
    t = Table(x)
    assert distance(t, identify(t).spec, t.dtype)[1] > 0.5


def test_no_value_depends_on_the_base():
    match = identify(Table(posenc.table(9, 2)))
    assert "base" not in match.spec and "paper" in match.presets


# ---- files, and their messages


@pytest.fixture
def array():
    return posenc.table(40, 36)


OTHER_MAKES = [
    lambda x: np.asfortranarray(x.astype(">f8")),
    lambda x: np.asfortranarray(x)[None],
    lambda x: x.astype(">f2")[:, None],
    lambda x: as_bfloat16(x).view("V2"),
    lambda x: as_bfloat16(x).astype(">u2"),
    lambda x: x[5],
]


@pytest.mark.parametrize("change", OTHER_MAKES)
def test_files_of_other_makes(change, array, tmp_path):
    np.save(tmp_path / "x.npy", change(array))
    assert identify(load(tmp_path / "x.npy")).presets == ["paper"]


def test_text_and_json(array, tmp_path):
    array[1] = 0
    np.save(tmp_path / "x.npy", array.astype("f8"))
    text = audit(tmp_path / "x.npy")
    for line in (
        f"{tmp_path}/x.npy: shape (40, 36), float32, stored as float64",
        "row 1 is all zeros, like fairseq's",
        "preset  paper\nbase    10000\nfirst   0\n",
        'call    posenc.table(40, 36, preset="paper", base=10000.0, first=0)',
        "  0 to 39             3.0e-08       0.5 ULP  exact     largest error at position ",
        "\nclosest match: ",
        " (all of the values equal)\n",
        "  exact             all",
    ):
        assert line in text
    command = [sys.executable, "-m", "posenc", "audit", "-", "--format", "json"]
    with open(tmp_path / "x.npy", "rb") as file:
        answer = json.loads(subprocess.run(command, stdin=file, capture_output=True).stdout)
    assert answer["identified"] and answer["padding_row"] == 1 and answer["presets"] == ["paper"]
    assert (answer["base"], answer["first"], answer["equal_bits"]["exact"], answer["right"]) == (10000, 0, 1, True)


NO_TABLES = [
    lambda x: np.random.default_rng(1).random((40, 36), np.float32),
    np.zeros_like,
    lambda x: x[::-1],
    lambda x: posenc.table(positions=np.arange(40) + 0.25, d_model=36),
    lambda x: np.where(np.arange(36) == 5, np.roll(x, 1, 0), x),
    lambda x: 3 * x,
]


@pytest.mark.parametrize("change", NO_TABLES)
def test_not_identified(change, array, tmp_path):
    np.save(tmp_path / "x.npy", np.ascontiguousarray(change(array)))
    assert re.search("\nnot identified: .+", audit(tmp_path / "x.npy", status=1))


@pytest.mark.parametrize(
    "change, problem",
    [
        (lambda raw: b"PK\3\4" + bytes(100), "magic string"),
        (lambda raw: raw[:-1], "it has fewer bytes than its header says"),
        (lambda raw: raw + b"x", "it has more bytes than its header says"),
        (lambda raw: raw.replace(b"<f4", b"<i4"), "dtype is int32"),
        (lambda raw: raw[:-4] + b"\0\0\xc0\x7f", "row 39, column 35 is nan"),
        (lambda raw: raw.replace(b"(40, 36), }", b"(0, 36), } "), "its shape is (0, 36)"),
        (lambda raw: raw.replace(b"(40, 36), }", b"(10, 4, 36)}"), "its shape is (10, 4, 36)"),
        (lambda raw: raw.replace(b"<f4", b"<z4"), "not a readable .npy file: "),
        (lambda raw: raw.replace(b"36", b"-6"), "its shape is (40, -6)"),
    ],
)
def test_files_that_are_not_tables(change, problem, array, tmp_path):
    np.save(tmp_path / "x.npy", array)
    (tmp_path / "x.npy").write_bytes(change((tmp_path / "x.npy").read_bytes()))
    error = audit(tmp_path / "x.npy", status=2)
    assert "x.npy: " in error and problem in error


def test_presets():
    assert run("presets").startswith("paper: 10000^(-2k/d), interleaved")


# ---- judging a file as an expected table


def judged(path, *options, status=0):
    """Returns the document about a file that should hold the paper's table. It is standard JSON, without NaN."""

    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    text = audit(path, "--preset", "paper", *options, "--format", "json", status=status)
    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def judged_array(tmp_path):
    def judged_array(values, *options, status=0):
        np.save(tmp_path / "x.npy", values)
        return judged(tmp_path / "x.npy", *options, status=status)

    return judged_array


def words(answer):
    return [each["word"] for each in answer["ranges"]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_right_tables_of_each_dtype(dtype, judged_array):
    answer = judged_array(posenc.table(1300, 32, first=-600, dtype=dtype), "--first", -600)
    assert answer["dtype"] == dtype and words(answer) == ["exact"] * 4 and answer["wrong_from"] is None
    sizes = [(r["from"], r["to"], r["rows"], r["outputs"]) for r in answer["ranges"]]
    assert sizes == [(-600, -512, 88, 2816), (-512, 0, 512, 16384), (0, 512, 512, 16384), (512, 700, 188, 6016)]
    assert dtype != "float64" or answer["equal_bits"].keys() == {"exact", "anchored"}  # which have this dtype
    half = 0 if dtype == "float64" else 0.5
    assert all(r["correctly_rounded"] == 1 and r["ulp_max"] == pytest.approx(half, abs=0.01) for r in answer["ranges"])


def test_a_dtype_that_is_named(array, judged_array):
    """Values of bfloat16 are found in float32; float32 rounding errors are none of a float32 table."""
    x = rounded(posenc.table(200, 64), "bfloat16")
    assert judged_array(x)["dtype"] == "bfloat16" and words(judged_array(x)) == ["exact"]
    assert words(judged_array(x, "--dtype", "float32", status=1)) == ["drifting"]
    assert words(judged_array(array.astype("f8"), "--dtype", "float64")) == ["ulp"]


@pytest.mark.parametrize(
    "d, arguments",
    [(64, dict(preset="whisper")), (33, dict(preset="fairseq")), (64, dict(base=5e5)), (16, dict(first=-50))],
)
def test_the_table_that_is_expected(d, arguments, tmp_path):
    np.save(tmp_path / "x.npy", posenc.table(300, d, **arguments))
    options = [str(text) for name, value in arguments.items() for text in (f"--{name}", value)]
    answer = judged(tmp_path / "x.npy", *options)
    assert answer["right"] and {*words(answer)} == {"exact"}
    assert answer["ranges"][0]["from"] == arguments.get("first", 0)
    for change in (("--base", "77"), ("--preset", "marian")):
        assert "wrong" in words(judged(tmp_path / "x.npy", *options, *change, status=1))
    text = audit(tmp_path / "x.npy", "--preset", "paper", *options)
    assert re.search(r"\nholds the table described \(largest error [0-9.e-]+: exact\)\n$", text)


@pytest.mark.parametrize("impl", ["explog", "naive", "recurrence"])
def test_float32_angles_are_right_near_0_and_no_excuse_far_away(impl, judged_array):
    answer = judged_array(posenc.table(32768, 64, impl=impl))
    assert answer["right"] and words(answer) == ["float32"] * 3
    far = posenc.table(136, 64, first=1 << 26, impl=impl)
    assert words(judged_array(far, "--first", 1 << 26, status=1)) == ["wrong"]


def test_words_at_their_edges(judged_array):
    """At position 150, w = 1, the limit of float32 is 2^-17 + 150 / 2^22 = 4.339e-5; for small angles it is less."""
    array = posenc.table(200, 64)

    def word(change, row=150, column=1):
        changed = array.astype("f8")
        changed[row, column] += change
        r = Range()
        r.add(np.arange(200), changed, "float32", {}, float32_bounds(64, {}))
        return r.word()

    unit = np.spacing(np.abs(array[150, 1]))
    assert [word(0), word(3 * unit), word(5 * unit)] == ["exact", "ulp", "float32"]
    assert [word(4.33e-5), word(4.35e-5), word(-4.33e-5), word(-4.35e-5)] == ["float32", "drifting"] * 2
    assert [word(0.0999), word(0.1001), word(3e-5), word(3e-5, 150, 63)] == ["drifting", "wrong", "float32", "drifting"]
    # near 0, where 4 ULP are tiny
    least = np.unravel_index(np.argmin(np.where(array == 0, 1, np.abs(array))), array.shape)
    assert [word(0.999 * 2.0**-24, *least), word(1.009 * 2.0**-24, *least)] == ["ulp", "float32"]
    zeros = float32_bounds(33, {"preset": "fairseq"})
    assert zeros[32] == 0 and zeros[16] == zeros[0] == 2.0**-22  # a column of zeros has no angle
    slowest = 1e-4 * (4 + 2 * np.log(1e4)) * 2.0**-24  # w of the last frequency, whose denominator is n - 1
    assert float32_bounds(64, {"preset": "t2t"})[[31, 63]] == pytest.approx([slowest] * 2)


@pytest.mark.parametrize("value", [np.nan, -np.nan, np.inf, -np.inf])
def test_what_is_no_number(value, array, judged_array, tmp_path):
    array[3, 5] = value
    r = judged_array(array, status=1)["ranges"][0]
    assert r["max_abs"] is None and r["ulp_max"] is None and r["word"] == "wrong"
    assert (r["worst"]["position"], r["worst"]["column"]) == (3, 5) and r["worst"]["got"] in ("nan", "inf", "-inf")
    assert r["correctly_rounded"] == 1 - 1 / array.size
    line = f"does not hold the table described: row 3, column 5 is {r['worst']['got']} instead of "
    assert line in audit(tmp_path / "x.npy", "--preset", "paper", status=1)


def test_not_zero_where_zero_is_exact_and_the_sign_of_zero(array, judged_array):
    array[0, 0] = -0.0
    assert judged_array(array)["ranges"][0]["correctly_rounded"] == 1 - 1 / array.size and words(
        judged_array(array)
    ) == ["ulp"]
    array[0, 0] = 1e-9
    r = judged_array(array)["ranges"][0]
    assert r["ulp_max"] is None and r["word"] == "ulp" and r["max_abs"] < 5e-8


def test_wrong_further_on_is_no_other_table(judged_array, tmp_path):
    values = posenc.table(5000, 16)
    values[600:] = values[:4400]
    answer = judged_array(values)
    assert words(answer) == ["exact", "wrong"] and answer["right"] and answer["wrong_from"] == 512
    line = audit(tmp_path / "x.npy", "--preset", "paper").splitlines()[-1]
    assert line.startswith("holds the table described, but not from position 512 on: row ")


def test_a_row_of_padding_is_fairseqs_alone(tmp_path):
    x = np.vstack((np.zeros((1, 32), "f4"), posenc.table(40, 32, preset="fairseq", first=1)))
    check(x, "fairseq", 1e4, 0, "exact")  # the other rows keep their positions
    np.save(tmp_path / "x.npy", x)
    assert words(judged(tmp_path / "x.npy", "--preset", "fairseq")) == ["exact"]
    assert words(judged(tmp_path / "x.npy", "--preset", "t2t", status=1)) == ["wrong"]


def test_wrong_values_in_several_blocks(judged_array):
    values = posenc.table(2 * BLOCK // 512 + 100, 512)
    values[[0, BLOCK // 512 + 7, -1], [5, 6, 7]] += 0.25
    answer = judged_array(values, status=1)
    assert sum(r["rows"] for r in answer["ranges"]) == len(values)
    assert [round(r["outputs"] * (1 - r["correctly_rounded"])) for r in answer["ranges"]] == [1, 2]
    assert answer["equal_bits"]["exact"] == 1 - 3 / values.size
    worst = answer["ranges"][0]["worst"]
    assert (worst["position"], worst["column"]) == (0, 5) and answer["ranges"][0]["max_abs"] == pytest.approx(0.25)
    assert distance(Table(values), {"first": 0}, "float32") == (1 - 3 / values.size, 0.25, 0, 5)


@pytest.mark.parametrize("options, problem", [
    (["--preset", "whisper"], "d_model is 35"),
    (["--preset", "nonsense"], "invalid choice"),
    (["--nope"], "unrecognized arguments: --nope"),
    (["--base", "3"], "need --preset"),
    (["--preset", "paper", "--base", "-1"], "base"),
    (["--preset", "paper", "--first", str(1 << 33)], "allowed: -2^32 to 2^32"),
])  # fmt: skip
def test_refusals(options, problem, array, tmp_path):
    np.save(tmp_path / "x.npy", array[:, :35])
    assert problem in audit(tmp_path / "x.npy", *options, status=2)


@pytest.mark.parametrize("bits, status", [(0x7F7FFFFF, 0), (0x7F800001, 2)])
def test_no_value_gives_a_warning(bits, status, array, tmp_path):
    """A table with the largest number is identified. A signalling NaN is refused."""
    array.view("u4")[0, :3] = bits
    np.save(tmp_path / "x.npy", array)
    assert "row 0, column " in audit(tmp_path / "x.npy", "--preset", "paper", status=1)
    audit(tmp_path / "x.npy", status=status)


@pytest.mark.parametrize("shape, dtype, limit", [((1 << 21, 2), "<u2", 1 << 26), ((64, 1 << 20), "<f2", 1 << 29)])
def test_memory_does_not_grow_with_the_file(shape, dtype, limit, tmp_path):
    """Rows of zeros are counted, since one may be a row of padding. The rows of position 0 are compared with others."""
    x = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", dtype, shape)
    x[0, 1::2] = 0x3F80 if dtype == "<u2" else 1
    tracemalloc.start()
    assert "closest match is posenc.table(" in table_answer(load(tmp_path / "x.npy"))["reason"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < limit


def test_a_file_that_becomes_shorter(array, tmp_path):
    """If the file were mapped, the process would be killed."""
    np.save(tmp_path / "x.npy", array)
    t = load(tmp_path / "x.npy")
    os.truncate(tmp_path / "x.npy", 1000)
    with pytest.raises(ValueError, match="it became shorter while it was read"):
        table_answer(t)


def test_a_large_array_in_fortran_order(tmp_path):
    np.lib.format.open_memmap(tmp_path / "x.npy", "w+", "<f4", (1 << 20, 65), fortran_order=True)
    with pytest.raises(ValueError, match="more than 2.28 bytes in Fortran order; save np.ascontiguousarray"):
        load(tmp_path / "x.npy")
