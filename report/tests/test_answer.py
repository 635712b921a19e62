"""The answers of ./scripts/bench and ./scripts/pick."""
import subprocess
import sys

import pytest

from conftest import run
from made_up import NINE, bench, case, entry, failed_case, file, ranges, verify
from report import answer
from report.load import TOP
from report.run import Run

WIDE = {"exact_avx512": 0.2, "exact_avx2": 0.25, "anchored_avx512": 0.16, "anchored_avx2": 0.1}
WIDE |= {"explog": 3, "float64": 9}
ISAS = {name: name.rpartition("_")[2] if "_" in name else "any" for name in WIDE}


def wide():
    """A report of a processor with AVX-512; explog is the only one that is not accurate."""
    found = [entry(n, isa, **({"error": 4e-4, "ulp": 1e6} if n == "explog" else {})) for n, isa in ISAS.items()]
    return verify([*found, entry("sleef_neon", "neon", supported=False, verified=False, ranges=[])])


def parts(out):
    """(title and legend, the cells of each row by its family, the lines) of an answer, which is at most 100 columns wide
    below its title"""
    blocks = out.strip("\n").split("\n\n")
    start = next(i for i, block in enumerate(blocks) if block.startswith("implementation"))
    title, table, said = blocks[start - 1], "\n".join(blocks[start:-1]), blocks[-1]
    assert max(map(len, f"{table}\n{said}".splitlines())) <= 100 and len(said.splitlines()) <= 9
    cells = ([cell.strip() for cell in line.split("  ") if cell] for line in table.splitlines())
    return title.splitlines(), {row[0]: row[1:] for row in cells}, said.splitlines()


def test_the_table(done):
    title, rows, said = parts(done("answer", wide(), bench(fills=WIDE, default="exact_avx512"), "--page", "P"))
    assert title == [
        "5000 x 512, float32, one thread, this one",
        "error: the largest below that position; of stores: of 40.0 GB/s by stores alone; AVX2: no AVX-512",
    ]
    assert rows == {  # anchored_avx2 is faster than anchored_avx512, so it stands for its family
        "implementation": ["GB/s", "AVX2", "of stores", "error to 5k", "32k sampled", "what it is"],
        "anchored (avx2)": ["40.0", "40.0", "1.00", "3.0e-8", "2.4e-7", "a short note on anchored_"],
        "exact": ["20.0", "16.0", "0.50", "3.0e-8", "2.4e-7", "a short note on exact_avx;..."],
        "float64": ["0.444", "0.444", "0.011", "3.0e-8", "2.4e-7", "a short note on float64"],
        "explog": ["1.33", "1.33", "0.033", "4.0e-4", "3.2e-3", "a short note on explog"],
    }  # fmt: skip
    assert said == [
        "Use exact: posenc_fill_once(&spec, NULL, 0, 5000, table, 512); posenc.table(5000, 512)",
        "anchored_avx2: 2.00 times as fast here (at least 1.99), rounding not guaranteed",
        "Not run: sleef_neon (this CPU lacks NEON)",
        "Your table: ./scripts/pick --d-model 768 --positions 512   All figures: P",
    ]


def test_another_size_alone(done):
    """Of a shape, or of a cache level."""
    level = {"level.l1": "n:16/d:384 base 10000, 24 KiB"}
    b = bench(*(case(f"fill {n}", ns, 16, 384) for n, ns in WIDE.items()), fills={}, default="exact_avx512", **level)
    title, rows, said = parts(done("answer", wide(), b))
    assert title[0].startswith("16 x 384, ") and len(rows) == 5 and "of stores" not in rows["implementation"]
    assert said[0] == "Use exact: posenc_fill_once(&spec, NULL, 0, 16, table, 384); posenc.table(16, 384)"


def swing(ns, by):
    """Times around ns, in another order than NINE's."""
    return [ns * (1 + by * ((4 * i) % 9 - 4) / 4) for i in range(9)]


@pytest.mark.parametrize("anchored, by, line", [
    (0.16, 0, "1.25 times as fast here (at least 1.24)"), (0.17, 0.5, "1.16 times as fast here (this run cannot tell: 0.856 to 1.91)"),
    (0.2, 0, "about as fast here"), (0.4, 0, "0.500 times as fast here (at most 0.510)"),
])  # fmt: skip
def test_exact_first_and_the_next_one(done, anchored, by, line):
    """The bench names exact first, then always how fast the fastest other family is."""
    times = swing(anchored, by) if by else [anchored * t for t in NINE]
    b = bench(case("fill anchored_avx2", 1, times=times), fills={"exact_avx2": 0.2})
    said = parts(done("answer", verify([entry("exact_avx2", "avx2"), entry("anchored_avx2", "avx2")]), b))[2]
    assert said[0].startswith("Use exact: posenc_fill_once(&spec, NULL, ")
    assert said[1] == f"anchored: {line}, rounding not guaranteed"


