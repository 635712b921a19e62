/* Non-negative numbers of n 64-bit limbs with an exponent: the arithmetic of the frequencies and of the fallback.
 *
 *     value = 0.limb[n-1] limb[n-2] ... limb[0] * 2^exponent,   the top bit of limb[n-1] set, or the value is 0
 *
 * Every function takes n, the limbs in use, at most BIG_LIMBS; the relative error of each is stated in units of
 * 2^-64n. No allocation, no state.
 */
#ifndef POSENC_BIGFLOAT_H
#define POSENC_BIGFLOAT_H

#include "kernel.h"

/* The sources use short names. All names in libposenc.a begin with posenc_, so that they collide with no other
 * library's. */
#define big_add posenc_big_add
#define big_div posenc_big_div
#define big_div_small posenc_big_div_small
#define big_exp_minus posenc_big_exp_minus
#define big_from_double posenc_big_from_double
#define big_half_pi posenc_big_half_pi
#define big_is_zero posenc_big_is_zero
#define big_log posenc_big_log
#define big_mul posenc_big_mul
#define big_nearest posenc_big_nearest
#define big_pow posenc_big_pow
#define big_split posenc_big_split
#define big_sub posenc_big_sub
#define big_take_double posenc_big_take_double
#define big_two_over_pi posenc_big_two_over_pi
#define big_zero posenc_big_zero

enum { BIG_LIMBS = 64 /* 4096 bits */, BIG_LADDER_LIMBS = 3 /* big_mul, big_take_double: unrolled for these */ };

typedef struct big {
  int64_t exponent;
  uint64_t limb[BIG_LIMBS]; /* least significant first */
} big;

int big_is_zero(const big *a, int n);
void big_zero(big *r, int n);

/* multiprecision/conversion.c. |x|, exact; x finite. */
void big_from_double(big *r, double x, int n);

/* The number of a dtype nearest to a, ties to even. */
double big_nearest(const big *a, int32_t dtype, int n);

/* r = a * b, less than 2 units below. r may be a or b. */
void big_mul(big *r, const big *a, const big *b, int n);

/* r = a / m, less than 2 units below; m > 0. */
void big_div_small(big *r, const big *a, uint64_t m, int n);

/* r = a^k, k >= 1: fewer than 4k units below. */
void big_pow(big *r, const big *a, uint64_t k, int n);

/* r = |a - b|; returns whether a < b. Off by fewer than 2 units of the larger of the two. */
int big_sub(big *r, const big *a, const big *b, int n);

/* r = a + b, fewer than 2 units below. */
void big_add(big *r, const big *a, const big *b, int n);

/* r = the fraction of a; returns its integer part modulo 4. Exact. */
unsigned big_split(big *r, const big *a, int n);

/* Returns the 53 leading bits of a, truncated, and subtracts them from a, so that the next call returns the next bits.
 * a is 0 or from 2^-900 to 2^900. */
double big_take_double(big *a, int n);

/* multiprecision/elementary.c. r may be an argument.
 * r = a / b, b > 0: at most 16 units below or above. */
void big_div(big *r, const big *a, const big *b, int n);

/* r = e^-a, a < 2^11: fewer than 2^21 n units below or above; fewer than 2^5 n where a < 1/32, else fewer than
 * 2^11 n a. */
void big_exp_minus(big *r, const big *a, int n);

/* r = |ln a|, 1 <= a < 2^2000: off by fewer than 2^22 n units of 1; fewer than 2^6 n where ln a < 1/32, else fewer than
 * 2^12 n ln a. */
void big_log(big *r, const big *a, int n);

/* 2/pi and pi/2 (multiprecision/pi.c), less than 2 units below. */
void big_two_over_pi(big *r, int n);
void big_half_pi(big *r, int n);

#endif
