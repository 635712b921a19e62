"""The section on peers of the report's page, what is drawn in it, and bad files, which are named and change nothing."""
import json
import re

import pytest

from peers_made_up import bench, judge, python, called, joined, CACHE, page_of, section, put  # first: it finds the modules
from test_report import report, sound, text_of, bench as report_bench

import drawing
import peers
import peers_text
from peers_cases import Peers


def test_the_report_without_the_file_says_nothing(tmp_path):
    page = page_of(tmp_path)
    assert section(page) is None and "peers" not in text_of(page) and not (tmp_path / "page/peers.json").exists()


def test_the_section(tmp_path):
    data = joined(tmp_path)
    page = page_of(tmp_path)  # beside what was verified
    assert json.loads((tmp_path / "page/peers.json").read_text()) == data and page.count("<svg") == 12
    here = section(page)
    text = text_of(here)
    assert peers.QUESTION in text
    assert ("exact fills memory that is there 2.50 ± 0.04 (quick, 64 × 128) to 100 ± 1 (slow, 64 × 128) times as fast as "
            "2 C peers and makes a fresh table 0.800 ± 0.100 (numpy_f64, 64 × 128) to 100 (numpy_f64, 131072 × 1024) times as "
            "fast as 2 Python peers; 2 of 4 peers are faster somewhere (row: quick; fresh: numpy_f64); of 3 peers judged, "
            "positions to 32k, 1 stays within 4 ULP, 1 has a float32 angle's errors, up to 3.0e-5 and 1 is "
            "worse than that (quick).") in text
    assert "Peers that are faster in row, C, one thread: 1 of 1 peer: quick" in text
    assert "row, C, one thread, quick for a row of 512 below 4096: 256 ns, 0.500 ± 0.007 of exact's time" in text
    assert "quick 256 ± 3 ns 0.500 ± 0.007 (peer wins) 0.250 ± 0.004 (peer wins)" in text
    assert "numpy_f64 8.00 ± 0.08 us 0.800 ± 0.100 (peer wins) - - 10.0 ± 0.1 s* 100 - -" in text
    assert "exact 20.0 ± 0.2 ms - - torch_tutorial 1.30 ± 0.01 s 65.0 ± 1.0 64.0 ± 1.0" in text
    assert "quick 2.9e-5 float32 3.4e-4 drifting 4.0e-1 wrong" in text
    assert f"{CACHE} at least 2 met 2.50 ± 0.04 (quick, 64 x 128)" in text and "Not run: jax_f32 (no module" in text
    assert "another machine" not in text and "A quick run" not in text
    assert "Measured by scripts/peers, 2026-11-21, on this one; 5 repetitions (C); 7 turns, of large tables 5, seed 1" in text
    assert "fresh: a fresh table, allocated and produced (Python, one thread)" in text
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids)) and not re.search(r"#0[1-6][0-9a-f]{4}\b", page)
    (tmp_path / "peers.json").unlink()
    page_of(tmp_path)
    assert not (tmp_path / "page/peers.json").exists()  # nor left beside a page that is not about it


@pytest.mark.parametrize("parts, drawn", [((bench(), None, None), 2), ((None, None, python()), 2), ((None, judge(), python()), 2),
                                          ((bench(emulated="yes"), judge(), None), 0), ((bench(others={}), None, None), 0)])
def test_a_part_is_enough(tmp_path, parts, drawn):
    joined(tmp_path, *parts)
    page = section(page_of(tmp_path))
    assert page.count("<svg") == drawn and "None" not in text_of(page)
    assert called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "m.md")[0] == 0


def test_which_file(tmp_path):
    joined(tmp_path, bench(cpu="<b>another"), judge(), None)
    assert section(page_of(tmp_path, b=None)) is None  # errors only, unless it is named
    page = page_of(tmp_path, "--peers", tmp_path / "peers.json", b=None)
    assert "another machine than the one above, this one" in text_of(section(page)) and "<b>another" not in page
    (tmp_path / "peers.json").rename(tmp_path / "elsewhere.json")
    assert section(page_of(tmp_path)) is None and section(page_of(tmp_path, "--peers", tmp_path / "elsewhere.json"))


