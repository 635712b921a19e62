"""Every example says in its head how it is built and run, is tested, and marks the parts that pages quote."""

import pathlib
import re

import pytest
from places import SOURCE, lines

EXAMPLES = SOURCE / "examples"
FILES = [
    path.relative_to(EXAMPLES).as_posix()
    for path in sorted(EXAMPLES.rglob("*.*"))
    if path.suffix in (".c", ".cpp", ".py", ".txt") and not {"build", "__pycache__"} & set(path.parts)
]


@pytest.mark.parametrize("name", FILES)
def test_head_and_parts(name):
    tests = "".join(path.read_text() for path in pathlib.Path(__file__).parent.glob("test_*.py"))
    assert f'"{name}"' in tests, f"{name}: no test runs it"
    assert lines(EXAMPLES / name), f"{name}: no line in its head is indented by four spaces"
    marks = re.findall(r"\[(part|end): ([^\]]*)\]", (EXAMPLES / name).read_text())
    begun, ended = marks[::2], marks[1::2]
    assert [("end", part) for kind, part in begun if kind == "part"] == ended and len(begun) == len(ended)
