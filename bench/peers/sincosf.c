/* A plain loop in C: one call of libm's sincosf per column pair. */
#define _GNU_SOURCE
#include "row.h"

static void fill(const void *self, int64_t first, int64_t count, float *out) {
  const peer_table *t = self;
  for (int64_t i = 0; i < count; i++) {
    const float position = (float)(first + i);
    for (int64_t k = 0; k < t->pairs; k++, out += 2)
      sincosf(position * t->w[k], &out[0], &out[1]);
  }
}

PEER(NULL, peer_frequencies, peer_free, fill)
