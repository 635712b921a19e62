/* Peers, and exact and anchored on the same work, under the names of their cases:
 *
 *   fill/<peer>/float32/n:512/d:512       a table into existing memory
 *   row/<peer>/float32/d:512/below:4096   one row after the other at random positions, all into the same memory
 *   once/<peer>/float32/n:64/d:128        a table including its plan or frequencies
 *
 * All values of the tables but the largest are compared with exact: the counters `error`, against its float64, and
 * `not_nearest`.
 */
#include "../limits/limits.h"
#include "../peers/peer.h"
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BASE 10000.0
#define SIZE(n, d)                                                                                                     \
  { .name = "peers", .positions = (n), .d_model = (d), .base = BASE }
static const bench_shape sizes[] = {
    SIZE(64, 128), SIZE(512, 512), SIZE(5000, 512), SIZE(131072, 128), SIZE(131072, 1024)};
enum { SIZES = sizeof sizes / sizeof *sizes, ONCE = 3, COMPARED = 4 /* of them, with exact */ };

static posenc_status write_table(const bench_case *c) {
  const peer *p = c->writer;
  p->fill(c->data, c->first, c->count, bench_row(c));
  return POSENC_OK;
}

static posenc_status write_single_rows(const bench_case *c) {
  const peer *p = c->writer;
  for (int64_t i = 0; i < c->rows; i++)
    p->fill(c->data, c->positions[i], 1, c->out);
  return POSENC_OK;
}

static posenc_status once_ours(const bench_case *c) {
  const posenc_spec spec = paper_spec(c->columns);
  return posenc_fill_once(&spec, c->impl->name, 0, c->rows, c->out, c->columns);
}

static posenc_status once_theirs(const bench_case *c) {
  const peer *p = c->writer;
  void *self = p->create(c->columns, BASE);
  if (!self)
    return POSENC_ERROR_MEMORY;
  p->fill(self, 0, c->rows, c->out);
  p->destroy(self);
  return POSENC_OK;
}

/* Lets the peer write the rows. */
static void set_peer(bench_case *c, const peer *p, int64_t d_model) {
  c->who = p->name;
  c->writer = p;
  c->data = p->create(d_model, BASE);
  c->destroy = p->destroy;
  if (!c->data)
    out_of_memory("for a peer's frequencies");
}

static void register_row(const peer *p, int64_t below, const bench_offset *at) {
  bench_case rows = {.write = write_single_rows};
  set_peer(&rows, p, BENCH_ROW_COLUMNS);
  bench_register_row(rows, below, at);
}

/* One of impl and p is NULL. */
static void register_once(const posenc_impl *impl, const peer *p, const bench_offset *at) {
  for (size_t i = 0; i < ONCE; i++)
    bench_register_table(&(bench_case){.call = "once",
                             .who = p ? p->name : NULL,
                             .rows = sizes[i].positions,
                             .columns = sizes[i].d_model,
                             .write = p ? once_theirs : once_ours,
                             .impl = impl,
                             .writer = p},
        at);
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

/* The right values of a size, and room for another table. */
typedef struct right_table {
  double *real;
  float *nearest, *values;
} right_table;

static posenc_status fill_size(size_t i, const char *impl, posenc_dtype dtype, void *out) {
  posenc_spec spec = bench_spec(&sizes[i]);
  spec.dtype = (int32_t)dtype;
  return posenc_fill_once(&spec, impl, 0, sizes[i].positions, out, sizes[i].d_model);
}

static right_table right_of(size_t i) {
  const int64_t count = sizes[i].positions * sizes[i].d_model;
  const right_table t = {
      must_calloc(count, sizeof *t.real), must_calloc(count, sizeof *t.nearest), must_calloc(count, sizeof *t.values)};
  if (fill_size(i, "exact", POSENC_DTYPE_F64, t.real) != POSENC_OK ||
      fill_size(i, "exact", POSENC_DTYPE_F32, t.nearest) != POSENC_OK)
    out_of_memory("for the right values");
  return t;
}

/* Sets the errors of t->values, which `table` writes. */
static void set_errors(size_t i, const right_table *t, bench_case *table) {
  for (int64_t j = 0; j < sizes[i].positions * sizes[i].d_model; j++) {
    const double error =
        isnan(t->values[j]) ? 2 : fabs((double)t->values[j] - t->real[j]); /* a NaN is as wrong as can be */
    table->error = error > table->error ? error : table->error;
    table->not_nearest += t->values[j] != t->nearest[j];
  }
}

static void register_ours(const posenc_impl *impl, const right_table *right, const bench_offset *at) {
  char key[96];
  snprintf(key, sizeof key, "member.%s", impl->family);
  shim_context(key, impl->name);
  for (size_t i = 0; i < SIZES; i++) {
    const posenc_spec spec = bench_spec(&sizes[i]);
    bench_case table = bench_table(impl, &sizes[i], &spec);
    if (i < COMPARED && fill_size(i, impl->name, POSENC_DTYPE_F32, right[i].values) == POSENC_OK)
      set_errors(i, &right[i], &table);
    bench_register_table(&table, at);
  }
  bench_register_rows(impl, at);
  register_once(impl, NULL, at);
}

static void register_peer(const peer *p, const right_table *right, const bench_offset *at) {
  const char *lacks = p->lacks();
  if (lacks) {
    bench_skip(p->name, lacks);
    return;
  }
  describe(p);
  for (size_t i = 0; i < SIZES; i++) {
    const posenc_spec spec = bench_spec(&sizes[i]);
    bench_case table = bench_table(NULL, &sizes[i], &spec);
    table.spec = NULL;
    table.write = write_table;
    set_peer(&table, p, sizes[i].d_model);
    if (i < COMPARED) {
      table.out = right[i].values;
      table.count = table.rows;
      write_table(&table);
      set_errors(i, &right[i], &table);
    }
    bench_register_table(&table, at);
  }
  register_row(p, BENCH_EARLY_END, at);
  register_row(p, BENCH_END, at);
  register_once(NULL, p, at);
}

void bench_register_peers(const bench_offset *at) {
  right_table right[COMPARED];
  for (const peer_missing *m = peers_missing; m->name; m++)
    bench_skip(m->name, m->reason);
  for (size_t i = 0; i < SIZES; i++)
    bench_register_limits(&sizes[i], POSENC_DTYPE_F32, at);
  for (size_t i = 0; i < COMPARED; i++)
    right[i] = right_of(i);
  const posenc_impl *impl;
  for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, false)); i++)
    register_ours(impl, right, at);
  for (size_t i = 0; peers[i]; i++)
    register_peer(peers[i], right, at);
  for (size_t i = 0; i < COMPARED; i++) {
    free(right[i].real);
    free(right[i].nearest);
    free(right[i].values);
  }
}
