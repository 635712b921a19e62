#include "float64_reference.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

double *float64_reference_frequencies(const posenc_spec *spec)
{
  const int64_t n = (spec->d_model + 1) / 2;
  const double denominator = spec->denominator > 0 ? spec->denominator : (double)spec->d_model / 2;
  double *w = must_calloc(n, sizeof *w);
  for (int64_t k = 0; k < n; k++)
    w[k] = spec->freqs ? spec->freqs[k] : pow(spec->base, -(double)k / denominator);
  return w;
}

static truth_value with_law(double y, double bound)
{
  /* A shade up, so that the float is not below the bound it stands for. */
  return (truth_value){.y = y, .rounded = (float)y, .unsure = (float)(bound * (1 + 0x1p-20))};
}

void float64_reference_row(int64_t d_model, const double *w, int64_t position, truth_value *row)
{
  for (int64_t column = 0; column < d_model; column++) {
    const double angle = (double)position * w[column / 2];
    /* Positions have no sign of zero, so a negative frequency must not make a -0 of position 0. */
    const double y = column % 2 ? cos(angle) : sin(angle + 0.0);
    row[column] = with_law(y, float64_reference_bound(position, w[column / 2]));
  }
}

/* The error per position, in units of 2^-53. */
static double slope(double w)
{
  return w == 0 ? 0 : fabs(w) * (3 + fabs(log(fabs(w))));
}

double float64_reference_bound(int64_t position, double w)
{
  return (fabs((double)position) * slope(w) + 1) * 0x1p-53;
}

int64_t float64_reference_good_to(const posenc_spec *spec)
{
  const int64_t n = (spec->d_model + 1) / 2;
  double *w = float64_reference_frequencies(spec);
  double steepest = 0;
  for (int64_t k = 0; k < n; k++)
    steepest = fmax(steepest, slope(w[k]));
  free(w);
  const double position = steepest > 0 ? (FLOAT64_REFERENCE_GOAL * 0x1p53 - 1) / steepest : INFINITY;
  return position < (double)POSENC_MAX_POSITION ? (int64_t)position : POSENC_MAX_POSITION;
}
