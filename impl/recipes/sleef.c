/* sleef_*: the explog recipe with SLEEF's vector sincosf: the same float32 frequencies, the same float32 angle, so the
 * same error at late positions, with vectors of sines.
 *
 * SLEEF's u10 function is within 1.0 ULP, and the u35 function of sleef_u35.c within 3.5
 * (https://sleef.org/2-references/libm/). Both reduce the angle themselves, over the whole float32 range. The frequencies
 * are padded with zeros to whole vectors, so the last vector of a row is computed like any other and only its store is
 * cut.
 */
#include "recipes/freqs.h"
#include "simd/simd.h"

#include <sleef.h>

#ifndef FAMILY
#define FAMILY "sleef"
#define VERSION u10
#define ULP 1
#endif

#if POSENC_SIMD == POSENC_SIMD_avx512
#define SINCOS POSENC_CAT(POSENC_CAT(Sleef_sincosf16_, VERSION), avx512f)
typedef Sleef___m512_2 sincos_pair;
#elif POSENC_SIMD == POSENC_SIMD_avx2
#define SINCOS POSENC_CAT(POSENC_CAT(Sleef_sincosf8_, VERSION), avx2)
typedef Sleef___m256_2 sincos_pair;
#elif POSENC_SIMD == POSENC_SIMD_neon
#define SINCOS POSENC_CAT(POSENC_CAT(Sleef_sincosf4_, VERSION), advsimd)
typedef Sleef_float32x4_t_2 sincos_pair;
#endif

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const float *w = state;
  const vf scale = vf_set1((float)spec->position_scale);
  for (int64_t i = 0; i < r->count; i++) {
    const vf position = vf_set1((float)posenc_row_real(r, i));
    float *row = (float *)out + i * stride;
    for (int64_t c = r->from; c < r->to; c += 2 * VF_LANES) {
      const sincos_pair p = SINCOS(vf_mul(vf_mul(position, vf_load(w + c / 2)), scale));
      vf_store_pairs(row + (c - r->from), p.x, p.y, r->to - c);
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = FAMILY,
    .info.arithmetic = "float32 SLEEF",
    .info.summary = "explog frequencies, SLEEF sincosf " POSENC_STR(VERSION),
    .info.bound = "2^-24 (" POSENC_STR(ULP) " + |pos w| (4 + 2 |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = posenc_bound_explog,
    .ulp = ULP,
    .state_bytes = sizeof(float),
    .prepare = posenc_freqs_explog,
    .rows = rows,
};
