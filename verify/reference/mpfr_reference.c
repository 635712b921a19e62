#include "mpfr_reference.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "formats.h"
#include "../tools/memory.h"

/* Level L works with FIRST_BITS << L bits. 64 bits decide all but one double in a thousand, in much less time than 128.
 * The hardest inputs that are known need 2153 bits: their angle is exactly the midpoint of the two least doubles above 0,
 * and the sine lies just below it (test_exact.c). The last level has four million bits; level_at() aborts beyond it. */
enum { FIRST_BITS = REFERENCE_FIRST_BITS, LEVELS = 17 };

/* Frequencies and angles have this many more bits, so that their errors are negligible beside the rounding of the sine,
 * except near a zero of the sine, where they dominate. */
enum { EXTRA_BITS = 64 };

/* |computed angle - real angle| < 2^(EXP(angle) + ANGLE_SLACK - bits). Of P bits, with |t ln base| <= 1022 ln 2:
 *   t = -k/denominator, one rounding     relative 2^-P, so base^t is off by 709 * 2^-P
 *   base^t                               2^-P
 *   position * w                         2^-P           711 * 2^-P in all, with second-order terms below 2^(10-P)
 * position * position_scale is exact. An explicit frequency is off by 2^-P, so the bound is then generous. */
enum { ANGLE_SLACK = 10, POSITION_BITS = 53 + 53 };

typedef struct frequency {
  mpfr_t value;
  bool known;
} frequency;

typedef struct level {
  frequency *w; /* n of them, each computed when first needed; NULL while the level is unused */
  mpfr_t angle, sine, cosine;
} level;

struct mpfr_reference {
  posenc_spec spec; /* with frequencies of its own */
  int64_t n;
  double *freqs, *freqs_low;
  const format *format;
  mpfr_t position;  /* times the scale */
  bool minus_zero;  /* the position, before it is scaled, is -0.0 */
  mpfr_t low, high; /* scratch: the ends of an error interval */
  mpfr_t whole;     /* scratch: a value in units of its last place */
  level levels[LEVELS];
  int highest;
  int64_t widened;
};

mpfr_reference *reference_create(const posenc_spec *spec) {
  mpfr_reference *t = must_calloc(1, sizeof *t);
  t->spec = *spec;
  t->n = spec_count(spec);
  t->format = format_of(spec->dtype);
  if (spec->freqs) {
    t->freqs = must_calloc(t->n, sizeof *t->freqs);
    memcpy(t->freqs, spec->freqs, (size_t)t->n * sizeof *t->freqs);
  }
  if (spec->freqs_low) {
    t->freqs_low = must_calloc(t->n, sizeof *t->freqs_low);
    memcpy(t->freqs_low, spec->freqs_low, (size_t)t->n * sizeof *t->freqs_low);
  }
  t->spec.freqs = t->freqs;
  t->spec.freqs_low = t->freqs_low;
  mpfr_init2(t->position, POSITION_BITS);
  mpfr_inits2(FIRST_BITS, t->low, t->high, t->whole, (mpfr_ptr)NULL);
  return t;
}

void reference_destroy(mpfr_reference *t) {
  if (!t)
    return;
  for (int i = 0; i < LEVELS; i++) {
    level *l = &t->levels[i];
    if (!l->w)
      continue;
    for (int64_t k = 0; k < t->n; k++)
      if (l->w[k].known)
        mpfr_clear(l->w[k].value);
    free(l->w);
    mpfr_clears(l->angle, l->sine, l->cosine, (mpfr_ptr)NULL);
  }
  mpfr_clears(t->position, t->low, t->high, t->whole, (mpfr_ptr)NULL);
  free(t->freqs);
  free(t->freqs_low);
  free(t);
}

long reference_precision(const mpfr_reference *t) { return (long)FIRST_BITS << t->highest; }

int64_t reference_widened(const mpfr_reference *t) { return t->widened; }

