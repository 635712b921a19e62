"""posenc-verify FILE.npy: the verdict on tables that are known to be right, or wrong in a known way. The errors of a
file are those of the implementation that made it. Files that the tool does not understand are refused.

Environment: POSENC_BUILD, the build tree.
"""
import json
import os
import pathlib
import random
import subprocess

import numpy as np
import pytest

BUILD = pathlib.Path(os.environ["POSENC_BUILD"])
SMALL = "--positions 200 --d-model 64"  # so few that all rows are compared


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(arguments):
    return subprocess.run(
        [BUILD / "verify/posenc-verify", *arguments.split()],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=240,
    )


def made(options, name="t"):
    """Makes a table with posenc-table and returns the name of its file."""
    subprocess.run([BUILD / "verify/posenc-table", "-o", f"{name}.npy", *options.split()], check=True)
    return f"{name}.npy"


def parsed(text):
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    answer = json.loads(text, parse_constant=refuse)
    assert answer["schema"] == 1 and answer["tool"] == "posenc-verify"
    return answer["tables"]


def judged(arguments, status=0):
    """The tables of the JSON on standard output."""
    done = run(f"--json - {arguments}")
    assert status is None or done.returncode == status, done.stderr
    return parsed(done.stdout)


def of(values, options="", status=0):
    np.save("of.npy", values)
    return judged(f"of.npy {options}", status)[0]


def words(table):
    return [r["word"] for r in table["ranges"]]


def ends(table):
    return [(r["from"], r["to"]) for r in table["ranges"]]


@pytest.fixture
def array(here):
    return np.load(made(SMALL))


# ---- right tables ------------------------------------------------------------------------------------------------------------


def test_files_are_judged_in_their_own_dtype():
    """Files of four dtypes in one run, and two equal float32 files."""
    dtypes = ["float32", "float64", "bfloat16", "float16", "float32"]
    paths = [made(f"--positions 600 --d-model 32 --dtype {dtype}", str(i)) for i, dtype in enumerate(dtypes)]
    for table, path, dtype in zip(judged(f"{' '.join(paths)} --rows 600"), paths, dtypes):
        assert words(table) == ["exact", "exact"] and table["dtype"] == dtype and table["file"] == path
        values = np.load(path)
        assert values.dtype == {"float32": "<f4", "float64": "<f8", "bfloat16": "<u2", "float16": "<f2"}[dtype]
        assert values.shape == (600, 32) and values.flags.c_contiguous
        assert ends(table) == [(0, 512), (512, 600)] and [r["rows"] for r in table["ranges"]] == [512, 88]


def test_float32_kept_as_float64_is_float32(array):
    table = of(array.astype("f8"))
    assert words(table) == ["exact"] and table["dtype"] == "float32"
    told = of(array.astype("f8"), "--dtype float64")
    assert words(told) == ["ulp"] and told["dtype"] == "float64"
    assert told["ranges"][0]["max_abs"] == table["ranges"][0]["max_abs"]
    array[3, 5] = np.nan  # NaN does not show the type
    table = of(array.astype("f8"), status=1)
    assert table["dtype"] == "float32" and table["ranges"][0]["correctly_rounded"] == 1 - 1 / array.size
    angle = np.arange(200)[:, None] * 10000.0 ** (-np.arange(32) / 32)
    table = of(np.stack((np.sin(angle), np.cos(angle)), 2).reshape(200, 64))
    assert table["dtype"] == "float64" and 0 < table["ranges"][0]["max_abs"] < 1e-13


def test_bfloat16_in_float32_can_be_said():
    kept = (np.load(made(f"{SMALL} --dtype bfloat16")).astype(np.uint32) << 16).view(np.float32)
    assert words(of(kept, "--dtype bfloat16")) == ["exact"]
    assert words(of(kept, status=1)) == ["drifting"]


def test_columns_first_and_a_batch_axis(array):
    for values in (np.asfortranarray(array), array[None], array[:, None]):
        assert words(of(values)) == ["exact"]


@pytest.mark.parametrize(
    "d, options",
    [
        (64, "--preset whisper"),
        (33, "--preset fairseq"),
        (64, "--preset rope --base 500000"),
        (16, "--position-scale 0.25"),
        (7, "--base 300 --denominator 5 --layout split"),
        (5, "--odd zero --order cos_first"),
    ],
)
def test_presets_and_changes_to_them(d, options):
    path = made(f"--positions 300 --d-model {d} {options} --impl float64")  # the width comes from the file
    (table,) = judged(f"{path} {options} --rows 300")
    assert table["right"] and words(table)[0] in ("exact", "ulp")
    assert table["preset"] == (options.split()[1] if "preset" in options else "paper")
    for change in (
        "--base 77",
        "--order sin_first" if table["preset"] == "rope" or "cos" in options else "--order cos_first",
    ):
        assert words(judged(f"{path} {options} --rows 300 {change}", 1)[0]) == ["wrong"]


