"""scripts/pages: the pages of this tree are those that it makes of the recorded runs, and what it refuses: a number changed by
hand, one that a template has by hand, a fact without its source, a bound that is missing, broken or loose."""
import json
import pathlib
import shutil
import subprocess
import sys

import jinja2
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "scripts/page"), str(TOP / "scripts/recorded")]
import bounds
import lint
import make
import results
import store
import whole
from figures import all_of_them


@pytest.fixture
def tree(tmp_path):
    """A copy of what pages are made of and state as their sources, with nothing to install."""
    for part in ("scripts", "docs", "examples", "bench", "include", "impl", "python/README.md",
                 "python/posenc/_table.py", "README.md"):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (TOP / part).is_dir() else shutil.copy
        copy(TOP / part, tmp_path / part)
    (tmp_path / "scripts/setup").write_text("#!/bin/sh\n[ $1 = report ]\n")
    return tmp_path


def pages(tree, *arguments):
    """(exit status, what it said, of either kind)"""
    done = subprocess.run([tree / "scripts/pages", *arguments], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr + done.stdout


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_this_tree_is_what_is_made():
    done = subprocess.run([TOP / "scripts/pages", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_was_changed_by_hand(tree):
    """Is named, with its lines, and made again."""
    before = (tree / "README.md").read_text(encoding="utf-8")
    figure = before.split(" GB/s")[0].split()[-3]  # of the picture's words: 19.03 ± 0.37 GB/s
    assert float(figure) > 0
    edit(tree / "README.md", figure, "99.99")
    edit(tree / "docs/error.svg", "largest error of an output", "smallest error of an output")
    (tree / "docs/campaigns.md").unlink()
    status, said = pages(tree, "--check")
    assert status == 1
    assert all(f"pages: {name} is not what" in said for name in ("README.md", "docs/error.svg", "docs/campaigns.md"))
    assert "99.99" in said and "speed.md" not in said
    assert not (tree / "docs/campaigns.md").exists()
    assert pages(tree)[0] == 0 and (tree / "README.md").read_text(encoding="utf-8") == before
    assert (tree / "docs/campaigns.md").exists() and not list(tree.rglob("__pycache__"))


def test_a_new_run_is_another_page(tree):
    """Of a record, and of an example; and a picture of another Matplotlib is no reason to fail, but is named."""
    edit(tree / "docs/recorded/exhaustive.json", '"judged": 536870912', '"judged": 536870913')
    edit(tree / "examples/table.c", "posenc_plan *plan;", "posenc_plan *the_plan;")
    edit(tree / "docs/speed.svg", "drawn by Matplotlib ", "drawn by Matplotlib 0.1, not ")
    edit(tree / "docs/speed.svg", "<path", "<path ")
    status, said = pages(tree, "--check")
    assert status == 1 and "536,870,913" in said and "the_plan" in said
    assert "skipped: docs/speed.svg: another Matplotlib" in said and said.count("speed.svg") == 1


@pytest.mark.parametrize("text, what", [
    ("It writes 20 GB/s.", "20 GB/s"), ("a plan: 55 us", "55 us"), ("66.7 % of it", "66.7 %"),
    ("1.6 times the time", "1.6 times"), ("twice, 2.4 x theirs", "2.4"), ("3 x.", "3 x"), ("an error of 3e-8", "3e-8"),
    ("an error of 1.5e-10.", "1.5e-10"), ("0.5 ULP wrong", "0.5 ULP"), ("12 ± 3", "± 3"), ("| a | 0.82 |", "0.82"),
    ("0.3 to 0.5 of the speed", "0.3"), ("`code` and 4 min", "4 min"), ("takes 213 ms", "213 ms"), ("2 ns/element", "2 ns"),
    ("512 MiB of zeros", "512 MiB"), ("{{ bench.x }} and 7 ns", "7 ns"), ("```c\n/* 3 ns */\n```", "3 ns"),
    ("1,200 ns", "1,200 ns"), ("3x faster", "3x"), ("is 3 x faster", "3 x"), ("12 bytes of stack", "12 bytes"),
    ("in 12 h", "12 h"), ("at 20 GFLOP/s", "20 GFLOP/s"), ("    of it 0.5", "0.5")])
def test_what_looks_measured(text, what):
    found = list(lint.numbers("a line\n" + text))
    assert len(found) == 1 and what in found[0][1], found
    assert found[0][0] == 2 + text.startswith("```")


@pytest.mark.parametrize("text", [
    "5000 x 512, 131072 x 1024, 5000 x `columns`", "2^-24 and 2^32", "float32, 64 rows, page 3", "`v1.2.3` and `1.5`",
    "Debian 12", "a table of 131072 x 1024, GB/s",
    "```python\nbase=500000.0  # 0.5\n```", "    timesteps 5", "{{ bench.gb_s }} GB/s, {{ x }} %", "posenc 1.0.0"])
def test_what_does_not(text):
    assert not list(lint.numbers(text))


@pytest.mark.parametrize("source, said", [
    ("{{ 3.5 }} ns", "literals"), ("{{ '19 GB/s' }}", "19 GB/s"), ("{{ 3.5 | f(1) }}", "literals"), ("{{ 2 * 3 }}", "literals"),
    ("{{ bench.x | f(1) }}", None), ("{{ stated('3 %', 'a source') }}", None), ("{{ (2 * a.b) | f(1) }}", None),
    ("{% set fast = 99.9 %}{{ fast }} of it", "99.9"), ("{% for v in [19.03] %}{{ v }}{% endfor %}", "19.03"),
    ("{% set fast = 99 %}{{ fast }} GB/s", "fast, which a template sets, GB/s"),
    ("{% for v, w in ((19, 2),) %}{{ w }}\n{{ v | f(1) }} ns{% endfor %}", "v, which a template sets, ns"),
    ("{{ x or '19 GB/s' }}", "19 GB/s"), ("{% set x = '19 GB/s' %}", "19 GB/s"), ("{% for x in ['0.5'] %}{% endfor %}", "0.5"),
    ("{{ claim(x < 3.0e-8, 'it is below 3e-8') }}", None), ("{% set x = derived(2 / 3.5, 'a third of 3.5 ns') %}{{ x }} %", None),
    ("{% set n, d = 5000, 512 %}{{ n }} x {{ d }}, GB/s: {{ bench.case(n, d) | f(1) }} GB/s", None)])
def test_literals_in_expressions(source, said):
    found = [what for _, what in lint.constants(source)]
    assert (len(found) == 1 and said in found[0]) if said else not found, found


@pytest.mark.parametrize("template, said", [
    ("{{ promised('16 MB', 'include/posenc.h') }}", "'16 MB' does not stand in include/posenc.h"),
    ("{{ stated('4 %', 'bench/shim/compare.c', 'TIE = 0.04') }}", "'TIE = 0.04' does not stand in bench/shim/compare.c"),
    ("{{ stated('3 %', 'bench/shim/compare.c', 'TIE = 0.0') }}", "'TIE = 0.0' does not stand in bench/shim/compare.c"),
    ("{{ stated('3 %', 'bench/shim/compare.c', 'IE = 0.03') }}", "'IE = 0.03' does not stand in bench/shim/compare.c"),
    ("{{ stated('3 ULP', 'a friend of mine') }}", "neither a file of the tree, nor an address"),
    ("{{ stated('4 %', 'bench/none.c') }}", "is no file of the tree"), ("{{ promised('4 %', 'a manual') }}", "is no path"),
    ("{{ claim(bench.limit(5000, 512) > 1e9, 'memory is fast') }}", "the recorded runs do not show that memory is fast"),
    ("{{ bench.case('fill', 'naive', 1, 2).gb_s }}", "there is no case fill of naive, 1 x 2"),
    ("{{ records.none.x }}", "no attribute 'none'"),
    ("{{ peers.case('fill', 'nobody', 1, 2).gb_s }}", "there are 0 cases fill of nobody"),
    ("{{ example('table.c', 'none') }}", "has no part [part: none]"),
    ("{{ example('none.c', 'fill') }}", "examples/none.c is no file"),
    ("{{ derived(2 * 3, '') }}", "derived from nothing")])
def test_what_templates_may_not_say(template, said, capsys):
    env = make.environment()
    env.globals |= all_of_them()
    with pytest.raises((jinja2.TemplateError, AttributeError, SystemExit)) as e:
        env.from_string(template).render()
    assert said in str(e.value) + capsys.readouterr().err


def test_what_templates_may_say():
    env = make.environment()
    env.globals |= all_of_them()
    template = ("{{ promised('less than 112 KiB of stack', 'include/posenc.h') }}; "
                "{{ stated('3 %', 'bench/shim/compare.c', 'TIE = 0.03') }}; "
                "{{ stated('0.561 ULP', 'https://sourceware.org/glibc/manual') }}; "
                "{{ derived(2**-8, 'half of 2^-7') | rough }}; "
                "{{ claim(2 > 1) }}{{ 201.0 | elapsed }}")
    assert env.from_string(template).render() == "less than 112 KiB of stack; 3 %; 0.561 ULP; 4e-3; 3 min 21 s"


@pytest.mark.parametrize("template, line", [("Takes 3.5 ns.", 1), ("\n{% if %}", 2), ("\n{{ claim(false, 'it is so') }}", 2)])
def test_a_template_that_is_refused(tree, template, line):
    """Is named with its line, and nothing is written."""
    (tree / "docs/templates/new.md").write_text(template + "\n")
    (tree / "README.md").write_text("another")
    (tree / "docs/mine.md").write_text("a page of nobody\n")
    status, said = pages(tree)
    assert "docs/mine.md has no template" in said
    (tree / "docs/mine.md").unlink()
    status, said = pages(tree)
    assert status == 1 and f"docs/templates/new.md:{line}: " in said
    assert not (tree / "docs/new.md").exists() and (tree / "README.md").read_text() == "another"


CAMPAIGNS = {
    "fuzz": {"targets": {"fill": {"seconds": 1800, "executions": 1234567, "edges": 99, "counters": 120, "features": 345,
                                  "corpus": 42, "crashes": 0, "sanitizers": ["address", "undefined"]}}},
    "mutants": {"faults": 71, "seen": 70, "survived": ["core/one"], "seconds": 61.2, "implementations": ["naive", "exact_scalar"]},
    "aarch64": {"tests": 30, "passed": 29, "failed": 0, "skipped": 1, "seconds": 3700, "emulator": "qemu 7",
                "mutants": "all seen"},
    "old-cpus": {"emulator": "qemu 7", "seconds": 5, "cpus": [{"name": "old", "what": "no AVX", "refused": 9, "tests": 12}] * 6},
    "single-file": {"seconds": 90, "instruction_sets": ["avx2", "any"],
                    "builds": [{"compiler": name, "flags": "-O2"} for name in ("gcc", "clang", "aarch64-gcc", "aarch64-clang")]}}


def test_campaigns(tmp_path, monkeypatch):
    """A section for each that is recorded, and none for those that are not."""
    env = make.environment()
    env.globals["records"] = type(all_of_them()["records"])()
    monkeypatch.setattr(store, "DIRECTORY", tmp_path)
    page = env.get_template("campaigns.md").render()
    assert "\n## " not in page and "./scripts/fuzz --minutes 30 --record" in page
    for name, data in CAMPAIGNS.items():
        head = {"schema": 1, "tool": name, "date": "2026-01-02", "commit": f"of {name}", "machine": {"cpu": "this one"}}
        (tmp_path / f"{name}.json").write_text(json.dumps(head | data))
    page = env.get_template("campaigns.md").render()
    assert page.count("\n## ") == len(CAMPAIGNS) and all(f"2026-01-02, commit of {name}" in page for name in CAMPAIGNS)
    for words in ("| `fill` | 30 min | 1,234,567 | 99 of 120 | 345 | 42 | 0 | address, undefined |",
                  "- not seen: `core/one`", "saw 70 of 71 faults, in 1 min 1 s", "2 implementations: `naive`, `exact_scalar`.", 
                  "30 tests, 29 passed, 0 failed, 1 skipped, in\n1 h 1 min 40 s.",
                  "- all seen", "| old | no AVX | 9 | 12 |", "- aarch64-clang, -O2\n"):
        assert words in page


@pytest.mark.parametrize("name, how, said", [
    ("fuzz", lambda d: d["targets"]["fill"].update(crashes=1), "fuzzing found nothing"),
    ("mutants", lambda d: d.update(seen=3), "the tests saw every fault, or it is named"),
    ("aarch64", lambda d: d.update(failed=2, passed=27), "no test failed on AArch64"),
    ("aarch64", lambda d: d.update(passed=28), "no test failed on AArch64"),
    ("old-cpus", lambda d: d["cpus"].pop(), "six old CPUs"),
    ("old-cpus", lambda d: d["cpus"].append(d["cpus"].pop() | {"tests": 0}), "six old CPUs"),
    ("single-file", lambda d: d["builds"].pop(), "both compilers, both architectures"),
    ("exhaustive", lambda d: d["misrounded"].update(exact_scalar=5), "every output is correctly rounded")])
def test_campaigns_that_failed(tmp_path, monkeypatch, name, how, said):
    data = read("exhaustive") if name == "exhaustive" else json.loads(json.dumps(CAMPAIGNS[name]))
    how(data)
    env = make.environment()
    env.globals["records"] = type(all_of_them()["records"])()
    monkeypatch.setattr(store, "DIRECTORY", tmp_path)
    (tmp_path / f"{name}.json").write_text(json.dumps({"date": "2026-01-02", "commit": "x", "machine": {"cpu": "this one"}} | data))
    with pytest.raises(jinja2.TemplateError) as e:
        env.get_template("campaigns.md").render()
    assert f"the recorded runs do not show that" in str(e.value) and said in str(e.value)


def read(name):
    return results.load_object(store.path_of(name))


def entry(data, name):
    return next(e for e in data["implementations"] if e["name"] == name)


def measured(share):
    """A bound that is so much of the worst found, and says that it was measured; but for far positions, where it says nothing."""
    def how(data):
        e = entry(data, "explog")
        e["bound"]["evidence"] = "measured"
        for r in e["ranges"]:
            for key in ("worst", "closest_to_bound"):
                r[key]["bound"] = r[key]["error"] * share if r["shape"] != "far" else 2 + 2**-16
    return how


@pytest.mark.parametrize("how, said", [
    (lambda d: None, None),
    (lambda d: d["implementations"].remove(entry(d, "exact_scalar")), "exact_scalar, a row of impl/list.inc, is not in it"),
    (lambda d: entry(d, "naive")["bound"].pop("law"), "naive: there is no bound"),
    (lambda d: entry(d, "naive")["bound"].update(evidence="guessed"), "rests on 'guessed'"),
    (lambda d: entry(d, "naive").update(ranges=[]), "nothing of it was judged"),
    (lambda d: entry(d, "naive")["ranges"][3]["worst"].pop("bound"), "worst has no error or no bound"),
    (lambda d: entry(d, "naive")["ranges"][3]["worst"].update(error=9), "an error of 9 breaks the bound"),
    (lambda d: entry(d, "naive")["ranges"][3].update(bound_ok=False), "the bound was broken"),
    (lambda d: d["implementations"].append(entry(d, "naive") | {"name": "stranger"}), "stranger is no row of impl/list.inc"),
    (lambda d: d["machine"].update(architecture="z80"), "is built for 'z80'"),
    (measured(1.99), None), (measured(2.02), "its measured bound is 2.02 times the worst found")])
def test_bounds(how, said):
    data = read("verify")
    how(data)
    found = list(bounds.of_report("verify", data))
    assert any(said in line for line in found) if said else not found, found


@pytest.mark.parametrize("name, how, said", [
    ("budget", lambda d: None, None), ("budget", lambda d: d["found"][0].update(worst=1.5), "1.5 is more than 1.4"),
    ("budget", lambda d: d["found"][0].update(most=1.3), "sine: 1.3 was allowed; POSENC_BUDGET_ANGLE of impl/simd/budget.inc is 1.4"),
    ("budget", lambda d: d["found"][2].update(most=10), "10 was allowed; POSENC_BUDGET_ERROR of impl/simd/budget.inc is 10, of which"),
    ("budget", lambda d: d["found"].pop(), "test_budget_fused: its sine where no quarter is taken, relative is not in it"),
    ("budget", lambda d: d["found"].append(d["found"][0] | {"what": "tangent"}), "tangent: no constant"),
    ("stack", lambda d: None, None),
    ("stack", lambda d: d["used"].append({"name": "x", "bytes": 112 << 10}), "not less than 112 KiB"),
    ("stack", lambda d: d.update(used=[{"name": "x", "bytes": 50000}]), "112 KiB of stack are 2.29 times the most")])
def test_bounds_beside(name, how, said):
    data = read(name)
    how(data)
    found = list(getattr(bounds, f"of_{name}")(data))
    assert said in found[0] if said else not found


def test_a_loose_bound_is_no_page(tree):
    """A record that is wrong fails the check, of any platform; so do two of different runs."""
    data = read("verify")
    measured(3)(data)
    (tree / "docs/recorded/verify-other.json").write_text(json.dumps(data))
    edit(tree / "docs/recorded/bench.json", '"commit": "', '"commit": "another')
    status, said = pages(tree, "--check")
    assert status == 1 and "docs/recorded/verify-other.json: explog: its measured bound is 3 times" in said
    assert "bench.json of another" in said


@pytest.mark.parametrize("name", bounds.REQUIRED)
def test_a_record_that_is_missing(tmp_path, monkeypatch, name):
    for there in bounds.REQUIRED:
        (tmp_path / f"{there}.json").write_text("{}")
    (tmp_path / f"{name}.json").unlink()
    monkeypatch.setattr(store, "DIRECTORY", tmp_path)
    found = list(bounds.complaints())
    assert len(found) == 1 and found[0].startswith(f"docs/recorded/{name}.json is not there; ./scripts/")
    script = found[0].split("; ./")[1].split()[0]
    assert (TOP / script).exists()


def test_rows_that_nothing_judged(tmp_path, monkeypatch):
    """Those of another platform are held by its own report: without it, or where it has not run them, they are named."""
    data = read("verify")
    monkeypatch.setattr(store, "DIRECTORY", tmp_path)
    (tmp_path / "verify.json").write_text(json.dumps(data))
    assert all("_neon, a row of" in line or "_neon_u35, a row of" in line for line in bounds.of_reports())
    assert any(line.startswith("exact_neon, a row of impl/list.inc, was judged in no") for line in bounds.of_reports())
    entries = {e["name"].replace("avx2", "neon"): e for e in data["implementations"] if e["name"] in whole.rows_of_the_list("x86_64")}
    data["machine"].update(architecture="aarch64", emulated=True)
    data["implementations"] = [entries[name] | {"name": name} for name in whole.rows_of_the_list("aarch64")]
    (tmp_path / "verify-aarch64.json").write_text(json.dumps(data))
    assert not list(bounds.of_reports())
    entry(data, "exact_neon")["ranges"][0].update(bound_ok=False)
    (tmp_path / "verify-aarch64.json").write_text(json.dumps(data))
    assert ["verify-aarch64.json: exact_neon: " in line for line in bounds.of_reports()] == [True]


def test_usage(tree):
    assert pages(tree, "--nonsense")[0] == 2
    done = subprocess.run([tree / "scripts/pages", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--check" in done.stdout
