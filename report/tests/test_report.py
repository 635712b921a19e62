"""The page of ./scripts/report: its parts, figures and warnings, and what a bad file leaves alone."""
import json
import re

import pytest

from made_up import bench, case, entry, judged, peers_bench, picks, sweep, text_of, verify
from report import judge
from report.checks import of_run
from report.run import Run

QUIET = [e for e in verify()["implementations"] if e["name"] != "wrong"]
DESCRIBED = {"vendor": "AuthenticAMD", "family": "25", "model": "17", "cpu": "AMD EPYC"}
WIDE = "n:5000/d:768 base 10000, wide"
KINDS = ("Data", 1, 32), ("Instruction", 1, 64), ("Unified", 2, 1024), ("Unified", 3, 1536)
DESCRIBED |= {"caches": [{"type": kind, "level": level, "size": kib << 10} for kind, level, kib in KINDS]}


@pytest.fixture
def page_of(done, tmp_path):
    def call(v, b, *arguments):
        measured = ["--no-bench"] if b is None else ["--bench", b]
        out = done("report", "--verify", v, "--output", tmp_path / "page", *measured, *arguments)
        assert out == f"{tmp_path}/page/index.html\n"
        return (tmp_path / "page/index.html").read_text()

    return call


def test_parts_and_figures(page_of, done, tmp_path, monkeypatch):
    """The figures are those of the JSON; at most six sections; every table but the legend is closed."""
    done("join", "--bench", peers_bench(), "--judge", judged(), "--output", tmp_path / "peers.json")
    tie = picks("naive", "exact_avx2", {"naive": ("tie", 0.01, 0.02)})
    monkeypatch.setattr(judge, "picks", lambda *_: tie)
    row = case("row exact_avx2", 0.5, n=1, rows=1024, end=4096)
    page = page_of(verify(), bench(row, sweep(), **DESCRIBED))
    text = text_of(page)
    assert page.count("<section>") == 6 and page.count("<svg") == 2
    assert page.count("<table>") == page.count("<details>") - 2 + 1 and "<details open" not in page  # 2: more tables
    for said in (
        "Use naive for tables of 5000 × 512, float32, on AMD Zen 4, EPYC, family 25 model 17 C posenc_plan_create",
        "0.25 ± 0.00 GB/s; ties with exact",
        "processor AMD Zen 4, EPYC, family 25 model 17 caches 32 KiB L1d, 1 MiB L2, 1536 KiB L3",
        "1. exact_avx2 3.0e-8 0.5 20.00 ± 0.10 50.0 %",
        "exact_avx2 1.5e-8 3.0e-8 2.4e-7 100 % 0.5 half a unit (proved)",
        "exact_avx2 256.0 ± 1.3",
        "Rejected or left out: wrong, lacking_neon",
        "Another library takes less time than exact or anchored in 2 of 2 cases.",
        "quick 13.4 ms ± 0.1 0.500",
    ):
        assert said in text, said
    assert "2 outputs beyond &lt;b&gt;its&lt;/b&gt; bound" in page
    assert "http" not in re.sub(r"http://www.w3.org/\d+/\w+", "", page)
    assert json.loads((tmp_path / "page/bench.json").read_text())["context"]["vendor"] == "AuthenticAMD"


@pytest.mark.parametrize(
    "slow, said",
    [
        ({}, "No width is more than 15 % slower than its neighbours"),
        ({"d1000_at16": 2}, "d_model 1000 is 50 % slower than its neighbours, for exact_avx2 at 16 modulo 64"),
        ({"d496_at16": 1.25}, "d_model 496 is 20 % slower"),  # has one neighbour
        ({"d512_at0": 1.25, "d512_at16": 2}, "d_model 512 is 20 to 50 % slower than its neighbours, for every"),
        ({"d512_at0": 1.3, "d528_at0": 1.2, "d768_at0": 9}, "No width is"),  # 0.77 and 0.92; 768 has no neighbour
    ],
)
def test_widths(page_of, slow, said):
    assert said in text_of(page_of(verify(), bench(sweep(**slow))))


@pytest.mark.parametrize(
    "v, b, said",
    [
        ({"implementations": QUIET}, bench(), None),
        ({}, bench(), "wrong failed verification"),
        ({"implementations": [entry("exact_avx2", "avx2")]}, bench(build_type="Debug"), "is Debug"),
        ({}, bench(load_avg=[3.5, 3.5, 3.5]), "The machine was busy"),
        ({}, bench(cpu_scaling_enabled=True), "frequency scaling"),
        ({}, bench(emulated="yes"), "The run was emulated"),
        ({}, bench(cpu="that one"), "of two processors: this one was verified, that one"),
        ({}, bench(case("harness clock", 10, 1, 1, (1,) * 6)), "Differences below 25 % are unreliable; run again"),
        # The errors of 512 columns are used for 768 columns too.
        ({"implementations": QUIET}, bench(case("fill exact_avx2", 0.2, d=768), **{"shape.transformer": WIDE}), None),
    ],
)
def test_warnings(v, b, said):
    found = list(of_run(Run(verify(**v), b)))
    assert any(said in warning for warning in found) if said else found == []


def test_emulated_and_other_tables_are_not_ranked(page_of):
    page = page_of(verify(), bench(emulated="yes"))
    assert "no implementation is picked: the run was emulated" in text_of(page)
    assert page.count("<svg") == 1, "no scatter"
    wide = [e | {"ranges": [r | {"d_model": 768} for r in e["ranges"]]} for e in QUIET]
    assert "errors and speeds are of different tables" in text_of(page_of(verify(implementations=wide), bench()))


def test_older_and_partial_files(page_of, tmp_path):
    v, b = verify(), bench()
    del v["machine"], v["date"]
    assert "posenc on this one" in text_of(page_of(v, b))
    assert "no implementation is picked: speeds" in text_of(page_of(v, None))
    assert not (tmp_path / "page/bench.json").exists()


def test_bad_input_leaves_the_page(page_of, refused, tmp_path):
    page_of(verify(), bench())
    output = "--output", tmp_path / "page"
    wrong = verify(implementations=[{"name": 5, "family": "naive"}])
    said = refused("report", "--verify", wrong, "--bench", bench(), *output)
    assert "5 is not of type 'string'" in said and "exact_avx2" in (tmp_path / "page/index.html").read_text()
    assert "nothing else" in refused("report", "--verify", verify(), "--compare", "a", "b")
