/* The command line of posenc-exhaustive. */
#ifndef POSENC_VERIFY_EXHAUSTIVE_H
#define POSENC_VERIFY_EXHAUSTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "posenc.h"

enum { EXHAUSTIVE_MOST_THREADS = 1024 };

typedef struct exhaustive_options {
  const posenc_impl *impl;
  bool all_members; /* of its family, not only the one named */
  posenc_spec spec;
  int64_t from, to; /* positions from .. to-1 */
  int64_t threads;  /* 1 to EXHAUSTIVE_MOST_THREADS */
} exhaustive_options;

/* Ends the process on --help, --version, --list (0) and on bad usage (2). */
exhaustive_options exhaustive_options_parse(int argc, char **argv);

#endif
