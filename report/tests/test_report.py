"""The page of ./scripts/report: sections, figures, warnings, the CSV files, and what a bad file leaves alone."""
import csv
import re

import pytest

from made_up import bench, case, entry, judge, peers_bench, sweep, text_of, verify

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
    page = page_of(verify(), bench(case("row/exact_avx2/f32/d:512/below:4096", 0.5, n=1)))
    text = text_of(page)
    assert len(re.findall(r'<section id="s\d+">', page)) == 8
    assert "at most 1 ULP: exact_avx2, 20.00 GB/s, the fastest of the 2 within it" in text
    assert "exact_avx2 1.5e-8 3.0e-8 2.4e-7 0.200 20.00 ± 0.10 50.0 % ± 0.4" in text
    assert "exact_avx2 100 % 0.25 0.5 0.5 3.0e-8 half a unit (proved) 0 0" in text
    assert "exact_avx2 256.0 ± 1.3" in text and "2 outputs beyond &lt;b&gt;its&lt;/b&gt; bound" in page
    assert page.count("<svg") == 4 and "http" not in re.sub(r"http://www.w3.org/\d+/\w+", "", page)


def test_widths(page_of):
    page = page_of(verify(), bench(sweep(d1024_at0=2)))
    assert page.count("<svg") == 5 and "more than 15 % slower" in page and "output at 16 modulo 64</text>" in page


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
    from report.run import Run

    found = list(of_run(Run(verify(**v), bench(**context), "v.json")))
    assert any(said in warning for warning in found) if said else found == []


def test_emulated_and_other_tables_are_not_ranked(page_of):
    assert "None is picked: the run was emulated" in text_of(page_of(verify(), bench(emulated="yes")))
    wide = [e | {"ranges": [r | {"d_model": 768} for r in e["ranges"]]} for e in QUIET]
    text = text_of(page_of(verify(implementations=wide), bench()))
    assert "errors and speeds are of different tables" in text


def test_older_files(page_of):
    """Without profiles, bands of ULPs, machine and caches."""
    v, b = verify(), bench()
    for key in ("profile", "ulp_band_edges", "machine", "date"):
        del v[key]
    del b["context"]["caches"]
    assert "and column" not in text_of(page_of(v, b))


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
    assert "slow 16.4 us ± 0.1 10.0 ± 0.1 13.3 ± 0.1 slower 9.00 % ± 0.06 yes" in text
