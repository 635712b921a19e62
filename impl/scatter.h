/* Rows at any positions, and few rows: no anchor serves more than one of them, so all three parts of a position (turns.h) are
 * put together for each output.
 *
 * Positions come in batches of no more than so many different coarse parts, and rows with the same one follow each other: it is
 * computed once, while they are written. Steps and middles of 8 frequencies are in L1.
 */
#ifndef POSENC_SCATTER_H
#define POSENC_SCATTER_H

#include "tiles.h"

enum { BATCH = 2048, COARSES = 128, SLOTS = 2 * COARSES, TOGETHER = 4 /* vectors per check */ };

_Static_assert(SLOTS == 256 && BATCH <= INT16_MAX && MIDDLES <= INT8_MAX, "the hash gives 8 bits, rows and parts fit");

typedef struct row_parts {
  int16_t row; /* of the batch */
  int8_t middle, step;
} row_parts;

typedef struct batch {
  int64_t count;
  int coarses;
  int64_t coarse[COARSES];
  int16_t end[COARSES + 1]; /* of rows[] with coarse[c - 1]; those with coarse[c] begin there */
  row_parts rows[BATCH];
} batch;

/* The rows from i that fit in a batch, sorted by coarse part. Those are told apart by a hash table with open addressing. */
static inline void gather(batch *b, const posenc_rows *r, int64_t i)
{
  uint8_t slots[SLOTS] = {0}, which[BATCH]; /* one more than the index in coarse[]; 0: free */
  int16_t next[COARSES + 1];
  b->coarses = 0;
  b->end[0] = 0;
  for (b->count = 0; b->count < BATCH && i + b->count < r->count; b->count++) {
    const int64_t coarse = parts_of(posenc_row_position(r, i + b->count)).coarse;
    uint64_t s = (uint64_t)(coarse / COARSE) * UINT64_C(0x9e3779b97f4a7c15) >> 56;
    while (slots[s] && b->coarse[slots[s] - 1] != coarse)
      s = (s + 1) % SLOTS;
    if (!slots[s]) {
      if (b->coarses == COARSES)
        break;
      b->coarse[b->coarses] = coarse;
      slots[s] = (uint8_t)++b->coarses;
      b->end[b->coarses] = 0;
    }
    which[b->count] = slots[s];
    b->end[slots[s]]++;
  }
  for (int c = 0; c < b->coarses; c++) {
    next[c] = b->end[c];
    b->end[c + 1] = (int16_t)(b->end[c + 1] + b->end[c]);
  }
  for (int64_t j = 0; j < b->count; j++) {
    const parts at = parts_of(posenc_row_position(r, i + j));
    b->rows[next[which[j] - 1]++] = (row_parts){(int16_t)j, (int8_t)at.middle, (int8_t)at.step};
  }
}

static inline angle coarse_angle(const turns *t, int64_t k, int64_t position)
{
  const angle none = {vd_set1(0.0), vd_set1(1.0)}; /* what compute() gives for position 0 */
  return position ? compute(t, k, position) : none;
}

/* exempt_at(), and lanes of no frequency. */
static inline vd exempt_lanes(const turns *t, int64_t k, vd relative)
{
  double exempt[VD_LANES] LINE;
  if (k >= 0 && k + VD_LANES <= t->n)
    return exempt_at(t, k, relative);
  vd_store(exempt, exempt_at(t, k, relative));
  no_frequency(t, k, VD_LANES, exempt);
  return vd_load(exempt);
}

