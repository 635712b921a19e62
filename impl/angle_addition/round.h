/* One rounding from float64 to the dtypes that hardware may not convert to, in plain arithmetic that compilers
 * vectorise. */
#ifndef POSENC_ROUND_H
#define POSENC_ROUND_H

#include "posenc.h"

#include <math.h>
#include <string.h>

/* The nearest number of so many digits, ties to even, that keeps y's sign; below `least`, the least normal one, digits
 * are fewer. y + shift has no room for what rounding drops: one rounding, and the difference is exact. |y| is far below
 * 2^52 units. */
static inline double posenc_nearest(double y, int digits, double least) {
  const double size = fabs(y) > least ? fabs(y) : least;
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  bits &= UINT64_C(0x7ff) << 52; /* the power of two at or below it */
  double power;
  memcpy(&power, &bits, sizeof power);
  const double shift = power * (0x1.8p53 / (double)(UINT64_C(1) << digits));
  return copysign(y + shift - shift, y);
}

enum { POSENC_BF16_DIGITS = 8, POSENC_F16_DIGITS = 11 };
#define POSENC_BF16_LEAST 0x1p-126
#define POSENC_F16_LEAST 0x1p-14

static inline uint32_t posenc_float_bits(double y) /* y is a float */
{
  const float f = (float)y;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

/* Of y, a number of the dtype. */
static inline uint16_t posenc_bf16_bits(double y) { return (uint16_t)(posenc_float_bits(y) >> 16); }
static inline uint16_t posenc_f16_bits(double y) {
  const uint32_t bits = posenc_float_bits(y), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
  const uint32_t normal = (size >> 13) - ((127 - 15) << 10), units = (uint32_t)(int32_t)(fabs(y) * 0x1p24);
  return (uint16_t)(sign | (fabs(y) >= POSENC_F16_LEAST ? normal : units));
}

#endif
