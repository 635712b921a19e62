/* What a plan of exact or anchored keeps: frequencies in turns, and rotations. */
#include "angle_addition/frequencies.h"

#include "angle_addition/budget.inc"
#include "multiprecision/ladder.h"

#include <math.h>
#include <string.h>

enum { LIMBS = BIG_LADDER_LIMBS, MORE_LIMBS = 8 /* where whole turns may be subtracted */ };

/* Replaces x by its distance from the nearest integer. Returns 1 if that integer is above x, else 0. */
static int take_distance(big *x, int n) {
  big one;
  if (x->exponent >= 0)
    big_split(x, x, n); /* the integer below */
  if (x->exponent < 0 || big_is_zero(x, n))
    return 0;
  big_from_double(&one, 1.0, n);
  big_sub(x, &one, x, n);
  return 1;
}

/* The number is *sign * x. Subtracts its nearest integer from it, and returns the integer, or NaN from 2^48 on. */
static double remove_integer(big *x, double *sign, int n) {
  if (x->exponent < 0)
    return 0.0; /* not -0.0 */
  big digits = *x;
  const int is_lost = x->exponent > 48;
  const double below = floor(big_take_double(&digits, n));
  const int is_above = take_distance(x, n);
  const double integer = is_lost ? NAN : *sign * (below + is_above);
  if (is_above)
    *sign = -*sign;
  return integer;
}

/* What is done with frequency k: its absolute value in turns, which may be overwritten, and its sign. */
typedef void use_frequency(void *to, int64_t k, big *turn, double sign, int n);

static void store_frequency(void *to, int64_t k, big *turn, double sign, int n) {
  const frequencies *const f = to;
  const int is_zero = big_is_zero(turn, n);
  f->removed_turns[k] = remove_integer(turn, &sign, n);
  if (!is_zero && (big_is_zero(turn, n) || turn->exponent <= ilogb(TINY_REPLACEMENT))) /* turn < TINY_REPLACEMENT */
    big_from_double(turn, TINY_REPLACEMENT, n);
  f->hi[k] = sign * big_take_double(turn, n);
  f->lo[k] = sign * big_take_double(turn, n);
}

/* A ladder is computed by its definition: each frequency is the one before times the ladder's ratio. */
static void each_frequency(const posenc_problem *problem, int n, use_frequency *use, void *to) {
  big one_turn, ratio, scale, turn[2];
  const double sign = problem->scale < 0.0 ? -1.0 : 1.0;
  const int64_t count = problem->n;
  big_two_over_pi(&one_turn, n); /* of w = 1: 1/(2pi) = (2/pi) / 4 */
  one_turn.exponent -= 2;
  big_from_double(&scale, problem->scale, n);
  big_mul(&one_turn, &one_turn, &scale, n);
  if (problem->freqs) {
    for (int64_t k = 0; k < count; k++) {
      posenc_explicit_frequency(&turn[0], problem, k, n);
      big_mul(&turn[0], &turn[0], &one_turn, n);
      use(to, k, &turn[0], signbit(problem->freqs[k]) ? -sign : sign, n);
    }
    return;
  }
  posenc_ladder_ratio(&ratio, problem, n);
  turn[0] = one_turn;
  for (int64_t k = 0; k < count; k++) {
    big_mul(&turn[(k + 1) % 2], &turn[k % 2], &ratio, n);
    use(to, k, &turn[k % 2], sign, n);
  }
}

