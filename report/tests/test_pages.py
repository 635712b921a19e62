"""./scripts/maintain/pages: README.md and docs/ are what it renders; it changes nothing outside of the markers."""
import json
import statistics

import pytest

from conftest import run
from made_up import bench, verify
from report import measured, pages, record
from report.stats import read_bench

SHOWN = record.RECORDED / measured.SHOWN


def test_the_pages_of_this_tree():
    assert run("pages", "--check") == (0, "", "")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    (tmp_path / "examples").mkdir()
    lines = "int x;", "  /* [part: one] */", "  int y; // kept", "    int z;", "  /* [end: one] */", ""
    (tmp_path / "examples/a.c").write_text("\n".join(lines))
    monkeypatch.setattr(pages, "TOP", tmp_path)
    return tmp_path


def test_examples(tree):
    page = "before 12.5 GB/s\n<!-- example: a.c one -->\nold\n<!-- end -->\nafter\n"
    quoted = "```c\nint y; // kept\n  int z;\n```"
    assert pages.rendered(page) == f"before 12.5 GB/s\n<!-- example: a.c one -->\n{quoted}\n<!-- end -->\nafter\n"
    whole = "```c\nint x;\n  int y; // kept\n    int z;\n```"
    assert pages.rendered("<!-- example: a.c -->\n<!-- end -->\n") == f"<!-- example: a.c -->\n{whole}\n<!-- end -->\n"
    for wrong in "example: a.c two", "example: b.c":
        with pytest.raises(SystemExit):
            pages.rendered(f"<!-- {wrong} -->\n<!-- end -->\n")


def test_tables_have_their_run_beside_them():
    made = pages.rendered("<!-- table: speed -->\n<!-- end -->\n")
    found = json.loads((SHOWN / "bench.json").read_text())
    assert (
        f"Run of {found['date'][:10]}, commit {found['commit']}, " in made and "| fill 256 x 512 (L2), GB/s | " in made
    )
    with pytest.raises(SystemExit):
        pages.rendered("<!-- table: nothing -->\n<!-- end -->\n")


def test_the_tables_of_the_readme():
    """Their figures are those of the recorded runs."""
    records = pages.records()
    rows = [line.split("|")[1:-1] for line in measured.short(records).splitlines() if line.startswith("| ")]
    head, rows = [cell.strip() for cell in rows[0]], {row[0].strip(" `").partition(" ")[0]: row for row in rows[1:]}
    for name, _ in measured.answer.families(records.run).values():
        speed = float(rows[records.run.families[name]][head.index("GB/s")])
        assert speed == pytest.approx(records.run.timed[name].gb_s, rel=0.006)
    assert [*rows].index("float64") < [*rows].index("recurrence"), "the accurate ones come first"
    assert all(len(line) <= 104 for line in measured.printed(records).splitlines() if line.startswith("    "))
    lines = [line.split(" | ") for line in measured.today(records).splitlines() if "of PyTorch's tutorial" in line]
    times = {case["label"].split()[1]: case["times"] for case in json.loads((SHOWN / "peers.json").read_text())["cases"]
             if case["label"].startswith("table ") and case["positions"] == 5000}  # fmt: skip
    ratio = statistics.median(a / b for a, b in zip(times["torch_tutorial"], times["exact"]))
    assert len(lines) == 1 and float(lines[0][-1].split()[0]) == pytest.approx(ratio, rel=0.006)


def test_record_keeps_what_it_recorded(tmp_path, monkeypatch):
    """Recording shortens a run of posenc-bench and loses nothing that is read. Other runs are refused."""
    monkeypatch.setattr(record, "RECORDED", tmp_path / "recorded")
    monkeypatch.setattr(record, "TOP", tmp_path)
    (tmp_path / "build").mkdir()
    path = tmp_path / "build/bench.json"
    zen = {"vendor": "AuthenticAMD", "family": "25", "model": "17"}
    path.write_text(json.dumps(bench(**zen)))
    with pytest.raises(SystemExit):
        record.record("bench")
    path.with_suffix(".commit").write_text("abc\n")
    record.record("bench")
    found, made = record.recorded("zen-4", "bench"), bench(**zen)
    assert found["commit"] == "abc" and found["context"]["date"] == made["context"]["date"]
    rows, again = read_bench(made)[0], read_bench(found)[0]
    assert {c: r.values for c, r in rows.items()} == {c: pytest.approx(r.values) for c, r in again.items()}
    few = bench(**zen)
    few["benchmarks"] = [b for b in few["benchmarks"] if b.get("positions") != 5000]
    for refused in (bench(), bench(**zen, quick=True), few):  # on an unknown processor; quick; of other tables
        path.write_text(json.dumps(refused))
        with pytest.raises(SystemExit):
            record.record("bench")
    path = tmp_path / "build/verify.json"
    path.write_text(json.dumps(verify()))
    path.with_suffix(".commit").write_text("abc\n")
    with pytest.raises(SystemExit):
        record.record("verify")
