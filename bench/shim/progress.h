/* How far the run is, on stderr: with random interleaving Google Benchmark itself is silent until the end. */
#ifndef POSENC_BENCH_PROGRESS_H
#define POSENC_BENCH_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is remembered of a case; starts zeroed. */
typedef struct progress_case {
  int64_t passes; /* of its latest run */
} progress_case;

/* total: repetitions of all cases together. */
void progress_start(long total);

/* A run of so many passes begins. */
void progress_run(progress_case *c, const char *name, int64_t passes);

/* Takes the line away, so that something else can be printed; the next run brings it back. */
void progress_clear(void);

#ifdef __cplusplus
}
#endif

#endif
