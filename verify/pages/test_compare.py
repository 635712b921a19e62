"""scripts/report --compare on small made-up results whose ratios, spreads and marks are known by hand."""
import contextlib
import io
import json
import pathlib
import re
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "scripts/page")]
import compare
import compare_picture
import drawing
from matplotlib.figure import Figure
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


def controls(*ratios):
    """Cases that no commit changes, so much faster."""
    return [case(f"limit/convert/w:{i}", 1 / ratio) for i, ratio in enumerate(ratios)]


EVEN = controls(*[1] * 10)


def two_runs(**fills):
    """Of fills whose repetitions take (these in A, these in B)."""
    return [bench(*EVEN, *(case(f"fill/{name}/f32", 1, times=times[i]) for name, times in fills.items())) for i in (0, 1)]


def marks(tmp_path, a, b):
    """{case: its mark} as they stand in the text, and the sentences at its top."""
    text, page = compared(tmp_path, a, b)
    said = text.splitlines()[3:5]
    assert all(sentence.replace("'", "&#39;") in page for sentence in said)
    table = text[text.index("\nfill, 4 x 8"):].strip().split("\n\n")[0].splitlines()[2:]
    words = "faster", "slower", "higher", "lower", "not judged", "control", ""
    return {line.split()[0]: next(word for word in words if line.endswith(word)) for line in table}, said


def test_rule_of_repetitions(tmp_path):
    """All of one lie beyond all of the other, five or more of each: whatever the medians and quartiles."""
    a, b = two_runs(apart=([2] * 4 + [1.2], [1] * 4 + [1.19]), touching=([2] * 4 + [1.2], [1] * 4 + [1.2]),
                    slower=([1] * 5, [1.1] * 5), few=([2] * 5, [1] * 4), one=([2] * 9, [1]))
    found, said = marks(tmp_path, a, b)
    assert found == {"apart": "faster", "touching": "", "slower": "slower", "few": "not judged", "one": "not judged"}
    assert said[0] == ("Of 5 cases that both ran, B is faster in 1 and slower in 1; no difference is told in 1, and 2 are not "
                       "judged.")
    swapped, _ = marks(tmp_path, b, a)
    assert swapped == found | {"apart": "slower", "slower": "faster"}


def test_rule_of_size(tmp_path):
    """More than 3 % of the smaller one, so that A and B can be swapped: 1/1.0305 is less than 3 % below 1."""
    a, b = two_runs(less=([1.029] * 5, [1] * 5), more=([1.0305] * 5, [1] * 5))
    assert marks(tmp_path, a, b)[0] == {"less": "", "more": "faster"}
    assert marks(tmp_path, b, a)[0] == {"less": "", "more": "slower"}


def test_rule_of_controls(tmp_path):
    """More than nine in ten controls: 8 that differ by 1 %, one by 10 %, one by 100 %, whichever way."""
    a = bench(*EVEN, case("fill/less/f32", 1.09), case("fill/more/f32", 1.12))
    for ratio, largest in ((1.1, 2), (1 / 1.1, 2), (1.1, 0.5)):
        b = bench(*controls(*[1.01] * 4, *[0.99] * 4, ratio, largest), case("fill/less/f32", 1), case("fill/more/f32", 1))
        found, said = marks(tmp_path, a, b)
        assert found == {"less": "", "more": "faster"}
        assert said[1].startswith("What no commit changes (10 controls: stores, plain loops, SLEEF's loops, the clock) differed "
                                  "by up to 10.0 % in nine of ten, by 100.0 % at most. Judged are speeds, not shares")
        assert "more than 10.0 %" in said[1]


@pytest.mark.parametrize("more, judged", [
    ([], False), (["limit/store/w:8"], True), (["limit/stream/w:8/bf16"], True), (["threads:2/limit/store/w:8"], True),
    (["add/plain_loop/f32"], True), (["loop/sleef_avx2/f32"], True), (["harness/clock"], True),
    (["loop/float64/f32", "fill/other/f32", "add/x/f32", "plan/x", "harness/nothing"], False)])
