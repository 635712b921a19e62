"""What scripts/peers prints of a made-up run, and the text of docs/peers.md: tables, losses, errors, how it was measured."""
import json
import re
import subprocess

import pytest

from peers_made_up import (  # first: it finds the modules
    SMALL, bench, judged, judge, python_case, python, called, joined, squeezed, SOUND, CACHE, page_of, section)
from test_report import PAGE, text_of

import peers_join
import peers_text
from peers_cases import Peers
from peers_conditions import conditions
from peers_losses import by_size, losses
from peers_tables import errors, fitness, speeds


@pytest.mark.parametrize("words, more, expected", [
    ("exact exact", {}, "yes"), ("ulp float32", {}, "yes"), ("float32 drifting", {}, "drifts from position 512"),
    ("float32 drifting drifting", {}, "drifts from position 512"),
    ("float32 drifting", {"wrong_from": 5000}, "wrong from position 5000"), ("drifting drifting", {"right": False}, "no"),
    ("exact", {"right": None}, "not judged")])
def test_the_right_table(words, more, expected):
    assert fitness(judged("x", *[(0.1, word) for word in words.split()]) | more) == expected


def test_wide_tables_are_cut_into_parts(tmp_path):
    sizes = [(64 << i, 128) for i in range(9)]
    joined(tmp_path, bench(sizes=sizes))
    out = called(peers_text.main, tmp_path / "peers.json")[1]
    part = out.split("CPU time\n")[1].split("\n\n")[0]
    assert max(map(len, out.splitlines())) <= 130 and part.count("\nslow ") == 3 and part.startswith("who ")
    assert re.findall(r"\d+ x 128", part) == [f"{n} x {d}" for n, d in sizes]
    assert len(speeds(Peers(json.loads((tmp_path / "peers.json").read_text())))[0][1][0].head) == 10


def test_losses_are_named_with_figures(tmp_path):
    found = dict(losses(Peers(joined(tmp_path))))
    assert found["row, C, one thread, quick"] == (
        "for a row of 512 below 4096: 256 ns, 0.500 ± 0.007 of exact's time and 0.250 ± 0.004 of anchored's. Its table is wrong "
        "from position 5000.")
    assert found["fresh, Python, one thread, numpy_f64"] == "at 64 x 128: 8.00 us, 0.800 ± 0.100 of exact's time."
    assert len(found) == 2
    status, out, _ = called(peers_text.main, tmp_path / "peers.json")
    out = squeezed(out)
    assert status == 0 and "Nowhere" not in out
    assert "quick 256 ns 0.500 +- 0.007 wins\nbelow 1 the peer is faster" in out
    assert "quick 4.10 us 2.50 +- 0.04 1.28 ms 2.50 +- 0.04 67.1 ms" in out
    assert "exact 512 ns -\nanchored 1.02 us -\n" in out and "below 1 the peer is faster" in out
    assert ("Where a peer is faster: its time by that of exact / of anchored\n"
            " row, C, one thread, d 512, below 4096: quick 0.500 / 0.250 (its table is wrong from position 5000)\n"
            " fresh, Python, one thread, 64 x 128: numpy_f64 0.800 / -\n"
            "Not decided: the quartiles, in parentheses, are not apart\n"
            " once, C, one thread, 64 x 128: quick 1.00 (0.983 to 1.02) / 1.00 (0.983 to 1.02)\n\n") in out
    assert "numpy_f64 8.00 us 0.800 +- 0.100 wins 10.0 s* 100\n" in out and "* made fewer rows" in out
    assert "quick 2.9e-5 float32 3.4e-4 drifting 4.0e-1 wrong wrong from position 5000 paper" in out
    assert "not run: jax_f32: no module named jax" in out and "ours: exact_avx512 and anchored_avx512" in out


def test_nowhere_is_said_and_only_then(tmp_path):
    b = bench()
    b["benchmarks"] = [c for c in b["benchmarks"] if "row/" not in c["run_name"]]
    joined(tmp_path, b)
    assert "Nowhere: in no job" in called(peers_text.main, tmp_path / "peers.json")[1]
    b["benchmarks"] = [c for c in b["benchmarks"] if "peer" not in c["run_name"]]
    joined(tmp_path, b)
    assert "Nothing was compared." in called(peers_text.main, tmp_path / "peers.json")[1]


