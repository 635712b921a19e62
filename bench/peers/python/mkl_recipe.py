"""MKL's vector mathematics through its one library, libmkl_rt, which pip install mkl brings."""
import ctypes
import ctypes.util
import math
import pathlib
import re
import sys

import numpy
from numpy_recipes import BASE, Recipe
from subjects import NotHere

# Modes, as mkl_vml_defines.h has them: at most 1 and at most 4 ULP. High accuracy is also what MKL does when nothing is said.
LOW_ACCURACY, HIGH_ACCURACY = 0x1, 0x2
ANGLES = 1 << 17  # of a call: half a megabyte, which stays in cache; all of a large table at once took a fifth longer


def load():
    """The one that pip put beside this Python, whatever its number, or else the system's."""
    beside = sorted(map(str, pathlib.Path(sys.prefix, "lib").glob("libmkl_rt.so*")))
    name = next(iter([*beside, ctypes.util.find_library("mkl_rt")]))
    if not name:
        raise NotHere("there is no libmkl_rt")
    mkl = ctypes.CDLL(name)
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    mkl.vmsSinCosI.argtypes = [integer, *[pointer, integer] * 3, ctypes.c_int64]
    mkl.vmsSinCosI.restype = None
    return mkl


class HighAccuracy(Recipe):
    """NumPy's float32 angles, some rows at a time; sines and cosines straight to their places in the table."""

    mode = HIGH_ACCURACY

    def __init__(self, threads):
        self.mkl = mkl = load()
        mkl.MKL_Set_Num_Threads(threads)
        text = ctypes.create_string_buffer(200)
        mkl.MKL_Get_Version_String(text, len(text))
        version = re.search(r"Version\s+([0-9.]*[0-9])", text.value.decode())[1]
        self.versions = {"NumPy": numpy.__version__, "MKL": version}

    def fresh(self, n, d):
        pe = self.empty(n, d)
        self.refill(pe)
        return pe

    def refill(self, pe):
        n, d = pe.shape
        w = numpy.exp(numpy.arange(0, d, 2, dtype=numpy.float32) * numpy.float32(-math.log(BASE) / d))
        positions, address = numpy.arange(n, dtype=numpy.float32)[:, None], pe.ctypes.data
        rows = min(n, max(1, 2 * ANGLES // d))
        angles = numpy.empty((rows, d // 2), numpy.float32)
        for i in range(0, n, rows):
            some = angles[: min(rows, n - i)]
            numpy.multiply(positions[i : i + rows], w, out=some)
            pairs = address + 4 * d * i
            self.mkl.vmsSinCosI(some.size, some.ctypes.data, 1, pairs, 2, pairs + 4, 2, self.mode)


class LowAccuracy(HighAccuracy):
    mode = LOW_ACCURACY
