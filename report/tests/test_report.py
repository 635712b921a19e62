"""The page of ./scripts/report: sections, figures, warnings, the CSV files, and what a bad file leaves alone."""
import ast
import csv
import re
import subprocess
from html import unescape

import numpy as np
import pytest
from matplotlib.text import Text

from made_up import bench, case, entry, judge, peers_bench, picks, sweep, text_of, verify
from report import drawing, plots
from report.load import TOP
from report.record import recorded
from report.run import Run

QUIET = [e for e in verify()["implementations"] if e["name"] != "wrong"]


@pytest.fixture
def page_of(done, tmp_path):
    def call(v, b, *arguments):
        measured = ["--no-bench"] if b is None else ["--bench", b]
        out = done("report", "--verify", v, "--output", tmp_path / "page", *measured, *arguments)
        assert out == f"{tmp_path}/page/index.html\n"
        return (tmp_path / "page/index.html").read_text()

    return call


def test_sections_and_figures(page_of):
    page = page_of(verify(), bench(case("row/exact_avx2/float32/d:512/below:4096", 0.5, n=1)))
    text = text_of(page)
    assert len(re.findall(r'<section id="s\d+">', page)) == 8
    assert "exact_avx2 1.5e-8 3.0e-8 2.4e-7 0.200 20.00 ± 0.10 50.0 % ± 0.4" in text
    assert "exact_avx2 100 % 0.25 0.5 0.5 3.0e-8 half a unit (proved) 0 0" in text
    assert "exact_avx2 256.0 ± 1.3" in text and "2 outputs beyond &lt;b&gt;its&lt;/b&gt; bound" in page
    assert page.count("<svg") == 8 and "http" not in re.sub(r"http://www.w3.org/\d+/\w+", "", page)


@pytest.mark.parametrize(
    "slow, said",
    [
        ({}, "No width is more than 15 % slower than its neighbours"),
        ({"d1000_at16": 2}, "d_model 1000 is 50 % slower than its neighbours, for exact_avx2 at 16 modulo 64"),
        ({"d496_at16": 1.25}, "d_model 496 is 20 % slower"),  # has one neighbour
        ({"d512_at0": 1.25, "d512_at16": 2}, "d_model 512 is 20 to 50 % slower than its neighbours, for every"),
        ({"d1024_at0": 2, "d512_at0": 2}, "2 widths are more than 15 % slower than their neighbours"),
        ({"d512_at0": 1.3, "d528_at0": 1.2, "d768_at0": 9}, "No width is"),  # 0.77 and 0.92; 768 has no neighbour
    ],
)
def test_widths(page_of, slow, said):
    page = page_of(verify(), bench(sweep(**slow)))
    assert page.count("<svg") == 10 and said in text_of(page) and "at 16 modulo 64</text>" in page


@pytest.mark.parametrize(
    "pick, others, said",
    [
        ("exact_avx2", {"float64": ("slower", 0.31, 0.04)},
         "exact is the fastest with errors of at most 1 ULP: 20.0 GB/s on this one, 50 % of what plain stores reach"),
        ("float64", {"float64": ("tie", 0.01, 0.04)}, "float64 is as fast as any with errors of at most 1 ULP: 19.0 GB/s"),
        (None, {}, "None is picked: nothing that was measured is within the budget, or the repetitions were not"),
    ],
)  # fmt: skip
def test_the_pick(page_of, pick, others, said):
    known = verify(implementations=[entry("float64"), *QUIET])
    picked = picks(pick, "exact_avx2", others) if pick else []
    assert said in text_of(page_of(known, bench(fills={"exact_avx2": 0.2, "float64": 0.21}, picks=picked)))


