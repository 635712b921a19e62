/* widths/<implementation>/float32/n:<rows>/d:<width>/offset:<bytes>: tables of 64 MiB, to within a row, with widths on
 * both sides of powers of two; and limit/.../n:16384/d:1024/offset:<bytes>. Some CPUs confuse addresses that are a
 * multiple of 4 KiB apart: tables whose rows are a power of two apart were several times slower than tables that are 16
 * columns wider. */
#include "../limits/limits.h"
#include "cases.h"

#include <string.h>

enum { ELEMENTS = 1 << 24 };
static const int64_t widths[] = {112, 128, 144, 240, 256, 272, 384, 496, 512, 528, 768, 1000, 1008, 1024, 1040, 1088,
    1280, 2032, 2048, 2064, 4080, 4096, 4112};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* The best exact and the best anchored, and both with every set of vector instructions. */
static bool wanted(const posenc_impl *impl) {
  if (strcmp(impl->family, "exact") != 0 && strcmp(impl->family, "anchored") != 0)
    return false;
  return impl == posenc_impl_find(impl->family) || !strstr(impl->name, "_scalar");
}

void bench_register_widths(void) {
  static const bench_offset offsets[] = {{0, "/offset:0"}, {16, "/offset:16"}}; /* independent of --offset */
  static bench_shape shapes[WIDTHS];
  for (size_t i = 0; i < WIDTHS; i++)
    shapes[i] =
        (bench_shape){.name = "widths", .positions = ELEMENTS / widths[i], .d_model = widths[i], .base = 10000.0};
  for (const bench_offset *at = offsets; at < offsets + 2; at++) {
    const bench_shape of_limit = {.name = "widths", .positions = ELEMENTS / 1024, .d_model = 1024, .base = 10000.0};
    const posenc_impl *impl;
    bench_register_limits(&of_limit, POSENC_DTYPE_F32, true, at);
    for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, true)); i++)
      for (size_t j = 0; wanted(impl) && j < WIDTHS; j++)
        bench_register_table(
            &(bench_table){.call = "widths", .shape = &shapes[j], .spec = bench_spec(&shapes[j])}, impl, at);
  }
}
