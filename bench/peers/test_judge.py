"""posenc-judge: tables that are known to be right, or wrong in a known way, are called that; its errors are those of
posenc-verify; what it does not understand it refuses.

Environment: POSENC_JUDGE, the program; POSENC_JUDGE_FAULTS, the same with the peers of test_judge.c; POSENC_BUILD, the tree they
were built in.
"""
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

JUDGE, FAULTS, BUILD = (os.environ[name] for name in ("POSENC_JUDGE", "POSENC_JUDGE_FAULTS", "POSENC_BUILD"))
TABLE, VERIFY = (pathlib.Path(BUILD) / "verify" / name for name in ("table/posenc-table", "posenc-verify"))
CUTS = [(0, 512), (512, 5000), (5000, 32768), (32768, 131072), (131072, 1048576)]


def run(*arguments, tool=JUDGE, cwd=None):
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, timeout=240, cwd=cwd)


def judged(*arguments, status=0, tool=JUDGE):
    """The tables by name, of the JSON on standard output."""
    done = run("--json", "-", *arguments, tool=tool)
    assert done.returncode == status, done.stderr
    return {table["name"]: table for table in strict(done.stdout)["tables"]}


def strict(text):
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")
    answer = json.loads(text, parse_constant=refuse)
    assert answer["schema"] == 1 and answer["tool"] == "posenc-judge"
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

def test_exact_and_anchored_by_name_go_to_a_million():
    tables = judged("exact", "anchored")
    assert words(tables["exact"]) == ["exact"] * 5 and set(words(tables["anchored"])) <= {"exact", "ulp"}
    for name, table in tables.items():
        assert [(r["from"], r["to"]) for r in table["ranges"]] == CUTS
        assert table["right"] and table["wrong_from"] is None and table["file"] is None and table["preset"] == "paper"
        assert table["d_model"] == 512 and table["implementation"].startswith(name + "_")
    assert all(r["correctly_rounded"] == 1 and r["ulp_max"] <= 0.5 and r["rows"] == 256 and r["outputs"] == 256 * 512
               for r in tables["exact"]["ranges"])


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
def test_files_are_judged_in_their_own_dtype(dtype, tmp_path):
    path = written(tmp_path / "x.npy", "--positions", 600, "--d-model", 32, "--dtype", dtype)
    table = judged(path, "--rows", 600)["x"]
    assert words(table) == ["exact", "exact"] and table["dtype"] == dtype and table["file"] == str(path)
    assert [(r["from"], r["to"], r["rows"]) for r in table["ranges"]] == [(0, 512, 512), (512, 600, 88)]


def test_float32_kept_as_float64_is_float32(array, tmp_path):
    table = of(array.astype(np.float64), tmp_path)
    assert words(table) == ["exact"] and table["dtype"] == "f32"
    told = of(array.astype(np.float64), tmp_path, "--dtype", "f64")
    assert words(told) == ["ulp"] and told["dtype"] == "f64" and told["ranges"][0]["max_abs"] == table["ranges"][0]["max_abs"]
    angle = np.arange(200)[:, None] * 10000.0 ** (-np.arange(32) / 32)
    pairs = np.stack((np.sin(angle), np.cos(angle)), 2).reshape(200, 64)
    table = of(pairs, tmp_path)
    assert table["dtype"] == "f64" and 0 < table["ranges"][0]["max_abs"] < 1e-13


def test_bfloat16_in_float32_can_be_said(array, tmp_path):
    path = written(tmp_path / "b.npy", "--positions", 200, "--d-model", 64, "--dtype", "bf16")
    kept = (np.load(path).astype(np.uint32) << 16).view(np.float32)
    assert words(of(kept, tmp_path, "--dtype", "bf16")) == ["exact"]
    assert words(of(kept, tmp_path, status=1)) == ["drifting"]


def test_files_of_two_dtypes_at_once(tmp_path):
    paths = [written(tmp_path / f"{dtype}.npy", "--positions", 50, "--d-model", 8, "--dtype", dtype) for dtype in ("f32", "bf16")]
    assert [words(table) for table in judged(*paths).values()] == [["exact"], ["exact"]]


def test_columns_first_big_endian_and_a_batch_axis(array, tmp_path):
    for values in (np.asfortranarray(array), array.astype(">f4"), array[None], array[:, None]):
        assert words(of(values, tmp_path)) == ["exact"]