def test_picks_of_all_cases(page_of):
    small = case("fill/float64/float32/n:16/d:384", 0.1, 16, 384) + case("fill/exact_avx2/float32/n:16/d:384", 0.2, 16, 384)
    row = case("row/exact_avx2/float32/d:512/below:4096", 0.5, n=1)
    doubt = {"exact_avx2": ("undecided", 0.1, 0.2)}
    found = picks("exact_avx2", "exact_avx2") + picks("exact_avx2", "float64", doubt, "fill/*/float32/n:16/d:384")
    found += picks("exact_avx2", "exact_avx2", case="row/*/float32/d:512/below:4096")
    known = verify(implementations=[entry("float64"), *QUIET])
    text = text_of(page_of(known, bench(small, row, fills={"exact_avx2": 0.2, "float64": 0.21}, picks=found)))
    assert "Of 2 cases, the pick is exact_avx2 in 2" in text
    assert "exact_avx2: 16 x 384 (20.0 GB/s, undecided); 5000 x 512 (20.0 GB/s)." in text.replace("×", "x")
    assert "A row of 512, positions below 4096: exact_avx2 (256 ns)" in text


def test_a_noisy_run_compares_no_widths(page_of):
    noisy = bench(sweep(d1000_at16=2))
    for i, c in enumerate(noisy["benchmarks"]):
        c["cpu_time"] *= (0.7, 0.8, 1, 1.2, 1.5)[i % 5]
    assert "The machine was too busy to compare widths" in text_of(page_of(verify(), noisy))


def test_lines_to_copy(page_of, tmp_path):
    """The C compiles, the arguments of the Python exist, and both ask for the name that is portable."""
    data = bench(**{"shape.transformer": "n:5000/d:512 base 500, that"})
    assert "<code>" not in page_of(verify(), data)  # errors of another base
    (table,) = (
        f for f in ast.parse((TOP / "python/posenc/_table.py").read_text()).body if getattr(f, "name", "") == "table"
    )
    known = verify(implementations=[entry("float64"), *QUIET])
    for name, pick in ((None, "exact_avx2"), ("float64", "float64")):
        page = page_of(known, bench(fills={"exact_avx2": 0.2, "float64": 0.3}, picks=picks(pick, pick)))
        c, python = map(unescape, re.findall("<code>(.*?)</code>", page, re.S))
        (tmp_path / "a.c").write_text(f"#include <posenc.h>\nvoid use(float *table) {{\n{c}\n}}\n")
        strict = "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{TOP / 'include'}"
        subprocess.run([*strict, tmp_path / "a.c"], check=True)
        call = ast.parse(python).body[1].value
        assert ast.unparse(call) == f"posenc.table(5000, 512{f', impl={name!r}' if name else ''})"
        assert ("&spec, NULL)" if name is None else f'"{name}"') in c
        assert {k.arg for k in call.keywords} <= {a.arg for a in table.args.kwonlyargs}


def points(axes):
    """Along every line, and along the middle of every bar."""
    lines = [line.get_transform().transform(line.get_xydata()) for line in axes.lines]
    for found in axes.collections:
        segments = found.get_segments() if hasattr(found, "get_segments") else []
        lines += [found.get_transform().transform(segment) for segment in segments]
    bars = [patch.get_window_extent() for patch in axes.patches]
    lines += [np.array([(box.x0, (box.y0 + box.y1) / 2), (box.x1, (box.y0 + box.y1) / 2)]) for box in bars]
    return np.concatenate([np.linspace(a, b, 200) for line in lines for a, b in zip(line, line[1:])])


@pytest.mark.parametrize("name", ["choice", "growth", "speed", "by_width", "readme_choice"])
def test_no_label_on_a_mark_or_another_label(name, monkeypatch):
    """In the pictures of the recorded run, for wide and narrow windows and for the README."""
    figures, texts, draw = [], {}, Text.draw
    drawn = drawing.Figure.savefig
    monkeypatch.setattr(
        drawing.Figure, "savefig", lambda self, *a, **how: (figures.append(self), drawn(self, *a, **how))
    )
    monkeypatch.setattr(Text, "draw", lambda self, *a, **how: (texts.update({self: 1}), draw(self, *a, **how))[1])
    getattr(plots, name)(Run(recorded("verify"), recorded("bench"), ""))
    assert len(figures) == (1 if name.startswith("readme") else 2)
    for figure in figures:
        shown = [t for t in texts if t.get_figure() is figure and t.get_text().strip() and t.get_visible()]
        found = [(t.get_text(), Text.get_window_extent(t).padded(-1)) for t in shown]
        marks = np.concatenate([points(axes) for axes in figure.axes])
        for i, (text, box) in enumerate(found):
            assert figure.bbox.padded(1).fully_containsx(box.x1) and figure.bbox.padded(1).fully_containsy(box.y1), text
            assert box.x0 >= 0 and box.y0 >= 0, text
            inside = (marks > box.min).all(axis=1) & (marks < box.max).all(axis=1)
            assert not inside.any(), f"{text} covers a mark"
            assert [other for other, its in found[i + 1 :] if box.overlaps(its)] == [], text
        assert min(t.get_fontsize() for t in shown) >= 11


