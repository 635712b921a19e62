"""What ./scripts/bench ends with: the names to ask for, what they lead by, a busy machine, a part of a run."""
import pytest

from made_up import bench, case, entry, picks, verify

AT = "n:5000/d:512"
# explog takes 20 times as long as anchored_avx2
FILLS = {"anchored_avx2": 0.15, "exact_avx2": 0.2, "anchored_scalar": 0.3, "exact_scalar": 1, "explog": 3}


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


NEXT = {"exact_avx2": ("slower", 0.31, 0.04), "anchored_scalar": ("slower", 1, 0.04)}
PICKED = picks("anchored_avx2", "anchored_avx2", NEXT)


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
    said, out = rows(bench(fills=FILLS, picks=PICKED), "--seconds", "252", "--page", "x.html")
    assert said["Use"] == "anchored, for tables of 5000 x 512: here it is anchored_avx2 on this one"
    assert said["Speed"].startswith(
        "26.67 ± 0.13 GB/s, 20.0 ± 0.1 times explog, a loop in C with the arithmetic of PyTorch's"
    )
    assert said["Error"] == "at most 3.0e-8, 0.5 ULP, at positions to 5k; explog's 4.0e-4"
    assert said["Lead"] == "31 ± 4 % faster than exact (measurement noise 1.0 %)"
    assert said["C"] == 'posenc_plan_create(&plan, &spec, "anchored")'
    assert said["Python"] == 'posenc.table(5000, 512, impl="anchored")'
    assert said["Done"] == "in 4 min 12 s; the report: x.html" and "Warning" not in said
    assert out.count("_neon") == 2, "what this CPU lacks is named once"
    table = [line.split()[:2] for line in out.strip().split("\n\n")[0].splitlines()[2:-1]]
    assert table == [["anchored", "anchored_avx2"], ["exact", "exact_avx2"], ["explog", "explog"]]


@pytest.mark.parametrize(
    "pick, fastest, others, use, lead",
    [
        ("exact_avx2", "exact_avx2", {"anchored_avx2": ("slower", 0.2, 0.1)}, "exact, the default,", "20 ± 10 % faster than anchored"),
        ("exact_avx2", "exact_avx2", {"anchored_avx2": ("undecided", 0.2, 0.3)}, "exact, the default,",
         "20 ± 30 % faster than anchored, undecided"),
        ("exact_avx2", "anchored_avx2", {"exact_avx2": ("tie", 0.02, 0.03)}, "exact, the default,", "none: ties with anchored ("),
        ("exact_avx2", "anchored_avx2", {"exact_avx2": ("undecided", 0.39, 0.56)}, "exact, the default,",
         "undecided: took 39 ± 56 % longer than anchored"),
        ("exact_avx2", "anchored_avx2", {"exact_avx2": ("undecided", 0.39, None)}, "exact, the default,",
         "undecided: fewer than 6 repetitions"),
        ("anchored_scalar", "anchored_scalar", {"anchored_avx2": ("slower", 0.5, 0.1)}, "anchored_scalar, for", "no other family"),
    ],
)  # fmt: skip
def test_the_pick_is_shown(rows, pick, fastest, others, use, lead):
    """With the name to ask for: with the instruction set only where the library would choose another one."""
    said, _ = rows(bench(fills={n: FILLS[n] for n in (fastest, *others)}, picks=picks(pick, fastest, others)))
    assert said["Use"].startswith(use) and said["Lead"].startswith(lead)
    default = said["Use"].startswith("exact, the default")
    assert ("NULL" in said["C"], "impl=" in said["Python"]) == (default, not default)


def test_a_busy_machine(rows):
    fills = [c for n, ns in FILLS.items() for c in case(f"fill/{n}/float32/{AT}", ns, times=(0.7, 0.8, 1, 1.2, 1.3))]
    said, out = rows(bench(fills, fills={}, picks=PICKED, load_avg=[4, 4, 4]))
    assert said["Lead"].endswith("(measurement noise 40.0 %)")
    assert "The machine was noisy" in said["Warning"] and "a load average of 4.0" in said["Warning"]


def test_other_jobs(rows):
    at, cases = "float32/d:512/below:4096", []
    for name, ns in {"anchored_avx2": 0.5, "exact_avx2": 0.25, "explog": 2.5}.items():
        cases.append(case(f"row/{name}/{at}", ns, 1))
        cases.append(case(f"add/{name}/float32/{AT}", ns))
    found = picks("exact_avx2", "exact_avx2", {"anchored_avx2": ("slower", 1, 0.1)}, f"row/*/{at}")
    found += picks("exact_avx2", "anchored_avx2", {"exact_avx2": ("undecided", 0.05, 0.06)}, f"add/*/float32/{AT}")
    said, _ = rows(bench(*cases, fills=FILLS, picks=PICKED + found))
    assert said["Decoder's row"] == "exact, 128 ± 1 ns at d_model 512, 10.0 ± 0.1 times explog"
    doubt = "exact (undecided: took 5 ± 6 % longer than anchored), 16.00 ± 0.08 GB/s at 5000 x 512, "
    assert said["posenc_add"].startswith(doubt)
    assert "Random rows" not in said and "bfloat16" not in said


@pytest.mark.parametrize(
    "fills, picked, labels, use",
    [
        (["explog"], [], {"Use"}, "none is picked: nothing that was measured is within the budget, or"),
        ([], [], {"Use"}, "no implementation that was verified was measured"),
        ([], picks("exact_avx2", "exact_avx2", case=f"add/*/float32/{AT}"), {"posenc_add"}, ""),
    ],
)
def test_a_part_of_a_run(rows, fills, picked, labels, use):
    b = bench(case(f"add/exact_avx2/float32/{AT}", 0.2), fills={n: FILLS[n] for n in fills}, picks=picked)
    b["benchmarks"] = [c for c in b["benchmarks"] if "wrong" not in c["run_name"]]
    said, _ = rows(b)
    assert {*said} == labels and said.get("Use", "").startswith(use)


def test_what_failed_is_loud_and_nothing_is_picked_of_an_emulated_run(rows):
    wrong = entry("wrong", verified=False, failure="2 outputs beyond its bound", error=7e-3)
    said, out = rows(bench(fills=FILLS, picks=PICKED), v=found(wrong))
    assert "wrong failed verification: 2 outputs beyond its bound" in said["Warning"] and out.count("wrong") == 1
    said, _ = rows(bench(case(f"add/exact_avx2/float32/{AT}", 0.2), fills=FILLS, emulated="yes"))
    assert said["Use"] == "none is picked: the run was emulated" and {*said} == {"Use", "Warning"}
