/* Plain loops, which the compiler vectorises with glibc's vector functions, libmvec; this needs -ffast-math. Sines and
 * cosines are computed in two loops: in one loop they would become sincosf, for which GCC knows no vector form.
 * test_symbols.sh checks that both loops are vectorised. A block of angles stays in L1.
 */
#include "row.h"

#include <tgmath.h> /* sinf and cosf, or sin and cos */

#include <gnu/libc-version.h>

enum { BLOCK = 256 };

static void fill(const void *self, int64_t first, int64_t count, float *out) {
  const peer_table *t = self;
  PEER_REAL sines[BLOCK], cosines[BLOCK];
  for (int64_t i = 0; i < count; i++) {
    const PEER_REAL position = (PEER_REAL)(first + i);
    for (int64_t start = 0; start < t->pairs; start += BLOCK) {
      const PEER_REAL *w = t->w + start;
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

PEER("glibc " PEER_STRING(__GLIBC__) "." PEER_STRING(__GLIBC_MINOR__), peer_frequencies, peer_free, fill)
