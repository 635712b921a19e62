"""scripts/report --compare on small made-up results whose ratios, spreads and marks are known by hand; and what
scripts/update-readme writes into a small tree."""
import contextlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import pytest

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "scripts/page")]
import compare
QUIET = (0.99, 1, 1, 1, 1.01)  # times around their median: an interquartile range of nothing


def case(name, ns, rows=4, times=QUIET, **more):
    """A table of 4 x 8: nanoseconds of an element, and how the repetitions lie around that."""
    return [{"run_name": f"{name}/n:4/d:8", "run_type": "iteration", "cpu_time": ns * rows * 8 * t, "real_time": 1,
             "time_unit": "ns", "rows": rows, **more} for t in times]


def bench(*cases, **context):
    context = {"offset": "16", "build_type": "Release", "cpu": "this one", "shape.tiny": "n:4/d:8 base 10000, made up"} | context
    return {"context": context, "benchmarks": [c for repetitions in cases for c in repetitions]}


def judged(shape="d512", **figures):
    return {"shape": shape, "dtype": "f32", "from": 0, "to": 512, "rows": 512, "outputs": 1000, "d_model": 512, "max_abs": 1e-8,
            "ulp_max": 0.5, "correctly_rounded": 1} | figures


def verify(entries, **root):
    """entries: {name: its ranges, or (ranges, more members)}"""
    entries = {name: e if isinstance(e, tuple) else (e, {}) for name, e in entries.items()}
    return {"schema": 1, "tool": "posenc-verify", "seed": 1, "reference": "mpfr", "implementations": [
        {"name": name, "isa": name.split("_")[-1] if "_" in name else "any", "supported": True, "verified": True, "failure": None,
         "ranges": ranges} | more for name, (ranges, more) in entries.items()]} | root


def run(tmp_path, a, b, output="compare.html"):
    """(exit status, stdout, stderr) of what --compare calls, within this process: its modules take a second to load."""
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, data in zip(paths, (a, b)):
        if data is not None:
            path.write_text(data if isinstance(data, str) else json.dumps(data))
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            status = compare.main(*map(str, paths), str(tmp_path / output))
        except SystemExit as e:
            status = e.code
    return status, out.getvalue(), err.getvalue()


def compared(tmp_path, a, b):
    """The text and the page."""
    status, out, err = run(tmp_path, a, b)
    assert (status, err) == (0, "")
    return out, (tmp_path / "compare.html").read_text()


def lines(text, start):
    return [" ".join(line.split()) for line in text.splitlines() if line.startswith(start)]


def test_ratios_and_marks(tmp_path):
    """Quartiles 0.96 and 1.04 are a range of 8 %, of a ratio of two such medians 11.3 %; after +- stands half of that."""
    noisy = (0.9, 0.96, 1, 1.04, 1.1)
    a = bench(case("limit/store/w:32", 1), *(case(f"fill/{n}/f32", 2) for n in ("much", "little", "slow", "rough", "same")),
              case("fill/unsure/f32", 2.24, times=noisy), case("fill/clear/f32", 2.3, times=noisy))
    b = bench(case("limit/store/w:32", 0.5), case("fill/much/f32", 1), case("fill/little/f32", 2 / 1.02),
              case("fill/slow/f32", 2.1), case("fill/rough/f32", 2 / 1.1, times=noisy), case("fill/same/f32", 2),
              case("fill/unsure/f32", 2, times=noisy), case("fill/clear/f32", 2, times=noisy))
    text, page = compared(tmp_path, a, b)
    whole = "Of 7 cases that both ran, B is faster in 3, slower in 1, and the same within the spread in 3."
    assert whole in text and whole in page
    assert "mean of the cases: from much 2.000 ± 0.000 (faster) down to slow 0.952 ± 0.000 (slower)" in text
    table = text[text.index("fill, 4 x 8, made up"):]
    # GB/s in A and B, ratio of speeds, ratio of shares: the limit is 4 and 8 GB/s.
    assert lines(table, "much") == ["much 2.00 0.00 4.00 0.00 2.000 0.000 faster 1.000 0.000"]
    assert lines(table, "little") == ["little 2.00 0.00 2.04 0.00 1.020 0.000 0.510 0.000 slower"]
    assert lines(table, "slow") == ["slow 2.00 0.00 1.90 0.00 0.952 0.000 slower 0.476 0.000 slower"]
    assert lines(table, "rough") == ["rough 2.00 0.00 2.20 0.09 1.100 0.044 faster 0.550 0.022 slower"]
    assert lines(table, "unsure") == ["unsure 1.79 0.07 2.00 0.08 1.120 0.063 0.560 0.032 slower"]
    assert lines(table, "clear") == ["clear 1.74 0.07 2.00 0.08 1.150 0.065 faster 0.575 0.033 slower"]
    assert lines(table, "store") == ["store 32-byte vectors 4.00 0.00 8.00 0.00 2.000 0.000 faster"]
    assert "1.150<span" in page and page.count("<svg") == 2 and "http:" not in re.sub(r'xmlns="[^"]*"', "", page)


