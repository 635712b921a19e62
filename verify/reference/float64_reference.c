#include "float64_reference.h"

#include <math.h>

#include "columns.h"

double float64_reference_bound(const posenc_spec *spec, int64_t position, double w) {
  const double scale = spec_scale(spec), roundings = scale == 1 ? 3 : 4;
  const double slope = w == 0 ? 0 : fabs(scale * w) * (roundings + fabs(log(fabs(w))));
  return (fabs((double)position) * slope + 1) * 0x1p-53;
}

double float64_reference_error(
    const posenc_spec *spec, const int64_t *positions, int64_t n, const reference_value *rows) {
  double largest = 0;
  for (int64_t c = 0; c < spec->d_model; c++) {
    const component here = component_of(spec, c);
    const int64_t k = here.k < 0 ? 0 : here.k;
    const double w = spec->freqs ? spec->freqs[k] : pow(spec->base, -(double)k / spec_denominator(spec));
    for (int64_t i = 0; i < n; i++) {
      const double angle = (double)positions[i] * spec_scale(spec) * w;
      const double value = here.k < 0 ? 0 : here.cosine ? cos(angle) : sin(angle);
      const double error = fabs(value - rows[i * spec->d_model + c].y);
      largest = fmax(largest, error <= float64_reference_bound(spec, positions[i], w) ? error : INFINITY);
    }
  }
  return largest;
}
