/* Peers, and exact and anchored on the same work, under the names of their cases:
 *
 *   fill/<peer>/float32/n:512/d:512       a table into existing memory
 *   row/<peer>/float32/d:512/below:4096   one row after the other at random positions, all into the same memory
 *   once/<peer>/float32/n:64/d:128        a table including its plan or frequencies
 *
 * The table of 5000 x 512 is compared with exact in float64, all of its values: the counter `error`.
 */
#include "../limits/limits.h"
#include "../peers/peer.h"
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BASE 10000.0
#define SIZE(n, d)                                                                                                     \
  { .name = "peers", .positions = n, .d_model = d, .base = BASE }
static const bench_shape sizes[] = {SIZE(64, 128), SIZE(512, 512), SIZE(5000, 512), SIZE(131072, 1024)};
enum { SIZES = sizeof sizes / sizeof *sizes, ONCE = 3 /* of them */, JUDGED = 2 /* the index of one */ };
enum { ROW_COLUMNS = 512, ROWS = 1024 };

static posenc_status write_table(
    const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table) {
  const peer *p = t->data;
  (void)plan;
  p->fill(t->self, first, count, (float *)table + first * t->shape->d_model);
  return POSENC_OK;
}

static posenc_status write_rows(const bench_work *w) {
  const peer *p = w->what;
  for (int64_t i = 0; i < w->rows.n; i++)
    p->fill(w->self, w->positions[i], 1, w->out);
  return POSENC_OK;
}

static posenc_status once_ours(const bench_work *w) {
  const posenc_spec spec = paper_spec(w->rows.d_model);
  return posenc_fill_once(&spec, w->rows.impl->name, 0, w->rows.n, w->out, w->rows.d_model);
}

static posenc_status once_theirs(const bench_work *w) {
  const peer *p = w->what;
  void *self = p->create(w->rows.d_model, BASE);
  if (!self)
    return POSENC_ERROR_MEMORY;
  p->fill(self, 0, w->rows.n, w->out);
  p->destroy(self);
  return POSENC_OK;
}

static void *self_of(const peer *p, int64_t d_model) {
  void *self = p->create(d_model, BASE);
  if (!self)
    out_of_memory("for a peer's frequencies");
  return self;
}

static void register_fill(const peer *p, const bench_shape *shape, double error, const bench_offset *at) {
  bench_register_table(&(bench_table){.call = "fill",
                           .peer = p->name,
                           .error = error,
                           .shape = shape,
                           .spec = bench_spec(shape),
                           .data = p,
                           .self = self_of(p, shape->d_model),
                           .destroy = p->destroy,
                           .write = write_table},
      NULL, at);
}

static void register_rows(const peer *p, const bench_offset *at, int below) {
  bench_register_work(&(bench_work){{NULL, NULL, POSENC_DTYPE_F32, ROWS, ROW_COLUMNS}, write_rows, .call = "row",
                          .who = p->name, .table_rows = 1, .end = below, .bytes = ROW_COLUMNS * sizeof(float),
                          .positions = bench_random_positions(ROWS, below), .what = p, .self = self_of(p, ROW_COLUMNS),
                          .destroy = p->destroy},
      at, "row/%s/float32/d:%d/below:%d", p->name, ROW_COLUMNS, below);
}

/* One of impl and p is NULL. */
static void register_once(const posenc_impl *impl, const peer *p, const bench_offset *at) {
  for (size_t i = 0; i < ONCE; i++)
    bench_register_work(&(bench_work){{impl, NULL, POSENC_DTYPE_F32, sizes[i].positions, sizes[i].d_model},
                            p ? once_theirs : once_ours, .call = "once", .who = p ? p->name : NULL, .what = p},
        at, "once/%s/float32/" BENCH_SIZE, p ? p->name : impl->name, sizes[i].positions, sizes[i].d_model);
}

/* ---- All of it ---------------------------------------------------------------------------------------------- */

/* Adds the peer's description and version to the context. */
static void describe(const peer *p) {
  char key[96];
  snprintf(key, sizeof key, "peer.%s", p->name);
  shim_context(key, p->what);
  snprintf(key, sizeof key, "peer_version.%s", p->name);
  if (p->library)
    shim_context(key, p->library);
}

/* A table of sizes[JUDGED], and the right values. */
typedef struct judged_table {
  double *right;
  float *values;
} judged_table;

static double largest_error(const judged_table *t) {
  double largest = 0;
  for (int64_t i = 0; i < sizes[JUDGED].positions * sizes[JUDGED].d_model; i++)
    if (!(fabs((double)t->values[i] - t->right[i]) <= largest)) /* NaN too, which is as wrong as a sine can be */
      largest = isnan(t->values[i]) ? 2 : fabs((double)t->values[i] - t->right[i]);
  return largest;
}

static posenc_status fill_judged(const char *impl, posenc_dtype dtype, void *out) {
  posenc_spec spec = bench_spec(&sizes[JUDGED]);
  spec.dtype = (int32_t)dtype;
  return posenc_fill_once(&spec, impl, 0, sizes[JUDGED].positions, out, sizes[JUDGED].d_model);
}

static void register_ours(const posenc_impl *impl, const judged_table *t, const bench_offset *at) {
  char key[96];
  snprintf(key, sizeof key, "member.%s", impl->family);
  shim_context(key, impl->name);
  const bool is_filled = fill_judged(impl->name, POSENC_DTYPE_F32, t->values) == POSENC_OK;
  for (size_t i = 0; i < SIZES; i++)
    bench_register_table(&(bench_table){.call = "fill",
                             .shape = &sizes[i],
                             .spec = bench_spec(&sizes[i]),
                             .error = i == JUDGED && is_filled ? largest_error(t) : 0},
        impl, at);
  bench_register_rows(impl, at);
  register_once(impl, NULL, at);
}

static void register_peer(const peer *p, const judged_table *t, const bench_offset *at) {
  const char *lacks = p->lacks();
  if (lacks) {
    bench_skip(p->name, lacks);
    return;
  }
  describe(p);
  void *self = self_of(p, sizes[JUDGED].d_model);
  p->fill(self, 0, sizes[JUDGED].positions, t->values);
  p->destroy(self);
  for (size_t i = 0; i < SIZES; i++)
    register_fill(p, &sizes[i], i == JUDGED ? largest_error(t) : 0, at);
  register_rows(p, at, BENCH_EARLY_END);
  register_rows(p, at, BENCH_END);
  register_once(NULL, p, at);
}

void bench_register_peers(const bench_offset *at) {
  for (const peer_missing *m = peers_missing; m->name; m++)
    bench_skip(m->name, m->reason);
  for (size_t i = 0; i < SIZES; i++)
    bench_register_limits(&sizes[i], POSENC_DTYPE_F32, false, at);
  const int64_t count = sizes[JUDGED].positions * sizes[JUDGED].d_model;
  const judged_table table = {must_calloc(count, sizeof(double)), must_calloc(count, sizeof(float))};
  if (fill_judged("exact", POSENC_DTYPE_F64, table.right) != POSENC_OK)
    out_of_memory("for the right values");
  const posenc_impl *impl;
  for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, false)); i++)
    register_ours(impl, &table, at);
  for (size_t i = 0; peers[i]; i++)
    register_peer(peers[i], &table, at);
  free(table.right);
  free(table.values);
}
