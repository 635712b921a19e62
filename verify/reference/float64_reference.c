#include "float64_reference.h"

#include <math.h>
#include <stdlib.h>

#include "columns.h"
#include "formats.h"
#include "../tools/memory.h"

double *float64_reference_frequencies(const posenc_spec *spec) {
  const int64_t n = spec_count(spec);
  double *w = must_calloc(n, sizeof *w);
  for (int64_t k = 0; k < n; k++)
    w[k] = spec->freqs ? spec->freqs[k] : pow(spec->base, -(double)k / spec_denominator(spec));
  return w;
}

void float64_reference_row(const posenc_spec *spec, const double *w, int64_t position, reference_value *row) {
  const format *f = format_of(spec->dtype);
  for (int64_t c = 0; c < spec->d_model; c++) {
    const place here = place_of(spec, c);
    row[c] = (reference_value){.y = 0};
    if (here.k < 0)
      continue;
    const double angle = (double)position * spec_scale(spec) * w[here.k];
    /* An integer position 0 has no sign, so a negative frequency must not turn it into -0. */
    row[c].y = here.cosine ? cos(angle) : sin(angle + 0.0);
    row[c].rounded = (float)format_nearest(f, row[c].y);
  }
}

/* The error per position, in units of 2^-53. */
static double slope(const posenc_spec *spec, double w) {
  const double scale = spec_scale(spec), roundings = scale == 1 ? 3 : 4;
  return w == 0 ? 0 : fabs(scale * w) * (roundings + fabs(log(fabs(w))));
}

double float64_reference_bound(const posenc_spec *spec, int64_t position, double w) {
  return (fabs((double)position) * slope(spec, w) + 1) * 0x1p-53;
}

int64_t float64_reference_good_to(const posenc_spec *spec) {
  double *w = float64_reference_frequencies(spec);
  double steepest = 0;
  for (int64_t k = 0; k < spec_count(spec); k++)
    steepest = fmax(steepest, slope(spec, w[k]));
  free(w);
  const double position = steepest > 0 ? (FLOAT64_REFERENCE_GOAL * 0x1p53 - 1) / steepest : INFINITY;
  return position < (double)POSENC_MAX_POSITION ? (int64_t)position : POSENC_MAX_POSITION;
}
