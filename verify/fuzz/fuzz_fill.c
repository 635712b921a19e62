/* A fuzz target: bytes make a spec, a plan of it, and calls of it; every answer is held to the words of posenc.h, by
 * model.c (values) and allowed.c (refusals).
 */
#include <stdlib.h>

#include "../campaign/family.h"
#include "../reference/formats.h"
#include "allowed.h"
#include "array.h"
#include "calls.h"
#include "complain.h"
#include "spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A table of its own memory: the rows of posenc_fill, zeros between and behind them. */
void fuzz_table(bytes *b, const subject *s) {
  const int64_t first = take_position(b), count = take_count(b, s->spec->d_model), d = s->spec->d_model;
  const unsigned how = take_byte(b);
  const int64_t given = how < 64 ? 0 : take_stride(b, d, s->size), stride = given ? given : d;
  allowed a = {0, 0};
  if (count < 0 || stride < d)
    a.errors |= BIT(ARGUMENT);
  else if ((wide)count * stride > PTRDIFF_MAX / (int64_t)s->size)
    a.errors |= BIT(SIZE);
  allowed_first(&a, s->spec, first, count);
  message m;
  message_clear(&m, b);
  const posenc_status foretold = posenc_table_check(s->plan, first, count, given, m.text, m.size);
  message_judge("posenc_table_check", &m, foretold);
  const int fine = judge_status("posenc_table_check", foretold, a);
  if (fine && (wide)count * stride > 4 * MOST_ELEMENTS)
    return;
  void *table = &m;
  const posenc_status status = posenc_table_create(&table, s->plan, first, count, given);
  if (status != foretold || (status == POSENC_OK) != (table != NULL))
    complain("posenc_table_create returns %d, its check %d", (int)status, (int)foretold);
  if (!fine || !table)
    return;
  const size_t length = (size_t)(count * stride) * s->size;
  unsigned char *rows = calloc(length + 1, 1);
  posenc_fill(s->plan, first, count, rows, stride);
  if ((uintptr_t)table % 64 != 0 || memcmp(rows, table, length) != 0)
    complain("posenc_table_create by %s: not the rows of posenc_fill between zeros", s->impl->name);
  free(rows);
  posenc_table_destroy(table);
}

/* Calls without a plan, and what has no value. */
static void fuzz_nothing(bytes *b, const subject *s) {
  double element = 0.5;
  const int64_t p = take_position(b);
  const posenc_strides strides = {1, 1};
  if (posenc_fill(NULL, p, 1, &element, 1) != POSENC_ERROR_ARGUMENT ||
      posenc_fill_at(NULL, &p, 1, &element, 1) != POSENC_ERROR_ARGUMENT ||
      posenc_fill_at_real(NULL, &element, 1, &element, 1) != POSENC_ERROR_ARGUMENT ||
      posenc_fill_pair(NULL, p, 1, &element, &element, 1) != POSENC_ERROR_ARGUMENT ||
      posenc_add(NULL, p, 1, &element, 1, 1, &element, 1) != POSENC_ERROR_ARGUMENT ||
      posenc_add_batch(NULL, p, 1, 1, &element, strides, 1, &element, strides) != POSENC_ERROR_ARGUMENT ||
      posenc_spec_check(NULL, NULL, 0) != POSENC_ERROR_ARGUMENT ||
      posenc_plan_create(NULL, s->spec, NULL) != POSENC_ERROR_ARGUMENT || element != 0.5)
    complain("a call without a plan or a spec is not refused, or writes");
  if (!isnan(posenc_impl_error_bound(s->impl, s->spec, 0, s->spec->d_model)) ||
      !isnan(posenc_impl_error_bound(s->impl, s->spec, 0, -1)) ||
      !isnan(posenc_impl_error_bound(NULL, s->spec, 0, 0)) ||
      !isnan(posenc_impl_error_bound(s->impl, s->spec, 0x1.8p32, 0)))
    complain("there is a bound where there is no output");
  if (!posenc_status_string((posenc_status)(int32_t)p))
    complain("a status has no phrase");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, data + size};
  fuzz_spec f;
  take_spec(&b, &f);
  posenc_plan *plan = plan_judged(&b, &f);
  if (plan) {
    const posenc_impl *impl = posenc_impl_find(posenc_plan_impl(plan));
    const bool exact = strncmp(impl->name, "exact_", 6) == 0, anchored = strncmp(impl->name, "anchored_", 9) == 0;
    const subject s = {plan, posenc_plan_spec(plan), impl, format_of(f.spec.dtype)->size, exact, exact || anchored};
    if (posenc_dtype_size((posenc_dtype)f.spec.dtype) != s.size)
      complain(
          "an element of dtype %d has %zu bytes", (int)f.spec.dtype, posenc_dtype_size((posenc_dtype)f.spec.dtype));
    for (int i = 0; i < 3 && (i == 0 || b.at < b.end); i++) {
      const unsigned which = take_byte(&b);
      (which < 170 ? fuzz_fill : which < 240 ? fuzz_add : which < 252 ? fuzz_table : fuzz_nothing)(&b, &s);
    }
  }
  posenc_plan_destroy(plan);
  free(f.freqs);
  return 0;
}
