"""scripts/report on small made-up results: what is on the page and in the CSV files, which warnings and when, what is missing,
and bad input, which is named, exits 2 and leaves an old page alone."""
import contextlib
import csv
import html
import importlib.util
import io
import json
import pathlib
import re
import subprocess
import sys

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "scripts/page"
sys.path[:0] = [str(PAGE.parent), str(PAGE)]
spec = importlib.util.spec_from_file_location("page_command", PAGE / "__main__.py")
command = importlib.util.module_from_spec(spec)
spec.loader.exec_module(command)
import speed
import where

EDGES = [0.5, 1, 2, 4, 16, 256, 65536]
NAMES = ("naive", "exact_avx2", "exact_scalar", "wrong", "lacking_neon")


def ranges(error, ulp, correct):
    """Of three ranges of positions; the errors grow with them."""
    figures = {"outputs": 1000, "ulp_p50": 0.25, "ulp_p99": 0.5, "ulp_max": ulp, "correctly_rounded": correct, "bound_ok": True,
               "ulp_bands": [round(1000 * correct), 1000 - round(1000 * correct), 0, 0, 0, 0, 0, 0]}
    return [{"shape": "d512", "d_model": 512, "base": 10000, "preset": None, "dtype": "f32", "from": a, "to": b, "rows": 9,
             "max_abs": error * scale} | figures for a, b, scale in ((0, 512, 0.5), (512, 5000, 1), (5000, 32768, 8))]


def entry(name, isa="any", error=3e-8, ulp=0.5, correct=1.0, **more):
    return {"name": name, "isa": isa, "arithmetic": "float32 libm", "summary": f"about {name}", "dtypes": "float32",
            "supported": True, "offered": True, "verified": True, "failure": None, "ranges": ranges(error, ulp, correct),
            "bound": {"law": "half a unit", "evidence": "proved"},
            "profile": [[error / 2, None], [error / 2, error / 4], [error, error / 8]]} | more


def verify(**more):
    entries = [entry("naive", error=4e-4, ulp=1e6, correct=0.25), entry("exact_avx2", "avx2"), entry("exact_scalar"),
               entry("wrong", verified=False, failure="2 outputs beyond <b>its</b> bound", error=7e-3),
               entry("lacking_neon", "neon", supported=False, verified=False, ranges=[])]
    machine = {"cpu": "this one", "architecture": "x86_64", "emulated": False, "compiler": "GCC 1", "build_type": "Release"}
    profile = {"shape": "d512", "d_model": 512, "position_edges": [0, 1, 2, 4], "column_edges": [0, 256, 512], "rows": [1, 1, 2]}
    return {"schema": 1, "tool": "posenc-verify", "version": "1.0.0", "seed": 1, "reference": "mpfr",
            "date": "2026-11-21T20:00:00+00:00", "machine": machine, "ulp_band_edges": EDGES, "profile": profile,
            "implementations": entries} | more


def case(name, ns, spread=0.01, n=5000, d=512):
    """ns of an element: median, and quartiles spread / 2 of it to either side."""
    return [{"run_name": name, "run_type": "iteration", "cpu_time": ns * t * n * d, "real_time": 1, "time_unit": "ns", "rows": n}
            for t in (1 - spread, 1 - spread / 2, 1, 1 + spread / 2, 1 + spread)]


