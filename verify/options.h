/* The command line of posenc-verify. */
#ifndef POSENC_VERIFY_OPTIONS_H
#define POSENC_VERIFY_OPTIONS_H

#include "expected.h"
#include "spec_options.h"

typedef struct options {
  const posenc_impl **impls; /* those named by --impl, each once; none means all */
  size_t n_impls;
  uint64_t seed;
  int64_t rows;
  int64_t threads; /* see expected_rows */
  reference by;
  const char *json; /* NULL, a file name, or "-" */
  spec_options shape; /* when given: swept instead of the default shapes */
} options;

/* Ends the process on --help, --version, --list (0) and on bad usage (2). */
options options_parse(int argc, char **argv);

#endif
