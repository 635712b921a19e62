/* add/<implementation>/f32/n:<positions>/d:<d_model>: posenc_add, embeddings and the table in one pass, beside what any program
 * has to do for a sum over the same memory:
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

typedef struct add_case {
  posenc_plan *plan; /* NULL: the plain loop */
  size size;
  bool in_place;
  int64_t offset;
  double scale;
  float *x, *out;
} add_case;

static int64_t rows(const size *s)
{
  return s->n * (s->batch ? s->batch : 1);
}

static posenc_status add(const add_case *c, int64_t count)
{
  const posenc_strides strides = {c->size.n * c->size.d, c->size.d};
  if (c->size.batch)
    return posenc_add_batch(c->plan, 0, count, c->size.batch, c->x, strides, c->scale, c->out, strides);
  return posenc_add(c->plan, 0, count, c->x, c->size.d, c->scale, c->out, c->size.d);
}

static void pass(void *data)
{
  const add_case *c = data;
  const size_t n = (size_t)(rows(&c->size) * c->size.d);
  if (c->plan)
    add(c, c->size.n); /* checked in begin() */
  else if (c->in_place)
    plain_add_to(c->x, 0.25f, n);
  else
    plain_add(c->x, 0.25f, c->out, n);
}

/* Every time: other cases leave anything in the buffer, also what is slow to add, and sums in place grow. */
static void set_x(const add_case *c)
{
  const size_t n = (size_t)(rows(&c->size) * c->size.d);
  for (size_t i = 0; i < n; i++)
    c->x[i] = (float)(i % 1024) * 0x1p-9f - 1.0f;
}

static const char *begin(void *data)
{
  add_case *c = data;
  const size_t bytes = (size_t)(rows(&c->size) * c->size.d) * sizeof(float);
  c->x = bench_buffer(c->in_place ? bytes : bench_to_next(bytes) + bytes, c->offset);
  if (!c->x)
    return "no memory for the arrays";
  c->out = c->in_place ? c->x : (float *)(void *)((char *)c->x + bench_to_next(bytes));
  set_x(c);
  const posenc_status status = c->plan ? add(c, 1) : POSENC_OK;
  return status == POSENC_OK ? NULL : posenc_status_string(status);
}

static void end(void *data, shim_run *run)
{
  const add_case *c = data;
  bench_wrote(run, rows(&c->size), c->size.d, POSENC_F32);
}

static void release(void *data)
{
  add_case *c = data;
  posenc_plan_destroy(c->plan);
  free(c);
}

/* impl: NULL for the plain loop. */
static void register_one(const posenc_impl *impl, const size *s, bool in_place, const bench_offset *at)
{
  char batch[32] = "", name[192];
  if (s->batch)
    snprintf(batch, sizeof batch, "/b:%" PRId64, s->batch);
  snprintf(name, sizeof name, "add/%s/f32%s/n:%" PRId64 "/d:%" PRId64 "%s%s", impl ? impl->name : "plain_loop", batch, s->n, s->d,
           in_place ? "/in_place" : "", at->suffix);
  const posenc_spec spec = posenc_spec_default(s->d);
  posenc_plan *plan = impl ? bench_plan(name, impl, &spec) : NULL;
  if (impl && !plan)
    return;
  add_case *c = must_calloc(1, sizeof *c);
  /* In place the scale of embeddings would soon come to infinity. */
  *c = (add_case){.plan = plan, .size = *s, .in_place = in_place, .offset = at->bytes,
                  .scale = in_place ? 1.0 : sqrt((double)s->d)};
  shim_register(&(shim_case){.name = name, .data = c, .begin = begin, .pass = pass, .end = end, .release = release, .who = impl ? impl->name : NULL});
}

static bool is_any(const posenc_impl *impl)
{
  (void)impl;
  return true;
}

/* The recipes have float32 only. They add too, but their sines take so long that the sum does not count. */
static bool is_no_recipe(const posenc_impl *impl)
{
  return bench_offers(impl, POSENC_BF16);
}

static void register_size(const size *s, bool (*wanted)(const posenc_impl *impl), const bench_offset *at)
{
  for (int in_place = 0; in_place < 2; in_place++) {
    register_one(NULL, s, in_place, at);
    for (size_t i = 0; i < posenc_impl_count(); i++)
      if (wanted(posenc_impl_at(i)) && bench_runs(posenc_impl_at(i), POSENC_F32))
        register_one(posenc_impl_at(i), s, in_place, at);
  }
}

void bench_register_sums(const bench_shape *shape, bool all, const bench_offset *at)
{
  const size s = {0, shape->positions, shape->d_model};
  if (strcmp(shape->name, "transformer") == 0)
    register_size(&s, all ? is_any : bench_is_main, at);
}

void bench_register_more_sums(bool all, const bench_offset *at)
{
  static const size sizes[] = {{0, 131072, 512}, {32, 512, 768}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    register_size(&sizes[i], all ? is_no_recipe : bench_is_main, at);
}