def bench(clock=1.0, spread=0.01, **context):
    """clock: how much longer the last third of the repetitions of the chain of operations took."""
    at = "n:5000/d:512"
    tables = {"limit/store/w:32": 0.1, "fill/exact_avx2/f32": 0.2, "fill/exact_scalar/f32": 2, "fill/naive/f32": 16}
    runs = [c for name, ns in tables.items() for c in case(f"{name}/{at}", ns, spread)]
    runs += [{"run_name": "harness/clock/n:1/d:1", "run_type": "iteration", "cpu_time": t, "time_unit": "ns"}
             for t in (8, 8, 8, 8, 8 * clock, 8 * clock)]
    runs += case("fill/wrong/f32/" + at, 0.01) + case("fill/naive/bf16/" + at, 1)
    runs += case("row/exact_avx2/f32/d:512/below:4096", 0.5, n=1)
    known = {"cpu": "this one", "compiler": "GCC 1", "build_type": "Release", "date": "2026-11-21T21:00:00+00:00", "offset": "16",
             "num_cpus": 4, "load_avg": [3.5, 1.0, 0.5], "cpu_scaling_enabled": False, "caches": [], "emulated": "no",
             "shape.transformer": f"{at} base 10000, Transformer base"}
    return {"context": known | context, "benchmarks": runs}


def report(tmp_path, v, b, *arguments):
    """(exit status, stdout, stderr)"""
    paths = []
    for name, data in (("v.json", v), ("b.json", b)):
        (tmp_path / name).write_text(data if isinstance(data, str) else json.dumps(data))
        paths.append(str(tmp_path / name))
    given = ["--verify", paths[0], "--output", str(tmp_path / "page")]
    given += ["--no-bench"] if b is None else ["--bench", paths[1]]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            status = command.main([*given, *arguments])
        except SystemExit as e:
            status = e.code
    return status, out.getvalue(), err.getvalue()


def page_of(tmp_path, v, b):
    status, out, err = report(tmp_path, v, b)
    assert (status, err) == (0, "") and out == f"{tmp_path}/page/index.html\n"
    return (tmp_path / "page/index.html").read_text()


