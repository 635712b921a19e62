"""The example with the library as one file, without optimisation to save time. test_single.sh tests its bits at every
level, with GCC and Clang."""

import numpy as np
import pytest
from places import QUICK, SOURCE, lines
from reference import columns, nearest, said


def test_single_file(python_place):
    if not (SOURCE / "scripts/amalgamate").exists():
        pytest.skip("scripts/amalgamate is missing")
    (line,) = lines(python_place.examples / "single.c")
    text = python_place.run(line, LAST="-O0", LD_LIBRARY_PATH="", PKG_CONFIG_PATH="", **QUICK)
    x = nearest(nearest(np.sqrt(512)) * np.arange(4) / 512)
    assert said(text, "position 4095 gives") == nearest(x + columns(4095)).tolist()
    assert "libposenc" not in python_place.run("ldd single")


def test_single_without_warnings(place):
    place.run("cc -c single.c $(pkg-config --cflags posenc) -o single.o")
