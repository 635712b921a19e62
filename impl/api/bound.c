/* posenc_impl_error_bound: the stated bound of an implementation at one position and column. */
#include "api/internal.h"

#include "api/fpstate.h"

/* Half a unit in the last place of values below 1. */
static double rounding_of(int32_t dtype) { return ldexp(0.5, -posenc_format_of(dtype)->digits); }

/* Every implementation offers float32 (kernel.h). Comparing names takes half as long as pow(). */
static int is_offered(const posenc_kernel *kernel, const posenc_spec *s) {
  return posenc_takes_base(kernel, s) && (s->dtype == POSENC_DTYPE_F32 || posenc_offers(kernel->info.dtypes, s->dtype));
}

POSENC_NOINLINE static double bound_at(
    const posenc_kernel *kernel, const posenc_spec *s, double position, int64_t column) {
  if (posenc_bad_field(s) || !is_offered(kernel, s) || column < 0 || column >= s->d_model ||
      posenc_is_outside(position, posenc_scale(s)))
    return NAN;
  const int64_t k = posenc_frequency_of(s, column);
  if (k < 0)
    return 0.0; /* a column of zeros */
  if (s->freqs && posenc_bad_frequency(s, k))
    return NAN;
  const double scale = posenc_scale(s);
  const double exponent = s->freqs ? 0.0 : (double)k / posenc_denominator(s);
  const double ln_w = s->freqs ? 0.0 : fabs(exponent * log(s->base));
  const double w = s->freqs ? s->freqs[k] : pow(s->base, -exponent);
  const posenc_angle angle = {position, w * scale, exponent, ln_w, scale == 1.0 ? 0.0 : 2.0, rounding_of(s->dtype)};
  const double bound = kernel->bound(&angle, kernel->ulp);
  /* No error is larger: the value is in [-1, 1], and outputs drift (recipes/recurrence.c) out of it by less than 2^-16. */
  const double largest = 2.0 + 0x1p-16;
  return bound < largest ? bound : largest;
}

double posenc_impl_error_bound(const posenc_impl *impl, const posenc_spec *spec, double position, int64_t column) {
  const posenc_kernel *kernel = posenc_kernel_of(impl);
  if (!kernel || !posenc_is_usable(spec, _Alignof(posenc_spec)))
    return NAN;
  const posenc_spec s = *spec; /* what is checked is what is used */
  const posenc_fpstate caller = posenc_fp_enter();
  const double bound = bound_at(kernel, &s, position, column);
  posenc_fp_restore(caller);
  return bound;
}
