/* Google Benchmark for C: every benchmark is a C struct of functions, and the timing loop stays on the C++ side.
 *
 * A run of a case, several per repetition while the number of passes is being found:
 *
 *     begin(data)  pass(data), untimed  { pass(data) ... }, timed  end(data, result)
 */
#ifndef POSENC_BENCH_SHIM_H
#define POSENC_BENCH_SHIM_H

#include "compare.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a case says of a run that has just been timed. Zeros where it does not apply. */
typedef struct shim_result {
  int64_t bytes, rows; /* that one pass wrote */
  double huge_pages;   /* the share of the memory that is in huge pages; negative where that is not known */
  char label[96];      /* a remark */
  const char *error;   /* why the run is void */
} shim_result;

typedef struct shim_case {
  const char *name;                             /* copied */
  void *data;                                   /* handed to the functions below */
  const char *(*begin)(void *data);             /* may be NULL; returns NULL, or why the case cannot run */
  void (*pass)(void *data);                     /* what is timed; memory it wrote counts as used */
  void (*end)(void *data, shim_result *result); /* may be NULL */
  void (*release)(void *data);                  /* may be NULL; called once, when nothing runs any more */
  bool wall; /* time by the clock on the wall instead of this thread's CPU time; the name then ends in /real_time */

  /* Who is measured, an implementation or a peer; a constant. Cases whose names have it as a part and differ in nothing
   * else compete. NULL: the case competes with no other. */
  const char *who;
  const char *stands_for;  /* of a peer: the first part of the name that ours has in its place; a constant */
  bool is_default, within; /* see candidate in compare.h */
} shim_case;

/* A case that has run. */
typedef struct shim_measured {
  const shim_case *c;
  const char *name;    /* in the results */
  const char *contest; /* what all that compete with it do, its name with a * for who it is; or NULL */
  compare_times times; /* seconds per row; none where a run ended in an error */
  const char *error;   /* that its last run ended in, or NULL */
} shim_measured;

/* Google Benchmark's own flags, argv[0] being the program. NULL, or the first flag it does not take. */
const char *shim_flags(int argc, char **argv);

void shim_register(const shim_case *c);

/* A line of the context that goes in front of the results, on the screen and in the JSON file. */
void shim_context(const char *key, const char *value);

/* After all cases are registered: how many of them the filter selects. Writes to no file. */
size_t shim_select(void);

/* The file that the flags ask for, or NULL. */
const char *shim_output_file(void);

/* If that is wanted or the flags ask for it: prints the names that are selected, one per line, and returns true. */
bool shim_list(bool wanted);

/* Runs what is selected, with progress on a terminal, and the context on stderr unless it is to be quiet; returns how
 * many cases ended in an error. To be called once. picks: whether the JSON has verdicts and picks, which are empty
 * unless the repetitions are interleaved at random. */
size_t shim_run_all(bool quiet, bool picks);

/* Instead of shim_select() and shim_run_all(): runs all cases once per turn, in random order, with progress on a
 * terminal, and tells of each its times, turn by turn. before() is called before each turn. */
typedef void shim_take(void *data, const shim_measured *m);
void shim_measure(int turns, void (*before)(void), shim_take *take, void *data);

/* Releases the cases. */
void shim_release(void);

#ifdef __cplusplus
}
#endif

#endif
