#include "rotary_reference.h"

#include <stdbool.h>

#include "columns.h"
#include "mpfr_reference.h"

/* r = d ln(L / (2 pi beta)) / (2 ln base) */
static void correction_dim(mpfr_t r, const posenc_rotary *p, double beta) {
  mpfr_t t;
  mpfr_init2(t, ROTARY_BITS);
  mpfr_const_pi(t, MPFR_RNDN);
  mpfr_mul_d(t, t, 2 * beta, MPFR_RNDN);
  mpfr_si_div(r, p->original_max_position_embeddings, t, MPFR_RNDN);
  mpfr_log(r, r, MPFR_RNDN);
  mpfr_mul_si(r, r, p->d_model, MPFR_RNDN);
  mpfr_set_d(t, p->base, MPFR_RNDN);
  mpfr_log(t, t, MPFR_RNDN);
  mpfr_mul_ui(t, t, 2, MPFR_RNDN);
  mpfr_div(r, r, t, MPFR_RNDN);
  mpfr_clear(t);
}

static void clamp(mpfr_t x) {
  if (mpfr_cmp_ui(x, 1) > 0)
    mpfr_set_ui(x, 1, MPFR_RNDN);
  if (mpfr_cmp_ui(x, 0) < 0)
    mpfr_set_ui(x, 0, MPFR_RNDN);
}

/* r = clamp((k - min) / (max - min)) */
static void yarn_ramp(mpfr_t r, const posenc_rotary *p, int64_t k) {
  mpfr_t low, high;
  mpfr_inits2(ROTARY_BITS, low, high, (mpfr_ptr)NULL);
  correction_dim(low, p, p->beta_fast);
  correction_dim(high, p, p->beta_slow);
  if (p->truncate) {
    mpfr_floor(low, low);
    mpfr_ceil(high, high);
  }
  if (mpfr_cmp_ui(low, 0) < 0)
    mpfr_set_ui(low, 0, MPFR_RNDN);
  if (mpfr_cmp_si(high, p->d_model - 1) > 0)
    mpfr_set_si(high, p->d_model - 1, MPFR_RNDN);
  mpfr_si_sub(r, k, low, MPFR_RNDN);
  if (mpfr_equal_p(low, high)) {
    mpfr_mul_ui(r, r, 1000, MPFR_RNDN);
  } else {
    mpfr_sub(high, high, low, MPFR_RNDN);
    mpfr_div(r, r, high, MPFR_RNDN);
  }
  clamp(r);
  mpfr_clears(low, high, (mpfr_ptr)NULL);
}

/* r = 1 - the smooth factor of w */
static void llama3_ramp(mpfr_t r, const posenc_rotary *p, const mpfr_t w) {
  mpfr_t t;
  mpfr_init2(t, ROTARY_BITS);
  mpfr_const_pi(t, MPFR_RNDN);
  mpfr_mul_ui(t, t, 2, MPFR_RNDN);
  mpfr_div(t, t, w, MPFR_RNDN); /* the wavelength */
  mpfr_si_div(r, p->original_max_position_embeddings, t, MPFR_RNDN);
  mpfr_sub_d(r, r, p->low_freq_factor, MPFR_RNDN);
  mpfr_set_d(t, p->high_freq_factor, MPFR_RNDN);
  mpfr_sub_d(t, t, p->low_freq_factor, MPFR_RNDN);
  mpfr_div(r, r, t, MPFR_RNDN);
  clamp(r);
  mpfr_ui_sub(r, 1, r, MPFR_RNDN);
  mpfr_clear(t);
}

/* w / (base'^(2k/d) / base^(2k/d)), base' = base (factor length / max - (factor - 1))^(d / (d - 2)) */
static void stretch(mpfr_t w, const posenc_rotary *p, int64_t k) {
  const int64_t max = p->max_position_embeddings, length = p->length > max ? p->length : max;
  mpfr_t x, t;
  mpfr_inits2(ROTARY_BITS, x, t, (mpfr_ptr)NULL);
  mpfr_set_d(x, p->factor, MPFR_RNDN);
  mpfr_sub_ui(t, x, 1, MPFR_RNDN);
  mpfr_mul_si(x, x, length, MPFR_RNDN);
  mpfr_div_si(x, x, max, MPFR_RNDN);
  mpfr_sub(x, x, t, MPFR_RNDN);
  mpfr_set_si(t, 2 * k, MPFR_RNDN);
  mpfr_div_si(t, t, p->d_model - 2, MPFR_RNDN);
  mpfr_pow(x, x, t, MPFR_RNDN);
  mpfr_div(w, w, x, MPFR_RNDN);
  mpfr_clears(x, t, (mpfr_ptr)NULL);
}

