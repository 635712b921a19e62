/* Writes a table as an .npy file. */
#ifndef POSENC_TABLE_WRITE_H
#define POSENC_TABLE_WRITE_H

#include "../../tools/spec_options.h"

typedef struct table_options {
  spec_options table;
  const char *impl;   /* NULL: the default */
  const char *output; /* "-" is standard output */
} table_options;

/* Returns the exit status: 0, or 2 after a line on standard error. */
int write_table(const table_options *o);

#endif
