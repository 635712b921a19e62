/* posenc_add and posenc_add_batch: refused as the header says, or every sum right, and nothing else written. */
#include <stdlib.h>

#include "../reference/formats.h"
#include "../reference/random.h"
#include "allowed.h"
#include "array.h"
#include "calls.h"
#include "complain.h"
#include "spec.h"
#include "state.h"

typedef struct call {
  bool batched, in_place;
  int64_t first, count, batch;
  posenc_strides x, out;
  double scale;
  unsigned state;
} call;

static posenc_strides take_strides(bytes *b, const subject *s, const call *c) {
  const int64_t d = s->spec->d_model;
  posenc_strides t = {d, take_stride(b, d, s->size)};
  if (!c->batched)
    return t;
  const unsigned how = take_byte(b);
  const bool small = t.row >= d && t.row < 2 * d + 64 && c->count >= 0 && c->count < 4096 && c->batch < 4096;
  if (how < 100) /* (batch, count, d_model) */
    t.batch = small ? c->count * t.row + how % 4 : d;
  else if (how < 200) { /* (count, batch, d_model) */
    t.batch = t.row;
    t.row = small && c->batch > 0 ? c->batch * t.batch : d;
  } else
    t.batch = take_stride(b, d, s->size); /* and perhaps rows on rows */
  return t;
}

static call take_call(bytes *b, const subject *s) {
  const unsigned how = take_byte(b);
  call c = {.batched = how & 1, .in_place = how & 2, .state = take_byte(b), .batch = 1};
  c.count = take_count(b, (c.batched ? 4 : 1) * s->spec->d_model);
  if (c.batched) {
    const unsigned many = take_byte(b);
    c.batch = many < 240 ? many % 5 : take_position(b);
  }
  c.x = take_strides(b, s, &c);
  c.out = c.in_place ? c.x : take_strides(b, s, &c);
  c.first = take_position(b);
  c.scale = take_real(b);
  return c;
}

static allowed allowed_call(const subject *s, const call *c, const void *x, const void *out) {
  allowed a = {0, 0};
  if (c->count < 0 || c->batch < 0)
    a.errors |= BIT(ARGUMENT);
  if (s->spec->dtype != POSENC_F32 && s->spec->dtype != POSENC_BF16)
    a.errors |= BIT(UNSUPPORTED);
  const volatile float scale = (float)c->scale;
  if (!isfinite(scale))
    a.errors |= BIT(ARGUMENT);
  allowed_strides(&a, s->spec, c->count, c->batch, c->x, 0);
  allowed_strides(&a, s->spec, c->count, c->batch, c->out, 1);
  if (c->count > 0 && c->batch > 0) {
    if (!x || (uintptr_t)x % s->size || !out || (uintptr_t)out % s->size)
      a.errors |= BIT(ARGUMENT);
    allowed_first(&a, s->spec, c->first, c->count);
  }
  return a;
}

/* Elements from the first to behind the last; -1 for more than are given memory. */
static int64_t extent(const call *c, posenc_strides t, int64_t d) {
  if (c->count <= 0 || c->batch <= 0 || t.row < d || (c->batch > 1 && t.batch < d))
    return 0;
  const wide elements = (wide)(c->count - 1) * t.row + (c->batch > 1 ? (wide)(c->batch - 1) * t.batch : 0) + d;
  return elements <= 4 * MOST_ELEMENTS ? (int64_t)elements : -1;
}

/* Ordinary numbers, and what is none: zeros, subnormals, infinities, NaNs, as bits. */
static void put_numbers(bytes *b, const subject *s, array *x) {
  const unsigned how = take_byte(b);
  uint64_t seed = how;
  for (size_t i = 0; i + s->size <= x->bytes; i += s->size) {
    uint64_t bits = next_random(&seed);
    if (how < 128) { /* between 2^-7 and 2^8 */
      const float value = ldexpf((float)(int32_t)bits, (int)(bits >> 40) % 16 - 38);
      uint32_t its;
      memcpy(&its, &value, sizeof its);
      bits = s->size == 2 ? its >> 16 : its;
    }
    memcpy(x->memory + i, &bits, s->size);
  }
  memcpy(x->before, x->memory, x->bytes);
}

/* Each step rounded to float32, and of bfloat16 to that. */
static double sum(int32_t dtype, double scale, double x, double pe) {
  const volatile float product = (float)scale * (float)x;
  const format *f = format_of(dtype);
  const volatile float rounded = (float)format_nearest(f, (double)product);
  const volatile float total = rounded + (float)pe;
  return (double)(float)format_nearest(f, (double)total);
}