def test_geometric_mean(tmp_path):
    """Of ratios 2, 0.5 and, in bfloat16, 8; sums are held against the plain loop, and have no part in it."""
    names = ("fill/x/f32", "fill/x/bf16", "add/x/f32", "add/plain_loop/f32", "plan/x", "loop/x/f32")
    a = bench(*(case(name, 2) for name in names))
    b = bench(case("fill/x/f32", 1), case("fill/x/bf16", 0.25, times=(0.94, 0.97, 1, 1.03, 1.06)), case("add/x/f32", 4),
              case("add/plain_loop/f32", 1), case("plan/x", 1), case("loop/x/f32", 1))
    text, _ = compared(tmp_path, a, b)
    # The spread of one of three is 6 %, of the mean 2 %; a quarter is what is left of the sum's share.
    assert lines(text, "x  ")[0] == "x 3 2.000 0.020 faster 0.500 8.000 0.250 0.000 slower 1"
    assert "Of 3 cases that both ran" in text and "A, us" in text[text.index("plans, d_model 8"):]
    assert lines(text, "plain_loop") == ["plain_loop 2.00 0.00 4.00 0.00 2.000 0.000 faster -"]


def test_what_differs_and_what_is_missing(tmp_path):
    a = bench(case("fill/x/f32", 2), case("fill/mine/f32", 2), case("fill_at/x/f32", 2), compiler="GCC 12", sleef="3.5",
              load_avg=[0])
    b = bench(case("fill/x/f32", 2), *(case(f"fill/x/f32/{p}", 2) for p in "abcdefgh"), compiler="GCC 13", sleef="3.6",
              offset="0", **{"not_run.mine": "no such instructions"})
    b["benchmarks"] += case("fill/bad/f32", 1, error_occurred=True, error_message="no <memory>")
    text, page = compared(tmp_path, a, b)
    for sentence in ("compiler, A: GCC 12", "compiler, B: GCC 13", "sleef, B: 3.6", "offset of the output, A: 16",
                     "not run: mine, A: -", "not run: mine, B: no such instructions",
                     "the same in both: CPU this one; build type Release",
                     "only in A: mine (1 case)", "only in A: fill_at/x/f32/n:4/d:8", "only in B: 8 other cases: 8 of fill",
                     "failed in B: fill/bad/f32/n:4/d:8: no <memory>"):
        assert sentence in text.splitlines()
    assert "no &lt;memory&gt;" in page and "load avg" not in text and "warning" not in text


def test_other_instruction_sets(tmp_path):
    """The fastest members of a family stand for it where there is no common name."""
    a = bench(case("fill/exact_avx512/f32", 1), case("fill/exact_avx2/f32", 2), case("fill/exact_scalar/f32", 8))
    b = bench(case("fill/exact_neon/f32", 2), case("fill/exact_scalar/f32", 8))
    text, _ = compared(tmp_path, a, b)
    assert lines(text, "exact_avx512 / ")[-1] == "exact_avx512 / exact_neon 4.00 0.00 2.00 0.00 0.500 0.000 slower"
    assert not lines(text, "exact_avx2 /") and lines(text, "exact_scalar  ")
    b = bench(case("fill/exact_avx512/f32", 3), case("fill/exact_avx2/f32", 2), case("fill/exact_scalar/f32", 8))
    text, _ = compared(tmp_path, a, b)
    assert " / exact" not in text  # they have all names in common