/* What the error of each_frequency() adds to the 2^-105 that cutting to hi and lo may lose must be negligible.
 *
 * No whole turns are subtracted from a ladder that does not rise, up to scale 3: its frequencies are below half a turn.
 * 3 limbs suffice there if 2 * denominator is a whole number. Frequency k is off by 10 k units of 2^-192, 8 k for the
 * ratio (ladder.c) and 2 k for the products, and 4 for the turn and the scale: below 2^-168 for the last of 2^19, which
 * is 2^-63 of 2^-105. (2 limbs would be off by as much as 2^-105.) Any other denominator needs 4 limbs: less than
 * 2^70 units of 2^-256, 2^-186.
 *
 * Elsewhere whole turns are subtracted, up to 2^94, which cancels leading bits. 8 limbs suffice. What is left is 2^-203
 * of a turn at least, or replaced by that. The error, in units of 2^-512 of the frequency, is
 *   9            explicit frequencies
 *   10 k + 4     the ladder. This is 2^-394 of a turn, and 2^-191 of what is left
 *   2^71         the ladder, if 2 * denominator is not a whole number: 2^-347 of a turn, 2^-144 of what is left */
static void set_frequencies(const posenc_problem *problem, frequencies *f) {
  const int many_turns = problem->freqs || problem->base < 1.0 || fabs(problem->scale) > 3.0;
  each_frequency(problem,
      many_turns                      ? MORE_LIMBS
      : posenc_ladder_degree(problem) ? LIMBS
                                      : LIMBS + 1,
      store_frequency, f);
}

/* Without the nearest whole turns, at most half a turn is left: 2^63 units of 2^-64. A negative fraction borrows a
 * turn. */
static void store_phase(void *to, int64_t k, big *turn, double sign, int n) {
  const posenc_phases *const phases = to;
  const double turns = remove_integer(turn, &sign, n);
  turn->exponent += 64; /* in units */
  const uint64_t below = turn->exponent > 0 ? turn->limb[n - 1] >> (64 - turn->exponent) : 0;
  const int is_above = take_distance(turn, n);
  const uint64_t units = below + (uint64_t)is_above;
  turn->exponent -= 64;
  phases->whole[k] = sign < 0.0 && units > 0 ? turns - 1.0 : turns;
  phases->fraction[k] = sign < 0.0 ? -units : units;
  phases->rest[k] = (is_above ? -sign : sign) * big_nearest(turn, POSENC_DTYPE_F64, n);
}

void posenc_compute_phases(const posenc_problem *problem, const posenc_phases *phases) {
  posenc_phases to = *phases;
  each_frequency(problem, MORE_LIMBS, store_phase, &to);
}

/* `frequencies`, three arrays of `padded` float64, the rotations of whole half strips: each begins at a cache line. */
enum { HEAD_BYTES = 64 };
_Static_assert(sizeof(frequencies) <= HEAD_BYTES, "`frequencies` fits one cache line");
static int64_t padded(const posenc_problem *problem) { return posenc_padded(problem->n) + HALF_STRIP; }

size_t posenc_frequencies_bytes(const posenc_problem *problem, int keeps_rotations) {
  const int64_t rotations = keeps_rotations ? posenc_padded(problem->n) / HALF_STRIP * NEXT_HALF : 0;
  return HEAD_BYTES + (size_t)(3 * padded(problem) + rotations) * sizeof(double);
}

frequencies *posenc_set_frequencies(const posenc_problem *problem, int keeps_rotations, void *state) {
  frequencies *const f = state;
  const int64_t each = padded(problem);
  double *const hi = (double *)((char *)state + HEAD_BYTES);
  *f = (frequencies){.problem = problem, .n = problem->n, .hi = hi, .lo = hi + each, .removed_turns = hi + 2 * each};
  f->rotations = keeps_rotations ? hi + 3 * each : NULL;
  memset(hi, 0, (size_t)(3 * each) * sizeof *hi);
  set_frequencies(problem, f);
  for (int64_t k = 0; k < f->n; k++) {
    f->has_turns |= f->removed_turns[k] != 0.0;
    f->has_lost_turns |= isnan(f->removed_turns[k]);
  }
  return f;
}

/* One rounding of a value below 1, and the error of float64 before it. */
double posenc_bound_sum(const posenc_angle *angle, double units) { return angle->half_ulp + units * 0x1p-53; }
