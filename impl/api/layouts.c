/* From the pairs that kernels write to the columns of the caller's rows. */
#include "api/internal.h"

#include <string.h>

posenc_columns posenc_columns_of(const posenc_spec *spec) {
  const int64_t n = posenc_n_freqs(spec), half = spec->d_model / 2; /* half: the number of complete pairs */
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

/* Some rows of some frequencies: pair j of row i is values[i * stride + 2 j], and belongs to row row + i of the call and
 * frequency k + j. */
typedef struct part {
  int64_t row, rows, k, pairs;
  unsigned char *values;
  int64_t stride; /* elements */
} part;

static void place_part(const part *p, const posenc_target *t) {
  const posenc_columns *const c = &t->columns;
  for (int64_t i = 0; i < p->rows; i++) {
    const unsigned char *const pairs = p->values + i * p->stride * t->size;
    const int64_t at = (p->row + i) * t->row_bytes + p->k * c->step * t->size;
    place_elements(pairs, least(p->pairs, c->n_sines - p->k), c->step, t->size, t->sines + at);
    place_elements(pairs + t->size, least(p->pairs, c->n_cosines - p->k), c->step, t->size, t->cosines + at);
  }
}

enum { PART_PAIRS = 128, PART_BYTES = 1 << 15 };

/* Narrow parts have more rows: whole runs of a kernel where they can. */
void posenc_write_parts(const posenc_plan *plan, const posenc_rows *rows, const posenc_target *target) {
  unsigned char values[PART_BYTES] __attribute__((aligned(64)));
  const int64_t n = plan->kernel_spec.d_model / 2, width = n < PART_PAIRS ? (n + 31) / 32 * 32 : PART_PAIRS,
                most = n > 0 ? PART_BYTES / (2 * width * target->size) : 0;
  part p = {.values = values, .stride = 2 * width};
  for (p.row = 0; n > 0 && p.row < rows->count; p.row += p.rows) {
    p.rows = rows_in_part(rows, p.row, least(most, 64));
    for (p.k = 0; p.k < n; p.k += p.pairs) {
      p.pairs = least(n - p.k, width);
      const posenc_rows those = {.positions = rows->positions ? rows->positions + p.row : NULL,
          .reals = rows->reals ? rows->reals + p.row : NULL,
          .first = rows->first + p.row,
          .count = p.rows,
          .from = 2 * p.k,
          .to = 2 * (p.k + p.pairs)};
      plan->kernel->rows(&plan->kernel_spec, plan->state, &those, values, p.stride);
      place_part(&p, target);
    }
  }
}
