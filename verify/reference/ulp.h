/* Distances in units in the last place, against a real-number value known to more than double precision. */
#ifndef POSENC_VERIFY_ULP_H
#define POSENC_VERIFY_ULP_H

#include "formats.h"

/* |got - (y + low)| in units of the dtype's spacing at y, 2^(max(e, emin) - p + 1), e the exponent of y and p the
 * precision: at y, not at got, so that the scale does not depend on the answer. Where y is 0, nothing but 0 is right.
 */
static inline double ulp_distance(int32_t dtype, double got, double y, double low) {
  if (!isfinite(got))
    return INFINITY;
  if (y == 0)
    return got == 0 ? 0 : INFINITY;
  return ldexp(fabs((got - y) - low), -format_unit(format_of(dtype), ilogb(y)));
}

#endif
