"""Every example says in its head how it is built and run, and marks the parts that pages quote."""

import re

from places import SOURCE, lines

EXAMPLES = SOURCE / "examples"
#: All of them, and by which test each is built and run.
TESTED = {
    "CMakeLists.txt": "test_c.py",
    "grid.py": "test_python.py",
    "mapped.c": "test_mapped.py",
    "mapped.py": "test_mapped.py",
    "presets.py": "test_python.py",
    "rotary.py": "test_python.py",
    "single.c": "test_single.py",
    "subproject/CMakeLists.txt": "test_subproject.py",
    "table.c": "test_c.py",
    "table.cpp": "test_c.py",
    "table.py": "test_python.py",
    "transformer.py": "test_python.py",
}


def files():
    found = (path for path in EXAMPLES.rglob("*") if path.is_file() and path.suffix in (".c", ".cpp", ".py", ".txt"))
    return {
        path.relative_to(EXAMPLES).as_posix(): path
        for path in found
        if "build" not in path.parts[len(EXAMPLES.parts) :]
    }


def test_none_is_forgotten():
    assert sorted(files()) == sorted(TESTED)
    for name, test in TESTED.items():
        assert name.split("/")[-1] in (SOURCE / "verify/tests/examples" / test).read_text()


def test_heads():
    for name, path in files().items():
        assert lines(path), f"{name}: no line in its head is indented by four spaces"


def test_parts():
    for name, path in files().items():
        begun = None
        for kind, part in re.findall(r"\[(part|end): ([^\]]*)\]", path.read_text()):
            assert begun == (part if kind == "end" else None), f"{name}: [{kind}: {part}] after [part: {begun}]"
            begun = part if kind == "part" else None
        assert begun is None, f"{name}: [part: {begun}] does not end"
