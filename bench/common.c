#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

static const bench_shape shapes[] = {
#define POSENC_SHAPE(name, positions, d_model, base, who) {#name, positions, d_model, base, who, false},
#include "../verify/campaign/shapes.inc"
#undef POSENC_SHAPE
#define POSENC_LEVEL(name, positions, d_model, what) {#name, positions, d_model, 10000.0, what, true},
#include "levels.inc"
#undef POSENC_LEVEL
};

_Static_assert(sizeof shapes / sizeof *shapes <= BENCH_MAX_SHAPES, "bench_options.shapes has a bit per shape");

size_t bench_shape_count(void)
{
  return sizeof shapes / sizeof *shapes;
}

const bench_shape *bench_shape_at(size_t i)
{
  return &shapes[i];
}

const bench_shape *bench_shape_find(const char *name, size_t *index)
{
  for (size_t i = 0; i < bench_shape_count(); i++)
    if (strcmp(shapes[i].name, name) == 0) {
      if (index)
        *index = i;
      return &shapes[i];
    }
  return NULL;
}

size_t bench_shape_bytes(const bench_shape *shape, posenc_dtype dtype)
{
  return (size_t)(shape->positions * shape->d_model) * posenc_dtype_size(dtype);
}

posenc_spec bench_spec(const bench_shape *shape)
{
  posenc_spec spec = posenc_spec_default(shape->d_model);
  spec.base = shape->base;
  return spec;
}

const char *bench_dtype_name(posenc_dtype dtype)
{
  static const char *const names[] = {
      [POSENC_F32] = "f32", [POSENC_F64] = "f64", [POSENC_BF16] = "bf16", [POSENC_F16] = "f16"};
  return names[dtype];
}

const char *bench_name(char *text, size_t size, const char *what, const bench_shape *shape, const bench_place *place)
{
  snprintf(text, size, "%s/n:%" PRId64 "/d:%" PRId64 "%s", what, shape->positions, shape->d_model, place->suffix);
  return text;
}

/* ---- What is left out --------------------------------------------------------------------------------------- */

typedef struct left_out {
  struct left_out *next;
  char *name, *reason;
} left_out;

static left_out *first_left_out, **last_left_out = &first_left_out;

static char *copy(const char *text)
{
  const size_t size = strlen(text) + 1;
  return memcpy(bench_alloc(size), text, size);
}

void bench_leave_out(const char *name, const char *reason)
{
  if (bench_left_out(name))
    return;
  left_out *l = bench_alloc(sizeof *l);
  l->name = copy(name);
  l->reason = copy(reason);
  *last_left_out = l;
  last_left_out = &l->next;
}

bool bench_left_out(const char *name)
{
  for (const left_out *l = first_left_out; l; l = l->next)
    if (strcmp(l->name, name) == 0)
      return true;
  return false;
}

void bench_each_left_out(void (*call)(const char *name, const char *reason, void *data), void *data)
{
  for (const left_out *l = first_left_out; l; l = l->next)
    call(l->name, l->reason, data);
}

void bench_left_out_release(void)
{
  while (first_left_out) {
    left_out *l = first_left_out;
    first_left_out = l->next;
    free(l->name);
    free(l->reason);
    free(l);
  }
  last_left_out = &first_left_out;
}

void *bench_alloc(size_t size)
{
  void *p = calloc(1, size);
  if (!p) {
    fputs("posenc-bench: out of memory\n", stderr);
    exit(1);
  }
  return p;
}
