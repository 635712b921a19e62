#include "api/layouts.h"

#include <string.h>

posenc_columns posenc_columns_of(const posenc_spec *spec) {
  const int64_t n = posenc_n_freqs(spec), half = spec->d_model / 2; /* half: as many pairs are whole */
  const int split = spec->layout == POSENC_LAYOUT_SPLIT, sine_first = spec->order == POSENC_ORDER_SIN_FIRST;
  const int64_t second = split ? n : 1;
  return (posenc_columns){.sines = sine_first ? 0 : second,
      .cosines = sine_first ? second : 0,
      .step = split ? 1 : 2,
      .n_sines = sine_first ? n : half,
      .n_cosines = sine_first ? half : n,
      .zero = spec->d_model > n + half ? spec->d_model - 1 : -1};
}

int64_t posenc_frequency_of(const posenc_spec *spec, int64_t column) {
  const posenc_columns columns = posenc_columns_of(spec);
  const int64_t n = posenc_n_freqs(spec);
  if (column == columns.zero)
    return -1;
  return columns.step == 2 ? column / 2 : column < n ? column : column - n;
}

/* Parts of consecutive rows end where a kernel's runs do: at multiples of 64. */
static int64_t rows_in_part(const posenc_rows *rows, int64_t i, int64_t most) {
  const int64_t left = rows->count - i, run = 64;
  int64_t n = left < most ? left : most;
  if (!rows->positions && !rows->reals) {
    const int64_t to_end = run - ((rows->first + i) & (run - 1));
    n = n < to_end ? n : to_end;
  }
  return n;
}

__attribute__((noinline)) void posenc_parts(
    const posenc_plan *plan, const posenc_rows *rows, int64_t widest, posenc_use_part *use, const void *job) {
  unsigned char values[POSENC_PART_BYTES] __attribute__((aligned(64)));
  const int64_t n = plan->pairs.d_model / 2, size = (int64_t)posenc_dtype_size((posenc_dtype)plan->pairs.dtype);
  const int64_t width = n < widest ? (n + 31) / 32 * 32 : widest,
                most = n > 0 ? POSENC_PART_BYTES / (2 * width * size) : 0;
  posenc_part t = {.values = values};
  for (t.row = 0; n > 0 && t.row < rows->count; t.row += t.rows) {
    t.rows = rows_in_part(rows, t.row, most < 64 ? most : 64);
    for (t.k = 0; t.k < n; t.k += t.pairs) {
      t.pairs = n - t.k < width ? n - t.k : width;
      t.stride = 2 * width;
      const posenc_rows those = {rows->positions ? rows->positions + t.row : NULL,
          rows->reals ? rows->reals + t.row : NULL, rows->first + t.row, t.rows, 2 * t.k, 2 * (t.k + t.pairs), NULL, 0,
          0, 0};
      plan->kernel->rows(&plan->pairs, plan->state, &those, values, t.stride);
      use(&t, job);
    }
  }
}

/* Every other element; size and step are constants, so that this becomes shuffles where step is 1. */
__attribute__((always_inline)) static inline void place(
    const unsigned char *pairs, int64_t n, int64_t step, size_t size, unsigned char *to) {
  for (int64_t j = 0; j < n; j++)
    memcpy(to + (size_t)(j * step) * size, pairs + (size_t)(2 * j) * size, size);
}

__attribute__((always_inline)) static inline void place_by_step(
    const unsigned char *pairs, int64_t n, int64_t step, size_t size, unsigned char *to) {
  if (step == 1)
    place(pairs, n, 1, size, to);
  else
    place(pairs, n, 2, size, to);
}

static void place_elements(const unsigned char *pairs, int64_t n, int64_t step, int64_t size, unsigned char *to) {
  switch (size) {
  case 2:
    place_by_step(pairs, n, step, 2, to);
    break;
  case 4:
    place_by_step(pairs, n, step, 4, to);
    break;
  default:
    place_by_step(pairs, n, step, 8, to);
  }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

void posenc_place(const posenc_part *part, int64_t i, const posenc_columns *columns, int64_t size, unsigned char *sines,
    unsigned char *cosines) {
  const unsigned char *pairs = part->values + i * part->stride * size;
  place_elements(pairs, least(part->pairs, columns->n_sines - part->k), columns->step, size, sines);
  place_elements(pairs + size, least(part->pairs, columns->n_cosines - part->k), columns->step, size, cosines);
}
