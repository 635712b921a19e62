/* sleef_f64_*: the float64 formula with SLEEF's double sincos (1.0 ULP), rounded to float32 once on store. As accurate
 * as `float64`, in vectors.
 */
#include "recipes/freqs.h"
#include "simd/simd.h"

#include <sleef.h>

#if POSENC_SIMD == POSENC_SIMD_avx512
#define SINCOS Sleef_sincosd8_u10avx512f
typedef Sleef___m512d_2 sincos_pair;
#elif POSENC_SIMD == POSENC_SIMD_avx2
#define SINCOS Sleef_sincosd4_u10avx2
typedef Sleef___m256d_2 sincos_pair;
#elif POSENC_SIMD == POSENC_SIMD_neon
#define SINCOS Sleef_sincosd2_u10advsimd
typedef Sleef_float64x2_t_2 sincos_pair;
#endif

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const double *w = state;
  const vd scale = vd_set1(spec->position_scale);
  for (int64_t i = 0; i < r->count; i++) {
    const vd position = vd_set1(posenc_row_real(r, i));
    float *row = (float *)out + i * stride;
    for (int64_t c = r->from; c < r->to; c += 2 * VD_LANES) {
      const sincos_pair p = SINCOS(vd_mul(vd_mul(position, vd_load(w + c / 2)), scale));
      vd_store_pairs(row + (c - r->from), p.x, p.y, r->to - c);
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = "sleef_f64",
    .info.arithmetic = "float64 SLEEF",
    .info.summary = "float64 frequencies, SLEEF sincos u10, rounded once",
    .info.bound = "2^-25 + 2^-53 (1 + |pos w| (3 + |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = posenc_bound_f64,
    .ulp = 1.0,
    .state_bytes = sizeof(double),
    .prepare = posenc_freqs_f64,
    .rows = rows,
};
