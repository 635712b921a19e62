/* The judge of elements: posenc-verify, its exhaustive check, the fuzz target and the tests compare elements with MPFR here. */
#ifndef POSENC_VERIFY_JUDGE_H
#define POSENC_VERIFY_JUDGE_H

#include <stdbool.h>

#include "formats.h"
#include "mpfr_reference.h"

typedef struct judgement {
  double got;      /* the number that the element represents; all NaNs are one */
  double nearest;  /* the number of the dtype that is nearest to the real value */
  double error;    /* the distance of got from the real value; infinite if got is not finite */
  bool is_nearest; /* the sign of zero included */
} judgement;

/* Whether an element is this number, the sign of zero included. */
static inline bool element_is(int32_t dtype, const void *element, double number) {
  return same_number(element_value(dtype, element), number);
}

static inline judgement judge_element(int32_t dtype, const void *element, const reference_value *want) {
  const double value = element_value(dtype, element), got = isnan(value) ? (double)NAN : value;
  const double nearest = reference_rounded(want, dtype);
  const double error = isfinite(got) ? fabs((got - want->y) - want->low) : (double)INFINITY;
  return (judgement){got, nearest, error, element_is(dtype, element, nearest)};
}

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