void rotary_frequency(mpfr_t w, const posenc_rotary *p, int64_t k) {
  mpfr_t r, interpolated;
  const posenc_spec unscaled = {.struct_size = sizeof unscaled, .d_model = p->d_model, .base = p->base};
  reference_frequency(w, &unscaled, k);
  switch (p->scaling) {
  case POSENC_ROTARY_LINEAR:
    mpfr_div_d(w, w, p->factor, MPFR_RNDN);
    break;
  case POSENC_ROTARY_DYNAMIC:
    stretch(w, p, k);
    break;
  case POSENC_ROTARY_LONGROPE:
    mpfr_div_d(w, w, (double)(p->length > p->original_max_position_embeddings ? p->long_factor : p->short_factor)[k],
        MPFR_RNDN);
    break;
  case POSENC_ROTARY_YARN:
  case POSENC_ROTARY_LLAMA3:
    mpfr_inits2(ROTARY_BITS, r, interpolated, (mpfr_ptr)NULL);
    if (p->scaling == POSENC_ROTARY_YARN)
      yarn_ramp(r, p, k);
    else
      llama3_ramp(r, p, w);
    mpfr_div_d(interpolated, w, p->factor, MPFR_RNDN);
    mpfr_mul(interpolated, interpolated, r, MPFR_RNDN);
    mpfr_ui_sub(r, 1, r, MPFR_RNDN);
    mpfr_mul(w, w, r, MPFR_RNDN);
    mpfr_add(w, w, interpolated, MPFR_RNDN);
    mpfr_clears(r, interpolated, (mpfr_ptr)NULL);
    break;
  }
}

/* a = 0.1 m ln(factor) + 1 */
static void yarn_mscale(mpfr_t a, double factor, double m) {
  mpfr_set_d(a, factor, MPFR_RNDN);
  mpfr_log(a, a, MPFR_RNDN);
  mpfr_mul_d(a, a, m, MPFR_RNDN);
  mpfr_div_ui(a, a, 10, MPFR_RNDN);
  mpfr_add_ui(a, a, 1, MPFR_RNDN);
}

void rotary_attention(mpfr_t a, const posenc_rotary *p) {
  const bool yarn = p->scaling == POSENC_ROTARY_YARN;
  mpfr_t t;
  mpfr_set_ui(a, 1, MPFR_RNDN);
  if (!yarn && p->scaling != POSENC_ROTARY_LONGROPE)
    return;
  if (p->attention_factor != 0) {
    mpfr_set_d(a, p->attention_factor, MPFR_RNDN);
    return;
  }
  if (p->factor <= 1)
    return;
  mpfr_init2(t, ROTARY_BITS);
  if (!yarn) {
    mpfr_set_d(a, p->factor, MPFR_RNDN);
    mpfr_log(a, a, MPFR_RNDN);
    mpfr_set_si(t, p->original_max_position_embeddings, MPFR_RNDN);
    mpfr_log(t, t, MPFR_RNDN);
    mpfr_div(a, a, t, MPFR_RNDN);
    mpfr_add_ui(a, a, 1, MPFR_RNDN);
    mpfr_sqrt(a, a, MPFR_RNDN);
  } else if (p->mscale != 0 && p->mscale_all_dim != 0) {
    yarn_mscale(a, p->factor, p->mscale);
    yarn_mscale(t, p->factor, p->mscale_all_dim);
    mpfr_div(a, a, t, MPFR_RNDN);
  } else {
    yarn_mscale(a, p->factor, 1);
  }
  mpfr_clear(t);
}

rotary_pair rotary_rounded(const mpfr_t x) {
  mpfr_t rest;
  rotary_pair pair = {.high = mpfr_get_d(x, MPFR_RNDN)};
  mpfr_init2(rest, ROTARY_BITS);
  mpfr_sub_d(rest, x, pair.high, MPFR_RNDN);
  if (!mpfr_zero_p(rest) && mpfr_get_exp(rest) > mpfr_get_exp(x) - 512) /* else it is only rounding error */
    pair.low = mpfr_get_d(rest, MPFR_RNDN);
  mpfr_clear(rest);
  return pair;
}
