/* The results as JSON. */
#ifndef POSENC_CLI_REPORT_H
#define POSENC_CLI_REPORT_H

#include "../campaign/campaign.h"
#include "options.h"

/* Returns the text, which the caller frees, or NULL if there is no memory. Infinite values are
 * written as null, such as the ULP of a nonzero output where the exact value is 0. */
char *json_of(const options *o, const results *r);

#endif
