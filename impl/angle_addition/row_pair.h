/* The inner loop: row pairs of a strip, the row ahead of the anchor by a step and the one behind it.
 *
 *     (sin, cos)(anchor +- step) = (sin a, cos a) cos s +- (cos a, -sin a) sin s
 *
 * The first products are the same, so a pair of vectors takes one multiplication and two FMAs. Sines and cosines lie in memory
 * as columns do in a table, and each factor is loaded into both lanes of its pair.
 *
 * Three things make it fast; docs/speed.md says more.
 *   - At most two cache lines (split: four) are begun and not whole at any time: processors join non-temporal stores to lines in a
 *     few buffers only.
 *   - Nothing but vectors of the strip is read between stores: other memory may have the page offset of a store.
 *   - It is a function of few integers. Where a compiler keeps one in a vector register, loads wait behind arithmetic.
 */
#ifndef POSENC_ROW_PAIR_H
#define POSENC_ROW_PAIR_H

#include "angle_addition/store.h"
#include "angle_addition/strip.h"

/* Row pairs first .. end-1 of a run: where the rows of the first one go, and how many bytes further those of the next. */
typedef struct row_pairs {
  int first, end;
  destination ahead, behind;
  int64_t next_ahead, next_behind;
} row_pairs;

FLAT destination further(destination to, int64_t bytes) { return (destination){to.first + bytes, to.second + bytes}; }

/* A vector of each row, from one half of VD_LANES pairs of factors and from the anchor's columns. */
FLAT void one_vector(const double *pairs, int half, const double *sines, vd *y, vd *z) {
  const vd c = vd_cosines_of(pairs, half), s = vd_sines_of(pairs, half);
  const vd product = vd_mul(vd_load(sines), c), turned = vd_load(sines + FACTOR);
  *y = vd_fma(turned, s, product);
  *z = vd_fnma(turned, s, product);
}
FLAT void two_vectors(const double *pairs, const double *sines, vd *y, vd *z) {
  one_vector(pairs, 0, sines, y, z);
  one_vector(pairs, 1, sines + VD_LANES, y + 1, z + 1);
}

/* n is the strip's. Returns the pairs whose rounding test failed, bit b for pair b. */
FLAT uint32_t write_row_pairs(form f, int n, const strip *p, const row_pairs *r) {
  const double *const factors = p->factors, *const anchor = p->anchor;
  const int64_t next_half = p->next_half, next_ahead = r->next_ahead, next_behind = r->next_behind, apart = p->apart;
  destination ahead = r->ahead, behind = r->behind;
  uint32_t failed = 0;
  for (int64_t b = r->first, end = r->end; b < end; b++) {
    const double *const step = factors + factor_at(b, apart);
    rounding_test test = test_none();
#pragma GCC unroll 2
    for (int h = 0; h * HALF_STRIP < n; h++) {
      const double *const sines = anchor + h * NEXT_HALF;
      const uint32_t *const exempt = (const uint32_t *)(const void *)(sines + 2 * FACTOR);
      const int columns = 2 * n - h * FACTOR < FACTOR ? 2 * n - h * FACTOR : FACTOR;
#pragma GCC unroll 4
      for (int i = 0; i < columns; i += vectors_of(f) * VD_LANES) {
        vd y[4], z[4];
        two_vectors(step + h * next_half + i, sines + i, y, z);
        if (f.split)
          two_vectors(step + h * next_half + i + 2 * VD_LANES, sines + i + 2 * VD_LANES, y + 2, z + 2);
        const vu words[2] = {vu_load(exempt + i), f.split ? vu_load(exempt + i + 2 * VD_LANES) : vu_set1(0)};
        store_values(f, &test, y, words, ahead, h * FACTOR + i);
        store_values(f, &test, z, words, behind, h * FACTOR + i);
      }
    }
    if (f.tested)
      failed |= (uint32_t)test_failed(f, &test) << b;
    ahead = further(ahead, next_ahead);
    behind = further(behind, next_behind);
  }
  return failed;
}

/* Instances of the loop. Nearly all strips are STRIP frequencies wide, and a constant width is faster (docs/speed.md). */
typedef uint32_t write_row_pairs_of(const strip *p, const row_pairs *r);
#define INSTANCE(name, dtype, split, streamed, n)                                                                      \
  __attribute__((noinline)) static uint32_t name(const strip *p, const row_pairs *r) {                                 \
    const int tested = dtype != POSENC_DTYPE_F64 && (EXACT || dtype != POSENC_DTYPE_F32);                              \
    return write_row_pairs((form){dtype, split, streamed, tested}, n, p, r);                                           \
  }
INSTANCE(write_f32, POSENC_DTYPE_F32, 0, 0, STRIP)
INSTANCE(write_split, POSENC_DTYPE_F32, 1, 0, STRIP)
INSTANCE(write_bf16, POSENC_DTYPE_BF16, 0, 0, STRIP)
INSTANCE(write_f16, POSENC_DTYPE_F16, 0, 0, STRIP)
INSTANCE(stream_f32, POSENC_DTYPE_F32, 0, 1, STRIP)
INSTANCE(stream_split, POSENC_DTYPE_F32, 1, 1, STRIP)
INSTANCE(stream_bf16, POSENC_DTYPE_BF16, 0, 1, STRIP)
INSTANCE(stream_f16, POSENC_DTYPE_F16, 0, 1, STRIP)
INSTANCE(narrow_f32, POSENC_DTYPE_F32, 0, p->f.streamed, p->n)
INSTANCE(narrow_split, POSENC_DTYPE_F32, 1, p->f.streamed, p->n)
INSTANCE(narrow_bf16, POSENC_DTYPE_BF16, 0, p->f.streamed, p->n)
INSTANCE(narrow_f16, POSENC_DTYPE_F16, 0, p->f.streamed, p->n)
INSTANCE(narrow_f64, POSENC_DTYPE_F64, 0, p->f.dtype == POSENC_DTYPE_F64 && p->f.streamed, p->n) /* rechecks, too */

static inline write_row_pairs_of *instance_of(form f, int n) {
  static write_row_pairs_of *const instances[][3] = {{narrow_f32, write_f32, stream_f32},
      {narrow_split, write_split, stream_split}, {narrow_bf16, write_bf16, stream_bf16},
      {narrow_f16, write_f16, stream_f16}, {narrow_f64, narrow_f64, narrow_f64}};
  const int row = f.split                        ? 1
                  : f.dtype == POSENC_DTYPE_F32  ? 0
                  : f.dtype == POSENC_DTYPE_BF16 ? 2
                  : f.dtype == POSENC_DTYPE_F16  ? 3
                                                 : 4;
  return instances[row][n < STRIP ? 0 : 1 + f.streamed];
}

#endif
