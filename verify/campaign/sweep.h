/* The rows to verify: shapes are cut into ranges of positions, and ranges are sampled. */
#ifndef POSENC_VERIFY_SWEEP_H
#define POSENC_VERIFY_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "posenc.h"

/* Consecutive positions that one posenc_fill() call writes. */
typedef struct sample {
  int64_t first, count;
} sample;

enum { SEGMENT_REALS = 8 };

/* The sampled rows of one shape between two positions, which are reported together. */
typedef struct segment {
  char shape[24];
  const char *preset; /* the preset that spec is, perhaps with changes; or NULL */
  posenc_spec spec;
  int64_t from, to; /* the half-open range the rows are sampled from */
  bool in_table;    /* part of the accuracy table: the report shows each implementation */
  sample *samples;  /* in rising order, disjoint */
  int64_t n_samples;
  int64_t *positions; /* n_rows of them, sample after sample */
  int64_t n_rows;
  double reals[SEGMENT_REALS]; /* positions between integers, which posenc_fill_at_real() writes */
} segment;

/* The position of a row; those from n_rows on are real. */
static inline double segment_position(const segment *s, int64_t row) {
  return row < s->n_rows ? (double)s->positions[row] : s->reals[row - s->n_rows];
}

typedef struct sweep {
  segment *segments;
  int64_t count;
} sweep;

enum { SWEEP_MIN_ROWS = 2, SWEEP_MAX_ROWS = 1 << 16 };

/* The default sweep:
 *
 * - the accuracy table (d_model 512, base 10000): a segment for each range of positions, with up to `rows` rows, but
 *   nine times as many from 512 to 5000;
 * - the shapes of shapes.inc, awkward shapes, presets and other dtypes: a segment for each, with fewer rows. */
sweep sweep_default(int64_t rows, uint64_t seed);

/* One shape, positions from .. to-1, cut into the same ranges, with up to `rows` rows each. rows: 0 for all rows if they
 * have at most 2.6 million outputs, otherwise for as many rows of each range as have that many together. preset: its
 * name, or NULL. preset and spec->freqs must outlive the sweep. */
sweep sweep_of(const posenc_spec *spec, const char *preset, int64_t from, int64_t to, int64_t rows, uint64_t seed);

/* One segment, with all rows of positions from .. to-1. */
sweep sweep_every_row(const posenc_spec *spec, int64_t from, int64_t to);

void sweep_destroy(sweep *s);

#endif