static level *level_at(mpfr_reference *t, int index) {
  if (index >= LEVELS)
    abort(); /* four million bits do not decide: a bug in this file */
  level *l = &t->levels[index];
  if (!l->w) {
    const mpfr_prec_t bits = (mpfr_prec_t)FIRST_BITS << index;
    l->w = must_calloc(t->n, sizeof *l->w);
    mpfr_init2(l->angle, bits + EXTRA_BITS);
    mpfr_inits2(bits, l->sine, l->cosine, (mpfr_ptr)NULL);
  }
  if (index > t->highest)
    t->highest = index;
  return l;
}

void reference_frequency(mpfr_t w, const posenc_spec *spec, int64_t k) {
  if (spec->freqs) {
    mpfr_set_d(w, spec->freqs[k], MPFR_RNDN);
    if (spec->freqs_low && spec->freqs_low[k] != 0) /* a frequency of -0.0 keeps its sign */
      mpfr_add_d(w, w, spec->freqs_low[k], MPFR_RNDN);
    return;
  }
  mpfr_t base;
  mpfr_init2(base, 53);
  mpfr_set_d(base, spec->base, MPFR_RNDN);
  mpfr_set_si(w, -(long)k, MPFR_RNDN);
  mpfr_div_d(w, w, spec_denominator(spec), MPFR_RNDN);
  mpfr_pow(w, base, w, MPFR_RNDN);
  mpfr_clear(base);
}

static mpfr_srcptr frequency_at(mpfr_reference *t, level *l, int64_t k) {
  frequency *f = &l->w[k];
  if (!f->known) {
    mpfr_init2(f->value, mpfr_get_prec(l->angle));
    reference_frequency(f->value, &t->spec, k);
    f->known = true;
  }
  return f->value;
}

/* The number nearest to v, rounded once, by whole units of its last place. */
static double nearest(mpfr_reference *t, const mpfr_t v, const format *f) {
  const int unit = format_unit(f, (int)mpfr_get_exp(v) - 1);
  mpfr_set_prec(t->whole, mpfr_get_prec(v));
  mpfr_mul_2si(t->whole, v, -unit, MPFR_RNDN);
  mpfr_rint(t->whole, t->whole, MPFR_RNDN);
  return ldexp(mpfr_get_d(t->whole, MPFR_RNDN), unit);
}

/* Does every real number closer to v than 2^(EXP(v) - bits) round to the same number? Below the normal range a format
 * keeps fewer digits. */
static bool rounding_is_certain(mpfr_reference *t, const mpfr_t v, mpfr_exp_t bits, const format *f) {
  if (bits < 2)
    return false;
  const mpfr_exp_t exponent = mpfr_get_exp(v);
  const mpfr_exp_t kept = exponent + f->lowest < f->digits ? exponent + f->lowest : f->digits;
  if (kept >= 2)
    return mpfr_can_round(v, bits, MPFR_RNDN, MPFR_RNDN, (mpfr_prec_t)kept);
  if (kept < -1)
    return true; /* less than a quarter of the smallest number: 0 */

  mpfr_set_prec(t->low, mpfr_get_prec(v)); /* fewer bits could widen the interval across a midpoint */
  mpfr_set_prec(t->high, mpfr_get_prec(v));
  mpfr_set_ui_2exp(t->high, 1, exponent - bits, MPFR_RNDU);
  mpfr_sub(t->low, v, t->high, MPFR_RNDD);
  mpfr_add(t->high, v, t->high, MPFR_RNDU);
  return nearest(t, t->low, f) == nearest(t, t->high, f);
}

/* The requested values: the nearest number of the dtype and, if with_double, the nearest double. */
typedef struct answer {
  reference_value value;
  bool with_double, done;
} answer;

