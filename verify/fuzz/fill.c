/* posenc_fill and its three siblings: refused as the header says, or every value right, and nothing else written. */
#include <stdlib.h>

#include "../campaign/family.h"
#include "../reference/formats.h"
#include "../reference/random.h"
#include "array.h"
#include "complain.h"
#include "fill_call.h"
#include "state.h"

static unsigned char *at(const subject *s, const fill_call *c, unsigned char *start, int64_t row, int64_t column) {
  return start + (size_t)(row * c->stride + column) * s->size;
}

/* A column of that frequency, whichever function: their bounds are the same. */
static int64_t column_of(const posenc_spec *spec, int64_t k) {
  int64_t column = 0;
  while (column < spec->d_model - 1 && model_column(spec, column).k != k)
    column++;
  return column;
}

static void judge_row(const subject *s, const fill_call *c, unsigned char *start, int64_t row, uint64_t *seed) {
  enum { WIDE = 96 };
  const int64_t columns = c->kind == FILL_PAIR ? 2 * c->width : c->width, n = columns < WIDE ? columns : WIDE / 2;
  for (int64_t i = 0; i < n; i++) {
    const int64_t column = n == columns ? i
                           : i < 4      ? i
                           : i < 8      ? columns - 1 - (i - 4)
                                        : random_between(seed, 0, columns - 1);
    const meaning m = c->kind == FILL_PAIR ? model_pair_column(c->width, column) : model_column(s->spec, column);
    const int64_t held_at = c->kind != FILL_PAIR || column < c->width ? column : c->cosines + column - c->width;
    const double got = element_value(s->spec->dtype, at(s, c, start, row, held_at));
    judge_element(s, m, position_of(c, row), c->kind == FILL_PAIR ? column_of(s->spec, m.k) : column, got);
  }
}

/* By the model as many rows as its patience allows, the first and the last among them; all of them against calls of one
 * row. */
static void judge_rows(bytes *b, const subject *s, const fill_call *c, unsigned char *start) {
  enum { PATIENCE = 260 };
  const int64_t columns = c->kind == FILL_PAIR ? 2 * c->width : c->width;
  const int64_t most = PATIENCE / columns + 2, judged = c->count < most ? c->count : most;
  uint64_t seed = take_byte(b);
  for (int64_t i = 0; i < judged; i++) {
    const int64_t any = random_between(&seed, 0, c->count - 1);
    judge_row(s, c, start, judged == c->count ? i : i == 0 ? 0 : i == 1 ? c->count - 1 : any, &seed);
  }
  unsigned char *row = calloc((size_t)columns, s->size);
  for (int64_t i = 0; i < c->count && (judged < c->count || c->count > 1); i++) {
    perform(s->plan, c, i, 1, row, row + (size_t)c->width * s->size, columns);
    const size_t length = (size_t)c->width * s->size;
    if (memcmp(row, at(s, c, start, i, 0), length) != 0 ||
        (c->kind == FILL_PAIR && memcmp(row + length, at(s, c, start, i, c->cosines), length) != 0))
      complain("%s by %s, d_model %lld: row %lld of %lld, position %a, is another where it is alone",
          fill_names[c->kind], s->impl->name, (long long)s->spec->d_model, (long long)i, (long long)c->count,
          c->kind == FILL_AT_REAL ? c->reals[i] : (double)position_of(c, i).whole);
  }
  free(row);
}

/* Another member of the family writes the same bits. */
static void judge_member(bytes *b, const subject *s, const fill_call *c, const array *a) {
  char family[FAMILY_SIZE];
  family_of(s->impl, family);
  const posenc_impl *other = family_member(family, take_byte(b) % 4);
  if (!s->turned || !other || other == s->impl)
    return;
  posenc_plan *plan = NULL;
  if (posenc_plan_create(&plan, s->spec, other->name) != POSENC_OK)
    complain("%s has no plan of a spec that %s has one of", other->name, s->impl->name);
  array its = array_of(a->bytes, 0);
  unsigned char *start = its.memory + (a->start - a->memory);
  perform(plan, c, 0, c->count, start, start + (size_t)c->cosines * s->size, c->stride);
  if (memcmp(its.memory, a->memory, a->bytes) != 0)
    complain("%s: %s and %s differ, d_model %lld, %lld rows", fill_names[c->kind], s->impl->name, other->name,
        (long long)s->spec->d_model, (long long)c->count);
  array_free(&its);
  posenc_plan_destroy(plan);
}

void fuzz_fill(bytes *b, const subject *s) {
  fill_call c = take_fill_call(b, s);
  const unsigned offset = take_byte(b), broken = take_byte(b);
  /* The halves of one array, or two arrays one behind the other. */
  const bool halves = c.kind == FILL_PAIR && c.stride >= 2 * c.width, has_rows = c.count > 0 && c.stride >= c.width;
  const wide extent = has_rows ? (wide)(c.count - 1) * c.stride + c.width : 0;
  const bool real = extent <= 4 * MOST_ELEMENTS;
  const int64_t reach = real ? (int64_t)extent : 0;
  c.cosines = halves ? c.width : reach + 3;
  const int64_t elements = c.kind == FILL_PAIR ? reach + c.cosines : reach;
  array a = array_of((size_t)elements * s->size, (size_t)(offset % 32) * s->size);
  unsigned char *out = broken_pointer(a.start, broken, 255);
  unsigned char *cosines = broken_pointer(a.start + (size_t)c.cosines * s->size, broken, 249);

  const allowed wanted = allowed_fill(s, &c, out, cosines);
  message m;
  posenc_status status, foretold;
  message_clear(&m, b);
  IN_STATE(c.state, foretold = foretell(s->plan, &c, out, cosines, &m));
  message_judge(fill_names[c.kind], &m, foretold);
  const int fine = judge_status(fill_names[c.kind], foretold, wanted);
  if (real || !fine) { /* what is allowed and too large has no memory here */
    IN_STATE(c.state, status = perform(s->plan, &c, 0, c.count, out, cosines, c.stride));
    if (status != foretold)
      complain("%s returns %d, its check %d", fill_names[c.kind], (int)status, (int)foretold);
    for (int64_t i = 0; fine && c.width > 0 && i < c.count; i++) {
      array_accept(&a, at(s, &c, a.start, i, 0), (size_t)c.width * s->size);
      if (c.kind == FILL_PAIR)
        array_accept(&a, at(s, &c, a.start, i, c.cosines), (size_t)c.width * s->size);
    }
    array_judge(fill_names[c.kind], &a);
    if (fine && c.count > 0 && c.width > 0) {
      judge_rows(b, s, &c, a.start);
      judge_member(b, s, &c, &a);
    }
  }
  array_free(&a);
  free(c.positions);
  free(c.reals);
}
