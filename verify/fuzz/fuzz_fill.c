/* A fuzz target: bytes make a spec, a plan of it, and calls of it; every answer is held to the words of posenc.h, by
 * model.c (values) and allowed.c (refusals).
 */
#include "../reference/formats.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
      if (which < 240)
        fuzz_rows(&b, &s, which >= 170);
      else
        (which < 252 ? fuzz_table : fuzz_nothing)(&b, &s);
    }
  }
  posenc_plan_destroy(plan);
  free(f.freqs);
  return 0;
}
