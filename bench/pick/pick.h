/* posenc-bench --pick: picks an implementation for one table and one error budget.
 *
 *     verify this table -> measure the implementations within the budget, in turns -> pick (shim/compare.h) -> print
 */
#ifndef POSENC_BENCH_PICK_H
#define POSENC_BENCH_PICK_H

#include "../../verify/campaign/campaign.h"
#include "../../verify/tools/spec_options.h"
#include "../cases/cases.h"
#include "../shim/budget.h"
#include "../shim/compare.h"

/* Repetitions of each implementation. More repetitions would decide smaller differences. */
enum { PICK_TURNS = 15 };

typedef struct pick_options {
  spec_options table;
  bench_errors most; /* the budget; infinite where there is no limit */
  const bench_offset *at;
} pick_options;

typedef struct pick_row {
  const posenc_impl *impl;
  bench_errors found;       /* the largest errors; NAN: no output was compared */
  double turns[PICK_TURNS]; /* nanoseconds per element */
  char reason[400];         /* why it is not within the budget; empty otherwise */
} pick_row;

typedef struct pick {
  const pick_options *o;
  bench_shape shape;     /* the measured table: the first rows where the table is huge */
  int64_t rows_compared; /* fewer than the table has: a sample, which may miss the largest errors */
  pick_row *rows;        /* one per implementation, in the order of the list */
  candidate *candidates; /* one per row */
  size_t n;
  choice choice;
  char error[128]; /* why the measurement failed, or empty */
} pick;

/* Returns the exit status: 0 an implementation was picked, 1 none is within the budget, 2 the measurement failed. */
int pick_run(const pick_options *o);

/* Prints the whole answer. */
void pick_print(const pick *p, FILE *out);

#endif
