/* Progress of a long run of posenc-verify on stderr. */
#ifndef POSENC_VERIFY_PROGRESS_H
#define POSENC_VERIFY_PROGRESS_H

#include <stdint.h>

/* Prints a line every 10 seconds at most: how many of the outputs are done, and about how long the others will take.
 * done == 0 starts the clock and prints nothing. */
void progress_show(int64_t done, int64_t total);

#endif
