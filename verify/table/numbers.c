#include "numbers.h"

#include <math.h>
#include <string.h>

const number_kind number_kinds[4] = {
    [POSENC_F32] = {"float32", "f32", "<f4", 24, -126},
    [POSENC_F64] = {"float64", "f64", "<f8", 53, -1022},
    [POSENC_BF16] = {"bfloat16", "bf16", "<u2", 8, -126},
    [POSENC_F16] = {"float16", "f16", "<f2", 11, -14},
};

static double from_f16(uint16_t bits)
{
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude;
  if (exponent == 31)
    magnitude = fraction ? (double)NAN : (double)INFINITY;
  else if (exponent == 0)
    magnitude = ldexp(fraction, -24);
  else
    magnitude = ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

double number_read(posenc_dtype dtype, const void *bytes)
{
  if (dtype == POSENC_F64) {
    double x;
    memcpy(&x, bytes, sizeof x);
    return x;
  }
  if (dtype == POSENC_F32) {
    float x;
    memcpy(&x, bytes, sizeof x);
    return (double)x;
  }
  uint16_t bits;
  memcpy(&bits, bytes, sizeof bits);
  if (dtype == POSENC_F16)
    return from_f16(bits);
  const uint32_t upper = (uint32_t)bits << 16;
  float x;
  memcpy(&x, &upper, sizeof x);
  return (double)x;
}

double number_round(posenc_dtype dtype, double x)
{
  if (dtype == POSENC_F64)
    return x;
  if (dtype == POSENC_F32)
    return (double)(float)x;
  const number_kind *kind = &number_kinds[dtype];
  if (fabs(x) >= scalbn(1.0, kind->least)) { /* the surplus bits of the float64, to even; a carry moves the exponent up */
    const int surplus = 53 - kind->precision;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += (UINT64_C(1) << (surplus - 1)) - 1 + (bits >> surplus & 1);
    bits &= ~((UINT64_C(1) << surplus) - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  const int last = kind->least - kind->precision + 1;
  return scalbn(nearbyint(scalbn(x, -last)), last);
}
