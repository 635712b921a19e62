"""The report of ./scripts/report: its parts, figures and warnings, and what a bad file leaves alone."""
import json
import re

import pytest

from made_up import bench, case, entry, file, ranges, text_of, verify
from report import plots, report, tables
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


SAID = (
    "5000 × 512, float32, one thread, AMD Zen 4, EPYC, family 25 model 17 error: the largest",
    "anchored 25.0 0.62 3.0e-8 2.4e-7 a short note on anchored_ exact 20.0",
    "Use exact: posenc_fill_once(&spec, NULL, 0, 5000, table, 512); posenc.table(5000, 512) anchored: 1.25 times as fast here (at least 1.24),",
    "anchored 1.25 times as fast as exact (at least",
    "Within 1 ULP at positions below 5,000 implementation error to 5k error to 32k ULP to 32k ns/value GB/s anchored_avx2 3.0e-8 2.4e-7 0.5 0.160 25.00",
    "Values that are not correctly rounded: anchored 4 of 2,000, exact 0 of 2,000 (guaranteed)",
    "the error grows with the position implementation error to 5k error to 32k ULP to 32k ns/value GB/s naive 4.0e-4 3.2e-3 1.0e6 16.0 0.25",
    "exact_avx2 1.5e-8 3.0e-8 2.4e-7 100 % 0.5 0.5 half a unit (proved)",
    "Not run here: 2 what why wrong failed verification: 2 outputs beyond",
    "quick 4.0e-4 - 256 µs 512 µs 0.500 times as fast",
    "AMD Zen 4 · GCC 1 · errors: commit abc · speeds: commit def · run of 2026-11-21",
)


def test_parts_and_figures(page_of, done, tmp_path):
    """The figures are those of the JSON. The page begins with the answer; a fold holds tables and no folds."""
    others = case("fill exact_avx2", 0.2), case("fill quick", 0.1, error=4e-4)
    peers = bench(*others, fills={}, **{"member.exact": "exact_avx2"})
    more = case("row exact_avx2", 0.5, n=1, rows=1024, end=4096), case("fill exact_avx2", 0.2, n=16)
    known, measured = file(tmp_path, verify()), file(tmp_path, bench(*more, **DESCRIBED))
    for path, commit in ((known, "abc"), (measured, "def")):
        path.with_suffix(".commit").write_text(f"{commit}\n")
    page = page_of(known, measured, "--peers", peers)
    text = text_of(page)
    assert page.count("<svg") == 2 and "<details open" not in page
    opened = re.sub("<details>.*?</details>", "", page, flags=re.S)
    assert opened.count("<table") == 4 and "details>" not in opened, "a fold in a fold"
    assert [said for said in SAID if said not in text] == []
    assert 'style="--bar: 0.800">20.00' in page.replace("\n", "")
    assert "2 outputs beyond &lt;b&gt;its&lt;/b&gt; bound" in page
    assert "http" not in re.sub(r"http://www.w3.org/\d+/\w+", "", page)
    assert json.loads((tmp_path / "page/bench.json").read_text())["context"]["vendor"] == "AuthenticAMD"
    csv = done("report", "--csv", "--verify", known, "--bench", measured).splitlines()
    assert csv[0].startswith("kind,implementation,dtype,positions,columns,end,offset,ns_per_value,quartile_1,")
    assert "row,exact_avx2,float32,1,512,4096,16,0.5,0.495,0.505,8,0.5,3e-08" in csv
    assert "store,w:32,float32,5000,512,,16,0.1,0.099,0.101,40,," in csv and len(csv) == len({*csv})
    words = " ".join(done("report", "--text", "--verify", known, "--bench", measured).split())
    assert "exact_avx2 1.5e-8 3.0e-8 2.4e-7 100 % 0.5 0.5 half a unit (proved)" in words and "commit abc" in words
    assert "a short note" not in words and "<" not in words.replace("<b>its</b>", "")


def test_the_table_of_works():
    """A line for each work: the pick, beside the other family."""
    works = ("fill", 64, 512, 0.5), ("fill", 5000, 512, 0.4), ("fill_at", 64, 512, 2), ("fill_pair/rope", 9, 8, 1)
    cases = [case(f"{kind} exact_avx2", 1, n, d) for kind, n, d, _ in works]
    cases += [case(f"{kind} anchored_avx2", ratio, n, d) for kind, n, d, ratio in works]
    known = verify([entry("exact_avx2", "avx2"), entry("anchored_avx2", "avx2")])
    assert tables.works(Run(known, bench(*cases, fills={}))).rows == [
        ["tables, 64 x 512", "anchored", "2.00 times as fast as exact (at least 1.99)"],
        ["tables, 5000 x 512", "anchored", "2.50 times as fast as exact (at least 2.49)"],
        ["random positions, 64 x 512", "exact", "2.00 times as fast as anchored (at least 1.99)"],
        ["sines and cosines apart, rope, 9 x 8", "exact", "about as fast as anchored"],
    ]
    names = {"exact_avx512": 0.2, "exact_avx2": 0.199, "anchored_avx2": 0.3}  # two members of one family tie
    run = Run(verify([entry(n) for n in names]), bench(fills=names, default="exact_avx512"))
    assert tables.works(run).rows == [["tables, 5000 x 512", "exact", "1.50 times as fast as anchored (at least 1.49)"]]


