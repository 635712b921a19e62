"""The box that ./scripts/bench prints: what it says, how large it is, and what --verbose adds."""
import math
import subprocess
import sys

import pytest

from made_up import TABLE, bench, case, entry, file, lines, picks, sweep, verify
from report import judge
from report.load import TOP
from report.stats import Case

BASE_500 = "n:5000/d:512 base 500, that"
FILLS = {"anchored_avx2": 0.15, "exact_avx2": 0.2, "anchored_scalar": 0.3, "exact_scalar": 1, "explog": 3}
NEXT = {"exact_avx2": ("slower", 0.31, 0.04), "anchored_scalar": ("slower", 1, 0.04)}
PICKED = picks("anchored_avx2", "anchored_avx2", NEXT)
ISAS = {"float64": "any", "explog": "any", "exact_avx2": "avx2", "exact_scalar": "any", "anchored_avx2": "avx2"}
KNOWN = verify(implementations=[entry(name, isa) for name, isa in (ISAS | {"anchored_scalar": "fma"}).items()])


@pytest.fixture
def box(done, monkeypatch):
    """({label: text} of the box, all of the text); a box has at most 12 lines of 80 columns. picked: what the judge
    picks"""

    def call(b, *arguments, v=KNOWN, picked=PICKED):
        monkeypatch.setattr(judge, "picks", lambda *_: picked)
        out, said, label = done("summary", v, b, *arguments), {}, ""
        inside = out.split("┌")[1].splitlines()[1:-1]
        assert len(inside) <= 12 and max(map(len, out.splitlines())) <= 80
        for line in inside:
            first, _, text = line.strip("│ ").partition("  ")
            label, text = (first, text) if text else (label, first)
            said.setdefault(label, []).append(text.strip())
        return {label: " ".join(texts) for label, texts in said.items()}, out

    return call


def test_the_box(box):
    processor = {"vendor": "GenuineIntel", "family": "6", "model": "143", "cpu": "Intel(R) Xeon(R) Platinum 8480"}
    known = KNOWN | {"machine": KNOWN["machine"] | processor}
    works = {Case("fill_at", None, n, 512): b for n, b in ((16, 2), (64, 0.2), (128, 0.09))}
    works[Case("row", None, 1, 512)] = 3
    works[Case("widths", None, 512, 768)] = 4  # the sweep is not among the cases
    unsure = {"anchored_avx2": ("undecided", 3, 4)}
    picked = PICKED | picks("exact_avx2", "exact_avx2", unsure, TABLE._replace(kind="fill_pair"))
    for work, b in works.items():
        picked |= picks("exact_avx2", "exact_avx2", {"anchored_avx2": ("slower", b, 0.1)}, work)
    b = bench(fills=FILLS, **processor)
    said, out = box(b, "--seconds", "252", "--page", "build/report/index.html", v=known, picked=picked)
    name = "Intel Sapphire Rapids, Xeon Platinum 8480, family 6 model 143"
    assert said["Use"] == f"anchored, if speed matters, for tables of 5000 x 512, float32, on {name}"
    assert said["C"] == 'posenc_plan_create(&plan, &spec, "anchored")'
    assert said["Python"] == 'posenc.table(5000, 512, impl="anchored")'
    assert said["Speed"] == "26.67 ± 0.13 GB/s; 31 % faster than exact (at least 27 %)"
    assert said["Price"] == "no guarantee of correct rounding; all 2,000 compared values are correctly rounded"
    assert said["Or"] == "exact, the default: 20.00 ± 0.10 GB/s, every value correctly rounded"
    assert said["But"] == "for single rows of 512 exact is 300 % faster (at least 290 %); 2 other cases"
    assert (said["Report"], said["Time"]) == ("build/report/index.html", "4 min 12 s") and "Warning" not in out


@pytest.mark.parametrize(
    "pick, fastest, others, lead",
    [
        ("exact_avx2", "exact_avx2", {"anchored_avx2": ("slower", 0.2, 0.1)}, "20 % faster than anchored (at least 10 %)"),
        ("exact_avx2", "exact_avx2", {"anchored_avx2": ("undecided", 0.2, 0.3)},
         "undecided against anchored (exact is 20 % faster, or up to 10 % slower)"),
        ("exact_avx2", "anchored_avx2", {"exact_avx2": ("tie", 0.02, 0.03)}, "ties with anchored"),
        ("exact_avx2", "anchored_avx2", {"exact_avx2": ("undecided", 0.39, 0.56)},
         "undecided against anchored (anchored is 39 % faster, or up to 17 % slower)"),
        ("exact_avx2", "anchored_avx2", {"exact_avx2": ("undecided", 0.39, None)},
         "undecided against anchored (fewer than 6 repetitions)"),
        ("anchored_scalar", "anchored_avx2", {"anchored_scalar": ("tie", 0, 0.02), "exact_avx2": ("slower", 0.3, 0.1)},
         "ties with anchored; anchored is 30 % faster than exact (at least 20 %)"),
        ("exact_scalar", "exact_scalar", {"exact_avx2": ("slower", 0.021, 0.02), "explog": ("slower", 0.02, 0.01)},
         "2.1 % faster than exact (at least 0.1 %)"),
        ("anchored_scalar", "anchored_scalar", {}, "no other family within the budget was measured"),
    ],
)  # fmt: skip
def test_the_verdict_is_that_of_the_run(box, pick, fastest, others, lead):
    """A tie is shown as a tie. The name has its instruction set only where the library would choose another one."""
    said, _ = box(bench(fills={n: FILLS[n] for n in (pick, fastest, *others)}), picked=picks(pick, fastest, others))
    use = "exact, the default," if pick == "exact_avx2" else pick + ", if speed matters," * pick.startswith("anchored")
    assert said["Use"].startswith(f"{use} for") and said["Speed"].endswith(f"GB/s; {lead}")
    assert ("Price" in said) == pick.startswith("anchored")
    assert ("Or" in said) == (pick != "exact_avx2" and "exact_avx2" in others)
    assert ("NULL" in said["C"], "impl=" in said["Python"]) == (pick == "exact_avx2", pick != "exact_avx2")


