/* What the library knows of each dtype. */
#ifndef POSENC_DTYPES_H
#define POSENC_DTYPES_H

#include "posenc.h"

#include <math.h>
#include <string.h>

typedef struct posenc_dtype_info {
  const char *name;
  int size;     /* bytes of an element */
  int digits;   /* bits of a significand */
  double least; /* the least normal number; smaller numbers have fewer digits */
} posenc_dtype_info;

#define POSENC_EVERY_DTYPE "float32 float64 bfloat16 float16" /* for posenc_impl, in the order of posenc_dtype */

static inline const posenc_dtype_info *posenc_dtype_info_of(int32_t dtype) {
  static const posenc_dtype_info infos[] = {[POSENC_DTYPE_F32] = {"float32", 4, 24, 0x1p-126},
      [POSENC_DTYPE_F64] = {"float64", 8, 53, 0x1p-1022},
      [POSENC_DTYPE_BF16] = {"bfloat16", 2, 8, 0x1p-126},
      [POSENC_DTYPE_F16] = {"float16", 2, 11, 0x1p-14}};
  return &infos[dtype];
}

/* Every implementation offers float32, and some offer every dtype. */
static inline int posenc_offers(const posenc_impl *impl, int32_t dtype) {
  return dtype == POSENC_DTYPE_F32 || strcmp(impl->dtypes, POSENC_EVERY_DTYPE) == 0;
}

/* The bits of a float32. Where floats have one sign, their bits are ordered like their magnitudes. */
static inline uint32_t posenc_float_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* The bits of the float16 nearest to x, |x| < 2, ties to even. */
static inline uint32_t posenc_f16_bits(float x) {
  const uint32_t bits = posenc_float_bits(x), magnitude = bits & ~(UINT32_C(1) << 31),
                 normal = magnitude + 0xfff + (magnitude >> 13 & 1);
  const uint32_t units = posenc_float_bits(fabsf(x) + 0.5f); /* its last place is float16's least number */
  return (bits >> 16 & 0x8000) |
         (fabsf(x) < 0x1p-14f ? units - (UINT32_C(126) << 23) : (normal >> 13) - ((127 - 15) << 10));
}

#endif
