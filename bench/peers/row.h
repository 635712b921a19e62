/* Every peer's file includes this header. The build defines PEER_NAME and PEER_WHAT from the peer's row of
 * peers.inc. */
#ifndef POSENC_BENCH_PEERS_ROW_H
#define POSENC_BENCH_PEERS_ROW_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

/* The frequencies as the tutorials compute them, exp(2k * (-ln(base) / d)): in float32, or in float64 where the peer's file
 * defines PEER_REAL as double. */
#ifndef PEER_REAL
#define PEER_REAL float
#endif
typedef struct peer_table {
  int64_t pairs;
  PEER_REAL *w; /* padded with zeros to a multiple of 256 bytes, so that vectors are whole */
} peer_table;

static inline void peer_free(void *self) {
  peer_table *t = (peer_table *)self;
  free(t->w);
  free(t);
}

static inline PEER_REAL peer_exp(PEER_REAL x) {
  return sizeof x == sizeof(float) ? (PEER_REAL)expf((float)x) : (PEER_REAL)exp((double)x);
}

static inline void *peer_frequencies(int64_t d_model, double base) {
  const int64_t pairs = d_model / 2;
  const size_t bytes = ((size_t)pairs * sizeof(PEER_REAL) + 255) / 256 * 256;
  peer_table *t = (peer_table *)malloc(sizeof *t);
  PEER_REAL *w = (PEER_REAL *)aligned_alloc(64, bytes);
  if (!t || !w) {
    free(t);
    free(w);
    return NULL;
  }
  memset(w, 0, bytes);
  const PEER_REAL step = (PEER_REAL)(-log(base) / (double)d_model);
  for (int64_t k = 0; k < pairs; k++)
    w[k] = peer_exp((PEER_REAL)(2 * k) * step);
  t->pairs = pairs;
  t->w = w;
  return t;
}

/* Checks the instructions that the peer was compiled for. __builtin_cpu_supports() also checks that the operating
 * system supports them. */
static inline const char *peer_lacks(void) {
#if defined(__AVX512F__)
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    return "this CPU lacks AVX-512 (F, BW, DQ, VL)";
#endif
#if defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return "this CPU lacks AVX2 or FMA";
#endif
  return NULL;
}

#define PEER_JOIN_(a, b) a##b
#define PEER_JOIN(a, b) PEER_JOIN_(a, b)
#ifdef __cplusplus
#define PEER_EXTERN extern "C"
#else
#define PEER_EXTERN extern
#endif

/* Comes last in a peer's file. */
#define PEER(library, create, destroy, fill)                                                                           \
  PEER_EXTERN const peer PEER_JOIN(peer_, PEER_NAME);                                                                  \
  const peer PEER_JOIN(peer_, PEER_NAME) = {                                                                           \
      PEER_STRING(PEER_NAME), PEER_WHAT, library, create, destroy, fill, peer_lacks};
#define PEER_STRING_(x) #x
#define PEER_STRING(x) PEER_STRING_(x)

#endif
