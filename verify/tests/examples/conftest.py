"""Installs the build in POSENC_BUILD into a prefix, with the Python package, as a distribution would."""

import os
import pathlib
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """The environment of programs that use the installed posenc and nothing else of the tree."""
    prefix, build = (tmp_path_factory.mktemp(name) for name in ("prefix", "python"))
    switches = [f"-DPOSENC_{name}=OFF" for name in ("BUILD_VERIFY", "BUILD_BENCH", "BUILD_TESTS", "WITH_SLEEF")]
    configure = ["cmake", "-G", "Ninja", "-S", SOURCE, "-B", build, "-DPOSENC_PYTHON_DIR=lib/python3/dist-packages"]
    install = ["cmake", "--install", os.environ["POSENC_BUILD"], "--prefix", prefix]
    install_python = ["cmake", "--install", build, "--prefix", prefix, "--component", "python"]
    for command in (install, [*configure, *switches], install_python):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    libraries = next(prefix.rglob("posenc.pc")).parents[1]  # this directory differs between systems
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(build),
        "LC_ALL": "C.UTF-8",
        "LD_LIBRARY_PATH": str(libraries),
        "PKG_CONFIG_PATH": f"{libraries}/pkgconfig",
        "PYTHONPATH": f"{prefix}/lib/python3/dist-packages",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CMAKE_PREFIX_PATH": str(prefix),
        "CMAKE_GENERATOR": "Ninja",
    }
