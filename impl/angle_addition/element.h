/* What float64 values become: elements of the caller's dtype and layout, by ordinary or non-temporal stores; and the
 * rounding test of each dtype.
 *
 * The test is the first step of Ziv's strategy (correct.h). It is accumulated over the values of a row pair, and fails
 * if any element may be rounded wrongly:
 *   float32   a value is within CHECK_WINDOW of half-way between two float32: the 29 bits that rounding drops tell.
 *             They are in the lower half of the float64, and its size is in the upper half
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
typedef struct format {
  int dtype;
  int is_split;    /* 1: the first values of the pairs go to one place, the second ones to another */
  int is_streamed; /* 1: around the caches, where the instruction set can; the strip begins and ends at cache lines */
  int is_tested;
} format;

/* Are rows of row pairs tested? anchored stores its sums of float32 and float64 as they are. exact decides every
 * float64 (correct.h). exact.c and anchored.c define EXACT before they include these headers. */
INLINE int is_tested(int dtype) { return dtype != POSENC_DTYPE_F64 && (EXACT || dtype != POSENC_DTYPE_F32); }

/* Where a row's elements go: those of all columns, or with is_split of every other column. As integers, since those of
 * the next rows may lie outside of the table. */
typedef struct destination {
  uintptr_t first, second;
} destination;

INLINE destination destination_in(unsigned char *row) { return (destination){(uintptr_t)row, (uintptr_t)row}; }

INLINE destination advanced(destination to, int64_t bytes) {
  return (destination){to.first + (uintptr_t)bytes, to.second + (uintptr_t)bytes};
}

INLINE int64_t size_of(format fmt) { return posenc_dtype_info_of(fmt.dtype)->size; }

/* The bytes from a pair's first value to the next pair's. */
INLINE int64_t bytes_of_pair(format fmt) { return (fmt.is_split ? 1 : 2) * size_of(fmt); }

/* ---- the rounding test ---- */

INLINE uint32_t upper_half(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint32_t)(bits >> 32);
}

/* Half the spacing of elements of 16 bits, in last places of float32, which has 24 digits. */
INLINE uint32_t half_spacing(format fmt) { return UINT32_C(1) << (24 - posenc_dtype_info_of(fmt.dtype)->digits - 1); }

/* Words are added to the bits of values, so that a value passes if its sums have certain bits (vtest).
 *   float32   to the lower half MOVE: of the 29 dropped bits, those within CHECK_WINDOW of half-way become 0 ..
 *             2 CHECK_WINDOW - 1, and the others have a bit of FAR. To the upper half a word by which LARGE is set from
 *             CHECK_SMALL on
 *   16 bits   a word of LARGE less the first midpoint above the least size. So the lower bits of the sum are 0 at
 *             midpoints only, and LARGE is set from that midpoint on
 * If the frequency is exempt, LARGE is always set. No carry reaches the sign, since values are at most 1. */
enum { MOVE = (1 << 28) + CHECK_WINDOW, FAR = (1 << 29) - 2 * CHECK_WINDOW, LARGE = 1 << 30 };
_Static_assert((CHECK_WINDOW & (CHECK_WINDOW - 1)) == 0, "FAR is all bits from 2 CHECK_WINDOW up to 2^28");

/* The words of a vector whose frequencies are all exempt, or all not exempt. Each frequency has two words: in float32
 * for the lower and the upper half of a value, in 16 bits for the two values of a pair. */
INLINE vu words_of_all(format fmt, int is_exempt) {
  if (fmt.dtype == POSENC_DTYPE_F32)
    return vu_set2(MOVE, is_exempt ? LARGE : LARGE - upper_half(CHECK_SMALL));
  const uint32_t least = posenc_float_bits(fmt.dtype == POSENC_DTYPE_BF16 ? CHECK_BF16 : CHECK_F16);
  return vu_set1(is_exempt ? LARGE + half_spacing(fmt) : LARGE - (least + half_spacing(fmt)));
}

/* The words of a vector of frequencies. is_exempt is a mask, as exempt() returns it. */
static inline vu words_of(format fmt, vd is_exempt) {
  return vu_select(is_exempt, words_of_all(fmt, 1), words_of_all(fmt, 0));
}

/* Values of float32 are tested before they are rounded to it; those of 16 bits are tested as float32. */
INLINE void test_doubles(vtest *test, vd y, vd z, vu words) {
  vtest_add(test, vu_add(vd_bits(y), words), vu_add(vd_bits(z), words), vu_set2(FAR, LARGE));
}
INLINE void test_floats(format fmt, vtest *test, vp y, vp z, vu words) {
  const vu a = vu_add(vp_bits(y), words), b = vu_add(vp_bits(z), words);
  vtest_add(test, a, b, vu_set1(2 * half_spacing(fmt) - 1));
  vtest_add(test, a, b, vu_set1(LARGE));
}

