"""What the examples should print, from the formula alone: sixty decimal digits, rounded once. Nothing of posenc is used."""

import math
import re
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
FLOAT32, BFLOAT16, FLOAT16 = 24, 8, 11  # bits of a significand


def _arctangent_of_one_over(n):
    """Its Taylor series."""
    total, term, k = Decimal(0), 1 / Decimal(n), 0
    while abs(term) > Decimal("1e-65"):
        total += term / (2 * k + 1)
        term, k = -term / (n * n), k + 1
    return total


TURN = 8 * (4 * _arctangent_of_one_over(5) - _arctangent_of_one_over(239))  # Machin's formula for a quarter of pi


def sine_and_cosine(angle):
    """Taylor's series, of what is left of whole turns."""
    x = Decimal(angle) % TURN
    sums, term, k = [Decimal(0), Decimal(0)], Decimal(1), 0
    while abs(term) > Decimal("1e-65"):
        sums[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term *= x / k
    return sums[1], sums[0]


def frequency(k, denominator, base=10000):
    return (-Decimal(base).ln() * k / Decimal(denominator)).exp()


def nearest(x, bits=FLOAT32):
    """The number of so many significant bits nearest to x, ties to even; no example prints a subnormal one."""
    exact = Fraction(x)
    if exact == 0:
        return 0.0
    exponent = math.frexp(exact)[1] - bits
    return math.ldexp(round(exact / Fraction(2) ** exponent), exponent)


def columns(position, denominator=256, n=4, base=10000, split=False, cosine_first=False, bits=FLOAT32):
    """The first columns of a row: interleaved, or of its first half."""
    pairs = [
        sine_and_cosine(position * frequency(k, denominator, base))[:: -1 if cosine_first else 1] for k in range(n)
    ]
    values = [pair[0] for pair in pairs] if split else [value for pair in pairs for value in pair]
    return [nearest(value, bits) for value in values[:n]]


def said(text, what, bits=FLOAT32):
    """The numbers that follow these words, with or without brackets; nine digits tell which float32 each of them is."""
    numbers = re.search(re.escape(what) + r" ([-\[\]0-9.e, ]+)", text)
    assert numbers, f"'{what}' and numbers are not in:\n{text}"
    return [nearest(Decimal(word), bits) for word in re.findall(r"[-0-9.e]+", numbers[1])]
