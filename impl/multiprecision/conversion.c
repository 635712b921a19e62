/* Bigs from float64, and the nearest number of a dtype. */
#include "multiprecision/bigfloat.h"

#include <math.h>

void big_from_double(big *r, double x, int n) {
  int exponent;
  const double significand = frexp(fabs(x), &exponent);
  big_zero(r, n);
  if (significand == 0.0)
    return;
  r->limb[n - 1] = (uint64_t)(significand * 0x1p64);
  r->exponent = exponent;
}

double big_nearest(const big *a, int32_t dtype, int n) {
  const posenc_dtype_info *f = posenc_dtype_info_of(dtype);
  const int64_t below = a->exponent - 1 - ilogb(f->least), keep = f->digits + (below < 0 ? below : 0);
  if (big_is_zero(a, n) || keep < 0)
    return 0.0;
  const uint64_t top = a->limb[n - 1];
  uint64_t rest = top << keep << 1;
  for (int i = 0; i < n - 1; i++)
    rest |= a->limb[i];
  uint64_t digits = keep ? top >> (64 - keep) : 0;
  if (top >> (63 - keep) & 1 && (rest || digits & 1))
    digits++;
  return ldexp((double)digits, (int)(a->exponent - keep));
}
