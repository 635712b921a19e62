"""./scripts/maintain/pages: README.md and docs/ are what it renders; it changes nothing outside of the markers."""
import json
import re

import pytest

from conftest import run
from made_up import bench, entry
from report import measured, pages, record

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
    made = pages.rendered("<!-- table: speed-limits -->\n<!-- end -->\n")
    bench = json.loads((SHOWN / "bench.json").read_text())
    assert f"Run of {bench['date'][:10]}, commit {bench['commit']}, " in made
    assert "| fill 256 x 512 (L2), GB/s | " in made
    assert "on AMD Zen 4, " in pages.rendered("<!-- table: speed-limits zen-4 -->\n<!-- end -->\n")
    other = measured.Records("zen-4")
    assert other.verify["commit"] in other.sources and other.bench["commit"] in other.sources
    lead = r"(as fast as|[\d.]+ % \w+ than) `exact`[^.]*"
    assert re.search(rf"table it is {lead}\. In a table of .* it is {lead}", measured.anchored_beside_exact(other))
    with pytest.raises(SystemExit):
        pages.rendered("<!-- table: nothing -->\n<!-- end -->\n")


def test_the_tables_of_the_readme():
    """Their figures are those of the recorded runs."""
    records = pages.records()
    lines = [line.removeprefix("    ") for line in measured.box(records).splitlines()]
    assert sum(line.startswith("│") for line in lines) <= 12 and max(map(len, lines)) <= 80
    assert not any(line.strip("│ ").startswith("%") for line in lines), "a number keeps its unit"
    rows = [line.split("|") for line in measured.short(records).splitlines() if "|" in line]
    short = {row[1].strip("` "): row for row in rows}
    assert [*short].index("float64") < [*short].index("recurrence"), "the accurate ones come first"
    shown = {5: ["naive", "explog", "recurrence", "float64", *records.both()]}
    if "AVX2" in short["implementation"][6]:
        shown[6] = ["anchored_avx2", "exact_avx2"]
    for column, names in shown.items():
        for name in names:
            gb_s = records.run.timed[name].gb_s
            assert float(short[records.run.families[name]][column]) == pytest.approx(gb_s, rel=0.006), name
    peers = {(c["kind"], c["who"], c["n"]): c for c in records.peers.data["cases"] if c["dtype"] == "float32"}
    ratio = peers["table", "torch_tutorial", 5000]["ratios"]["posenc.torch"]
    row = next(line for line in measured.today(records).splitlines() if "PyTorch" in line)
    assert float(row.split("|")[7]) == pytest.approx(ratio, rel=0.006) and len(row.split("|")) == 9


def test_a_family_without_a_description(monkeypatch):
    monkeypatch.delitem(measured.SHORT, "explog")
    records = pages.records()
    assert f"| `explog` | {records.run.entries['explog']['summary']} |" in measured.short(records)


REFUSED = {"peers": {"quick": True}, "verify": {"implementations": [entry("x", verified=False, failure="wrong")]}}


def test_record_keeps_what_it_recorded(tmp_path, monkeypatch):
    """Recording a record changes nothing. Quick and failed runs, and runs without a commit, are refused."""
    kept = {name: (SHOWN / f"{name}.json").read_text() for name in ("verify", "peers")}
    monkeypatch.setattr(record, "RECORDED", tmp_path)
    for name, text in kept.items():
        path = tmp_path / f"build-{name}.json"
        path.write_text(text)
        with pytest.raises(SystemExit):
            record.record(name, path)
        path.with_suffix(".commit").write_text(json.loads(text)["commit"] + "\n")
        record.record(name, path)
        assert json.loads((tmp_path / SHOWN.name / f"{name}.json").read_text()) == json.loads(text)
        path.write_text(json.dumps(json.loads(text) | REFUSED[name]))
        with pytest.raises(SystemExit):
            record.record(name, path)


def test_a_recorded_run_has_its_duration(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RECORDED", tmp_path)
    path = tmp_path / "build.json"
    for kind, said in (("commit", "abc"), ("seconds", "313")):
        path.with_suffix(f".{kind}").write_text(f"{said}\n")
    path.write_text(json.dumps(bench()))
    with pytest.raises(SystemExit):  # its processor is unknown
        record.record("bench", path)
    path.write_text(json.dumps(bench(vendor="AuthenticAMD", family="25", model="17")))
    record.record("bench", path)
    found = record.recorded("zen-4", "bench")
    assert found["seconds"] == 313 and found["commit"] == "abc"
