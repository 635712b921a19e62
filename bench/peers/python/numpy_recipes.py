"""Code that people write with NumPy. Formulas: Vaswani et al. (2017), section 3.5, and Hugging Face's Marian."""
import math

import numpy

BASE = 10000.0


class Recipe:
    """The methods that a worker calls. A recipe keeps nothing from one call to the next.

    fresh(n, d)  returns a new table
    refill(pe)   writes the same values to an existing table, which empty(n, d) has made
    array(pe)    returns a table as a NumPy array
    call(case)   for other jobs: returns a function without arguments that does the job once

    Tables are NumPy arrays unless a recipe says otherwise.
    """

    jobs = ("fresh", "refill")
    compiles = False  # the other jobs also run through torch.compile
    member = None  # the name of the implementation that runs, with its instruction set

    def __init__(self, threads):
        self.version = f"NumPy {numpy.__version__}"

    def empty(self, n, d):
        return numpy.empty((n, d), numpy.float32)

    def array(self, pe):
        return pe


class Float32(Recipe):
    """float32 throughout."""

    def angles(self, n, d):
        w = numpy.exp(numpy.arange(0, d, 2, dtype=numpy.float32) * numpy.float32(-math.log(BASE) / d))
        return numpy.arange(n, dtype=numpy.float32)[:, None] * w

    def fresh(self, n, d):
        angles = self.angles(n, d)
        pe = numpy.empty((n, d), numpy.float32)
        pe[:, 0::2] = numpy.sin(angles)
        pe[:, 1::2] = numpy.cos(angles)
        return pe

    def refill(self, pe):
        """Allocates no arrays for sines and cosines. NumPy cannot do more in place."""
        angles = self.angles(*pe.shape)
        numpy.sin(angles, out=pe[:, 0::2], casting="same_kind")
        numpy.cos(angles, out=pe[:, 1::2], casting="same_kind")


class Float64(Float32):
    """float64 until sines and cosines are stored, which rounds them once."""

    def angles(self, n, d):
        return numpy.arange(n)[:, None] * numpy.exp(numpy.arange(0, d, 2) * (-math.log(BASE) / d))


class Marian(Recipe):
    """Computes an angle for every column, p / 10000^(2 (j // 2) / d), in a list of lists, and discards half of the
    angles for sine and half for cosine. Marian makes a parameter once, so there is no refill job."""

    jobs = ("fresh",)

    def fresh(self, n, d):
        angles = numpy.array([[p / numpy.power(BASE, 2 * (j // 2) / d) for j in range(d)] for p in range(n)])
        table, sines = numpy.zeros((n, d), numpy.float32), d // 2 + d % 2
        table[:, :sines] = numpy.sin(angles[:, 0::2])
        table[:, sines:] = numpy.cos(angles[:, 1::2])
        return table
