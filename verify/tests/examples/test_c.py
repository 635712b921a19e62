"""The examples in C and C++, built with pkg-config and with CMake, by GCC and Clang, with every warning an error."""

import numpy as np
from places import SOURCE, lines
from reference import columns, nearest, said

SAME = "the two tables have the same bits"


def shared(place, program):
    """Whether the program is linked to the shared library and finds it."""
    return "libposenc.so.1 =>" in place.run(f"ldd {program}")


def test_first(place):
    (line,) = lines(place.examples / "first.c")
    assert said(place.run(line), "row 4999 starts") == columns(4999, n=2)
    assert shared(place, "first")


def test_table_by_pkg_config(place):
    line = lines(place.examples / "table.c")[0]
    text = place.run(line)
    assert said(text, "row 4999 starts") == columns(4999) and SAME in text
    assert shared(place, "table")
    table = np.load(place.examples / "pe.npy")
    assert table.shape == (5000, 512) and table.dtype == np.dtype("<f4")
    assert all(table[row, :4].tolist() == columns(row) for row in (0, 1, 2500, 4999))
    assert place.try_("./table no/pe.npy").returncode == place.try_("./table /dev/full").returncode == 1


def test_yarn(place):
    """transformers, _compute_yarn_parameters, for base 10000, 64 columns, factor 40, 4096 positions."""
    (line,) = lines(place.examples / "yarn.c")
    k = np.arange(4)  # these frequencies turn more than 32 times in 4096 positions, so they are not scaled
    mscale, all_dim = (0.1 * m * np.log(40) + 1 for m in (0.707, 1))
    want = nearest(mscale / all_dim * np.cos(8191 * 10000.0 ** (-k / 32)))
    assert said(place.run(line), "row 8191 starts") == want.tolist()


def test_static_table_by_pkg_config(place):
    line = lines(place.examples / "table.c")[1]
    text = place.run(line, LD_LIBRARY_PATH="")
    assert said(text, "row 4999 starts") == columns(4999) and SAME in text
    assert not shared(place, "table")


def test_class_by_pkg_config(place):
    (line,) = lines(place.examples / "table.cpp")
    text = place.run(line)
    assert said(text, "row 131071 starts") == columns(131071)
    assert "refused: positions[0] is 8589934592" in text and "refused: rows() makes floats" in text


def test_kernel(place):
    (line,) = lines(place.examples / "kernel.c")
    assert f"    {place.run(line).strip()}\n" in (SOURCE / "docs/kernels.md").read_text()


def test_cmake(place):
    configure, run = lines(place.examples / "CMakeLists.txt")
    place.run(configure)
    text = place.run(run, LD_LIBRARY_PATH="")  # CMake's programs know where the library is
    assert text.count(SAME) == 2 and said(text, "row 131071 starts") == columns(131071)
    for part in text.split("posenc ")[1:3]:
        assert said(part, "row 4999 starts") == columns(4999)
    assert "pe.npy: 5000 x 512 float32, written by 4 processes" in text
    assert shared(place, "build/table") and not shared(place, "build/table_static")
