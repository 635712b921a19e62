/* Scaled rotary embeddings: what is allowed. */
#include "api/internal.h"

#include "api/fpstate.h"
#include "multiprecision/rotary.h"

#include <string.h>

enum { /* kinds, as a set */
  LINEAR = 1 << POSENC_ROTARY_LINEAR,
  DYNAMIC = 1 << POSENC_ROTARY_DYNAMIC,
  YARN = 1 << POSENC_ROTARY_YARN,
  LONGROPE = 1 << POSENC_ROTARY_LONGROPE,
  LLAMA3 = 1 << POSENC_ROTARY_LLAMA3
};

static posenc_status check_kind(int64_t d_model, int32_t scaling) {
  if (scaling < 0 || scaling > POSENC_ROTARY_LLAMA3)
    return posenc_fail(POSENC_ERROR_SPEC,
        "scaling is %" PRId64 "; allowed: 0 to %" PRId64 ", see posenc_rotary_scaling", (int64_t)scaling,
        (int64_t)POSENC_ROTARY_LLAMA3);
  const int64_t least = scaling == POSENC_ROTARY_DYNAMIC ? 4 : 2;
  if (d_model < least || d_model > POSENC_MAX_D_MODEL || d_model % 2 != 0)
    return posenc_fail(POSENC_ERROR_SPEC,
        "d_model is %" PRId64 "; allowed: an even number from %" PRId64 " to %" PRId64, d_model, least,
        POSENC_MAX_D_MODEL);
  return POSENC_OK;
}

static int is_in_range(double x) { return x >= 0x1p-32 && x <= 0x1p32; } /* not NaN */

static int is_long(const posenc_rotary *p) { return p->length > p->original_max_position_embeddings; }

static const float *selected_factors(const posenc_rotary *p) { return is_long(p) ? p->long_factor : p->short_factor; }

static posenc_status check_factors(const posenc_rotary *p) {
  const char *name = is_long(p) ? "long_factor" : "short_factor";
  const float *factors = selected_factors(p);
  if (!factors)
    return posenc_fail(POSENC_ERROR_SPEC,
        "%s is NULL; with length %" PRId64 ", d_model / 2 = %" PRId64 " floats are needed", name, p->length,
        p->d_model / 2);
  if (!posenc_is_usable(factors, sizeof *factors))
    return posenc_fail_pointer(name, factors, sizeof *factors, "an array");
  for (int64_t k = 0; k < p->d_model / 2; k++)
    if (!is_in_range((double)factors[k]))
      return posenc_fail(
          POSENC_ERROR_SPEC, "%s[%" PRId64 "] is %.17g; allowed: 2^-32 to 2^32", name, k, (double)factors[k]);
  return POSENC_OK;
}

static posenc_status check_rotary_fields(const posenc_rotary *p) {
  POSENC_TRY(check_kind(p->d_model, p->scaling));
  const int kind = 1 << p->scaling, automatic = p->attention_factor == 0.0;
  if (!(p->base >= 2.0 && p->base <= 0x1p512))
    return posenc_fail(POSENC_ERROR_SPEC, "base is %.17g; allowed: 2 to 2^512", p->base);
  const struct {
    const char *name;
    double value;
    int kinds, zero; /* who takes it, and whether 0 is fine */
  } reals[] = {{"factor", p->factor, LINEAR | DYNAMIC | YARN | LLAMA3 | (automatic ? LONGROPE : 0), 0},
      {"attention_factor", p->attention_factor, YARN | LONGROPE, 1}, {"beta_fast", p->beta_fast, YARN, 0},
      {"beta_slow", p->beta_slow, YARN, 0}, {"mscale", p->mscale, YARN, 1},
      {"mscale_all_dim", p->mscale_all_dim, YARN, 1}, {"low_freq_factor", p->low_freq_factor, LLAMA3, 0},
      {"high_freq_factor", p->high_freq_factor, LLAMA3, 0}};
  for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
    if (reals[i].kinds & kind && !is_in_range(reals[i].value) && !(reals[i].zero && reals[i].value == 0.0))
      return posenc_fail(POSENC_ERROR_SPEC, "%s is %.17g; allowed: %s2^-32 to 2^32", reals[i].name, reals[i].value,
          reals[i].zero ? "0, or " : "");
  const struct {
    const char *name;
    int64_t value, least, most;
    int kinds;
  } integers[] = {{"length", p->length, 0, POSENC_MAX_POSITION, DYNAMIC | LONGROPE},
      {"max_position_embeddings", p->max_position_embeddings, 1, POSENC_MAX_POSITION, DYNAMIC},
      {"original_max_position_embeddings", p->original_max_position_embeddings, 2, POSENC_MAX_POSITION,
          YARN | LONGROPE | LLAMA3},
      {"truncate", p->truncate, 0, 1, YARN}};
  for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
    if (integers[i].kinds & kind && (integers[i].value < integers[i].least || integers[i].value > integers[i].most))
      return posenc_fail(POSENC_ERROR_SPEC, "%s is %" PRId64 "; allowed: %" PRId64 " to %" PRId64, integers[i].name,
          integers[i].value, integers[i].least, integers[i].most);
  if (kind == YARN && p->beta_slow > p->beta_fast)
    return posenc_fail(POSENC_ERROR_SPEC, "beta_slow is %.17g; allowed: at most beta_fast, which is %.17g",
        p->beta_slow, p->beta_fast);
  if (kind == LLAMA3 && p->low_freq_factor > p->high_freq_factor)
    return posenc_fail(POSENC_ERROR_SPEC, "low_freq_factor is %.17g; allowed: at most high_freq_factor, which is %.17g",
        p->low_freq_factor, p->high_freq_factor);
  return kind == LONGROPE ? check_factors(p) : POSENC_OK;
}

