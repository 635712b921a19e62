/* What float64 values become: elements of the caller's dtype and layout, by ordinary or non-temporal stores; and the
 * rounding test of each dtype.
 *
 * The test is the first step of Ziv's strategy (correct.h). It is accumulated over the values of a row pair, and fails
 * if any element may be rounded wrongly:
 *   float32   a value is within CHECK_WINDOW of half-way between two float32: the 29 bits that rounding drops tell
 *   16 bits   a value, rounded to float32, is the midpoint of two elements. A float32 above the dtype's least size is
 *             less than one unit in its last place from the real value, so the float32 and the value lie on the same
 *             side of every other midpoint
 *   all       a value is below the dtype's least size, and its frequency is not exempt
 */
#ifndef POSENC_ELEMENT_H
#define POSENC_ELEMENT_H

#include "angle_addition/angle.h"

#include <math.h>
#include <string.h>

/* What differs between instances of the inner loop: constants wherever they count. */
typedef struct output {
  int dtype;
  int is_split;    /* 1: the first values of the pairs go to one place, the second ones to another */
  int is_streamed; /* 1: by non-temporal stores; a row starts at a cache line */
  int is_tested;
} output;

/* Are rows of row pairs tested? anchored promises the bits of its sums in float32; float64 is never tested, but
 * decided. */
INLINE int is_tested(int dtype) { return dtype != POSENC_DTYPE_F64 && (EXACT || dtype != POSENC_DTYPE_F32); }

/* Where a row's elements go: those of all columns, or with is_split of every other column. */
typedef struct destination {
  unsigned char *first, *second;
} destination;

INLINE destination advanced(destination to, int64_t bytes) {
  return (destination){to.first + bytes, to.second + bytes};
}

INLINE int64_t size_of(output o) { return o.dtype == POSENC_DTYPE_F64 ? 8 : o.dtype == POSENC_DTYPE_F32 ? 4 : 2; }

/* ---- the rounding test ---- */

typedef struct rounding_test {
  vu least_distance; /* from half-way: below closest() if some value is too close */
  vu least_size;
} rounding_test;

INLINE rounding_test test_none(void) { return (rounding_test){vu_set1(UINT32_MAX), vu_set1(UINT32_MAX)}; }

/* Bits that rounding drops: of the lower half of a float64, or of a float32. */
INLINE int dropped_bits(output o) { return o.dtype == POSENC_DTYPE_F32 ? 29 : o.dtype == POSENC_DTYPE_BF16 ? 16 : 13; }
INLINE uint32_t window_of(output o) { return o.dtype == POSENC_DTYPE_F32 ? CHECK_WINDOW : 0; }

/* (bits + 2^(dropped - 1) + window) mod 2^dropped: values within the window around half-way become 0 .. 2 window - 1.
 * */
INLINE vu distances(output o, vu bits) {
  const uint32_t move = (UINT32_C(1) << (dropped_bits(o) - 1)) + window_of(o);
  return vu_and(vu_add(bits, vu_set1(move)), vu_set1((UINT32_C(1) << dropped_bits(o)) - 1));
}
INLINE uint32_t closest(output o) { return window_of(o) ? 2 * window_of(o) : 1; }

/* The least size, as the bits of its negative. Bits of negative floats order like sizes. */
INLINE uint32_t least_size(output o) {
  return o.dtype == POSENC_DTYPE_F32    ? CHECK_SMALL_BITS
         : o.dtype == POSENC_DTYPE_BF16 ? CHECK_BF16_BITS
                                        : CHECK_F16_BITS;
}

enum { NOT_EXEMPT = INT32_MIN, EXEMPT = -1 }; /* the sign bit; all bits */

/* packed: the values of a and b as float32, in any order. exempt: a word for each of them. */
INLINE void test_values(output o, rounding_test *test, vd a, vd b, vp packed, vu exempt) {
  const vu bits = vp_bits(packed);
  const vu distance = distances(o, o.dtype == POSENC_DTYPE_F32 ? vu_low_words(a, b) : bits);
  test->least_distance = vu_min(test->least_distance, distance);
  test->least_size = vu_min(test->least_size, vu_or(bits, exempt));
}

INLINE int test_failed(output o, const rounding_test *test) {
  return vu_any_below(test->least_distance, closest(o), test->least_size, least_size(o));
}

/* Is every angle of this frequency at most an eighth of a turn, at positions, anchors and steps up to `furthest`? No
 * quarter turn is taken off then, so errors are relative: verify/proof/README.md adds them up. */
static inline int is_relative(double frequency, double furthest) { return furthest * fabs(frequency) <= 0.125; }

/* EXEMPT for the pairs of frequencies where both masks have all bits set, else NOT_EXEMPT. */
static inline vd exempt_where(vd mask, vd other) {
  return vd_or(vd_and(mask, other), vd_set1(-0x1p-1043)); /* 0x8000000080000000, twice NOT_EXEMPT */
}

