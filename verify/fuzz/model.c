#include <math.h>
#include <mpfr.h>

#include "fuzz.h"

/* Bits of a first attempt, and how many more frequencies and angles carry than their sines. */
enum { FIRST_BITS = 128, MORE_BITS = 64, MOST_BITS = 1 << 16 };

int64_t model_count(const posenc_spec *spec) {
  return spec->odd == POSENC_ODD_ZERO ? spec->d_model / 2 : spec->d_model / 2 + spec->d_model % 2;
}

meaning model_column(const posenc_spec *spec, int64_t column) {
  const int64_t n = model_count(spec), pairs = spec->d_model / 2;
  const bool second = spec->layout == POSENC_LAYOUT_INTERLEAVED ? column % 2 : column >= n;
  if (column >= n + pairs)
    return (meaning){ZERO, 0};
  const int64_t k = spec->layout == POSENC_LAYOUT_INTERLEAVED ? column / 2 : second ? column - n : column;
  if (second == (spec->order == POSENC_ORDER_COS_FIRST))
    return (meaning){SINE, k};
  return (meaning){COSINE, k};
}

static void frequency(const posenc_spec *spec, int64_t k, mpfr_t w) {
  if (spec->freqs) {
    mpfr_set_d(w, spec->freqs[k], MPFR_RNDN);
    if (spec->freqs_low && spec->freqs_low[k] != 0) /* the sign of -0.0 stays */
      mpfr_add_d(w, w, spec->freqs_low[k], MPFR_RNDN);
    return;
  }
  mpfr_t base;
  mpfr_init2(base, 53);
  mpfr_set_d(base, spec->base, MPFR_RNDN);
  mpfr_set_si(w, -(long)k, MPFR_RNDN);
  mpfr_div_d(w, w, spec->denominator != 0 ? spec->denominator : (double)spec->d_model / 2, MPFR_RNDN);
  mpfr_pow(w, base, w, MPFR_RNDN);
  mpfr_clear(base);
}

/* To the dtype's digits and exponents, subnormals included, once. */
static double nearest(int32_t dtype, const mpfr_t x) {
  static const struct {
    int digits, least; /* the smallest number is 2^least */
  } formats[] = {[POSENC_DTYPE_F32] = {24, -149},
      [POSENC_DTYPE_F64] = {53, -1074},
      [POSENC_DTYPE_BF16] = {8, -133},
      [POSENC_DTYPE_F16] = {11, -24}};
  const mpfr_exp_t least = mpfr_get_emin();
  mpfr_t r;
  mpfr_init2(r, formats[dtype].digits);
  int ternary = mpfr_set(r, x, MPFR_RNDN);
  mpfr_set_emin(formats[dtype].least + 1); /* MPFR's numbers are of [1/2, 1) times 2^exponent */
  ternary = mpfr_check_range(r, ternary, MPFR_RNDN);
  mpfr_subnormalize(r, ternary, MPFR_RNDN);
  mpfr_set_emin(least);
  const double value = mpfr_get_d(r, MPFR_RNDN);
  mpfr_clear(r);
  return value;
}

/* One attempt. With Q bits, w is off by less than (711 2^-Q) w: 709 (= 1022 ln 2) for the rounding of its exponent, 1
 * for the power, 1 for the product with position * scale, which is exact. The sine moves by no more than its angle, and
 * is rounded once. */
static bool attempt(const posenc_spec *spec, meaning m, double position, mpfr_prec_t bits, double *value, double got,
    double *distance) {
  mpfr_t w, p, v, low, high, error;
  mpfr_init2(w, bits + MORE_BITS);
  mpfr_init2(p, 128);
  mpfr_set_d(p, position, MPFR_RNDN);
  mpfr_inits2(bits, v, low, high, error, (mpfr_ptr)NULL);
  frequency(spec, m.k, w);
  mpfr_mul_d(p, p, spec->position_scale != 0 ? spec->position_scale : 1, MPFR_RNDN);
  mpfr_mul(w, w, p, MPFR_RNDN);
  bool done = true;
  if (mpfr_zero_p(w)) { /* position -0.0 gives a sine the sign of -0.0 * w * scale; no other 0 has a sign */
    const bool minus = position == 0 && signbit(position) && mpfr_signbit(w);
    *value = m.function == COSINE ? 1 : minus ? -0.0 : 0.0;
    *distance = fabs(got - *value);
  } else {
    (m.function == SINE ? mpfr_sin : mpfr_cos)(v, w, MPFR_RNDN);
    mpfr_set_ui_2exp(error, 1, mpfr_get_exp(w) + 10 - mpfr_get_prec(w), MPFR_RNDU);
    mpfr_set_ui_2exp(low, 1, mpfr_get_exp(v) - bits, MPFR_RNDU);
    mpfr_add(error, error, low, MPFR_RNDU);
    mpfr_sub(low, v, error, MPFR_RNDD);
    mpfr_add(high, v, error, MPFR_RNDU);
    *value = nearest(spec->dtype, low);
    const double other = nearest(spec->dtype, high);
    done = *value == other && !signbit(*value) == !signbit(other) && mpfr_get_exp(error) < -70;
    mpfr_sub_d(low, low, got, MPFR_RNDD); /* how far got is from the nearer end; 0 inside */
    mpfr_d_sub(high, got, high, MPFR_RNDD);
    *distance = isfinite(got) ? fmax(0, mpfr_get_d(mpfr_cmp(low, high) > 0 ? low : high, MPFR_RNDD)) : (double)INFINITY;
  }
  mpfr_clears(w, p, v, low, high, error, (mpfr_ptr)NULL);
  return done;
}

double model_value(const posenc_spec *spec, meaning m, double position, double got, double *distance) {
  double value = 0;
  if (m.function == ZERO) {
    *distance = fabs(got);
    return 0;
  }
  for (mpfr_prec_t bits = FIRST_BITS; bits <= MOST_BITS; bits *= 2)
    if (attempt(spec, m, position, bits, &value, got, distance))
      return value;
  complain("the model does not settle: an error of model.c, or a spec that is none");
}
