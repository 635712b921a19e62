/* The dtypes as sets of numbers: the number that the bits of an element represent, and the number nearest to a real
 * value. */
#ifndef POSENC_VERIFY_FORMATS_H
#define POSENC_VERIFY_FORMATS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "posenc.h"

typedef struct format {
  size_t size;
  int digits; /* bits of a significand */
  int lowest; /* 2^-lowest is the smallest subnormal */
} format;

enum { FORMATS = 4 };

static inline const format *format_of(int32_t dtype) {
  static const format formats[FORMATS] = {[POSENC_DTYPE_F32] = {4, 24, 149},
      [POSENC_DTYPE_F64] = {8, 53, 1074},
      [POSENC_DTYPE_BF16] = {2, 8, 133},
      [POSENC_DTYPE_F16] = {2, 11, 24}};
  return &formats[dtype];
}

/* The unit in the last place of numbers from 2^exponent up to twice that, as an exponent of 2. The exponent may be the
 * ilogb() of 0, which may be INT_MIN. */
static inline int format_unit(const format *f, int exponent) {
  return exponent > f->digits - 1 - f->lowest ? exponent - f->digits + 1 : -f->lowest;
}

/* The number nearest to y; of two equally near, the one whose last bit is 0. Zeros keep their sign. Overflow is not
 * considered: a y beyond the largest bfloat16 may give 2^128. */
static inline double format_nearest(const format *f, double y) {
  if (y == 0 || !isfinite(y))
    return y;
  const int unit = format_unit(f, ilogb(y));
  return ldexp(nearbyint(ldexp(y, -unit)), unit);
}

/* The number that an element represents. Each is exact in double. */
static inline double element_value(int32_t dtype, const void *element) {
  if (dtype == POSENC_DTYPE_F64) {
    double value;
    memcpy(&value, element, sizeof value);
    return value;
  }
  uint32_t bits = 0;
  memcpy(&bits, element, format_of(dtype)->size);
  if (dtype == POSENC_DTYPE_F16) {
    const int exponent = bits >> 10 & 31, significand = bits & 1023;
    const double size = exponent == 31 ? (significand ? (double)NAN : (double)INFINITY)
                        : exponent     ? ldexp(significand + 1024, exponent - 25)
                                       : ldexp(significand, -24);
    return bits >> 15 ? -size : size;
  }
  if (dtype == POSENC_DTYPE_BF16)
    bits <<= 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

/* Whether two numbers are equal, the sign of zero included. All NaNs are equal. */
static inline int same_number(double a, double b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

#endif
