/* Checks of specs: each field has its range and its message in one place. And the problem that kernels are given. */
#include "api/internal.h"

static posenc_status refuse_real(const char *name, double value, const char *allowed) {
  return posenc_fail(POSENC_ERROR_SPEC, "%s is %.17g; allowed: %s", name, value, allowed);
}

static posenc_status check_range(const char *name, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most)
    return posenc_fail(
        POSENC_ERROR_SPEC, "%s is %" PRId64 "; allowed: %" PRId64 " to %" PRId64, name, value, least, most);
  return POSENC_OK;
}

static posenc_status check_choices(const posenc_spec *s) {
  const struct {
    const char *name;
    int64_t value, most;
    const char *allowed;
  } choices[] = {{"layout", s->layout, POSENC_LAYOUT_SPLIT, "0 (interleaved), 1 (split)"},
      {"order", s->order, POSENC_ORDER_COS_FIRST, "0 (sin_first), 1 (cos_first)"},
      {"odd", s->odd, POSENC_ODD_ZERO, "0 (half_pair), 1 (zero)"},
      {"dtype", s->dtype, POSENC_DTYPE_F16, "0 (float32), 1 (float64), 2 (bfloat16), 3 (float16)"}};
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
    if (choices[i].value < 0 || choices[i].value > choices[i].most)
      return posenc_fail(
          POSENC_ERROR_SPEC, "%s is %" PRId64 "; allowed: %s", choices[i].name, choices[i].value, choices[i].allowed);
  return POSENC_OK;
}

/* ---- frequencies ---- */

/* The last k for which base^(-k/denominator) is checked. A given denominator, and a base below 1, must make sense even
 * where the only frequency is 1. */
static double last_of(const posenc_spec *s) {
  const int64_t n = posenc_frequency_count(s);
  return n > 1 ? (double)(n - 1) : s->denominator != 0.0 || s->base < 1.0 ? 1.0 : 0.0;
}

/* The last frequency must be a number from 2^-1022 to 2^64. */
static posenc_status check_last_frequency(const posenc_spec *s) {
  const double denominator = posenc_denominator(s), most = s->base < 1.0 ? 64.0 : 1022.0;
  const double bits = last_of(s) * fabs(log2(s->base)); /* |log2| of base^-last */
  if (bits / denominator <= most)
    return POSENC_OK;
  const double least = bits / most; /* rounded down, it may be refused too */
  return posenc_fail(POSENC_ERROR_SPEC,
      "denominator is %.17g and base is %.17g: base^(-%" PRId64
      "/denominator) %s; allowed with this base: a denominator of at least "
      "%.17g",
      denominator, s->base, (int64_t)last_of(s), s->base < 1.0 ? "exceeds 2^64" : "falls below 2^-1022",
      bits / least <= most ? least : nextafter(least, INFINITY));
}

static posenc_status check_ladder(const posenc_spec *s) {
  if (!(s->base > 0.0) || isinf(s->base))
    return refuse_real("base", s->base, "finite and > 0");
  if (!(s->denominator >= 0.0) || isinf(s->denominator))
    return refuse_real("denominator", s->denominator, "finite and > 0, or 0 for d_model / 2");
  POSENC_TRY(check_last_frequency(s));
  if (s->n_freqs != 0)
    return posenc_fail(POSENC_ERROR_SPEC, "n_freqs is %" PRId64 " but freqs is NULL; allowed: 0", s->n_freqs);
  if (s->freqs_low)
    return posenc_fail(POSENC_ERROR_SPEC, "freqs_low is given but freqs is NULL; allowed: NULL");
  return POSENC_OK;
}

static posenc_status check_freqs(const posenc_spec *s) {
  if (s->n_freqs != posenc_frequency_count(s))
    return posenc_fail(POSENC_ERROR_SPEC,
        "n_freqs is %" PRId64 "; allowed: %" PRId64 ", one for each pair of d_model %" PRId64 "'s columns", s->n_freqs,
        posenc_frequency_count(s), s->d_model);
  if (!posenc_is_usable(s->freqs, sizeof(double)))
    return posenc_fail_pointer("freqs", s->freqs, sizeof(double), "an array");
  if (s->freqs_low && !posenc_is_usable(s->freqs_low, sizeof(double)))
    return posenc_fail_pointer("freqs_low", s->freqs_low, sizeof(double), "an array");
  return POSENC_OK;
}

posenc_status posenc_check_frequency(const posenc_spec *s, int64_t k) {
  const double w = s->freqs[k], magnitude = fabs(w);
  if (!(magnitude == 0.0 || (magnitude >= 0x1p-1022 && magnitude <= 0x1p64)))
    return posenc_fail(
        POSENC_ERROR_SPEC, "freqs[%" PRId64 "] is %.17g; allowed: 0, or a magnitude from 2^-1022 to 2^64", k, w);
  if (s->freqs_low && !(w + s->freqs_low[k] == w)) /* NaN too */
    return posenc_fail(POSENC_ERROR_SPEC,
        "freqs_low[%" PRId64 "] is %.17g and freqs[%" PRId64
        "] is %.17g; allowed: a number that float64 rounds away when it is added to "
        "freqs[%" PRId64 "], at most half a unit in its last place",
        k, s->freqs_low[k], k, w, k);
  return POSENC_OK;
}

/* ---- specs ---- */

posenc_status posenc_check_fields(const posenc_spec *s) {
  const double scale = fabs(s->position_scale);
  POSENC_TRY(posenc_check_struct(
      "posenc_spec", s->struct_size, sizeof *s, s->reserved, sizeof s->reserved / sizeof *s->reserved));
  POSENC_TRY(check_range("d_model", s->d_model, 1, POSENC_MAX_D_MODEL));
  POSENC_TRY(check_choices(s));
  if (!(scale == 0.0 || (scale >= 0x1p-32 && scale <= 0x1p32)))
    return refuse_real("position_scale", s->position_scale, "a magnitude from 2^-32 to 2^32, or 0 for 1");
  POSENC_TRY(check_range("table_rows", s->table_rows, 0, 2 * POSENC_MAX_POSITION + 1));
  return s->freqs ? check_freqs(s) : check_ladder(s);
}

posenc_status posenc_check_spec(const posenc_spec *spec) {
  if (!posenc_is_usable(spec, _Alignof(posenc_spec)))
    return posenc_fail_pointer("spec", spec, _Alignof(posenc_spec), "a posenc_spec");
  POSENC_TRY(posenc_check_fields(spec));
  for (int64_t k = 0; k < spec->n_freqs; k++)
    POSENC_TRY(posenc_check_frequency(spec, k));
  return POSENC_OK;
}

posenc_problem posenc_problem_of(const posenc_spec *spec) {
  return (posenc_problem){.n = posenc_frequency_count(spec),
      .base = spec->base,
      .denominator = posenc_denominator(spec),
      .freqs = spec->freqs,
      .freqs_low = spec->freqs_low,
      .scale = posenc_scale(spec),
      .table_rows = spec->table_rows,
      .dtype = spec->dtype};
}
