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
    here = sorted(map(str, pathlib.Path(sys.prefix, "lib").glob("libmkl_rt.so*")))
    for name in [*here, ctypes.util.find_library("mkl_rt")]:
        if name:
            try:
                return ctypes.CDLL(name)
            except OSError as error:
                raise NotHere(f"{pathlib.Path(name).name} cannot be loaded: {error}") from error
    raise NotHere("there is no libmkl_rt")


def writer(mkl, mode):
    """A function of a count and two addresses: so many angles at one become pairs of sine and cosine at the other."""
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    if hasattr(mkl, "vmsSinCosI"):
        both = mkl.vmsSinCosI
        both.argtypes = [integer, *[pointer, integer] * 3, ctypes.c_int64]
        both.restype = None
        return lambda count, angles, pairs: both(count, angles, 1, pairs, 2, pairs + 4, 2, mode)
    if not hasattr(mkl, "vmsSinI"):
        raise NotHere("this MKL is older than its functions with strides (2020)")
    for function in (mkl.vmsSinI, mkl.vmsCosI):
        function.argtypes = [integer, *[pointer, integer] * 2, ctypes.c_int64]
        function.restype = None

    def one_by_one(count, angles, pairs):
        mkl.vmsSinI(count, angles, 1, pairs, 2, mode)
        mkl.vmsCosI(count, angles, 1, pairs + 4, 2, mode)

    return one_by_one


class HighAccuracy(Recipe):
    """NumPy's float32 angles, some rows at a time; sines and cosines straight to their places in the table."""

    mode = HIGH_ACCURACY

    def __init__(self, threads):
        mkl = load()
        mkl.MKL_Set_Num_Threads(threads)
        text = ctypes.create_string_buffer(200)
        mkl.MKL_Get_Version_String(text, len(text))
        version = re.search(r"Version\s+([0-9.]*[0-9])", text.value.decode())[1]
        self.versions = {"NumPy": numpy.__version__, "MKL": version}
        self.write = writer(mkl, self.mode)

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
            self.write(some.size, some.ctypes.data, address + 4 * d * i)


class LowAccuracy(HighAccuracy):
    mode = LOW_ACCURACY
