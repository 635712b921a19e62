#include "truth.h"

#include <mpfr.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Level L works with FIRST_BITS << L bits. 64 settle all but one double in a thousand, in much less time than 128. The
 * hardest inputs of the domain need 2048 (an exact angle near 2^-1022 whose sine lies just below a rounding midpoint),
 * so the last level is out of reach. */
enum { FIRST_BITS = TRUTH_FIRST_BITS, LEVELS = 17 };

/* Frequencies and angles carry this many bits more, so that their errors vanish beside the rounding of the sine,
 * save near a zero of it, where they are all that counts. */
enum { EXTRA_BITS = 64 };

/* |computed angle - real angle| < 2^(EXP(angle) + ANGLE_SLACK - bits). Of P bits, with |t ln base| <= 1022 ln 2:
 *   t = -k/denominator, one rounding     relative 2^-P, so base^t is off by 709 * 2^-P
 *   base^t                               2^-P
 *   position * w                         2^-P           711 * 2^-P in all, with second-order terms below 2^(10-P)
 * An explicit frequency is exact, and so is its product with a position (53 + 63 bits, for which the first level's
 * angles have room): the bound is then generous. */
enum { ANGLE_SLACK = 10 };
_Static_assert(FIRST_BITS + EXTRA_BITS >= 53 + 63, "an explicit frequency's angle is exact on every level");

typedef struct frequency {
  mpfr_t value;
  bool known;
} frequency;

typedef struct level {
  frequency *w; /* n of them, each computed when first needed; NULL while the level is unused */
  mpfr_t angle, sine, cosine;
} level;

struct truth {
  int64_t d_model, n;
  double base, denominator;
  double *freqs;
  mpfr_t low, high; /* scratch: the ends of an error interval */
  level levels[LEVELS];
  int highest;
  int64_t widened;
};

truth *truth_create(const posenc_spec *spec)
{
  truth *t = must_calloc(1, sizeof *t);
  t->d_model = spec->d_model;
  t->n = (spec->d_model + 1) / 2;
  t->base = spec->base;
  t->denominator = spec->denominator > 0 ? spec->denominator : (double)spec->d_model / 2; /* exact: d_model is small */
  if (spec->freqs) {
    t->freqs = must_calloc(t->n, sizeof *t->freqs);
    memcpy(t->freqs, spec->freqs, (size_t)t->n * sizeof *t->freqs);
  }
  mpfr_inits2(FIRST_BITS, t->low, t->high, (mpfr_ptr)NULL);
  return t;
}

void truth_destroy(truth *t)
{
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
  mpfr_clears(t->low, t->high, (mpfr_ptr)NULL);
  free(t->freqs);
  free(t);
}

long truth_precision(const truth *t)
{
  return (long)FIRST_BITS << t->highest;
}

int64_t truth_widened(const truth *t)
{
  return t->widened;
}

