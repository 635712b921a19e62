/* What the JSON of a run says of its cases: "verdicts" on each peer, "picks" among ours. bench/README.md has the fields. */
#ifndef POSENC_BENCH_PICKS_H
#define POSENC_BENCH_PICKS_H

#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An object with both lists, for free(). all: in the order of impl/list.inc. */
char *picks_json(const shim_measured *all, size_t n);

#ifdef __cplusplus
}
#endif

#endif
