"""What ./scripts/bench ends with: the names to ask for, how sure it is, a busy machine, a part of a run."""
import pytest

from made_up import bench, case, entry, verdict, verify

AT = "n:5000/d:512"
# explog takes 20 times as long as anchored_avx2
FILLS = {"anchored_avx2": 0.15, "exact_avx2": 0.2, "anchored_scalar": 0.3, "exact_scalar": 1, "explog": 3}
BUSY = (0.7, 0.8, 1, 1.2, 1.3)


def found(*more):
    names = (
        ("float64", "any", 3e-8, 0.6),
        ("explog", "any", 4e-4, 1e6),
        ("exact_avx2", "avx2", 3e-8, 0.5),
        ("exact_scalar", "any", 3e-8, 0.5),
    )
    names += (("anchored_avx2", "avx2", 3e-8, 0.5), ("anchored_scalar", "fma", 3e-8, 0.5))
    entries = [entry(name, isa, error, ulp) for name, isa, error, ulp in names]
    lacking = [entry(n, "neon", supported=False, verified=False, ranges=[]) for n in ("exact_neon", "anchored_neon")]
    return verify(implementations=[*entries, *lacking, *more])


def against(fastest, words, kind="fill", at=f"f32/{AT}"):
    """words: {name: (verdict, how far behind, how unsure)}"""
    cases = {name: f"{kind}/{name}/{at}" for name in (fastest, *words)}
    of = [verdict(cases[n], cases[fastest], w, behind=b, unsure=u) for n, (w, b, u) in words.items()]
    return [verdict(cases[fastest], cases[fastest], "tie", behind=0, unsure=0.01), *of]


NEXT = {"exact_avx2": ("slower", 0.31, 0.04), "anchored_scalar": ("slower", 1, 0.04)}


@pytest.fixture
def rows(done):
    """({label: text} of the box, all of the text)"""

    def call(b, *arguments, v=None):
        out, said, label = done("summary", v or found(), b, *arguments), {}, ""
        for line in out.split("┌")[1].splitlines()[1:-1]:
            line = line.strip("│ ") if line[2] != " " else f"{label}  {line.strip('│ ')}"
            label, _, text = line.partition("  ")
            said.setdefault(label, []).append(text.strip())
        return {label: " ".join(texts) for label, texts in said.items()}, out

    return call


def test_the_answer(rows):
    said, out = rows(
        bench(fills=FILLS, verdicts=against("anchored_avx2", NEXT)), "--seconds", "252", "--page", "x.html"
    )
    assert said["Use"] == "anchored, for tables of 5000 x 512: here it is anchored_avx2 on this one"
    assert said["Speed"].startswith(
        "26.67 ± 0.13 GB/s, 20.0 ± 0.1 times explog, a loop in C with the arithmetic of PyTorch's"
    )
    assert said["Error"] == "at most 3.0e-8, 0.5 ULP, at positions to 5k; explog's 4.0e-4"
    assert said["How sure"] == "exact took 31 ± 4 % longer; noise 1.0 %"
    assert said["C"] == 'posenc_plan_create(&plan, &spec, "anchored")'
    assert said["Python"] == 'posenc.table(5000, 512, impl="anchored")'
    assert said["Done"] == "in 4 min 12 s; the report: x.html" and "Warning" not in said
    assert out.count("_neon") == 2, "what this CPU lacks is named once"
    table = [line.split()[:2] for line in out.strip().split("\n\n")[0].splitlines()[2:-1]]
    assert table == [["anchored", "anchored_avx2"], ["exact", "exact_avx2"], ["explog", "explog"]]


@pytest.mark.parametrize(
    "fastest, words, use, how",
    [
        ("exact_avx2", {"anchored_avx2": ("slower", 0.2, 0.1)}, "exact, the default, for", "anchored took 20 ± 10 %"),
        ("anchored_avx2", {"exact_avx2": ("tie", 0.02, 0.03)}, "exact, the default, for", "anchored ties with it;"),
        ("anchored_avx2", {"exact_avx2": ("unclear", 0.39, 0.56)}, "exact, the default, until another run decides,",
         "not told apart from anchored: exact took 39 ± 56 % longer than anchored;"),
        ("exact_avx2", {"anchored_avx2": ("unclear", 0.01, 0.56)}, "exact, the default, until another run decides,",
         "not told apart from anchored: anchored took 1 ± 56 % longer;"),
        ("anchored_avx2", NEXT | {"anchored_scalar": ("unclear", 0.1, 0.2)}, "anchored, for", "exact took 31 ± 4 %"),
        ("anchored_scalar", {"anchored_avx2": ("unclear", 0.1, 0.2)}, "anchored, for", "nothing else so accurate"),
        ("anchored_scalar", {"anchored_avx2": ("slower", 0.5, 0.1)}, "anchored_scalar, for", "nothing else so"),
        ("anchored_avx2", NEXT | {"exact_scalar": ("unclear", 0.1, 0.2)}, "anchored, for", "exact took 31 ± 4 %"),
    ],
)  # fmt: skip
def test_how_sure(rows, fastest, words, use, how):
    """The name to ask for: with the instruction set only where the library would choose another one."""
    names = (fastest, *words)
    said, _ = rows(bench(fills={n: FILLS[n] for n in names}, verdicts=against(fastest, words)))
    assert said["Use"].startswith(use) and said["How sure"].startswith(how)
    default = said["Use"].startswith("exact, the default")
    assert ("NULL" in said["C"], "impl=" in said["Python"]) == (default, not default)