def test_not_judged(tmp_path):
    """Speeds of an emulated processor, and medians of two."""
    text, page = compared(tmp_path, bench(case("fill/x/f32", 2)), bench(case("fill/x/f32", 1), emulated="yes"))
    assert lines(text, "x  ")[-1] == "x 2.00 0.00 4.00 0.00 2.000 0.000 not judged"
    assert lines(text, "warning") == ["warning: B: The run was emulated: its ratios are shown, but not judged."]
    assert "faster in 0, slower in 0, and the same within the spread in 0; 1 not judged." in page and "Read this first" in page
    text, page = compared(tmp_path, bench(case("fill/x/f32", 2)), bench(case("fill/x/f32", 1, times=(1, 1))))
    assert lines(text, "x  ")[-1].endswith("not judged") and "Read this first" not in page


def test_warnings(tmp_path):
    a = bench(case("fill/x/f32", 2), build_type="Debug")
    b = bench(case("fill/x/f32", 2, times=(0.9, 0.95, 1, 1.05, 1.1)), case("fill/y/f32", 2, times=(0.9, 0.95, 1, 1.05, 1.1)))
    text, page = compared(tmp_path, a, b)
    assert len(lines(text, "warning")) == 2 and page.count("<li>A: ") == page.count("<li>B: ") == 1
    assert "Debug" in lines(text, "warning: A")[0] and "10.0 %" in lines(text, "warning: B")[0]


def test_hostile_names(tmp_path):
    name = "<script>$x$"
    data = bench(case(f"fill/{name}/f32", 2), cpu="<script>alert(1)</script>")
    text, page = compared(tmp_path, data, data | {"context": data["context"] | {"cpu": "<script>alert(2)</script>"}})
    assert "<script" not in page and "&lt;script&gt;alert(2)" in page
    assert lines(text, name) and page.count("&lt;script&gt;$x$") >= 4  # in both tables and both versions of the picture


def test_reports_are_equal(tmp_path):
    data = verify({"exact_avx2": [judged(), judged("far")], "naive": [judged(max_abs=1e-3)]})
    text, page = compared(tmp_path, data, data)
    assert "All 3 ranges of 2 implementations are equal." in text and "All 3 ranges of 2 implementations are equal." in page
    assert "exact: the same in A and B, whatever the instruction set, as it must be (2 ranges of B)" in text
    assert "<svg" not in page


def test_reports_differ(tmp_path):
    a = verify({"exact_avx2": [judged()], "gone": [judged()], "naive": [
        judged(max_abs=0.00012345, ulp_max=None, correctly_rounded=0.99996), judged("far"), judged("mine")]})
    b = verify({"exact_neon": [judged(ulp_p99=0.4)], "exact_avx2": [judged()],
                "naive": [judged(max_abs=0.00012347, ulp_max=3, correctly_rounded=0.99996), judged("far")]})
    text, page = compared(tmp_path, a, b)
    assert "Of 3 ranges of 2 implementations, 2 are equal, 1 differ." in text
    assert "differ: naive in 1 of 2 ranges" in text
    # As many digits as tell them apart, and a share that is not all from 1.
    assert lines(text, "d512, f32, 0 to 512")[1] == "d512, f32, 0 to 512 0.0001234 0.0001235 infinite 3 0.99996 0.99996 differs"
    assert "only in A: gone" in text and "only in B: exact_neon" in text and "only in A, of naive: mine, f32, 0 to 512" in text
    assert "exact: the same" in text  # one has a figure that the other lacks: nothing to compare
    b["implementations"][0]["ranges"][0]["ulp_max"] = 0.51
    text, page = compared(tmp_path, a, b)
    assert "exact: NOT the same everywhere, which it must be: exact_neon in B, d512, f32, 0 to 512" in page
    a["implementations"][0]["ranges"][0]["ulp_bands"], b["implementations"][1]["ranges"][0]["ulp_bands"] = [1], [2]
    assert lines(compared(tmp_path, a, b)[0], "d512, f32")[0].endswith("differs: ulp_bands only")


