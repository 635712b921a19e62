"""Installs the build in POSENC_BUILD into a prefix, and makes places to build and run the examples in."""

import os
import pathlib
import shutil

import pytest
from places import SOURCE, Place, checked, install


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    return install(pathlib.Path(os.environ["POSENC_BUILD"]), tmp_path_factory.mktemp("installed") / "prefix")


@pytest.fixture(scope="session")
def package(prefix, tmp_path_factory):
    """Adds the Python package to the prefix, as a distribution would."""
    build = tmp_path_factory.mktemp("python")
    switches = [f"-DPOSENC_{name}=OFF" for name in ("BUILD_VERIFY", "BUILD_BENCH", "BUILD_TESTS", "WITH_SLEEF")]
    checked(
        "cmake", "-G", "Ninja", "-S", SOURCE, "-B", build, "-DPOSENC_PYTHON_DIR=lib/python3/dist-packages", *switches
    )
    checked("cmake", "--install", build, "--component", "python", "--prefix", prefix[0])
    return prefix


@pytest.fixture(scope="session", params=["gcc g++", "clang clang++"], ids=["gcc", "clang"])
def place(request, prefix, tmp_path_factory):
    c, cpp = request.param.split()
    if not shutil.which(c) or not shutil.which(cpp):
        pytest.skip(f"there is no {c} or {cpp}")
    return Place(tmp_path_factory.mktemp(c), *prefix, c, cpp)


@pytest.fixture(scope="session")
def python_place(package, tmp_path_factory):
    return Place(tmp_path_factory.mktemp("programs"), *package)
