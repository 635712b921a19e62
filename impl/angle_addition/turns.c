#include "angle_addition/turns.h"

#include "multiprecision/fallback.h"

#include <math.h>

enum { LIMBS = BIG_LADDER_LIMBS, MORE_LIMBS = 8 /* where whole turns may be subtracted */ };

const char *posenc_turns_refuse(const posenc_spec *spec) {
  return spec->freqs || posenc_ladder_degree(spec) ? NULL
                                                   : "its ladder needs 2 * denominator to be a whole number up to 2^21";
}

/* turn, a frequency in turns, less the nearest integer. */
static void store(const turns *t, int64_t k, big *turn, double sign, int n) {
  const int is_zero = big_is_zero(turn, n);
  big one;
  if (turn->exponent >= 0) { /* half a turn or more */
    big digits = *turn;
    double whole = turn->exponent > 48 ? INFINITY : floor(big_take_double(&digits, n));
    big_split(turn, turn, n);
    const int up = turn->exponent >= 0 && !big_is_zero(turn, n);
    t->whole[k] = sign * (up ? whole + 1.0 : whole);
    if (up) {
      big_from_double(&one, 1.0, n);
      big_sub(turn, &one, turn, n);
      sign = -sign;
    }
  }
  if (!is_zero && (big_is_zero(turn, n) || turn->exponent < -202))
    big_from_double(turn, 0x1p-203, n);
  t->hi[k] = sign * big_take_double(turn, n);
  t->mid[k] = sign * big_take_double(turn, n);
}

/* The ladder by its definition: each frequency is the one before times base^(-2/D). 8 units of 2^-64n for the root and
 * 2 for the product, per step, 4 for the turn and the scale, 5 for an explicit frequency: below 2^-168, or 2^-488 with
 * more limbs, for the last of 2^19. Cut to hi and mid, 2^-105 of it may be missing, all that is promised: what the ladder
 * is off by must be nothing beside that. With 3 limbs it is 2^-63 of it; with 2 it would be as much again.
 *
 * Subtracting whole turns cancels leading bits. There are up to 2^94 turns, off by 2^-394 of one with 8 limbs; what is
 * left is 2^-203 of a turn at least, or replaced. So it is off by 2^-191 of it, whatever the digits of the frequency.
 * Up to scale 3 the frequencies of a ladder that does not rise are below half a turn, and nothing is subtracted. */
void posenc_turns(const posenc_spec *spec, const turns *t) {
  big one_turn, root, scale, turn[2];
  const double sign = spec->position_scale < 0.0 ? -1.0 : 1.0;
  const int64_t count = posenc_n_freqs(spec);
  const int n = spec->freqs || spec->base < 1.0 || fabs(spec->position_scale) > 3.0 ? MORE_LIMBS : LIMBS;
  big_two_over_pi(&one_turn, n); /* of w = 1: 1/(2pi) = (2/pi) / 4 */
  one_turn.exponent -= 2;
  big_from_double(&scale, spec->position_scale, n);
  big_mul(&one_turn, &one_turn, &scale, n);
  if (spec->freqs) {
    for (int64_t k = 0; k < count; k++) {
      posenc_explicit(&turn[0], spec, k, n);
      big_mul(&turn[0], &turn[0], &one_turn, n);
      store(t, k, &turn[0], signbit(spec->freqs[k]) ? -sign : sign, n);
    }
    return;
  }
  posenc_ladder_root(&root, spec->base, posenc_ladder_degree(spec), n);
  turn[0] = one_turn;
  for (int64_t k = 0; k < count; k++) {
    big_mul(&turn[(k + 1) % 2], &turn[k % 2], &root, n);
    store(t, k, &turn[k % 2], sign, n);
  }
}

/* One rounding of a value below 1, and what float64 is off before it. */
double posenc_bound_turns(const posenc_angle *angle, double units) { return angle->rounding + units * 0x1p-53; }
