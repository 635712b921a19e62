/* Positions other than 0, 1, 2, ..., d_model 512:
 *
 *   fill_at/<implementation>/float32/n:2048/d:512          posenc_fill_at, random positions
 *   fill_at/<implementation>/float32/n:64/d:512/in_a_row   posenc_fill_at, neighbouring positions; ideally as fast as a
 *                                                          fill
 *   row/<implementation>/float32/d:512/below:<end>         posenc_fill of one row after the other at random positions,
 *                                                          as a decoder does; all into the same memory, which stays in
 *                                                          L1
 */
#include "../limits/limits.h"
#include "cases.h"

#include <stdlib.h>

#include "../../verify/tools/random.h"

enum { D_MODEL = 512, RANDOM = 2048, NEIGHBOURS = 64, ROWS = 1024 };
static const int64_t FIRST_NEIGHBOUR = 4001; /* not a multiple of any number that kernels treat specially */

static const bench_shape at_random = {"at_random", RANDOM, D_MODEL, 10000.0, "random positions", false, false};
static const bench_shape in_a_row = {"in_a_row", NEIGHBOURS, D_MODEL, 10000.0, "positions in a row", false, false};

/* The same positions for every implementation and in every run. */
int64_t *bench_random_positions(int64_t n, int64_t end) {
  int64_t *positions = must_calloc(n, sizeof *positions);
  uint64_t state = 1;
  for (int64_t i = 0; i < n; i++)
    positions[i] = random_between(&state, 0, end - 1);
  return positions;
}

static posenc_status write_at(const bench_work *w) {
  return posenc_fill_at(w->plan, w->positions, w->rows.n, w->out, D_MODEL);
}

static posenc_status write_single_rows(const bench_work *w) {
  posenc_status status = POSENC_OK;
  for (int64_t i = 0; i < w->rows.n && status == POSENC_OK; i++)
    status = posenc_fill(w->plan, w->positions[i], 1, w->out, D_MODEL);
  return status;
}

static void register_fill_at(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at) {
  const posenc_spec spec = bench_spec(shape);
  int64_t *positions = bench_random_positions(shape->positions, BENCH_END);
  for (int64_t i = 0; shape == &in_a_row && i < NEIGHBOURS; i++)
    positions[i] = FIRST_NEIGHBOUR + i;
  bench_register_work(&(bench_work){{impl, &spec, POSENC_DTYPE_F32, shape->positions, D_MODEL}, write_at,
                          .call = "fill_at", .variant = shape == &in_a_row ? "/in_a_row" : NULL,
                          .end = shape == &in_a_row ? FIRST_NEIGHBOUR + NEIGHBOURS : BENCH_END, .positions = positions},
      at, "fill_at/%s/float32/" BENCH_SIZE "%s", impl->name, shape->positions, shape->d_model,
      shape == &in_a_row ? "/in_a_row" : "");
}

void bench_register_rows(const posenc_impl *impl, const bench_offset *at) {
  const posenc_spec spec = paper_spec(D_MODEL);
  for (int early = 0; early < 2; early++) {
    const int below = early ? BENCH_EARLY_END : BENCH_END;
    bench_register_work(
        &(bench_work){{impl, &spec, POSENC_DTYPE_F32, ROWS, D_MODEL}, write_single_rows, .call = "row", .table_rows = 1,
            .end = below, .bytes = D_MODEL * sizeof(float), .positions = bench_random_positions(ROWS, below)},
        at, "row/%s/float32/d:%d/below:%d", impl->name, D_MODEL, below);
  }
}

void bench_register_positions(bool all, const bench_offset *at) {
  const bench_shape *shapes[] = {&at_random, &in_a_row};
  const posenc_impl *impl;
  for (size_t i = 0; i < (all ? 2 : 1); i++) {
    bench_register_limits(shapes[i], POSENC_DTYPE_F32, at);
    for (size_t j = 0; (impl = bench_impl(j, POSENC_DTYPE_F32, true)); j++)
      register_fill_at(impl, shapes[i], at);
  }
  for (size_t j = 0; (impl = bench_impl(j, POSENC_DTYPE_F32, true)); j++)
    bench_register_rows(impl, at);
}