/* Sets the answer and `done` if the rounding of v is certain. v is the computed sine or cosine of the level's angle. */
static void settle(mpfr_reference *t, const level *l, const mpfr_t v, answer *a) {
  if (a->done)
    return;
  t->widened += l == &t->levels[1]; /* the first level did not decide it */

  /* v is off by half a unit for its rounding, and by at most the error of the angle. Near a zero EXP(angle) is much
   * larger than EXP(v): this accounts for the cancellation. */
  const mpfr_exp_t by_rounding = mpfr_get_exp(v) - mpfr_get_prec(v) - 1;
  const mpfr_exp_t by_angle = mpfr_get_exp(l->angle) + ANGLE_SLACK - mpfr_get_prec(l->angle);
  const mpfr_exp_t sum = (by_rounding > by_angle ? by_rounding : by_angle) + 1;
  const mpfr_exp_t bits = mpfr_get_exp(v) - sum;

  const format *doubles = format_of(POSENC_DTYPE_F64);
  if (!rounding_is_certain(t, v, bits, t->format) || (a->with_double && !rounding_is_certain(t, v, bits, doubles)))
    return;
  a->value = (reference_value){.rounded = (float)nearest(t, v, t->format)};
  if (a->with_double) {
    a->value.y = nearest(t, v, doubles);
    mpfr_sub_d(t->whole, v, a->value.y, MPFR_RNDZ);
    a->value.low = mpfr_get_d(t->whole, MPFR_RNDZ);
  }
  a->done = true;
}

/* Only angle 0 has a rational sine and cosine. All other values are transcendental, so none is exactly a midpoint, and
 * the loop ends. */
static void settle_pair(mpfr_reference *t, int64_t k, answer *sine, answer *cosine) {
  for (int index = 0; !sine->done || !cosine->done; index++) {
    level *l = level_at(t, index);
    mpfr_mul(l->angle, frequency_at(t, l, k), t->position, MPFR_RNDN);
    if (mpfr_zero_p(l->angle)) {
      const bool negative = t->minus_zero && mpfr_signbit(l->angle);
      sine->value = (reference_value){.y = negative ? -0.0 : 0.0, .rounded = negative ? -0.0f : 0.0f};
      cosine->value = (reference_value){.y = 1, .rounded = 1};
      return;
    }
    mpfr_sin_cos(l->sine, l->cosine, l->angle, MPFR_RNDN);
    settle(t, l, l->sine, sine);
    settle(t, l, l->cosine, cosine);
  }
}

static void set_position(mpfr_reference *t, double position) {
  mpfr_set_d(t->position, position, MPFR_RNDN);
  mpfr_mul_d(t->position, t->position, spec_scale(&t->spec), MPFR_RNDN);
  t->minus_zero = position == 0 && signbit(position);
}

/* Writes the row of t->position into `values`, or if that is NULL only the nearest numbers into `floats`. */
static void settle_row(mpfr_reference *t, reference_value *values, float *floats) {
  for (int64_t k = 0; k < t->n; k++) {
    const int64_t d = t->spec.d_model,
                  at[2] = {column_of(&t->spec, (component){k, false}), column_of(&t->spec, (component){k, true})};
    answer pair[2] = {{.with_double = values, .done = at[0] >= d}, {.with_double = values, .done = at[1] >= d}};
    settle_pair(t, k, &pair[0], &pair[1]);
    for (int i = 0; i < 2; i++)
      if (at[i] < d && values)
        values[at[i]] = pair[i].value;
      else if (at[i] < d)
        floats[at[i]] = pair[i].value.rounded;
  }
  for (int64_t c = 2 * t->n; c < t->spec.d_model; c++) /* a column of zeros */
    if (values)
      values[c] = (reference_value){.y = 0};
    else
      floats[c] = 0;
}

void reference_row(mpfr_reference *t, double position, reference_value *row) {
  set_position(t, position);
  settle_row(t, row, NULL);
}

void reference_pair(mpfr_reference *t, double position, int64_t k, reference_value pair[2]) {
  answer sine = {.with_double = true}, cosine = sine;
  set_position(t, position);
  settle_pair(t, k, &sine, &cosine);
  pair[0] = sine.value;
  pair[1] = cosine.value;
}

void reference_row_floats(mpfr_reference *t, double position, float *row) {
  set_position(t, position);
  settle_row(t, NULL, row);
}
