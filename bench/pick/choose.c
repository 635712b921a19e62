#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static compare_times times_of(const pick_row *row) { return (compare_times){row->turns, row->n}; }

/* NULL: nobody has been measured. */
static pick_row *fastest_of(pick_row *rows, size_t n) {
  compare_times *all = must_calloc((int64_t)n, sizeof *all);
  for (size_t i = 0; i < n; i++)
    all[i] = times_of(&rows[i]);
  const size_t fastest = compare_fastest(all, n);
  free(all);
  return fastest < n ? &rows[fastest] : NULL;
}

void pick_choose(pick *p) {
  const pick_row *limit = fastest_of(p->rows + p->n, p->n_limits);
  p->fastest = fastest_of(p->rows, p->n);
  p->next = p->chosen = NULL;
  for (size_t i = 0; i < p->n && p->fastest; i++) {
    pick_row *row = &p->rows[i];
    double sorted[PICK_TURNS], range;
    if (row->n == 0)
      continue;
    memcpy(sorted, row->turns, sizeof sorted);
    row->ns = compare_median(sorted, row->n, &range);
    row->spread = range / 2;
    row->of_limit = limit ? 1 / (1 + compare(times_of(row), times_of(limit)).behind) : NAN;
    row->against = compare(times_of(row), times_of(p->fastest));
    if (row != p->fastest && (!p->next || row->against.behind < p->next->against.behind))
      p->next = row;
    if (!p->chosen && row->against.tie) /* the list has the simplest family first, and of a family the widest vectors */
      p->chosen = row;
  }
}