static void judge_sums(const subject *s, const call *c, const unsigned char *x, const unsigned char *out) {
  const int64_t d = s->spec->d_model;
  unsigned char *pe = calloc((size_t)(c->count * d), s->size);
  if (posenc_fill(s->plan, c->first, c->count, pe, d) != POSENC_OK)
    complain("posenc_fill refuses the rows of a sum");
  for (int64_t i = 0; i < c->count; i++)
    for (int64_t column = 0; column < d; column++) {
      const double row = element_value(s->spec->dtype, pe + (size_t)(i * d + column) * s->size);
      if (i == 0 && column < 8)
        judge_element(s, model_column(s->spec, column), (model_position){.whole = c->first}, column, row);
      for (int64_t batch = 0; batch < c->batch; batch++) {
        const int64_t from = batch * c->x.batch + i * c->x.row + column,
                      to = batch * c->out.batch + i * c->out.row + column;
        const double term = element_value(s->spec->dtype, x + (size_t)from * s->size);
        const double got = element_value(s->spec->dtype, out + (size_t)to * s->size);
        const double want = sum(s->spec->dtype, c->scale, term, row);
        if (!same_number(got, want))
          complain("a sum by %s, d_model %lld, batch %lld, row %lld, column %lld: %a * %a + %a is %a, not %a",
              s->impl->name, (long long)d, (long long)batch, (long long)i, (long long)column, c->scale, term, row, want,
              got);
      }
    }
  free(pe);
}

void fuzz_add(bytes *b, const subject *s) {
  const call c = take_call(b, s);
  const unsigned offset = take_byte(b), broken = take_byte(b);
  const int64_t d = s->spec->d_model, x_extent = extent(&c, c.x, d), out_extent = extent(&c, c.out, d);
  const wide rows = (wide)c.count * (c.batch > 0 ? c.batch : 1);
  const bool real = x_extent >= 0 && out_extent >= 0 && rows <= MOST_ELEMENTS / d;
  array x = array_of((size_t)(real ? x_extent : 0) * s->size, (size_t)(offset & 15) * s->size);
  array out = array_of((size_t)(real ? out_extent : 0) * s->size, (size_t)(offset >> 4) * s->size);
  put_numbers(b, s, &x);
  unsigned char *x_at = broken_pointer(x.start, broken, 255);
  unsigned char *out_at = c.in_place ? x_at : broken_pointer(out.start, broken, 249);

  const allowed wanted = allowed_call(s, &c, x_at, out_at);
  message m;
  posenc_status status, foretold;
  message_clear(&m, b);
  if (c.batched)
    IN_STATE(c.state, foretold = posenc_add_batch_check(
                          s->plan, c.first, c.count, c.batch, x_at, c.x, c.scale, out_at, c.out, m.text, m.size));
  else
    IN_STATE(c.state, foretold = posenc_add_check(
                          s->plan, c.first, c.count, x_at, c.x.row, c.scale, out_at, c.out.row, m.text, m.size));
  message_judge("posenc_add_check", &m, foretold);
  const int fine = judge_status("posenc_add_check", foretold, wanted);
  if (real || !fine) {
    if (c.batched)
      IN_STATE(
          c.state, status = posenc_add_batch(s->plan, c.first, c.count, c.batch, x_at, c.x, c.scale, out_at, c.out));
    else
      IN_STATE(c.state, status = posenc_add(s->plan, c.first, c.count, x_at, c.x.row, c.scale, out_at, c.out.row));
    if (status != foretold)
      complain("posenc_add returns %d, its check %d", (int)status, (int)foretold);
    array *written = c.in_place ? &x : &out;
    const unsigned char *old = c.in_place ? memcpy(malloc(x.bytes + 1), x.before, x.bytes) : NULL;
    for (int64_t batch = 0; fine && c.count > 0 && batch < c.batch; batch++)
      for (int64_t i = 0; i < c.count; i++)
        array_accept(
            written, written->start + (size_t)(batch * c.out.batch + i * c.out.row) * s->size, (size_t)d * s->size);
    array_judge("the sums of posenc_add", &out);
    array_judge("the x of posenc_add", &x);
    if (fine && c.count > 0 && c.batch > 0)
      judge_sums(s, &c, c.in_place ? old + (x.start - x.memory) : x.start, written->start);
    free((void *)(uintptr_t)old);
  }
  array_free(&x);
  array_free(&out);
}
