/* posenc_fill and its three siblings: refused as the header says, or every value right, and nothing else written. */
#include <stdlib.h>

#include "../family.h"
#include "../formats.h"
#include "../random.h"
#include "allowed.h"
#include "array.h"
#include "calls.h"
#include "complain.h"
#include "spec.h"
#include "state.h"

typedef struct call {
  enum { FILL, FILL_AT, FILL_AT_REAL, FILL_PAIR, KINDS } kind;
  int64_t first, count, width, stride;
  int64_t *positions;
  double *reals;
  int64_t cosines; /* of a pair: elements behind the sines */
  unsigned state;
} call;

static const char *const names[KINDS] = {"posenc_fill", "posenc_fill_at", "posenc_fill_at_real", "posenc_fill_pair"};

/* Rows from .. from+count-1 of the call's. */
static posenc_status perform(const posenc_plan *plan, const call *c, int64_t from, int64_t count, void *out, void *cosines, int64_t stride)
{
  switch (c->kind) {
  case FILL: return posenc_fill(plan, c->first + from, count, out, stride);
  case FILL_AT: return posenc_fill_at(plan, c->positions ? c->positions + from : NULL, count, out, stride);
  case FILL_AT_REAL: return posenc_fill_at_real(plan, c->reals ? c->reals + from : NULL, count, out, stride);
  default: return posenc_fill_pair(plan, c->first + from, count, out, cosines, stride);
  }
}

static posenc_status foretell(const posenc_plan *plan, const call *c, void *out, void *cosines, message *m)
{
  switch (c->kind) {
  case FILL: return posenc_fill_check(plan, c->first, c->count, out, c->stride, m->text, m->size);
  case FILL_AT: return posenc_fill_at_check(plan, c->positions, c->count, out, c->stride, m->text, m->size);
  case FILL_AT_REAL: return posenc_fill_at_real_check(plan, c->reals, c->count, out, c->stride, m->text, m->size);
  default: return posenc_fill_pair_check(plan, c->first, c->count, out, cosines, c->stride, m->text, m->size);
  }
}

static bool has_list(const call *c) { return c->kind == FILL_AT || c->kind == FILL_AT_REAL; }

static model_position position_of(const call *c, int64_t i)
{
  if (c->kind == FILL_AT_REAL)
    return (model_position){.is_real = true, .real = c->reals[i]};
  return (model_position){.whole = c->kind == FILL_AT ? c->positions[i] : c->first + i};
}

/* ---- what to call */

/* A list of positions, of its very size; NULL now and then. A repeated byte makes the rest of it a walk. */
static void take_list(bytes *b, call *c)
{
  const unsigned how = take_byte(b);
  if (c->count > 1300)
    c->count = 1300; /* a list that long is for tests of limits */
  if (how == 255 || c->count < 0)
    return;
  const size_t n = c->count > 0 ? (size_t)c->count : 1;
  const int64_t step = how % 8 == 0 ? 1 : how % 8 == 1 ? -1 : how % 8 == 2 ? 64 : how % 8 == 3 ? 0 : (int)how;
  c->positions = malloc(n * sizeof *c->positions);
  c->reals = malloc(n * sizeof *c->reals);
  int64_t p = 0;
  double x = 0;
  for (size_t i = 0; i < n; i++) {
    const bool given = b->end - b->at > 24 || (i == 0 && b->at < b->end);
    p = given && c->kind == FILL_AT ? take_position(b) : p > INT64_MAX - 256 || p < INT64_MIN + 256 ? 0 : p + step;
    x = given && c->kind == FILL_AT_REAL ? take_real(b) : fabs(x) < 0x1p31 ? x + (double)step / 4 : 0.375;
    c->positions[i] = p;
    c->reals[i] = x;
  }
}

static call take_call(bytes *b, const subject *s)
{
  call c = {.kind = take_byte(b) % KINDS, .state = take_byte(b)};
  const int64_t n = model_count(s->spec);
  c.width = c.kind == FILL_PAIR ? n : s->spec->d_model;
  c.count = take_count(b, s->spec->d_model);
  c.stride = take_stride(b, c.width, s->size);
  if (has_list(&c))
    take_list(b, &c);
  else
    c.first = take_position(b);
  return c;
}

static allowed allowed_call(const subject *s, const call *c, const void *out, const void *cosines)
{
  allowed a = {0, 0};
  allowed_rows(&a, s->spec, c->count, (place){c->stride, c->width, out});
  if (c->kind == FILL_PAIR)
    allowed_rows(&a, s->spec, c->count, (place){c->stride, c->width, cosines});
  if (!has_list(c))
    allowed_first(&a, s->spec, c->first, c->count);
  else if (c->count > 0 && !c->positions)
    a.errors |= BIT(ARGUMENT);
  for (int64_t i = 0; has_list(c) && c->positions && i < c->count; i++) {
    if (c->kind == FILL_AT)
      allowed_whole(&a, s->spec, c->positions[i]);
    else
      allowed_real(&a, s->spec, c->reals[i]);
  }
  return a;
}

/* ---- what came of it */

static unsigned char *at(const subject *s, const call *c, unsigned char *start, int64_t row, int64_t column)
{
  return start + (size_t)(row * c->stride + column) * s->size;
}

