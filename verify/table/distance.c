#include "distance.h"

#include <math.h>
#include <stdlib.h>

#include "../memory.h"
#include "progress.h"

enum { ENOUGH = 1 << 21 }; /* elements that tell the forms of an arithmetic apart */

/* Every step-th row. Returns false if the form does not exist. */
static bool measure(const table *t, const reading *r, double base, int64_t first, const form *how, int64_t step, distance *d)
{
  formed f;
  if (!formed_create(&f, how, r, base, t->dtype))
    return false;
  double *values = must_calloc(t->columns, sizeof *values);
  *d = (distance){.how = how};
  progress p = progress_start(arithmetic_names[how->arithmetic]);
  for (int64_t row = (t->rows - 1) % step; row < t->rows; row += step) {
    if (row == t->blank)
      continue;
    formed_row(&f, first + row, values);
    for (int64_t c = 0; c < t->columns; c++) {
      const double x = table_at(t, row, c), off = fabs(x - values[c]);
      d->equal += x == values[c];
      d->most = fmax(d->most, off);
    }
    d->among += t->columns;
    progress_at(&p, row, t->rows);
  }
  progress_end(&p);
  free(values);
  formed_destroy(&f);
  return true;
}

static bool nearer(const distance *a, const distance *b)
{
  return a->equal != b->equal ? a->equal > b->equal : a->most < b->most;
}

void distances(const table *t, const reading *r, double base, int64_t first, distance all[ARITHMETICS])
{
  int64_t step = t->rows * t->columns / ENOUGH + 1;
  if (step > t->rows / 16)
    step = t->rows / 16 > 0 ? t->rows / 16 : 1;
  for (int a = 0; a < ARITHMETICS; a++)
    all[a] = (distance){.how = NULL};
  for (int i = 0; i < n_forms; i++) {
    distance *best = &all[forms[i].arithmetic], d;
    if (measure(t, r, base, first, &forms[i], step, &d) && (!best->how || nearer(&d, best)))
      *best = d;
  }
  for (int a = 0; a < ARITHMETICS && step > 1; a++)
    if (all[a].how)
      measure(t, r, base, first, all[a].how, 1, &all[a]);
}

static int64_t least_unequal(const distance all[ARITHMETICS])
{
  int64_t least = INT64_MAX;
  for (int a = 0; a < ARITHMETICS; a++)
    if (all[a].how && all[a].among - all[a].equal < least)
      least = all[a].among - all[a].equal;
  return least;
}

bool distance_is_named(const distance all[ARITHMETICS], arithmetic a)
{
  if (!all[a].how)
    return false;
  const int64_t least = least_unequal(all), unequal = all[a].among - all[a].equal;
  return unequal == least || (least > 0 && (double)(unequal - least) <= 3 * sqrt((double)(unequal + least)));
}

bool distance_is_none(const distance all[ARITHMETICS])
{
  return least_unequal(all) == 0;
}
