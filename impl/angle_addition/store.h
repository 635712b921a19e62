/* What a vector of float64 values becomes: elements of the caller's dtype and layout, by ordinary or non-temporal stores;
 * and the rounding test of each dtype.
 *
 * The test is the first step of Ziv's strategy (angle_addition/ziv.h). It is accumulated over a row pair and fails if any
 * element may be rounded wrongly:
 *   float32   one of the values is within CHECK_WINDOW of half-way between two floats: the 29 bits that rounding drops tell
 *   16 bits   one of the values, rounded to float32, is the midpoint of two elements. A float32 above the dtype's least
 *             size is less than one unit in its last place from the real value, so the float32 and the value lie on the
 *             same side of every other midpoint
 *   all       one of the values is below the dtype's least size, and its frequency is not exempt (angle_addition/strip.h)
 */
#ifndef POSENC_STORE_H
#define POSENC_STORE_H

#include "angle_addition/angle.h"

#include <math.h>
#include <string.h>

/* What differs between instances of the inner loop: constants wherever they count. */
typedef struct form {
  int dtype;
  int split;    /* 1: the first value of each pair goes to one place, the second to another */
  int streamed; /* 1: by non-temporal stores, and `to` is the start of a cache line */
  int tested;
} form;

/* Where a row's elements go: those of all columns, or where split of every other one. */
typedef struct destination {
  unsigned char *first, *second;
} destination;

FLAT int64_t size_of(form f) { return f.dtype == POSENC_DTYPE_F64 ? 8 : f.dtype == POSENC_DTYPE_F32 ? 4 : 2; }

/* ---- the rounding test ---- */

typedef struct rounding_test {
  vu least_distance; /* from half-way: below closest() where it is too small */
  vu least_size;
} rounding_test;

FLAT rounding_test test_none(void) { return (rounding_test){vu_set1(UINT32_MAX), vu_set1(UINT32_MAX)}; }

/* Bits that rounding drops: of the lower half of a float64, or of a float32. */
FLAT int dropped_bits(form f) { return f.dtype == POSENC_DTYPE_F32 ? 29 : f.dtype == POSENC_DTYPE_BF16 ? 16 : 13; }
FLAT uint32_t window_of(form f) { return f.dtype == POSENC_DTYPE_F32 ? CHECK_WINDOW : 0; }

/* Values within the window around half-way become 0 .. 2 window - 1. */
FLAT vu distances(form f, vu bits) {
  const uint32_t move = (UINT32_C(1) << (dropped_bits(f) - 1)) + window_of(f);
  return vu_and(vu_add(bits, vu_set1(move)), vu_set1((UINT32_C(1) << dropped_bits(f)) - 1));
}
FLAT uint32_t closest(form f) { return window_of(f) ? 2 * window_of(f) : 1; }

/* The least size, as the bits of its negative. Bits of negative floats order like sizes. */
FLAT uint32_t least_size(form f) {
  return f.dtype == POSENC_DTYPE_F32    ? CHECK_SMALL_BITS
         : f.dtype == POSENC_DTYPE_BF16 ? CHECK_BF16_BITS
                                        : CHECK_F16_BITS;
}

/* packed: the values of a and b as float32, in any order. exempt: for each of its lanes the sign bit, or all bits where the
 * value may be of any size. */
FLAT void test_values(form f, rounding_test *test, vd a, vd b, vp packed, vu exempt) {
  const vu bits = vp_bits(packed);
  const vu distance = distances(f, f.dtype == POSENC_DTYPE_F32 ? vu_low_words(a, b) : bits);
  test->least_distance = vu_min(test->least_distance, distance);
  test->least_size = vu_min(test->least_size, vu_or(bits, exempt));
}

FLAT int test_failed(form f, const rounding_test *test) {
  return vu_any_below(test->least_distance, closest(f), test->least_size, least_size(f));
}

/* ---- stores ---- */

FLAT void store_packed(form f, unsigned char *to, vp a) {
  if (f.dtype == POSENC_DTYPE_F32)
    vp_put((float *)(void *)to, a, f.streamed);
  else
    vh_put((uint16_t *)(void *)to, f.dtype == POSENC_DTYPE_BF16 ? vp_to_bf16(a) : vp_to_f16(a), f.streamed);
}

/* Vectors that are stored together: two, or where split four. */
FLAT int vectors_of(form f) { return f.split ? 4 : 2; }

/* Two vectors as float32, tested. */
FLAT vp packed_values(form f, rounding_test *test, const vd *y, vu exempt) {
  const vp packed = vp_join(y[0], y[1]);
  if (f.tested)
    test_values(f, test, y[0], y[1], packed, exempt);
  return packed;
}

/* Tests and stores the values of y, vectors_of(f) vectors, which are those of column i of the strip and the next ones. */
FLAT void store_values(form f, rounding_test *test, const vd *y, const vu *exempt, destination to, int i) {
  if (f.dtype == POSENC_DTYPE_F64) {
    vd_put((double *)(void *)to.first + i, y[0], f.streamed);
    vd_put((double *)(void *)to.first + i + VD_LANES, y[1], f.streamed);
    return;
  }
  const vp a = packed_values(f, test, y, exempt[0]);
  if (!f.split) {
    store_packed(f, to.first + i * size_of(f), a);
    return;
  }
  const vp b = packed_values(f, test, y + 2, exempt[1]);
  store_packed(f, to.first + i / 2 * size_of(f), vp_firsts(a, b));
  store_packed(f, to.second + i / 2 * size_of(f), vp_seconds(a, b));
}

/* ---- one element at a time ---- */

/* The nearest number of so many digits, ties to even, that keeps the sign of y; below `least`, the least normal number,
 * digits are fewer. y + shift has no room for what rounding drops: one rounding, and the difference is exact. */
static inline double nearest_of(double y, int digits, double least) {
  const double size = fabs(y) > least ? fabs(y) : least;
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  bits &= UINT64_C(0x7ff) << 52; /* the power of two at or below it */
  double power;
  memcpy(&power, &bits, sizeof power);
  const double shift = power * (0x1.8p53 / (double)(UINT64_C(1) << digits));
  return copysign(y + shift - shift, y);
}

/* The element nearest to y, |y| <= 1 or a little more. */
static inline double nearest(int dtype, double y) {
  if (dtype == POSENC_DTYPE_BF16)
    return nearest_of(y, 8, 0x1p-126);
  if (dtype == POSENC_DTYPE_F16)
    return nearest_of(y, 11, 0x1p-14);
  return dtype == POSENC_DTYPE_F32 ? (double)(float)y : y;
}

/* y is a number of the dtype. */
static inline void store_element(form f, destination to, int column, double y) {
  unsigned char *const row = f.split && column % 2 ? to.second : to.first;
  const int64_t at = f.split ? column / 2 : column;
  const float narrow = (float)y;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000, normal = ((bits & 0x7fffffff) >> 13) - ((127 - 15) << 10);
  const uint32_t f16 = sign | (fabs(y) >= 0x1p-14 ? normal : (uint32_t)(int32_t)(fabs(y) * 0x1p24));
  const uint16_t half = (uint16_t)(f.dtype == POSENC_DTYPE_BF16 ? bits >> 16 : f16);
  if (f.dtype == POSENC_DTYPE_F64)
    memcpy(row + at * 8, &y, sizeof y);
  else if (f.dtype == POSENC_DTYPE_F32)
    memcpy(row + at * 4, &narrow, sizeof narrow);
  else
    memcpy(row + at * 2, &half, sizeof half);
}

#endif
