#include "fill_call.h"

#include <stdlib.h>

const char *const fill_names[KINDS] = {"posenc_fill", "posenc_fill_at", "posenc_fill_at_real", "posenc_fill_pair"};

posenc_status perform(const posenc_plan *plan, const fill_call *c, int64_t from, int64_t count, void *out,
    void *cosines, int64_t stride) {
  switch (c->kind) {
  case FILL:
    return posenc_fill(plan, c->first + from, count, out, stride);
  case FILL_AT:
    return posenc_fill_at(plan, c->positions ? c->positions + from : NULL, count, out, stride);
  case FILL_AT_REAL:
    return posenc_fill_at_real(plan, c->reals ? c->reals + from : NULL, count, out, stride);
  default:
    return posenc_fill_pair(plan, c->first + from, count, out, cosines, stride);
  }
}

posenc_status foretell(const posenc_plan *plan, const fill_call *c, void *out, void *cosines, message *m) {
  switch (c->kind) {
  case FILL:
    return posenc_fill_check(plan, c->first, c->count, out, c->stride, m->text, m->size);
  case FILL_AT:
    return posenc_fill_at_check(plan, c->positions, c->count, out, c->stride, m->text, m->size);
  case FILL_AT_REAL:
    return posenc_fill_at_real_check(plan, c->reals, c->count, out, c->stride, m->text, m->size);
  default:
    return posenc_fill_pair_check(plan, c->first, c->count, out, cosines, c->stride, m->text, m->size);
  }
}

static bool has_list(const fill_call *c) { return c->kind == FILL_AT || c->kind == FILL_AT_REAL; }

model_position position_of(const fill_call *c, int64_t i) {
  if (c->kind == FILL_AT_REAL)
    return (model_position){.is_real = true, .real = c->reals[i]};
  return (model_position){.whole = c->kind == FILL_AT ? c->positions[i] : c->first + i};
}

/* ---- what to call */

/* A list of positions, of its very size; NULL now and then. A repeated byte makes the rest of it a walk. */
static void take_list(bytes *b, fill_call *c) {
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

fill_call take_fill_call(bytes *b, const subject *s) {
  fill_call c = {.kind = take_byte(b) % KINDS, .state = take_byte(b)};
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

allowed allowed_fill(const subject *s, const fill_call *c, const void *out, const void *cosines) {
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
