/* The inner loop: row pairs of a strip, the row ahead of the anchor by a step and the one behind it.
 *
 *     (sin, cos)(anchor +- step) = (sin a, cos a) cos s +- (cos a, -sin a) sin s
 *
 * The first products are the same, so a pair of vectors takes one multiplication and two FMAs. Sines and cosines lie in
 * memory in groups (simd/simd.h), and each cosine and sine of a step is used for both values of its pair.
 *
 * The order of its stores, its prefetches, its memory, its few integer variables and its constant widths make it fast.
 * "The inner loop" in impl/README.md has the reasons and the figures. Read it before you change the loop.
 */
#ifndef POSENC_ROW_PAIR_H
#define POSENC_ROW_PAIR_H

#include "angle_addition/strip.h"

/* Row pairs from .. end-1 of a run: where the rows of the first one go, how many bytes further those of the next, and
 * whether the rows ahead and behind are wanted. */
typedef struct row_pairs {
  int from, end;
  destination ahead, behind;
  int64_t next_ahead, next_behind;
  int has_ahead, has_behind;
} row_pairs;

/* Computes a group of values in both rows. */
INLINE void add_angles(const double *rotation, const double *anchor, vg *ahead, vg *behind) {
  const vg cosines = vg_firsts(rotation), sines = vg_seconds(rotation), turned = vg_load(anchor + SLOT);
  const vg shared = vg_mul(vg_load(anchor), cosines);
  *ahead = vg_fma(turned, sines, shared);
  *behind = vg_fnma(turned, sines, shared);
}

/* Fetches the cache lines of a strip of n frequencies in another row, which is perhaps outside the table. */
INLINE void fetch(format fmt, int n, destination row) {
  const int64_t bytes = n * bytes_of_pair(fmt);
  for (int64_t at = 0; at < bytes + LINE_BYTES; at += LINE_BYTES) {
    const int64_t byte = at < bytes ? at : bytes - 1; /* the last line is the one in which the strip ends */
    const destination line = advanced(row, byte);
    __builtin_prefetch((const void *)line.first, 1);
    if (fmt.is_split)
      __builtin_prefetch((const void *)line.second, 1);
  }
}

/* n: the strip's width. groups: how many of a row are stored at a time: two, but one in strips of 8 or 24 frequencies
 * and in float64. from < end. Returns the rows whose rounding test failed: bit 2b is the row ahead of pair b, bit
 * 2b + 1 the row behind. */
INLINE uint64_t write_row_pairs(format fmt, int n, int groups, const strip *p, const row_pairs *r) {
  const double *const rotations = p->rotations, *const anchors = p->anchor;
  const int64_t next_ahead = r->next_ahead, next_behind = r->next_behind;
  destination row_ahead = r->ahead, row_behind = r->behind;
  uint64_t failed = 0;
  for (int64_t b = r->from, end = r->end;;) {
    const double *const rotation = rotations + offset_of_rotation(b);
    const destination next_row_ahead = advanced(row_ahead, next_ahead),
                      next_row_behind = advanced(row_behind, next_behind);
    vtest test = vtest_start();
    if (!fmt.is_streamed) {
      fetch(fmt, n, next_row_ahead);
      fetch(fmt, n, next_row_behind);
    }
#pragma GCC unroll 2
    for (int h = 0; h * HALF_STRIP < n; h++) {
      const double *const anchor = anchors + h * NEXT_HALF;
      const int columns = 2 * n - h * SLOT < SLOT ? 2 * n - h * SLOT : SLOT;
#pragma GCC unroll 4
      for (int i = 0; i < columns; i += groups * 2 * VD_LANES) {
        vg ahead[2], behind[2];
        for (int g = 0; g < groups; g++) {
          const int at = i + g * 2 * VD_LANES;
          add_angles(rotation + h * NEXT_HALF + at, anchor + at, &ahead[g], &behind[g]);
          if (fmt.is_tested)
            test_groups(fmt, &test, ahead[g], behind[g], anchor + 2 * SLOT + at);
        }
        store_groups(fmt, groups, ahead, row_ahead, h * SLOT + i);
        store_groups(fmt, groups, behind, row_behind, h * SLOT + i);
      }
    }
    if (fmt.is_tested)
      failed |= (uint64_t)vtest_failed(&test) << 2 * b;
    if (++b == end)
      return failed;
    row_ahead = next_row_ahead;
    row_behind = next_row_behind;
  }
}

