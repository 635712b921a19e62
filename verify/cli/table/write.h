/* A table as an .npy file. */
#ifndef POSENC_TABLE_WRITE_H
#define POSENC_TABLE_WRITE_H

#include "options.h"

/* The exit status: 0, or 2 with a line on standard error and nothing left behind. */
int write_table(const options *o);

#endif
