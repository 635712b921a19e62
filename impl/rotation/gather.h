/* Rows at any positions. They come in batches of no more than so many different coarse parts, and rows with the same
 * one follow each other, so that it is computed once for a strip of all of them (rotation/row.h).
 */
#ifndef POSENC_GATHER_H
#define POSENC_GATHER_H

#include "rotation/direct.h"
#include "rotation/consecutive.h"

enum { BATCH = 2048, COARSES = 128, BUCKETS = 2 * COARSES };

_Static_assert(
    BUCKETS == 256 && BATCH <= INT16_MAX && MIDDLES <= INT8_MAX, "the hash gives 8 bits, rows and parts fit");

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

/* The rows from i that fit in a batch, sorted by coarse part. Those are told apart by a hash table with open
 * addressing. */
static inline void set_batch(batch *b, const posenc_rows *r, int64_t i) {
  uint8_t buckets[BUCKETS] = {0}, which[BATCH]; /* one more than the index in coarse[]; 0: free */
  int16_t next[COARSES + 1];
  b->coarses = 0;
  b->end[0] = 0;
  for (b->count = 0; b->count < BATCH && i + b->count < r->count; b->count++) {
    const int64_t coarse = parts_of(posenc_row_position(r, i + b->count)).coarse;
    uint64_t s = (uint64_t)(coarse / COARSE) * UINT64_C(0x9e3779b97f4a7c15) >> 56;
    while (buckets[s] && b->coarse[buckets[s] - 1] != coarse)
      s = (s + 1) % BUCKETS;
    if (!buckets[s]) {
      if (b->coarses == COARSES)
        break;
      b->coarse[b->coarses] = coarse;
      buckets[s] = (uint8_t)++b->coarses;
      b->end[b->coarses] = 0;
    }
    which[b->count] = buckets[s];
    b->end[buckets[s]]++;
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

/* A strip of the rows of a batch whose first row is row i of the call. */
static inline void gather_strip(const posenc_spec *spec, const turns *t, const batch *b, int64_t i, int64_t first,
    int64_t end, float *out, int64_t stride, recheck_pairs *recheck) {
  row_strip p;
  for (int c = 0; c < b->coarses; c++) {
    set_row_strip(&p, t, first, end, b->coarse[c], 0);
    for (int l = b->end[c]; l < b->end[c + 1]; l++) {
      const row_parts *at = &b->rows[l];
      write_strip(
          &p, spec, (parts){b->coarse[c], at->middle, at->step}, out + (i + at->row) * stride + 2 * first, recheck);
    }
  }
}

/* Not inlined, like fill_rows: of the two, only the stack of the one that runs is taken. */
__attribute__((noinline)) static void gather_rows(
    const posenc_spec *spec, const turns *t, const posenc_rows *r, float *out, int64_t stride, recheck_pairs *recheck) {
  batch b;
  const int64_t first = r->from / 2;
  for (int64_t i = 0; i < r->count; i += b.count) {
    set_batch(&b, r, i);
    for (int64_t k = first; 2 * k < r->to; k += STRIP)
      gather_strip(spec, t, &b, i, k, r->to, out, stride, recheck);
  }
}

/* float32 at integer positions. */
static inline void write_rows(const posenc_spec *spec, const void *state, const posenc_rows *r, float *out,
    int64_t stride, recheck_pairs *recheck) {
  const turns t = turns_of(spec, state);
  float *const origin = out - r->from; /* of a tile: where column 0 would be */
  if (r->count < FEW && !r->add)
    for (int64_t i = 0; i < r->count; i++)
      if (recheck && is_direct(&t, posenc_row_position(r, i)))
        direct_row(spec, &t, posenc_row_position(r, i), origin + i * stride, r->from / 2, r->to, recheck);
      else
        one_row(spec, &t, posenc_row_position(r, i), origin + i * stride, r->from / 2, r->to, NULL, 0.0f, recheck);
  else if (r->positions)
    gather_rows(spec, &t, r, origin, stride, recheck);
  else
    fill_rows(spec, &t, r, origin, stride, recheck);
}

#endif