/* A group of each of two rows, with its words as set_words() puts them. */
INLINE void test_groups(format fmt, vtest *test, vg y, vg z, const double *words) {
  if (fmt.dtype == POSENC_DTYPE_F32) {
    const vg w = vg_load(words);
    test_doubles(test, y.a, z.a, vd_bits(w.a));
    test_doubles(test, y.b, z.b, vd_bits(w.b));
  } else {
    test_floats(fmt, test, vg_floats(y), vg_floats(z), vd_bits(vd_load(words)));
  }
}

/* Is every angle of this frequency at most an eighth of a turn, at positions, anchors and steps up to `furthest`? No
 * quarter turn is taken off then, so errors are relative: verify/proof/README.md adds them up. */
static inline int is_relative(double frequency, double furthest) { return furthest * fabs(frequency) <= 0.125; }

/* Which frequencies skip the test of the least size, as a mask. Their sines have a relative error, as is_relative()
 * says, and are normal numbers of float32 or round to 0 (budget.inc). In float16 all their sines round to 0. (Cosines
 * are above every least size here.) */
static inline vd exempt(format fmt, vd frequency, double furthest) {
  const vd magnitude = vd_abs(frequency), most = vd_set1(fmt.dtype == POSENC_DTYPE_F16 ? TINY_F16 : 0.125);
  const vd is_normal_or_0 = vd_or(vd_ge(magnitude, vd_set1(TINY_NORMAL)), vd_ge(vd_set1(TINY_UNSURE), magnitude));
  return vd_and(is_normal_or_0, vd_ge(most, vd_mul(magnitude, vd_set1(furthest))));
}

/* ---- stores ---- */

INLINE void store_packed(format fmt, uintptr_t to, vp a) {
  if (fmt.dtype == POSENC_DTYPE_F32)
    vp_put((float *)to, a, fmt.is_streamed);
  else
    vh_put((uint16_t *)to, fmt.dtype == POSENC_DTYPE_BF16 ? vp_to_bf16(a) : vp_to_f16(a), fmt.is_streamed);
}

/* Stores one or two groups from column i of the strip on; two where columns are split. */
INLINE void store_groups(format fmt, int groups, const vg *y, destination to, int i) {
  const int64_t size = size_of(fmt);
  if (fmt.is_split) {
    vp firsts, seconds;
    vg_unzip(y[0], y[1], &firsts, &seconds);
    store_packed(fmt, to.first + (uintptr_t)(i / 2 * size), firsts);
    store_packed(fmt, to.second + (uintptr_t)(i / 2 * size), seconds);
    return;
  }
  for (int g = 0; g < groups; g++) {
    const uintptr_t at = to.first + (uintptr_t)((i + g * 2 * VD_LANES) * size);
    if (fmt.dtype == POSENC_DTYPE_F64)
      vg_put((double *)at, y[g], fmt.is_streamed);
    else
      store_packed(fmt, at, vg_floats(y[g]));
  }
}

/* ---- one element at a time ---- */

/* The nearest number of so many digits, ties to even, with the sign of y; below `least`, the least normal number, it
 * has fewer digits. y + shift has no room for what rounding drops: one rounding, and the difference is exact. */
static inline double nearest_of(double y, int digits, double least) {
  const double magnitude = fabs(y) > least ? fabs(y) : least;
  uint64_t bits;
  memcpy(&bits, &magnitude, sizeof bits);
  bits &= UINT64_C(0x7ff) << 52; /* the power of two at or below it */
  double power;
  memcpy(&power, &bits, sizeof power);
  const double shift = power * (0x1.8p53 / (double)(UINT64_C(1) << digits));
  return copysign(y + shift - shift, y);
}

/* The element nearest to y, |y| <= 1 or a little more. */
static inline double nearest(int dtype, double y) {
  if (dtype == POSENC_DTYPE_F64 || dtype == POSENC_DTYPE_F32)
    return dtype == POSENC_DTYPE_F32 ? (double)(float)y : y;
  return nearest_of(y, posenc_dtype_info_of(dtype)->digits, posenc_dtype_info_of(dtype)->least);
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

/* Stores y, which is a number of the dtype. */
static inline void store_element(format fmt, destination to, int column, double y) {
  const int64_t at = (fmt.is_split ? column / 2 : column) * size_of(fmt);
  void *const element = (void *)((fmt.is_split && column % 2 ? to.second : to.first) + (uintptr_t)at);
  const float narrow = (float)y;
  if (fmt.dtype == POSENC_DTYPE_F64) {
    memcpy(element, &y, sizeof y);
  } else if (fmt.dtype == POSENC_DTYPE_F32) {
    memcpy(element, &narrow, sizeof narrow);
  } else {
    const int is_bf16 = fmt.dtype == POSENC_DTYPE_BF16;
    const uint16_t half = (uint16_t)(is_bf16 ? posenc_float_bits(narrow) >> 16 : posenc_f16_bits(narrow));
    memcpy(element, &half, sizeof half);
  }
}

#endif
