"""MKL's vector mathematics through its one library, libmkl_rt, which pip install mkl brings."""
import ctypes
import ctypes.util
import pathlib
import re
import sys

import numpy
from numpy_recipes import Float32
from subjects import NotHere

HIGH_ACCURACY = 0x2  # VML_HA, which is also what MKL does when nothing is said
MOST = 1 << 30  # elements of a call, whose count is an int


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


class HighAccuracy(Float32):
    """NumPy's float32 angles; sines and cosines straight to every other element of the table."""

    def __init__(self, threads):
        mkl = load()
        mkl.MKL_Set_Num_Threads(threads)
        text = ctypes.create_string_buffer(200)
        mkl.MKL_Get_Version_String(text, len(text))
        version = re.search(r"Version\s+([0-9.]*[0-9])", text.value.decode())[1]
        self.versions = {"NumPy": numpy.__version__, "MKL": version}
        pointer, integer = ctypes.c_void_p, ctypes.c_int
        try:
            self.functions = mkl.vmsSinI, mkl.vmsCosI
        except AttributeError as error:
            raise NotHere(f"MKL {version} is older than its functions with strides (2020)") from error
        for function in self.functions:
            function.argtypes = [integer, pointer, integer, pointer, integer, ctypes.c_int64]
            function.restype = None

    def fresh(self, n, d):
        pe = self.empty(n, d)
        self.refill(pe)
        return pe

    def refill(self, pe):
        angles = self.angles(*pe.shape)
        for column, function in enumerate(self.functions):
            for i in range(0, angles.size, MOST):
                count = min(MOST, angles.size - i)
                function(count, angles.ctypes.data + 4 * i, 1, pe.ctypes.data + 4 * (2 * i + column), 2, HIGH_ACCURACY)
