/* pi/2 and 2/pi, to as many limbs as are asked for; verify/proof/make-pi writes the digits. */
#include "multiprecision/bigfloat.h"
#include "multiprecision/pi.inc"

static void from_digits(big *r, const uint64_t *digits, int64_t exponent, int n) {
  r->exponent = exponent;
  for (int i = 0; i < n; i++)
    r->limb[i] = digits[BIG_LIMBS - n + i];
}

void big_two_over_pi(big *r, int n) { from_digits(r, two_over_pi, 0, n); }

void big_half_pi(big *r, int n) { from_digits(r, half_pi, 1, n); }