def test_a_busy_machine(rows):
    fills = [c for n, ns in FILLS.items() for c in case(f"fill/{n}/f32/{AT}", ns, times=BUSY)]
    verdicts = against("anchored_avx2", {"exact_avx2": ("unclear", 0.33, 0.6)})
    said, out = rows(bench(fills, fills={}, verdicts=verdicts, load_avg=[4, 4, 4]))
    assert "the machine was too busy to decide" in said["How sure"] and said["How sure"].endswith("noise 40.0 %")
    assert "anchored" not in said["Use"] + said["C"] + said["Python"]
    assert "The machine was noisy" in said["Warning"] and "a load average of 4.0" in said["Warning"]


def test_without_verdicts(rows):
    said, _ = rows(bench(fills=FILLS))
    assert said["Use"].startswith("exact, the default, until another run decides")
    assert said["How sure"].startswith("not decided: there is no verdict, which takes 6 repetitions")


def test_a_row_without_a_verdict_is_left_out(rows):
    """float64 is first in the list, and the slowest: a repetition of it has failed."""
    fills = FILLS | {"float64": 5}
    said, _ = rows(bench(fills=fills, verdicts=against("anchored_avx2", NEXT)))
    assert said["Use"].startswith("anchored, for") and said["How sure"].startswith("exact took 31 ± 4 %")
    unclear = against("anchored_avx2", {"float64": ("unclear", 9, 10), "exact_avx2": ("unclear", 0.3, 0.4)})
    said, _ = rows(bench(fills=fills, verdicts=unclear))
    assert said["Use"].startswith("exact, the default, until another run decides")


def test_other_jobs(rows):
    at, cases = "f32/d:512/below:4096", []
    for name, ns in {"anchored_avx2": 0.5, "exact_avx2": 0.25, "explog": 2.5}.items():
        cases.append(case(f"row/{name}/{at}", ns, 1))
        cases.append(case(f"add/{name}/f32/{AT}", ns))
    verdicts = against("anchored_avx2", NEXT) + against("exact_avx2", {"anchored_avx2": ("slower", 1, 0.1)}, "row", at)
    verdicts += against("exact_avx2", {"anchored_avx2": ("unclear", 1, 1.1)}, "add")
    said, _ = rows(bench(*cases, fills=FILLS, verdicts=verdicts))
    assert (
        said["Decoder's row"]
        == "exact, 128 ± 1 ns at d_model 512, 10.0 ± 0.1 times explog; anchored took 100 ± 10 % longer"
    )
    assert said["posenc_add"].startswith("exact or anchored, 16.00 ± 0.08 GB/s")
    assert "not told apart from anchored: anchored took 100 ± 110 %" in said["posenc_add"]
    assert "Random rows" not in said and "bfloat16" not in said


@pytest.mark.parametrize(
    "fills, more, labels, use",
    [
        (["explog"], [], {"Use"}, "nothing measured is within 1 ULP; the most accurate, explog, is off by 4.0e-4"),
        ([], [], {"Use"}, "no implementation that was verified was measured"),
        ([], [f"add/exact_avx2/f32/{AT}"], {"posenc_add"}, None),
        (["exact_avx2"], [], {"Use", "Speed", "Error", "How sure", "C", "Python"}, "exact, the default, for tables"),
    ],
)
def test_a_part_of_a_run(rows, fills, more, labels, use):
    b = bench(*(case(name, 0.2) for name in more), fills={n: FILLS[n] for n in fills})
    b["benchmarks"] = [c for c in b["benchmarks"] if "wrong" not in c["run_name"]]
    said, _ = rows(b)
    assert {*said} == labels and said.get("Use", "").startswith(use or "")


def test_what_failed_is_loud_and_nothing_is_picked_of_an_emulated_run(rows):
    wrong = entry("wrong", verified=False, failure="2 outputs beyond its bound", error=7e-3)
    said, out = rows(bench(fills=FILLS), v=found(wrong))
    assert "wrong failed verification: 2 outputs beyond its bound" in said["Warning"] and out.count("wrong") == 1
    said, _ = rows(bench(case(f"add/exact_avx2/f32/{AT}", 0.2), fills=FILLS, emulated="yes"))
    assert said["Use"] == "none is picked: the run was emulated" and {*said} == {"Use", "Warning"}
