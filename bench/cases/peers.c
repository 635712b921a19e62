/* Peers, and exact and anchored on the same work. A case of posenc has another first part in its name:
 *
 *   peer/<peer>/float32/n:512/d:512            a table into existing memory; posenc: fill/<implementation>/...
 *   peer_row/<peer>/float32/d:512/below:4096   one row after the other at random positions, all into the same memory;
 *                                              posenc: row/...
 *   peer_once/<peer>/float32/n:64/d:128        a table including its plan or frequencies; posenc: once/...
 */
#include "../limits/limits.h"
#include "../peers/peer.h"
#include "cases.h"

#include <stdio.h>

#define BASE 10000.0
#define SIZE(n, d)                                                                                                     \
  { "peers", n, d, BASE, "a size that peers are compared at", false }
static const bench_shape sizes[] = {SIZE(64, 128), SIZE(128, 256), SIZE(256, 512), SIZE(512, 512), SIZE(1024, 768),
    SIZE(5000, 512), SIZE(16384, 512), SIZE(131072, 256), SIZE(131072, 1024)};
static const bench_shape from_nothing[] = {SIZE(64, 128), SIZE(512, 512), SIZE(5000, 512)};
enum { SIZES = sizeof sizes / sizeof *sizes, FROM_NOTHING = sizeof from_nothing / sizeof *from_nothing };
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

static void register_fill(const peer *p, const bench_shape *shape, const bench_offset *at) {
  bench_register_table(&(bench_table){.call = "peer",
                           .peer = p->name,
                           .shape = shape,
                           .spec = bench_spec(shape),
                           .data = p,
                           .self = self_of(p, shape->d_model),
                           .destroy = p->destroy,
                           .write = write_table},
      NULL, at);
}

static void register_rows(const peer *p, const bench_offset *at, int below) {
  bench_register_work(&(bench_work){{NULL, NULL, POSENC_DTYPE_F32, ROWS, ROW_COLUMNS}, write_rows, .call = "peer_row",
                          .who = p->name, .table_rows = 1, .end = below, .bytes = ROW_COLUMNS * sizeof(float),
                          .positions = bench_random_positions(ROWS, below), .what = p, .self = self_of(p, ROW_COLUMNS),
                          .destroy = p->destroy},
      at, "peer_row/%s/float32/d:%d/below:%d", p->name, ROW_COLUMNS, below);
}

/* One of impl and p is NULL. */
static void register_once(const posenc_impl *impl, const peer *p, const bench_offset *at) {
  for (size_t i = 0; i < FROM_NOTHING; i++)
    bench_register_work(
        &(bench_work){{impl, NULL, POSENC_DTYPE_F32, from_nothing[i].positions, from_nothing[i].d_model},
            p ? once_theirs : once_ours, .call = p ? "peer_once" : "once", .who = p ? p->name : NULL, .what = p},
        at, "%s/%s/float32/" BENCH_SIZE, p ? "peer_once" : "once", p ? p->name : impl->name, from_nothing[i].positions,
        from_nothing[i].d_model);
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

void bench_register_peers(const bench_offset *at) {
  for (const peer_missing *m = peers_missing; m->name; m++)
    bench_skip(m->name, m->reason);
  for (size_t i = 0; i < SIZES; i++)
    bench_register_limits(&sizes[i], POSENC_DTYPE_F32, at);
  const posenc_impl *impl;
  for (size_t j = 0; (impl = bench_impl(j, POSENC_DTYPE_F32, false)); j++) {
    char key[96];
    snprintf(key, sizeof key, "member.%s", impl->family);
    shim_context(key, impl->name);
    for (size_t i = 0; i < SIZES; i++)
      bench_register_fill(impl, &sizes[i], at);
    bench_register_rows(impl, at);
    register_once(impl, NULL, at);
  }
  for (size_t j = 0; peers[j]; j++) {
    const peer *p = peers[j];
    const char *lacks = p->lacks();
    if (lacks) {
      bench_skip(p->name, lacks);
      continue;
    }
    describe(p);
    for (size_t i = 0; i < SIZES; i++)
      register_fill(p, &sizes[i], at);
    register_rows(p, at, BENCH_EARLY_END);
    register_rows(p, at, BENCH_END);
    register_once(NULL, p, at);
  }
}