def test_what_is_a_control(tmp_path, more, judged):
    """Five are needed, and four are there."""
    a, b = (bench(*EVEN[:4], case("fill/x/f32", ns), *(case(name, 1) for name in more)) for ns in (2, 1))
    found, said = marks(tmp_path, a, b)
    assert found["x"] == ("faster" if judged else "not judged")
    assert said[1].startswith("What no commit changes (5 controls" if judged else "Nothing is judged: of what no commit changes")


def test_two_machines(tmp_path):
    """Controls differ by design; shares of the limit, 4 and 8 GB/s, are judged. z's medians differ by 3.5 %, but its shares reach
    2 % up and down: its own extremes and the limit's are 1 % from their medians."""
    a = bench(case("limit/store/w:32", 1), *(case(f"fill/{name}/f32", 2) for name in "xyz"), case("row/r/f32", 2),
              case("limit/store/w:32/threads:2", 0.5), case("fill/t/f32/threads:2", 1))
    b = bench(case("limit/stream/w:32", 0.5), case("fill/x/f32", 1.2), case("fill/y/f32", 0.5), case("fill/z/f32", 1.035),
              case("row/r/f32", 2), case("limit/store/w:32/threads:2", 0.2), case("fill/t/f32/threads:2", 1), cpu="that one")
    found, said = marks(tmp_path, a, b)
    assert found == {"x": "lower", "y": "higher", "z": ""}
    assert said[0].startswith("Of 5 cases that both ran, B's share of the limit is higher in 1 and lower in 2;")
    assert said[0].endswith("told in 1, and 1 are not judged.") and "ratios are of machines" in said[1]
    text, _ = compared(tmp_path, a, b)
    assert lines(text, "x  ")[-1] == "x 2.00 0.00 3.33 0.00 1.667 0.000 0.833 0.000 lower"
    assert lines(text, "t  ") == ["t 4.00 0.00 4.00 0.00 1.000 0.000 0.400 0.000 lower"]  # of what two threads store
    assert "Share of the limit in B over that in A, median of 1 case: from y 2.000 down to x 0.833." in text
    assert "left out, having no case in common with the others: r, t" in text.splitlines()


def test_figures(tmp_path):
    """Quartiles 0.96 and 1.04 are a range of 8 %, of a ratio of two such medians 11.3 %; half of that stands after +-."""
    noisy, wild = (0.9, 0.96, 1, 1.04, 1.1), (0.5, 0.5, 1, 2, 2)
    names = {"much": (1, QUIET), "rough": (2 / 1.1, noisy), "wild": (2, wild), "two": (2, (1, 1)), "noisy": (2, noisy)}
    a = bench(*EVEN, case("limit/store/w:32", 1), case("fill/noisy/f32", 2.3, times=noisy),
              *(case(f"fill/{name}/f32", 2) for name in list(names)[:-1]))
    b = bench(*EVEN, case("limit/store/w:32", 0.5), *(case(f"fill/{n}/f32", ns, times=t) for n, (ns, t) in names.items()))
    text, page = compared(tmp_path, a, b)
    table = text[text.index("fill, 4 x 8, made up"):]
    # GB/s in A and B, ratio of speeds, ratio of shares: the limit is 4 and 8 GB/s.
    assert lines(table, "much") == ["much 2.00 0.00 4.00 0.00 2.000 0.000 1.000 0.000 faster"]
    assert lines(table, "rough") == ["rough 2.00 0.00 2.20 0.09 1.100 0.044 0.550 0.022"]
    assert lines(table, "noisy") == ["noisy 1.74 0.07 2.00 0.08 1.150 0.065 0.575 0.033"]
    assert lines(table, "wild") == ["wild 2.00 0.00 2.00 (1.00 to 4.00) 1.000 0.500"]
    assert lines(table, "two") == ["two 2.00 0.00 2.00 1.000 0.500 not judged"]
    assert lines(table, "store") == ["store 32-byte vectors 4.00 0.00 8.00 0.00 2.000 0.000 control"]
    assert "1.150<span" in page and page.count("<svg") == 2 and "http:" not in re.sub(r'xmlns="[^"]*"', "", page)


