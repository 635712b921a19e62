/* How far a table is from what each arithmetic makes of a reading. */
#ifndef POSENC_TABLE_DISTANCE_H
#define POSENC_TABLE_DISTANCE_H

#include "forms.h"
#include "table.h"

typedef struct distance {
  const form *how;      /* the form that is nearest; NULL: the arithmetic has none for this base */
  double most;          /* largest |difference| */
  int64_t equal, among; /* elements with equal bits (zeros of either sign are equal) */
} distance;

/* Whether the arithmetic is the nearest, or not to be told from it: where even the nearest has some other bits (another
 * libm, another sine), the numbers of such bits must differ by more than their own chance. */
bool distance_is_named(const distance all[ARITHMETICS], arithmetic a);
bool distance_is_none(const distance all[ARITHMETICS]); /* some arithmetic has all bits equal */

void distances(const table *t, const reading *r, double base, int64_t first, distance all[ARITHMETICS]);

#endif
