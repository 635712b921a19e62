#include "rotation/turns.h"

#include "integer/fallback.h"

#include <math.h>

enum { LIMBS = 4 };

const char *posenc_turns_refuse(const posenc_spec *spec) {
  return spec->freqs || posenc_ladder_degree(spec) ? NULL
                                                   : "its ladder needs 2 * denominator to be a whole number up to 2^21";
}

/* turn, a frequency in turns, less the nearest integer. */
static void store(const turns *t, int64_t k, big *turn, double sign) {
  big one;
  if (!big_is_zero(turn, LIMBS) && turn->exponent < -202)
    big_from_double(turn, 0x1p-203, LIMBS);
  if (turn->exponent >= 0) { /* half a turn or more */
    big digits = *turn;
    double whole = turn->exponent > 48 ? INFINITY : floor(big_take_double(&digits, LIMBS));
    big_split(turn, turn, LIMBS);
    const int up = turn->exponent >= 0 && !big_is_zero(turn, LIMBS);
    t->whole[k] = sign * (up ? whole + 1.0 : whole);
    if (up) {
      big_from_double(&one, 1.0, LIMBS);
      big_sub(turn, &one, turn, LIMBS);
      sign = -sign;
    }
  }
  t->hi[k] = sign * big_take_double(turn, LIMBS);
  t->mid[k] = sign * big_take_double(turn, LIMBS);
}

/* The ladder by its definition: each frequency is the one before times base^(-2/D). 8 units of 2^-256 for the root and
 * 2 for the product, per step, 4 for the turn and the scale: below 2^-232 for the last of 2^19. */
void posenc_turns(const posenc_spec *spec, const turns *t) {
  big one_turn, root, scale, turn[2];
  const double sign = spec->position_scale < 0.0 ? -1.0 : 1.0;
  const int64_t n = posenc_n_freqs(spec);
  big_two_over_pi(&one_turn, LIMBS); /* of w = 1: 1/(2pi) = (2/pi) / 4 */
  one_turn.exponent -= 2;
  big_from_double(&scale, spec->position_scale, LIMBS);
  big_mul(&one_turn, &one_turn, &scale, LIMBS);
  if (spec->freqs) {
    for (int64_t k = 0; k < n; k++) {
      big_from_double(&turn[0], spec->freqs[k], LIMBS);
      big_mul(&turn[0], &turn[0], &one_turn, LIMBS);
      store(t, k, &turn[0], signbit(spec->freqs[k]) ? -sign : sign);
    }
    return;
  }
  posenc_ladder_root(&root, spec->base, posenc_ladder_degree(spec), LIMBS);
  turn[0] = one_turn;
  for (int64_t k = 0; k < n; k++) {
    big_mul(&turn[(k + 1) % 2], &turn[k % 2], &root, LIMBS);
    store(t, k, &turn[k % 2], sign);
  }
}

/* One rounding of a value below 1, and what float64 is off before it. */
double posenc_bound_turns(const posenc_angle *angle, double units) { return angle->rounding + units * 0x1p-53; }
