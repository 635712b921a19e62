"""scripts/maintain/turns and scripts/compare, with a program in place of posenc-bench: what became of turns that fail."""
import json
import pathlib
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).parents[1]
# Writes a run with the number of its turn. The file `fail` has, for each turn, the status with which it ends without one.
PROGRAM = """#!/usr/bin/python3
import json, pathlib, sys
here = pathlib.Path(__file__).parent
if "--list" in sys.argv:
    sys.exit(print("limit/x/n:1", "fill/x/n:1", "fill/y/n:1", "fill/x/n:2", "not run: z: no", f"row/{here.name}", sep="\\n"))
path = sys.argv[sys.argv.index("--json") + 1]
turn, fails = path.split(".")[1], json.loads((here / "fail").read_text())
with open(here.parent / "log", "a") as log:
    print(here.name, turn, sys.argv[-1].partition("=")[2], file=log)
if turn in fails or "*" in fails:
    sys.exit(fails.get(turn, fails.get("*")))
case = {"run_name": "x", "run_type": "iteration", "label": "fill x float32", "turn": int(turn), "cpu_time": 1, "time_unit": "ns"}
run = {"context": {"tool": "posenc-bench", "schema": "1"}, "benchmarks": [case]}
pathlib.Path(path).write_text(json.dumps(run))
"""


@pytest.fixture
def program(tmp_path):
    """Makes a copy of the scripts and of the program, in a directory of that name."""
    for room in ("scripts", "report"):
        shutil.copytree(TOP / room, tmp_path / room)

    def make(name, fails):
        made = tmp_path / "build/release" / name / "posenc-bench"
        made.parent.mkdir(parents=True)
        made.write_text(PROGRAM)
        made.chmod(0o755)
        (made.parent / "fail").write_text(json.dumps(fails))
        return made

    return make


@pytest.mark.parametrize("fails, status, turns", [
    ({}, 0, [1, 2, 3, 4, 5, 6, 7, 8, 9]), ({"3": 139}, 1, [1, 2, 4, 5, 6, 7, 8, 9]), ({"*": 1}, 3, None), ({"1": 2}, 2, None),
])  # fmt: skip
def test_turns(tmp_path, program, fails, status, turns):
    program("bench", fails)
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


def test_two_programs_take_turns(tmp_path, program):
    """Work by work, with the cases of both but no limits; each program begins every second turn."""
    program("bench", {})
    other = program("other", {})
    command = [tmp_path / "scripts/maintain/turns", "0.01", tmp_path / "a.json", "--beside", other, tmp_path / "b.json"]
    subprocess.run(command, check=True, capture_output=True)
    for name in "ab":
        joined = json.loads((tmp_path / f"{name}.json").read_text())["benchmarks"]
        assert [b["turn"] for b in joined] == [turn for turn in range(1, 10) for _ in range(2)]
    log = [line.split() for line in (tmp_path / "build/release/log").read_text().splitlines()]
    assert {work for *_, work in log} == {"^(fill/x/n:1|fill/y/n:1)$", "^(fill/x/n:2)$"} and len(log) == 9 * 2 * 2
    for one, two in zip(log[::2], log[1::2]):
        assert one[1:] == two[1:] and [one[0], two[0]] == (
            ["other", "bench"] if int(one[1]) % 2 else ["bench", "other"]
        )


def test_compare(tmp_path, program):
    """Builds that are equal, and one in which a turn fails."""
    made = program("bench", {})
    (tmp_path / "scripts/maintain/setup").write_text("#!/bin/sh\n")
    (tmp_path / "scripts/maintain/build").write_text(
        f"""#!/bin/sh
        cd "$(dirname "$0")/../.." && mkdir -p build/release/bench && cp -n {made} fail build/release/bench/\n"""
    )
    (tmp_path / "fail").write_text("{}")
    (tmp_path / ".gitignore").write_text("build/")
    for command in ("init -q -b main", "add .", "-c user.name=x -c user.email=x commit -q -m x"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    done = subprocess.run(tmp_path / "scripts/compare", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "1 case: no interval beyond a change of 5 %\n")
    (made.parent / "fail").write_text('{"3": 1}')
    assert subprocess.run([tmp_path / "scripts/compare", "main"], capture_output=True).returncode == 2