static level *level_at(truth *t, int index)
{
  if (index >= LEVELS)
    abort(); /* four million bits undecided: an error of this file, not a hard case */
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

static mpfr_srcptr frequency_at(truth *t, level *l, int64_t k)
{
  frequency *f = &l->w[k];
  if (!f->known) {
    mpfr_init2(f->value, mpfr_get_prec(l->angle));
    if (t->freqs) {
      mpfr_set_d(f->value, t->freqs[k], MPFR_RNDN);
    } else {
      mpfr_t base;
      mpfr_init2(base, 53);
      mpfr_set_d(base, t->base, MPFR_RNDN);
      mpfr_set_si(f->value, -(long)k, MPFR_RNDN);
      mpfr_div_d(f->value, f->value, t->denominator, MPFR_RNDN);
      mpfr_pow(f->value, base, f->value, MPFR_RNDN);
      mpfr_clear(base);
    }
    f->known = true;
  }
  return f->value;
}

/* Does every real number closer to v than 2^(EXP(v) - bits) round to the same number of `digits` bits? Below the
 * normal range a type keeps fewer: lowest is the negated exponent of its smallest subnormal. */
static bool rounding_is_certain(truth *t, const mpfr_t v, mpfr_exp_t bits, int digits, int lowest)
{
  if (bits < 2)
    return false;
  const mpfr_exp_t exponent = mpfr_get_exp(v);
  const mpfr_exp_t kept = exponent + lowest < digits ? exponent + lowest : digits;
  if (kept >= 2)
    return mpfr_can_round(v, bits, MPFR_RNDN, MPFR_RNDN, (mpfr_prec_t)kept);

  mpfr_set_prec(t->low, mpfr_get_prec(v)); /* less would widen the interval over a midpoint that v has left behind */
  mpfr_set_prec(t->high, mpfr_get_prec(v));
  mpfr_set_ui_2exp(t->high, 1, exponent - bits, MPFR_RNDU);
  mpfr_sub(t->low, v, t->high, MPFR_RNDD);
  mpfr_add(t->high, v, t->high, MPFR_RNDU);
  if (digits == 24)
    return mpfr_get_flt(t->low, MPFR_RNDN) == mpfr_get_flt(t->high, MPFR_RNDN);
  return mpfr_get_d(t->low, MPFR_RNDN) == mpfr_get_d(t->high, MPFR_RNDN);
}

/* What is asked for: the nearest float, and perhaps the nearest double too. */
typedef struct answer {
  truth_value value;
  bool with_double, done;
} answer;

/* v is the sine or cosine of the level's angle, as computed. Answers once it is certain. */
static void settle(truth *t, const level *l, const mpfr_t v, answer *a)
{
  if (a->done)
    return;
  t->widened += l == &t->levels[1]; /* left over by the first level */

  /* The rounding of v is off by half a unit, and an error of the angle passes at most undiminished. Near a zero
   * EXP(angle) is the larger by far: that is the cancellation, counted. */
  const mpfr_exp_t by_rounding = mpfr_get_exp(v) - mpfr_get_prec(v) - 1;
  const mpfr_exp_t by_angle = mpfr_get_exp(l->angle) + ANGLE_SLACK - mpfr_get_prec(l->angle);
  const mpfr_exp_t sum = (by_rounding > by_angle ? by_rounding : by_angle) + 1;
  const mpfr_exp_t bits = mpfr_get_exp(v) - sum;

  if (!rounding_is_certain(t, v, bits, 24, 149) || (a->with_double && !rounding_is_certain(t, v, bits, 53, 1074)))
    return;
  a->value = (truth_value){.y = mpfr_get_d(v, MPFR_RNDN), .rounded = mpfr_get_flt(v, MPFR_RNDN), .unsure = 0};
  a->done = true;
}

/* Angle 0 is the one argument whose sine and cosine are rational; all others are transcendental, so they are never
 * exactly on a midpoint and the loop ends. */
static void settle_pair(truth *t, int64_t position, int64_t k, answer *sine, answer *cosine)
{
  for (int index = 0; !sine->done || !cosine->done; index++) {
    level *l = level_at(t, index);
    mpfr_mul_si(l->angle, frequency_at(t, l, k), (long)position, MPFR_RNDN);
    if (mpfr_zero_p(l->angle)) {
      sine->value = (truth_value){.y = 0, .rounded = 0, .unsure = 0};
      cosine->value = (truth_value){.y = 1, .rounded = 1, .unsure = 0};
      return;
    }
    mpfr_sin_cos(l->sine, l->cosine, l->angle, MPFR_RNDN);
    settle(t, l, l->sine, sine);
    settle(t, l, l->cosine, cosine);
  }
}

/* Into values, or, where that is NULL, the nearest floats alone. */
static void settle_row(truth *t, int64_t position, truth_value *values, float *floats)
{
  for (int64_t k = 0; k < t->n; k++) {
    const bool has_cosine = 2 * k + 1 < t->d_model;
    answer pair[2] = {{.with_double = values}, {.with_double = values, .done = !has_cosine}};
    settle_pair(t, position, k, &pair[0], &pair[1]);
    for (int i = 0; i <= has_cosine; i++)
      if (values)
        values[2 * k + i] = pair[i].value;
      else
        floats[2 * k + i] = pair[i].value.rounded;
  }
}

void truth_row(truth *t, int64_t position, truth_value *row)
{
  settle_row(t, position, row, NULL);
}

void truth_row_floats(truth *t, int64_t position, float *row)
{
  settle_row(t, position, NULL, row);
}
