/* float16 from the float32 of a run: rounded twice, which is wrong only where the float32 is the middle between two
 * float16, 1 in 8192. What is so near a middle is computed anew, from the position (angle_addition/dtypes.h).
 */
#ifndef POSENC_HALF_H
#define POSENC_HALF_H

#include "angle_addition/block.h"
#include "angle_addition/dtypes.h"

#include <stdlib.h>

enum { LINE_HALVES = 2 * LINE_FLOATS };

/* Float16 of its first line left of `out`. */
static inline int64_t halves_before(const uint16_t *out) {
  return (int64_t)((uintptr_t)out / sizeof *out % LINE_HALVES);
}

/* Those of n columns that may be wrong, mostly of one vector: the float32 are at `from`. */
__attribute__((noinline)) static void recheck_half(const posenc_spec *spec, const turns *t, int64_t position,
    int64_t column, const float *from, int64_t n, uint16_t *to) {
  for (int64_t v = 0; v < n; v += EACH) {
    uint16_t again[EACH];
    if (!vh_any(vp_store_half(again, vp_load(from + v), (vh){0}, 0)))
      continue;
    for (int64_t i = v; i < v + EACH; i++) {
      const float size = fabsf(from[i]);
      const int above_middle = (int)(posenc_float_bits(size) & 0x1fff) - 0x1000, is_small = size < 0x1p-14f;
      if (!is_small && abs(above_middle) > 2)
        continue;
      uint16_t half = posenc_f16_bits(rounded((double)from[i], POSENC_DTYPE_F16));
      if (is_small ? size >= 0x1p-25f : above_middle == 0) {
        const int64_t c = column + i;
        half = (uint16_t)(pair_of_16_bits(spec, t, c / 2, position, POSENC_DTYPE_F16) >> c % 2 * 16);
      }
      memcpy(to + i, &half, sizeof half);
    }
  }
}

FLAT void write_halves(const posenc_spec *spec, const turns *t, int64_t position, int64_t column, const float *from,
    int64_t n, uint16_t *to, int streamed) {
  vh apart = {0};
#pragma GCC unroll 8
  for (int64_t i = 0; i < n; i += EACH)
    apart = vp_store_half(to + i, vp_load(from + i), apart, streamed);
  if (vh_any(apart))
    recheck_half(spec, t, position, column, from, n, to);
}

/* n columns of a row from `column` on. */
FLAT void write_half_piece(const posenc_spec *spec, const turns *t, int64_t position, int64_t column, const float *from,
    int64_t n, uint16_t *to, int streamed) {
  const int64_t to_line = (int64_t)(-(uintptr_t)to % 64 / sizeof *to), head = !streamed ? 0 : to_line < n ? to_line : n;
  for (int64_t i = 0, end; i < n; i = end) {
    end = i < head ? head : i + LINE_HALVES;
    if (i >= head && end <= n) {
      write_halves(spec, t, position, column + i, from + i, LINE_HALVES, to + i, streamed);
    } else {
      float part[LINE_HALVES] = {0};
      uint16_t halves[LINE_HALVES];
      end = end < n ? end : n;
      memcpy(part, from + i, (size_t)(end - i) * sizeof *part);
      write_halves(spec, t, position, column + i, part, LINE_HALVES, halves, 0);
      memcpy(to + i, halves, (size_t)(end - i) * sizeof *to);
    }
  }
}

#endif