def test_what_is_drawn(tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr(drawing, "inline", lambda figure, label: figures.append(figure) or "")
    data = joined(tmp_path)
    caption = peers.picture(Peers(data)).caption
    wide, narrow = figures
    c = next(a for a in wide.axes if [t.get_text() for t in a.get_yticklabels()] == ["quick", "slow"])
    dots = [(container.lines[0].get_xdata()[0], container.lines[0].get_ydata()[0]) for container in c.containers]
    assert dots == [(pytest.approx(x), y) for x, y in ((2.5, 0),) * 3 + ((100, 1),) * 3]
    assert [x for line in c.lines for x in line.get_xdata() if line.get_color() == drawing.INK] == [1, 1]
    assert "Bars: the interquartile range" in caption
    bars = [tuple(lines.get_segments()[0][:, 0]) for container in c.containers for lines in container.lines[2]]
    assert bars[0] == pytest.approx((2.5 * 0.99 / 1.01, 2.5 * 1.01 / 0.99))
    hollow = [container.lines[0].get_markerfacecolor() == drawing.PAPER for container in c.containers]
    assert hollow == [False, True, True, False, False, False]  # quick drifts from position 512 on
    assert c.get_xlim()[0] <= 0.8 < 100 < c.get_xlim()[1] and "Hollow" in caption
    texts = [t.get_text() for t in narrow.texts]
    assert [t for t in texts if "×" in t] == ["64 × 128", "5000 × 512", "131072 × 1024"]
    assert sum(t.startswith(("C:", "Python:")) for t in texts) == 2


@pytest.mark.parametrize("path, value, message", [
    (["cases", 0, "job"], "other", "job is 'other', not one of"), (["cases", 0, "seconds"], 0, "seconds is 0, not above 0"),
    (["cases", 0, "seconds"], 10 ** 400, "OverflowError"), (["cases", 0, "exact"], [10 ** 400, 0], "OverflowError"),
    (["cases", 0, "n"], 1.5, "n is 1.5, not a count"), (["cases", 0, "threads"], True, "threads is True"),
    (["cases", 0, "exact"], [-1, None], "a ratio and its spread"), (["cases", 0, "exact"], [1], "a ratio and its spread"),
    (["cases"], [], "at least one case"), (["cases", 1], {}, "peer is None, not a text"),
    (["peers", 0, "ranges", 0, "word"], "fine", "word is 'fine', not one of"), (["peers", 0, "right"], "yes", "right is 'yes'"),
    (["peers", 0, "ranges", 0, "max_abs"], -1, "0 or more, or null"), (["peers", 0, "world"], "rust", "world is 'rust'"),
    (["peers", 0, "ranges", 0, "to"], 0, "above from"), (["machine"], None, "machine is None, not an object"),
    (["machine", "caches"], [{"level": 2}], "machine.caches: size"), (["not_run"], [{"name": "x"}], "not_run: reason"),
    (["versions"], [], "versions is .., not an object"), (["tool"], "posenc-verify", "not a file of scripts/peers"),
    (["cases", 0, "quartiles"], [1, 2], "quartiles is .*, not an object"),
    (["cases", 0, "quartiles", "seconds"], [2, 1], "quartiles: seconds is .*, not two rising numbers"),
    (["cases", 0, "quartiles", "exact"], [0, 1], "not two rising numbers"), (["cases", 0, "single"], 1, "single is 1"),
    (["run"], 5, "run is 5, not an object"), (["run", "quick"], "no", "run: quick is 'no'"),
    (["run", "turns"], 0, "run: turns is 0"),
    (["run", "repetitions"], 7, "run: repetitions is 7"), (["not_run", 0, "job"], "x", "not_run: job is 'x'"),
    (["not_run", 0, "world"], "x", "not_run: world is 'x'"), (["not_run", 0, "peer"], 1, "not_run: peer is 1"),
    (["peers", 0, "d_model"], "wide", "d_model is 'wide'"), (["peers", 0, "ranges", 0, "rows"], -1.5, "rows is -1.5"),
    (["schema"], 2, "schema 1"), (["date"], 5, "date is 5"), (["cases"], "x", "not a file of scripts/peers")])
def test_a_bad_file_is_named_and_nothing_written(tmp_path, path, value, message):
    bad = tmp_path / "peers.json"
    bad.write_text(json.dumps(put(joined(tmp_path), path, value)))
    (tmp_path / "page").mkdir()
    (tmp_path / "page/index.html").write_text("old")
    (tmp_path / "old.md").write_text("old")
    status, out, err = called(peers_text.main, bad, "--markdown", tmp_path / "old.md")
    assert status == 2 and out == "" and re.match(f"peers: .*peers.json: .*{message}", err) and err.count("\n") == 1, err
    status, out, err = report(tmp_path, sound(), report_bench())
    assert status == 2 and out == "" and re.match(f"report: .*peers.json: .*{message}", err)
    assert (tmp_path / "old.md").read_text() == "old" and [p.name for p in (tmp_path / "page").iterdir()] == ["index.html"]
    assert (tmp_path / "page/index.html").read_text() == "old"
