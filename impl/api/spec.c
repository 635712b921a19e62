/* Specs: the range of each field, the message for one that is out of range, and what kernels are given of a spec. */
#include "api/internal.h"

/* ---- ranges ---- */

/* The fields, in the order of their checks. LADDER is base and denominator together; LOW is freqs_low. */
enum { FINE, STRUCT, D_MODEL, LAYOUT, ORDER, ODD, DTYPE, SCALE, ROWS, BASE, DENOMINATOR, LADDER, N_FREQS, FREQS, LOW };

static const int64_t most_rows = 2 * POSENC_MAX_POSITION + 1;

static int out_of_range(int64_t value, int64_t least, int64_t most) { return value < least || value > most; }

static int is_scale(double size) { return size == 0.0 || (size >= 0x1p-32 && size <= 0x1p32); }

/* The last k for which base^(-k/denominator) is checked. A given denominator, and a base below 1, must make sense even
 * where the only frequency is 1. */
static double last_of(const posenc_spec *s) {
  const int64_t n = posenc_n_freqs(s);
  return n > 1 ? (double)(n - 1) : s->denominator != 0.0 || s->base < 1.0 ? 1.0 : 0.0;
}

/* |log2| of base^-last, and what it may be after its division by the denominator. */
static double log2_span(const posenc_spec *s) { return last_of(s) * fabs(log2(s->base)); }
static double most_span(const posenc_spec *s) { return s->base < 1.0 ? 64.0 : 1022.0; }

static int bad_field_of_ladder(const posenc_spec *s) {
  return !(s->base > 0.0) || isinf(s->base)                        ? BASE
         : !(s->denominator >= 0.0) || isinf(s->denominator)       ? DENOMINATOR
         : !(log2_span(s) / posenc_denominator(s) <= most_span(s)) ? LADDER
         : s->n_freqs != 0                                         ? N_FREQS
         : s->freqs_low                                            ? LOW
                                                                   : FINE;
}

static int bad_field_of_freqs(const posenc_spec *s) {
  return s->n_freqs != posenc_n_freqs(s)                                   ? N_FREQS
         : !posenc_is_usable(s->freqs, sizeof(double))                     ? FREQS
         : s->freqs_low && !posenc_is_usable(s->freqs_low, sizeof(double)) ? LOW
                                                                           : FINE;
}

enum { RESERVED = sizeof((posenc_spec *)0)->reserved / sizeof(uint64_t) };

static int is_known_struct(const posenc_spec *s) {
  return s->struct_size == sizeof *s && posenc_first_used(s->reserved, RESERVED) == RESERVED;
}

int posenc_bad_field(const posenc_spec *s) {
  return !is_known_struct(s)                                 ? STRUCT
         : out_of_range(s->d_model, 1, POSENC_MAX_D_MODEL)   ? D_MODEL
         : out_of_range(s->layout, 0, POSENC_LAYOUT_SPLIT)   ? LAYOUT
         : out_of_range(s->order, 0, POSENC_ORDER_COS_FIRST) ? ORDER
         : out_of_range(s->odd, 0, POSENC_ODD_ZERO)          ? ODD
         : out_of_range(s->dtype, 0, POSENC_DTYPE_F16)       ? DTYPE
         : !is_scale(fabs(s->position_scale))                ? SCALE
         : out_of_range(s->table_rows, 0, most_rows)         ? ROWS
         : s->freqs                                          ? bad_field_of_freqs(s)
                                                             : bad_field_of_ladder(s);
}

int posenc_bad_frequency(const posenc_spec *s, int64_t k) {
  const double w = s->freqs[k], size = fabs(w);
  if (!(size == 0.0 || (size >= 0x1p-1022 && size <= 0x1p64)))
    return FREQS;
  return s->freqs_low && !(w + s->freqs_low[k] == w) ? LOW : FINE; /* NaN too */
}

/* ---- messages ---- */

static posenc_status refuse_integer(const char *name, int64_t value, const char *allowed) {
  return posenc_fail(POSENC_ERROR_SPEC, "%s is %" PRId64 "; allowed: %s", name, value, allowed);
}

static posenc_status refuse_range(const char *name, int64_t value, int64_t least, int64_t most) {
  return posenc_fail(
      POSENC_ERROR_SPEC, "%s is %" PRId64 "; allowed: %" PRId64 " to %" PRId64, name, value, least, most);
}

static posenc_status refuse_real(const char *name, double value, const char *allowed) {
  return posenc_fail(POSENC_ERROR_SPEC, "%s is %.17g; allowed: %s", name, value, allowed);
}

