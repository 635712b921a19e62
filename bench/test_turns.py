"""scripts/maintain/turns, with a program in place of posenc-bench: what became of turns that fail."""
import json
import pathlib
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).parents[1]
# Writes a run with the number of its turn. The file `fail` has, for each turn, the status with which it ends without one.
PROGRAM = """#!/usr/bin/python3
import json, pathlib, sys
here, path = pathlib.Path(__file__).parent, sys.argv[sys.argv.index("--json") + 1]
turn, fails = path.split(".")[-2], json.loads((here / "fail").read_text())
if turn in fails or "*" in fails:
    sys.exit(fails.get(turn, fails.get("*")))
case = {"run_name": "x", "label": "fill x float32", "turn": int(turn)}
run = {"context": {"tool": "posenc-bench", "schema": "1"}, "benchmarks": [case]}
pathlib.Path(path).write_text(json.dumps(run))
"""


@pytest.mark.parametrize("fails, status, turns", [
    ({}, 0, [1, 2, 3, 4, 5, 6, 7, 8, 9]), ({"3": 139}, 1, [1, 2, 4, 5, 6, 7, 8, 9]), ({"*": 1}, 3, None), ({"1": 2}, 2, None),
])  # fmt: skip
def test_turns(tmp_path, fails, status, turns):
    for room in ("scripts", "report"):
        shutil.copytree(TOP / room, tmp_path / room)
    program = tmp_path / "build/release/bench/posenc-bench"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM)
    program.chmod(0o755)
    (program.parent / "fail").write_text(json.dumps(fails))
    (tmp_path / "all.json").write_text("of an earlier run")
    command = [tmp_path / "scripts/maintain/turns", "0.01", tmp_path / "all.json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status and done.stderr.startswith("turn 1 of 9\n")
    if turns:
        joined = json.loads((tmp_path / "all.json").read_text())
        assert [b["turn"] for b in joined["benchmarks"]] == turns
    else:
        assert not (tmp_path / "all.json").exists()
    assert ("turn 3 has no results: posenc-bench ended with status 139" in done.stderr) == ("3" in fails)
