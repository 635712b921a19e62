/* posenc-verify --exhaustive: every output of a table against the float32 nearest to the real value, as MPFR decides
 * it. */
#ifndef POSENC_CLI_EXHAUSTIVE_H
#define POSENC_CLI_EXHAUSTIVE_H

#include "options.h"

/* The exit status: 0 all are correctly rounded, 1 some are not, 2 the report could not be written. */
int exhaustive(const options *o);

#endif
