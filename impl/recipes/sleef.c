/* sleef_*: the explog recipe with SLEEF's vector sincosf: the same float32 frequencies, the same float32 angle, so the
 * same error at late positions, with vectors of sines.
 *
 * VARIANT 10 is SLEEF's 1.0 ULP function, 35 its 3.5 ULP one (https://sleef.org/2-references/libm/). Both reduce the
 * angle themselves, over the whole float32 range. The frequencies are padded with zeros to whole vectors, so the last
 * vector of a row is computed like any other and only its store is cut.
 */
#include "recipes/freqs.h"
#include "simd/simd.h"

#include <sleef.h>

#if POSENC_SIMD == POSENC_SIMD_avx512
#define SINCOS(ulp) POSENC_CAT(POSENC_CAT(Sleef_sincosf16_u, ulp), avx512f)
typedef Sleef___m512_2 sincos_pair;
#elif POSENC_SIMD == POSENC_SIMD_avx2
#define SINCOS(ulp) POSENC_CAT(POSENC_CAT(Sleef_sincosf8_u, ulp), avx2)
typedef Sleef___m256_2 sincos_pair;
#elif POSENC_SIMD == POSENC_SIMD_neon
#define SINCOS(ulp) POSENC_CAT(POSENC_CAT(Sleef_sincosf4_u, ulp), advsimd)
typedef Sleef_float32x4_t_2 sincos_pair;
#endif

static void rows(const posenc_spec *spec, const void *state, const posenc_rows *r, void *out, int64_t stride) {
  const float *w = state;
  const vf scale = vf_set1((float)spec->position_scale);
  for (int64_t i = 0; i < r->count; i++) {
    const vf position = vf_set1((float)posenc_row_real(r, i));
    float *row = (float *)out + i * stride;
    for (int64_t c = r->from; c < r->to; c += 2 * VF_LANES) {
      const sincos_pair p = SINCOS(POSENC_VARIANT)(vf_mul(vf_mul(position, vf_load(w + c / 2)), scale));
      vf_store_pairs(row + (c - r->from), p.x, p.y, r->to - c);
    }
  }
}

#if POSENC_VARIANT == 10
#define LAW "2^-24 (1 + |pos w| (4 + 2 |ln w|))"
#elif POSENC_VARIANT == 35
#define LAW "2^-24 (3.5 + |pos w| (4 + 2 |ln w|))"
#endif
POSENC_KERNEL(POSENC_FLOAT32, "upstream", LAW, posenc_bound_explog, POSENC_VARIANT / 10.0, sizeof(float), 0, 0, NULL,
    posenc_freqs_explog, rows);
