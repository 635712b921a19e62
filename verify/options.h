/* The command line of posenc-verify. */
#ifndef POSENC_VERIFY_OPTIONS_H
#define POSENC_VERIFY_OPTIONS_H

#include "expected.h"

typedef struct options {
  const posenc_impl **impls; /* those named by --impl, each once; none means all */
  size_t n_impls;
  uint64_t seed;
  int64_t rows;
  int64_t threads; /* see expected_rows */
  reference by;
  const char *json; /* NULL, a file name, or "-" */
  bool one_shape;   /* sweep spec over from .. to-1 instead of the default shapes */
  const char *preset; /* what --preset names, or NULL; spec has it already */
  posenc_spec spec;
  int64_t from, to;
} options;

/* Ends the process on --help, --version, --list (0) and on bad usage (2). */
options options_parse(int argc, char **argv);

#endif
