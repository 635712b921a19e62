#include "pick.h"

#include <stdlib.h>
#include <string.h>

void pick_conclude(pick_timing *t) {
  double values[PICK_TURNS], range;
  if (t->n == 0)
    return;
  memcpy(values, t->turns, sizeof values);
  t->ns = compare_median(values, t->n, &range);
  t->spread = t->n > 1 ? range / 2 : t->within_turn;
}

static compare_times times_of(const pick_row *row) { return (compare_times){row->time.turns, row->time.n}; }

void pick_choose(pick *p) {
  compare_times *all = must_calloc((int64_t)p->n, sizeof *all);
  for (size_t i = 0; i < p->n; i++)
    all[i] = times_of(&p->rows[i]);
  const size_t fastest = compare_fastest(all, p->n);
  free(all);
  p->fastest = fastest < p->n ? &p->rows[fastest] : NULL;
  p->next = p->chosen = NULL;
  for (size_t i = 0; i < p->n && p->fastest; i++) {
    pick_row *row = &p->rows[i];
    if (row->time.n == 0)
      continue;
    row->against = compare(times_of(row), times_of(p->fastest));
    if (row == p->fastest)
      row->against.tie = true; /* even after few turns */
    else if (!p->next || row->against.behind < p->next->against.behind)
      p->next = row;
    if (!p->chosen && row->against.tie) /* the list has the simplest family first, and of a family the widest vectors */
      p->chosen = row;
  }
}
