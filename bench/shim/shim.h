/* Google Benchmark for C: every benchmark is a C struct of functions, and the timing loop stays on the C++ side.
 *
 * A run of a case, several per repetition while the number of passes is being found:
 *
 *     begin(data)  pass(data), untimed  { pass(data) ... }, timed  done(data, result)
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

/* What a case reports about a run that has just been timed. A field that does not apply is 0. */
typedef struct shim_result {
  int64_t bytes, rows; /* written in one pass */
  double huge_pages;   /* the share of the memory in huge pages; negative where it is not known */
  const char *error;   /* why the run is void */
} shim_result;

typedef struct shim_case {
  const char *name;                              /* copied */
  const char *label;                             /* "KIND IMPLEMENTATION DTYPE" (bench/README.md); copied */
  int64_t positions, columns;                    /* the size of the table */
  int64_t end;                                   /* all positions are smaller; 0: as many as the table has rows */
  int64_t offset;                                /* the output's address modulo 64; negative: no fixed one */
  void *data;                                    /* the argument of the functions below */
  const char *(*begin)(void *data);              /* may be NULL; returns NULL, or why the case cannot run */
  void (*pass)(void *data);                      /* the timed function; the memory that it writes counts as used */
  void (*done)(void *data, shim_result *result); /* may be NULL */
  void (*release)(void *data);                   /* may be NULL; called once, after all runs */
  bool wall; /* measures wall time instead of this thread's CPU time; the name then ends in /real_time */

  /* The implementation or peer that is measured; a constant. Cases compete if their names differ only in this part.
   * NULL: the case competes with no other. */
  const char *who;
  const char *stands_for;  /* for a peer: the first part of the names of the posenc cases it competes with; constant */
  bool is_default, within; /* see candidate in compare.h */
} shim_case;

/* A case that has run. */
typedef struct shim_measured {
  const shim_case *c;
  const char *name;    /* in the results */
  const char *contest; /* the work that it competes in: its name with * in place of `who`; or NULL */
  compare_times times; /* seconds per row; n is 0 if a run ended in an error */
  const char *error;   /* of its last run, or NULL */
} shim_measured;

/* Gives Google Benchmark its flags; argv[0] is the program. Returns NULL, or the first flag that it refuses. */
const char *shim_flags(int argc, char **argv);

/* Whether the repetitions of all cases run in one random order. */
bool shim_interleaved(void);

void shim_register(const shim_case *c);

/* Adds a line to the context in front of the results, on the screen and in the JSON file. */
void shim_context(const char *key, const char *value);

/* Called after all cases are registered. Returns how many the filter selects. Writes no file. */
size_t shim_select(void);

/* The output file that the flags name, or NULL. */
const char *shim_output_file(void);

/* If `wanted` is set or the flags ask for a list, prints the selected names, one per line, and returns true. */
bool shim_list(bool wanted);

/* Runs the selected cases, with progress on stderr and, unless `quiet` is set, the context too. Returns how many cases
 * ended in an error. Called only once. picks: adds verdicts and picks to the JSON; both are empty unless the
 * repetitions are interleaved at random. If `file` is not NULL, it receives the text for the output file, or NULL if
 * there is no memory for it. */
size_t shim_run_all(bool quiet, bool picks, const char **file);

/* Replaces shim_select() and shim_run_all(). Runs all cases once per turn, in random order, with progress on stderr.
 * Calls before() before each turn, and in the end take() with the times of each case, in the order of the turns. */
typedef void shim_take(void *data, const shim_measured *m);
void shim_measure(int turns, void (*before)(void), shim_take *take, void *data);

/* Frees all cases. */
void shim_release(void);

#ifdef __cplusplus
}
#endif

#endif