def text_of(page):
    page = re.sub(r"<style>.*?</style>|<svg.*?</svg>", " ", page, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", page)).replace("\u202f", " "))


def warnings_of(page):
    found = re.search(r'<section class="warnings".*?</section>', page, re.S)
    return re.findall(r"<li>(.*?)</li>", found[0], re.S) if found else []


def sound():
    return verify(implementations=[e for e in verify()["implementations"] if e["name"] != "wrong"])


def test_everything_is_there(tmp_path):
    page = page_of(tmp_path, verify(), bench())
    text = text_of(page)
    for name in NAMES:
        assert f"<code>{name}</code>" in page, name
    assert ("exact_avx2: the fastest of the 2 that are at most 1 ULP wrong, 20.00 ± 0.10 GB/s "
            "(50.0 ± 0.4 % of what stores reach), max |error| 3.0e-8, 0.5 ULP.") in text
    assert "exact_avx2 3.0e-8 0.5 100 % 0.200 ± 0.001 20.00 ± 0.10 50.0 ± 0.4" in text
    assert "naive 4.0e-4 1.0e6 25.00 % 16.000 ± 0.080 0.250 ± 0.001 0.625 ± 0.004" in text
    assert "lacking_neon not run: this CPU lacks its instructions" in text
    assert ("exact stays within 3.0e-8 to position 4; naive is already 2.0e-4 wrong at the first positions compared "
            "(position 0), and 4.0e-4 at the end.") in text  # doubling is not growth
    assert "a fixed chain of operations took 8 ± 0 ns" in text and "medians of 5 repetitions" in text
    assert "exact_avx2 takes 256 ± 1 ns for one row, below position 2¹²" in text
    assert ("exact is correctly rounded in every one of the 2,000 outputs compared; "
            "of the others' outputs, 25.00 % (naive) are.") in text
    for question in ("Which implementation", "as positions grow", "Where in the table", "distributed", "by table size",
                     "And one row"):
        assert question in text
    assert page.count("<svg") == 10  # five pictures, each for wide and for narrow windows


def test_nothing_from_outside_and_no_id_twice(tmp_path):
    page = page_of(tmp_path, verify(), bench())
    for where in re.findall(r'\b(?:src|href)="([^"]*)"', page) + re.findall(r"url\(([^)]*)\)", page):
        assert where.startswith("#") or where in ("data:,", "verify.json", "bench.json", "accuracy.csv", "speed.csv"), where
    assert "<script" not in page and "@import" not in page
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert not re.search(r"#0[1-6][0-9a-f]{4}\b", page)  # every colour has become a variable


def test_what_failed_is_said_escaped_and_not_ranked(tmp_path):
    page = page_of(tmp_path, verify(), bench())
    warnings = warnings_of(page)
    assert len(warnings) == 1 and warnings[0].startswith("wrong failed verification: 2 outputs beyond &lt;b&gt;its&lt;/b&gt; "
                                                         "bound")
    assert "its largest error is 5.6e-2" in warnings[0]
    assert "<b>its" not in page
    drawn = re.findall(r"<text.*?</text>", page, re.S)
    assert drawn and not any("wrong" in text for text in drawn)
    assert text_of(page).count("exact is correctly rounded in every one of the 2,000 outputs") == 1
    assert not any(line["name"] == "wrong" for line in csv.DictReader((tmp_path / "page/speed.csv").open()))


def test_names_that_no_font_or_encoding_has(tmp_path):
    v, b = sound(), json.loads(json.dumps(bench()).replace("naive", "\u4f60\ud800"))
    v["implementations"][0]["name"] = "\u4f60\ud800"
    page = page_of(tmp_path, v, b)
    assert "<code>\u4f60\\ud800</code>" in page
    again = subprocess.run(["/usr/bin/python3", "-B", PAGE, "--verify", tmp_path / "v.json", "--bench", tmp_path / "b.json",
                            "--output", tmp_path / "page"], capture_output=True, text=True)
    assert (again.returncode, again.stderr) == (0, "")  # nor a warning of matplotlib's


def test_hostile_names(tmp_path):
    v, b = sound(), bench()
    name = "<script>alert(1)</script>&$x_1$"
    v["implementations"][0] |= {"name": name, "summary": "</style><b>"}
    b["context"] |= {"cpu": '"><b>cpu', "not_run.<i>": "<u>"}
    page = page_of(tmp_path, v, b)
    assert "<script>" not in page and "<u>" not in page and "<b>cpu" not in page and "</style><b>" not in page
    assert html.escape(name) in page


@pytest.mark.parametrize("v, b, expected", [
    ({}, {}, None),
    ({}, {"spread": 0.06}, r"noisy: .* 6\.0 % or more"),
    ({}, {"spread": 0.049}, None),
    ({}, {"load_avg": [9, 2.5, 0]}, r"busy: a load average of 2\.5 or more over one and over five minutes .* 4 CPUs"),
    ({}, {"load_avg": [9, 2.0, 9]}, None),
    ({}, {"load_avg": [1.9, 9, 9]}, None),
    ({}, {"load_avg": [2.5]}, r"busy: a load average of 2\.5 over one minute"),
    ({}, {"clock": 1.25}, "clock changed .* took at least 25 % longer than the quickest tenth"),
    ({}, {"shape.transformer": "n:5000/d:512 base 500000, another"},
     r"another table than the speeds of 5000 × 512 \(base 10000\)"),
    ({}, {"clock": 1.049}, None),
    ({}, {"build_type": "Debug"}, "build type is Debug, not Release"),
    ({"machine": {"build_type": "Debug"}}, {}, "posenc-verify.s build type is Debug"),
    ({}, {"cpu_scaling_enabled": True}, "scaling is enabled"),
    ({}, {"cpu": "another"}, "two machines: this one was verified, another was measured"),
    ({}, {"emulated": "yes"}, "^Emulated"),
    ({"machine": {"emulated": True}}, {}, "^Emulated"),
    ({"float64_reference": {"law_holds": False}}, {}, "broke its own error law"),
])
def test_warnings_when_and_only_when(tmp_path, v, b, expected):
    found = warnings_of(page_of(tmp_path, sound() | v, bench(**b)))
    assert len(found) == (expected is not None), found
    assert expected is None or re.search(expected, html.unescape(found[0])), found


def test_emulated_is_not_ranked(tmp_path):
    page = page_of(tmp_path, verify(), bench(emulated="yes"))
    text = text_of(page)
    assert "emulated: not ranked" in text and "the fastest" not in text and "Pareto" not in text
    assert "naive 4.0e-4 1.0e6 25.00 % 16.000" in text  # in the order of the list, with their times
    assert page.count("<svg") == 6  # of errors alone


def test_errors_alone(tmp_path):
    page_of(tmp_path, verify(), bench())
    page = page_of(tmp_path, verify(), None)
    text = text_of(page)
    assert "Accuracy of posenc" in text and "GB/s" not in text
    assert sorted(p.name for p in (tmp_path / "page").iterdir()) == ["accuracy.csv", "index.html", "verify.json"]
    assert "2 of 3 implementations are at most 1 ULP wrong at positions to 5k" in text and "Not in these files: speeds." in text
    for name in NAMES:
        assert f"<code>{name}</code>" in page


def test_old_files_without_the_new_members(tmp_path):
    v, b = sound(), bench()
    for key in ("date", "machine", "ulp_band_edges", "profile"):
        del v[key]
    for e in v["implementations"]:
        e.pop("profile")
        for r in e["ranges"]:
            del r["ulp_bands"]
    b["benchmarks"] = [r for r in b["benchmarks"] if "clock" not in r["run_name"] and "row/" not in r["run_name"]]
    page = page_of(tmp_path, v, b)
    text = text_of(page)
    assert "when and on what machine errors were measured, errors by position and column (profile), bands of ULPs" in text
    assert "single rows (row)" in text and "(harness/clock)" in text and "This report has no errors by column" in text
    assert page.count("<svg") == 6  # errors by range, what is correctly rounded, choice
    assert not warnings_of(page)
    for name in ("naive", "exact_avx2", "exact_scalar", "lacking_neon"):
        assert f"<code>{name}</code>" in page


@pytest.mark.parametrize("keep", ["limit/", "row/", "harness/", "fill/naive/f32"])
def test_runs_of_little(tmp_path, keep):
    b = bench()
    b["benchmarks"] = [r for r in b["benchmarks"] if r["run_name"].startswith(keep)]
    text = text_of(page_of(tmp_path, sound(), b))
    assert "None writes" not in text and "None takes" not in text
    assert keep != "fill/naive/f32" or "None of those that ran stays within 1 ULP; the closest is naive, 1.0e6 ULP." in text


def test_nobody_was_judged(tmp_path):
    v = verify(implementations=[verify()["implementations"][-1]])
    assert "No implementation was verified, so none can be recommended." in text_of(page_of(tmp_path, v, None))


def test_growth_and_where(tmp_path):
    v = sound()
    v["implementations"][0]["profile"] = [[0.0, 0.0], [1e-7, 1e-8], [5e-4, 1e-6]]
    text = text_of(page_of(tmp_path, v, None))
    assert "exact stays within 3.0e-8 to position 4; naive grows with the position, to 5.0e-4 at 4." in text
    assert "The largest error, 5.0e-4, is naive's in columns 0 to 255 at positions 2 to 3; " in text
    assert "errors above 1e-6 go as far as: naive to column 255." in text


def moved(v, spans, **more):
    """v with its ranges at these positions."""
    for e in v["implementations"]:
        e["ranges"] = [r | more | {"from": a, "to": b} for r, (a, b) in zip(e["ranges"], spans)]
    return v


def test_families_are_whole_or_named(tmp_path):
    v = sound()
    v["implementations"].append(entry("exact_avx512", "avx512", verified=False, failure="beyond its bound", ranges=[]))
    text = text_of(page_of(tmp_path, v, None))
    assert "exact_avx2 and exact_scalar are correctly rounded in every one" in text and "exact_avx2 and exact_scalar stay" in text
    assert not re.search(r"[^_]exact (is|stays|are)", text)


def test_positions_far_out_and_negative(tmp_path):
    v = moved(sound(), [(100000, 131072), (131072, 200000)]) | {"profile": None}
    text = text_of(page_of(tmp_path, v, None))
    assert ("exact stays within 3.0e-8 at positions 100000 to 199999; naive is already 2.0e-4 wrong at the first positions "
            "compared (positions 100000 to 131071), and 4.0e-4 at the end.") in text
    v = moved(sound(), [(-3, 0), (0, 2)])
    text = text_of(page_of(tmp_path, v, None))
    assert "exact stays within 3.0e-8 to |position| 3" in text and "judged, positions -3 to 1." in text
    assert "The largest error, 4.0e-4, is naive's in columns 0 to 255 at |positions| 2 to 3; " in text
    assert "In an octave of |positions|, 1 to 2 rows were compared" in text
    v = moved(sound(), [(4096, 4097)]) | {"profile": None}
    assert "exact stays within 1.5e-8 at position 4096; naive is 2.0e-4 wrong there." in text_of(page_of(tmp_path, v, None))


@pytest.mark.parametrize("more, said", [
    ({"d_model": 64}, "d_model 64"), ({"position_scale": 0.5}, "positions times 0.5"), ({"layout": "split"}, "layout split"),
    ({"preset": "t2t"}, "t2t"), ({"denominator": 255}, "denominator 255"), ({"base": 500000}, "base 500000"),
    ({"from": 100, "to": 5000}, "positions 100 to 4999"),
])
def test_errors_of_another_table_are_not_ranked(tmp_path, more, said):
    v = moved(sound(), [(0, 512), (512, 5000)])
    for e in v["implementations"]:
        e["ranges"] = [r | more for r in e["ranges"]][:1 if "from" in more else 2]
    page = page_of(tmp_path, v, bench())
    warnings = warnings_of(page)
    assert len(warnings) == 1 and f"another table than the speeds of 5000 × 512 ({said})" in warnings[0]
    assert "errors and speeds are of different tables" in text_of(page) and "the fastest of the" not in text_of(page)


def test_other_dtypes_and_nobody_in_both(tmp_path):
    text = text_of(page_of(tmp_path, moved(sound(), [(0, 512), (512, 5000)], dtype="bf16"), bench()))
    assert "open: speeds of float32 tables are left out, because errors were judged in bf16." in text
    assert "1e-6" not in text.split("Where in the table are the errors?")[-1].split("How is the error")[0]
    b = bench()
    b["benchmarks"] = case("fill/unknown/f32/n:5000/d:512", 1)
    assert "open: none was both verified and run." in text_of(page_of(tmp_path, sound(), b))


def test_few_repetitions_have_no_spread(tmp_path):
    b = bench()
    b["benchmarks"] = [r for i, r in enumerate(b["benchmarks"]) if r["run_name"] != b["benchmarks"][i - 1].get("run_name")]
    page = page_of(tmp_path, sound(), b)
    assert [w.split(":")[0] for w in warnings_of(page)] == ["1 repetition"]
    assert "±" not in text_of(page).replace("after ± stands", "").replace("there is no ±", "")
    assert "repetitions" not in text_of(page).replace("its repetitions", "") or "1 repetitions" not in text_of(page)
    assert all(line["ns_half_iqr"] == "" for line in csv.DictReader((tmp_path / "page/speed.csv").open()))


def test_ties_are_named(tmp_path):
    b = bench()
    b["benchmarks"] = [r for r in b["benchmarks"] if "exact_scalar" not in r["run_name"]]
    b["benchmarks"] += case("fill/exact_scalar/f32/n:5000/d:512", 0.2004)
    text = text_of(page_of(tmp_path, sound(), b))
    assert "exact_avx2: the fastest of the 2 that are at most 1 ULP wrong" in text
    assert "0.5 ULP; exact_scalar ties with it (0.2 % apart)." in text


def test_csv_has_the_numbers(tmp_path):
    page_of(tmp_path, verify(), bench())
    lines = list(csv.DictReader((tmp_path / "page/accuracy.csv").open()))
    assert {line["implementation"] for line in lines} == set(NAMES)
    naive = next(line for line in lines if line["implementation"] == "naive" and line["from"] == "512")
    assert float(naive["max_abs"]) == 4e-4 and naive["ulp_to_1"] == "750" and naive["verified"] == "true"
    lines = list(csv.DictReader((tmp_path / "page/speed.csv").open()))
    exact = next(line for line in lines if line["name"] == "exact_avx2" and line["kind"] == "fill")
    assert float(exact["ns_per_element"]) == pytest.approx(0.2) and float(exact["gb_per_s"]) == pytest.approx(20)
    assert float(exact["ns_half_iqr"]) == pytest.approx(0.001) and float(exact["share_of_limit"]) == pytest.approx(0.5)
    assert json.loads((tmp_path / "page/verify.json").read_text()) == verify()
    assert json.loads((tmp_path / "page/bench.json").read_text()) == bench()


@pytest.mark.parametrize("v, b, message", [
    ("no", None, r"v\.json: not JSON"),
    ({}, None, r"v\.json: this is not a report of posenc-verify"),
    (bench(), None, r"v\.json: this is not a report of posenc-verify"),
    (verify(schema=2), None, "schema 1"),
    (verify(), verify(), r"b\.json: this is not a run of posenc-bench"),
    (verify(implementations=[{"isa": "any"}]), None, "a value is missing .*name"),
    (verify(), {"benchmarks": [{"run_name": "fill/x/f32/n:1/d:1", "run_type": "iteration"}]}, "a value is missing .*cpu_time"),
    (verify(profile={"position_edges": "x"}), None, "profile.position_edges is 'x', not a list"),
    ('{"tool": "posenc-verify", "schema": 1, "implementations": [NaN]}', None, "not JSON .NaN is no finite number"),
    ('{"implementations": [1e999]}', None, "not JSON .1e999 is no finite number"),
    ("[" * 100000, None, "not JSON"),
    (verify(implementations=[entry("x", ranges=ranges(-1.0, 1, 1))]), None, "x: ranges: max_abs is -0.5, not 0 or more"),
    (verify(implementations=[entry("x", profile=[[1], [1], [1]])]), None, "x: profile is .1., not a list of 2"),
    (verify(), bench(caches=None), "context.caches is None, not a list"),
    (verify(), bench(load_avg=["x"]), "context.load_avg is .*not a list"),
    (verify(), {"benchmarks": case("fill/x/f32/n:5000/d:512", -1.0)}, "cpu_time is -2534400.0, not a positive number"),
    (verify(), {"benchmarks": [c | {"rows": 0} for c in case("fill/x/f32/n:5000/d:512", 1)]}, "rows is 0, not a positive"),
])
def test_bad_input_is_named_and_leaves_the_old_page(tmp_path, v, b, message):
    (tmp_path / "page").mkdir()
    (tmp_path / "page/index.html").write_text("old")
    status, out, err = report(tmp_path, v, b)
    assert status == 2 and out == "" and re.match(f"report: .*{message}", err) and err.count("\n") == 1
    assert [(p.name, p.read_text()) for p in (tmp_path / "page").iterdir()] == [("index.html", "old")]


@pytest.mark.parametrize("arguments, message", [
    (["--bench", "x"], "not allowed with|exclude each other"),
    (["--compare", "a", "b"], "nothing else"),
    (["--verify", "no/such"], "no/such: No such file"),
    (["--output", "/dev/null/page"], "/dev/null"),
])
def test_usage(tmp_path, arguments, message):
    status, out, err = report(tmp_path, verify(), None, *arguments)
    assert status == 2 and out == "" and re.search(message, err)