def test_other_work():
    """What is certain comes first, ties last. Each kind has its largest difference, with the other family beside it."""

    def work(kind, size, **times):
        more = {"end": 4096, "rows": 64} if kind == "row" else {}
        return [c for n, t in times.items() for c in case(f"{kind} {n}", 1, *size, times=t, **more)]

    def nine(ns):
        return [ns * t for t in NINE]

    entries = [entry("exact_avx2", "avx2"), entry("anchored_avx2", "avx2"), entry("float64", family="float64")]
    works = work("fill_at", (2048, 512), exact_avx2=nine(1), anchored_avx2=nine(1))
    works += work("row", (1, 512), exact_avx2=nine(1), anchored_avx2=nine(3), float64=nine(1.6))
    works += work("fill", (64, 512), exact_avx2=swing(9, 0.9), anchored_avx2=nine(4))
    works += work("fill", (256, 512), exact_avx2=nine(3), anchored_avx2=nine(2))
    works += work("fill/uncached", (256, 512), exact_avx2=nine(4), anchored_avx2=nine(2))
    assert answer.answer(Run(verify(entries), bench(works))).lines[2] == (
        "Other work: anchored is 2.00 times as fast as exact in uncached memory, 1.50 at 256 x 512; exact is 1.60 times as fast "
        "as float64 for single rows; about as fast at random positions"
    )


@pytest.mark.parametrize("v, b, line", [
    (wide(), bench(fills=WIDE, emulated="yes"), "Use: no answer, the run was emulated"),
    (wide(), bench(fills={"explog": 3}), "Use: no answer, none is within the budget"),
    (wide(), bench(fills=WIDE, **{"shape.transformer": "n:5000/d:512 base 500, that"}),
     "Use: no answer, errors and speeds are of different tables"),
    (wide(), bench(case("fill exact_avx2", 1, n=50000), fills={}), "Use: no answer, errors and speeds are of different tables"),
    (verify(), bench(), "Failed: wrong (2 outputs beyond <b>its</b> bound)"),
    (verify(), bench(failed_case("fill/exact_avx2/x", "fill exact_avx2")), "Failed: fill/exact_avx2/x (no memory)"),
])  # fmt: skip
def test_failures_have_a_line(v, b, line):
    assert line in answer.answer(Run(v, b)).lines


# ---- ./scripts/pick ------------------------------------------------------------------------------------------


def of_table(**more):
    """A report on one table, as posenc-verify makes it for the options of a table."""
    ulps = {"naive": (1e6, 4e-6), "exact_avx2": (0.5, 3e-8), "anchored_avx2": (0.50001, 3e-8)}
    found = [entry(n, ranges=ranges(e, u, 1, **more)[:2]) for n, (u, e) in ulps.items()]
    return verify([*found, entry("float64", ranges=[], dtypes="float32"), entry("odd", dtypes="float64", ranges=[])])


def picked(tmp, *arguments, v=None, b=None, status=0):
    found, out, err = run("pick", *(file(tmp, x) for x in (v or of_table(), b or bench())), *arguments)
    assert (found, err) == (status, "")
    return parts(out)


def test_the_pick(tmp_path):
    """Errors in ULP too; first the pick within the budget, then exact."""
    title, rows, said = picked(tmp_path)
    assert title[0] == "5000 x 512, float32, at most 1 ULP, one thread, this one"
    assert rows["implementation"] == ["GB/s", "of stores", "ULP", "largest error", "what it is"]
    assert rows["anchored"][:4] == ["25.0", "0.62", "0.5", "3.0e-8"] and [*rows][-1] == "naive"
    assert said[0] == 'Use anchored (rounding not guaranteed): posenc_fill_once(&spec, "anchored", 0, 5000, table, 512)'
    assert said[1] == 'In Python: posenc.table(5000, 512, impl="anchored")'
    assert said[2] == "exact: 0.800 times as fast here (at most 0.810), every value correctly rounded"
    assert said[3:] == ["Not run: float64 (does not make this table)", "Not run: odd (no float32)"]


@pytest.mark.parametrize("budget, name", [
    (("--max-ulp", "0.5"), "exact"), (("--max-abs", "1e-5"), "anchored"), (("--max-abs", "1e-5", "--max-ulp", "0.5"), "exact"),
])  # fmt: skip
def test_a_budget(tmp_path, budget, name):
    assert picked(tmp_path, *budget)[2][0].startswith(f"Use {name}")


def test_no_pick(tmp_path):
    assert picked(tmp_path, "--max-ulp", "0.1", status=1)[2][0] == "Use: no answer, none is within the budget"
    some = bench(failed_case("x", "fill naive"))
    assert "Failed: x (no memory)" in picked(tmp_path, b=some, status=2)[2]
    some["benchmarks"] = some["benchmarks"][-1:]
    title, _, said = picked(tmp_path, b=some, status=2)
    assert title[0].startswith("5000 x 512, float32") and said[0].endswith("the measurement failed: no memory")
    wrong = verify([entry("wrong", verified=False, failure="beyond its bound", ranges=[])])
    status, out, err = run("pick", file(tmp_path, wrong), file(tmp_path, bench(fills={})))
    assert (status, out) == (2, "") and "Failed: wrong (beyond its bound)" in err


