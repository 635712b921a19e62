/* Two are compared turn by turn: by the ratio of their times, whose median over the turns is what one is behind the other. How sure
 * that is: half of the 95 % interval that the sign test gives a median, from one order statistic of the ratios to another; nothing is
 * assumed of how they are distributed. More turns make it smaller, as they should, but not below 1 %: the same two programs, started
 * again, are further apart or closer by as much, as memory and code happen to lie, and the turns of one process do not show that.
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

/* Half of the interval between the k-th smallest and the k-th largest, k as large as leaves 95 % of n coin tosses between them; NAN for
 * fewer than six values, which have none. */
static double half_interval(const double *sorted, int n)
{
  double chance = ldexp(1, -n), below = chance; /* of 0 heads, of up to k */
  int k = 0;
  while (below <= 0.025) {
    k++;
    chance *= (double)(n - k + 1) / k;
    below += chance;
  }
  return k > 0 ? (sorted[n - k] - sorted[k - 1]) / 2 : NAN;
}

static void compare(pick_row *row, const pick_row *other)
{
  double ratios[PICK_TURNS], range;
  const int n = row->time.n < other->time.n ? row->time.n : other->time.n;
  for (int i = 0; i < n; i++)
    ratios[i] = row->time.turns[i] / other->time.turns[i] - 1;
  row->behind = pick_median(ratios, n, &range);
  const double half = half_interval(ratios, n);
  row->unsure = isnan(half) ? half : fmax(LEAST, half);
}

/* Only those who had every turn: what a case that went home early took then says little about the others' later turns. Of two of
 * them, the one that took less of most turns. */
static pick_row *fastest_of(pick *p)
{
  int most = 0;
  pick_row *first = NULL;
  for (size_t i = 0; i < p->n; i++)
    most = p->rows[i].time.n > most ? p->rows[i].time.n : most;
  for (size_t i = 0; i < p->n && most > 0; i++)
    if (p->rows[i].time.n == most && (!first || p->rows[i].time.ns < first->time.ns))
      first = &p->rows[i];
  for (size_t i = 0; i < p->n && most > 0; i++)
    if (p->rows[i].time.n == most && &p->rows[i] != first) {
      compare(&p->rows[i], first);
      if (p->rows[i].behind < 0)
        first = &p->rows[i];
    }
  return first;
}

bool pick_ties(const pick *p, const pick_row *row)
{
  return row->time.n > 0 && (row == p->fastest || (row->behind < row->unsure && row->behind < TIE));
}

void pick_choose(pick *p)
{
  p->fastest = fastest_of(p);
  p->next = p->chosen = NULL;
  for (size_t i = 0; i < p->n && p->fastest; i++) {
    pick_row *row = &p->rows[i];
    if (row->time.n == 0)
      continue;
    compare(row, p->fastest);
    if (row != p->fastest && (!p->next || row->behind < p->next->behind))
      p->next = row;
    if (!p->chosen && pick_ties(p, row)) /* the list has the simplest family first, and of a family the widest vectors */
      p->chosen = row;
  }
}