def test_markdown(tmp_path):
    joined(tmp_path)
    status, out, err = called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "docs/peers.md")
    text = (tmp_path / "docs/peers.md").read_text()
    assert (status, err) == (0, "")
    assert out.startswith("measured: 5 repetitions (C); 7 turns, of large tables 5, seed 1 (Python)\n"
                          "date: 2026-11-21 21:00:00 UTC\n")
    assert "; of 256 rows of each range, width 512." in text and "- peers' flags: -O3 and those of their instruction set" in text
    assert "keeps its plan between calls" in text and "| `torch_tutorial` | - | 3 GiB |" in text and "**A quick" not in text
    assert "| `exact` | 90.0 ± 1.3 % | 90.0 ± 1.3 % | 90.0 ± 1.3 % |" in text and "every output compared is correctly" in text
    assert "\n- once, C, one thread, quick: at 64 x 128: 32.8 us, 1.00 (0.983 to 1.02) of exact's time and" in text
    assert "| `quick` | **0.500 ± 0.007 (peer wins)** |" in text and "| `slow` | 100 ± 1 | 100 ± 1 | 100 ± 1 |" in text
    assert r"a \| quick one" in text and "wrong from position 5000" in text and "| `quick` | C | 3.5 | paper |" in text
    assert f"| {CACHE} | at least 2 | met | 2.50 ± 0.04 (quick, 64 x 128) |" in text and "- processor: this one" in text
    assert r"- row, C, one thread, quick: for a row of 512 below 4096: 256 ns, 0.500" in text and "- jax_f32: no module" in text
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):  # whole, whatever is in the cells
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table
    assert not re.search(r"\n\n\n|[ \t]\n", text)
    assert called(peers_text.main, tmp_path / "peers.json", "--markdown", "-")[1] == text
    joined(tmp_path, None, None, python())
    status, text, err = called(peers_text.main, tmp_path / "peers.json", "--markdown", "-")
    assert (status, err) == (0, "") and "Are they right?" not in text and "`torch_tutorial`" in text


def test_the_first_call_is_a_job_of_its_own(tmp_path):
    p = python()
    p["cases"] += [python_case("first", "exact", 5e-5, size=SMALL),
                   python_case("first", "anchored", 4e-5, [0.8, 0.01], size=SMALL),
                   python_case("first", "numpy_f64", 1e-5, [0.2, 0.01], size=SMALL)]
    data = joined(tmp_path, bench(), judge(), p)
    out = squeezed(called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "m.md")[1])
    assert "\nfirst: the first call: nothing kept from earlier ones, posenc's plan made anew; Python, one thread, wall" in out
    assert "exact 50.0 us -\nanchored 40.0 us -\nnumpy_f64 10.0 us 0.200 +- 0.010 wins\n" in out  # anchored is no peer
    assert " first, Python, one thread, 64 x 128: numpy_f64 0.200 / -\n" in out
    assert "keeps its plan between calls, as its users have it; \"first\" is without" in out.replace("\n", " ")
    assert dict(losses(Peers(data)))["first, Python, one thread, numpy_f64"].startswith("at 64 x 128: 10.0 us, 0.200 ± 0.010")
    assert "first: numpy_f64" in text_of(section(page_of(tmp_path)))  # of the one sentence


def test_one_thread_beside_all_of_ours(tmp_path):
    p = python(python_case("fresh", "exact", 0.1, threads=2),
               python_case("fresh", "numpy_f32", 0.3, [3.0, 0.1], threads=2, single=True),
               python_case("fresh", "torch_tutorial", 0.4, [4.0, 0.1], threads=2))
    joined(tmp_path, None, None, p)
    out = called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "m.md")[1]
    assert "of one thread only, beside ours with all: numpy_f32; posenc" in out
    assert "of one thread only, beside ours with all: numpy_f32; posenc" in (tmp_path / "m.md").read_text()


@pytest.mark.parametrize("option, said", [(["--quick"], False), ([], True), ([], False)])
def test_a_quick_run_says_so(tmp_path, option, said):
    (tmp_path / "b").write_text(json.dumps(bench()))
    (tmp_path / "p").write_text(json.dumps(python() | {"quick": said}))
    assert called(peers_join.main, *option, "--bench", tmp_path / "b", "--python", tmp_path / "p", "--output",
                  tmp_path / "peers.json") == (0, "", "")
    out = called(peers_text.main, tmp_path / "peers.json", "--markdown", tmp_path / "m.md")[1]
    expected = said or bool(option)
    assert out.startswith("a quick run: few repetitions") == expected
    assert ("**A quick run: few" in (tmp_path / "m.md").read_text()) == expected
    assert ("A quick run: few" in text_of(section(page_of(tmp_path)))) == expected
    assert ("A quick run: its figures" in out) == expected


