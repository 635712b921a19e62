"""One table in a file, filled by many processes: they write the bytes that one process writes, NumPy can map the file,
and a run that fails says so."""

import numpy as np
import pytest
from places import lines
from reference import columns


@pytest.fixture(scope="session", params=["mapped.c", "mapped.py"])
def program(request, python_place):
    """The program's command, after the line of its head has run once."""
    (line,) = lines(python_place.examples / request.param)
    assert python_place.run(line).endswith("pe.npy: 5000 x 512 float32, written by 4 processes\n")
    return line.split(" && ")[-1].split(" pe.npy")[0]


def test_what_numpy_maps(program, python_place):
    table = np.load(python_place.examples / "pe.npy", mmap_mode="r")
    assert table.shape == (5000, 512) and table.dtype == np.dtype("<f4") and table.offset % 64 == 0
    for row in (0, 1, 1249, 1250, 3750, 4999):  # among them the last row of one process and the first of the next
        assert table[row, :4].tolist() == columns(row), row


@pytest.mark.parametrize("rows, d_model, processes", [(5000, 512, 7), (1001, 333, 5), (3, 16, 8)])
def test_the_bits_of_one(program, python_place, rows, d_model, processes):
    """Shares of the file begin anywhere in a page. With more processes than rows, some processes have no rows."""
    python_place.run(f"{program} many.npy {rows} {d_model} {processes} && {program} one.npy {rows} {d_model} 1")
    try:
        python_place.run("cmp many.npy one.npy")
    finally:
        (python_place.examples / "many.npy").unlink()
    whole = np.load(python_place.examples / "one.npy")
    assert whole.shape == (rows, d_model)
    assert whole[-1, :4].tolist() == columns(rows - 1, denominator=d_model / 2)


@pytest.mark.parametrize("arguments, why", [
    ("x.npy 5000", "usage: mapped"), ("x.npy 5000 512 0", "must be"), ("x.npy 5000 -1 2", "must be"),
    ("nowhere/x.npy 10 16 2", "No such file or directory"), ("directory 10 16 2", "Is a directory"),
])  # fmt: skip
def test_refusals(program, python_place, arguments, why):
    (python_place.examples / "directory").mkdir(exist_ok=True)
    done = python_place.try_(f"{program} {arguments}")
    assert done.returncode in (1, 2) and why in done.stderr and "Traceback" not in done.stderr and done.stdout == ""


def test_no_room(program, python_place):
    """A limit on the size of files acts like a full disk."""
    done = python_place.try_(f"trap '' XFSZ; ulimit -f 16; {program} x.npy 500 64 4")
    assert done.returncode == 1 and "File too large" in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""