/* Instances of the loop, each for constant widths but in float64 (impl/README.md). Split strips have 16 frequencies or
 * STRIP. */
typedef uint64_t write_row_pairs_of(const strip *p, const row_pairs *r);
#define INSTANCE(name, dtype, split, streamed, call)                                                                   \
  __attribute__((noinline)) static uint64_t name(const strip *p, const row_pairs *r) {                                 \
    const format fmt = {dtype, split, streamed, is_tested(dtype)};                                                     \
    return call;                                                                                                       \
  }
#define WIDTH(n, groups) write_row_pairs(fmt, n, groups, p, r)
#define WIDE WIDTH(STRIP, 2)
#define HALF WIDTH(HALF_STRIP, 2)
#define NARROW (p->width == 8 ? WIDTH(8, 1) : p->width == 16 ? WIDTH(16, 2) : WIDTH(24, 1))
INSTANCE(write_f32, POSENC_DTYPE_F32, 0, 0, WIDE)
INSTANCE(write_bf16, POSENC_DTYPE_BF16, 0, 0, WIDE)
INSTANCE(write_f16, POSENC_DTYPE_F16, 0, 0, WIDE)
INSTANCE(write_f64, POSENC_DTYPE_F64, 0, 0, WIDTH(p->width, 1)) /* recheck() calls it for every dtype */
INSTANCE(write_split_f32, POSENC_DTYPE_F32, 1, 0, WIDE)
INSTANCE(write_split_bf16, POSENC_DTYPE_BF16, 1, 0, WIDE)
INSTANCE(write_split_f16, POSENC_DTYPE_F16, 1, 0, WIDE)
INSTANCE(stream_f32, POSENC_DTYPE_F32, 0, 1, WIDE)
INSTANCE(stream_bf16, POSENC_DTYPE_BF16, 0, 1, WIDE)
INSTANCE(stream_f16, POSENC_DTYPE_F16, 0, 1, WIDE)
INSTANCE(stream_f64, POSENC_DTYPE_F64, 0, 1, WIDTH(p->width, 1))
INSTANCE(stream_split_f32, POSENC_DTYPE_F32, 1, 1, WIDE)
INSTANCE(write_narrow_f32, POSENC_DTYPE_F32, 0, 0, NARROW)
INSTANCE(write_narrow_bf16, POSENC_DTYPE_BF16, 0, 0, NARROW)
INSTANCE(write_narrow_f16, POSENC_DTYPE_F16, 0, 0, NARROW)
INSTANCE(write_split_half_f32, POSENC_DTYPE_F32, 1, 0, HALF)
INSTANCE(write_split_half_bf16, POSENC_DTYPE_BF16, 1, 0, HALF)
INSTANCE(write_split_half_f16, POSENC_DTYPE_F16, 1, 0, HALF)
INSTANCE(stream_narrow_f32, POSENC_DTYPE_F32, 0, 1, NARROW)
INSTANCE(stream_narrow_bf16, POSENC_DTYPE_BF16, 0, 1, NARROW)
INSTANCE(stream_narrow_f16, POSENC_DTYPE_F16, 0, 1, NARROW)
INSTANCE(stream_split_half_f32, POSENC_DTYPE_F32, 1, 1, HALF)

/* NULL where there is none: for split rows of float64, and for streamed split rows of 16 bits, where a line is a whole
 * strip (Zen 4: with AVX2 half as fast as ordinary stores at 128 columns, and 1.0 to 1.1 times at 1024). */
static inline write_row_pairs_of *instance_of(int dtype, int is_split, int n, int is_streamed) {
  static write_row_pairs_of *const instances[][2][2][2] = {
      [POSENC_DTYPE_F32] = {{{write_f32, stream_f32}, {write_narrow_f32, stream_narrow_f32}},
          {{write_split_f32, stream_split_f32}, {write_split_half_f32, stream_split_half_f32}}},
      [POSENC_DTYPE_BF16] = {{{write_bf16, stream_bf16}, {write_narrow_bf16, stream_narrow_bf16}},
          {{write_split_bf16}, {write_split_half_bf16}}},
      [POSENC_DTYPE_F16] = {{{write_f16, stream_f16}, {write_narrow_f16, stream_narrow_f16}},
          {{write_split_f16}, {write_split_half_f16}}},
      [POSENC_DTYPE_F64] = {{{write_f64, stream_f64}, {write_f64, stream_f64}}}};
  return instances[dtype][is_split][n < STRIP][is_streamed];
}

#endif