/* VD_LANES frequencies from k of the rows of a batch whose first row is row i of the call. */
static inline void scatter_columns(const posenc_spec *spec, const turns *t, const batch *b, const posenc_rows *r, int64_t i,
                                   int64_t k, float *out, int64_t stride, settle_pairs *settle)
{
  const int64_t from = -2 * k, to = spec->d_model - 2 * k;
  const double *middles = middles_of(t, k), *steps = steps_of(t, k);
  for (int c = 0; c < b->coarses; c++) {
    const angle coarse = coarse_angle(t, k, b->coarse[c]);
    const vd relative = relative_at(t, k, b->coarse[c]);
    const vx exempt = vx_of(exempt_lanes(t, k, relative));
    for (int j = b->end[c], end; j < b->end[c + 1]; j = end) {
      angle y[TOGETHER];
      check flags = check_none();
      end = b->end[c + 1] - j < TOGETHER ? b->end[c + 1] : j + TOGETHER;
      for (int l = j; l < end; l++) {
        const row_parts *p = &b->rows[l];
        const angle at = turned(turned(coarse, entry(t, middles, k, p->middle, STEP)), entry(t, steps, k, p->step, 1));
        const vp packed = vd_pack(at.sin, at.cos);
        float *row = out + (i + p->row) * stride + 2 * k;
        store_columns(row, packed, from, to);
        if (settle)
          check_pairs(&flags, at.sin, at.cos, packed, exempt);
        y[l - j] = at;
      }
      if (settle && check_flagged(&flags))
        for (int l = j; l < end; l++)
          settle(spec, t, posenc_row_position(r, i + b->rows[l].row), k, y[l - j], relative,
                 out + (i + b->rows[l].row) * stride + 2 * k, from, to);
    }
  }
}

static inline void scatter(const posenc_spec *spec, const turns *t, const posenc_rows *r, float *out, int64_t stride,
                           settle_pairs *settle)
{
  batch b;
  const int64_t first = first_lane(out, stride);
  for (int64_t i = 0; i < r->count; i += b.count) {
    gather(&b, r, i);
    for (int64_t k = first; 2 * k < spec->d_model; k += VD_LANES)
      if (k + VD_LANES > 0)
        scatter_columns(spec, t, &b, r, i, k, out, stride, settle);
  }
}

static inline void one_row(const posenc_spec *spec, const turns *t, int64_t position, float *row, int64_t first,
                           settle_pairs *settle)
{
  const parts at = parts_of(position);
  for (int64_t k = first; 2 * k < spec->d_model; k += TOGETHER * VD_LANES) {
    angle y[TOGETHER];
    check flags = check_none();
    for (int l = 0; l < TOGETHER; l++) {
      const int64_t j = k + l * VD_LANES, from = -2 * j, to = spec->d_model - 2 * j;
      if (j <= -VD_LANES || 2 * j >= spec->d_model)
        continue;
      y[l] = turned(coarse_angle(t, j, at.coarse), entry(t, middles_of(t, j), j, at.middle, STEP));
      y[l] = turned(y[l], entry(t, steps_of(t, j), j, at.step, 1));
      const vp packed = vd_pack(y[l].sin, y[l].cos);
      store_columns(row + 2 * j, packed, from, to);
      if (settle)
        check_pairs(&flags, y[l].sin, y[l].cos, packed, vx_of(exempt_lanes(t, j, relative_at(t, j, at.coarse))));
    }
    if (settle && check_flagged(&flags))
      for (int l = 0; l < TOGETHER; l++) {
        const int64_t j = k + l * VD_LANES;
        if (j <= -VD_LANES || 2 * j >= spec->d_model)
          continue;
        settle(spec, t, position, j, y[l], relative_at(t, j, at.coarse), row + 2 * j, -2 * j, spec->d_model - 2 * j);
      }
  }
}

/* Fewer rows than this are not worth an anchor, nor a batch. */
enum { FEW = 8 };

static inline void write_rows(const posenc_spec *spec, const void *state, const posenc_rows *r, float *out, int64_t stride,
                              settle_pairs *settle)
{
  const turns t = turns_of(spec, state);
  if (r->count < FEW)
    for (int64_t i = 0; i < r->count; i++)
      one_row(spec, &t, posenc_row_position(r, i), out + i * stride, first_lane(out, stride), settle);
  else if (r->positions)
    scatter(spec, &t, r, out, stride, settle);
  else
    fill_rows(spec, &t, r->first, r->count, out, stride, settle);
}

#endif
