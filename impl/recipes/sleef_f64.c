/* sleef_f64_*: the float64 formula with SLEEF's double sincos (1.0 ULP), rounded to float32 once on store. As accurate
 * as `float64`, in vectors.
 */
#include "recipes/freqs.h"
#include "simd/simd.h"

#include <sleef.h>

/* SLEEF's function for each instruction set, and the pair of vectors that it returns. */
#define SINCOS_avx512 Sleef_sincosd8_u10avx512f
#define SINCOS_avx2 Sleef_sincosd4_u10avx2
#define SINCOS_neon Sleef_sincosd2_u10advsimd
#define SINCOS POSENC_CAT(SINCOS_, POSENC_ISA)
#define PAIR_avx512 Sleef___m512d_2
#define PAIR_avx2 Sleef___m256d_2
#define PAIR_neon Sleef_float64x2_t_2
typedef POSENC_CAT(PAIR_, POSENC_ISA) sincos_pair;

static void rows(const posenc_problem *problem, const void *state, const posenc_rows *r, const posenc_place *to) {
  const double *w = state;
  const vd scale = vd_set1(problem->scale);
  for (int64_t i = 0; i < r->count; i++) {
    const vd position = vd_set1(posenc_row_real(r, i));
    float *const row = posenc_floats_of(to, i);
    for (int64_t j = 0; j < r->pairs; j += VD_LANES) {
      const sincos_pair p = SINCOS(vd_mul(vd_mul(position, vd_load(w + r->k + j)), scale));
      vd_store_pairs(row + 2 * j, p.x, p.y, 2 * (r->pairs - j));
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "sleef_f64",
    .info.arithmetic = "float64 SLEEF",
    .info.summary = "float64 by SLEEF u10: float64 frequencies, vector sincos, rounded once",
    .info.bound = "2^-25 + 2^-53 (1 + |pos w| (3 + |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = posenc_bound_f64,
    .bound_units = 1.0,
    .frequency_bytes = sizeof(double),
    .prepare = posenc_freqs_f64,
    .rows = rows,
};
