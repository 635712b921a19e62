/* Google Benchmark for C: every benchmark is a C struct of functions, and the timing loop stays on the C++ side.
 *
 * A run of a case, several per repetition while the number of passes is being found:
 *
 *     begin(data)  pass(data), untimed  { pass(data) ... }, timed  end(data, run)
 */
#ifndef POSENC_BENCH_SHIM_H
#define POSENC_BENCH_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shim_run shim_run; /* one run that has just been timed */

typedef struct shim_case {
  const char *name;                       /* copied */
  void *data;                             /* handed to the functions below */
  const char *(*begin)(void *data);       /* may be NULL; returns NULL, or why the case cannot run */
  void (*pass)(void *data);               /* what is timed; memory it wrote counts as used */
  void (*end)(void *data, shim_run *run); /* may be NULL; sets counters and label */
  void (*release)(void *data);            /* may be NULL; called once, when nothing runs any more */
  bool wall; /* time by the clock on the wall instead of this thread's CPU time; the name then ends in /real_time */

  /* Who is measured: a part of the name. Cases whose names differ in nothing else compete, and the JSON has a verdict
   * on each (compare.h). NULL: it competes with no other. */
  const char *who; /* copied */
  const char
      *stands_for; /* of a peer's case: the first part of the name that ours has in its place; NULL: it is ours */
} shim_case;

/* Google Benchmark's own flags, argv[0] being the program. NULL, or the first flag it does not take. */
const char *shim_flags(int argc, char **argv);

void shim_register(const shim_case *c);

/* A line of the context that goes in front of the results, on the screen and in the JSON file. */
void shim_context(const char *key, const char *value);

/* After all cases are registered: how many of them the filter selects. Writes to no file. */
size_t shim_select(void);

/* What the flags ask for: a list only; the file for the results, or NULL. */
bool shim_list_asked_for(void);
const char *shim_output_file(void);

/* Prints the names that are selected, one per line. */
void shim_list(void);

/* Runs what is selected, with progress on stderr; returns how many cases ended in an error. To be called once. */
size_t shim_run_all(void);

/* Releases the cases. */
void shim_release(void);

/* Within end(): what one pass wrote, a number that stands for itself, a remark, and why the run is void. */
void shim_bytes(shim_run *run, int64_t per_pass);
void shim_items(shim_run *run, int64_t per_pass);
void shim_counter(shim_run *run, const char *name, double value);
void shim_label(shim_run *run, const char *text);
void shim_void(shim_run *run, const char *why);

#ifdef __cplusplus
}
#endif

#endif