@pytest.mark.parametrize("options", [
    ("--preset", "whisper", "--d-model", 64), ("--preset", "fairseq", "--d-model", 33), ("--preset", "rothman", "--d-model", 48),
    ("--preset", "rope", "--d-model", 64, "--base", 500000), ("--position-scale", 0.25, "--d-model", 16),
    ("--d-model", 7, "--base", 300, "--denominator", 5, "--layout", "split"),
], ids=str)
def test_presets_and_changes_to_them(options, tmp_path):
    path = written(tmp_path / "x.npy", "--positions", 300, *options, "--impl", "float64")
    given = dict(zip(options[::2], options[1::2]))
    del given["--d-model"]  # the file says how wide

    def judge(changed, status):
        return judged(path, *(str(o) for pair in {**given, **changed}.items() for o in pair), "--rows", 300, status=status)["x"]
    table = judge({}, 0)
    assert table["right"] and words(table)[0] in ("exact", "ulp") and table["preset"] == given.get("--preset", "paper")
    for changed in ({"--base": 77}, {"--order": "sin_first" if given.get("--preset") == "rope" else "cos_first"}):
        assert words(judge(changed, 1)) == ["wrong"]


def test_a_first_position(tmp_path):
    path = written(tmp_path / "x.npy", "--positions", 100, "--first", 450, "--d-model", 16)
    table = judged(path, "--positions", "450:550")["x"]
    assert words(table) == ["exact", "exact"] and [(r["from"], r["to"]) for r in table["ranges"]] == [(450, 512), (512, 550)]
    assert words(judged(path, status=1)["x"]) == ["wrong"]
    path = written(tmp_path / "y.npy", "--positions", 100, "--first=-50", "--d-model", 16)
    assert words(judged(path, "--positions=-50:50")["y"]) == ["exact", "exact"]


def test_rows_of_their_own_for_files_and_names(tmp_path):
    a, b = (written(tmp_path / f"{n}.npy", "--positions", n, "--d-model", 16) for n in (5000, 700))
    done = run("--json", "-", a, b, "exact", "--rows", 16)
    tables = {t["name"]: t for t in strict(done.stdout)["tables"]}
    ends = [[r["to"] for r in tables[n]["ranges"]] for n in ("5000", "700", "exact")]
    assert ends == [[512, 5000], [512, 700], [to for _, to in CUTS]]
    assert done.stderr.count("the truth of") == 6  # once per range, whoever asks
    assert all(words(t)[0] == "exact" for t in tables.values())


# ---- recipes, and posenc-verify ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["explog", "naive", "recurrence"])
def test_errors_are_those_of_posenc_verify(name, tmp_path):
    same = ("--d-model", "512", "--positions", "1048576", "--rows", "256")
    subprocess.run([VERIFY, "--impl", name, *same, "--json", tmp_path / "v.json"], capture_output=True, check=True)
    told = json.loads((tmp_path / "v.json").read_text())["implementations"][0]["ranges"]
    ranges = judged(name)[name]["ranges"]
    assert len(ranges) == len(told) == 5
    for mine, theirs in zip(ranges, told):
        assert {key: mine[key] for key in ("from", "to", "rows", "outputs", "max_abs", "ulp_max", "correctly_rounded")} == {
            key: theirs[key] for key in ("from", "to", "rows", "outputs", "max_abs", "ulp_max", "correctly_rounded")}
        assert mine["word"] == "float32"
        assert {key: mine["worst"][key] for key in ("position", "column", "got", "want")} == {
            key: theirs["worst"][key] for key in ("position", "column", "got", "want")}


def test_a_file_has_the_errors_of_its_implementation(tmp_path):
    path = written(tmp_path / "x.npy", "--positions", 32768, "--impl", "explog")
    tables = judged(path, "explog")
    assert tables["x"]["ranges"] == tables["explog"]["ranges"][:3]
    assert tables["x"]["right"] and words(tables["x"]) == ["float32"] * 3


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
    row, column = np.unravel_index(np.argmin(np.where(array == 0, 1, np.abs(array))), array.shape)  # where 4 ULP are next to nothing
    for most, found in [(2.0**-24, "ulp"), (2.0**-24 * 1.01, "float32")]:
        changed = array.astype(np.float64)
        changed[row, column] += most * (1 - 1e-3)
        assert words(of(changed, tmp_path, "--dtype", "f32")) == [found]


def test_a_small_angle_is_no_large_ones_excuse(array, tmp_path):
    """An error that float32 has where w = 1 is none of its own where the angle is small."""
    changed = array.astype(np.float64)
    changed[150, 63] += 3e-5
    assert words(of(changed, tmp_path, "--dtype", "f32", status=1)) == ["drifting"]


