/* posenc-bench --pick: one table and one budget of error, one implementation.
 *
 *     verify that very table -> measure who is within the budget, in turns -> pick (shim/compare.h) -> print
 */
#ifndef POSENC_BENCH_PICK_H
#define POSENC_BENCH_PICK_H

#include "../../verify/campaign/campaign.h"
#include "../../verify/cli/spec_options.h"
#include "../cases/cases.h"
#include "../shim/budget.h"
#include "../shim/compare.h"

/* Repetitions; more would tell smaller differences apart. */
enum { PICK_TURNS = 15 };

typedef struct pick_options {
  spec_options table;
  bench_errors most; /* the budget; infinite where not asked for */
  const bench_offset *at;
} pick_options;

typedef struct pick_row {
  const posenc_impl *impl;
  bench_errors found;       /* NAN: no output was compared */
  double turns[PICK_TURNS]; /* nanoseconds an element */
  char reason[400];         /* why it is not within the budget; empty otherwise */
} pick_row;

typedef struct pick {
  const pick_options *o;
  bench_shape shape;     /* what is measured: of a huge table its first rows */
  int64_t rows_compared; /* fewer than the table has: a sample, which may miss the largest errors */
  pick_row *rows;        /* one per implementation, as the list has them */
  candidate *candidates; /* one per row */
  size_t n;
  choice choice;
  char error[128]; /* why nothing could be measured, or empty */
} pick;

/* Returns its exit status: 0 an implementation was picked, 1 none is within the budget, 2 nothing could be measured or
 * printed. */
int pick_run(const pick_options *o);

/* Prints the whole answer. */
void pick_print(const pick *p, FILE *out);

#endif
