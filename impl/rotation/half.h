/* float16 from the float32 of a run: rounded twice, which is wrong only where the float32 is the middle between two
 * float16, 1 in 8192. What is so near a middle is computed anew, from the position (rotation/dtypes.h).
 */
#ifndef POSENC_HALF_H
#define POSENC_HALF_H

#include "rotation/block.h"
#include "rotation/dtypes.h"

/* Of n columns from frequency k on, whose float32 are at `from`. */
__attribute__((noinline)) static void recheck_half(
    const posenc_spec *spec, const turns *t, int64_t k, int64_t position, const float *from, int64_t n, uint16_t *to) {
  for (int64_t i = 0; i < n; i++) {
    const float size = fabsf(from[i]);
    const int is_middle = (posenc_float_bits(size) & 0x1fff) == 0x1000 || (size >= 0x1p-25f && size < 0x1p-14f);
    const uint16_t half = is_middle
                              ? (uint16_t)(pair_of_16_bits(spec, t, k + i / 2, position, POSENC_F16) >> i % 2 * 16)
                              : posenc_f16_bits(rounded((double)from[i], POSENC_F16));
    memcpy(to + i, &half, sizeof half);
  }
}

/* Whole pairs, up to whole vectors of which may be read. */
FLAT void write_half(
    const posenc_spec *spec, const turns *t, int64_t k, int64_t position, const float *from, int64_t n, uint16_t *to) {
  int64_t i = 0;
  for (; i + LINE_FLOATS <= n; i += LINE_FLOATS) {
    int uncertain = 0;
#pragma GCC unroll 8
    for (int v = 0; v < LINE_FLOATS; v += EACH)
      uncertain |= vp_store_half(to + i + v, vp_load(from + i + v));
    if (uncertain)
      recheck_half(spec, t, k + i / 2, position, from + i, LINE_FLOATS, to + i);
  }
  if (i < n) {
    uint16_t end[LINE_FLOATS];
    for (int v = 0; v < LINE_FLOATS; v += EACH)
      vp_store_half(end + v, vp_load(from + i + v));
    recheck_half(spec, t, k + i / 2, position, from + i, n - i, end);
    memcpy(to + i, end, (size_t)(n - i) * sizeof *to);
  }
}

#endif
