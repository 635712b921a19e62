#include "../reference/columns.h"
#include "../reference/formats.h"
#include "../reference/memory.h"
#include "fuzz.h"

/* Numbers that are no allowed count or stride, and large numbers that may be one. */
static const int64_t edges[] = {
    -1, INT64_MIN, INT64_MAX, INT64_C(1) << 33, (INT64_C(1) << 33) + 1, INT64_C(1) << 40, INT64_C(1) << 62};
enum { EDGES = sizeof edges / sizeof edges[0], ORDINARY = 256 - EDGES };

static int64_t take_count(bytes *b, int64_t width) {
  const unsigned how = take_byte(b);
  if (how >= ORDINARY)
    return edges[how - ORDINARY];
  const int64_t count = how < 170 ? how % 17 : how < 228 ? how - 158 : (int64_t)take_bits(b, 2) % 1300;
  const int64_t most = 20000 / width + 1;
  return count > most ? most : count;
}

/* A stride that is 0 only if there are no columns: 0 stands for d_model in posenc_table_create. */
static int64_t take_stride(bytes *b, int64_t width) {
  const unsigned how = take_byte(b);
  if (how >= ORDINARY)
    return edges[how - ORDINARY];
  if (how >= 200) /* whole cache lines of floats */
    return (width + 15) / 16 * 16 + 16 * (how % 3);
  return how < 100 ? width : how < 120 && width > 1 ? width - 1 : width + how % 20;
}

/* x * y + z modulo 2^64 */
static int64_t wrap(int64_t x, int64_t y, int64_t z) { return (int64_t)((uint64_t)x * (uint64_t)y + (uint64_t)z); }

static posenc_strides take_strides(bytes *b, const fuzz_call *c) {
  const int64_t row = take_stride(b, c->width);
  if (c->a.call != ADD_BATCH)
    return (posenc_strides){0, row};
  const unsigned how = take_byte(b);
  if (how < 100)
    return (posenc_strides){wrap(c->a.count, row, how % 4), row}; /* (batch, count, d_model) */
  if (how < 200)
    return (posenc_strides){row, wrap(c->a.batch, row, 0)}; /* (count, batch, d_model) */
  return (posenc_strides){take_stride(b, c->width), row};   /* these rows may overlap */
}

/* A list of positions, with no room behind it; sometimes NULL. Past the bytes' end, positions are a step apart. */
static void take_list(bytes *b, arguments *a) {
  const unsigned how = take_byte(b);
  if (how == 255 || a->count < 0)
    return;
  if (a->count > 1300) /* test_refusals.c tests lists that are too long */
    a->count = 1300;
  const int64_t step = how % 8 == 0 ? 1 : how % 8 == 1 ? -1 : how % 8 == 2 ? 64 : how % 8 == 3 ? 0 : (int)how;
  int64_t *const positions = a->call == AT ? must_calloc(a->count, sizeof *positions) : NULL;
  double *const reals = a->call == AT ? NULL : must_calloc(a->count, sizeof *reals);
  int64_t p = 0;
  double x = 0;
  for (int64_t i = 0; i < a->count; i++) {
    const bool given = b->end - b->at > 24 || i == 0;
    if (positions)
      positions[i] = p = given ? take_position(b) : wrap(p, 1, step);
    else
      reals[i] = x = given ? take_real(b) : x + (double)step / 4;
  }
  a->positions = positions;
  a->reals = reals;
}

void take_call(bytes *b, const posenc_plan *plan, const posenc_spec *spec, fuzz_call *c) {
  const unsigned which = take_byte(b), how = take_byte(b);
  const call kind = which < 170 ? (call)(how % 4) : which < 240 ? (call)(ADD + how % 2) : TABLE;
  *c = (fuzz_call){.a = {.call = kind, .plan = plan, .batch = 1},
      .state = take_byte(b),
      .in_place = (kind == ADD || kind == ADD_BATCH) && how & 2,
      .adds = kind == ADD || kind == ADD_BATCH,
      .width = kind == PAIR ? spec_count(spec) : spec->d_model,
      .size = format_of(spec->dtype)->size};
  arguments *a = &c->a;
  a->count = take_count(b, kind == ADD_BATCH ? 4 * spec->d_model : spec->d_model);
  if (kind == ADD_BATCH)
    a->batch = take_count(b, 20000 / 5);
  a->x_strides = take_strides(b, c);
  a->strides = c->adds && !c->in_place ? take_strides(b, c) : a->x_strides;
  if (kind == AT || kind == AT_REAL)
    take_list(b, a);
  else
    a->first = take_position(b);
  a->scale = c->adds ? take_real(b) : 1;
}
