/* The inner loop: a tile of 8 frequencies, a line of 64 bytes, in 8 rows of a run: 4 ahead of the anchor, 4 behind it.
 *
 * Sine and cosine of the anchor stay in registers while steps b .. b+3 go by; each step serves the row ahead and the
 * one behind, as the first products are the same:
 *
 *     (sin, cos)(anchor +- step) = (sin a, cos a) cos s +- (cos a, -sin a) sin s
 *
 * Sines and cosines lie in memory so that a conversion to float32 gives columns as they stand in the table, with as few
 * shuffles as the instruction set allows (`pairs` in simd/simd.h). One rounding test is accumulated for all of a tile.
 */
#ifndef POSENC_TILE_H
#define POSENC_TILE_H

#include "angle_addition/steps.h"
#include "angle_addition/ziv.h"

enum { ROWS = 4 /* each way */, LINE_FLOATS = 2 * GROUP, EACH = 2 * VD_LANES /* floats of a vector */ };
enum { PER_LINE = LINE_FLOATS / EACH /* vectors */ };

#define LINE __attribute__((aligned(64)))

/* What tiles side by side are made of: the pairs (sine, cosine) and (cosine, -sine) at the anchor, as vectors of
 * floats have their columns; which pairs are exempt from part of the test (angle_addition/ziv.h); the pairs of steps b .. b+3. */
typedef struct factors {
  const double *sines, *cosines, *steps[ROWS];
  const vx *exempt;
} factors;

/* Where their columns of the rows ahead of the anchor by these steps, and behind it, go. Split, the second of each pair
 * goes as far behind the first. */
typedef struct tile_rows {
  float *ahead[ROWS], *behind[ROWS];
  int64_t second;
} tile_rows;

FLAT void store_vector(float *to, vp packed, int streamed) {
  if (streamed)
    vp_stream(to, packed);
  else
    vp_store(to, packed);
}

/* The tile whose first column is `at`; the factors of column i are i + gap. Returns whether the rounding test failed; at_0:
 * the last row behind is at position 0, whose sines would always fail it. */
FLAT int write_tile(const factors *f, int gap, const tile_rows *to, int at, int streamed, int at_0) {
  rounding_test test = test_none();
#pragma GCC unroll 1
  for (int i = at; i < at + LINE_FLOATS; i += EACH) {
    const vx exempt = f->exempt[i / EACH];
    const double *const sines = f->sines + gap + i, *const cosines = f->cosines + gap + i;
    const vd sine_i = vd_load(sines), sine_j = vd_load(sines + VD_LANES); /* halves of a vector of floats */
    const vd cosine_i = vd_load(cosines), cosine_j = vd_load(cosines + VD_LANES);
#pragma GCC unroll 8
    for (int b = 0; b < ROWS; b++) {
      const double *const step = f->steps[b] + gap + i;
      const vd s_i = sine_of(step, 0), s_j = sine_of(step, 1);
      const vd p_i = vd_mul(sine_i, cosine_of(step, 0)), p_j = vd_mul(sine_j, cosine_of(step, 1));
      const vd y_i = vd_fma(cosine_i, s_i, p_i), y_j = vd_fma(cosine_j, s_j, p_j);
      const vd z_i = vd_fnma(cosine_i, s_i, p_i), z_j = vd_fnma(cosine_j, s_j, p_j);
      const vp ahead = vp_join(y_i, y_j), behind = vp_join(z_i, z_j);
      if (EXACT) {
        test_pairs(&test, y_i, y_j, ahead, exempt);
        if (!at_0 || b < ROWS - 1)
          test_pairs(&test, z_i, z_j, behind, exempt);
      }
      store_vector(to->ahead[b] + i, ahead, streamed);
      store_vector(to->behind[b] + i, behind, streamed);
    }
  }
  return EXACT && test_failed(&test);
}

/* The same for two tiles whose columns are split: a line of the first ones of pairs, and one of the second. As many lines
 * of 8 rows would be too many that are begun and not whole: streamed, vectors less than a line go to 4 rows at a time. */