def test_another_base(box):
    judged = verify(implementations=[entry("exact_avx2", "avx2")])
    for r in judged["implementations"][0]["ranges"]:
        r["base"] = 500
    b = bench(fills={"exact_avx2": 0.2}, **{"shape.transformer": BASE_500})
    said, _ = box(b, v=judged, picked=picks("exact_avx2", "exact_avx2"))
    assert said["C"] == "spec.base = 500; posenc_plan_create(&plan, &spec, NULL)"
    assert said["Python"] == "posenc.table(5000, 512, base=500)"


@pytest.mark.parametrize(
    "fills, context, use",
    [
        (["explog"], {}, "no measured implementation is within the budget, or"),
        ([], {}, "speeds of float32 tables were not measured"),
        (FILLS, {"emulated": "yes"}, "the run was emulated"),
        (FILLS, {"shape.transformer": BASE_500}, "errors and speeds are of different tables"),
    ],
)
def test_nothing_is_picked(box, fills, context, use):
    b = bench(case("fill_pair exact_avx2", 0.2), fills={n: FILLS[n] for n in fills}, **context)
    b["benchmarks"] = [c for c in b["benchmarks"] if "wrong" not in c["label"]]
    said, _ = box(b, picked=PICKED if context else {})
    assert {*said} == {"Use"} and said["Use"].startswith(f"no implementation is picked: {use}")


def test_warnings_stand_above_the_box(box):
    fills = [c for n, ns in FILLS.items() for c in case(f"fill {n}", ns, times=(0.7, 0.8, 1, 1.2, 1.3))]
    wrong = entry("wrong", verified=False, failure="2 outputs beyond its bound", error=7e-3)
    known = verify(implementations=[*KNOWN["implementations"], wrong])
    _, out = box(bench(fills, fills={}, load_avg=[4, 4, 4]), v=known)
    above = " ".join(out.split("┌")[0].split())
    assert above.startswith("Warning: ")
    failed = "wrong failed verification: 2 outputs beyond its bound"
    for said in ("The machine was noisy", "load average was 4.0", failed):
        assert said in above


def test_verbose(done):
    """All figures of the report as text."""
    out = done("summary", "--verbose", verify(), bench(sweep(d1000_at16=2)))
    assert lines(out, "exact_avx2")[0] == "exact_avx2 3.0e-8 2.4e-7 20.00 0.10"
    assert lines(out, "naive  ")[1] == "naive 2.0e-4 4.0e-4 3.2e-3 25.00 % 1.0e6 half a unit (proved)"
    assert lines(out, "lacking_neon")[-1] == "lacking_neon not run: this CPU lacks its instructions"
    assert lines(out, "1000") == ["1000 50.0 % 25.0 %"]


def test_without_what_the_page_needs(tmp_path):
    """As ./scripts/bench --no-report runs it."""
    code = "import sys; sys.modules |= dict.fromkeys(['matplotlib', 'numpy', 'jinja2']); import report.__main__ as m; "
    given = [file(tmp_path, verify()), file(tmp_path, bench())]
    done = subprocess.run([sys.executable, "-c", code + "m.main(['summary', *sys.argv[1:]])", *given], cwd=TOP)
    assert done.returncode == 0


@pytest.mark.parametrize(
    "v, b, said",
    [
        ("{", bench(), "not JSON"),
        ({"implementations": 1}, bench(), "not a report of posenc-verify"),
        (verify(schema=2), bench(), "schema: 1 was expected"),
        (verify(), {"benchmarks": []}, "no implementation was run"),
        (verify(), '{"benchmarks": [NaN]}', "benchmarks.0: None is not of type 'object'"),
        (verify(), bench(case("fill exact_avx2", math.nan)), "cpu_time: None is not of type 'number'"),
        (verify(implementations=[entry("x", ranges=[{"from": 0}])]), bench(), "required property"),
        (verify(), bench(case("fill exact_avx2", -1)), "cpu_time"),
        (verify(), bench(case("fill exact_avx2 float80", 1)), "label"),
        (verify(), bench([{"run_name": "a", "run_type": "iteration", "error_occurred": True}]), "'label'"),
        (verify(), bench(default=["exact"]), "context.default"),
        (verify(), bench(family="unknown"), "context.family"),
        (verify(), bench(model="08"), "context.model"),
        (verify(machine={"part": "x"}), bench(), "machine.part"),
        (verify(implementations=[entry("x", dtypes=None)]), bench(), "dtypes"),
        (verify(), bench(case("fill exact_avx2", 1, n=0, rows=1)), "positions"),
        (verify(), bench(offset="x"), "offset"),
        (verify(), bench([case("fill exact_avx2", 1)[0] | {"label": ""}]), "label: '' does not match"),
    ],
)
def test_bad_input(refused, v, b, said):
    assert said in refused("summary", v, b)
