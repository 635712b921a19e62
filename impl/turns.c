#include "turns.h"

#include "redo.h"

#include <math.h>

enum { LIMBS = 4 };

const char *posenc_turns_refuse(const posenc_spec *spec)
{
  return spec->freqs || posenc_ladder_degree(spec) ? NULL : "its ladder needs 2 * denominator to be a whole number up to 2^21";
}

static void store(const turns *t, int64_t k, big *w, double sign)
{
  big one_turn, one;
  big_two_over_pi(&one_turn, LIMBS); /* 1/(2pi) = (2/pi) / 4 */
  one_turn.exponent -= 2;
  if (!big_is_zero(w, LIMBS) && w->exponent < -199)
    big_from_double(w, 0x1p-200, LIMBS);
  big_mul(w, w, &one_turn, LIMBS);
  if (w->exponent >= 0) { /* half a turn or more: the nearest integer goes */
    big_split(w, w, LIMBS);
    if (w->exponent >= 0 && !big_is_zero(w, LIMBS)) {
      big_from_double(&one, 1.0, LIMBS);
      big_sub(w, &one, w, LIMBS);
      sign = -sign;
    }
  }
  t->hi[k] = sign * big_take_double(w, LIMBS);
  t->mid[k] = sign * big_take_double(w, LIMBS);
}

/* The ladder by its definition: each frequency is the one before times base^(-2/D). 8 units of 2^-256 for the root and 2
 * for the product, per step: below 2^-232 for the last of 2^19. */
void posenc_turns(const posenc_spec *spec, const turns *t)
{
  big w, root, copy;
  const int64_t n = posenc_n_freqs(spec->d_model);
  if (!spec->freqs) {
    posenc_ladder_root(&root, spec->base, posenc_ladder_degree(spec), LIMBS);
    big_from_double(&w, 1.0, LIMBS);
  }
  for (int64_t k = 0; k < n; k++) {
    if (spec->freqs)
      big_from_double(&w, spec->freqs[k], LIMBS);
    copy = w;
    store(t, k, &copy, spec->freqs && spec->freqs[k] < 0.0 ? -1.0 : 1.0);
    if (!spec->freqs)
      big_mul(&w, &w, &root, LIMBS);
  }
}

/* One rounding to float32 of a value below 1, and what float64 is off before it. */
double posenc_bound_turns(const posenc_angle *angle, double units)
{
  (void)angle;
  return 0x1p-25 + units * 0x1p-53;
}
