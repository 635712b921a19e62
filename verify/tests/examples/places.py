"""A place to build and run an example: a copy of examples/ with an installed posenc and nothing else of the tree. The
tests run the line that the example's first comment shows."""

import os
import pathlib
import re
import shutil
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[3]
#: For tests that compile the library: without optimisation Clang takes half of the time that GCC takes.
QUICK = {"CC": "clang"} if shutil.which("clang") else {}
STRICT = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"


def checked(*command, **options):
    """Runs a command. If it fails, shows its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def install(build, prefix):
    """Runs cmake --install. Returns the prefix and the directory of libraries, which differs between systems."""
    checked("cmake", "--install", build, "--prefix", prefix)
    return prefix, next(prefix.rglob("posenc.pc")).parents[1]


def head(path):
    """The first comment of an example."""
    text = path.read_text()
    if path.suffix == ".py":
        return text.split('"""')[1]
    if path.suffix == ".c":
        return text.split("*/")[0]
    return re.match(r"((//|#).*\n)+", text)[0]


def lines(path):
    """The commands that build and run an example: the lines of its head that are indented by four spaces."""
    return re.findall(r"^(?:/\*| \*|//|#)? {4,}(\S.*)$", head(path), re.MULTILINE)


class Place:
    """A copy of examples/ in a new directory, and an environment in which cc, c++ and python3 are the tested ones."""

    def __init__(self, directory, prefix, libraries, c="gcc", cpp="g++"):
        self.examples, self.prefix = directory / "examples", prefix
        shutil.copytree(SOURCE / "examples", self.examples, ignore=shutil.ignore_patterns("build", "__pycache__"))
        self.command("bin/cc", f'$CC -std=c11 {STRICT} "$@" $LAST')
        self.command("bin/c++", f'$CXX -std=c++17 {STRICT} "$@"')
        self.command("bin/python3", '/usr/bin/python3 "$@"')
        self.command("scripts/amalgamate", f'"{SOURCE}/scripts/amalgamate" "$@"')
        self.environment = {
            "PATH": f"{directory}/bin:{os.environ['PATH']}",
            "HOME": str(directory),
            "LC_ALL": "C.UTF-8",
            "LD_LIBRARY_PATH": str(libraries),
            "PKG_CONFIG_PATH": f"{libraries}/pkgconfig",
            "PYTHONPATH": f"{prefix}/lib/python3/dist-packages",
            "PYTHONDONTWRITEBYTECODE": "1",
            "CMAKE_PREFIX_PATH": str(prefix),
            "CMAKE_GENERATOR": "Ninja",
            "CC": c,
            "CXX": cpp,
            "CFLAGS": STRICT,
            "CXXFLAGS": STRICT,
        }

    def command(self, name, line):
        """Makes a command of that name, which comes before the system's."""
        path = self.examples.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\nexec {line}\n")
        path.chmod(0o755)

    def try_(self, line, **environment):
        """Runs this line in a shell in examples/."""
        return subprocess.run(
            ["bash", "-c", line],
            cwd=self.examples,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
        )

    def run(self, line, **environment):
        """Runs this line, which must succeed, and returns its output."""
        done = self.try_(line, **environment)
        assert done.returncode == 0, f"{line}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout
