"""The arithmetic by which other programs compute tables, rounding errors included."""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._table import table

Array = npt.NDArray[Any]
#: The bits of the significand, and the smallest exponent.
KINDS = {"float64": (53, -1022), "float32": (24, -126), "float16": (11, -14), "bfloat16": (8, -126)}


def rounded(x: Array, kind: str) -> Array:
    """Returns float64 values, each rounded once to this dtype."""
    bits, least = KINDS[kind]
    if kind != "bfloat16":
        return x.astype(kind).astype(float)
    unit = np.maximum(np.frexp(x)[1] - 1, least) - bits + 1
    result: Array = np.ldexp(np.rint(np.ldexp(x, -unit)), unit)
    return result


@functools.cache
def libm() -> ctypes.CDLL:
    """Returns the system's library of mathematical functions, which other programs use.

    posenc's own library may be linked to another one."""
    names = {"win32": "ucrtbase", "darwin": "libSystem.dylib"}
    try:
        return ctypes.CDLL(names.get(sys.platform, "libm.so.6"))
    except OSError:
        return ctypes.CDLL(None)  # musl has the functions in its C library, to which the interpreter is linked


def libm_function(name: str, kind: Any, arguments: int) -> Any:
    function = getattr(libm(), name + ("f" if kind is np.float32 else ""))
    function.restype = ctypes.c_float if kind is np.float32 else ctypes.c_double
    function.argtypes = [function.restype] * arguments
    return np.vectorize(lambda *x: kind(function(*x)), otypes=[kind])


def bfloat16_frequencies(base: float, k: Array, denominator: float) -> Array:
    """Returns KerasHub's frequencies in bfloat16: (1 / base) ** (2k / d), rounded after each step."""

    def b(x: Any) -> Array:
        return rounded(np.asarray(x, float), "bfloat16")

    exponent = b(b(2.0 * k) / b(2.0 * denominator))
    return b(libm_function("pow", np.float32, 2)(b(1 / base).astype("f4"), exponent.astype("f4")).astype(float))


class Form(NamedTuple):
    """One way to write a formula in some arithmetic."""

    arithmetic: str  #: one of ARITHMETICS
    text: str  #: the angle, as a line of code
    kind: Any  #: the type of the frequencies: a NumPy type, "bfloat16", or None for the library's own values
    frequency: str  #: the formula of the frequencies, as in `frequencies`

    def frequencies(self, base: float, n: int, denominator: float) -> Array:
        """Returns n frequencies, or the divisors of positions, in the form's arithmetic."""
        if self.kind == "bfloat16":
            return bfloat16_frequencies(base, np.arange(n), denominator).astype("f4")
        kind, k = self.kind, np.arange(n).astype(self.kind)
        b, d = kind(base), kind(denominator)
        exp, log, power = (libm_function(name, kind, count) for name, count in (("exp", 1), ("log", 1), ("pow", 2)))
        result: Array = {
            "step": lambda: exp(k * kind(-math.log(base) / denominator)),
            "product": lambda: exp(kind(-math.log(base)) * k / d),
            "short": lambda: exp(k * -(log(b) / d)),
            "divisor": lambda: power(b, k / d),
            "inverse": lambda: 1 / power(b, k / d),
            "negative": lambda: power(b, -(k / d)),
            "small": lambda: power(1 / b, k / d),
        }[self.frequency]()
        return result

    def values(self, positions: Array, base: float, n: int, denominator: float) -> tuple[Array, Array]:
        """Returns the sines and the cosines of n frequencies, a row for each position."""
        w = self.frequencies(base, n, denominator)
        p = rounded(positions.astype(float), "bfloat16") if self.arithmetic == BF16 else positions
        p = p.astype(w.dtype)[:, None]
        angle = p / w if self.frequency == "divisor" else p * w
        if self.kind is np.float64:
            return np.sin(angle), np.cos(angle)
        if self.kind == "bfloat16":
            angle = rounded(angle.astype(float), "bfloat16")
        sine, cosine = (libm_function(name, np.float32, 1)(angle.astype("f4")) for name in ("sin", "cos"))
        return sine.astype(float), cosine.astype(float)


EXACT, F64, EXPLOG, POW, BF16 = ARITHMETICS = (
    "correctly rounded",
    "float64 rounded once",
    "float32 exp-log",
    "float32 pow",
    "bfloat16 positions",
)
# The users of each form below:
#   step       the PyTorch tutorial, tensor2tensor, fairseq, Whisper, DDPM (a float64 scalar meets a float32 tensor)
#   product    guided-diffusion, diffusers, ggml
#   short      Marian, CTranslate2
#   divisor    the paper, DistilBERT, the TensorFlow tutorial
#   inverse    rotary caches, XLNet
#   negative   x-transformers, Wan
#   small      KerasHub
# Some of them write d and 2k instead of denominator and k. The results are the same: a factor of two is exact.
_POWERS = {
    "negative": "pos * pow(base, -k / denominator)",
    "divisor": "pos / pow(base, k / denominator)",
    "inverse": "pos * (1 / pow(base, k / denominator))",
    "small": "pos * pow(1 / base, k / denominator)",
}
_STEP, _PRODUCT = "pos * exp(k * float(-ln(base) / denominator))", "pos * exp(-ln(base) * k / denominator)"
FORMS = [
    Form(EXACT, "the real value, rounded once", None, ""),
    *(Form(F64, text, np.float64, name) for name, text in _POWERS.items()),
    Form(F64, _STEP.replace("float", ""), np.float64, "step"),
    Form(F64, _PRODUCT, np.float64, "product"),
    Form(EXPLOG, _STEP, np.float32, "step"),
    Form(EXPLOG, _PRODUCT, np.float32, "product"),
    Form(EXPLOG, "pos * exp(k * -(float(ln(base)) / denominator))", np.float32, "short"),
    *(Form(POW, text, np.float32, name) for name, text in _POWERS.items()),
    *(
        Form(BF16, text.replace("pos", "bfloat16(pos)"), np.float32, name)
        for name, text in {"step": _STEP, "product": _PRODUCT, **_POWERS}.items()
        if name != "negative"
    ),
    Form(BF16, "bfloat16(bfloat16(pos) * bfloat16(pow(1 / base, k / denominator)))", "bfloat16", "small"),
]


def exact(positions: Array, d: int, base: float, preset: str, dtype: str) -> Array:
    """Returns the correctly rounded table."""
    values = table(positions=positions, d_model=d, base=base, preset=preset, dtype=dtype, impl="exact")
    return ((values.astype(np.uint32) << 16).view("f4") if dtype == "bfloat16" else values).astype(float)
