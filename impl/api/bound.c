/* posenc_impl_error_bound: the stated bound of an implementation at one position and column. */
#include "api/internal.h"

#include "api/fpstate.h"

/* Half a unit in the last place of values below 1. */
static double half_ulp_of(int32_t dtype) { return ldexp(0.5, -posenc_dtype_info_of(dtype)->digits); }

POSENC_NOINLINE static double bound_at(
    const posenc_kernel *kernel, const posenc_spec *s, double position, int64_t column) {
  if (posenc_check_fields(s) != POSENC_OK || !posenc_takes_base(kernel, s) || !posenc_offers(&kernel->info, s->dtype) ||
      column < 0 || column >= s->d_model || posenc_is_outside(position, posenc_scale(s)))
    return NAN;
  const int64_t k = posenc_frequency_of(s, column);
  if (k < 0)
    return 0.0; /* a column of zeros */
  if (s->freqs && posenc_check_frequency(s, k) != POSENC_OK)
    return NAN;
  const double scale = posenc_scale(s);
  const double exponent = s->freqs ? 0.0 : (double)k / posenc_denominator(s);
  const double ln_w = s->freqs ? 0.0 : fabs(exponent * log(s->base));
  const double w = s->freqs ? s->freqs[k] : pow(s->base, -exponent);
  const posenc_angle angle = {position, w * scale, exponent, ln_w, scale == 1.0 ? 0.0 : 2.0, half_ulp_of(s->dtype)};
  const double bound = kernel->bound(&angle, kernel->bound_units);
  /* No error is larger: values are in [-1, 1], and outputs drift (recipes/recurrence.c) out of it by less than
   * 2^-16. */
  const double largest = 2.0 + 0x1p-16;
  return bound < largest ? bound : largest;
}

double posenc_impl_error_bound(const posenc_impl *impl, const posenc_spec *spec, double position, int64_t column) {
  const posenc_kernel *kernel = posenc_kernel_of(impl);
  if (!kernel || !posenc_is_usable(spec, _Alignof(posenc_spec)))
    return NAN;
  const posenc_spec s = *spec; /* what is checked is what is used */
  char message[POSENC_MESSAGE_SIZE];
  const posenc_status last = posenc_last_error(message, sizeof message);
  const posenc_fpstate caller = posenc_fp_enter();
  const double bound = bound_at(kernel, &s, position, column);
  if (isnan(bound)) /* the checks may have set the last error, but a bound of NaN leaves it as it was */
    posenc_fail(last, "%s", message);
  posenc_fp_restore(caller);
  return bound;
}