def shaped(name, ns, n):
    return [c | {"run_name": c["run_name"].replace("n:4", f"n:{n}")} for c in case(name, ns, rows=n)]


def test_medians_and_what_is_drawn(tmp_path, monkeypatch):
    """x has ratios 2, 0.5, 4, 1 and 50 where y has none; sums and bfloat16 are apart; no spread, no mark."""
    ratios = {1: 2, 2: 0.5, 3: 4, 4: 1}
    a = [*EVEN, *(shaped(f"fill/{name}/f32", 2, n) for n in (*ratios, 5) for name in ("x", "y")), *(
        case(name, 2) for name in ("fill/x/bf16", "add/x/f32", "add/plain_loop/f32", "plan/x"))]
    b = [*EVEN, *(shaped("fill/x/f32", 2 / ratio, n) for n, ratio in ratios.items()), shaped("fill/x/f32", 0.04, 5),
         *(shaped("fill/y/f32", 2, n) for n in ratios), case("fill/x/bf16", 0.25), case("add/x/f32", 4),
         case("add/plain_loop/f32", 1), case("plan/x", 1)]
    drawn = []
    monkeypatch.setattr(compare_picture, "both", lambda name, label, caption, draw, heights: drawn.append(draw))
    text, _ = compared(tmp_path, bench(*a), bench(*b))
    assert lines(text, "x  ")[0] == "x 4 1.500 0.875 to 2.500 - - 0"
    assert lines(text, "x, bf16") == ["x, bf16 1 8.000 8.000 to 8.000 - - 0"]
    assert lines(text, "x, sums") == ["x, sums 1 0.500 0.500 to 0.500 0.250 0.250 to 0.250 1"]
    assert "Speed in B over that in A, median of 4 cases: from x 1.500 down to y 1.000." in text
    for width, narrow in ((900, False), (360, True)):
        figure = Figure(figsize=(width / 72, 4))
        drawn[0](figure, narrow)
        axes, = figure.axes
        data = [(line.get_gid() or line.get_marker(), *(list(values) for values in line.get_data())) for line in axes.lines]
        strokes = sorted(round(x[0], 9) for kind, x, y in data if kind == "|" and y == [0])
        assert strokes == [0.5, 1, 2, 4]
        assert [(x, y) for kind, x, y in data if kind == "median"] == [([v], [i]) for i, v in enumerate((1.5, 1, 8, 0.5))]
        bars = [[round(v, 9) for v in x] for kind, x, _ in data if kind == "quartiles"]
        assert bars == [[0.875, 2.5], [1, 1], [8, 8], [0.5, 0.5]]
        low, high = axes.get_xlim()
        assert 0 < low < 0.5 and 8 < high < 9 and axes.get_xscale() == "log"
        band, = (p.get_extents().transformed(axes.transData.inverted()) for p in axes.patches)
        assert (round(band.x0, 6), round(band.x1, 6)) == (round(1 / 1.03, 6), 1.03)
        colours = {round(line.get_xdata()[0], 9): line.get_color() for line in axes.lines if line.get_marker() == "|"}
        faster, slower = (compare_picture.COLOURS[mark] for mark in ("faster", "slower"))
        assert colours == {0.5: slower, 1: drawing.SOFT, 2: faster, 4: faster, 8: faster}


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
    a = bench(*EVEN, case("fill/exact_avx512/f32", 1), case("fill/exact_avx2/f32", 2), case("fill/exact_scalar/f32", 8))
    b = bench(*EVEN, case("fill/exact_neon/f32", 2), case("fill/exact_scalar/f32", 8))
    text, _ = compared(tmp_path, a, b)
    assert lines(text, "exact_avx512 / ")[-1] == "exact_avx512 / exact_neon 4.00 0.00 2.00 0.00 0.500 0.000 slower"
    assert not lines(text, "exact_avx2 /") and lines(text, "exact_scalar  ")
    b = bench(case("fill/exact_avx512/f32", 3), case("fill/exact_avx2/f32", 2), case("fill/exact_scalar/f32", 8))
    text, _ = compared(tmp_path, a, b)
    assert " / exact" not in text  # they have all names in common


