/* The first position of a table, given a reading and a base. */
#ifndef POSENC_TABLE_SEARCH_H
#define POSENC_TABLE_SEARCH_H

#include "fit.h"

/* A reading that all but fits: at least half of some rows do. */
typedef struct near_miss {
  bool any;
  const reading *r;
  double base;
  int64_t first, row, column;
  double is, should_be;
  double between; /* not 0: all rows fit, from this position on, which is no whole number */
} near_miss;

/* The integer nearest to 0, of magnitude up to reach, from which on all rows fit. */
bool search_first(const fit *f, int64_t reach, int64_t *first, near_miss *miss);

/* Whether a first position that is no whole number fits, near 0: then a whole one far away would fit by chance only. */
bool search_between(const fit *f, near_miss *miss);

#endif
