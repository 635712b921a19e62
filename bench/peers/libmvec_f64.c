/* As libmvec.c, in float64: each value is rounded once, to float32. */
#include "row.h"

enum { BLOCK = 256 };

static void fill(const void *self, int64_t first, int64_t count, float *out) {
  const peer_table_f64 *t = self;
  double sines[BLOCK], cosines[BLOCK];
  for (int64_t i = 0; i < count; i++) {
    const double position = (double)(first + i);
    for (int64_t start = 0; start < t->pairs; start += BLOCK) {
      const double *w = t->w + start;
      const int64_t n = t->pairs - start < BLOCK ? t->pairs - start : BLOCK;
      for (int64_t k = 0; k < n; k++)
        sines[k] = sin(position * w[k]);
      for (int64_t k = 0; k < n; k++)
        cosines[k] = cos(position * w[k]);
      for (int64_t k = 0; k < n; k++) {
        out[2 * k] = (float)sines[k];
        out[2 * k + 1] = (float)cosines[k];
      }
      out += 2 * n;
    }
  }
}

PEER("glibc " PEER_STRING(__GLIBC__) "." PEER_STRING(__GLIBC_MINOR__), peer_frequencies_f64, peer_free_f64, fill)
