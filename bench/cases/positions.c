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

enum { D_MODEL = BENCH_ROW_COLUMNS, RANDOM = 2048, NEIGHBOURS = 64, SINGLE = 1024 };
static const int64_t FIRST_NEIGHBOUR = 4001; /* not a multiple of any number that kernels treat specially */

static const bench_shape at_random = {"at_random", RANDOM, D_MODEL, 10000.0, "random positions", false, false};
static const bench_shape in_a_row = {"in_a_row", NEIGHBOURS, D_MODEL, 10000.0, "positions in a row", false, false};

/* The same positions for every implementation and in every run. */
static int64_t *random_positions(int64_t n, int64_t end) {
  int64_t *positions = must_calloc(n, sizeof *positions);
  uint64_t state = 1;
  for (int64_t i = 0; i < n; i++)
    positions[i] = random_between(&state, 0, end - 1);
  return positions;
}

static posenc_status fill_at(const bench_case *c) {
  return posenc_fill_at(c->plan, c->positions, c->rows, c->out, c->columns);
}

static posenc_status fill_single_rows(const bench_case *c) {
  posenc_status status = POSENC_OK;
  for (int64_t i = 0; i < c->rows && status == POSENC_OK; i++)
    status = posenc_fill(c->plan, c->positions[i], 1, c->out, c->columns);
  return status;
}

static void register_fill_at(const posenc_impl *impl, const bench_shape *shape, const bench_offset *at) {
  const posenc_spec spec = bench_spec(shape);
  bench_case list = bench_table(impl, shape, &spec);
  list.call = "fill_at";
  list.in_blocks = false;
  list.write = fill_at;
  list.positions = random_positions(shape->positions, BENCH_END);
  list.end = BENCH_END;
  if (shape == &in_a_row) {
    for (int64_t i = 0; i < NEIGHBOURS; i++)
      list.positions[i] = FIRST_NEIGHBOUR + i;
    list.end = FIRST_NEIGHBOUR + NEIGHBOURS;
    list.variant = shape->name;
  }
  bench_register_table(&list, at);
}

void bench_register_row(bench_case c, int64_t below, const bench_offset *at) {
  c.call = "row";
  c.rows = SINGLE;
  c.columns = D_MODEL;
  c.table_rows = 1;
  c.end = below;
  c.bytes = D_MODEL * sizeof(float);
  c.positions = random_positions(SINGLE, below);
  bench_register(&c, at, "row/%s/float32/d:%d/below:%" PRId64, c.who ? c.who : c.impl->name, D_MODEL, below);
}

void bench_register_rows(const posenc_impl *impl, const bench_offset *at) {
  const posenc_spec spec = paper_spec(D_MODEL);
  const bench_case rows = {.write = fill_single_rows, .impl = impl, .spec = &spec};
  bench_register_row(rows, BENCH_END, at);
  bench_register_row(rows, BENCH_EARLY_END, at);
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
