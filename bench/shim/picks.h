/* The two lists at the end of a run's JSON: "verdicts" on each peer, and "picks" among implementations. bench/README.md
 * describes the fields. */
#ifndef POSENC_BENCH_PICKS_H
#define POSENC_BENCH_PICKS_H

#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a JSON object with both lists; the caller frees it. all: in the order of impl/list.inc. */
char *picks_json(const shim_measured *all, size_t n);

#ifdef __cplusplus
}
#endif

#endif