@pytest.mark.parametrize("options, python, c", [
    ("dtype=float16 base=500", 'dtype="float16", base=500', "NULL); spec.dtype = POSENC_DTYPE_F16; spec.base = 500;"),
    ("preset=whisper d-model=512", 'preset="whisper"', '"whisper");'),
    ("order=cos_first position-scale=-0.5", 'order="cos_first", position_scale=-0.5',
     "NULL); spec.order = POSENC_ORDER_COS_FIRST; spec.position_scale = -0.5;"),
])  # fmt: skip
def test_another_table(tmp_path, options, python, c):
    """Its calls have its arguments, and positions that begin elsewhere."""
    dtype = "float16" if "float16" in options else "float32"
    v = of_table(dtype=dtype)
    for e in v["implementations"]:
        e["ranges"], e["dtypes"] = [r | {"from": r["from"] - 7} for r in e["ranges"]], "float32 float16"
    b = bench(*(case(f"fill {n} {dtype}", 1, 40, 512, end=5000) for n in ("exact_avx2", "anchored_avx2")), fills={})
    said = picked(tmp_path, "--table", *options.split(), v=v, b=b)[2]
    calls = " ".join(" ".join(said).split())  # in one line
    assert f"posenc.table(5007, 512, first=-7, {python})" in calls
    assert f"Use exact: posenc_spec_init(&spec, 512, {c} posenc_fill_once(&spec, NULL, -7, 5007," in calls
    rounding = "every value correctly rounded" if dtype == "float16" else "rounding not guaranteed"
    assert f"anchored: about as fast here, {rounding}" in calls
    assert "Speeds: of the first 40 of 5,007 rows" in said


def test_a_sample_is_called_one(tmp_path):
    v = of_table()
    for r in (r for e in v["implementations"] for r in e["ranges"]):
        r["rows"] = 100
    assert "Errors: of a sample, 200 of 5,000 rows" in picked(tmp_path, v=v)[2]


@pytest.mark.parametrize("option", ["--max-ulp", "--max-abs"])
@pytest.mark.parametrize("value", ["-1", "nan", "inf", "x"])
def test_a_budget_is_a_number_from_0(option, value):
    status, out, err = run("pick", option, value, "v.json", "1.json")
    assert (status, out) == (2, "") and option in err


def test_what_is_left_out(done):
    """What failed or was not judged, as a whole or in a dtype; not what this machine lacks instructions for."""
    some = entry("some", dtypes="float32 float64 bfloat16", ranges=ranges(1, 1, 1, dtype="float64"))
    found = [*verify()["implementations"], some]
    assert done("failed", verify(found)) == "wrong\nsome/bfloat16\nsome/float32\n"
    assert done("failed", verify([])) == ""


def test_without_what_the_page_needs(tmp_path):
    """As ./scripts/bench --no-report and ./scripts/pick run it."""
    code = "import sys; sys.modules |= dict.fromkeys(['matplotlib', 'numpy', 'jinja2']); import report.__main__ as m; "
    for command, v in (("answer", verify()), ("pick", of_table())):
        given = [command, file(tmp_path, v), file(tmp_path, bench())]
        program = [sys.executable, "-c", code + "m.main(sys.argv[1:])"]
        done = subprocess.run([*program, *given], cwd=TOP, capture_output=True)
        assert done.returncode == 0 and b"Use " in done.stdout


def test_what_is_beside_the_pick(tmp_path):
    """Each figure is that of the implementations that its line names."""
    names = {"exact_avx512": 0.3, "exact_avx2": 0.2, "anchored_avx2": 0.206}
    entries = [entry(n, n.rpartition("_")[2], ranges=ranges(3e-8, 0.5, 1)[:2]) for n in names]
    said = picked(tmp_path, v=verify(entries), b=bench(fills=names, default="exact_avx512"))[2]
    assert said[0].startswith("Use exact_avx2: ")
    assert "anchored: 0.971 times as fast here (at most 0.981), rounding not guaranteed" in said
    said = answer.answer(Run(verify(entries), bench(fills=names, default="exact_avx512"))).lines
    assert "exact_avx2: 1.50 times as fast here (at least 1.49), every value correctly rounded" in said
    entries[0] |= {"verified": False, "failure": "it is wrong"}
    fills = {"exact_avx2": 0.3, "anchored_avx2": 0.2}
    said = answer.answer(Run(verify(entries), bench(fills=fills, default="exact_avx512"))).lines
    assert said[0].startswith("Use anchored (rounding not guaranteed): ")


def test_turns_are_joined(done, refused, tmp_path):
    """In their order, with the first one's context; other files are refused."""
    done("join", bench(date="one"), bench(date="two", more="x"), "--output", tmp_path / "all.json")
    found = answer.load(tmp_path / "all.json", "posenc-bench")
    assert found["context"]["date"] == "one" and found["context"]["more"] == "x"
    assert found["benchmarks"] == bench()["benchmarks"] * 2
    assert "not a file of posenc-bench" in refused("join", verify(), "--output", tmp_path / "no.json")
    for wrong in ({**verify(), "schema": 2}, "[1]", "{"):
        assert refused("failed", wrong).count("\n") == 1
