/* A row has the same bits, whichever call writes it (posenc.h). */
#ifndef POSENC_VERIFY_CALLS_H
#define POSENC_VERIFY_CALLS_H

#include "sweep.h"

/* An element that differs from the one that posenc_fill() wrote. */
typedef struct disagreement {
  const char *call; /* its name; NULL if no element was found */
  int64_t rows;     /* of the call */
  int64_t position, column;
  double got, want; /* want: of posenc_fill() */
} disagreement;

/* Writes sampled rows of a segment again with every call: a list of consecutive, falling, repeated and random rows; each
 * row of the list in a call of its own; and up to four whole samples. Reports the first difference. It does not compare
 * a cosine that posenc_fill_pair() writes and an odd row lacks.
 * rows: all rows of the segment, as posenc_fill() has written them
 * now: is set to the name of each call before it is made
 * Returns the first status that is not POSENC_OK. */
posenc_status compare_calls(const segment *s, const posenc_plan *plan, const unsigned char *rows,
    const char *volatile *now, disagreement *found);

#endif
