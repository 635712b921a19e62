/* Distances in units in the last place, against a real-number value known to double precision. */
#ifndef POSENC_VERIFY_ULP_H
#define POSENC_VERIFY_ULP_H

#include <math.h>

/* |got - y| in units of 2^(max(e, -126) - 23), e the exponent of y: the spacing of float32 at y, not at got, so
 * that the scale does not depend on the answer. Where y is 0, nothing but 0 is right. */
static inline double ulp_distance(float got, double y)
{
  if (!isfinite(got))
    return INFINITY;
  if (y == 0)
    return got == 0 ? 0 : INFINITY;
  const int e = ilogb(y);
  return ldexp(fabs((double)got - y), 23 - (e > -126 ? e : -126));
}

#endif
