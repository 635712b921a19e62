/* What posenc-verify does: one function for each mode. Each returns the exit status: 0 everything is right, 1 something is
 * not, 2 a report could not be written. */
#ifndef POSENC_CLI_MODES_H
#define POSENC_CLI_MODES_H

#include "options.h"

int verify_impls(const options *o);

/* --exhaustive: compares every output of a table with the float32 nearest to the real value, which MPFR decides. */
int exhaustive(const options *o);

#endif
