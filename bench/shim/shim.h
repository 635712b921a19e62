/* Google Benchmark for C: every benchmark is a C struct of functions, and the timing loop stays on the C++ side.
 *
 * A run of a case, several per repetition while the number of passes is being found:
 *
 *     begin(data)  pass(data), untimed  { pass(data) ... }, timed  done(data, result)
 */
#ifndef POSENC_BENCH_SHIM_H
#define POSENC_BENCH_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a case reports about a run that has just been timed. A field that does not apply is 0. */
typedef struct shim_result {
  int64_t bytes, rows; /* written in one pass */
  double huge_pages;   /* the share of the memory in huge pages; negative where it is not known */
  const char *error;   /* why the run is void */
} shim_result;

typedef struct shim_case {
  const char *name;           /* copied */
  const char *label;          /* "KIND IMPLEMENTATION DTYPE" (bench/README.md); copied */
  int64_t positions, columns; /* the size of the table */
  int64_t end;                /* all positions are smaller; 0: as many as the table has rows */
  int64_t offset;             /* the output's address modulo 64; negative: no fixed one */
  double error;               /* the largest error of the table; 0: not known */
  int64_t not_nearest;        /* values of the table that are not the nearest ones, where the error is known */
  bool wall; /* measures wall time instead of this thread's CPU time; the name then ends in /real_time */

  void *data;                                    /* the argument of the functions below */
  const char *(*begin)(void *data);              /* may be NULL; returns NULL, or why the case cannot run */
  void (*pass)(void *data);                      /* the timed function; the memory that it writes counts as used */
  void (*done)(void *data, shim_result *result); /* may be NULL */
  void (*release)(void *data);                   /* may be NULL; called once, after all runs */
} shim_case;

/* The options of Google Benchmark 1.7 that this program takes. It writes JSON and lists cases itself. */
#define SHIM_OPTIONS                                                                                                   \
  "--benchmark_filter=REGEX, --benchmark_repetitions=N, --benchmark_min_time=SECONDS, "                                \
  "--benchmark_min_warmup_time=SECONDS, --benchmark_color=auto|BOOL, --benchmark_context=KEY=VALUE,..."

/* Gives Google Benchmark its flags; argv[0] is the program. Returns NULL, or the first flag that is refused. */
const char *shim_flags(int argc, char **argv);

void shim_register(const shim_case *c);

/* Adds a line to the context in front of the results, on the screen and in the JSON. */
void shim_context(const char *key, const char *value);

/* Called after all cases are registered. Returns how many the filter selects. print: prints their names, one per
 * line. */
size_t shim_select(bool print);

/* Runs the selected cases work by work. The cases of a work, which write tables of one size and dtype, run side by side,
 * all their repetitions in a random order. Returns how many cases ended in an error. Called only once. quiet: prints no
 * context on stderr. screen: prints the results on stdout. json: receives the results as Google Benchmark's JSON, which
 * stays valid. */
size_t shim_run(bool quiet, bool screen, const char **json);

/* Frees all cases. */
void shim_release(void);

#ifdef __cplusplus
}
#endif

#endif
