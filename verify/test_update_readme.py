"""What scripts/update-readme writes into a small tree, and what it refuses."""
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree

import pytest

from test_compare import TOP, bench, case, judged, verify

README = """# A
<!-- bench:begin (written by scripts/update-readme) -->
old
<!-- bench:end -->
the rest
"""


@pytest.fixture
def tree(tmp_path):
    """A copy of the scripts with a README, results and nothing to install."""
    shutil.copytree(TOP / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "scripts/setup").write_text("#!/bin/sh\n[ $1 = report ]\n")
    (tmp_path / "build").mkdir()
    (tmp_path / "README.md").write_text(README)
    spread = (0.9, 0.96, 1, 1.04, 1.1)
    data = bench(case("limit/store/w:32", 1), case("fill/good/f32", 2, times=spread), case("fill/naive/f32", 40),
                 case("fill/unjudged/f32", 1), compiler="GCC 12", date="2026-01-02T03:04")
    (tmp_path / "build/bench.json").write_text(json.dumps(data))
    entries = {"naive": ([judged(max_abs=4e-4, ulp_max=1e6)], {"arithmetic": "float32 libm", "summary": "as [it] reads"}),
               "good": ([judged()], {"summary": "good"})}
    (tmp_path / "build/verify.json").write_text(json.dumps(verify(entries)))
    return tmp_path


def update(tree, *arguments):
    return subprocess.run([tree / "scripts/update-readme", *arguments], capture_output=True, text=True)


def test_update_readme(tree):
    done = update(tree)
    assert done.returncode == 0, done.stderr
    text = (tree / "README.md").read_text()
    assert text.startswith("# A\n<!-- bench:begin") and text.endswith("\n<!-- bench:end -->\nthe rest\n") and "old" not in text
    alt = re.search(r"^!\[(.*)\]\(docs/speed\.svg\)$", text, re.M)[1]
    for words in ("4 x 8", "good: ", "2.00 ± 0.08 GB/s", "50.0", "1.0e-8", "(naive): 0.10 GB/s, 4.0e-4."):
        assert words in alt
    assert "| `good` |" in text
    picture = (tree / "docs/speed.svg").read_text()
    root = xml.etree.ElementTree.fromstring(picture)
    shown = [" ".join(element.itertext()).strip() for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"good", "naive"} <= set(shown) and "unjudged" not in shown
    assert any("stores" in line and "4.0" in line for line in shown)  # the limit
    assert any("this one, GCC 12, 2026-01-02" in line for line in shown) and "var(" not in picture
    below, inner = root[0], root.find("{http://www.w3.org/2000/svg}svg")
    assert (below.tag[-5:], below.get("fill"), below.get("width")) == ("}rect", "#ffffff", "100%") and int(inner.get("y")) > 20
    assert update(tree).returncode == 0 and (tree / "docs/speed.svg").read_text() == picture  # the same run, the same picture
    assert not list(tree.rglob("__pycache__")) and not list(tree.glob(".README*"))


@pytest.mark.parametrize("file, content, status, said", [
    ("build/bench.json", "{}", 2, "bench.json: this is not a run of posenc-bench"),
    ("build/bench.json", json.dumps(bench(case("fill/unjudged/f32", 1))), 2, "both verified and run"),
    ("build/bench.json", json.dumps(bench(case("fill/good/f32", 1), emulated="yes")), 2, "emulated"),
    ("README.md", "nothing", 2, "README.md does not have these two lines"),
    ("scripts/setup", "#!/bin/sh\nexit 1\n", 1, "")])
def test_update_readme_refuses(tree, file, content, status, said):
    (tree / file).write_text(content)
    before = (tree / "README.md").read_text()
    done = update(tree)
    assert done.returncode == status and said in done.stderr and "Traceback" not in done.stderr
    assert (tree / "README.md").read_text() == before and not (tree / "docs").exists()
