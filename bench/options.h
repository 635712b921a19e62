/* The command line of posenc-bench. */
#ifndef POSENC_BENCH_OPTIONS_H
#define POSENC_BENCH_OPTIONS_H

#include "cases/cases.h"

typedef struct bench_options {
  bool list;
  bool quiet;         /* stderr has only errors */
  bool all_cases;     /* more cases than a choice among implementations needs */
  bool peers;         /* only peers, exact and anchored are measured */
  const char *json;   /* results as JSON: a file, "-" for stdout, or NULL */
  bool all_shapes;    /* no shape was named */
  uint64_t shapes;    /* bit i: shape i is wanted */
  uint64_t impls;     /* bit i: implementation i is wanted; 0: all are */
  spec_options table; /* if given, only this table is measured, at the first offset */
  bench_offset offsets[2];
  size_t n_offsets;
} bench_options;

/* Exits with 0 after --help and --version, and with 2 on a mistake, which it prints. */
void bench_options_parse(int argc, char **argv, bench_options *options);

/* Adds the conditions of the run to the JSON, and prints them on stderr unless `quiet` is set. */
void bench_context(const bench_options *options);

#endif
