/* Seeded choice of the rows of one segment. */
#ifndef POSENC_VERIFY_SAMPLING_H
#define POSENC_VERIFY_SAMPLING_H

#include "sweep.h"

/* Adds about `rows` rows of positions from .. to-1 to the segment: all of them where there are no more, else the first
 * and the last and one run in each of equal strata between. Ranges must be added in rising order. */
void sample_range(segment *s, int64_t from, int64_t to, int64_t rows, uint64_t *random);

/* Lays out positions and shuffled once all ranges are added. */
void sample_finish(segment *s, uint64_t *random);

#endif
