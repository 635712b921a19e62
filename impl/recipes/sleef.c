/* sleef_*: the explog recipe with SLEEF's vector sincosf: the same float32 frequencies, the same float32 angle, so the
 * same error at late positions, with vectors of sines.
 *
 * SLEEF's u10 function is within 1.0 ULP, and the u35 function of sleef_u35.c within 3.5
 * (https://sleef.org/2-references/libm/). Both reduce the angle themselves, over the whole float32 range. The
 * frequencies are padded with zeros to whole vectors, so the last vector of a row is computed like any other and only
 * its store is cut.
 */
#include "recipes/freqs.h"
#include "simd/simd.h"

#include <sleef.h>

#ifndef FAMILY
#define FAMILY "sleef"
#define VERSION u10
#define ULP 1
#endif

/* SLEEF's function for each instruction set, such as Sleef_sincosf8_u10avx2, and the pair of vectors it returns. */
#define PREFIX_avx512 Sleef_sincosf16_
#define PREFIX_avx2 Sleef_sincosf8_
#define PREFIX_neon Sleef_sincosf4_
#define SUFFIX_avx512 avx512f
#define SUFFIX_avx2 avx2
#define SUFFIX_neon advsimd
#define OF_SET(name) POSENC_CAT(name, POSENC_ISA)
#define SINCOS POSENC_CAT(POSENC_CAT(OF_SET(PREFIX_), VERSION), OF_SET(SUFFIX_))
#define PAIR_avx512 Sleef___m512_2
#define PAIR_avx2 Sleef___m256_2
#define PAIR_neon Sleef_float32x4_t_2
typedef OF_SET(PAIR_) sincos_pair;

static void rows(const posenc_problem *problem, const void *state, const posenc_rows *r, const posenc_place *to) {
  const float *w = state;
  const vf scale = vf_set1((float)problem->scale);
  for (int64_t i = 0; i < r->count; i++) {
    const vf position = vf_set1((float)posenc_row_real(r, i));
    float *const row = posenc_floats_of(to, i);
    for (int64_t j = 0; j < r->pairs; j += VF_LANES) {
      const sincos_pair p = SINCOS(vf_mul(vf_mul(position, vf_load(w + r->k + j)), scale));
      vf_store_pairs(row + 2 * j, p.x, p.y, 2 * (r->pairs - j));
    }
  }
}

const posenc_kernel POSENC_THIS = {
    POSENC_ROW,
    .info.family = FAMILY,
    .info.arithmetic = "float32 SLEEF",
    .info.summary = "explog by SLEEF " POSENC_STR(VERSION) ": explog frequencies, vector sincosf",
    .info.bound = "2^-24 (" POSENC_STR(ULP) " + |pos w| (4 + 2 |ln w|))",
    .info.evidence = "upstream",
    .info.dtypes = "float32",
    .bound = posenc_bound_explog,
    .bound_units = ULP,
    .frequency_bytes = sizeof(float),
    .prepare = posenc_freqs_explog,
    .rows = rows,
};
