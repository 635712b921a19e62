/* Cases of peers for posenc-bench. */
#ifndef POSENC_BENCH_CASES_PEERS_H
#define POSENC_BENCH_CASES_PEERS_H

#include "../shim/bench.h"

/* All peers that run here, exact and anchored beside them, and the limits: what --peers measures. */
void bench_register_peers(const bench_place *place);

/* loop/<implementation>/...: the peers that are loops around SLEEF, for the implementation of that name to be held against. */
void bench_register_sleef_loops(const bench_shape *shape, const bench_place *place);

#endif