def test_how_it_was_measured(tmp_path):
    b = bench()
    b["benchmarks"] = [c for i, c in enumerate(b["benchmarks"]) if i]  # one repetition less of the first case
    found = dict(conditions(Peers(joined(tmp_path, b, judge(), python() | {"large_turns": 7, "seed": 0}))))
    assert found["measured"] == "4 to 5 repetitions (C); 7 turns, seed 0 (Python)" and "-ffast-math" in found["peers' flags"]
    found = dict(conditions(Peers(joined(tmp_path, None, None, python()))))
    assert found["measured"] == "7 turns, of large tables 5, seed 1 (Python)" and "peers' flags" not in found


def test_what_was_compared_is_said(tmp_path):
    peers_of = Peers(joined(tmp_path))
    assert errors(peers_of).title.endswith("; of 256 rows of each range, width 512")
    other = judge(*SOUND, judged("quick", (3e-5, "float32")) | {"d_model": 64})
    other["tables"][2]["ranges"][0]["rows"] = 12
    assert errors(Peers(joined(tmp_path, bench(), other))).title.endswith("; of 12 to 256 rows of each range, width 64 and 512")
    for table in other["tables"]:
        table["d_model"] = None
        for r in table["ranges"]:
            del r["rows"]
    assert errors(Peers(joined(tmp_path, bench(), other))).title.endswith("from the end of the one before")


def test_what_decides_comes_first_in_the_text(tmp_path):
    joined(tmp_path)
    out = called(peers_text.main, tmp_path / "peers.json")[1]
    places = [out.index(f"\n{what}") for what in ("Largest |error|", "Targets", "Where a peer", "fill: ", "row: ", "fresh: ")]
    assert places == sorted(places) and out.count("\nfill: ") == 1 and "memory used" not in out
    assert all(by_size(Peers(json.loads((tmp_path / "peers.json").read_text())), kind) for kind in ("peer", "tie"))


def test_names_that_no_encoding_has(tmp_path):
    data = joined(tmp_path)
    (tmp_path / "odd.json").write_text(json.dumps(data).replace('"quick"', '"\\ud800|`<b>"'))
    done = subprocess.run(["/usr/bin/python3", "-B", PAGE.parent / "peers_results/peers_text.py", tmp_path / "odd.json",
                           "--markdown", tmp_path / "odd.md"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "\\ud800|`<b> " in done.stdout
    text = (tmp_path / "odd.md").read_text()
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table
    here = section(page_of(tmp_path, "--peers", tmp_path / "odd.json"))
    assert "|`&lt;b&gt;" in here and "<b>" not in here.replace("<li><b>", "")


def test_as_commands(tmp_path):
    """Run as scripts/peers runs them; nothing is left in the tree."""
    for name, data in (("b", bench()), ("j", judge()), ("p", python())):
        (tmp_path / name).write_text(json.dumps(data))
    python3, scripts, out = ["/usr/bin/python3", "-B"], PAGE.parent / "peers_results", tmp_path / "peers.json"
    made = subprocess.run([*python3, scripts / "peers_join.py", "--bench", tmp_path / "b", "--judge", tmp_path / "j", "--python",
                           tmp_path / "p", "--output", out], capture_output=True, text=True)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    said = subprocess.run([*python3, scripts / "peers_text.py", out, "--markdown", tmp_path / "peers.md"], capture_output=True,
                          text=True)
    assert (said.returncode, said.stderr) == (0, "") and "Where a peer is faster" in said.stdout
    assert (tmp_path / "peers.md").exists()
    lost = subprocess.run([*python3, scripts / "peers_text.py", tmp_path / "none"], capture_output=True, text=True)
    assert lost.returncode == 2 and re.match(r"peers: .*none: No such file", lost.stderr) and lost.stderr.count("\n") == 1
    assert subprocess.run([*python3, scripts / "peers_text.py", out, "--markdown", "/dev/null/x"],
                          capture_output=True, text=True).returncode == 2
    helped = subprocess.run([*python3, scripts / "peers_join.py", "--help"], capture_output=True, text=True)
    assert helped.returncode == 0 and "--judge" in helped.stdout
