/* The command line of posenc-table. */
#ifndef POSENC_TABLE_OPTIONS_H
#define POSENC_TABLE_OPTIONS_H

#include <stdint.h>

#include "posenc.h"

typedef struct options {
  posenc_spec spec; /* checked, with impl, as posenc_plan_check() does */
  const char *impl; /* NULL: the default */
  int64_t first, rows;
  const char *output; /* "-" is standard output */
} options;

/* --help, --version, --list and what is wrong end the process. */
options options_parse(int argc, char **argv);

#endif
