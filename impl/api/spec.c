/* Specs: checks, and what kernels are given of one. */
#include "api/internal.h"

static posenc_status check_ladder(const posenc_spec *s, int64_t n) {
  const double denominator = posenc_denominator(s);
  if (!(s->base > 0.0) || isinf(s->base))
    return posenc_fail(POSENC_ERROR_SPEC, "base is %.17g; allowed: finite and > 0", s->base);
  if (!(s->denominator >= 0.0) || isinf(s->denominator))
    return posenc_fail(
        POSENC_ERROR_SPEC, "denominator is %.17g; allowed: finite and > 0, or 0 for d_model / 2", s->denominator);
  /* A given denominator, and a base below 1, must make sense even where the only frequency is 1. */
  const int rises = s->base < 1.0;
  const double last = n > 1 ? (double)(n - 1) : s->denominator != 0.0 || rises ? 1.0 : 0.0;
  const double bits = last * fabs(log2(s->base)), most = rises ? 64.0 : 1022.0;
  if (!(bits / denominator <= most)) {
    const double least = bits / most; /* rounded down, it may fail this check itself */
    return posenc_fail(POSENC_ERROR_SPEC,
        "denominator is %.17g and base is %.17g: base^(-%" PRId64
        "/denominator) %s; allowed with this base: a denominator of at least "
        "%.17g",
        denominator, s->base, (int64_t)last, rises ? "exceeds 2^64" : "falls below 2^-1022",
        bits / least <= most ? least : nextafter(least, INFINITY));
  }
  if (s->n_freqs != 0)
    return posenc_fail(POSENC_ERROR_SPEC, "n_freqs is %" PRId64 " but freqs is NULL; allowed: 0", s->n_freqs);
  if (s->freqs_low)
    return posenc_fail(POSENC_ERROR_SPEC, "freqs_low is given but freqs is NULL; allowed: NULL");
  return POSENC_OK;
}

static posenc_status check_freqs(const posenc_spec *s, int64_t n) {
  if (s->n_freqs != n)
    return posenc_fail(POSENC_ERROR_SPEC,
        "n_freqs is %" PRId64 "; allowed: %" PRId64 ", one for each pair of d_model %" PRId64 "'s columns", s->n_freqs,
        n, s->d_model);
  if (!posenc_is_usable(s->freqs, sizeof(double)))
    return posenc_fail_pointer("freqs", s->freqs, sizeof(double), "an array");
  if (s->freqs_low && !posenc_is_usable(s->freqs_low, sizeof(double)))
    return posenc_fail_pointer("freqs_low", s->freqs_low, sizeof(double), "an array");
  for (int64_t k = 0; k < n; k++) {
    const double w = fabs(s->freqs[k]);
    if (!(w == 0.0 || (w >= 0x1p-1022 && w <= 0x1p64)))
      return posenc_fail(POSENC_ERROR_SPEC,
          "freqs[%" PRId64 "] is %.17g; allowed: 0, or a magnitude from 2^-1022 to 2^64", k, s->freqs[k]);
    if (s->freqs_low && !(s->freqs[k] + s->freqs_low[k] == s->freqs[k])) /* NaN too */
      return posenc_fail(POSENC_ERROR_SPEC,
          "freqs_low[%" PRId64 "] is %.17g and freqs[%" PRId64
          "] is %.17g; allowed: a number that float64 rounds away when it is added to "
          "freqs[%" PRId64 "], at most half a unit in its last place",
          k, s->freqs_low[k], k, s->freqs[k], k);
  }
  return POSENC_OK;
}

static posenc_status check_fields(const posenc_spec *s) {
  /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): *s is read unless posenc_fail() has returned its
   * argument. */
  if (s->d_model < 1 || s->d_model > POSENC_MAX_D_MODEL)
    return posenc_fail(
        POSENC_ERROR_SPEC, "d_model is %" PRId64 "; allowed: 1 to %" PRId64, s->d_model, POSENC_MAX_D_MODEL);
  const struct {
    const char *name;
    int32_t value, most;
    const char *allowed;
  } choices[] = {
      {"layout", s->layout, POSENC_LAYOUT_SPLIT, "0 (interleaved), 1 (split)"},
      {"order", s->order, POSENC_ORDER_COS_FIRST, "0 (sin_first), 1 (cos_first)"},
      {"odd", s->odd, POSENC_ODD_ZERO, "0 (half_pair), 1 (zero)"},
      {"dtype", s->dtype, POSENC_DTYPE_F16, "0 (float32), 1 (float64), 2 (bfloat16), 3 (float16)"},
  };
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
    if (choices[i].value < 0 || choices[i].value > choices[i].most)
      return posenc_fail(POSENC_ERROR_SPEC, "%s is %" PRId64 "; allowed: %s", choices[i].name,
          (int64_t)choices[i].value, choices[i].allowed);
  const double scale = fabs(s->position_scale);
  if (!(scale == 0.0 || (scale >= 0x1p-32 && scale <= 0x1p32)))
    return posenc_fail(POSENC_ERROR_SPEC,
        "position_scale is %.17g; allowed: a magnitude from 2^-32 to 2^32, or 0 for 1", s->position_scale);
  const int64_t most = 2 * POSENC_MAX_POSITION + 1;
  if (s->table_rows < 0 || s->table_rows > most)
    return posenc_fail(POSENC_ERROR_SPEC, "table_rows is %" PRId64 "; allowed: 0 to %" PRId64, s->table_rows, most);
  const int64_t n = posenc_n_freqs(s);
  return s->freqs ? check_freqs(s, n) : check_ladder(s, n);
}

posenc_status posenc_check_spec(const posenc_spec *spec) {
  if (!posenc_is_usable(spec, _Alignof(posenc_spec)))
    return posenc_fail_pointer("spec", spec, _Alignof(posenc_spec), "a posenc_spec");
  const posenc_status status = posenc_check_room(
      "posenc_spec", spec->struct_size, sizeof *spec, spec->reserved, sizeof spec->reserved / sizeof *spec->reserved);
  return status == POSENC_OK ? check_fields(spec) : status;
}

posenc_spec posenc_kernel_spec(const posenc_spec *spec) {
  posenc_spec s = *spec;
  s.d_model = 2 * posenc_n_freqs(spec);
  s.denominator = posenc_denominator(spec);
  s.position_scale = posenc_scale(spec);
  s.layout = POSENC_LAYOUT_INTERLEAVED;
  s.order = POSENC_ORDER_SIN_FIRST;
  s.odd = POSENC_ODD_HALF_PAIR;
  return s;
}
