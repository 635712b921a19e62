"""The library as one file; without optimisation, to save time. Its bits at every level, by GCC and Clang, are test_single.sh's."""

import math
from fractions import Fraction

import pytest
from places import QUICK, SOURCE, lines
from truth import columns, nearest, said


def test_single_file(python_place):
    if not (SOURCE / "scripts/amalgamate").exists():
        pytest.skip("there is no scripts/amalgamate")
    (line,) = lines(python_place.examples / "single.c")
    text = python_place.run(line, LAST="-O0", LD_LIBRARY_PATH="", PKG_CONFIG_PATH="", **QUICK)
    scale = Fraction(nearest(Fraction(math.sqrt(512))))
    scaled = [nearest(scale * Fraction(c, 512)) for c in range(4)]
    assert said(text, "position 4095 gives") == [
        nearest(Fraction(x) + Fraction(row)) for x, row in zip(scaled, columns(4095))
    ]
    assert "libposenc" not in python_place.run("ldd single")


def test_single_without_warnings(place):
    place.run("cc -c single.c $(pkg-config --cflags posenc) -o single.o")
