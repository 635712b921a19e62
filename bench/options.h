/* The command line of posenc-bench. */
#ifndef POSENC_BENCH_OPTIONS_H
#define POSENC_BENCH_OPTIONS_H

#include "pick/pick.h"

typedef struct bench_options {
  bool list;
  bool quiet;           /* on stderr nothing but progress and errors */
  bool all_cases;       /* not only what a choice among implementations needs */
  bool peers;           /* instead: what people would use in its place, beside exact and anchored */
  const char *verified; /* a JSON file of posenc-verify, or NULL */
  const char *json;     /* results as JSON: a file, "-" for stdout, or NULL */
  bool all_shapes;      /* none was named */
  uint64_t shapes;      /* bit i: shape i is wanted */
  bench_offset offsets[2];
  size_t n_offsets;
  bool pick; /* instead: choose an implementation, at the first offset */
  pick_options choice;
} bench_options;

/* Prints and exits on --help, --version (0) and on what it does not understand (2). */
void bench_options_parse(int argc, char **argv, bench_options *options);

/* What goes in front of the results: in the JSON, and unless it is to be quiet on stderr. */
void bench_context(const bench_options *options);

/* Skips the implementations that the report of posenc-verify does not call verified, and their dtypes that it has not
 * judged, by the name IMPLEMENTATION/DTYPE. Prints what is wrong with the file and exits with 2. */
void bench_read_verified(const char *path);

#endif
