/* A fuzz target: bytes make a spec, a plan of it, and calls of it; every answer is held to the words of posenc.h, by
 * model.c (values) and allowed.c (refusals).
 */
#include "../reference/formats.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, data + size};
  fuzz_spec f;
  take_spec(&b, &f);
  posenc_plan *plan = plan_judged(&b, &f);
  if (plan) {
    const posenc_impl *impl = posenc_impl_find(posenc_plan_impl(plan));
    const bool exact = strncmp(impl->name, "exact_", 6) == 0, anchored = strncmp(impl->name, "anchored_", 9) == 0;
    const subject s = {plan, &f.spec, impl, format_of(f.spec.dtype)->size, exact, exact || anchored};
    if (posenc_dtype_size((posenc_dtype)f.spec.dtype) != s.size)
      complain(
          "an element of dtype %d has %zu bytes", (int)f.spec.dtype, posenc_dtype_size((posenc_dtype)f.spec.dtype));
    for (int i = 0; i < 3 && (i == 0 || b.at < b.end); i++) {
      const unsigned which = take_byte(&b);
      if (which < 240)
        fuzz_rows(&b, &s, which >= 170);
      else
        fuzz_table(&b, &s);
    }
  }
  posenc_plan_destroy(plan);
  free(f.freqs);
  free(f.freqs_low);
  return 0;
}
