/* A peer is what people use instead of posenc: it writes the paper's table as users of its library do, in float32.
 * Peers share no code with impl/. Otherwise a fault in shared code would slow down or falsify both sides of the
 * comparison.
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

  /* The library and its version, "Eigen 3.4.0"; NULL where the peer uses only the compiler's libraries. */
  const char *library;

  /* Computes what is computed once for a width, such as frequencies; d_model is even. Returns NULL if memory runs
   * out. */
  void *(*create)(int64_t d_model, double base);
  void (*destroy)(void *self);

  /* Writes rows first .. first+count-1 of the interleaved table, sines first, one after the other. */
  void (*fill)(const void *self, int64_t first, int64_t count, float *out);

  /* Returns NULL if the peer runs on this CPU, and otherwise the reason. */
  const char *(*lacks)(void);
} peer;

/* The peers that this program was built with, and the peers that it was built without, with a reason such as "Eigen is
 * not installed (Debian: libeigen3-dev)". Both lists end in NULL. */
typedef struct peer_missing {
  const char *name, *reason;
} peer_missing;
extern const peer *const peers[];
extern const peer_missing peers_missing[];

#ifdef __cplusplus
}
#endif

#endif
