#include "../reference/columns.h"
#include "../reference/formats.h"
#include "../tools/memory.h"
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
      positions[i] = p = given ? take_position(b) : (int64_t)((uint64_t)p + (uint64_t)step);
    else
      reals[i] = x = given ? take_real(b) : x + (double)step / 4;
  }
  a->positions = positions;
  a->reals = reals;
}

void take_call(bytes *b, const posenc_plan *plan, const posenc_spec *spec, fuzz_call *c) {
  const unsigned which = take_byte(b), how = take_byte(b);
  const call kind = which < 240 ? (call)(how % 4) : TABLE;
  *c = (fuzz_call){.a = {.call = kind, .plan = plan},
      .state = take_byte(b),
      .width = kind == PAIR ? spec_count(spec) : spec->d_model,
      .size = format_of(spec->dtype)->size};
  arguments *a = &c->a;
  a->count = take_count(b, spec->d_model);
  a->row_stride = take_stride(b, c->width);
  if (kind == AT || kind == AT_REAL)
    take_list(b, a);
  else
    a->first = take_position(b);
}
