/* Google Benchmark for C: a case is a C struct, and the timing loop stays on the C++ side.
 *
 * A run of a case, several per repetition while the number of passes is being found:
 *
 *     bench_begin(c)  bench_pass(c), untimed  { bench_pass(c) ... }, timed
 */
#ifndef POSENC_BENCH_SHIM_H
#define POSENC_BENCH_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "posenc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_case bench_case;
struct bench_case {
  /* ---- The description. Whoever registers a case sets these fields, and leaves those at 0 that it does not need.
   *
   * bench_register() replaces three zeros: */
  const char *who;    /* in the label; by default the name of impl */
  int64_t table_rows; /* of the table; by default as many as a pass writes */
  size_t bytes;       /* used in the buffer; by default those of the rows that a pass writes */

  /* The label and the counters (bench/README.md). A counter that is 0 is left out of the JSON. */
  const char *call, *variant; /* the label's kind: "fill", or "fill/whisper"; variant: "whisper", or NULL */
  posenc_dtype dtype;
  int64_t rows, columns; /* that a pass writes; rows is 0 where it writes none */
  int64_t end;           /* all positions are smaller */
  double error;          /* the largest error of the table */
  int64_t not_nearest;   /* values of the table that are not the nearest ones, where the error is known */

  bool wall;      /* measures wall time instead of this thread's CPU time; the case's name then ends in /real_time */
  bool uncached;  /* each pass writes to other memory, which is in no cache */
  bool in_blocks; /* a slow implementation writes only some blocks of the rows (blocks.c) */

  /* Writes the rows first .. first+count-1: all rows of a pass, or those of a block. An error makes the run void. */
  posenc_status (*write)(const bench_case *c);
  const posenc_impl *impl;     /* NULL: a limit or a peer writes the rows */
  const posenc_spec *spec;     /* for a plan of impl; not kept; NULL: write() needs no plan */
  int64_t origin;              /* the position of row 0 */
  int64_t *positions;          /* of the rows, if they are not consecutive; freed at the end */
  const void *writer;          /* in place of impl: the peer or the limit */
  void *data;                  /* a peer's frequencies, or real positions; destroy() frees them at the end */
  void (*destroy)(void *data); /* or NULL */

  /* ---- The state. Set when the case is registered and while it runs. */
  char name[192];
  char label[96]; /* "KIND IMPLEMENTATION DTYPE" (bench/README.md) */
  posenc_plan *plan;
  int64_t offset; /* the output's address modulo 64; negative: the case does not write to the buffer */
  float *out;
  size_t used; /* if uncached: bytes in front of `out` */
  int64_t first, count;
  int64_t blocks, block_rows; /* written in a pass, and rows of each; blocks is 0 until they are chosen */
  double huge_pages;          /* the share of the memory in huge pages; negative where it is not known */
  posenc_status status;       /* the first error */
};

const char *bench_begin(bench_case *c); /* returns NULL, or why the case cannot run */
void bench_pass(bench_case *c);         /* the timed function */
void bench_release(bench_case *c);      /* frees the case */

/* The options of Google Benchmark 1.7 that this program takes. It writes JSON and lists cases itself. */
#define SHIM_OPTIONS                                                                                                   \
  "--benchmark_filter=REGEX, --benchmark_repetitions=N, --benchmark_min_time=SECONDS, "                                \
  "--benchmark_min_warmup_time=SECONDS, --benchmark_color=auto|BOOL, --benchmark_context=KEY=VALUE,..."

/* Gives Google Benchmark its flags; argv[0] is the program. Returns NULL, or the first flag that is refused. */
const char *shim_flags(int argc, char **argv);

/* Registers a case, which shim_release() frees. */
void shim_register(bench_case *c);

/* Adds a line to the context in the JSON. */
void shim_context(const char *key, const char *value);

/* Whether the system changes the processor's clock. */
bool shim_clock_scales(void);

/* Called after all cases are registered. Returns how many the filter selects. print: prints their names, one per
 * line. */
size_t shim_select(bool print);

/* Runs the selected cases by size group. The cases of a size group write tables of one size, dtype and offset. They run
 * side by side, all their repetitions in a random order. Returns how many cases ended in an error. Called only once. screen: prints
 * the results on stdout. json: receives the results as Google Benchmark's JSON, which stays valid. */
size_t shim_run(bool screen, const char **json);

/* Frees all cases. */
void shim_release(void);

#ifdef __cplusplus
}
#endif

#endif