def test_nothing_held_against_a(tmp_path):
    """Members that agree within A say nothing of B."""
    a, b = (verify({"exact_avx2": [judged(rows=rows)], "exact_neon": [judged(rows=rows)]}) for rows in (64, 32))
    assert "exact: " not in compared(tmp_path, a, b)[0]


@pytest.mark.parametrize("a, b, mark", [
    ({}, {"seed": 2}, "equal"),  # all rows were judged, so the seed chose none
    ({"rows": 64}, {"rows": 64}, "equal"),
    ({"rows": 64}, {"rows": 64, "seed": 2}, "other outputs"),
    ({"rows": 64}, {"rows": 32}, "other outputs"),
    ({"d_model": 64}, {}, "other outputs"),
    ({}, {"reference": "float64"}, "other outputs")])
def test_same_outputs(tmp_path, a, b, mark):
    def report(more):
        root = {key: more[key] for key in ("seed", "reference") if key in more}
        return verify({"naive": [judged(**{k: v for k, v in more.items() if k not in root})]}, **root)
    text, _ = compared(tmp_path, report(a), report(b))
    assert lines(text, "d512, f32")[0].endswith(f" {mark}")


def test_profiles_and_failures(tmp_path):
    profile = {"shape": "d512", "position_edges": [0, 1, 2], "column_edges": [0, 1, 2]}
    a = verify({"naive": ([judged()], {"profile": [[1, 2], [3, None]]})}, profile=profile)
    more = {"profile": [[1, 2], [4, None]], "verified": False, "failure": "beyond <its> bound"}
    b = verify({"naive": ([judged()], more)}, profile=profile)
    text, page = compared(tmp_path, a, b)
    assert "errors by octave and columns: differ: naive in 1" in text
    assert "naive failed verification: beyond <its> bound" in lines(text, "warning: B")[0] and "beyond &lt;its&gt; bound" in page


@pytest.mark.parametrize("a, b, said", [
    (bench(case("fill/x/f32", 1)), verify({"x": [judged()]}), "two of the same are needed"),
    (verify({"x": [judged()]}), bench(case("fill/x/f32", 1)), "two of the same are needed"),
    (bench(case("fill/x/f32", 1)), bench(case("fill/y/f32", 1)), "no case in common"),
    (verify({"x": [judged()]}), verify({"y": [judged()]}), "no range of an implementation in common"),
    (bench(case("fill/x/f32", 1)), bench([{"run_name": "fill/x/d:1", "run_type": "iteration"}]), "b.json: a value is missing"),
    (bench(case("fill/x/f32", 1)), bench(case("fill/x/f32", 0)), "b.json: a value is missing or not of the expected form"),
    (verify({"x": [judged(max_abs="big")]}), verify({"x": [judged()]}), "a.json: a value is missing or not of the expected form"),
    (verify({"x": [judged()]}), verify({"x": [judged()]}, schema=2), "b.json: this is not a report of posenc-verify with schema"),
    ({}, {}, "a.json: this is neither a run of posenc-bench nor a report of posenc-verify"),
    ("[]", {}, "a.json: this is neither"),
    ("no", {}, "a.json: not JSON"),
    (bench(case("fill/x/f32", 1)), None, "b.json: No such file")])
def test_refused(tmp_path, a, b, said):
    (tmp_path / "compare.html").write_text("the old page")
    status, out, err = run(tmp_path, a, b)
    assert (status, out) == (2, "") and said in err and len(err.splitlines()) == 1
    assert (tmp_path / "compare.html").read_text() == "the old page" and not list(tmp_path.glob(".compare*"))