def test_a_first_position():
    path = made("--positions 450:550 --d-model 16")
    (table,) = judged(f"{path} --positions 450:550")
    assert words(table) == ["exact", "exact"] and ends(table) == [(450, 512), (512, 550)]
    assert words(judged(path, 1)[0]) == ["wrong"]
    path = made("--positions=-50:50 --d-model 16")
    assert words(judged(f"{path} --positions=-50:50")[0]) == ["exact", "exact"]


@pytest.mark.parametrize("name", ["explog", "naive", "recurrence"])
def test_a_file_has_the_errors_that_posenc_verify_finds_of_its_implementation(name):
    same = "--d-model 512 --positions 32768"
    assert run(f"--impl {name} {same} --rows 256 --json v.json").returncode == 0
    told = json.loads(pathlib.Path("v.json").read_text())["implementations"][0]["ranges"]
    (table,) = judged(f"{made(f'{same} --impl {name}')} {same} --rows 256")
    assert table["right"] and words(table) == ["float32"] * 3
    for mine, theirs in zip(table["ranges"], told):
        assert all(mine[key] == theirs[key] for key in mine if key not in ("word", "worst"))
        assert all(mine["worst"][key] == theirs["worst"][key] for key in mine["worst"] if key != "bound")


# ---- wrong tables ------------------------------------------------------------------------------------------------------------


def test_one_wrong_element(array):
    array[150, 33] += np.float32(0.11)
    table = of(array, status=1)
    worst = table["ranges"][0]["worst"]
    assert words(table) == ["wrong"] and not table["right"] and table["wrong_from"] == 0
    assert (worst["position"], worst["column"]) == (150, 33) and float.fromhex(worst["got"]) == array[150, 33]
    assert table["ranges"][0]["correctly_rounded"] == 1 - 1 / array.size


def test_words_at_their_edges(array):
    """At position 150, w = 1, the limit of float32 is 2^-17 + 150 / 2^22 = 4.339e-5; for small angles it is less."""

    def word(change, row=150, column=1):
        changed = array.astype("f8")
        changed[row, column] += change
        (found,) = words(of(changed, "--dtype float32", None))
        return found

    unit = np.spacing(np.abs(array[150, 1]))
    assert [word(0), word(3 * unit), word(5 * unit)] == ["exact", "ulp", "float32"]
    assert [word(4.33e-5), word(4.35e-5), word(-4.33e-5), word(-4.35e-5)] == ["float32", "drifting"] * 2
    assert [word(0.0999), word(0.1001), word(3e-5), word(3e-5, 150, 63)] == ["drifting", "wrong", "float32", "drifting"]
    # near 0, where 4 ULP are tiny
    least = np.unravel_index(np.argmin(np.where(array == 0, 1, np.abs(array))), array.shape)
    assert [word(0.999 * 2.0**-24, *least), word(1.009 * 2.0**-24, *least)] == ["ulp", "float32"]