def test_files_beside_the_page(page_of, tmp_path):
    page_of(verify(), bench())
    rows = list(csv.DictReader((tmp_path / "page/accuracy.csv").open()))
    assert [r["max_abs"] for r in rows if r["implementation"] == "naive"] == ["0.0002", "0.0004", "0.0032"]
    speeds = {(r["kind"], r["name"]): r for r in csv.DictReader((tmp_path / "page/speed.csv").open())}
    assert float(speeds["fill", "exact_avx2"]["gb_per_s"]) == pytest.approx(20) and ("fill", "wrong") not in speeds
    page_of(verify(), None)
    assert not (tmp_path / "page/speed.csv").exists() and not (tmp_path / "page/bench.json").exists()


@pytest.mark.parametrize(
    "v, context, said",
    [
        ({"implementations": QUIET}, {}, None),
        ({}, {}, "wrong failed verification"),
        ({"implementations": [entry("exact_avx2", "avx2")]}, {"build_type": "Debug"}, "not Release"),
        ({}, {"load_avg": [3.5, 3.5, 3.5]}, "The machine was busy"),
        ({}, {"cpu_scaling_enabled": True}, "frequency scaling"),
        ({}, {"emulated": "yes"}, "Emulated"),
        ({}, {"cpu": "that one"}, "of two machines"),
    ],
)
def test_warnings(v, context, said):
    from report.checks import of_run

    found = list(of_run(Run(verify(**v), bench(**context), "v.json")))
    assert any(said in warning for warning in found) if said else found == []


def test_emulated_and_other_tables_are_not_ranked(page_of):
    assert "None is picked: the run was emulated" in text_of(page_of(verify(), bench(emulated="yes")))
    wide = [e | {"ranges": [r | {"d_model": 768} for r in e["ranges"]]} for e in QUIET]
    text = text_of(page_of(verify(implementations=wide), bench()))
    assert "errors and speeds are of different tables" in text


def test_older_files(page_of):
    """Without profiles, bands and quantiles of ULPs, machine and caches."""
    v, b = verify(), bench()
    for key in ("profile", "ulp_band_edges", "machine", "date"):
        del v[key]
    del b["context"]["caches"]
    for r in (r for e in v["implementations"] for r in e["ranges"]):
        del r["ulp_p50"], r["ulp_p99"]
    text = text_of(page_of(v, b))
    assert "and column" not in text and "∞" not in text and "median ULP" not in text and "max ULP" in text


def test_bad_input_leaves_the_page(page_of, refused, tmp_path):
    page_of(verify(), bench())
    output = "--output", tmp_path / "page"
    said = refused("report", "--verify", verify(implementations=[{"name": 5}]), "--bench", bench(), *output)
    assert "5 is not of type 'string'" in said and "exact_avx2" in (tmp_path / "page/index.html").read_text()
    assert "nothing else" in refused("report", "--verify", verify(), "--compare", "a", "b")


def test_peers_section(page_of, done, tmp_path):
    done("join", "--bench", peers_bench(), "--judge", judge(), "--output", tmp_path / "peers.json")
    text = text_of(page_of(verify(), bench()))
    assert "fill, C, one thread, 64 x 128 quick 0.500 / 0.667 (not the right table)" in text
    assert "slow 16.4 us ± 0.1 10.0 ± 0.0 13.3 ± 0.0 slower 9.00 % ± 0.06 yes" in text
