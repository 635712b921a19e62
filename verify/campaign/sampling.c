#include "sampling.h"

#include <stdlib.h>

#include "../tools/memory.h"
#include "../tools/random.h"

/* A sample is long enough for an implementation to step from row to row. Anchored ones start afresh at each anchor. */
enum { SAMPLE_ROWS = 8, ANCHOR = 64 };

static void add_sample(segment *s, int64_t first, int64_t count) {
  sample *samples = realloc(s->samples, (size_t)(s->n_samples + 1) * sizeof *samples);
  if (!samples)
    out_of_memory("for samples");
  s->samples = samples;
  samples[s->n_samples++] = (sample){first, count};
  s->n_rows += count;
}

static int64_t floor_to_anchor(int64_t position) {
  const int64_t below = position % ANCHOR;
  return position - (below < 0 ? below + ANCHOR : below);
}

/* The first position of a sample of `length` rows inside [from, to). across: moves the sample across an anchor, if [from, to)
 * contains one that the sample can cross. It is set for every second sample. */
static int64_t first_position(int64_t from, int64_t to, int64_t length, bool across, uint64_t *random) {
  int64_t first = random_between(random, from, to - length);
  if (across && length > 1) {
    const int64_t anchor = floor_to_anchor(first + ANCHOR - 1);
    const int64_t moved = anchor - random_between(random, 1, length - 1);
    if (moved >= from && moved + length <= to)
      first = moved;
  }
  return first;
}

void sample_range(segment *s, int64_t from, int64_t to, int64_t rows, uint64_t *random) {
  const int64_t width = to - from;
  if (rows >= width) {
    add_sample(s, from, width);
    return;
  }
  const int64_t length = rows >= 4 * SAMPLE_ROWS ? SAMPLE_ROWS : rows >= 4 ? rows / 4 : 1;
  int64_t between = rows / length - 2; /* samples between the first and the last */
  if (between > width / length - 2)
    between = width / length - 2;
  if (between < 0)
    between = 0;

  add_sample(s, from, length);
  const int64_t start = from + length, room = width - 2 * length;
  for (int64_t i = 0; i < between; i++) {
    /* Positions reach 2^32 and there are at most 2^16 strata, so the products fit. */
    const int64_t low = start + room * i / between, high = start + room * (i + 1) / between;
    add_sample(s, first_position(low, high, length, i % 2 == 0, random), length);
  }
  add_sample(s, to - length, length);
}

void sample_finish(segment *s, uint64_t *random) {
  s->positions = must_calloc(s->n_rows, sizeof *s->positions);
  int64_t row = 0;
  for (int64_t r = 0; r < s->n_samples; r++)
    for (int64_t i = 0; i < s->samples[r].count; i++)
      s->positions[row++] = s->samples[r].first + i;
  for (int64_t i = 0; i < SEGMENT_REALS; i++) { /* less than 1 from a row, towards 0, so in the domain */
    const int64_t position = s->positions[i * (s->n_rows - 1) / (SEGMENT_REALS - 1)];
    s->reals[i] = (double)position + (position > 0 ? -1 : 1) * real_between(random, 0, 1);
  }
}
