/* The slowest pair's angle in one row says the first position but for whole turns; each number of turns leaves a few
 * integers to try, smallest first, and the fast columns of the same row refuse nearly all of them at once.
 */
#include "search.h"

#include <math.h>

#include "numbers.h"

enum { SAMPLES = 16, MOST_TRIALS = 1 << 22 };

/* Some rows, evenly spaced, then all. */
static bool try_first(const fit *f, int64_t start, int64_t first, near_miss *miss)
{
  const int64_t rows = f->t->rows, last = POSENC_MAX_POSITION;
  if (first < -last || first > last - rows + 1 || fit_row(f, start, (double)(first + start)) >= 0)
    return false;
  const int64_t samples = rows < SAMPLES ? rows : SAMPLES;
  int64_t row = 0, column = 0, bad = 0;
  for (int64_t i = 0; i < samples; i++) {
    const int64_t at = samples == 1 ? 0 : i * (rows - 1) / (samples - 1), c = fit_row(f, at, (double)(first + at));
    if (c >= 0 && bad++ == 0)
      row = at, column = c;
  }
  if (bad > samples / 2 || (bad == 0 && fit_all(f, first, &row, &column)))
    return bad == 0;
  if (!miss->any) {
    const double position = (double)(first + row);
    *miss = (near_miss){true, f->r, f->base, first, row, column, table_at(f->t, row, column), fit_value(f, column, position), 0};
  }
  return false;
}

/* The slowest pair that shows anything, with its angle in that row; -1 if there is none. */
static int64_t slowest(const fit *f, int64_t row, double *angle)
{
  for (int64_t k = f->r->n_pairs - 1; k >= 0; k--) {
    const double s = table_at(f->t, row, reading_column_of(f->r, k, 0));
    const double c = table_at(f->t, row, reading_column_of(f->r, k, 1));
    *angle = atan2(s, c);
    if (k == 0 || f->w[k] > scalbn(1.0, number_kinds[f->t->dtype].least + 2))
      return k;
  }
  return -1;
}

/* How far from a position that its angle suggests the true one may be. */
static double window(const fit *f, int64_t k, double angle, double position)
{
  const number_kind *kind = &number_kinds[f->t->dtype];
  const double rounding = 8 * scalbn(1.0, -kind->precision) * fmin(1.0, fabs(angle)) + scalbn(1.0, kind->least - kind->precision);
  double width = (rounding + 0x1p-20 * fabs(angle)) / f->w[k] + fabs(position) * f->slack[k] * 2 + 1;
  if (f->care == CARE_BF16_POSITIONS || f->care == CARE_BF16)
    width += fabs(position) * 0x1p-7;
  if (f->care == CARE_LITTLE)
    width += fmin(1.0, fabs(angle)) * 0x1p-7 / f->w[k];
  return width;
}

bool search_first(const fit *f, int64_t reach, int64_t *first, near_miss *miss)
{
  const int64_t start = f->t->blank == 0 ? 1 : 0;
  double angle;
  const int64_t k = slowest(f, start, &angle);
  int64_t trials = 0;
  if (k < 0) { /* a sine without a cosine */
    for (int64_t i = 0; i <= 2 * reach && trials < MOST_TRIALS; i++, trials++) {
      *first = i % 2 ? -(i / 2) - 1 : i / 2;
      if (try_first(f, start, *first, miss))
        return true;
    }
    return false;
  }
  const double turn = 2.0 * acos(-1.0);
  double tried_low = INFINITY, tried_high = -INFINITY; /* of turn 0, 1, -1, 2, ...: their windows may overlap */
  for (int64_t i = 0; trials < MOST_TRIALS; i++) {
    const double turns = (double)(i % 2 ? i / 2 + 1 : -(i / 2)), position = (angle + turns * turn) / f->w[k];
    const double width = window(f, k, angle, position);
    if (fabs(position) - width > (double)reach + turn / f->w[k])
      return false;
    double low = ceil(position - width), high = floor(position + width);
    if (position > 0 && i > 0)
      low = fmax(low, tried_high + 1);
    else if (i > 0)
      high = fmin(high, tried_low - 1);
    tried_low = fmin(tried_low, low);
    tried_high = fmax(tried_high, high);
    const double near = round(fmin(fmax(position, low), high));
    for (double step = 0; step <= high - low && trials < MOST_TRIALS; step++) /* outwards from the most likely */
      for (int side = step == 0 ? 1 : -1; side <= 1; side += 2) {
        const double p = near + side * step - (double)start;
        if (near + side * step < low || near + side * step > high || fabs(p) > (double)reach)
          continue;
        trials++;
        *first = (int64_t)p;
        if (try_first(f, start, *first, miss))
          return true;
      }
  }
  return false;
}

bool search_between(const fit *f, near_miss *miss)
{
  const int64_t start = f->t->blank == 0 ? 1 : 0;
  double angle;
  int64_t k = slowest(f, start, &angle);
  if (k < 0)
    return false;
  double position = angle / f->w[k];
  while (k-- > 0) { /* each faster pair knows it better, once the slower ones have said the turn */
    const double s = table_at(f->t, start, reading_column_of(f->r, k, 0));
    const double c = table_at(f->t, start, reading_column_of(f->r, k, 1));
    position += remainder(atan2(s, c) - position * f->w[k], 2.0 * acos(-1.0)) / f->w[k];
  }
  position -= (double)start;
  for (int64_t row = 0; row < f->t->rows; row++)
    if (fit_row(f, row, position + (double)row) >= 0)
      return false;
  if (fabs(position - rint(position)) < 0x1p-6)
    return false;
  *miss = (near_miss){.any = true, .r = f->r, .base = f->base, .between = position};
  return true;
}