static posenc_status refuse_ladder(const posenc_spec *s) {
  const double bits = log2_span(s), most = most_span(s), least = bits / most; /* rounded down, it may be refused too */
  return posenc_fail(POSENC_ERROR_SPEC,
      "denominator is %.17g and base is %.17g: base^(-%" PRId64
      "/denominator) %s; allowed with this base: a denominator of at least "
      "%.17g",
      posenc_denominator(s), s->base, (int64_t)last_of(s), s->base < 1.0 ? "exceeds 2^64" : "falls below 2^-1022",
      bits / least <= most ? least : nextafter(least, INFINITY));
}

/* FREQS and LOW: of element k, or of the pointers where k is -1. */
static posenc_status refuse_frequencies(const posenc_spec *s, int field, int64_t k) {
  const int is_low = field == LOW;
  if (is_low && !s->freqs)
    return posenc_fail(POSENC_ERROR_SPEC, "freqs_low is given but freqs is NULL; allowed: NULL");
  if (k < 0)
    return posenc_fail_pointer(
        is_low ? "freqs_low" : "freqs", is_low ? s->freqs_low : s->freqs, sizeof(double), "an array");
  if (!is_low)
    return posenc_fail(POSENC_ERROR_SPEC,
        "freqs[%" PRId64 "] is %.17g; allowed: 0, or a magnitude from 2^-1022 to 2^64", k, s->freqs[k]);
  return posenc_fail(POSENC_ERROR_SPEC,
      "freqs_low[%" PRId64 "] is %.17g and freqs[%" PRId64
      "] is %.17g; allowed: a number that float64 rounds away when it is added to "
      "freqs[%" PRId64 "], at most half a unit in its last place",
      k, s->freqs_low[k], k, s->freqs[k], k);
}

static posenc_status refuse(const posenc_spec *s, int field, int64_t k) {
  switch (field) {
  case STRUCT:
    return posenc_check_struct("posenc_spec", s->struct_size, sizeof *s, s->reserved, RESERVED);
  case D_MODEL:
    return refuse_range("d_model", s->d_model, 1, POSENC_MAX_D_MODEL);
  case LAYOUT:
    return refuse_integer("layout", s->layout, "0 (interleaved), 1 (split)");
  case ORDER:
    return refuse_integer("order", s->order, "0 (sin_first), 1 (cos_first)");
  case ODD:
    return refuse_integer("odd", s->odd, "0 (half_pair), 1 (zero)");
  case DTYPE:
    return refuse_integer("dtype", s->dtype, "0 (float32), 1 (float64), 2 (bfloat16), 3 (float16)");
  case SCALE:
    return refuse_real("position_scale", s->position_scale, "a magnitude from 2^-32 to 2^32, or 0 for 1");
  case ROWS:
    return refuse_range("table_rows", s->table_rows, 0, most_rows);
  case BASE:
    return refuse_real("base", s->base, "finite and > 0");
  case DENOMINATOR:
    return refuse_real("denominator", s->denominator, "finite and > 0, or 0 for d_model / 2");
  case LADDER:
    return refuse_ladder(s);
  case N_FREQS:
    if (!s->freqs)
      return posenc_fail(POSENC_ERROR_SPEC, "n_freqs is %" PRId64 " but freqs is NULL; allowed: 0", s->n_freqs);
    return posenc_fail(POSENC_ERROR_SPEC,
        "n_freqs is %" PRId64 "; allowed: %" PRId64 ", one for each pair of d_model %" PRId64 "'s columns", s->n_freqs,
        posenc_n_freqs(s), s->d_model);
  default:
    return refuse_frequencies(s, field, k);
  }
}

posenc_status posenc_check_spec(const posenc_spec *spec) {
  if (!posenc_is_usable(spec, _Alignof(posenc_spec)))
    return posenc_fail_pointer("spec", spec, _Alignof(posenc_spec), "a posenc_spec");
  int field = posenc_bad_field(spec);
  if (field != FINE)
    return refuse(spec, field, -1);
  for (int64_t k = 0; k < spec->n_freqs; k++)
    if ((field = posenc_bad_frequency(spec, k)) != FINE)
      return refuse(spec, field, k);
  return POSENC_OK;
}

posenc_problem posenc_problem_of(const posenc_spec *spec) {
  return (posenc_problem){.n = posenc_n_freqs(spec),
      .base = spec->base,
      .denominator = posenc_denominator(spec),
      .freqs = spec->freqs,
      .freqs_low = spec->freqs_low,
      .scale = posenc_scale(spec),
      .table_rows = spec->table_rows,
      .dtype = spec->dtype};
}
