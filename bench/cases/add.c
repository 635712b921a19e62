/* add/<implementation>/f32/n:<positions>/d:<d_model>: posenc_add, embeddings and the table in one pass, beside what any
 * program has to do for a sum over the same memory:
 *
 *   add/plain_loop/f32/...    out[i] = x[i] + c, one number c, so that nothing is read but x
 *   add/.../b:32/n:512/d:768  a batch, (b, n, d), by posenc_add_batch
 *   add/.../in_place          out is x
 */
#include "../limits/plain_loop.h"
#include "cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct size {
  int64_t batch; /* 0: the plain call, of one */
  int64_t n, d;
} size;

typedef struct sum {
  size size;
  bench_shape all; /* of the batch together */
  bool in_place;
  float *x;
} sum;

/* Every time: other cases leave anything in the buffer, also what is slow to add, and sums in place grow. */
static void set_x(bench_work *w) {
  sum *s = w->self;
  const int64_t n = w->rows * s->size.d;
  s->x = w->out;
  if (!s->in_place)
    w->out = (float *)(void *)((char *)s->x + bench_to_next((size_t)n * sizeof(float)));
  for (int64_t i = 0; i < n; i++)
    s->x[i] = (float)(i % 1024) * 0x1p-9f - 1.0f;
}

static posenc_status add_plainly(const bench_work *w) {
  const sum *s = w->self;
  const size_t n = (size_t)(w->rows * s->size.d);
  if (s->in_place)
    plain_add_to(s->x, 0.25f, n);
  else
    plain_add(s->x, 0.25f, w->out, n);
  return POSENC_OK;
}

static posenc_status add(const bench_work *w) {
  const sum *s = w->self;
  const int64_t n = s->size.n, d = s->size.d;
  const posenc_strides strides = {n * d, d};
  const double scale = s->in_place ? 1.0 : sqrt((double)d); /* of embeddings; in place it would soon come to infinity */
  if (s->size.batch)
    return posenc_add_batch(w->plan, 0, n, s->size.batch, s->x, strides, scale, w->out, strides);
  return posenc_add(w->plan, 0, n, s->x, d, scale, w->out, d);
}

/* impl: NULL for the plain loop. */
static void register_one(const posenc_impl *impl, const size *of, bool in_place, const bench_offset *at) {
  char batch[32] = "", name[192];
  if (of->batch)
    snprintf(batch, sizeof batch, "/b:%" PRId64, of->batch);
  snprintf(name, sizeof name, "add/%s/f32%s/n:%" PRId64 "/d:%" PRId64 "%s%s", impl ? impl->name : "plain_loop", batch,
      of->n, of->d, in_place ? "/in_place" : "", at->suffix);
  const posenc_spec spec = posenc_spec_default(of->d);
  posenc_plan *plan = impl ? bench_plan(name, impl, &spec) : NULL;
  if (impl && !plan)
    return;
  sum *s = must_calloc(1, sizeof *s);
  *s = (sum){
      .size = *of, .in_place = in_place, .all = {.positions = of->n * (of->batch ? of->batch : 1), .d_model = of->d}};
  const size_t bytes = bench_shape_bytes(&s->all, POSENC_F32);
  bench_register_work(&(bench_work){.plan = plan,
                          .shape = &s->all,
                          .bytes = in_place ? bytes : bench_to_next(bytes) + bytes,
                          .offset = at->bytes,
                          .self = s,
                          .destroy = free,
                          .prepare = set_x,
                          .write = impl ? add : add_plainly,
                          .checked = true},
      (shim_case){.name = name, .who = impl ? impl->name : NULL});
}

static bool is_any(const posenc_impl *impl) {
  (void)impl;
  return true;
}

/* The recipes have float32 only. They add too, but their sines take so long that the sum does not count. */
static bool is_no_recipe(const posenc_impl *impl) { return bench_offers(impl, POSENC_BF16); }

static void register_size(const size *s, bool (*wanted)(const posenc_impl *impl), const bench_offset *at) {
  for (int in_place = 0; in_place < 2; in_place++) {
    register_one(NULL, s, in_place, at);
    for (size_t i = 0; i < posenc_impl_count(); i++)
      if (wanted(posenc_impl_at(i)) && bench_runs(posenc_impl_at(i), POSENC_F32))
        register_one(posenc_impl_at(i), s, in_place, at);
  }
}

void bench_register_sums(const bench_shape *shape, bool all, const bench_offset *at) {
  const size s = {0, shape->positions, shape->d_model};
  if (strcmp(shape->name, "transformer") == 0)
    register_size(&s, all ? is_any : bench_is_main, at);
}

void bench_register_more_sums(bool all, const bench_offset *at) {
  static const size sizes[] = {{0, 131072, 512}, {32, 512, 768}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    register_size(&sizes[i], all ? is_no_recipe : bench_is_main, at);
}