def test_command(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(bench(case("fill/x/f32", 1))))
    command = ["/usr/bin/python3", TOP / "scripts/page", "--compare", "a.json"]
    done = subprocess.run([*command, "a.json", "--output", "new/c.html"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("\nnew/c.html\n") and (tmp_path / "new/c.html").exists()
    shell = f"{command[0]} {TOP}/scripts/page --compare a.json a.json --output c.html | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", shell], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Two runs of posenc-bench compared\n", "")
    done = subprocess.run([*command, "a.json", "--output", "a.json/c.html"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("report: a.json") and "Traceback" not in done.stderr


README = """# A
<!-- bench:begin (written by scripts/update-readme) -->
old
<!-- bench:end -->
the rest
"""


@pytest.fixture
def tree(tmp_path):
    """A copy of the scripts with a README, results and nothing to install."""
    shutil.copytree(TOP / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "scripts/setup").write_text("#!/bin/sh\n[ $1 = report ]\n")
    (tmp_path / "build").mkdir()
    (tmp_path / "README.md").write_text(README)
    spread = (0.9, 0.96, 1, 1.04, 1.1)
    data = bench(case("limit/store/w:32", 1), case("fill/good/f32", 2, times=spread), case("fill/naive/f32", 40),
                 case("fill/unjudged/f32", 1), compiler="GCC 12", date="2026-01-02T03:04")
    (tmp_path / "build/bench.json").write_text(json.dumps(data))
    entries = {"naive": ([judged(max_abs=4e-4, ulp_max=1e6)], {"arithmetic": "float32 libm", "summary": "as [it] reads"}),
               "good": ([judged()], {"summary": "good"})}
    (tmp_path / "build/verify.json").write_text(json.dumps(verify(entries)))
    return tmp_path


def update(tree, *arguments):
    return subprocess.run([tree / "scripts/update-readme", *arguments], capture_output=True, text=True)


def test_update_readme(tree):
    done = update(tree)
    assert done.returncode == 0, done.stderr
    text = (tree / "README.md").read_text()
    assert text.startswith("# A\n<!-- bench:begin") and text.endswith("\n<!-- bench:end -->\nthe rest\n") and "old" not in text
    alt = re.search(r"^!\[(.*)\]\(docs/speed\.svg\)$", text, re.M)[1]
    for words in ("4 x 8", "good: ", "2.00 ± 0.08 GB/s", "50.0", "1.0e-8", "(naive): 0.10 GB/s, 4.0e-4."):
        assert words in alt
    assert "| `good` |" in text
    picture = (tree / "docs/speed.svg").read_text()
    root = xml.etree.ElementTree.fromstring(picture)
    shown = [" ".join(element.itertext()).strip() for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"good", "naive"} <= set(shown) and "unjudged" not in shown
    assert any("stores" in line and "4.0" in line for line in shown)  # the limit
    assert any("this one, GCC 12, 2026-01-02" in line for line in shown) and "var(" not in picture
    below, inner = root[0], root.find("{http://www.w3.org/2000/svg}svg")
    assert (below.tag[-5:], below.get("fill"), below.get("width")) == ("}rect", "#ffffff", "100%") and int(inner.get("y")) > 20
    assert update(tree).returncode == 0 and (tree / "docs/speed.svg").read_text() == picture  # the same run, the same picture
    assert not list(tree.rglob("__pycache__")) and not list(tree.glob(".README*"))


@pytest.mark.parametrize("file, content, status, said", [
    ("build/bench.json", "{}", 2, "bench.json: this is not a run of posenc-bench"),
    ("build/bench.json", json.dumps(bench(case("fill/unjudged/f32", 1))), 2, "both verified and run"),
    ("build/bench.json", json.dumps(bench(case("fill/good/f32", 1), emulated="yes")), 2, "emulated"),
    ("README.md", "nothing", 2, "README.md does not have these two lines"),
    ("scripts/setup", "#!/bin/sh\nexit 1\n", 1, "")])
def test_update_readme_refuses(tree, file, content, status, said):
    (tree / file).write_text(content)
    before = (tree / "README.md").read_text()
    done = update(tree)
    assert done.returncode == status and said in done.stderr and "Traceback" not in done.stderr
    assert (tree / "README.md").read_text() == before and not (tree / "docs").exists()
