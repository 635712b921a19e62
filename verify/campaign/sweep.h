/* Which rows are verified: shapes, cut into ranges of positions, sampled in runs of consecutive rows. */
#ifndef POSENC_VERIFY_SWEEP_H
#define POSENC_VERIFY_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "posenc.h"

/* Consecutive positions that one posenc_fill() call writes. */
typedef struct sweep_run {
  int64_t first, count;
} sweep_run;

/* The sampled rows of one shape between two positions; what one line of the report is about. */
typedef struct segment {
  char shape[24];
  const char *preset; /* whose spec this is, perhaps with changes; or NULL */
  posenc_spec spec;
  int64_t from, to; /* the half-open range the rows are sampled from */
  bool in_table;    /* the report shows it implementation by implementation */
  sweep_run *runs;  /* in rising order, disjoint */
  int64_t n_runs;
  int64_t *positions; /* of the n_rows rows, run after run */
  int64_t n_rows;
  int64_t *shuffled; /* a permutation of the rows: the order in which posenc_fill_at() is asked for them */
} segment;

typedef struct sweep {
  segment *segments;
  int64_t count;
} sweep;

enum { SWEEP_MIN_ROWS = 2, SWEEP_MAX_ROWS = 1 << 16, SWEEP_MOST_RANGES = 14 };

/* Up to `rows` rows per range. The accuracy table (d_model 512, base 10000) has each range of positions as a segment
 * of its own; the shapes of shapes.inc, the awkward ones, presets and other dtypes are a segment each, with fewer rows.
 */
sweep sweep_default(int64_t rows, uint64_t seed);

/* One shape, positions from .. to-1, cut at the same ranges. preset: its name, or NULL. That and spec->freqs must
 * outlive the sweep. */
sweep sweep_of(const posenc_spec *spec, const char *preset, int64_t from, int64_t to, int64_t rows, uint64_t seed);

/* One segment, with all rows of positions from .. to-1. */
sweep sweep_whole(const posenc_spec *spec, int64_t from, int64_t to);

void sweep_destroy(sweep *s);

#endif