/* EXEMPT for the pairs of frequencies that skip the test of the least size, else NOT_EXEMPT: the error of their sines
 * is relative. In float32 and bfloat16, a frequency of at least 2^-100 has normal sines at all positions from 2^-20 on,
 * and one of at most 2^-202 has sines below 2^-167, which round to 0. In float16, sines of at most 2^-29 turns round to
 * 0. (Cosines are above every least size here.) */
static inline vd exempt_words(output o, vd frequency, double furthest) {
  const vd size = vd_abs(frequency), most = vd_set1(o.dtype == POSENC_DTYPE_F16 ? 0x1p-29 : 0.125);
  const vd is_normal = vd_or(vd_ge(size, vd_set1(0x1p-100)), vd_ge(vd_set1(0x1p-202), size));
  return exempt_where(is_normal, vd_ge(most, vd_mul(size, vd_set1(furthest))));
}

/* ---- stores ---- */

INLINE void store_packed(output o, unsigned char *to, vp a) {
  if (o.dtype == POSENC_DTYPE_F32)
    vp_put((float *)(void *)to, a, o.is_streamed);
  else
    vh_put((uint16_t *)(void *)to, o.dtype == POSENC_DTYPE_BF16 ? vp_to_bf16(a) : vp_to_f16(a), o.is_streamed);
}

/* Vectors that are stored together. */
INLINE int vectors_of(output o) { return o.is_split ? 4 : 2; }

/* Two vectors as float32, tested. */
INLINE vp packed_values(output o, rounding_test *test, const vd *y, vu exempt) {
  const vp packed = vp_join(y[0], y[1]);
  if (o.is_tested)
    test_values(o, test, y[0], y[1], packed, exempt);
  return packed;
}

/* Tests and stores the values of y, vectors_of(o) vectors, from column i of the strip on. */
INLINE void store_values(output o, rounding_test *test, const vd *y, const vu *exempt, destination to, int i) {
  if (o.dtype == POSENC_DTYPE_F64) {
    vd_put((double *)(void *)to.first + i, y[0], o.is_streamed);
    vd_put((double *)(void *)to.first + i + VD_LANES, y[1], o.is_streamed);
    return;
  }
  const vp a = packed_values(o, test, y, exempt[0]);
  if (!o.is_split) {
    store_packed(o, to.first + i * size_of(o), a);
    return;
  }
  const vp b = packed_values(o, test, y + 2, exempt[1]);
  store_packed(o, to.first + i / 2 * size_of(o), vp_firsts(a, b));
  store_packed(o, to.second + i / 2 * size_of(o), vp_seconds(a, b));
}

/* ---- one element at a time ---- */

/* The nearest number of so many digits, ties to even, with the sign of y; below `least`, the least normal number, it
 * has fewer digits. y + shift has no room for what rounding drops: one rounding, and the difference is exact. */
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

/* The element nearest to y + rest, where y is the float64 nearest to that sum. For shorter dtypes y is first rounded to
 * odd: if it is not the sum and its last digit is even, it moves by one unit towards the sum. No midpoint of a shorter
 * dtype is odd, so the second rounding is that of the sum (Boldo and Melquiond, "Emulation of FMA and correctly rounded
 * sums", IEEE Trans. Computers 57, 2008). */
static inline double nearest_of_sum(int dtype, double y, double rest) {
  uint64_t bits;
  memcpy(&bits, &y, sizeof bits);
  if (dtype != POSENC_DTYPE_F64 && rest != 0.0 && bits % 2 == 0)
    bits += (rest > 0.0) == (y > 0.0) ? UINT64_C(1) : UINT64_MAX;
  memcpy(&y, &bits, sizeof y);
  return nearest(dtype, y);
}

/* y is a number of the dtype. */
static inline void store_element(output o, destination to, int column, double y) {
  unsigned char *const row = o.is_split && column % 2 ? to.second : to.first;
  const int64_t at = o.is_split ? column / 2 : column;
  const float narrow = (float)y;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000, normal = ((bits & 0x7fffffff) >> 13) - ((127 - 15) << 10);
  const uint32_t f16 = sign | (fabs(y) >= 0x1p-14 ? normal : (uint32_t)(int32_t)(fabs(y) * 0x1p24));
  const uint16_t half = (uint16_t)(o.dtype == POSENC_DTYPE_BF16 ? bits >> 16 : f16);
  if (o.dtype == POSENC_DTYPE_F64)
    memcpy(row + at * 8, &y, sizeof y);
  else if (o.dtype == POSENC_DTYPE_F32)
    memcpy(row + at * 4, &narrow, sizeof narrow);
  else
    memcpy(row + at * 2, &half, sizeof half);
}

#endif