def test_values_and_instructions_of_members():
    """Members that differ are named; instructions are missing whatever the words of posenc-bench."""
    names = dict(a_x=0.998, wrong=1, a_y=0.998, a_z=0.999)
    known = [entry(n, correct=c) for n, c in names.items()] + [entry("a_avx512", "avx512", supported=False)]
    run = Run(verify(known), bench(fills=dict.fromkeys(names, 1), **{"not_run.a_avx512": "?"}))
    assert tables.wrong_values(run, names).endswith(": a_x and a_y 4 of 2,000, wrong 0 of 2,000, a_z 2 of 2,000")
    assert tables.left_out(run).title == "Not run here: 1, for want of AVX-512"


def test_ten_families_are_drawn():
    points = {f"f{i}": [(10.0**i, 10.0**i)] * 2 for i in range(10)}
    curves, colours = points | {plots.LIMIT: points["f1"]}, dict.fromkeys([*points, plots.LIMIT], "red")
    by_size = plots.file("", lambda figure: plots.by_size(figure, [], curves, colours))
    steps = plots.file("", lambda figure: plots.steps(figure, [1, 2, 4], {n: p[0] for n, p in points.items()}, colours))
    assert all(f"{name}<" in by_size and f"{name}<" in steps for name in points) and ">limit<" in by_size


def test_the_tutorial_far_from_the_start():
    far = [r | {"from": 32768, "to": 131072} for r in ranges(8e-3, 1, 1)[1:2]]
    run = Run(verify([entry("explog", ranges=ranges(4e-4, 1, 1) + far)]))
    assert report.wrong(run).endswith(" at positions below 5,000, and by up to 8.0e-3 at positions 32,768 to 131,071.")
    assert "explog (PyTorch tutorial)" in str(list(tables.implementations(run)))


@pytest.mark.parametrize("v, b, said", [
    ({"entries": QUIET}, bench(), None),
    ({}, bench(), None),
    ({"entries": [entry("exact_avx2", "avx2")]}, bench(build_type="Debug"), "is Debug"),
    ({}, bench(case("fill naive", 16, d=256, times=(1, 1.5))), "fewer than 3 turns"),
    ({}, bench(*(case(f"fill {n}", 1, times=(1, 1.2, 1.4)) for n in "ab"), fills={}), "half of the fills vary by 17 %"),
    ({}, bench(load_avg=[3.5, 3.5, 3.5]), "a busy machine"),
    ({}, bench(cpu_scaling_enabled=True), "frequency scaling"),
    ({}, bench(emulated="yes"), "was emulated"),
    ({}, bench(cpu="that one"), "two processors: this one was verified, that one"),
    ({}, bench(case("harness clock", 10, 1, 1, (1,) * 6)), "clock varied by 25 %"),
    # The errors of 512 columns are used for 768 columns too.
    ({"entries": QUIET}, bench(case("fill exact_avx2", 0.2, d=768), **{"shape.transformer": WIDE}), None),
])  # fmt: skip
def test_warnings(v, b, said):
    found = list(of_run(Run(verify(**v), b)))
    assert any(said in warning for warning in found) if said else found == []


def test_emulated_and_other_tables_are_not_ranked(page_of):
    page = page_of(verify(), bench(emulated="yes"))
    assert "Use: no answer, the run was emulated" in text_of(page) and page.count("<svg") == 1, "no speeds"
    other = [e | {"ranges": [r | {"d_model": 768} for r in e["ranges"]]} for e in QUIET]
    assert "errors and speeds are of different tables" in text_of(page_of(verify(other), bench()))


def test_other_files(page_of, tmp_path):
    """Without a run, and without an implementation that passed."""
    assert "posenc on this one" in text_of(page_of(verify(), bench()))
    assert "Use exact" not in text_of(page_of(verify(), None)) and not (tmp_path / "page/bench.json").exists()
    assert "not judged by posenc-verify" in text_of(page_of(verify([entry("exact", verified=False, ranges=[])]), None))


def test_bad_input_leaves_the_page(page_of, refused, tmp_path):
    page_of(verify(), bench())
    output = "--output", tmp_path / "page"
    assert "not a file of posenc-verify" in refused("report", "--verify", bench(), "--bench", bench(), *output)
    assert "not JSON" in refused("report", "--verify", verify(), "--bench", "{", *output)
    assert "exact_avx2" in (tmp_path / "page/index.html").read_text()
