"""The numbers that the examples should print: the formula in float64, rounded once. posenc is not used."""

import re

import numpy as np

FLOAT32, BFLOAT16, FLOAT16 = 24, 8, 11  # bits of a significand


def nearest(x, bits=FLOAT32):
    """The numbers with so many significant bits nearest to x, ties to even. No example prints a subnormal number."""
    significand, exponent = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(significand, bits)), exponent - bits)


def columns(position, denominator=256, n=4, base=10000.0, split=False, cosine_first=False, bits=FLOAT32):
    """The first n columns of a row, interleaved or split."""
    angles = position * base ** (-np.arange(n) / denominator)
    pairs = [np.sin(angles), np.cos(angles)][:: -1 if cosine_first else 1]
    return nearest((pairs[0] if split else np.stack(pairs, 1).ravel())[:n], bits).tolist()


def said(text, what, bits=FLOAT32):
    """The numbers that follow these words in the text, with or without brackets. Nine digits identify a float32."""
    numbers = re.search(re.escape(what) + r" ([-\[\]0-9.e, ]+)", text)
    assert numbers, f"'{what}' and numbers are not in:\n{text}"
    return nearest([float(word) for word in re.findall(r"[-0-9.e]+", numbers[1])], bits).tolist()
