/* add/<implementation>/float32/n:<positions>/d:<d_model>: posenc_add, which adds the table to embeddings in one pass;
 * and the minimum that any program does for an addition over the same memory:
 *
 *   add/plain_loop/float32/...   out[i] = x[i] + c with one number c, so that only x is read
 *   add/.../b:32/n:512/d:768     posenc_add_batch, a batch of shape (b, n, d)
 *   add/.../in_place             out is x
 */
#include "../limits/plain_loop.h"
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sum {
  int64_t batch; /* 0: posenc_add, which has no batch */
  int64_t n, d;
  bool in_place;
  float *x;
} sum;

/* Sets x before every run: other cases leave any values in the buffer, also values that are slow to add, and additions
 * in place make the values grow. */
static const char *set_x(bench_work *w) {
  sum *s = w->self;
  const int64_t n = w->rows.n * s->d;
  s->x = w->out;
  if (!s->in_place)
    w->out = (float *)(void *)((char *)s->x + bench_to_next((size_t)n * sizeof(float)));
  for (int64_t i = 0; i < n; i++)
    s->x[i] = (float)(i % 1024) * 0x1p-9f - 1.0f;
  return NULL;
}

static posenc_status add_plainly(const bench_work *w) {
  const sum *s = w->self;
  const size_t n = (size_t)(w->rows.n * s->d);
  if (s->in_place)
    plain_add_to(s->x, 0.25f, n);
  else
    plain_add(s->x, 0.25f, w->out, n);
  return POSENC_OK;
}

static posenc_status add(const bench_work *w) {
  const sum *s = w->self;
  const posenc_strides strides = {s->n * s->d, s->d};
  /* Embeddings are scaled by sqrt(d). In place, repeated scaling would soon give infinity. */
  const double scale = s->in_place ? 1.0 : sqrt((double)s->d);
  if (s->batch)
    return posenc_add_batch(w->plan, 0, s->n, s->batch, s->x, strides, scale, w->out, strides);
  return posenc_add(w->plan, 0, s->n, s->x, s->d, scale, w->out, s->d);
}

/* impl: NULL is the plain loop. */
static void register_sum(const posenc_impl *impl, sum of, const bench_offset *at) {
  const posenc_spec spec = paper_spec(of.d);
  const int64_t rows = of.n * (of.batch ? of.batch : 1);
  const size_t bytes = (size_t)(rows * of.d) * sizeof(float);
  char batch[32] = "";
  if (of.batch)
    snprintf(batch, sizeof batch, "/b:%" PRId64, of.batch);
  sum *s = must_calloc(1, sizeof *s);
  *s = of;
  bench_register_work(
      &(bench_work){{impl, impl ? &spec : NULL, POSENC_DTYPE_F32, rows, of.d}, impl ? add : add_plainly, .end = of.n,
          .bytes = of.in_place ? bytes : bench_to_next(bytes) + bytes, .self = s, .destroy = free, .prepare = set_x},
      at, "add/%s/float32%s/" BENCH_SIZE "%s", impl ? impl->name : "plain_loop", batch, of.n, of.d,
      of.in_place ? "/in_place" : "");
}

/* recipes: also implementations that offer float32 only. They take so long for their sines that the addition hardly
 * counts. */
static void register_size(sum s, bool all, bool recipes, const bench_offset *at) {
  for (int in_place = 0; in_place < 2; in_place++) {
    const posenc_impl *impl;
    s.in_place = in_place;
    register_sum(NULL, s, at);
    for (size_t i = 0; (impl = bench_impl(i, POSENC_DTYPE_F32, all)); i++)
      if (recipes || bench_offers(impl, POSENC_DTYPE_BF16))
        register_sum(impl, s, at);
  }
}

void bench_register_sums(const bench_shape *shape, bool all, const bench_offset *at) {
  if (strcmp(shape->name, "transformer") == 0)
    register_size((sum){.n = shape->positions, .d = shape->d_model}, all, true, at);
}

void bench_register_more_sums(bool all, const bench_offset *at) {
  register_size((sum){.n = 131072, .d = 512}, all, false, at);
  register_size((sum){.batch = 32, .n = 512, .d = 768}, all, false, at);
}
