/* What people would use instead: each peer writes the paper's table as its library's users would, in float32. Nothing
 * of it is shared with impl/, or a fault there would slow down, or falsify, both sides of the comparison.
 */
#ifndef POSENC_BENCH_PEERS_PEER_H
#define POSENC_BENCH_PEERS_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer {
  const char *name; /* "eigen_avx2" */
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

/* Those that this program was built with, and those that it was built without: "Eigen is not installed (Debian:
 * libeigen3-dev)". Both end in NULL. */
typedef struct peer_missing {
  const char *name, *reason;
} peer_missing;
extern const peer *const peers[];
extern const peer_missing peers_missing[];

#ifdef __cplusplus
}
#endif

#endif
