/* The fallback: one output, correctly rounded by integer arithmetic. It computes the few outputs whose rounding float64
 * cannot decide. */
#ifndef POSENC_FALLBACK_H
#define POSENC_FALLBACK_H

#include "multiprecision/bigfloat.h"

/* The ladder's ratio as the first attempt of a fallback needs it. It starts as {0}, and the first fallback sets it. */
enum { POSENC_RATIO_LIMBS = 4 };
typedef struct posenc_ratio {
  int is_known;
  int64_t exponent;
  uint64_t limb[POSENC_RATIO_LIMBS];
} posenc_ratio;

/* The number of the dtype nearest to the real value of that column. Even columns are sines, odd ones cosines. */
double posenc_fallback(const posenc_problem *problem, posenc_ratio *kept, double position, int64_t column);

#endif
