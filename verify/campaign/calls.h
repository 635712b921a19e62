/* A row has the same bits, whichever call writes it (posenc.h). */
#ifndef POSENC_VERIFY_CALLS_H
#define POSENC_VERIFY_CALLS_H

#include "sweep.h"

/* An element that a call writes otherwise than posenc_fill() of consecutive rows. */
typedef struct disagreement {
  const char *call; /* its name; NULL if no element was found */
  int64_t rows;     /* of the call */
  int64_t position, column;
  double got, want; /* want: of posenc_fill() */
} disagreement;

/* Makes sampled rows of a segment again, by every call that writes rows: rows in no order, some of them consecutive and
 * some repeated; single rows; and the first rows of some runs. Stops at the first difference.
 * rows: all rows of the segment, as posenc_fill() has written them
 * now: is set to the name of each call before it is made
 * Returns the first status that is not POSENC_OK. */
posenc_status compare_calls(const segment *s, const posenc_plan *plan, const unsigned char *rows,
    const char *volatile *now, disagreement *found);

#endif
