/* What float64 values become: elements of the caller's dtype and layout, by ordinary or non-temporal stores; and the
 * rounding test of each dtype.
 *
 * The test is the first step of Ziv's strategy (correct.h). It is accumulated over the values of a row pair, and fails
 * if any element may be rounded wrongly:
 *   float32   a value is within CHECK_WINDOW of half-way between two float32: the 29 bits that rounding drops tell. They
 *             are in the lower half of the float64, and its size is in the upper half
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

/* Are rows of row pairs tested? anchored stores its sums of float32 and float64 as they are. exact decides every float64
 * (correct.h). */
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

/* ---- the rounding test ---- */

INLINE uint32_t upper_half(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint32_t)(bits >> 32);
}

typedef struct rounding_test {
  vu least;      /* distance from half-way; in float32 in the lower halves, and the size in the upper ones */
  vu least_size; /* in 16 bits */
} rounding_test;

INLINE rounding_test test_start(void) { return (rounding_test){vu_set1(UINT32_MAX), vu_set1(UINT32_MAX)}; }

/* Each frequency has words in memory, by which it may be exempt from the test of the size.
 *   float32   two for each value, which are added to the halves of a float64. To the lower half MOVE: of its 29 dropped
 *             bits, those within CHECK_WINDOW of half-way become 0 .. 2 CHECK_WINDOW - 1. To the upper half 0, or where
 *             the frequency is exempt 2^30, which makes every size at least that of 2.0
 *   16 bits   one for each value, which is OR-ed with the bits of a float32. NOT_EXEMPT makes it negative, so that
 *             unsigned order is the order of sizes. All bits, where the frequency is exempt: larger than any size */
enum { MOVE = (1 << 28) + CHECK_WINDOW, NOT_EXEMPT = INT32_MIN };
INLINE int words_of_a_value(format fmt) { return fmt.dtype == POSENC_DTYPE_F32 ? 2 : 1; }

INLINE vu words_of_no_exempt(format fmt) {
  return fmt.dtype == POSENC_DTYPE_F32 ? vu_set2(MOVE, 0) : vu_set1((uint32_t)NOT_EXEMPT);
}

/* Without what is above the dropped bits in the lower half, and without the sign in the upper one. */
INLINE vu tested_halves(vd a, vu words) {
  return vu_and(vu_add(vd_bits(a), words), vu_set2((UINT32_C(1) << 29) - 1, INT32_MAX));
}
INLINE void test_floats(rounding_test *test, vd a, vd b, vu words) {
  test->least = vu_min(test->least, vu_min(tested_halves(a, words), tested_halves(b, words)));
  vu_now(&test->least);
}

/* packed: values as float32, which has 24 digits. Their midpoints become 0. */
INLINE void test_packed(format fmt, rounding_test *test, vp packed, vu words) {
  const uint32_t half = UINT32_C(1) << (24 - posenc_dtype_info_of(fmt.dtype)->digits - 1);
  const vu bits = vp_bits(packed);
  test->least = vu_min(test->least, vu_and(vu_add(bits, vu_set1(half)), vu_set1(2 * half - 1)));
  test->least_size = vu_min(test->least_size, vu_or(bits, words));
}

/* Two vectors each of two rows. */
INLINE void test_values(format fmt, rounding_test *test, const vd *y, const vd *z, const uint32_t *words) {
  if (fmt.dtype == POSENC_DTYPE_F32) {
    test_floats(test, y[0], z[0], vu_load(words));
    test_floats(test, y[1], z[1], vu_load(words + 2 * VD_LANES));
  } else {
    test_packed(fmt, test, vp_join(y[0], y[1]), vu_load(words));
    test_packed(fmt, test, vp_join(z[0], z[1]), vu_load(words));
  }
}

INLINE int test_failed(format fmt, const rounding_test *test) {
  if (fmt.dtype == POSENC_DTYPE_F32)
    return vu_any_below(test->least, vu_set2(2 * CHECK_WINDOW, upper_half(CHECK_SMALL)));
  const float least = fmt.dtype == POSENC_DTYPE_BF16 ? CHECK_BF16 : CHECK_F16;
  return vu_any_below(test->least, vu_set1(1)) | vu_any_below(test->least_size, vu_set1(posenc_float_bits(-least)));
}

/* Is every angle of this frequency at most an eighth of a turn, at positions, anchors and steps up to `furthest`? No
 * quarter turn is taken off then, so errors are relative: verify/proof/README.md adds them up. */
static inline int is_relative(double frequency, double furthest) { return furthest * fabs(frequency) <= 0.125; }

/* The words of frequencies, two each, exempt where both masks have all bits set. Words of an earlier call may take the
 * place of a mask: bit 30 in float32, or all bits in 16 bits, still say exempt. */
static inline vd exempt_where(format fmt, vd mask, vd other) {
  const vd both = vd_and(mask, other);
  /* As float64: 2.0 is 2^30 in the upper half; a multiple of 2^-1074 has this multiple as its lower half. */
  if (fmt.dtype == POSENC_DTYPE_F32)
    return vd_or(vd_and(both, vd_set1(2.0)), vd_set1(MOVE * 0x1p-1074));
  return vd_or(both, vd_set1(NOT_EXEMPT * 0x1p-1074)); /* its sign is the upper NOT_EXEMPT */
}

/* The words of frequencies, exempt where they skip the test of the least size: the error of their sines is relative. In
 * float32 and bfloat16, a frequency of at least 2^-100 has normal sines at all positions from 2^-20 on, and one of at
 * most 2^-202 has sines below 2^-167, which round to 0. In float16, sines of at most 2^-29 turns round to 0. (Cosines
 * are above every least size here.) */
static inline vd exempt_words(format fmt, vd frequency, double furthest) {
  const vd size = vd_abs(frequency), most = vd_set1(fmt.dtype == POSENC_DTYPE_F16 ? 0x1p-29 : 0.125);
  const vd is_normal = vd_or(vd_ge(size, vd_set1(0x1p-100)), vd_ge(vd_set1(0x1p-202), size));
  return exempt_where(fmt, is_normal, vd_ge(most, vd_mul(size, vd_set1(furthest))));
}

/* ---- stores ---- */

INLINE void store_packed(format fmt, uintptr_t to, vp a) {
  if (fmt.dtype == POSENC_DTYPE_F32)
    vp_put((float *)to, a, fmt.is_streamed);
  else
    vh_put((uint16_t *)to, fmt.dtype == POSENC_DTYPE_BF16 ? vp_to_bf16(a) : vp_to_f16(a), fmt.is_streamed);
}

/* Vectors that are stored together. */
INLINE int vectors_of(format fmt) { return fmt.is_split ? 4 : 2; }

/* Stores the values of y, vectors_of(fmt) vectors, from column i of the strip on. */
INLINE void store_values(format fmt, const vd *y, destination to, int i) {
  const int64_t size = size_of(fmt);
  if (fmt.dtype == POSENC_DTYPE_F64) {
    vd_put((double *)to.first + i, y[0], fmt.is_streamed);
    vd_put((double *)to.first + i + VD_LANES, y[1], fmt.is_streamed);
  } else if (fmt.is_split) {
    vp firsts, seconds;
    vd_unzip(y, &firsts, &seconds);
    store_packed(fmt, to.first + (uintptr_t)(i / 2 * size), firsts);
    store_packed(fmt, to.second + (uintptr_t)(i / 2 * size), seconds);
  } else {
    store_packed(fmt, to.first + (uintptr_t)(i * size), vp_join(y[0], y[1]));
  }
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
