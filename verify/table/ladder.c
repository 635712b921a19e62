/* The angle of a pair advances by its frequency from row to row, and no ladder here is faster than one radian per row:
 * atan2, unwrapped, is a straight line. Its slope is the frequency, known the better the lower it is; ln w_k = -k lambda
 * is a line again, and base = exp(lambda * denominator).
 */
#include "ladder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../memory.h"
#include "numbers.h"

enum { MOST_ROWS = 4096, MOST_PAIRS = 512 };

typedef struct estimate {
  double lambda, doubt; /* -ln(w_k) / k */
} estimate;

/* The longer run of rows on either side of a blank one. */
static void run_of_rows(const table *t, int64_t *from, int64_t *count)
{
  *from = 0;
  *count = t->rows;
  if (t->blank >= 0) {
    const int64_t behind = t->rows - t->blank - 1;
    *from = behind >= t->blank ? t->blank + 1 : 0;
    *count = behind >= t->blank ? behind : t->blank;
  }
  if (*count > MOST_ROWS)
    *count = MOST_ROWS;
}

/* The slope of pair k and its doubt, infinite where a few rows are spoilt. Returns false if it is no pair. */
static bool slope_of(const table *t, const reading *r, int64_t k, double *slope, double *doubt)
{
  const int64_t sine = reading_column_of(r, k, 0), cosine = reading_column_of(r, k, 1);
  const number_kind *kind = &number_kinds[t->dtype];
  const double unit = ldexp(1.0, -kind->precision), least = ldexp(1.0, kind->least - kind->precision);
  int64_t from, count;
  run_of_rows(t, &from, &count);
  double last = 0, angle = 0, size = 0, moment = 0;
  int64_t spoilt = 0;
  for (int64_t i = 0; i < count; i++) {
    const double s = table_at(t, from + i, sine), c = table_at(t, from + i, cosine);
    spoilt += fabs(s * s + c * c - 1.0) > 16 * unit;
    const double now = atan2(s, c);
    angle = i == 0 ? now : angle + remainder(now - last, 2.0 * acos(-1.0));
    last = now;
    size = fmax(size, fmin(1.0, fabs(now)));
    moment += ((double)i - (double)(count - 1) / 2) * angle;
  }
  const double spread = (double)count * ((double)count * (double)count - 1) / 12; /* of the row numbers, squared */
  *slope = moment / spread;
  *doubt = spoilt ? (double)INFINITY : (unit * size + least) / sqrt(spread);
  return spoilt <= count / 8;
}

static int by_lambda(const void *a, const void *b)
{
  const double x = ((const estimate *)a)->lambda, y = ((const estimate *)b)->lambda;
  return (x > y) - (x < y);
}

/* The mean of those near the weighted median, which rounded positions and aliases do not move. */
static void combine(estimate *all, int64_t n, ladder *l, double denominator)
{
  double weight = 0, half = 0, sum = 0, mean = 0, misfit = 0;
  int64_t middle = 0, used = 0;
  qsort(all, (size_t)n, sizeof *all, by_lambda);
  for (int64_t i = 0; i < n; i++)
    weight += 1 / all[i].doubt;
  for (; middle < n - 1 && half + 1 / all[middle].doubt < weight / 2; middle++)
    half += 1 / all[middle].doubt;
  const estimate centre = all[middle];
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i < n; i++) {
      const double w = 1 / (all[i].doubt * all[i].doubt), off = all[i].lambda - (pass == 0 ? centre.lambda : mean / sum);
      if (fabs(all[i].lambda - centre.lambda) > 10 * (all[i].doubt + centre.doubt))
        continue;
      if (pass == 0)
        sum += w, mean += w * all[i].lambda, used++;
      else
        misfit += w * off * off;
    }
  const double spread = used > 1 ? sqrt(misfit / (double)(used - 1)) : 1.0;
  l->known = true;
  l->base = exp(mean / sum * denominator);
  l->doubt = denominator / sqrt(sum) * fmax(1.0, spread);
}

bool ladder_read(const table *t, const reading *r, ladder *l)
{
  *l = (ladder){.known = false};
  int64_t from, count;
  run_of_rows(t, &from, &count);
  const int64_t step = r->n_pairs <= MOST_PAIRS ? 1 : r->n_pairs / MOST_PAIRS;
  /* What a recipe makes of a frequency: some roundings of its own arithmetic, which is never narrower than float32. */
  const double noise = t->dtype == POSENC_F64 ? 0x1p-51 : 0x1p-23;
  estimate *all = must_calloc(r->n_pairs / step + 2, sizeof *all);
  int64_t n = 0, backwards = 0;
  bool pairs = true;
  for (int64_t k = (r->n_pairs - 1) % step; k < r->n_pairs && pairs; k += step) {
    double slope, doubt;
    pairs = slope_of(t, r, k, &slope, &doubt);
    if (!pairs || count < 2)
      continue;
    backwards += slope < -8 * doubt ? 1 : slope > 8 * doubt ? -1 : 0;
    if (k == 0)
      continue;
    const double ln = log(fabs(slope));
    if (slope > 8 * doubt && isfinite(ln) && ln < 0)
      all[n++] = (estimate){-ln / (double)k, (doubt / slope + noise * (2 - ln)) / (double)k};
  }
  if (pairs && n > 0)
    combine(all, n, l, r->denominator);
  free(all);
  if (l->known && !(l->base > 1 && isfinite(l->base) && l->doubt < 1))
    l->known = false;
  return pairs && backwards <= 0; /* the angles of a cosine taken for a sine run backwards */
}

double ladder_digits(double x, int digits)
{
  char text[40];
  snprintf(text, sizeof text, "%.*e", digits - 1, x);
  return strtod(text, NULL);
}

double ladder_round(const ladder *l, double doubts, int *digits)
{
  const double low = l->base * exp(-doubts * l->doubt), high = l->base * exp(doubts * l->doubt);
  double x = l->base;
  for (*digits = 1; *digits < 17; ++*digits) {
    x = ladder_digits(l->base, *digits);
    if (x >= low && x <= high && x > 1)
      break;
  }
  return x;
}
