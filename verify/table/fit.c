#include "fit.h"

#include <math.h>
#include <stdlib.h>

#include "../memory.h"
#include "forms.h"
#include "numbers.h"
#include "progress.h"

/* First-order errors of an angle, relative to it, for every form of forms.c: base and exponent (times |ln w|), power or
 * exponential, quotient, product; CARE_FLOAT64's with twice the unit, for what computes w here has the same. */
static double slack_of(care c, int64_t k, double w, double exponent)
{
  const double ln = fabs(log(w));
  switch (c) {
  case CARE_FLOAT64: return (4 + ln) * 0x1p-51;
  case CARE_FLOAT32:
  case CARE_BF16_POSITIONS: return k == 0 ? 0 : (6 + 3 * ln + exponent) * 0x1p-24;
  case CARE_BETWEEN: return (8 + 3 * ln + exponent) * 0x1p-24;
  case CARE_BF16: return k == 0 ? 0 : 0x1p-20;
  case CARE_LITTLE: return 0x1p-14;
  }
  return 0;
}

fit fit_create(const table *t, const reading *r, double base, care c)
{
  fit f = {t, r, base, c, must_calloc(r->n, sizeof(double)), must_calloc(r->n, sizeof(double))};
  for (int64_t k = 0; k < r->n; k++) {
    const double exponent = (double)k / r->denominator;
    f.w[k] = k == 0 ? 1.0 : (double)powl((long double)base, -(long double)k / (long double)r->denominator);
    f.slack[k] = slack_of(c, k, f.w[k], exponent);
    if (c == CARE_BF16)
      f.w[k] = form_bf16_frequency(base, k, r->denominator);
  }
  return f;
}

void fit_destroy(fit *f)
{
  free(f->w);
  free(f->slack);
}

double fit_position(const fit *f, double position)
{
  return f->care == CARE_BF16_POSITIONS || f->care == CARE_BF16 ? number_round(POSENC_BF16, position) : position;
}

static double angle_of(const fit *f, int64_t k, double position)
{
  const double angle = fit_position(f, position) * f->w[k];
  return f->care == CARE_BF16 ? number_round(POSENC_BF16, angle) : angle;
}

double fit_value(const fit *f, int64_t column, double position)
{
  const column_meaning m = reading_column(f->r, column);
  if (m.function < 0)
    return 0.0;
  const double angle = angle_of(f, m.k, position);
  return m.function == 0 ? sin(angle) : cos(angle);
}

static bool fits(const fit *f, double x, const column_meaning *m, double position)
{
  if (m->function < 0)
    return x == 0.0;
  const number_kind *kind = &number_kinds[f->t->dtype];
  const double unit = scalbn(1.0, -kind->precision), quantum = scalbn(1.0, kind->least - kind->precision + 1);
  const double angle = angle_of(f, m->k, position);
  const double value = m->function == 0 ? sin(angle) : cos(angle);
  double drift = fabs(angle) * f->slack[m->k];
  if (f->care != CARE_FLOAT64 && fabs(position) > 0x1p24) /* float32 has no such position */
    drift += fabs(angle) * 0x1p-24;
  const double size = fabs(value) + drift;
  double rounding = unit * size + quantum; /* half a last place, at least */
  if (f->care == CARE_FLOAT64)
    rounding += unit * size;
  else
    rounding += 0x1p-21 * size; /* vector sines of four last places */
  if (f->care == CARE_BETWEEN)
    rounding += 8 * unit + 0x1p-18;
  if (f->care == CARE_LITTLE)
    rounding += 0x1p-12;
  return fabs(x - value) <= drift + rounding;
}

int64_t fit_row(const fit *f, int64_t row, double position)
{
  if (row == f->t->blank)
    return -1;
  for (int64_t c = 0; c < f->t->columns; c++) {
    const column_meaning m = reading_column(f->r, c);
    if (!fits(f, table_at(f->t, row, c), &m, position))
      return c;
  }
  return -1;
}

bool fit_all(const fit *f, int64_t first, int64_t *row, int64_t *column)
{
  progress p = progress_start("comparing");
  for (*row = 0; *row < f->t->rows; ++*row) {
    *column = fit_row(f, *row, (double)(first + *row));
    if (*column >= 0)
      break;
    progress_at(&p, *row, f->t->rows);
  }
  progress_end(&p);
  return *row == f->t->rows;
}
