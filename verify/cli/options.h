/* The command line of posenc-verify. */
#ifndef POSENC_CLI_OPTIONS_H
#define POSENC_CLI_OPTIONS_H

#include <stdbool.h>

#include "../tools/spec_options.h"

typedef struct options {
  const posenc_impl **impls; /* the implementations that --impl names, each once; none means all */
  size_t n_impls;
  bool exhaustive;
  bool quiet; /* the text has only the failures, and how many are verified */
  uint64_t seed;
  int64_t rows;         /* 0: the default */
  int64_t threads;      /* see expected_rows */
  const char *sampling; /* which of --seed and --rows was given last, or NULL */
  const char *json;     /* NULL, a file name, or "-" */
  spec_options shape;   /* if given: verified instead of the default shapes */
} options;

/* Ends the process on --help, --version, --list (0) and on bad usage (2). */
options options_parse(int argc, char **argv);
void options_destroy(options *o);

#endif
