/* Two are compared turn by turn: by the ratio of their times, whose median over the turns is what one is behind the other. How sure
 * that is: 1.57 interquartile ranges of the ratios over the root of their number, a 95 % interval of a median (McGill, Tukey and
 * Larsen, "Variations of box plots", 1978). It is the spread of the medians: more turns make it smaller, as they should, but not below
 * 1 %. The same two programs, started again, are further apart or closer by as much, as memory and code happen to lie; the turns of
 * one process do not show that.
 */
#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST = 0.01;
static const double TIE = 0.03; /* what is this far behind is no tie, however noisy the machine */

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* By linear interpolation between the sorted values. */
static double quantile(const double *sorted, int n, double share)
{
  const double at = share * (n - 1);
  const int below = (int)at;
  return below + 1 < n ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]) : sorted[n - 1];
}

double pick_median(double *values, int n, double *range)
{
  qsort(values, (size_t)n, sizeof *values, ascending);
  *range = quantile(values, n, 0.75) - quantile(values, n, 0.25);
  return quantile(values, n, 0.5);
}

void pick_conclude(pick_timing *t)
{
  double values[PICK_TURNS], range;
  if (t->n == 0)
    return;
  memcpy(values, t->turns, sizeof values);
  t->ns = pick_median(values, t->n, &range);
  t->spread = t->n > 1 ? range / 2 : t->within_turn;
}

static void compare(pick_row *row, const pick_row *fastest)
{
  double ratios[PICK_TURNS], range;
  const int n = row->time.n < fastest->time.n ? row->time.n : fastest->time.n;
  for (int i = 0; i < n; i++)
    ratios[i] = row->time.turns[i] / fastest->time.turns[i] - 1;
  row->behind = pick_median(ratios, n, &range);
  row->unsure = n > 1 ? fmax(LEAST, 1.57 * range / sqrt(n)) : NAN;
}

bool pick_ties(const pick *p, const pick_row *row)
{
  return row->time.n > 0 && (row == p->fastest || (row->behind < row->unsure && row->behind < TIE));
}

void pick_choose(pick *p)
{
  p->fastest = p->next = p->chosen = NULL;
  for (size_t i = 0; i < p->n; i++)
    if (p->rows[i].time.n > 0 && (!p->fastest || p->rows[i].time.ns < p->fastest->time.ns))
      p->fastest = &p->rows[i];
  for (size_t i = 0; i < p->n && p->fastest; i++) {
    pick_row *row = &p->rows[i];
    if (row->time.n == 0)
      continue;
    compare(row, p->fastest);
    if (row != p->fastest && (!p->next || row->behind < p->next->behind))
      p->next = row;
    if (!p->chosen && pick_ties(p, row)) /* the list has the simplest first */
      p->chosen = row;
  }
}