static void judge_row(const subject *s, const call *c, unsigned char *start, int64_t row, uint64_t *seed)
{
  enum { WIDE = 96 };
  const int64_t columns = c->kind == FILL_PAIR ? 2 * c->width : c->width, n = columns < WIDE ? columns : WIDE / 2;
  for (int64_t i = 0; i < n; i++) {
    const int64_t column = n == columns ? i : i < 4 ? i : i < 8 ? columns - 1 - (i - 4) : random_between(seed, 0, columns - 1);
    const meaning m = c->kind == FILL_PAIR ? model_pair_column(c->width, column) : model_column(s->spec, column);
    const int64_t held_at = c->kind != FILL_PAIR || column < c->width ? column : c->cosines + column - c->width;
    int64_t bounded = column; /* a column of the spec's that has this function of this frequency, or its other one */
    for (bounded = 0; c->kind == FILL_PAIR && bounded < s->spec->d_model && model_column(s->spec, bounded).k != m.k;)
      bounded++;
    judge_element(s, m, position_of(c, row), c->kind == FILL_PAIR ? bounded : column, element_value(s->spec->dtype, at(s, c, start, row, held_at)));
  }
}

/* By the model as many rows as its patience allows, the first and the last among them; all of them against calls of one row. */
static void judge_rows(bytes *b, const subject *s, const call *c, unsigned char *start)
{
  enum { PATIENCE = 260 };
  const int64_t columns = c->kind == FILL_PAIR ? 2 * c->width : c->width;
  const int64_t most = PATIENCE / columns + 2, judged = c->count < most ? c->count : most;
  uint64_t seed = take_byte(b);
  for (int64_t i = 0; i < judged; i++)
    judge_row(s, c, start, judged == c->count ? i : i == 0 ? 0 : i == 1 ? c->count - 1 : random_between(&seed, 0, c->count - 1), &seed);
  unsigned char *row = calloc((size_t)columns, s->size);
  for (int64_t i = 0; i < c->count && (judged < c->count || c->count > 1); i++) {
    perform(s->plan, c, i, 1, row, row + (size_t)c->width * s->size, columns);
    const size_t length = (size_t)c->width * s->size;
    if (memcmp(row, at(s, c, start, i, 0), length) != 0 ||
        (c->kind == FILL_PAIR && memcmp(row + length, at(s, c, start, i, c->cosines), length) != 0))
      complain("%s by %s, d_model %lld: row %lld of %lld, position %a, is another where it is alone", names[c->kind], s->impl->name,
               (long long)s->spec->d_model, (long long)i, (long long)c->count,
               c->kind == FILL_AT_REAL ? c->reals[i] : (double)position_of(c, i).whole);
  }
  free(row);
}

/* Another member of the family writes the same bits. */
static void judge_member(bytes *b, const subject *s, const call *c, const array *a)
{
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
    complain("%s: %s and %s differ, d_model %lld, %lld rows", names[c->kind], s->impl->name, other->name, (long long)s->spec->d_model,
             (long long)c->count);
  array_free(&its);
  posenc_plan_destroy(plan);
}

void fuzz_fill(bytes *b, const subject *s)
{
  call c = take_call(b, s);
  const unsigned offset = take_byte(b), broken = take_byte(b); /* odd numbers of bytes, or NULL */
  /* The halves of one array, or two arrays one behind the other. */
  const bool halves = c.kind == FILL_PAIR && c.stride >= 2 * c.width, has_rows = c.count > 0 && c.stride >= c.width;
  const wide extent = has_rows ? (wide)(c.count - 1) * c.stride + c.width : 0;
  const bool real = extent <= 4 * MOST_ELEMENTS;
  const int64_t reach = real ? (int64_t)extent : 0;
  c.cosines = halves ? c.width : reach + 3;
  const int64_t elements = c.kind == FILL_PAIR ? reach + c.cosines : reach;
  array a = array_of((size_t)elements * s->size, (size_t)(offset % 32) * s->size);
  unsigned char *out = broken == 255 ? NULL : a.start + (broken >= 250 ? 2 * broken - 499 : 0);
  unsigned char *cosines = broken == 249 ? NULL : a.start + (size_t)c.cosines * s->size + (broken >= 240 && broken < 249 ? 2 * broken - 479 : 0);

  const allowed wanted = allowed_call(s, &c, out, cosines);
  message m;
  posenc_status status, foretold;
  message_clear(&m, b);
  IN_STATE(c.state, foretold = foretell(s->plan, &c, out, cosines, &m));
  message_judge(names[c.kind], &m, foretold);
  const int fine = judge_status(names[c.kind], foretold, wanted);
  if (real || !fine) { /* what is allowed and too large has no memory here */
    IN_STATE(c.state, status = perform(s->plan, &c, 0, c.count, out, cosines, c.stride));
    if (status != foretold)
      complain("%s returns %d, its check %d", names[c.kind], (int)status, (int)foretold);
    for (int64_t i = 0; fine && i < c.count; i++) {
      array_accept(&a, at(s, &c, a.start, i, 0), (size_t)c.width * s->size);
      if (c.kind == FILL_PAIR)
        array_accept(&a, at(s, &c, a.start, i, c.cosines), (size_t)c.width * s->size);
    }
    array_judge(names[c.kind], &a);
    if (fine && c.count > 0 && c.width > 0) {
      judge_rows(b, s, &c, a.start);
      judge_member(b, s, &c, &a);
    }
  }
  array_free(&a);
  free(c.positions);
  free(c.reals);
}
