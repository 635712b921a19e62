"""./scripts/maintain/pages: README.md and docs/ are what it renders; it changes nothing outside of the markers."""
import json
import statistics

import pytest

from conftest import run
from made_up import bench, case, verify
from report import answer, pages
from report.run import Run
from report.speeds import Case, Speeds


def test_the_pages_of_this_tree():
    assert run("pages", "--check") == (0, "", "")


def test_examples(tmp_path, monkeypatch):
    (tmp_path / "examples").mkdir()
    lines = "int x;", "  /* [part: one] */", "", "  int y; // kept", "    int z;", "  /* [end: one] */", ""
    (tmp_path / "examples/a.c").write_text("\n".join(lines))
    monkeypatch.setattr(pages, "TOP", tmp_path)
    page = "before 12.5 GB/s\n<!-- example: a.c one -->\nold\n<!-- end -->\nafter\n"
    quoted = "```c\nint y; // kept\n  int z;\n```"
    assert pages.rendered(page, {}) == f"before 12.5 GB/s\n<!-- example: a.c one -->\n{quoted}\n<!-- end -->\nafter\n"
    for wrong in "example: a.c two", "table: nothing":
        with pytest.raises(SystemExit):
            pages.rendered(f"<!-- {wrong} -->\nold\n<!-- end -->\n", {})


def test_the_measured_tables():
    """Their figures are those of the recorded runs, which are named beside them."""
    data = {name: pages.recorded(name) for name in pages.TOOLS}
    ran = Run(data["verify"], data["bench"])
    made = pages.measured(ran, Speeds(data["peers"]))
    for name, text in made.items():
        found = data["peers" if name in ("today", "peers") else "bench"]
        assert f"Run of {found['context']['date'][:10]}, commit {found['commit']}, " in text
    rows = [line.split("|")[1:-1] for line in made["short"].splitlines() if line.startswith("| ")]
    head, rows = [cell.strip() for cell in rows[0]], {row[0].strip(" `").partition(" ")[0]: row for row in rows[1:]}
    for family, (best, _) in answer.families(ran).items():
        assert float(rows[family][head.index("GB/s")]) == pytest.approx(ran.timed[best].gb_s, rel=0.006)
    assert [*rows].index("float64") < [*rows].index("recurrence"), "the accurate ones come first"
    assert all(len(line) <= 104 for line in made["answer"].splitlines() if line.startswith("    "))
    lines = [line.split(" | ") for line in made["today"].splitlines() if "of PyTorch's tutorial" in line]
    results, work = Speeds(data["peers"]).results, Case("table", None, 5000, 512)
    theirs, ours = (results[work.by(name)].times for name in ("torch_tutorial", "exact"))
    ratio = statistics.median(a / b for a, b in zip(theirs, ours))
    assert len(lines) == 1 and float(lines[0][-1].split()[0]) == pytest.approx(ratio, rel=0.006)


def test_record_keeps_what_it_recorded(tmp_path, monkeypatch):
    """Recording shortens a run of posenc-bench and loses nothing that is read. Other runs are refused."""
    monkeypatch.setattr(pages, "RECORDED", tmp_path / "recorded")
    monkeypatch.setattr(pages, "TOP", tmp_path)
    (tmp_path / "build").mkdir()
    zen = {"vendor": "AuthenticAMD", "family": "25", "model": "17"}
    whole, path = bench(case("fill exact_avx2 bfloat16", 1), **zen), tmp_path / "build/bench.json"

    def refuses(name, data):
        (tmp_path / f"build/{name}.json").write_text(json.dumps(data))
        with pytest.raises(SystemExit):
            pages.record(name)

    refuses("bench", whole)  # of an unknown commit
    for name in "bench", "verify":
        (tmp_path / f"build/{name}.commit").write_text("abc\n")
    path.write_text(json.dumps(whole))
    pages.record("bench")
    found = pages.recorded("bench")
    assert found["commit"] == "abc" and found["context"]["date"] == whole["context"]["date"]
    results, again = Speeds(whole).results, Speeds(found).results
    assert {c: r.times for c, r in results.items()} == {c: pytest.approx(r.times) for c, r in again.items()}
    runs = whole["benchmarks"]
    refuses("bench", whole | {"context": bench()["context"]})  # on an unknown processor
    refuses("bench", bench(**zen))  # without --all-cases
    refuses("bench", whole | {"benchmarks": runs[1:]})  # a turn is missing
    refuses("bench", whole | {"benchmarks": [b for b in runs if b["positions"] != 5000]})
    refuses("bench", whole | {"benchmarks": [*runs, runs[0] | {"error_occurred": True}]})
    refuses("verify", verify())  # an implementation failed