@pytest.mark.parametrize("value, text", [(np.nan, "nan"), (-np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_what_is_no_number(value, text, array):
    array[3, 5] = value
    r = of(array, status=1)["ranges"][0]
    assert r["max_abs"] is None and r["ulp_max"] is None and r["word"] == "wrong" and r["worst"]["got"] == text
    assert (r["worst"]["position"], r["worst"]["column"]) == (3, 5)
    done = run("of.npy")
    assert done.returncode == 1 and "inf" in done.stdout and "0 of 1 tables right" in done.stdout
    assert f"NOT RIGHT: of.npy: position 3, column 5 is {text} instead of " in done.stdout


def test_far_away_a_float32_angle_is_no_excuse():
    for impl, word in (("explog", "wrong"), ("exact", "exact")):
        path = made(f"--positions 67108864:67109000 --d-model 64 --impl {impl}")
        assert words(judged(f"{path} --positions 67108864:67109000", int(word == "wrong"))[0]) == [word]


def test_not_zero_where_zero_is_exact(array):
    array[0, 0] = 1e-9
    r = of(array)["ranges"][0]
    assert r["ulp_max"] is None and r["word"] == "ulp" and r["max_abs"] < 5e-8


def test_wrong_further_on_is_said_and_is_no_other_table():
    values = np.load(made("--positions 5000 --d-model 16"))
    values[600:] = values[:4400]
    table = of(values)
    assert words(table) == ["exact", "wrong"] and table["right"] and table["wrong_from"] == 512
    done = run("of.npy")
    assert done.returncode == 0 and "wrong further on: " in done.stdout and "1 of 1 tables right" in done.stdout


def test_the_peers_of_this_build(tmp_path):
    subprocess.run([BUILD / "bench/peers/posenc-peer-tables", "."], check=True)
    paths = sorted(path.name for path in tmp_path.iterdir())
    answer = judged(f"--rows 256 {' '.join(paths)}", int("ggml_rope.npy" in paths))
    tables = {table["name"]: table for table in answer}
    assert {"exact", "sincosf"} <= set(tables) and {n for n, t in tables.items() if not t["right"]} <= {"ggml_rope"}
    assert words(tables["exact"]) == ["exact"] * 5 and words(tables["sincosf"]) == ["float32"] * 5
    assert sum(path.stat().st_blocks * 512 for path in tmp_path.iterdir()) < 1e8  # the files are sparse


# ---- the tool ----------------------------------------------------------------------------------------------------------------


def test_text_and_json_have_the_same():
    paths = [made(f"--positions 5000 --d-model 32 --impl {impl}", impl) for impl in ("explog", "exact")]
    done = run(f"--json out.json {' '.join(paths)} --rows 32")
    assert done.returncode == 0 and "[1/2]" in done.stderr and "[1/2]" not in done.stdout
    tables = parsed(pathlib.Path("out.json").read_text())
    lines = [line.split() for line in done.stdout.splitlines() if " to " in line and line.startswith("  ")]
    ranges = [r for table in tables for r in table["ranges"]]
    assert lines == [[str(r["from"]), "to", str(r["to"] - 1), f"{r['max_abs']:.1e}", r["word"]] for r in ranges]
    assert [done.stdout.count(path + "\n") for path in paths] == [1, 1] and "2 of 2 tables right" in done.stdout


REFUSALS = {
    "no/such.npy": "no/such.npy: cannot be opened: No such file",
    "text.npy": "text.npy: not an .npy file",
    "empty.npy": "empty.npy: not an .npy file",
    "short.npy": "short.npy: truncated",
    "header.npy": "header.npy: truncated",
    "long.npy": "long.npy: extra bytes after its array",
    "cube.npy": "cube.npy: an array of 3 axes",
    "int.npy": "int.npy: elements of type '<i4'",
    "big.npy": "big.npy: elements of type '>f4'",
    "object.npy": "object.npy: elements of type '|O'",
    ".": ".: not a regular file",
    "x.npy --d-model 32": "x.npy: 16 columns where d_model is 32",
    "x.npy wide.npy": "wide.npy: 32 columns where d_model is 16",
    "x.npy --positions 41": "x.npy: 40 rows, not the 41 of --positions 0:41",
    "x.npy --position-scale 4e9": "--positions 0:40, times a scale of 4e+09",
    "odd.npy --preset whisper": "--preset whisper: d_model is 15",
    "x.npy --impl exact": "--impl exact_",
    "x.npy --hashes": "--hashes: not with files",
    "x.npy --json no/such.json": "cannot write no/such.json: No such file",
}


def test_refusals(tmp_path):
    x = np.load(made("--positions 40 --d-model 16", "x"))
    whole = pathlib.Path("x.npy").read_bytes()
    changed = {
        "text": b"no table",
        "empty": b"",
        "short": whole[:-1],
        "long": whole + b"x",
        "header": whole.replace(b"(40, 16), }" + b" " * 17, b"(9223372036854775807, 16), }"),
    }
    for name, content in changed.items():
        pathlib.Path(f"{name}.npy").write_bytes(content)
    arrays = {"cube": x.reshape(2, 20, 16), "int": x.astype("i4"), "wide": np.concatenate((x, x), 1), "odd": x[:, :15]}
    for name, values in (arrays | {"big": x.astype(">f4"), "object": x.astype(object)}).items():
        np.save(f"{name}.npy", values)
    before = sorted(tmp_path.iterdir())
    for arguments, said in REFUSALS.items():
        done = run(arguments)
        assert done.returncode == 2 and said in done.stderr and done.stdout == "", arguments
        assert done.stderr.startswith("posenc-verify: ") and sorted(tmp_path.iterdir()) == before


def test_damaged_headers():
    """No damaged header makes the tool crash."""
    rng = random.Random(1)
    whole = pathlib.Path(made("--positions 40 --d-model 16 --dtype bfloat16")).read_bytes()
    codes = set()
    for _ in range(150):
        raw = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 8))):
            raw[rng.randrange(70)] = rng.choice((rng.randrange(256), *b"0123456789(),'{}:<>"))
        if rng.random() < 0.2:
            del raw[rng.randrange(len(raw)) :]
        pathlib.Path("d.npy").write_bytes(raw)
        codes.add(run("d.npy --rows 2").returncode)
    assert {0, 2} <= codes <= {0, 1, 2}


def test_a_full_disk_is_reported():
    path = made("--positions 40 --d-model 16")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [BUILD / "verify/posenc-verify", path, "--json", "-"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2 and "cannot write standard output" in done.stderr
    done = run(f"{path} --json /dev/full")
    assert done.returncode == 2 and "cannot write /dev/full: No space left" in done.stderr
