"""The page of ./scripts/report: sections, figures, warnings, the CSV files, and what a bad file leaves alone."""
import csv
import re

import pytest

from conftest import run
from made_up import bench, case, entry, judge, peers_bench, text_of, verify, write


def report(tmp_path, v, b, *arguments):
    given = ["report", "--verify", write(tmp_path / "v.json", v), "--output", tmp_path / "page", *arguments]
    return run(*given, *(["--no-bench"] if b is None else ["--bench", write(tmp_path / "b.json", b)]))


def page_of(tmp_path, v, b, *arguments):
    status, out, err = report(tmp_path, v, b, *arguments)
    assert (status, err) == (0, "") and out == f"{tmp_path}/page/index.html\n"
    return (tmp_path / "page/index.html").read_text()


def warnings_of(page):
    found = re.search(r'<section class="warnings".*?</section>', page, re.S)
    return re.findall(r"<li>(.*?)</li>", found[0], re.S) if found else []


def test_sections_and_figures(tmp_path):
    page = page_of(tmp_path, verify(), bench(case("row/exact_avx2/f32/d:512/below:4096", 0.5, n=1)))
    text = text_of(page)
    assert re.findall(r'<section id="(\w+)">', page) == [
        "choice",
        "growth",
        "where",
        "ulps",
        "speed",
        "single",
        "more",
        "conditions",
    ]
    assert (
        "exact_avx2: the fastest of the 2 that ran and are at most 1 ULP wrong, 20.00 ± 0.10 GB/s (50.0 ± 0.4 % of "
        "what stores reach)" in text
    )
    assert "exact_avx2 3.0e-8 0.5 100 % 0.200 20.00 ± 0.10 50.0 ± 0.4" in text
    assert "exact: at most 3.0e-8 at positions to 32k; naive: up to 4.0e-4 (naive)." in text
    assert "256 ns for one row" in text
    assert page.count("<svg") == 5 and "http" not in re.sub(r"http://www.w3.org/2000/svg", "", page)
    assert "2 outputs beyond &lt;b&gt;its&lt;/b&gt; bound" in page


def test_files_beside_the_page(tmp_path):
    page_of(tmp_path, verify(), bench())
    rows = list(csv.DictReader((tmp_path / "page/accuracy.csv").open()))
    assert [r["max_abs"] for r in rows if r["implementation"] == "naive"] == ["0.0002", "0.0004", "0.0032"]
    speeds = {(r["kind"], r["name"]): r for r in csv.DictReader((tmp_path / "page/speed.csv").open())}
    assert float(speeds["fill", "exact_avx2"]["gb_per_s"]) == pytest.approx(20) and ("fill", "wrong") not in speeds
    page_of(tmp_path, verify(), None)
    assert not (tmp_path / "page/speed.csv").exists() and not (tmp_path / "page/bench.json").exists()


@pytest.mark.parametrize(
    "v, context, said",
    [
        ({}, {}, "wrong failed verification"),
        ({"implementations": [entry("exact_avx2", "avx2")]}, {"build_type": "Debug"}, "not Release"),
        ({}, {"load_avg": [3.5, 3.5, 3.5]}, "The machine was busy"),
        ({}, {"cpu_scaling_enabled": True}, "frequency scaling"),
        ({}, {"emulated": "yes"}, "Emulated"),
        ({}, {"cpu": "that one"}, "of two machines"),
    ],
)
def test_warnings(tmp_path, v, context, said):
    assert any(said in warning for warning in warnings_of(page_of(tmp_path, verify(**v), bench(**context))))


def test_a_quiet_run_has_no_warnings(tmp_path):
    entries = [e for e in verify()["implementations"] if e["name"] != "wrong"]
    assert warnings_of(page_of(tmp_path, verify(implementations=entries), bench())) == []


def test_emulated_and_other_tables_are_not_ranked(tmp_path):
    text = text_of(page_of(tmp_path, verify(), bench(emulated="yes")))
    assert "which is fastest is open: the run was emulated" in text
    wide = [e | {"ranges": [r | {"d_model": 768} for r in e["ranges"]]} for e in verify()["implementations"]]
    assert "errors and speeds are of different tables" in text_of(
        page_of(tmp_path, verify(implementations=wide), bench())
    )


def test_older_files(tmp_path):
    """Without profiles, bands of ULPs, machine and caches."""
    v, b = verify(), bench()
    for key in ("profile", "ulp_band_edges", "machine", "date"):
        del v[key]
    del b["context"]["caches"]
    text = text_of(page_of(tmp_path, v, b))
    assert "Not in these files: errors by position and column (profile), bands of ULPs" in text


def test_bad_input_leaves_the_page(tmp_path):
    page_of(tmp_path, verify(), bench())
    status, out, err = report(tmp_path, verify(implementations=[{"name": 5}]), bench())
    assert (status, out) == (2, "") and "5 is not of type 'string'" in err
    assert "exact_avx2" in (tmp_path / "page/index.html").read_text()
    status, _, err = report(tmp_path, verify(), None, "--compare", "a", "b")
    assert status == 2 and "nothing else" in err


def test_peers_section(tmp_path):
    parts = ["--bench", write(tmp_path / "pb.json", peers_bench()), "--judge", write(tmp_path / "j.json", judge())]
    assert run("join", *parts, "--output", tmp_path / "peers.json") == (0, "", "")
    text = text_of(page_of(tmp_path, verify(), bench()))
    assert re.search(
        r"exact is 0.500 \(quick, .*\) to 10.0 \(slow, .*\) times as fast as the C peers, filling memory", text
    )
    assert "1 peer is faster somewhere" in text and "worse than a float32 angle makes them: quick" in text
