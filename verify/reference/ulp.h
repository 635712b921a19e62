/* Distances in units in the last place from a real value that is known to more than double precision. */
#ifndef POSENC_VERIFY_ULP_H
#define POSENC_VERIFY_ULP_H

#include "formats.h"

/* |got - (y + low)| in units of the dtype's spacing at y, 2^(max(e, emin) - p + 1), where e is the exponent of
 * y and p the precision. The spacing is that at y, not at got, so that the unit does not depend on the answer. If y is
 * 0, only 0 is right. */
static inline double ulp_distance(int32_t dtype, double got, double y, double low) {
  if (!isfinite(got))
    return INFINITY;
  if (y == 0)
    return got == 0 ? 0 : INFINITY;
  return ldexp(fabs((got - y) - low), -format_unit(format_of(dtype), ilogb(y)));
}

#endif
