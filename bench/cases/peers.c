/* Peers beside exact and anchored, on the same work:
 *
 *   peer/<peer>/f32/n:512/d:512               a table into memory that is there; of ours fill/<implementation>/...
 *   peer_row/<peer>/f32/d:512/below:4096      one row after the other at random positions, all into the same memory;
 * row/... peer_once/<peer>/f32/n:64/d:128           all of it from nothing, plan or frequencies included; once/...
 */
#include "../limits/limits.h"
#include "../peers/peer.h"
#include "cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE(n, d)                                                                                                     \
  { "peers", n, d, 10000.0, "a size that peers are compared at", false }
static const bench_shape sizes[] = {SIZE(64, 128), SIZE(128, 256), SIZE(256, 512), SIZE(512, 512), SIZE(1024, 768),
    SIZE(5000, 512), SIZE(16384, 512), SIZE(131072, 256), SIZE(131072, 1024)};
static const bench_shape from_nothing[] = {SIZE(64, 128), SIZE(512, 512), SIZE(5000, 512)};
enum { SIZES = sizeof sizes / sizeof *sizes, FROM_NOTHING = sizeof from_nothing / sizeof *from_nothing };
enum { ROW_COLUMNS = 512, ROWS = 1024 };

/* NULL after skipping the case. */
static void *self_of(const char *name, const peer *p, const bench_shape *shape) {
  void *self = p->create(shape->d_model, shape->base);
  if (!self)
    bench_skip(name, "no memory for its frequencies");
  return self;
}

/* ---- peer/ -------------------------------------------------------------------------------------------------- */

typedef struct ready_peer {
  const peer *p;
  void *self;
} ready_peer;

static void release(void *data) {
  ready_peer *r = data;
  r->p->destroy(r->self);
  free(r);
}

static posenc_status write_table(
    const posenc_plan *plan, const bench_table *t, int64_t first, int64_t count, void *table) {
  const ready_peer *r = t->data;
  (void)plan;
  r->p->fill(r->self, first, count, (float *)table + first * t->shape->d_model);
  return POSENC_OK;
}

/* stands_for: NULL for a case that competes with no other. */
static void register_fill(
    const char *kind, const char *stands_for, const peer *p, const bench_shape *shape, const bench_offset *at) {
  char what[96], name[160];
  snprintf(what, sizeof what, "%s/%s/f32", kind, p->name);
  bench_name(name, sizeof name, what, shape, at);
  void *self = self_of(name, p, shape);
  if (!self)
    return;
  ready_peer *r = must_calloc(1, sizeof *r);
  *r = (ready_peer){p, self};
  const bench_table table = {kind, "", shape, bench_spec(shape), r, release, write_table, 0};
  shim_case c = bench_filling(NULL, &table, at, name);
  c.who = stands_for ? p->name : NULL;
  c.stands_for = stands_for;
  shim_register(&c);
}

/* ---- peer_row/ ---------------------------------------------------------------------------------------------- */

static posenc_status write_rows(const bench_work *w) {
  const peer *p = w->what;
  for (int64_t i = 0; i < ROWS; i++)
    p->fill(w->self, w->positions[i], 1, w->out);
  return POSENC_OK;
}

static void register_rows(const peer *p, const bench_offset *at, int64_t below) {
  static const bench_shape one = SIZE(1, ROW_COLUMNS);
  char name[160];
  snprintf(name, sizeof name, "peer_row/%s/f32/d:%d/below:%" PRId64 "%s", p->name, ROW_COLUMNS, below, at->suffix);
  void *self = self_of(name, p, &one);
  if (self)
    bench_register_work(&(bench_work){.shape = &one,
                            .rows = ROWS,
                            .offset = at->bytes,
                            .positions = bench_random_positions(ROWS, below),
                            .what = p,
                            .self = self,
                            .destroy = p->destroy,
                            .write = write_rows},
        (shim_case){.name = name, .who = p->name, .stands_for = "row"});
}

/* ---- once/, peer_once/ -------------------------------------------------------------------------------------- */

static posenc_status once_ours(const bench_work *w) {
  const posenc_impl *impl = w->what;
  const posenc_spec spec = bench_spec(w->shape);
  posenc_plan *plan = NULL;
  posenc_status status = posenc_plan_create(&plan, &spec, impl->name);
  if (status == POSENC_OK)
    status = posenc_fill(plan, 0, w->rows, w->out, w->shape->d_model);
  posenc_plan_destroy(plan);
  return status;
}

static posenc_status once_theirs(const bench_work *w) {
  const peer *p = w->what;
  void *self = p->create(w->shape->d_model, w->shape->base);
  if (!self)
    return POSENC_ERROR_MEMORY;
  p->fill(self, 0, w->rows, w->out);
  p->destroy(self);
  return POSENC_OK;
}

/* One of impl and p is NULL. */
static void register_once(const posenc_impl *impl, const peer *p, const bench_shape *shape, const bench_offset *at) {
  const char *who = p ? p->name : impl->name;
  char what[96], name[160];
  snprintf(what, sizeof what, "%s/%s/f32", p ? "peer_once" : "once", who);
  bench_name(name, sizeof name, what, shape, at);
  bench_register_work(&(bench_work){.shape = shape,
                          .offset = at->bytes,
                          .what = p ? (const void *)p : impl,
                          .write = p ? once_theirs : once_ours},
      (shim_case){.name = name, .who = who, .stands_for = p ? "once" : NULL});
}

/* ---- All of it ---------------------------------------------------------------------------------------------- */

static void skip(const char *name, const char *reason, void *data) {
  (void)data;
  bench_skip(name, reason);
}

/* What the names stand for. */
static void describe(const peer *p) {
  char key[96];
  snprintf(key, sizeof key, "peer.%s", p->name);
  shim_context(key, p->what);
  snprintf(key, sizeof key, "peer_version.%s", p->name);
  if (p->library)
    shim_context(key, p->library);
}

void bench_register_peers(const bench_offset *at) {
  peer_each_missing(skip, NULL);
  for (size_t i = 0; i < SIZES; i++)
    bench_register_limits(&sizes[i], POSENC_F32, at);
  for (size_t j = 0; j < posenc_impl_count(); j++) {
    const posenc_impl *impl = posenc_impl_at(j);
    if (!bench_is_main(impl) || !bench_runs(impl, POSENC_F32))
      continue;
    for (size_t i = 0; i < SIZES; i++)
      bench_register_fill(impl, &sizes[i], at);
    bench_register_rows(impl, at);
    for (size_t i = 0; i < FROM_NOTHING; i++)
      register_once(impl, NULL, &from_nothing[i], at);
  }
  for (size_t j = 0; j < peer_count(); j++) {
    const peer *p = peer_at(j);
    const char *lacks = p->lacks();
    if (lacks) {
      bench_skip(p->name, lacks);
      continue;
    }
    describe(p);
    for (size_t i = 0; i < SIZES; i++)
      register_fill("peer", "fill", p, &sizes[i], at);
    register_rows(p, at, BENCH_EARLY_END);
    register_rows(p, at, BENCH_END);
    for (size_t i = 0; i < FROM_NOTHING; i++)
      register_once(NULL, p, &from_nothing[i], at);
  }
}

void bench_register_sleef_loops(const bench_shape *shape, const bench_offset *at) {
  for (size_t j = 0; j < peer_count(); j++) {
    const posenc_impl *impl = posenc_impl_find(peer_at(j)->name);
    if (impl && bench_runs(impl, POSENC_F32) && !peer_at(j)->lacks())
      register_fill("loop", NULL, peer_at(j), shape, at);
  }
}