FLAT int write_split(const factors *f, int gap, const tile_rows *to, int at, int streamed, int at_0) {
  const int passes = streamed && PER_LINE > 1 ? 2 : 1, each_way = ROWS / passes;
  rounding_test test = test_none();
  for (int pass = 0; pass < passes; pass++)
#pragma GCC unroll 1
    for (int v = 0; v < PER_LINE; v++) {
      const int i = at + 2 * v * EACH;
      const vx exempt = vx_firsts(f->exempt[i / EACH], f->exempt[i / EACH + 1]);
      vd sines[4], cosines[4];
#pragma GCC unroll 4
      for (int q = 0; q < 4; q++) {
        sines[q] = vd_load(f->sines + gap + i + q * VD_LANES);
        cosines[q] = vd_load(f->cosines + gap + i + q * VD_LANES);
      }
#pragma GCC unroll 4
      for (int j = 0; j < each_way; j++) {
        const int b = pass * each_way + j;
        vd y[4], z[4];
#pragma GCC unroll 4
        for (int q = 0; q < 4; q++) {
          const double *const step = f->steps[b] + gap + i + q / 2 * EACH;
          const vd s = sine_of(step, q % 2), p = vd_mul(sines[q], cosine_of(step, q % 2));
          y[q] = vd_fma(cosines[q], s, p);
          z[q] = vd_fnma(cosines[q], s, p);
        }
        const vp ahead_1 = vp_firsts(y[0], y[1], y[2], y[3]), ahead_2 = vp_seconds(y[0], y[1], y[2], y[3]),
                 behind_1 = vp_firsts(z[0], z[1], z[2], z[3]), behind_2 = vp_seconds(z[0], z[1], z[2], z[3]);
        if (EXACT) {
          test_pairs(&test, y[0], y[1], ahead_1, exempt);
          test_pairs(&test, y[2], y[3], ahead_2, exempt);
        }
        if (EXACT && (!at_0 || b < ROWS - 1)) {
          test_pairs(&test, z[0], z[1], behind_1, exempt);
          test_pairs(&test, z[2], z[3], behind_2, exempt);
        }
        float *const ahead = to->ahead[b] + i / 2, *const behind = to->behind[b] + i / 2;
        store_vector(ahead, ahead_1, streamed);
        store_vector(ahead + to->second, ahead_2, streamed);
        store_vector(behind, behind_1, streamed);
        store_vector(behind + to->second, behind_2, streamed);
      }
    }
  return EXACT && test_failed(&test);
}

/* After a test that failed: the values again, vector by vector, and those that are not certain anew from their
 * positions. The tile is of frequencies from k; ahead and behind are the positions of the rows by the first of these steps. */
__attribute__((noinline, unused)) static void recheck_tile(const posenc_spec *spec, const turns *t, int64_t k,
    const factors *f, int64_t ahead, int64_t behind, const tile_rows *to, int cosines_first) {
  const vd error = vd_set1(POSENC_BUDGET_ERROR * 0x1p-53);
  for (int i = 0; i < LINE_FLOATS; i += EACH)
    for (int b = 0; b < ROWS; b++) {
      const double *const step = f->steps[b] + i;
      const vd s_i = sine_of(step, 0), s_j = sine_of(step, 1);
      const vd cosine_i = vd_load(f->cosines + i), cosine_j = vd_load(f->cosines + i + VD_LANES);
      const vd p_i = vd_mul(vd_load(f->sines + i), cosine_of(step, 0)),
               p_j = vd_mul(vd_load(f->sines + i + VD_LANES), cosine_of(step, 1));
      const vd y[2][2] = {{vd_fma(cosine_i, s_i, p_i), vd_fma(cosine_j, s_j, p_j)},
          {vd_fnma(cosine_i, s_i, p_i), vd_fnma(cosine_j, s_j, p_j)}};
      for (int row = 0; row < 2; row++) {
        const int64_t position = row ? behind - b : ahead + b;
        const vp low = vp_join(vd_sub(y[row][0], error), vd_sub(y[row][1], error)),
                 high = vp_join(vd_add(y[row][0], error), vd_add(y[row][1], error));
        if (vp_equal(low, high) || position == 0) /* nearly always, so that nothing is guessed wrongly */
          continue;
        rounding_test test = test_none();
        test_pairs(&test, y[row][0], y[row][1], vp_join(y[row][0], y[row][1]), f->exempt[i / EACH]);
        if (!test_failed(&test))
          continue;
        float *const out = row ? to->behind[b] : to->ahead[b];
        float pairs[EACH];
        resolve(spec, t, (double)position, k + i / 2, pairs);
        for (int c = 0; c < EACH; c++)
          out[to->second ? (i + c) / 2 + c % 2 * to->second : i + c] = pairs[c ^ cosines_first];
      }
    }
}

#endif
