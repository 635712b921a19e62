"""posenc-verify FILE.npy: tables that are known to be right, or wrong in a known way, are called that; its errors are those that it
finds of implementations; what it does not understand it refuses.

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
TABLE, VERIFY = BUILD / "verify/posenc-table", BUILD / "verify/posenc-verify"


def run(*arguments, cwd=None):
    return subprocess.run([VERIFY, *map(str, arguments)], capture_output=True, text=True, timeout=240, cwd=cwd)


def judged(*arguments, status=0):
    """The tables by name, of the JSON on standard output."""
    done = run("--json", "-", *arguments)
    assert done.returncode == status, done.stderr
    return {table["name"]: table for table in strict(done.stdout)["tables"]}


def strict(text):
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    answer = json.loads(text, parse_constant=refuse)
    assert answer["schema"] == 1 and answer["tool"] == "posenc-verify"
    return answer


def written(path, *options):
    subprocess.run([TABLE, "-o", path, *map(str, options)], check=True)
    return path


def words(table):
    return [r["word"] for r in table["ranges"]]


@pytest.fixture
def array(tmp_path):
    """The correctly rounded table of 200 x 64, all of whose rows are compared."""
    return np.load(written(tmp_path / "true.npy", "--positions", 200, "--d-model", 64))


def of(values, tmp_path, *options, status=0, name="t"):
    np.save(tmp_path / f"{name}.npy", values)
    return judged(tmp_path / f"{name}.npy", *options, status=status)[name]


# ---- right tables ------------------------------------------------------------------------------------------------------------


def test_files_are_judged_in_their_own_dtype(tmp_path):
    """Of four dtypes at once; equal tables of float32 too."""
    names = ["f32", "f64", "bf16", "f16", "f32"]
    paths = [
        written(tmp_path / f"{i}.npy", "--positions", 600, "--d-model", 32, "--dtype", dtype)
        for i, dtype in enumerate(names)
    ]
    for table, path, dtype in zip(judged(*paths, "--rows", 600).values(), paths, names):
        assert words(table) == ["exact", "exact"] and table["dtype"] == dtype and table["file"] == str(path)
        assert [(r["from"], r["to"], r["rows"]) for r in table["ranges"]] == [(0, 512, 512), (512, 600, 88)]


def test_float32_kept_as_float64_is_float32(array, tmp_path):
    table = of(array.astype(np.float64), tmp_path)
    assert words(table) == ["exact"] and table["dtype"] == "f32"
    told = of(array.astype(np.float64), tmp_path, "--dtype", "f64")
    assert (
        words(told) == ["ulp"]
        and told["dtype"] == "f64"
        and told["ranges"][0]["max_abs"] == table["ranges"][0]["max_abs"]
    )
    array[3, 5] = np.nan  # which says nothing of the type
    table = of(array.astype(np.float64), tmp_path, status=1)
    assert table["dtype"] == "f32" and table["ranges"][0]["correctly_rounded"] == 1 - 1 / array.size
    angle = np.arange(200)[:, None] * 10000.0 ** (-np.arange(32) / 32)
    table = of(np.stack((np.sin(angle), np.cos(angle)), 2).reshape(200, 64), tmp_path)
    assert table["dtype"] == "f64" and 0 < table["ranges"][0]["max_abs"] < 1e-13


def test_bfloat16_in_float32_can_be_said(array, tmp_path):
    path = written(tmp_path / "b.npy", "--positions", 200, "--d-model", 64, "--dtype", "bf16")
    kept = (np.load(path).astype(np.uint32) << 16).view(np.float32)
    assert words(of(kept, tmp_path, "--dtype", "bf16")) == ["exact"]
    assert words(of(kept, tmp_path, status=1)) == ["drifting"]


def test_columns_first_and_a_batch_axis(array, tmp_path):
    for values in (np.asfortranarray(array), array[None], array[:, None]):
        assert words(of(values, tmp_path)) == ["exact"]


@pytest.mark.parametrize(
    "options",
    [
        ("--preset", "whisper", "--d-model", 64),
        ("--preset", "fairseq", "--d-model", 33),
        ("--preset", "rope", "--d-model", 64, "--base", 500000),
        ("--position-scale", 0.25, "--d-model", 16),
        ("--d-model", 7, "--base", 300, "--denominator", 5, "--layout", "split"),
    ],
    ids=str,
)
def test_presets_and_changes_to_them(options, tmp_path):
    path = written(tmp_path / "x.npy", "--positions", 300, *options, "--impl", "float64")
    given = dict(zip(options[::2], options[1::2]))
    del given["--d-model"]  # the file says how wide

    def judge(changed, status):
        return judged(
            path, *(str(o) for pair in {**given, **changed}.items() for o in pair), "--rows", 300, status=status
        )["x"]

    table = judge({}, 0)
    assert table["right"] and words(table)[0] in ("exact", "ulp") and table["preset"] == given.get("--preset", "paper")
    for changed in ({"--base": 77}, {"--order": "sin_first" if given.get("--preset") == "rope" else "cos_first"}):
        assert words(judge(changed, 1)) == ["wrong"]


def test_a_first_position(tmp_path):
    path = written(tmp_path / "x.npy", "--positions", 100, "--first", 450, "--d-model", 16)
    table = judged(path, "--positions", "450:550")["x"]
    assert words(table) == ["exact", "exact"] and [(r["from"], r["to"]) for r in table["ranges"]] == [
        (450, 512),
        (512, 550),
    ]
    assert words(judged(path, status=1)["x"]) == ["wrong"]
    path = written(tmp_path / "y.npy", "--positions", 100, "--first=-50", "--d-model", 16)
    assert words(judged(path, "--positions=-50:50")["y"]) == ["exact", "exact"]


def test_rows_of_their_own_for_files(tmp_path):
    a, b, c = (
        written(tmp_path / f"{n}.npy", "--positions", m, "--d-model", 16)
        for n, m in (("a", 5000), ("b", 700), ("c", 5000))
    )
    done = run("--json", "-", a, b, c, "--rows", 16)
    tables = {t["name"]: t for t in strict(done.stdout)["tables"]}
    assert [[r["to"] for r in tables[n]["ranges"]] for n in "abc"] == [[512, 5000], [512, 700], [512, 5000]]
    assert done.stderr.count("the reference of") == 3  # once per range, however many tables have its rows
    assert all(words(t)[0] == "exact" for t in tables.values())


# ---- recipes: the errors that posenc-verify finds of implementations -----------------------------------------------------------


@pytest.mark.parametrize("name", ["explog", "naive", "recurrence"])
def test_a_file_has_the_errors_of_its_implementation(name, tmp_path):
    same = ("--d-model", 512, "--positions", 32768, "--rows", 256)
    assert run("--impl", name, *same, "--json", tmp_path / "v.json").returncode == 0
    told = json.loads((tmp_path / "v.json").read_text())["implementations"][0]["ranges"]
    table = judged(written(tmp_path / "x.npy", *same[:4], "--impl", name), *same)["x"]
    assert table["right"] and words(table) == ["float32"] * 3
    for mine, theirs in zip(table["ranges"], told):
        for key in ("from", "to", "rows", "outputs", "max_abs", "ulp_max", "correctly_rounded"):
            assert mine[key] == theirs[key]
        assert mine["worst"] == {key: theirs["worst"][key] for key in ("position", "column", "got", "want")}


# ---- wrong tables ------------------------------------------------------------------------------------------------------------


def test_one_wrong_element(array, tmp_path):
    array[150, 33] += np.float32(0.11)
    table = of(array, tmp_path, status=1)
    worst = table["ranges"][0]["worst"]
    assert words(table) == ["wrong"] and not table["right"] and table["wrong_from"] == 0
    assert (worst["position"], worst["column"]) == (150, 33) and float.fromhex(worst["got"]) == array[150, 33]
    assert table["ranges"][0]["correctly_rounded"] == 1 - 1 / array.size


def test_words_at_their_edges(array, tmp_path):
    """At position 150, w = 1, the limit of float32 is 2^-17 + 150 / 2^22 = 4.339e-5; one element is off by more or less than that."""

    def word(change, row=150):
        changed = array.astype(np.float64)
        changed[row, 1] += change
        return words(of(changed, tmp_path, "--dtype", "f32", status=1 if abs(change) > 4.339e-5 else 0))[0]

    unit = np.spacing(np.abs(array[150, 1]))
    assert [word(0), word(3 * unit), word(5 * unit)] == ["exact", "ulp", "float32"]
    assert [word(4.33e-5), word(4.35e-5), word(-4.33e-5), word(-4.35e-5)] == ["float32", "drifting"] * 2
    assert [word(0.0999), word(0.1001)] == ["drifting", "wrong"]
    row, column = np.unravel_index(
        np.argmin(np.where(array == 0, 1, np.abs(array))), array.shape
    )  # where 4 ULP are next to nothing
    for most, found in [(2.0**-24, "ulp"), (2.0**-24 * 1.01, "float32")]:
        changed = array.astype(np.float64)
        changed[row, column] += most * (1 - 1e-3)
        assert words(of(changed, tmp_path, "--dtype", "f32")) == [found]


def test_a_small_angle_is_no_large_ones_excuse(array, tmp_path):
    """An error that float32 has where w = 1 is none of its own where the angle is small."""
    changed = array.astype(np.float64)
    changed[150, 63] += 3e-5
    assert words(of(changed, tmp_path, "--dtype", "f32", status=1)) == ["drifting"]


@pytest.mark.parametrize("value, text", [(np.nan, "nan"), (-np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_what_is_no_number(value, text, array, tmp_path):
    array[3, 5] = value
    r = of(array, tmp_path, status=1)["ranges"][0]
    assert r["max_abs"] is None and r["ulp_max"] is None and r["word"] == "wrong" and r["worst"]["got"] == text
    assert (r["worst"]["position"], r["worst"]["column"]) == (3, 5)
    done = run(tmp_path / "t.npy")
    assert done.returncode == 1 and "inf" in done.stdout
    assert f"NOT RIGHT: {tmp_path}/t.npy: position 3, column 5 is {text} instead of " in done.stdout


def test_far_away_a_float32_angle_is_no_excuse(tmp_path):
    place = ("--positions", 136, "--first", 67108864, "--d-model", 64)
    a, b = (written(tmp_path / f"{impl}.npy", *place, "--impl", impl) for impl in ("explog", "exact"))
    tables = judged(a, b, "--positions", "67108864:67109000", status=1)
    assert words(tables["explog"]) == ["wrong"] and words(tables["exact"]) == ["exact"]


def test_not_zero_where_zero_is_exact(array, tmp_path):
    array[0, 0] = 1e-9
    r = of(array, tmp_path)["ranges"][0]
    assert r["ulp_max"] is None and r["word"] == "ulp" and r["max_abs"] < 5e-8


def test_wrong_further_on_is_said_and_is_no_other_table(tmp_path):
    values = np.load(written(tmp_path / "x.npy", "--positions", 5000, "--d-model", 16))
    values[600:] = values[:4400]
    table = of(values, tmp_path)
    assert words(table) == ["exact", "wrong"] and table["right"] and table["wrong_from"] == 512
    done = run(tmp_path / "t.npy")
    assert done.returncode == 0 and "wrong further on: " in done.stdout and "1 of 1 tables right" in done.stdout


def test_the_peers_of_this_build(tmp_path):
    subprocess.run([BUILD / "bench/peers/posenc-peer-tables", tmp_path], check=True)
    tables = judged(
        "--rows", 256, *sorted(tmp_path.iterdir()), status=1 if (tmp_path / "ggml_rope.npy").exists() else 0
    )
    assert {"exact", "sincosf"} <= set(tables) and {n for n, t in tables.items() if not t["right"]} <= {"ggml_rope"}
    assert words(tables["exact"]) == ["exact"] * 5 and words(tables["sincosf"]) == ["float32"] * 5
    assert sum(path.stat().st_blocks * 512 for path in tmp_path.iterdir()) < 1e8  # little room: the files are sparse


# ---- the tool ----------------------------------------------------------------------------------------------------------------


def test_text_and_json_have_the_same(tmp_path):
    path = written(tmp_path / "x.npy", "--positions", 5000, "--d-model", 32, "--impl", "explog")
    other = written(tmp_path / "y.npy", "--positions", 5000, "--d-model", 32)
    done = run("--json", tmp_path / "out.json", path, other, "--rows", 32)
    assert done.returncode == 0 and "[1/2]" in done.stderr and "[1/2]" not in done.stdout
    tables = strict((tmp_path / "out.json").read_text())["tables"]
    lines = [line.split() for line in done.stdout.splitlines() if " to " in line and line.startswith("  ")]
    ranges = [r for table in tables for r in table["ranges"]]
    assert lines == [[str(r["from"]), "to", str(r["to"] - 1), f"{r['max_abs']:.1e}", r["word"]] for r in ranges]
    assert [done.stdout.count(table["file"] + "\n") for table in tables] == [
        1,
        1,
    ] and "2 of 2 tables right" in done.stdout


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("no/such.npy",), "no/such.npy: cannot be opened: No such file"),
        (("text.npy",), "text.npy: not an .npy file"),
        (("short.npy",), "short.npy: truncated"),
        (("long.npy",), "long.npy: there is more behind"),
        (("cube.npy",), "cube.npy: an array of 3 axes"),
        (("int.npy",), "int.npy: elements of type '<i4'"),
        (("x.npy", "--d-model", "32"), "x.npy: 16 columns where d_model is 32"),
        (("x.npy", "wide.npy"), "wide.npy: 32 columns where d_model is 16"),
        (("x.npy", "--positions", "41"), "x.npy: 40 rows, not the 41 of --positions 0:41"),
        (("x.npy", "--position-scale", "4e9"), "--positions 0:40, times a scale of 4e+09"),
        (("odd.npy", "--preset", "whisper"), "--preset whisper: d_model is 15"),
        (("x.npy", "--impl", "exact"), "--impl exact_"),
        (("x.npy", "--hashes"), "--hashes: not with files"),
        (("big.npy",), "big.npy: elements of type '>f4'"),
        (("empty.npy",), "empty.npy: not an .npy file"),
        ((".",), ".: not a regular file"),
        (("header.npy",), "header.npy: truncated"),
        (("object.npy",), "object.npy: elements of type '|O'"),
        (("x.npy", "--json", "no/such.json"), "--json: no/such.json: No such file"),
    ],
    ids=str,
)
def test_refusals(arguments, said, tmp_path):
    x = np.load(written(tmp_path / "x.npy", "--positions", 40, "--d-model", 16))
    whole = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "text.npy").write_text("no table")
    (tmp_path / "short.npy").write_bytes(whole[:-1])
    (tmp_path / "long.npy").write_bytes(whole + b"x")
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2), "f4"))
    np.save(tmp_path / "int.npy", x.astype("i4"))
    np.save(tmp_path / "wide.npy", np.concatenate((x, x), 1))
    np.save(tmp_path / "odd.npy", x[:, :15])
    np.save(tmp_path / "big.npy", x.astype(">f4"))
    np.save(tmp_path / "object.npy", x.astype(object))
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "header.npy").write_bytes(whole.replace(b"(40, 16), }" + b" " * 17, b"(9223372036854775807, 16), }"))
    before = sorted(tmp_path.iterdir())
    done = run(*arguments, *(() if "--json" in arguments else ("--json", "out.json")), cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr and done.stdout == "" and sorted(tmp_path.iterdir()) == before
    assert "posenc-verify: " in done.stderr.splitlines()[0]


def test_damaged_headers(tmp_path):
    """No file makes it crash."""
    rng = random.Random(1)
    whole = written(tmp_path / "x.npy", "--positions", 40, "--d-model", 16, "--dtype", "bf16").read_bytes()
    codes = set()
    for _ in range(150):
        raw = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 8))):
            raw[rng.randrange(70)] = rng.choice((rng.randrange(256), *b"0123456789(),'{}:<>"))
        if rng.random() < 0.2:
            del raw[rng.randrange(len(raw)) :]
        (tmp_path / "d.npy").write_bytes(raw)
        done = subprocess.run([VERIFY, tmp_path / "d.npy", "--rows", "2"], capture_output=True, timeout=60)
        assert done.returncode in (0, 1, 2), done
        codes.add(done.returncode)
    assert {0, 2} <= codes


def test_a_full_disk_is_reported(tmp_path):
    path = written(tmp_path / "x.npy", "--positions", 40, "--d-model", 16)
    with open("/dev/full", "w") as full:
        done = subprocess.run([VERIFY, path, "--json", "-"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "could not be written" in done.stderr
    done = run(path, "--json", "/dev/full")
    assert done.returncode == 2 and "--json /dev/full: could not be written" in done.stderr
