/* Chooses the rows of one segment at random, from a seed. */
#ifndef POSENC_VERIFY_SAMPLING_H
#define POSENC_VERIFY_SAMPLING_H

#include "sweep.h"

/* Adds about `rows` rows of positions from .. to-1 to the segment. If there are no more positions than that, it adds
 * them all; otherwise a sample at each end, and one in each of the equal strata between. Ranges must be added in rising
 * order. */
void sample_range(segment *s, int64_t from, int64_t to, int64_t rows, uint64_t *random);

/* Fills in positions and reals, once all ranges are added. */
void sample_finish(segment *s, uint64_t *random);

#endif
