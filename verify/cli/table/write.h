/* A table as an .npy file. */
#ifndef POSENC_TABLE_WRITE_H
#define POSENC_TABLE_WRITE_H

#include "../spec_options.h"

typedef struct table_options {
  spec_options table;
  bool has_first;
  int64_t first, rows;
  const char *impl;   /* NULL: the default */
  const char *output; /* "-" is standard output */
} table_options;

/* The exit status: 0, or 2 with a line on standard error and nothing left behind. */
int write_table(const table_options *o);

#endif