@pytest.mark.parametrize("change", ["swapped", "base", "shifted", "split", "zeros", "negated"])
def test_another_table(change, array, tmp_path):
    values = {"swapped": lambda: array.reshape(200, 32, 2)[:, :, ::-1].reshape(200, 64),
              "base": lambda: np.load(written(tmp_path / "b.npy", "--positions", 200, "--d-model", 64, "--base", 9000)),
              "shifted": lambda: np.roll(array, 1, 0),
              "split": lambda: np.concatenate((array[:, ::2], array[:, 1::2]), 1),
              "zeros": lambda: np.zeros_like(array), "negated": lambda: -array}[change]()
    table = of(values, tmp_path, status=1)
    assert words(table) == ["wrong"] and not table["right"] and table["wrong_from"] == 0


@pytest.mark.parametrize("value, text", [(np.nan, "nan"), (-np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_what_is_no_number(value, text, array, tmp_path):
    array[3, 5] = value
    r = of(array, tmp_path, status=1)["ranges"][0]
    assert r["max_abs"] is None and r["ulp_max"] is None and r["word"] == "wrong" and r["worst"]["got"] == text
    assert (r["worst"]["position"], r["worst"]["column"]) == (3, 5)
    done = run(tmp_path / "t.npy")
    assert done.returncode == 1 and "inf" in done.stdout
    assert f"NOT RIGHT: {tmp_path}/t.npy: position 3, column 5 is {text} instead of " in done.stdout


def test_float32_with_a_nan_kept_as_float64_is_float32(array, tmp_path):
    array[3, 5] = np.nan
    table = of(array.astype(np.float64), tmp_path, status=1)
    assert table["dtype"] == "f32" and table["ranges"][0]["correctly_rounded"] == 1 - 1 / array.size


def test_far_away_a_float32_angle_is_no_excuse():
    tables = judged("explog", "exact", "--positions", "67108864:67109000", status=1)
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


# ---- peers -------------------------------------------------------------------------------------------------------------------

def test_peers_of_known_faults():
    done = run("--json", "-", "--rows", 512, tool=FAULTS)
    answer = strict(done.stdout)
    tables = {t["name"]: t for t in answer["tables"]}
    assert done.returncode == 1
    assert list(tables) == ["exact", "anchored", "good", "rough", "drifts", "cosines_first", "one_nan", "from_zero",
                            "last_row_missing"]
    assert {name for name, t in tables.items() if t["right"]} == {"exact", "anchored", "good", "rough", "from_zero"}
    assert words(tables["good"])[0] in ("exact", "ulp") and all(r["max_abs"] < 3.1e-8 for r in tables["good"]["ranges"])
    assert words(tables["rough"]) == ["float32"] * 5 and 0.9e-6 < tables["rough"]["ranges"][4]["max_abs"] < 1.1e-6
    assert words(tables["drifts"]) == ["drifting"] * 2 + ["wrong"] * 3 and tables["drifts"]["wrong_from"] == 5000
    assert words(tables["cosines_first"]) == words(tables["last_row_missing"]) == ["wrong"] * 5
    nan = tables["one_nan"]
    assert nan["ranges"][0]["worst"]["position"] == 8 and nan["ranges"][0]["worst"]["column"] == 3 and nan["wrong_from"] == 0
    assert "wrong" not in words(nan)[1:]
    assert words(tables["from_zero"])[1:] == ["wrong"] * 4  # one call wrote all of the first range
    assert tables["from_zero"]["wrong_from"] == 512
    assert answer["not_run"] == [{"name": "elsewhere", "reason": "this CPU lacks everything"},
                                 {"name": "absent", "reason": "its library is not installed"}]


def test_the_text_says_what_is_wrong_where_it_counts():
    done = run("drifts", "--d-model", 16, tool=FAULTS)  # wrong from 5000 on, but not right before
    assert done.returncode == 1 and "0 of 1 tables right" in done.stdout
    line = next(line for line in done.stdout.splitlines() if line.startswith("NOT RIGHT: drifts: position "))
    assert int(line.split()[4].rstrip(",")) < 512


def test_a_row_that_was_not_written():
    r = judged("last_row_missing", "--positions", 100, status=1, tool=FAULTS)["last_row_missing"]["ranges"][0]
    assert r["max_abs"] is None and r["worst"]["position"] == 99


def test_peers_have_no_part_in_other_tables():
    done = run("--json", "-", "--preset", "whisper", "--positions", 64, tool=FAULTS)
    answer = strict(done.stdout)
    assert done.returncode == 0 and [t["name"] for t in answer["tables"]] == ["exact", "anchored"]
    assert {"name": "good", "reason": "it writes the paper's table in float32 alone, of an even width"} in answer["not_run"]
    assert judged("good", "--base", 500, "--d-model", 64, "--positions", 64, tool=FAULTS)["good"]["right"]


def test_the_peers_of_this_build():
    listed = [line.split() for line in run("--list").stdout.splitlines()]
    peers = {words[0] for words in listed if words[1] == "peer" and "not" not in words}
    answer = strict(run("--json", "-", "--rows", 64, "--positions", 5000).stdout)
    assert {"sincosf"} <= peers == {t["name"] for t in answer["tables"]} - {"exact", "anchored"}
    tables = {t["name"]: t for t in answer["tables"]}
    assert words(tables["exact"]) == ["exact", "exact"] and words(tables["sincosf"]) == ["float32", "float32"]


@pytest.mark.parametrize("d_model", [2, 58, 66, 512])
def test_peers_are_right_at_widths_that_are_no_whole_vectors(d_model):
    answer = strict(run("--json", "-", "--rows", 64, "--positions", 512, "--d-model", d_model).stdout)
    assert {t["name"] for t in answer["tables"] if not t["right"]} <= {"ggml_rope"}


# ---- the tool ----------------------------------------------------------------------------------------------------------------

def test_text_and_json_have_the_same(tmp_path):
    path = written(tmp_path / "x.npy", "--positions", 5000, "--d-model", 32, "--impl", "explog")
    done = run("--json", tmp_path / "out.json", path, "exact", "--rows", 32)
    assert done.returncode == 0 and "[1/2]" in done.stderr and "[1/2]" not in done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith(str(path)) or line.startswith("exact ")]
    for line, table in zip(lines, strict((tmp_path / "out.json").read_text())["tables"]):
        cells = line.split()[1:]
        assert cells[1::2] == words(table) and cells[::2] == [f"{r['max_abs']:.1e}" for r in table["ranges"]]
        assert line == line.rstrip()
    assert "2 of 2 tables right" in done.stdout


def test_help_version_list():
    for option, part in (("--help", "Usage"), ("--version", "posenc-judge "), ("--list", "exact_scalar")):
        done = run(option)
        assert done.returncode == 0 and part in done.stdout


@pytest.mark.parametrize("arguments, said", [
    (("nobody",), "nobody: no peer, no implementation and no .npy file"),
    (("no/such.npy",), "no/such.npy: cannot be opened: No such file"),
    (("text.npy",), "text.npy: not an .npy file"),
    (("short.npy",), "short.npy: truncated"),
    (("exact", "short.npy"), "short.npy: truncated"),
    (("long.npy",), "long.npy: there is more behind"),
    (("cube.npy",), "cube.npy: an array of 3 axes"),
    (("int.npy",), "int.npy: elements of type '<i4'"),
    (("x.npy", "--d-model", "32"), "x.npy: 16 columns where d_model is 32"),
    (("x.npy", "wide.npy"), "wide.npy: 32 columns where d_model is 16"),
    (("x.npy", "--positions", "41"), "x.npy: 40 rows, not the 41 of --positions 0:41"),
    (("x.npy", "--positions", "2:40"), "x.npy: 40 rows, not the 38 of --positions 2:40"),
    (("x.npy", "--position-scale", "4e9"), "x.npy: 40 rows lead beyond position 2^32"),
    (("x.npy", "--preset", "nonsense"), "one of these is needed: paper"),
    (("odd.npy", "--preset", "whisper"), "--preset whisper: d_model is 15"),
    (("--rows", "1"), "--rows 1: an integer from 2"),
    (("--base", "1"), "base"),
    (("--positions", "5:5"), "must be below"),
    (("explog", "--dtype", "bf16"), "explog: "),
    (("--no-such-flag",), "no-such-flag"),
    (("exact", "--positions", "8", "--json", "no/such.json"), "--json: no/such.json: No such file"),
], ids=str)
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
    before = sorted(tmp_path.iterdir())
    done = run(*arguments, *(() if "--json" in arguments else ("--json", "out.json")), cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr and done.stdout == "" and sorted(tmp_path.iterdir()) == before
    assert "posenc-judge: " in done.stderr.splitlines()[0]


@pytest.mark.parametrize("name, said", [("elsewhere", "this CPU lacks everything"), ("absent", "its library is not installed"),
                                        ("no_memory", "it could not be set up"), ("nobody", "no peer, no implementation")])
def test_peers_that_cannot_be_judged(name, said):
    done = run(name, "--positions", 8, tool=FAULTS)
    assert done.returncode == 2 and f"posenc-judge: {name}: {said}" in done.stderr and done.stdout == ""


def test_a_full_disk_is_reported():
    with open("/dev/full", "w") as full:
        done = subprocess.run([JUDGE, "exact", "--positions", "8", "--json", "-"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "could not be written" in done.stderr
    done = run("exact", "--positions", 8, "--json", "/dev/full")
    assert done.returncode == 2 and "--json /dev/full: could not be written" in done.stderr