/* Results are written while factors are still read. */
static posenc_status check_results(
    const posenc_rotary *p, const double *freqs, const double *freqs_low, const double *attention_factor) {
  static const char *const names[] = {"factors", "freqs", "freqs_low", "attention_factor"};
  const int64_t one = sizeof(double), all = p->d_model / 2 * one;
  const posenc_array factors = {selected_factors(p), 1, all / 2, all / 2}, none = {0};
  const posenc_array arrays[] = {p->scaling == POSENC_ROTARY_LONGROPE ? factors : none, {freqs, 1, all, all},
      {freqs_low, 1, all, all}, {attention_factor, 1, one, one}};
  return posenc_check_results(names, arrays, 4);
}

posenc_status posenc_rotary_init(posenc_rotary *rotary, int64_t d_model, posenc_rotary_scaling scaling) {
  if (!posenc_is_usable(rotary, _Alignof(posenc_rotary)))
    return posenc_fail_pointer("rotary", rotary, _Alignof(posenc_rotary), "a posenc_rotary");
  memset(rotary, 0, sizeof *rotary);
  POSENC_TRY(check_kind(d_model, (int32_t)scaling));
  *rotary = (posenc_rotary){.struct_size = sizeof *rotary,
      .d_model = d_model,
      .base = 10000.0,
      .scaling = (int32_t)scaling,
      .truncate = 1,
      .beta_fast = 32.0,
      .beta_slow = 1.0};
  return POSENC_OK;
}

POSENC_NOINLINE static posenc_status rotary_freqs(
    const posenc_rotary *rotary, double *freqs, double *freqs_low, double *attention_factor) {
  if (!posenc_is_usable(rotary, _Alignof(posenc_rotary)))
    return posenc_fail_pointer("rotary", rotary, _Alignof(posenc_rotary), "a posenc_rotary");
  POSENC_TRY(posenc_check_struct("posenc_rotary", rotary->struct_size, sizeof *rotary, rotary->reserved,
      sizeof rotary->reserved / sizeof *rotary->reserved));
  const posenc_rotary r = *rotary; /* the results may go to the same memory */
  POSENC_TRY(check_rotary_fields(&r));
  POSENC_TRY(check_results(&r, freqs, freqs_low, attention_factor));
  posenc_rotary_compute(&r, selected_factors(&r), freqs, freqs_low);
  *attention_factor = posenc_rotary_attention(&r);
  return POSENC_OK;
}

posenc_status posenc_rotary_freqs(
    const posenc_rotary *rotary, double *freqs, double *freqs_low, double *attention_factor) {
  const posenc_fpstate caller = posenc_fp_enter();
  return posenc_fp_leave(caller, rotary_freqs(rotary, freqs, freqs_low, attention_factor));
}
