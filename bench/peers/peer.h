/* What people would use instead: each peer writes the paper's table as its library's users would, in float32. Nothing
 * of it is shared with impl/, or a fault there would slow down, or falsify, both sides of the comparison.
 */
#ifndef POSENC_BENCH_PEERS_PEER_H
#define POSENC_BENCH_PEERS_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer {
  const char *name; /* "sleef_avx512" */
  const char *what; /* one line */

  /* Its library, "Eigen 3.4.0"; NULL where there is none but the compiler's. */
  const char *library;

  /* What is computed once for a width (frequencies), d_model even. NULL: no memory. */
  void *(*create)(int64_t d_model, double base);
  void (*destroy)(void *self);

  /* Positions first .. first+count-1 of the interleaved table, sines first, rows one after the other. */
  void (*fill)(const void *self, int64_t first, int64_t count, float *out);

  /* NULL: it runs here; else why not. */
  const char *(*lacks)(void);
} peer;

/* Those that this program was built with. */
size_t peer_count(void);
const peer *peer_at(size_t i);
const peer *peer_find(const char *name); /* NULL: there is none */

/* Calls back with those that it was built without, and why: "Eigen is not installed (Debian: libeigen3-dev)". */
void peer_each_missing(void (*call)(const char *name, const char *reason, void *data), void *data);

#ifdef __cplusplus
}
#endif

#endif
