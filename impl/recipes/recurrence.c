/* recurrence: angle addition from one row to the next in float32, re-anchored where the position is a multiple of 64.
 *
 *     sin(a + w) = sin a cos w + cos a sin w          cos(a + w) = cos a cos w - sin a sin w
 *
 * Four multiplications and two additions per pair instead of a sine and a cosine. Normalising the pair would repair
 * its length but never its phase, so the phase is taken afresh every ANCHOR rows, at *absolute* multiples:
 * a row then depends on its position alone, wherever a call starts (and posenc_fill_at walks from the anchor too).
 *
 * Drift law: after j = position mod 64 rotations from the anchor, their rounding has added at most 3.7 j u, u = 2^-24:
 * sqrt(5) u for a complex product in rounded arithmetic (Brent, Percival, Zimmermann, "Error bounds on complex
 * floating-point multiplication", 2007), sqrt(2) u for the rotation's own sine and cosine within 1 ULP; (1 + 3.7 u)^64
 * costs less than the rounding up. The anchor adds 1.5 u. Its angle and the j rotations add the recipe's angle error.
 */
#include "recipes/freqs.h"

#include <math.h>

enum { ANCHOR = 64 };

/* The rotations by one position. The plan's state: w, sin w and cos w of every frequency, one array after the other. */
typedef struct rotations {
  const float *w, *sin_w, *cos_w;
} rotations;

static rotations rotations_from(int64_t n, const void *state, int64_t k) {
  const float *w = (const float *)state + k;
  return (rotations){w, w + n, w + 2 * n};
}

/* Positions from the anchor at or below a position: position mod 64, also for negative ones. A position between two
 * integers is an anchor itself. */
static int64_t distance_from_anchor(double position) {
  return position == rint(position) ? (int64_t)position & (ANCHOR - 1) : 0;
}

static double bound(const posenc_angle *a, double units) {
  const double u = 0x1p-24, j = (double)distance_from_anchor(a->position);
  /* The anchor of a negative position lies up to 63 further from 0, and the rotations come back over them. */
  const double travelled = fabs(a->position) + 2.0 * j;
  return u * (1.5 * units + 3.7 * j) + travelled * fabs(a->w) * expm1((4.0 + a->scale_roundings + 2.0 * a->ln_w) * u);
}

static void prepare(const posenc_problem *problem, void *state) {
  float *w = state;
  const int64_t n = problem->n;
  posenc_freqs_explog(problem, w);
  for (int64_t k = 0; k < n; k++) {
    w[k] *= (float)problem->scale;
    w[n + k] = sinf(w[k]);
    w[2 * n + k] = cosf(w[k]);
  }
}

static void anchor(const rotations *rotation, double position, int64_t pairs, float *row) {
  for (int64_t k = 0; k < pairs; k++) {
    const float angle = (float)position * rotation->w[k];
    row[2 * k] = sinf(angle);
    row[2 * k + 1] = cosf(angle);
  }
}

/* row = the row before it, rotated by one position; both may be the same. */
static void rotate(const rotations *rotation, const float *before, int64_t pairs, float *row) {
  for (int64_t k = 0; k < pairs; k++) {
    const float sin_a = before[2 * k], cos_a = before[2 * k + 1];
    row[2 * k] = sin_a * rotation->cos_w[k] + cos_a * rotation->sin_w[k];
    row[2 * k + 1] = cos_a * rotation->cos_w[k] - sin_a * rotation->sin_w[k];
  }
}

static void rows(const posenc_problem *problem, const void *state, const posenc_rows *r, const posenc_place *to) {
  const rotations all = rotations_from(problem->n, state, r->k);
  for (int64_t i = 0; i < r->count; i++) {
    const double position = posenc_row_real(r, i);
    const int64_t j = distance_from_anchor(position);
    float *const row = posenc_floats_of(to, i);
    /* The row before is in the caller's table already. At real positions it may be the row of -0, not that of 0. */
    if (i > 0 && j > (r->reals ? 1 : 0) && posenc_row_real(r, i - 1) == position - 1.0) {
      rotate(&all, posenc_floats_of(to, i - 1), r->pairs, row);
    } else {
      anchor(&all, position - (double)j, r->pairs, row);
      for (int64_t left = j; left > 0; left--)
        rotate(&all, row, r->pairs, row);
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "recurrence",
    .info.arithmetic = "float32",
    .info.summary = "float32 angle addition: from row to row, re-anchored every 64 positions",
    .info.bound = "2^-24 (1.5 + 3.7 j + (|pos| + 2 j) |w| (4 + 2 |ln w|)), j = pos mod 64",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = bound,
    .bound_units = 1.0,
    .frequency_bytes = 3 * sizeof(float),
    .prepare = prepare,
    .rows = rows,
};
