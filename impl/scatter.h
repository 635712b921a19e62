/* Rows at any positions, and few rows: no anchor serves more than one of them, so all three parts of a position (turns.h) are
 * put together for each.
 *
 * Positions come in batches of no more than so many different coarse parts. What a batch needs of 8 frequencies is then in L1:
 * steps, middles, and the coarse angles, which are computed once per batch.
 */
#ifndef POSENC_SCATTER_H
#define POSENC_SCATTER_H

#include "tiles.h"

enum { BATCH = 2048, COARSES = 128, SLOTS = 2 * COARSES, TOGETHER = 4 /* rows per check */ };

typedef struct batch {
  int64_t count;
  int coarses;
  int64_t coarse[COARSES];
  uint8_t which[BATCH]; /* coarse part of a row */
  int8_t middle[BATCH], step[BATCH];
} batch;

/* The rows from i that fit in a batch. Coarse parts are told apart by a hash table with open addressing. */
static inline void gather(batch *b, const posenc_rows *r, int64_t i)
{
  uint8_t slots[SLOTS]; /* one more than the index in coarse[], 0: free */
  memset(slots, 0, sizeof slots);
  b->coarses = 0;
  for (b->count = 0; b->count < BATCH && i < r->count; i++, b->count++) {
    const parts at = parts_of(posenc_row_position(r, i));
    uint64_t s = (uint64_t)(at.coarse / COARSE) * UINT64_C(0x9e3779b97f4a7c15) >> 56;
    while (slots[s] && b->coarse[slots[s] - 1] != at.coarse)
      s = (s + 1) % SLOTS;
    if (!slots[s]) {
      if (b->coarses == COARSES)
        return;
      b->coarse[b->coarses++] = at.coarse;
      slots[s] = (uint8_t)b->coarses;
    }
    b->which[b->count] = (uint8_t)(slots[s] - 1);
    b->middle[b->count] = (int8_t)at.middle;
    b->step[b->count] = (int8_t)at.step;
  }
}

typedef struct coarse_angle {
  angle a;
  vd exempt;
} coarse_angle;

static inline coarse_angle coarse_at(const turns *t, int64_t k, int64_t position)
{
  const angle none = {vd_set1(0.0), vd_set1(1.0)}; /* what compute() gives for position 0 */
  return (coarse_angle){position ? compute(t, k, position) : none, exempt_at(t, k, relative_at(t, k, position))};
}

static inline void scatter(const posenc_spec *spec, const turns *t, const posenc_rows *r, float *out, int64_t stride,
                           settle_pairs *settle)
{
  batch b;
  for (int64_t i = 0; i < r->count; i += b.count) {
    gather(&b, r, i);
    for (int64_t k = 0; 2 * k < spec->d_model; k += VD_LANES) {
      coarse_angle coarse[COARSES];
      for (int c = 0; c < b.coarses; c++)
        coarse[c] = coarse_at(t, k, b.coarse[c]);
      const int64_t columns = spec->d_model - 2 * k;
      for (int64_t j = 0, end; j < b.count; j = end) {
        angle y[TOGETHER];
        check flags = check_none();
        end = b.count - j < TOGETHER ? b.count : j + TOGETHER;
        for (int64_t l = j; l < end; l++) {
          const coarse_angle *c = &coarse[b.which[l]];
          y[l - j] = turned(turned(c->a, middle(t, k, b.middle[l])), step(t, k, b.step[l]));
          float *to = out + (i + l) * stride + 2 * k;
          vd_store_pairs(to, y[l - j].sin, y[l - j].cos, columns);
          if (settle)
            check_pairs(&flags, y[l - j].sin, y[l - j].cos, vd_pack(y[l - j].sin, y[l - j].cos), vx_of(c->exempt));
        }
        if (settle && check_flagged(&flags))
          for (int64_t l = j; l < end; l++)
            settle(spec, posenc_row_position(r, i + l), k, y[l - j], relative_at(t, k, b.coarse[b.which[l]]),
                   out + (i + l) * stride + 2 * k, 0, columns);
      }
    }
  }
}

/* Fewer rows than this are not worth a strip's copy of the steps, nor an anchor. */
enum { FEW = 8 };

static inline void write_rows(const posenc_spec *spec, const void *state, const posenc_rows *r, float *out, int64_t stride,
                              settle_pairs *settle)
{
  const turns t = turns_of(spec, state);
  if (r->positions || r->count < FEW)
    scatter(spec, &t, r, out, stride, settle);
  else
    fill_rows(spec, &t, r->first, r->count, out, stride, settle);
}

#endif