def test_warnings(tmp_path):
    loose = (0.9, 0.95, 1, 1.05, 1.1)
    a = bench(*EVEN, case("fill/x/f32", 2), build_type="Debug")
    b = bench(*EVEN, case("fill/x/f32", 1, times=loose), case("fill/y/f32", 2, times=loose), emulated="yes")
    text, page = compared(tmp_path, a, b)
    assert lines(text, "x  ")[-1].endswith("not judged") and "Nothing is judged: a run was emulated." in page
    for start, words in (("A: ", ["Debug"]), ("B: ", ["emulated", "10.0 %"])):
        said = lines(text, f"warning: {start}")
        assert len(said) == page.count(f"<li>{start}") == len(words) and all(w in line for w, line in zip(words, said))
    assert "Read this first" in page


def test_hostile_names(tmp_path):
    name = "<script>$x$"
    data = bench(case(f"fill/{name}/f32", 2), compiler="<script>alert(1)</script>")
    text, page = compared(tmp_path, data, data | {"context": data["context"] | {"compiler": "<script>alert(2)</script>"}})
    assert "<script" not in page and "&lt;script&gt;alert(2)" in page
    assert page.count("&lt;script&gt;$x$") >= 4  # in both tables and both versions of the picture


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
    a["implementations"][0]["ranges"][0]["ulp_bands"], b["implementations"][1]["ranges"][0]["ulp_bands"] = [999, 1], [998, 2]
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


RUN, REPORT = bench(case("fill/x/f32", 1)), verify({"x": [judged()]})
FORM = "b.json: a value is missing or not of the expected form"
PLACES = {"position_edges": [0, 1], "column_edges": [0, 1, 2]}


def with_profile(profile, places=PLACES):
    return verify({"x": ([judged()], {"profile": profile})}, profile=places)


@pytest.mark.parametrize("a, b, said", [
    (RUN, REPORT, "two of the same are needed"),
    (REPORT, RUN, "two of the same are needed"),
    (RUN, bench(case("fill/y/f32", 1)), "no case in common"),
    (REPORT, verify({"y": [judged()]}), "no range of an implementation in common"),
    (REPORT, REPORT | {"schema": 2}, "b.json: this is not a report of posenc-verify with schema"),
    ({}, {}, "a.json: this is neither a run of posenc-bench nor a report of posenc-verify"),
    ("[]", {}, "a.json: this is neither"),
    ("no", {}, "a.json: not JSON"),
    ("[" * 100000, {}, "a.json: not JSON"),
    (RUN, None, "b.json: No such file"),
    *((RUN, bench(case("fill/x/f32", ns)), FORM) for ns in (0, -1, 1e-300, 1e300)),
    *((RUN, bench(case("fill/x/f32", ns)), "b.json: not JSON") for ns in (float("inf"), float("nan"))),
    (RUN, json.dumps(bench(case("fill/x/f32", 256))).replace("8273.92", "1" + "0" * 400), FORM),
    (RUN, bench(case("harness/clock", -1)), FORM),
    (RUN, bench([{"run_name": "fill/x/d:1", "run_type": "iteration"}]), FORM),
    (RUN, bench(case("fill/x/f32", 1), compiler=5), FORM),
    (RUN, bench(case("fill/\ud800/f32", 1)), "b.json: a text that is no Unicode"),
    (REPORT, verify({"x": [judged(max_abs="big")]}), FORM),
    (REPORT, REPORT | {"machine": 5}, FORM),
    *((REPORT, with_profile(profile), FORM) for profile in ([1], [[1]], [[1, 2], [1, 2]])),
    (REPORT, with_profile([[1, 2]], {"position_edges": [0, 1]}), FORM)])
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
