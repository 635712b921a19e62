/* The fallback: one output, correctly rounded by integer arithmetic. It computes the few outputs whose rounding float64
 * cannot decide. */
#ifndef POSENC_FALLBACK_H
#define POSENC_FALLBACK_H

#include "multiprecision/bigfloat.h"

/* The D of x^D = base^-2, whose root x is the ladder's ratio: 2 * denominator, if that is a whole number up to 2^21. Else,
 * and with explicit frequencies, 0. */
int64_t posenc_ladder_degree(const posenc_problem *problem);

/* The ratio of two frequencies that follow each other, base^(-1/denominator). Frequency k is its k-th power, which is off
 * by at most 12k units of 2^-64n where posenc_ladder_degree() is not 0, else by less than 2^68 n. With base 1 it is exact. */
void posenc_ladder_ratio(big *ratio, const posenc_problem *problem, int n);

/* |freqs[k] + freqs_low[k]|: exact without freqs_low, else off by fewer than 3 units. */
void posenc_explicit_frequency(big *w, const posenc_problem *problem, int64_t k, int n);

/* The number of a dtype nearest to a, ties to even. */
double posenc_big_nearest(const big *a, int32_t dtype, int n);

/* The ladder's ratio as the first attempt of a fallback needs it. It starts as {0}, and the first fallback sets it. */
enum { POSENC_RATIO_LIMBS = 4 };
typedef struct posenc_ratio {
  int is_known;
  int64_t exponent;
  uint64_t limb[POSENC_RATIO_LIMBS];
} posenc_ratio;

/* The number of the dtype that is nearest to the real value of that column. Even columns are sines, odd ones cosines. */
double posenc_fallback(const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column);

#endif
