#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <string.h>

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

static const bench_shape shapes[] = {
#define POSENC_SHAPE(name, positions, d_model, base, who) {#name, positions, d_model, base, who, false, false},
#include "../../verify/tools/shapes.inc"
#undef POSENC_SHAPE
#define POSENC_LEVEL(name, positions, d_model, what) {#name, positions, d_model, 10000.0, what, true, false},
#include "levels.inc"
#undef POSENC_LEVEL
};

_Static_assert(sizeof shapes / sizeof *shapes <= BENCH_MAX_SHAPES, "bench_options.shapes has a bit per shape");

size_t bench_shape_count(void) { return sizeof shapes / sizeof *shapes; }

const bench_shape *bench_shape_at(size_t i) { return &shapes[i]; }

const bench_shape *bench_shape_find(const char *name) {
  for (size_t i = 0; i < bench_shape_count(); i++)
    if (strcmp(shapes[i].name, name) == 0)
      return &shapes[i];
  fprintf(stderr, "posenc-bench: no shape has the name %s\n", name);
  exit(2);
}

size_t bench_shape_bytes(const bench_shape *shape, posenc_dtype dtype) {
  return (size_t)(shape->positions * shape->d_model) * posenc_dtype_size(dtype);
}

posenc_spec bench_spec(const bench_shape *shape) {
  posenc_spec spec = paper_spec(shape->d_model);
  spec.base = shape->base;
  return spec;
}

/* ---- Skipped names ------------------------------------------------------------------------------------------ */

static struct { char *name, *reason; } * skipped;
static size_t n_skipped;

void bench_skip(const char *name, const char *reason) {
  if (bench_skipped(name))
    return;
  skipped = realloc(skipped, (n_skipped + 1) * sizeof *skipped);
  if (!skipped || !(skipped[n_skipped].name = strdup(name)) || !(skipped[n_skipped].reason = strdup(reason)))
    out_of_memory("for the names of skipped cases");
  n_skipped++;
}

bool bench_skipped(const char *name) {
  for (size_t i = 0; i < n_skipped; i++)
    if (strcmp(skipped[i].name, name) == 0)
      return true;
  return false;
}

const char *bench_skipped_at(size_t i, const char **reason) {
  if (i >= n_skipped)
    return NULL;
  *reason = skipped[i].reason;
  return skipped[i].name;
}
