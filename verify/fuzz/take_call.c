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
  const int64_t count = how < 64 ? how % 17 : how < 200 ? how - 52 : (int64_t)take_bits(b, 2) % 1300;
  const int64_t most = 40000 / width + 1;
  return count > most ? most : count;
}

/* A stride that is 0 only if there are no columns: 0 stands for d_model in posenc_table_create. */
static int64_t take_stride(bytes *b, int64_t width, int64_t line) {
  const unsigned how = take_byte(b);
  if (how >= ORDINARY)
    return edges[how - ORDINARY];
  if (how >= 160) /* whole cache lines */
    return (width + line - 1) / line * line + line * (how % 3);
  return how < 100 ? width : how < 108 && width > 1 ? width - 1 : width + how % 20;
}

/* In most calls the spec's special position is among the rows. */
static int64_t take_first(bytes *b, int64_t near) {
  const unsigned how = take_byte(b);
  int64_t sum;
  return how >= 200 ? take_position(b) : __builtin_sub_overflow(near, how % 32, &sum) ? near : sum;
}

/* A list of positions, with no room behind it; sometimes NULL. Positions are given by the bytes, are a step apart, or
 * are anywhere within a distance of `near`. */
static void take_list(bytes *b, arguments *a, int64_t near) {
  static const int64_t steps[] = {1, -1, 64, 0, 3}, spans[] = {20, 300000, POSENC_MAX_POSITION};
  enum { STEPS = sizeof steps / sizeof steps[0], SPANS = sizeof spans / sizeof spans[0] };
  const unsigned how = take_byte(b), pattern = how % (STEPS + SPANS);
  if (how == 255 || a->count < 0)
    return;
  if (a->count > 1300) /* the list must exist */
    a->count = 1300;
  int64_t *const positions = a->kind == CALL_AT ? must_calloc(a->count, sizeof *positions) : NULL;
  double *const reals = a->kind == CALL_AT ? NULL : must_calloc(a->count, sizeof *reals);
  uint64_t seed = how;
  int64_t p = take_first(b, near);
  for (int64_t i = 0; i < a->count; i++) {
    const bool given = how >= 192 && b->end - b->at > 24;
    const int64_t parts = random_between(&seed, -63, 63), fraction = next_random(&seed) % 2 ? parts : 0;
    if (pattern >= STEPS)
      p = (int64_t)((uint64_t)near + (uint64_t)random_between(&seed, -spans[pattern - STEPS], spans[pattern - STEPS]));
    if (positions)
      positions[i] = given ? take_position(b) : p;
    else if (given)
      reals[i] = take_real(b);
    else
      reals[i] = ((double)p + ldexp((double)fraction, how & 16 ? -200 : -6 - (int)(how & 15))) *
                 (i % 8 ? 1 : -1); /* perhaps -0.0 */
    p = (int64_t)((uint64_t)p + (uint64_t)(pattern < STEPS ? steps[pattern] : 0));
  }
  a->positions = positions;
  a->reals = reals;
}

fuzz_call call_of(const posenc_plan *plan, const posenc_spec *spec, call_kind kind) {
  return (fuzz_call){.a = {.kind = kind, .plan = plan},
      .width = kind == CALL_PAIR ? spec_count(spec) : spec->d_model,
      .size = format_of(spec->dtype)->size};
}

void take_call(bytes *b, const posenc_plan *plan, const fuzz_spec *f, fuzz_call *c) {
  const posenc_spec *const spec = &f->spec;
  const unsigned which = take_byte(b);
  const call_kind kind = which < 200 ? (call_kind)(which % 4) : which < 240 ? CALL_ONCE : CALL_TABLE;
  *c = call_of(plan, spec, kind);
  c->state = take_byte(b);
  arguments *a = &c->a;
  a->count = take_count(b, spec->d_model);
  a->row_stride = take_stride(b, c->width, 64 / (int64_t)c->size);
  if (kind == CALL_AT || kind == CALL_AT_REAL)
    take_list(b, a, f->near);
  else
    a->first = take_first(b, f->near);
}
